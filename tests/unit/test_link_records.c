/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records: every type there and back, bounds, and the rules for older and newer peers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mpj_records.h"
#include "mpj_trace_records.h"

static uint8_t buf[MPJ_FRAME_PAYLOAD_MAX];
static struct mpj_writer w;

/* The only record in buf. */
static struct mpj_rec only(uint32_t kind)
{
    struct mpj_reader r;
    struct mpj_rec rec;

    mpj_reader_init(&r, buf, (size_t)(w.at - buf));
    assert_int_equal(mpj_rec_next(&r, &rec), 1);
    assert_int_equal(rec.kind, kind);
    assert_ptr_equal(r.at, r.end);
    return rec;
}

static int start(void **state)
{
    (void)state;
    memset(buf, 0xa5, sizeof(buf));
    mpj_writer_init(&w, buf, sizeof(buf));
    return 0;
}

static struct mpj_bytes str(const char *s)
{
    return (struct mpj_bytes){(const uint8_t *)s, strlen(s)};
}

static void assert_str(struct mpj_bytes b, const char *s)
{
    assert_int_equal(b.len, strlen(s));
    assert_memory_equal(b.p, s, b.len);
}

static void varints(void **state)
{
    static const uint64_t v[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_MAX};
    static const int64_t z[] = {0, -1, 1, -64, 64, INT64_MIN, INT64_MAX};
    static const uint8_t over[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
    struct mpj_reader r;

    (void)state;
    for (unsigned i = 0; i < sizeof(v) / sizeof(v[0]); i++)
        mpj_put_varint(&w, v[i]);
    for (unsigned i = 0; i < sizeof(z) / sizeof(z[0]); i++)
        mpj_put_signed(&w, z[i]);
    mpj_reader_init(&r, buf, (size_t)(w.at - buf));
    for (unsigned i = 0; i < sizeof(v) / sizeof(v[0]); i++)
        assert_true(mpj_get_varint(&r) == v[i]);
    for (unsigned i = 0; i < sizeof(z) / sizeof(z[0]); i++)
        assert_true(mpj_get_signed(&r) == z[i]);
    assert_false(r.short_read);
    assert_false(r.malformed);
    assert_int_equal(mpj_get_varint(&r), 0);
    assert_true(r.short_read);

    mpj_reader_init(&r, over, sizeof(over));
    mpj_get_varint(&r);
    assert_true(r.malformed);
    mpj_reader_init(&r, over, 3);
    mpj_get_varint(&r);
    assert_true(r.malformed); /* ends inside a number */
}

static void hello(void **state)
{
    const struct mpj_hello in = {.protocol = 1,
                                 .abi = 1,
                                 .features = 9,
                                 .sys_id = 0x01400500,
                                 .proc_id = 0x06000000,
                                 .midr = 0x410fb024,
                                 .scu_config = 0xf3,
                                 .l2_id = 0x41000084,
                                 .cores = 4,
                                 .clock_hz = 210000000,
                                 .time_hz = 105000000,
                                 .build_id = str("\x01\x02\xff"),
                                 .name = str("matmul")};
    struct mpj_hello out;

    (void)state;
    assert_int_equal(mpj_hello_put(&w, &in), 0);
    const struct mpj_rec rec = only(MPJ_REC_HELLO);
    assert_int_equal(mpj_hello_get(&rec, &out), 0);
    assert_int_equal(out.midr, in.midr);
    assert_int_equal(out.features, 9);
    assert_int_equal(out.l2_id, in.l2_id);
    assert_int_equal(out.time_hz, in.time_hz);
    assert_str(out.build_id, "\x01\x02\xff");
    assert_str(out.name, "matmul");
}

/* Everything a record may hold at its largest fits a frame and comes back. */
static void threads(void **state)
{
    struct mpj_thread_rec in = {.id = UINT32_MAX, .parent = 3, .flags = 7, .entry = 0x8123};
    struct mpj_thread_rec out = {0};
    struct mpj_rec rec;

    (void)state;
    in.created = in.ended = in.run = in.block = in.sleep = in.kernel = in.host = UINT64_MAX;
    in.switches = in.cycles = UINT64_MAX - 1U;
    for (unsigned i = 0; i < MPJ_CORES_MAX; i++)
        in.core_run[i] = i;
    in.count = MPJ_REC_EVENTS_MAX;
    for (unsigned i = 0; i < in.count; i++)
        in.ev[i] = (struct mpj_event_value){i, UINT64_MAX, 1ULL << 62};
    in.name = str("a name of 15 ch");
    assert_int_equal(mpj_thread_put(&w, &in), 0);
    rec = only(MPJ_REC_THREAD);
    assert_int_equal(mpj_thread_get(&rec, &out), 0);
    assert_str(out.name, "a name of 15 ch");
    out.name = in.name;
    assert_memory_equal(&in, &out, sizeof(in));
    in.count++;
    assert_int_equal(mpj_thread_put(&w, &in), MPJ_LINK_ERR_RANGE);
}

static void waits_and_regions(void **state)
{
    /* static: what is between the members is 0 */
    static const struct mpj_wait_rec wait = {2, 1, 0x100a00, 3, 0x8b6c, 10, 1000, 999};
    static struct mpj_wait_rec wait_out;
    static struct mpj_region_rec region = {0x9000, 0x9100, 4,     4, 100,   5000,
                                           4000,   900,    35000, 1, {{0}}, 77};
    static struct mpj_region_rec region_out;
    const struct mpj_parallel_rec parallel = {{5, 4, 3, 2, 1}};
    struct mpj_parallel_rec parallel_out;
    struct mpj_rec rec;

    (void)state;
    assert_int_equal(mpj_wait_put(&w, &wait), 0);
    rec = only(MPJ_REC_SYNC_WAIT);
    assert_int_equal(mpj_wait_get(&rec, &wait_out), 0);
    assert_memory_equal(&wait, &wait_out, sizeof(wait));

    region.ev[0] = (struct mpj_event_value){8, 12345, 4000};
    mpj_writer_init(&w, buf, sizeof(buf));
    assert_int_equal(mpj_region_put(&w, &region), 0);
    rec = only(MPJ_REC_REGION);
    assert_int_equal(mpj_region_get(&rec, &region_out), 0);
    assert_memory_equal(&region, &region_out, sizeof(region));
    rec.len--; /* as the first version sent it */
    assert_int_equal(mpj_region_get(&rec, &region_out), 0);
    assert_int_equal(region_out.cycles, 35000);
    assert_int_equal(region_out.host, 0);

    mpj_writer_init(&w, buf, sizeof(buf));
    assert_int_equal(mpj_parallel_put(&w, &parallel), 0);
    rec = only(MPJ_REC_PARALLEL);
    assert_int_equal(mpj_parallel_get(&rec, &parallel_out), 0);
    assert_memory_equal(&parallel, &parallel_out, sizeof(parallel));
}

static void memory(void **state)
{
    const struct mpj_memory_rec in = {UINT64_MAX, 4096, 0xf400000};
    struct mpj_memory_rec out;
    struct mpj_rec rec;

    (void)state;
    assert_int_equal(mpj_memory_put(&w, &in), 0);
    rec = only(MPJ_REC_MEMORY);
    assert_int_equal(mpj_memory_get(&rec, &out), 0);
    assert_memory_equal(&in, &out, sizeof(in));
    rec.len = 0; /* what is missing reads as 0 */
    assert_int_equal(mpj_memory_get(&rec, &out), 0);
    assert_int_equal(out.heap_peak, 0);
}

static void timelines(void **state)
{
    struct mpj_timeline_rec in = {.thread = 9, .width = 2400, .first = 77, .count = 3};
    struct mpj_timeline_rec out = {0};
    struct mpj_rec rec;

    (void)state;
    in.bin[0].run = 2400;
    in.bin[1].host = 99;
    in.bin[2].block = UINT32_MAX;
    assert_int_equal(mpj_timeline_put(&w, &in), 0);
    rec = only(MPJ_REC_THREAD_SWITCH);
    assert_int_equal(mpj_timeline_get(&rec, &out), 0);
    assert_memory_equal(&in, &out, sizeof(in));
    rec.len -= 3; /* as the first version sent it */
    assert_int_equal(mpj_timeline_get(&rec, &out), 0);
    assert_true(out.bin[2].block == UINT32_MAX);
    assert_int_equal(out.bin[1].host, 0);
    rec.len--; /* a bin is missing */
    assert_int_equal(mpj_timeline_get(&rec, &out), MPJ_LINK_ERR_FORMAT);

    in.count = MPJ_TIMELINE_MAX;
    in.first = in.width = UINT64_MAX;
    for (unsigned i = 0; i < in.count; i++)
        in.bin[i].run = in.bin[i].block = in.bin[i].host = UINT32_MAX;
    mpj_writer_init(&w, buf, sizeof(buf));
    assert_int_equal(mpj_timeline_put(&w, &in), 0);
    in.count++;
    assert_int_equal(mpj_timeline_put(&w, &in), MPJ_LINK_ERR_RANGE);
}

static void rotation(void **state)
{
    struct mpj_rotation_rec in = {.period_ms = 10, .count = 2};
    struct mpj_rotation_rec out = {0};
    struct mpj_rec rec;

    (void)state;
    in.event[0][0] = 7;
    in.event[1][0] = MPJ_EVENT_NONE;
    in.event[1][1] = 0x14;
    assert_int_equal(mpj_rotation_put(&w, &in), 0);
    rec = only(MPJ_REC_ROTATION);
    assert_int_equal(mpj_rotation_get(&rec, &out), 0);
    assert_memory_equal(&in, &out, sizeof(in));
    rec.len--;
    assert_int_equal(mpj_rotation_get(&rec, &out), MPJ_LINK_ERR_FORMAT);
    in.count = 0;
    assert_int_equal(mpj_rotation_put(&w, &in), MPJ_LINK_ERR_RANGE);
}

static void spread(void **state)
{
    struct mpj_spread_rec in = {.owner = MPJ_SPREAD_THREAD, .id = 12, .shift = 3, .count = 2};
    struct mpj_spread_rec out = {0};
    struct mpj_rec rec;

    (void)state;
    in.ev[0] = (struct mpj_event_spread){7, 5, 1000, 300, 210000, 61000, 18500};
    in.ev[1] = (struct mpj_event_spread){0x14, 6, UINT64_MAX, 1, UINT64_MAX, 2, 3};
    assert_int_equal(mpj_spread_put(&w, &in), 0);
    rec = only(MPJ_REC_SPREAD);
    assert_int_equal(mpj_spread_get(&rec, &out), 0);
    assert_memory_equal(&in, &out, sizeof(in));
    rec.len--;
    assert_int_equal(mpj_spread_get(&rec, &out), MPJ_LINK_ERR_FORMAT);
    in.count = MPJ_SPREAD_MAX + 1;
    assert_int_equal(mpj_spread_put(&w, &in), MPJ_LINK_ERR_RANGE);
}

static void trace(void **state)
{
    struct mpj_trace_config in = {.flags = MPJ_TRACE_FUNCTIONS | MPJ_TRACE_EVENT,
                                  .event = 0x14,
                                  .every = 5000,
                                  .warm_us = 1,
                                  .period_us = 10000,
                                  .periods = 8,
                                  .groups = MPJ_TRACE_GROUPS_MAX,
                                  .records = 2,
                                  .brief = 300,
                                  .least_ns = UINT32_MAX};
    struct mpj_trace_config out;
    struct mpj_rec rec;

    (void)state;
    assert_int_equal(mpj_trace_config_put(&w, &in), 0);
    rec = only(MPJ_REC_TRACE);
    assert_int_equal(mpj_trace_config_get(&rec, &out), 0);
    assert_memory_equal(&in, &out, sizeof(in));
}

static void moments(void **state)
{
    struct mpj_moments_rec in = {.count = MPJ_MOMENTS_MAX};
    struct mpj_moments_rec out = {0};
    struct mpj_rec rec;

    (void)state;
    for (uint32_t i = 0; i < in.count; i++) { /* the longest there are, times also back */
        in.m[i] = (struct mpj_moment_rec){.time = i % 2U == 0 ? UINT64_MAX / 4U : i,
                                          .core = i % 4U,
                                          .thread = 0xffffffU,
                                          .kind = MPJ_AT_EVENT,
                                          .n = i % (MPJ_MOMENT_WORDS + 1U)};
        for (uint32_t k = 0; k < in.m[i].n; k++)
            in.m[i].word[k] = k % 2U == 0 ? UINT32_MAX - i : i;
    }
    assert_int_equal(mpj_moments_put(&w, &in), 0);
    rec = only(MPJ_REC_MOMENTS);
    assert_int_equal(mpj_moments_get(&rec, &out), 0);
    assert_memory_equal(&in, &out, sizeof(in));
    rec.len--;
    assert_int_equal(mpj_moments_get(&rec, &out), MPJ_LINK_ERR_FORMAT);
    in.count++;
    assert_int_equal(mpj_moments_put(&w, &in), MPJ_LINK_ERR_RANGE);
    in.count = 1;
    in.m[0].n = MPJ_MOMENT_WORDS + 1U;
    start(NULL);
    assert_int_equal(mpj_moments_put(&w, &in), 0);
    rec = only(MPJ_REC_MOMENTS);
    assert_int_equal(mpj_moments_get(&rec, &out), MPJ_LINK_ERR_FORMAT);
}

static void functions(void **state)
{
    static struct mpj_function_rec in = {.entry = 0x8000,
                                         .caller = UINT32_MAX,
                                         .flags = MPJ_FUNCTION_FIRST,
                                         .group = 3,
                                         .calls = 7,
                                         .measured = 6,
                                         .here = 5,
                                         .cycles = UINT64_MAX,
                                         .count = 2,
                                         .ev = {{7, 1, 0}, {0x14, UINT64_MAX, 0}},
                                         .records = 4,
                                         .core = 3,
                                         .squares = UINT64_MAX,
                                         .above = 0x8100,
                                         .usual = 100};
    static struct mpj_function_rec out; /* static: padding is compared, too */
    struct mpj_func_groups_rec groups = {.functions = 9,
                                         .periods = 8,
                                         .ticks = 1U << 30,
                                         .deep = 1,
                                         .count = MPJ_TRACE_GROUPS_MAX,
                                         .passed = {1, UINT32_MAX, 3},
                                         .used = UINT64_MAX};
    struct mpj_func_groups_rec groups_out;
    struct mpj_rec rec;

    (void)state;
    assert_int_equal(mpj_function_put(&w, &in), 0);
    rec = only(MPJ_REC_FUNCTION);
    assert_int_equal(mpj_function_get(&rec, &out), 0);
    assert_int_equal(out.entry, in.entry);
    assert_int_equal(out.caller, in.caller);
    assert_int_equal(out.flags, in.flags);
    assert_int_equal(out.group, in.group);
    assert_int_equal(out.calls, in.calls);
    assert_int_equal(out.measured, in.measured);
    assert_int_equal(out.here, in.here);
    assert_true(out.cycles == in.cycles && out.ev[1].value == in.ev[1].value);
    assert_int_equal(out.count, in.count);
    assert_int_equal(out.ev[0].event, in.ev[0].event);
    assert_int_equal(out.records, in.records);
    assert_int_equal(out.core, in.core);
    assert_true(out.squares == in.squares);
    assert_int_equal(out.above, in.above);
    assert_int_equal(out.usual, in.usual);
    rec.len -= 14; /* of targets that did not send these yet */
    assert_int_equal(mpj_function_get(&rec, &out), 0);
    assert_true(out.squares == 0 && out.above == 0 && out.usual == 0 && out.core == in.core);
    rec.len -= 2;
    assert_int_equal(mpj_function_get(&rec, &out), 0);
    assert_int_equal(out.records, 0);
    rec.len--;
    assert_int_equal(mpj_function_get(&rec, &out), MPJ_LINK_ERR_FORMAT);
    in.count = MPJ_PMU_COUNTERS + 1U;
    assert_int_equal(mpj_function_put(&w, &in), MPJ_LINK_ERR_RANGE);

    start(NULL);
    for (unsigned i = 0; i < MPJ_TRACE_GROUPS_MAX; i++)
        groups.active[i] = UINT64_MAX - i;
    assert_int_equal(mpj_func_groups_put(&w, &groups), 0);
    rec = only(MPJ_REC_FUNC_GROUPS);
    assert_int_equal(mpj_func_groups_get(&rec, &groups_out), 0);
    assert_memory_equal(&groups, &groups_out, sizeof(groups));
    groups.count++;
    assert_int_equal(mpj_func_groups_put(&w, &groups), MPJ_LINK_ERR_RANGE);
}

static void func_choice(void **state)
{
    struct mpj_func_choice_rec in = {.count = MPJ_FUNC_CHOICE_BYTES};
    struct mpj_func_choice_rec out = {0};
    struct mpj_rec rec;

    (void)state;
    in.first = MPJ_FUNC_MAX / 8U - in.count;
    memset(in.bits, 0xa5, sizeof(in.bits));
    assert_int_equal(mpj_func_choice_put(&w, &in), 0);
    rec = only(MPJ_REC_FUNC_CHOICE);
    assert_int_equal(mpj_func_choice_get(&rec, &out), 0);
    assert_memory_equal(&in, &out, sizeof(in));
    start(NULL);
    in.first++; /* beyond the last function */
    assert_int_equal(mpj_func_choice_put(&w, &in), 0);
    rec = only(MPJ_REC_FUNC_CHOICE);
    assert_int_equal(mpj_func_choice_get(&rec, &out), MPJ_LINK_ERR_RANGE);
    in.count++;
    assert_int_equal(mpj_func_choice_put(&w, &in), MPJ_LINK_ERR_RANGE);
}

static void config_and_go(void **state)
{
    struct mpj_config_rec in = {
        .features = 1, .session = 77, .cores_mask = 5, .flags = 2, .adc_period_us = 1000};
    struct mpj_config_rec out;
    struct mpj_go go = {3, 2};
    struct mpj_rec rec;

    (void)state;
    for (unsigned i = 0; i < MPJ_CORES_MAX; i++) {
        in.pmu[i][0] = (uint16_t)(i * 2);
        in.pmu[i][1] = MPJ_EVENT_NONE;
    }
    for (unsigned i = 0; i < MPJ_SCU_COUNTERS; i++)
        in.scu[i] = (uint16_t)(i + 1);
    in.l2[0] = 9;
    in.l2[1] = MPJ_EVENT_NONE;
    assert_int_equal(mpj_config_put(&w, &in), 0);
    rec = only(MPJ_REC_CONFIG);
    assert_int_equal(mpj_config_get(&rec, &out), 0);
    assert_memory_equal(&in, &out, sizeof(in));
    rec.len--; /* a selector missing is not "event 0" */
    assert_int_not_equal(mpj_config_get(&rec, &out), 0);

    start(NULL);
    assert_int_equal(mpj_go_put(&w, &go), 0);
    rec = only(MPJ_REC_GO);
    memset(&go, 0, sizeof(go));
    assert_int_equal(mpj_go_get(&rec, &go), 0);
    assert_int_equal(go.argc, 3);
    assert_int_equal(go.envc, 2);
}

static void counters(void **state)
{
    struct mpj_core_rec in = {.core = 3,
                              .flags = 5,
                              .time = 1ULL << 40,
                              .cycles = UINT64_MAX,
                              .wfi_cycles = 12345678901ULL,
                              .count = MPJ_REC_EVENTS_MAX};
    static struct mpj_core_rec out;
    struct mpj_chip_rec scu = {.flags = 1, .time = 9, .count = 2, .ev = {{1, 2, 3}, {31, 5, 6}}};
    struct mpj_chip_rec chip;
    struct mpj_rec rec;

    (void)state;
    for (unsigned i = 0; i < in.count; i++)
        in.ev[i] = (struct mpj_event_value){i, UINT64_MAX - i, UINT64_MAX / (i + 1)};
    assert_int_equal(mpj_core_put(&w, &in), 0); /* the largest fits a frame */
    rec = only(MPJ_REC_CORE);
    assert_int_equal(mpj_core_get(&rec, &out), 0);
    assert_memory_equal(&in, &out, sizeof(in));
    in.count++;
    assert_int_equal(mpj_core_put(&w, &in), MPJ_LINK_ERR_RANGE);

    start(NULL);
    assert_int_equal(mpj_chip_put(&w, MPJ_REC_L2, &scu), 0);
    rec = only(MPJ_REC_L2);
    assert_int_equal(mpj_chip_get(&rec, &chip), 0);
    assert_int_equal(chip.count, 2);
    assert_int_equal(chip.ev[1].event, 31);
    assert_int_equal(chip.ev[1].value, 5);
    assert_int_equal(chip.ev[1].active, 6);
}

static void adc(void **state)
{
    static struct mpj_adc_rec in;
    static struct mpj_adc_rec out;
    struct mpj_rec rec;

    (void)state;
    in = (struct mpj_adc_rec){.first = 640, .period = 2100000, .count = MPJ_ADC_BLOCK_MAX};
    for (unsigned i = 0; i < in.count; i++) {
        in.s[i].time = 1000000000000ULL + i * in.period + (i * 7919U) % 200U;
        for (unsigned k = 0; k < MPJ_ADC_CHANNELS; k++)
            in.s[i].code[k] = (uint16_t)(2000U + k * 100U + (i * 31U + k * 17U) % 9U);
    }
    assert_int_equal(mpj_adc_put(&w, &in), 0);
    /* quiet supply: at most 6 bytes a sample, head included */
    assert_in_range(w.at - buf, MPJ_ADC_BLOCK_MAX * 5, MPJ_ADC_BLOCK_MAX * 6 + 24);
    rec = only(MPJ_REC_ADC);
    assert_int_equal(mpj_adc_get(&rec, &out), 0);
    assert_memory_equal(&in, &out, sizeof(in));
    rec.len -= 2;
    assert_int_not_equal(mpj_adc_get(&rec, &out), 0);

    /* the wildest block still fits a frame */
    start(NULL);
    for (unsigned i = 0; i < in.count; i++) {
        in.s[i].time = UINT64_MAX / 2 + (i % 2 ? INT32_MAX : 0) + i * in.period;
        for (unsigned k = 0; k < MPJ_ADC_CHANNELS; k++)
            in.s[i].code[k] = i % 2 ? 0xfff : 0;
    }
    assert_int_equal(mpj_adc_put(&w, &in), 0);
    rec = only(MPJ_REC_ADC);
    assert_int_equal(mpj_adc_get(&rec, &out), 0);
    assert_memory_equal(&in, &out, sizeof(in));

    start(NULL);
    in.s[5].code[2] = 0x1000;
    assert_int_equal(mpj_adc_put(&w, &in), MPJ_LINK_ERR_RANGE);
    assert_ptr_equal(w.at, buf);
}

static void fault(void **state)
{
    static struct mpj_fault in = {.kind = MPJ_FAULT_DATA,
                                  .core = 1,
                                  .thread = 4,
                                  .time = 99,
                                  .cpsr = 0x6000001f,
                                  .dfsr = 0x805,
                                  .dfar = 0xdeadbeef,
                                  .ifsr = 1,
                                  .ifar = 2,
                                  .count = MPJ_FAULT_STACK_MAX};
    static struct mpj_fault out;
    struct mpj_rec rec;

    (void)state;
    for (unsigned i = 0; i < 16; i++)
        in.r[i] = 0x10000000U * i + i;
    for (unsigned i = 0; i < in.count; i++)
        in.stack[i] = ~i;
    assert_int_equal(mpj_fault_put(&w, &in), 0);
    rec = only(MPJ_REC_FAULT);
    assert_int_equal(mpj_fault_get(&rec, &out), 0);
    assert_memory_equal(&in, &out, sizeof(in));
    for (size_t len = 0; len < rec.len; len++) { /* cut anywhere: refused, never past the end */
        const struct mpj_rec cut = {rec.kind, rec.body, len};
        assert_int_not_equal(mpj_fault_get(&cut, &out), 0);
    }
}

static void the_rest(void **state)
{
    const struct mpj_error_rec e = {
        .code = MPJ_TERR_NO_PMU, .core = 2, .time = 5, .detail = 6, .text = str("PMN0 stays 0")};
    struct mpj_error_rec e2;
    const struct mpj_mark m = {1, 2, 3, str("phase"), -4, MPJ_MARK_HOST};
    struct mpj_mark m2;
    const struct mpj_run_rec run = {.time = 100, .cores_mask = 15, .adc_period_us = 10000};
    struct mpj_run_rec run2;
    const struct mpj_dropped d = {.count = 1, .d = {{MPJ_REC_ADC, 7}}};
    struct mpj_dropped d2;
    const struct mpj_end end = {-1, MPJ_END_FAULT, 77, 500, 600, 7};
    struct mpj_end end2;
    struct mpj_rec rec;

    (void)state;
    assert_int_equal(mpj_error_put(&w, &e), 0);
    rec = only(MPJ_REC_ERROR);
    assert_int_equal(mpj_error_get(&rec, &e2), 0);
    assert_int_equal(e2.code, e.code);
    assert_int_equal(e2.detail, 6);
    assert_str(e2.text, "PMN0 stays 0");

    start(NULL);
    assert_int_equal(mpj_mark_put(&w, &m), 0);
    rec = only(MPJ_REC_MARK);
    assert_int_equal(mpj_mark_get(&rec, &m2), 0);
    assert_str(m2.name, "phase");
    assert_int_equal(m2.value, -4);
    assert_int_equal(m2.thread, 3);

    start(NULL);
    assert_int_equal(mpj_run_put(&w, MPJ_REC_RUN_END, &run), 0);
    rec = only(MPJ_REC_RUN_END);
    assert_int_equal(mpj_run_get(&rec, &run2), 0);
    assert_memory_equal(&run, &run2, sizeof(run));

    start(NULL);
    assert_int_equal(mpj_dropped_put(&w, &d), 0);
    rec = only(MPJ_REC_DROPPED);
    assert_int_equal(mpj_dropped_get(&rec, &d2), 0);
    assert_int_equal(d2.count, 1);
    assert_int_equal(d2.d[0].kind, MPJ_REC_ADC);
    assert_int_equal(d2.d[0].records, 7);

    start(NULL);
    assert_int_equal(mpj_end_put(&w, &end), 0);
    rec = only(MPJ_REC_END);
    assert_int_equal(mpj_end_get(&rec, &end2), 0);
    assert_int_equal(end2.exit_status, -1);
    assert_int_equal(end2.records, 600);
    assert_int_equal(end2.dropped, 7);
}

/* A full writer takes back the record that does not fit and keeps those before it. */
static void no_space(void **state)
{
    const struct mpj_end end = {1, 2, 3, 4, 5, 6};
    const struct mpj_error_rec e = {.text = str("long enough not to fit in what is left")};
    uint8_t *before;

    (void)state;
    mpj_writer_init(&w, buf, 20);
    assert_int_equal(mpj_end_put(&w, &end), 0);
    before = w.at;
    assert_int_equal(mpj_error_put(&w, &e), MPJ_LINK_ERR_SPACE);
    assert_ptr_equal(w.at, before);
    assert_int_equal(mpj_end_put(&w, &end), 0); /* still usable */
    assert_int_equal(buf[20], 0xa5);
}

/* Lengths around one and two bytes of varint move the body as needed. */
static void blobs(void **state)
{
    static uint8_t data[1000];
    struct mpj_rec rec;

    (void)state;
    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = (uint8_t)i;
    for (size_t len = 0; len <= sizeof(data); len += len < 300 ? 1 : 100) {
        mpj_writer_init(&w, buf, sizeof(buf));
        assert_int_equal(mpj_blob_put(&w, MPJ_REC_CONSOLE_OUT, data, len), 0);
        rec = only(MPJ_REC_CONSOLE_OUT);
        assert_int_equal(rec.len, len);
        if (len > 0)
            assert_memory_equal(rec.body, data, len);
    }
    for (size_t cap = 0; cap < 200; cap++) {
        mpj_writer_init(&w, buf, cap);
        const size_t took = mpj_blob_put_some(&w, MPJ_REC_CONSOLE_OUT, data, sizeof(data));
        assert_true(cap < 8 ? took == 0 : took == cap - 7);
        assert_true((size_t)(w.at - buf) <= cap);
    }
}

static void stream_rules(void **state)
{
    static const uint8_t cut[] = {MPJ_REC_MARK, 5, 1, 2};
    static const uint8_t no_len[] = {MPJ_REC_MARK};
    static const uint8_t longer[] = {MPJ_REC_GO, 4, 1, 2, 0x99, 0x01}; /* a later version's */
    static const uint8_t older[] = {MPJ_REC_GO, 1, 9};
    struct mpj_reader r;
    struct mpj_rec rec;
    struct mpj_go go;

    (void)state;
    mpj_reader_init(&r, cut, sizeof(cut));
    assert_int_equal(mpj_rec_next(&r, &rec), MPJ_LINK_ERR_FORMAT);
    mpj_reader_init(&r, no_len, sizeof(no_len));
    assert_int_equal(mpj_rec_next(&r, &rec), MPJ_LINK_ERR_FORMAT);
    mpj_reader_init(&r, longer, sizeof(longer));
    assert_int_equal(mpj_rec_next(&r, &rec), 1);
    assert_int_equal(mpj_go_get(&rec, &go), 0);
    assert_int_equal(go.argc, 1);
    assert_int_equal(go.envc, 2);
    assert_int_equal(mpj_rec_next(&r, &rec), 0);
    mpj_reader_init(&r, older, sizeof(older));
    assert_int_equal(mpj_rec_next(&r, &rec), 1);
    assert_int_equal(mpj_go_get(&rec, &go), 0);
    assert_int_equal(go.argc, 9);
    assert_int_equal(go.envc, 0);
}

static void event_table(void **state)
{
    size_t n;
    const struct mpj_event_info *t = mpj_event_table(&n);

    (void)state;
    assert_int_equal(n, 22 + 20 + 9);
    for (size_t i = 0; i < n; i++) {
        assert_ptr_equal(mpj_event_by_name(t[i].name, strlen(t[i].name)), &t[i]);
        assert_ptr_equal(mpj_event_find(t[i].source, t[i].number), &t[i]);
    }
    assert_int_equal(MPJ_EVENT_INSTR, 8);
    assert_int_equal(MPJ_EVENT_SB_MERGE, 0x14);
    assert_int_equal(MPJ_EVENT_SCU_EXT_WR, 0x13);
    assert_null(mpj_event_by_name("inst", 4));
    assert_null(mpj_event_by_name("instructions", 12));
    assert_null(mpj_event_find(MPJ_SOURCE_PMU, 0x15));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(varints, start),
        cmocka_unit_test_setup(hello, start),
        cmocka_unit_test_setup(config_and_go, start),
        cmocka_unit_test_setup(counters, start),
        cmocka_unit_test_setup(threads, start),
        cmocka_unit_test_setup(counters, start),
        cmocka_unit_test_setup(waits_and_regions, start),
        cmocka_unit_test_setup(counters, start),
        cmocka_unit_test_setup(timelines, start),
        cmocka_unit_test_setup(memory, start),
        cmocka_unit_test_setup(counters, start),
        cmocka_unit_test_setup(rotation, start),
        cmocka_unit_test_setup(trace, start),
        cmocka_unit_test_setup(moments, start),
        cmocka_unit_test_setup(functions, start),
        cmocka_unit_test_setup(func_choice, start),
        cmocka_unit_test_setup(spread, start),
        cmocka_unit_test_setup(counters, start),
        cmocka_unit_test_setup(adc, start),
        cmocka_unit_test_setup(fault, start),
        cmocka_unit_test_setup(the_rest, start),
        cmocka_unit_test_setup(no_space, start),
        cmocka_unit_test_setup(blobs, start),
        cmocka_unit_test_setup(stream_rules, start),
        cmocka_unit_test_setup(event_table, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
