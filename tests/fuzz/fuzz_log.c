/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz_log.h"

#include <stdio.h>
#include <string.h>

#include "log/log.h"
#include "mpj_adapt_records.h"
#include "mpj_trace_records.h"

#define BEGIN  1000U
#define END    9000U
#define CODE   0x8040U /* program.elf: leaf() ... */
#define MIDDLE 0x8074U
#define RETURN 0x8088U /* behind a call in middle() */
#define JUMPED 0x8104U /* behind the call of jumps(), which goes on to middle() */
#define DATA   0x8148U

struct maker {
    uint8_t *out;
    size_t n, cap;
    uint16_t seq;
    uint32_t (*rng)(void);
    uint8_t payload[MPJ_FRAME_PAYLOAD_MAX];
    struct mpj_writer w;
};

size_t fuzz_log_frame(uint8_t *out, size_t cap, size_t n, uint8_t type, const void *payload,
                      size_t len)
{
    return n + mpj_frame_encode(type, 0, payload, len, out + n, cap - n);
}

size_t fuzz_log_bytes(uint8_t *out, size_t cap, size_t n, uint8_t type, const void *data,
                      size_t len)
{
    const uint8_t *const p = data;

    for (size_t at = 0; at < len; at += MPJ_FRAME_PAYLOAD_MAX)
        n = fuzz_log_frame(out, cap, n, type, p + at,
                           len - at < MPJ_FRAME_PAYLOAD_MAX ? len - at : MPJ_FRAME_PAYLOAD_MAX);
    return n;
}

static struct mpj_writer *begin(struct maker *m)
{
    mpj_writer_init(&m->w, m->payload, sizeof(m->payload));
    return &m->w;
}

/* What was begun, most of the time. */
static void put(struct maker *m, uint8_t type)
{
    const bool numbered = type == MPJ_FRAME_DATA || type == MPJ_FRAME_END;

    if (m->rng() % 16U == 0)
        return;
    m->n += mpj_frame_encode(type, numbered ? m->seq++ : 0, m->payload,
                             (size_t)(m->w.at - m->payload), m->out + m->n, m->cap - m->n);
}

static void put_meta(struct maker *m, const char *key, const char *value)
{
    mpj_put_bytes(begin(m), key, strlen(key));
    mpj_put_bytes(&m->w, value, strlen(value));
    put(m, MPJ_LOG_META);
}

static struct mpj_bytes text(const char *s)
{
    return (struct mpj_bytes){(const uint8_t *)s, strlen(s)};
}

/* ---- what the host and the target say first ------------------------------------------------ */

static void put_start(struct maker *m)
{
    const struct mpj_hello hello = {.protocol = 1,
                                    .abi = 1,
                                    .features = 0x2f,
                                    .cores = 4,
                                    .clock_hz = 210000000,
                                    .time_hz = 1000000,
                                    .name = text("p.elf")};
    const struct mpj_config_rec config = {.features = 1, .cores_mask = 15};
    const struct mpj_rotation_rec rotation = {20, 2, {{1, 2}, {3, 4}}};
    const struct mpj_trace_config trace = {
        .flags = 55, .event = 3, .every = 1000, .groups = 2, .period_us = 1000};
    const struct mpj_go go = {1, 1};

    put_meta(m, "target", "sim");
    put_meta(m, "program", "p.elf");
    put_meta(m, "calibration", m->rng() % 2U ? "mprofiler" : "\x1b[31m\xc2\x9b");
    put_meta(m, "firmware_sha256", "0011");
    put_meta(m, "quantum", "500");
    put_meta(m, "arguments", "-n 1");
    put_meta(m, "planned_s", "3");
    mpj_hello_put(begin(m), &hello);
    put(m, MPJ_FRAME_HELLO);
    mpj_config_put(begin(m), &config);
    mpj_rotation_put(&m->w, &rotation);
    mpj_trace_config_put(&m->w, &trace);
    mpj_blob_put(&m->w, MPJ_REC_ARG, "p", 1);
    mpj_blob_put(&m->w, MPJ_REC_ENV, "A=b", 3);
    mpj_go_put(&m->w, &go);
    put(m, MPJ_FRAME_START);
}

/* ---- counters -------------------------------------------------------------------------------- */

static void put_counters(struct maker *m)
{
    struct mpj_core_rec core = {.flags = MPJ_COUNTER_WFI,
                                .time = END,
                                .cycles = 1600000,
                                .wfi_cycles = 1000,
                                .count = 2,
                                .ev = {{8, 500, 4000}, {3, 77, 8000}}};
    const struct mpj_chip_rec scu = {.time = END, .count = 1, .ev = {{1, 5, 8000}}};
    const struct mpj_spread_rec spread = {.id = 0,
                                          .count = 1,
                                          .ev = {{.event = 8,
                                                  .turns = 4,
                                                  .c = 4000,
                                                  .x = 400,
                                                  .cc = 4100000,
                                                  .xc = 41000,
                                                  .xx = 41000}}};
    struct mpj_spread_rec of_thread = spread;

    for (core.core = 0; core.core < 4; core.core++) {
        core.flags = m->rng() % 4U ? MPJ_COUNTER_WFI : MPJ_COUNTER_INEXACT;
        mpj_core_put(begin(m), &core);
        put(m, MPJ_FRAME_DATA);
    }
    mpj_chip_put(begin(m), MPJ_REC_SCU, &scu);
    mpj_chip_put(&m->w, MPJ_REC_L2, &scu);
    put(m, MPJ_FRAME_DATA);
    of_thread.owner = MPJ_SPREAD_THREAD;
    of_thread.id = 1;
    mpj_spread_put(begin(m), &spread);
    mpj_spread_put(&m->w, &of_thread);
    put(m, MPJ_FRAME_DATA);
}

static void put_adc(struct maker *m)
{
    static struct mpj_adc_rec adc;

    for (unsigned block = 0; block < 2; block++) {
        adc.first = 3U * block;
        adc.period = 1000;
        adc.count = 3;
        for (unsigned i = 0; i < adc.count; i++) {
            adc.s[i].time = 2000U + 1000U * (3U * block + i);
            adc.s[i].code[MPJ_ADC_CPU_V] = 2000;
            adc.s[i].code[MPJ_ADC_CPU_I] = (uint16_t)(1000U + m->rng() % 100U);
            adc.s[i].code[MPJ_ADC_PLL_V] = 2000;
            adc.s[i].code[MPJ_ADC_PLL_I] = 100;
        }
        mpj_adc_put(begin(m), &adc);
        put(m, MPJ_FRAME_DATA);
    }
}

/* ---- threads ----------------------------------------------------------------------------------
 */

static void put_threads(struct maker *m)
{
    struct mpj_thread_rec t = {.flags = MPJ_THREAD_MAIN,
                               .created = BEGIN,
                               .ended = END,
                               .run = 4000,
                               .block = 1000,
                               .sleep = 100,
                               .kernel = 5,
                               .switches = 3,
                               .cycles = 840000,
                               .host = 7,
                               .core_run = {2000, 2000},
                               .count = 2,
                               .ev = {{8, 5, 8000}, {MPJ_THREAD_SCU + 1U, 4, 8000}}};
    struct mpj_region_rec region = {.fn = CODE,
                                    .caller = RETURN,
                                    .size = 2,
                                    .calls = 3,
                                    .wall = 3000,
                                    .run = 2000,
                                    .barrier = 100,
                                    .cycles = 4000,
                                    .host = 3,
                                    .count = 1,
                                    .ev = {{8, 4, 3000}}};
    struct mpj_wait_rec wait = {.object = DATA + 4U * (m->rng() % 2U),
                                .owner = 2,
                                .caller = RETURN,
                                .count = 2,
                                .total = 90,
                                .longest = 50};
    struct mpj_timeline_rec line = {
        .width = 1000, .count = 3, .bin = {{900, 100, 0}, {1000, 0, 0}, {0, 500, 500}}};
    const struct mpj_parallel_rec parallel = {{100, 2000, 3000, 900, 2000}};

    for (uint32_t id = 1; id <= 4; id++) {
        t.id = id;
        t.parent = id > 1;
        t.entry = id > 1 ? (id == 4 ? 4U : CODE) : 0;
        t.name = text(id == 2 ? "worker \xff" : "");
        mpj_thread_put(begin(m), &t);
        t.flags = id == 2 ? MPJ_THREAD_POOL : MPJ_THREAD_ALIVE;
        put(m, MPJ_FRAME_DATA);
        for (unsigned r = 0; r < 2; r++) {
            region.thread = id;
            region.fn = r > 0 ? MIDDLE : CODE;
            mpj_region_put(begin(m), &region);
            put(m, MPJ_FRAME_DATA);
        }
        wait.thread = id;
        wait.kind = m->rng() % 17U;
        mpj_wait_put(begin(m), &wait);
        line.thread = id;
        mpj_timeline_put(&m->w, &line);
        put(m, MPJ_FRAME_DATA);
    }
    mpj_parallel_put(begin(m), &parallel);
    put(m, MPJ_FRAME_DATA);
}

/* ---- functions --------------------------------------------------------------------------------
 */

static void put_functions(struct maker *m)
{
    static const uint32_t called[][2] = {{0x80f0, 0},    {0x80e8, JUMPED}, {MIDDLE, JUMPED},
                                         {CODE, RETURN}, {CODE, 0},        {4, 8}};
    const struct mpj_moments_rec moments = {
        6,
        {{.time = 2000,
          .core = 0,
          .thread = 1,
          .kind = MPJ_AT_SAMPLE,
          .n = 4,
          .word = {CODE + 8U, RETURN, JUMPED, RETURN}},
         {.time = 2500, .core = 1, .thread = 0, .kind = MPJ_AT_SAMPLE},
         {.time = 3000,
          .core = 2,
          .thread = 2,
          .kind = MPJ_AT_SAMPLE,
          .n = 2,
          .word = {MIDDLE + 4U, JUMPED}},
         {.time = 3000,
          .core = 1,
          .thread = 2,
          .kind = MPJ_AT_EVENT,
          .n = 2,
          .word = {MIDDLE + 4U, JUMPED}},
         {.time = 3500, .core = 3, .thread = 3, .kind = MPJ_AT_SAMPLE, .n = 1, .word = {16}},
         {.time = 4000,
          .core = 0,
          .thread = 1,
          .kind = MPJ_AT_SAMPLE,
          .n = 3,
          .word = {MIDDLE, 0x8038, RETURN}}}};
    const struct mpj_moments_rec happened = {
        8,
        {{.time = 1500, .thread = 1, .kind = MPJ_AT_RUNS},
         {.time = 1600, .thread = 1, .kind = MPJ_AT_REGION_BEGIN, .n = 3, .word = {CODE, 0, 2}},
         {.time = 1700, .thread = 1, .kind = MPJ_AT_WAITS, .n = 3, .word = {DATA, 2, 1}},
         {.time = 1800, .thread = 1, .kind = MPJ_AT_WAITED, .n = 3, .word = {DATA, 0, 1}},
         {.time = 1900, .thread = 1, .kind = MPJ_AT_REGION_END, .n = 1, .word = {CODE}},
         {.time = 1950, .thread = 1, .kind = MPJ_AT_STOPS, .n = 1, .word = {2}},
         {.time = 2600,
          .core = 1,
          .thread = 2,
          .kind = MPJ_AT_CALL,
          .n = 5,
          .word = {0x80f0, 4, 900, 50, 20}},
         {.time = 2600,
          .thread = 1,
          .kind = MPJ_AT_CALL,
          .n = 5,
          .word = {MIDDLE, 1, 800, 40, 10}}}};
    const struct mpj_adapt_rec adapt = {.region = CODE,
                                        .caller = RETURN,
                                        .time = 1015, /* within put_wave()'s */
                                        .ticks = 20,
                                        .threads = 2,
                                        .most = 4,
                                        .why = MPJ_ADAPT_TRY,
                                        .believed_ns = 19000,
                                        .believed_uw = 550000,
                                        .uw = 551000,
                                        .samples = 1,
                                        .elapsed = 4200,
                                        .cycles = 8000,
                                        .event = {1000, 20}};
    const struct mpj_func_groups_rec groups = {
        .functions = 5, .periods = 4, .ticks = 8000, .deep = 1, .count = 2, .active = {4000, 4000}};

    mpj_moments_put(begin(m), &moments);
    mpj_moments_put(&m->w, &happened);
    mpj_adapt_put(&m->w, &adapt);
    put(m, MPJ_FRAME_DATA);
    mpj_func_groups_put(begin(m), &groups);
    put(m, MPJ_FRAME_DATA);
    for (size_t i = 0; i < sizeof(called) / sizeof(called[0]); i++) {
        const struct mpj_function_rec f = {.entry = called[i][0],
                                           .caller = called[i][1],
                                           .flags = i == 1 ? MPJ_FUNCTION_FIRST : 0,
                                           .group = (uint32_t)i % 2U,
                                           .calls = 10,
                                           .measured = 8,
                                           .here = 4,
                                           .cycles = 100000U / ((uint32_t)i + 1U),
                                           .count = 2,
                                           .ev = {{8, 50, 0}, {3, 20, 0}},
                                           .records = 2,
                                           .squares = 5000,
                                           .above = called[0][0],
                                           .usual = 20};

        mpj_function_put(begin(m), &f);
        put(m, MPJ_FRAME_DATA);
    }
}

/* ---- what a program says and what goes wrong --------------------------------------------------
 */

static void put_words(struct maker *m)
{
    const struct mpj_mark marks[] = {{.time = 2000, .thread = 1, .name = text("phase"), .value = 1},
                                     {.time = 4000,
                                      .core = 1,
                                      .thread = 2,
                                      .name = text("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80")},
                                     {.time = 5000, .value = 1, .origin = MPJ_MARK_HOST},
                                     {.time = 6000, .value = 9, .origin = MPJ_MARK_HOST}};
    const struct mpj_dropped dropped = {2, {{MPJ_REC_MOMENTS, 3}, {MPJ_REC_MARK, 1}}};

    mpj_blob_put(begin(m), MPJ_REC_CONSOLE_OUT, "hello\n", 6);
    mpj_blob_put(&m->w, MPJ_REC_CONSOLE_ERR, "oh", 2);
    put(m, MPJ_FRAME_DATA);
    mpj_put_varint(begin(m), 1);
    mpj_put_bytes(&m->w, "label", 5);
    put(m, MPJ_LOG_LABEL);
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        mpj_mark_put(begin(m), &marks[i]);
        put(m, MPJ_FRAME_DATA);
    }
    mpj_dropped_put(begin(m), &dropped);
    put(m, MPJ_FRAME_DATA);
}

/* About half of the runs go well. */
static bool put_failure(struct maker *m)
{
    struct mpj_fault fault = {.kind = MPJ_FAULT_DATA,
                              .core = 1,
                              .thread = 2,
                              .time = 8000,
                              .r = {[13] = 0x10000, [14] = RETURN, [15] = CODE + 4U},
                              .cpsr = 0x1f,
                              .count = 16,
                              .stack = {1, 2, 3, 4, 5, RETURN, JUMPED, JUMPED}};
    const struct mpj_error_rec error = {
        .code = MPJ_TERR_DEADLOCK,
        .time = 8000,
        .text = text("thread 1 waits for 0x814c at 0x8088, thread 2 for 0x8148, 0x4 at 0x4")};

    switch (m->rng() % 4U) {
    case 0:
        if (m->rng() % 4U == 0)
            fault.r[15] = 4; /* a jump through a bad pointer */
        mpj_fault_put(begin(m), &fault);
        put(m, MPJ_FRAME_DATA);
        mpj_fault_put(begin(m), &fault);
        put(m, MPJ_FRAME_DATA);
        return true;
    case 1:
        mpj_error_put(begin(m), &error);
        put(m, MPJ_FRAME_DATA);
        return true;
    default:
        return false;
    }
}

size_t fuzz_log_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    static struct maker m;
    const struct mpj_run_rec first = {.time = BEGIN, .cores_mask = 15, .adc_period_us = 1000};
    const struct mpj_run_rec last = {.time = END, .cores_mask = 15, .adc_period_us = 1000};
    struct mpj_end end = {.time = END, .records = 40};
    uint8_t profile[4096];
    bool failed;

    m = (struct maker){.out = out, .cap = cap, .rng = rng};
    put_start(&m);
    mpj_run_put(begin(&m), MPJ_REC_RUN_BEGIN, &first);
    put(&m, MPJ_FRAME_DATA);
    put_words(&m);
    put_adc(&m);
    if (rng() % 2U)
        put_functions(&m);
    put_counters(&m);
    if (rng() % 4U)
        put_threads(&m);
    mpj_run_put(begin(&m), MPJ_REC_RUN_END, &last);
    put(&m, MPJ_FRAME_DATA);
    failed = put_failure(&m);
    end.reason = failed ? MPJ_END_ERROR : MPJ_END_EXIT;
    mpj_end_put(begin(&m), &end);
    put(&m, MPJ_FRAME_END);
    if (rng() % 4U < 2)
        m.n = fuzz_log_truth(out, cap, m.n);
    if (rng() % 4U == 0)
        m.n = fuzz_log_bytes(out, cap, m.n, MPJ_LOG_PROFILE, profile,
                             fuzz_profile_seed(profile, sizeof(profile), rng));
    mpj_put_signed(begin(&m), failed ? MPJ_E_FAULT : MPJ_E_OK);
    mpj_put_bytes(&m.w, "text", failed ? 4 : 0);
    put(&m, MPJ_LOG_CLOSE);
    return m.n;
}

/* ---- truth and profile ------------------------------------------------------------------------
 */

#define CYCLES 3000U /* of the profile's three nodes */
#define FJ     9000U /* of its nodes and the chip */

size_t fuzz_log_truth(uint8_t *out, size_t cap, size_t n)
{
    char json[1000];
    const int len = snprintf(
        json, sizeof(json),
        "{\"schema\":\"mpjoule-truth/1\",\"windows\":1,\"window\":{\"cycles\":%u,\"energy_fj\":%u,"
        "\"shared_energy_fj\":3000,\"cores\":[{\"core\":0,\"cycles\":%u,\"wfi_cycles\":4,"
        "\"energy_fj\":6000,\"bounded_cycles\":0,\"events\":{\"instr\":%u}}],\"scu\":{\"events\":"
        "{\"scu_migration\":5}},\"l2\":{\"events\":{\"l2_drreq\":6}}},\"contexts\":[{\"ctx\":1,"
        "\"cycles\":9,\"wfi_cycles\":1,\"energy_fj\":3,\"events\":{\"instr\":2}}]}",
        CYCLES, FJ, CYCLES, CYCLES / 2U);

    return fuzz_log_bytes(out, cap, n, MPJ_LOG_TRUTH, json, (size_t)len);
}

static void put_le(struct mpj_writer *w, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        mpj_put_u8(w, (uint8_t)(v >> (8U * i)));
}

/* Begins a section; its length comes with end_section(). */
static uint8_t *section(struct mpj_writer *w, const char *tag)
{
    mpj_put_raw(w, tag, 4);
    put_le(w, 0, 4);
    put_le(w, 0, 8);
    return w->at;
}

static void end_section(const struct mpj_writer *w, uint8_t *body)
{
    const size_t len = (size_t)(w->at - body);

    for (unsigned i = 0; i < 8; i++)
        body[(int)i - 8] = (uint8_t)((uint64_t)len >> (8U * i));
}

static void put_node(struct mpj_writer *w, uint32_t parent, uint32_t address, uint32_t thread)
{
    put_le(w, parent, 4);
    put_le(w, address, 4);
    put_le(w, thread, 4);
    put_le(w, 0, 4); /* core */
    put_le(w, 1, 8);
    put_le(w, address == 0xffffff00U ? 0 : 0xf, 8);
    if (address == 0xffffff00U)
        return;
    put_le(w, CYCLES / 3U, 8);
    put_le(w, CYCLES / 6U, 8);
    put_le(w, 2000, 8);
    put_le(w, 2000, 8);
}

static void put_moment(struct mpj_writer *w, uint64_t time, uint32_t kind, uint32_t thread,
                       uint32_t object)
{
    put_le(w, time, 8);
    put_le(w, kind, 4);
    put_le(w, 0, 4);
    put_le(w, thread, 4);
    put_le(w, object, 4);
    put_le(w, 1, 4);
    put_le(w, 0, 4);
}

static void put_wave(struct mpj_writer *w, uint32_t core, uint64_t fj)
{
    uint8_t *const body = section(w, "WAVE");

    put_le(w, core, 4);
    put_le(w, 0, 4);
    put_le(w, 210000, 8);
    put_le(w, 2100, 8);
    for (unsigned i = 0; i < 4; i++)
        mpj_put_signed(w, i == 0 ? (int64_t)(fj / 4U) : 0);
    end_section(w, body);
}

/* Of a core and an event over time. */
static void put_counts(struct mpj_writer *w, uint32_t event, uint32_t sum)
{
    uint8_t *const body = section(w, "WCNT");

    put_le(w, 0, 4);
    put_le(w, event, 4);
    put_le(w, 210000, 8);
    put_le(w, 2100, 8);
    for (unsigned i = 0; i < 2; i++)
        put_le(w, sum / 2U, 4);
    end_section(w, body);
}

size_t fuzz_profile_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    static const uint32_t addresses[] = {0x80f0, MIDDLE, CODE};
    struct mpj_writer w;
    uint8_t *body;

    if (cap < 2048)
        return 0;
    mpj_writer_init(&w, out, cap);
    mpj_put_raw(&w, "MPJPROF\n\1\0\0\0\0\0\0\0", 16);
    body = section(&w, "HEAD");
    put_le(&w, 210000000, 4);
    put_le(&w, 4, 4);
    put_le(&w, 5, 4);
    put_le(&w, 100, 4);
    put_le(&w, 0, 8);
    put_le(&w, CYCLES, 8);
    put_le(&w, 0, 8);
    put_le(&w, 0, 8);
    end_section(&w, body);
    body = section(&w, "ITEM");
    mpj_put_raw(&w, "cycles\0instr\0energy_fj\0fj:clock", 32);
    end_section(&w, body);
    body = section(&w, "NODE");
    put_node(&w, 0, 0xffffff00U, 1);
    for (uint32_t i = 0; i < 3; i++)
        put_node(&w, i > 0 ? i + 1U : 1U, rng() % 4U ? addresses[i] : 0x80e8U, rng() % 3U);
    put_node(&w, 2, rng() % 2U ? 0xffffff98U : 0xffffff01U, 1);
    (void)memset(w.at - 32, 0, 32); /* what is told, and costs nothing */
    end_section(&w, body);
    body = section(&w, "CITM");
    mpj_put_raw(&w, "energy_fj\0fj:leakage\0scu_migration\0l2_drreq", 44);
    end_section(&w, body);
    body = section(&w, "CHIP");
    put_le(&w, 0xf, 8);
    put_le(&w, 3000, 8);
    put_le(&w, 3000, 8);
    put_le(&w, 5, 8);
    put_le(&w, 6, 8);
    end_section(&w, body);
    body = section(&w, "IITM");
    mpj_put_raw(&w, "instr", 6);
    end_section(&w, body);
    body = section(&w, "INSN");
    for (uint32_t i = 0; i < 10; i++) {
        put_le(&w, CODE + 4U * i, 4);
        put_le(&w, 0, 4);
        put_le(&w, 10, 8);
        put_le(&w, 100, 8);
        put_le(&w, 1, 8);
        put_le(&w, 10, 8);
    }
    end_section(&w, body);
    body = section(&w, "MOMT");
    put_le(&w, rng() % 3U, 8);
    for (uint32_t kind = 0; kind < 8; kind++)
        put_moment(&w, 210000U + 1000U * kind, kind, 1 + kind % 2U, kind < 5 ? DATA : CODE);
    end_section(&w, body);
    put_wave(&w, 0, 6000);
    put_wave(&w, UINT32_MAX, 3000);
    body = section(&w, "WITM");
    mpj_put_raw(&w, "instr\0branch", 13);
    end_section(&w, body);
    put_counts(&w, 0, CYCLES / 2U);
    put_counts(&w, rng() % 8U ? 1 : rng() % 4U, 0);
    body = section(&w, "END ");
    end_section(&w, body);
    return (size_t)(w.at - out);
}
