/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profiler core on the fake machine: 64-bit extension, sampling, records, checks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hal_cpu.h"
#include "hal_fake.h"
#include "hal_map.h"
#include "hal_sys.h"
#include "mpj_frame.h"
#include "mpj_in.h"
#include "mpj_out.h"
#include "mpj_prof.h"
#include "mpj_prof_thread.h"
#include "mpj_records.h"
#include "mpj_stream.h"
#include "out_lock.h"

static struct mpj_config_rec config(void)
{
    struct mpj_config_rec c = {.cores_mask = 0xf};

    for (unsigned i = 0; i < MPJ_CORES_MAX; i++) {
        c.pmu[i][0] = MPJ_EVENT_INSTR;
        c.pmu[i][1] = MPJ_EVENT_DDEP_STALL;
    }
    for (unsigned i = 0; i < MPJ_SCU_COUNTERS; i++)
        c.scu[i] = MPJ_EVENT_NONE;
    c.scu[0] = MPJ_EVENT_SCU_CYCLES;
    c.scu[3] = MPJ_EVENT_SCU_MIGRATION;
    c.l2[0] = MPJ_EVENT_L2_DRREQ;
    c.l2[1] = MPJ_EVENT_NONE;
    return c;
}

static void at_tick(uint64_t t)
{
    hal_fake_poke(BOARD_SYS_24MHZ, (uint32_t)t);
}

static int setup(void **state)
{
    struct mpj_config_rec c = config();
    const char *why;

    (void)state;
    hal_fake_reset();
    hal_fake_monitors();
    at_tick(0);
    hal_sys_ticks_init();
    mpj_out_init();
    return mpj_prof_configure(&c, 4, &why);
}

static void on(unsigned core, void (*fn)(void))
{
    hal_fake_set_core(core);
    fn();
    hal_fake_set_core(0);
}

static void arm_and_start(void)
{
    mpj_prof_core_arm();
    mpj_prof_core_start();
}

static void start_all(void)
{
    for (unsigned i = 1; i < 4; i++)
        on(i, arm_and_start);
    mpj_prof_core_arm();
    mpj_prof_chip_arm();
    (void)mpj_prof_chip_start();
    mpj_prof_core_start();
}

static void stop_all(void)
{
    mpj_prof_core_stop();
    (void)mpj_prof_chip_stop();
    for (unsigned i = 1; i < 4; i++)
        on(i, mpj_prof_core_stop);
}

/* What went over the UART, as records. */
static struct {
    uint8_t bytes[65536];
    struct mpj_rec rec[256];
    size_t len, count;
} got;

static void receive(void)
{
    static struct mpj_frame_decoder dec;
    const struct hal_fake_write *log;
    size_t n;
    static uint8_t wire[HAL_FAKE_LOG_MAX];
    size_t wired = 0, used = 0;

    mpj_out_flush();
    n = hal_fake_log(&log);
    for (size_t i = 0; i < n; i++) {
        if (log[i].addr == BOARD_UART0_BASE)
            wire[wired++] = (uint8_t)log[i].value;
    }
    hal_fake_log_clear();
    mpj_frame_decoder_init(&dec);
    got.len = got.count = 0;
    while (used < wired) {
        struct mpj_frame f;
        struct mpj_reader r;
        int result;

        used += mpj_frame_decode(&dec, wire + used, wired - used, &f, &result);
        assert_true(result >= 0);
        if (result == 0)
            continue;
        memcpy(got.bytes + got.len, f.payload, f.len);
        mpj_reader_init(&r, got.bytes + got.len, f.len);
        got.len += f.len;
        while (mpj_rec_next(&r, &got.rec[got.count]) == 1)
            got.count++;
    }
}

static const struct mpj_rec *find(uint32_t kind, unsigned nth)
{
    for (size_t i = 0; i < got.count; i++) {
        if (got.rec[i].kind == kind && nth-- == 0)
            return &got.rec[i];
    }
    return NULL;
}

static void totals_past_32_bits(void **state)
{
    struct mpj_core_rec core;
    struct mpj_chip_rec chip;

    (void)state;
    start_all();
    for (unsigned turn = 0; turn < 3; turn++) {
        hal_fake_set_core(2);
        hal_fake_count(HAL_FAKE_PMU, 2, 1, 0xffffffff);
        hal_fake_count(HAL_FAKE_PMU, 2, 1, 1); /* exactly to zero */
        mpj_prof_irq_pmu(51, NULL);
        hal_fake_set_core(0);
        hal_fake_count(HAL_FAKE_SCU, 0, 1, 0xffffffff);
        hal_fake_count(HAL_FAKE_SCU, 0, 1, 2);
        mpj_prof_irq_scu(53, NULL);
        hal_fake_count(HAL_FAKE_L2, 0, 1, 0xf0000000);
        mpj_prof_irq_l2(61, NULL);
    }
    hal_fake_count(HAL_FAKE_PMU, 2, 2, 77);
    hal_fake_count(HAL_FAKE_PMU, 2, 4, 1234);
    at_tick(24000);
    stop_all();
    mpj_prof_send_end();
    receive();
    assert_int_equal(mpj_core_get(find(MPJ_REC_CORE, 2), &core), 0);
    assert_int_equal(core.core, 2);
    assert_int_equal(core.cycles, 1234);
    assert_int_equal(core.flags, MPJ_COUNTER_FINAL | MPJ_COUNTER_WFI);
    assert_int_equal(core.count, 2);
    assert_int_equal(core.ev[0].event, MPJ_EVENT_INSTR);
    assert_true(core.ev[0].value == 3ULL << 32);
    assert_int_equal(core.ev[1].value, 77);
    assert_int_equal(core.ev[0].active, 24000);
    assert_int_equal(mpj_chip_get(find(MPJ_REC_SCU, 0), &chip), 0);
    assert_int_equal(chip.count, 2);
    assert_int_equal(chip.ev[0].event, MPJ_EVENT_SCU_CYCLES);
    assert_true(chip.ev[0].value == (3ULL << 32) + 3U);
    assert_int_equal(chip.ev[1].event, MPJ_EVENT_SCU_MIGRATION);
    assert_int_equal(mpj_chip_get(find(MPJ_REC_L2, 0), &chip), 0);
    assert_int_equal(chip.count, 1);
    assert_true(chip.ev[0].value == 3ULL * 0xf0000000ULL);
}

static void overflow_not_yet_served(void **state)
{
    (void)state;
    start_all();
    hal_fake_count(HAL_FAKE_PMU, 0, 1, 0xfffffff0);
    assert_true(mpj_prof_core_read(HAL_PMU_PMN0) == 0xfffffff0);
    hal_fake_count(HAL_FAKE_PMU, 0, 1, 0x20);
    /* The flag stands, the interrupt has not come. */
    assert_true(mpj_prof_core_read(HAL_PMU_PMN0) == 0x100000010ULL);
    mpj_prof_irq_pmu(49, NULL);
    assert_true(mpj_prof_core_read(HAL_PMU_PMN0) == 0x100000010ULL);
    mpj_prof_irq_pmu(49, NULL); /* a second, empty interrupt */
    assert_true(mpj_prof_core_read(HAL_PMU_PMN0) == 0x100000010ULL);
    hal_fake_count(HAL_FAKE_SCU, 0, 1, 0xffffffff);
    hal_fake_count(HAL_FAKE_SCU, 0, 1, 5);
    assert_true(mpj_prof_scu_read(0) == 0x100000004ULL);
    mpj_prof_irq_scu(53, NULL);
    assert_true(mpj_prof_scu_read(0) == 0x100000004ULL);
}

/* The counter overflows between the reader's two looks. */
struct race {
    uint32_t low, pmnc;
    unsigned reads;
};

static uint32_t race_read(void *ctx, uintptr_t addr)
{
    struct race *r = ctx;

    if (addr == hal_fake_cp15(0, 15, 0, 12, 2)) {
        uint32_t v = r->low;

        r->pmnc |= 0x100; /* it wraps right after */
        r->low = 3;
        return v;
    }
    return r->pmnc;
}

static void overflow_while_reading(void **state)
{
    struct race race = {.low = 0xfffffffe, .pmnc = 1};
    uintptr_t pmnc = hal_fake_cp15(0, 15, 0, 12, 0);

    (void)state;
    start_all();
    hal_fake_script(pmnc, pmnc + 16, race_read, NULL, &race);
    assert_true(mpj_prof_core_read(HAL_PMU_PMN0) == 0xfffffffe);
    assert_true(mpj_prof_core_read(HAL_PMU_PMN0) == 0x100000003ULL);
}

static void set_adc(unsigned v)
{
    for (unsigned i = 0; i < 4; i++)
        hal_fake_poke(BOARD_SYS_VOLTAGE(i), (v + i) << 8);
}

/* The sampler's interrupt leaves the branch predictor as the program's branches have taught it. */
static void sampled_without_prediction(void **state)
{
    const uintptr_t control = hal_fake_cp15(0, 1, 0, 0, 0);
    const struct hal_fake_write *log;
    unsigned found = 0;
    size_t n;

    (void)state;
    start_all();
    hal_fake_poke(control, 0x1805);
    hal_fake_log_clear();
    at_tick(240007);
    mpj_prof_irq_sample(30, NULL);
    n = hal_fake_log(&log);
    assert_int_equal(log[0].addr, control);
    assert_int_equal(log[n - 1].addr, control);
    for (size_t i = 0; i < n; i++) {
        if (log[i].addr == control)
            assert_int_equal(log[i].value, found++ == 0 ? 0x1005 : 0x1805);
    }
    assert_int_equal(found, 2);
    stop_all();
}

static void samples(void **state)
{
    struct mpj_adc_rec *adc = malloc(sizeof(*adc));
    struct mpj_run_rec run;
    const uint64_t period = 240000;

    (void)state;
    assert_non_null(adc);
    start_all();
    assert_int_equal(hal_fake_peek(BOARD_SYS_LED), 0x80);
    mpj_prof_send_begin();
    assert_int_equal(hal_fake_peek(BOARD_TIMER2_BASE), 1050000 - 1); /* 10 ms at 105 MHz */
    for (unsigned i = 1; i <= 100; i++) {
        at_tick(i * period + 7);
        set_adc(i);
        mpj_prof_irq_sample(30, NULL);
    }
    /* The time of the last one has come, its interrupt has not. */
    at_tick(101 * period + 1);
    set_adc(101);
    hal_fake_poke(BOARD_TIMER2_BASE + 0xc, 1);
    stop_all();
    assert_int_equal(hal_fake_peek(BOARD_SYS_LED), 0);
    mpj_prof_send_end();
    receive();
    assert_int_equal(mpj_run_get(find(MPJ_REC_RUN_BEGIN, 0), &run), 0);
    assert_int_equal(run.adc_period_us, 10000);
    assert_int_equal(run.cores_mask, 0xf);
    assert_int_equal(mpj_adc_get(find(MPJ_REC_ADC, 0), adc), 0);
    assert_int_equal(adc->first, 0);
    assert_int_equal(adc->count, 64);
    assert_int_equal(adc->period, period);
    assert_int_equal(adc->s[9].time, 10 * period + 7);
    assert_int_equal(adc->s[9].code[2], 12);
    assert_int_equal(mpj_adc_get(find(MPJ_REC_ADC, 1), adc), 0);
    assert_int_equal(adc->first, 64);
    assert_int_equal(adc->count, 101 - 64);
    assert_int_equal(adc->s[36].time, 101 * period + 1);
    assert_int_equal(adc->s[36].code[0], 101);
    assert_null(find(MPJ_REC_ADC, 2));
    assert_null(find(MPJ_REC_DROPPED, 0));
    assert_int_equal(mpj_run_get(find(MPJ_REC_RUN_END, 0), &run), 0);
    assert_int_equal(run.time, 101 * period + 1);
    free(adc);
}

static bool gone; /* what relieve() says */
static unsigned relieved;

static bool relieve(void)
{
    relieved++;
    return gone;
}

/* A period in equal parts that are short enough to hear the host. */
static void stream_parts(void **state)
{
    static const uint32_t ms[] = {1, 2, 9, 10, 11, 20, 25, 100, 333, 997, 1000};

    (void)state;
    for (unsigned i = 0; i < sizeof(ms) / sizeof(ms[0]); i++) {
        const uint32_t parts = mpj_stream_parts(ms[i] * 1000U, MPJ_STREAM_LOOK_US);
        assert_int_equal(ms[i] * 1000U % parts, 0);
        assert_true(ms[i] * 1000U / parts <= MPJ_STREAM_LOOK_US);
    }
    assert_int_equal(mpj_stream_parts(1000, MPJ_STREAM_LOOK_US), 1);
    assert_int_equal(mpj_stream_parts(1000000, MPJ_STREAM_LOOK_US), 100);
    assert_int_equal(mpj_stream_parts(50, MPJ_STREAM_LOOK_US), 1);
    assert_int_equal(mpj_stream_parts(1000003, MPJ_STREAM_LOOK_US), 1); /* no equal parts */
}

/* Blocks go as they fill; the rest once a second, unless a frame has gone meanwhile. */
static void stream_sends(void **state)
{
    const struct mpj_run_rec r = {0};

    (void)state;
    gone = true;
    relieved = 0;
    mpj_stream_begin(0);
    mpj_stream_turn(1000, MPJ_ADC_BLOCK_MAX - 1U, relieve);
    assert_int_equal(relieved, 0);
    mpj_stream_turn(2000, MPJ_ADC_BLOCK_MAX, relieve);
    assert_int_equal(relieved, 1);
    mpj_stream_turn(HAL_SYS_TIME_HZ, 5, relieve);
    assert_int_equal(relieved, 2);
    mpj_stream_turn(HAL_SYS_TIME_HZ + 1000, 5, relieve);
    assert_int_equal(relieved, 2);
    /* a frame of somebody else's shows enough */
    assert_int_equal(mpj_out_record((mpj_out_put)(void (*)(void))mpj_go_put, &r), 0);
    mpj_out_flush();
    mpj_stream_turn(2 * HAL_SYS_TIME_HZ, 5, relieve);
    assert_int_equal(relieved, 2);
    /* what does not go now goes at the next turn */
    gone = false;
    mpj_stream_turn(3 * HAL_SYS_TIME_HZ, 5, relieve);
    assert_int_equal(relieved, 3);
    mpj_stream_turn(3 * HAL_SYS_TIME_HZ + 10, 5, relieve);
    assert_int_equal(relieved, 4);
}

/* A stream of a sample every 25 ms: the timer comes by every 5 ms (25 in parts of at most 10). */
static void stream_samples(void **state)
{
    struct mpj_config_rec c = config();
    const uint32_t parts = mpj_stream_parts(25000, MPJ_STREAM_LOOK_US);
    const char *why;

    (void)state;
    c.adc_period_us = 25000;
    c.flags = MPJ_CONFIG_STREAM;
    assert_int_equal(mpj_prof_configure(&c, 4, &why), 0);
    start_all();
    assert_int_equal(hal_fake_peek(BOARD_TIMER2_BASE), 25000 / parts * 105 - 1);
    for (unsigned i = 1; i <= 10 * parts; i++) {
        at_tick(i * 600000 / parts);
        set_adc(i);
        mpj_prof_irq_sample(30, NULL);
        assert_int_equal(mpj_prof_samples(), i / parts);
    }
    /* between two samples the end brings none */
    at_tick(6100000);
    hal_fake_poke(BOARD_TIMER2_BASE + 0xc, 1);
    stop_all();
    assert_int_equal(mpj_prof_samples(), 10);
    mpj_prof_send_end();
    receive();
}

static void nothing(void)
{
}

/* On a line that is acknowledged the timer comes by every 250 ms at least, so that the host hears
 * that the board is there; on the emulator's socket it does not. */
static void looks(uint32_t flags, uint32_t period_us, bool reliable, uint32_t us)
{
    struct mpj_config_rec c = config();
    const char *why;

    setup(NULL);
    c.adc_period_us = period_us;
    c.flags = flags;
    mpj_in_open(nothing, nothing);
    if (reliable)
        mpj_in_reliable();
    assert_int_equal(mpj_prof_configure(&c, 4, &why), 0);
    start_all();
    assert_int_equal(hal_fake_peek(BOARD_TIMER2_BASE), us * 105 - 1);
    stop_all();
    mpj_in_open(nothing, nothing);
}

static void looks_at_the_line(void **state)
{
    (void)state;
    looks(0, 1000, true, 1000);
    looks(0, 2000000, false, 2000000);
    looks(0, 2000000, true, MPJ_IN_LOOK_US);
    looks(MPJ_CONFIG_NO_ADC, 1000, false, 8000000);
    looks(MPJ_CONFIG_NO_ADC, 1000, true, MPJ_IN_LOOK_US);
}

/* Ten more than there is room for, while somebody is writing a record. */
static void too_many_samples(void)
{
    for (unsigned i = 0; i < MPJ_PROF_ADC_RING + 10U; i++)
        mpj_prof_irq_sample(30, NULL);
}

/* Nobody drains: the sampler does, when half the ring is full, and loses nothing. */
static void sampler_drains(void **state)
{
    struct mpj_end end = {0};

    (void)state;
    start_all();
    too_many_samples();
    stop_all();
    mpj_prof_send_end();
    mpj_out_end(&end);
    assert_int_equal(mpj_prof_samples(), MPJ_PROF_ADC_RING + 10U);
    assert_int_equal(end.dropped, 0);
    assert_true(end.records > MPJ_PROF_ADC_RING / MPJ_ADC_BLOCK_MAX);
}

static unsigned ended;

static void end(void)
{
    ended++;
}

/* Ends the run with the first byte of the drain that goes out. */
static void ends(void *ctx, uintptr_t addr, uint32_t value)
{
    (void)ctx;
    (void)addr;
    (void)value;
    if (ended == 0)
        mpj_prof_between(end);
}

/* The run ends while another thread sends the samples: its end waits, and does not spin, since that
 * may keep the other thread from its core. */
static void end_waits_for_drain(void **state)
{
    (void)state;
    start_all();
    mpj_prof_send_begin();
    mpj_out_flush();
    for (unsigned i = 1; i <= 4000; i++) {
        at_tick(i * 240000U);
        mpj_prof_irq_sample(30, NULL);
    }
    hal_fake_log_clear();
    hal_fake_script(BOARD_UART0_BASE, BOARD_UART0_BASE + 4U, NULL, ends, NULL);
    ended = out_lock_waits = 0;
    mpj_prof_between(end);
    assert_int_equal(ended, 1);
    assert_int_equal(out_lock_waits, 0);
    ended = 0;
    mpj_prof_drain();
    assert_int_equal(ended, 1);
    assert_int_equal(out_lock_waits, 2); /* for the drain, and for its record */
    stop_all();
}

static void lost_samples_are_counted(void **state)
{
    struct mpj_adc_rec *adc = malloc(sizeof(*adc));
    struct mpj_end end = {0};
    struct mpj_dropped dropped;
    size_t last = 0;

    (void)state;
    assert_non_null(adc);
    start_all();
    mpj_out_between(too_many_samples);
    assert_true(mpj_prof_wants_drain());
    mpj_prof_drain();
    assert_false(mpj_prof_wants_drain());
    mpj_out_flush();
    hal_fake_log_clear(); /* too long for the log: only the end of it matters here */
    mpj_prof_irq_sample(30, NULL);
    stop_all();
    mpj_prof_send_end();
    mpj_out_end(&end);
    receive();
    while (find(MPJ_REC_ADC, (unsigned)last + 1U) != NULL)
        last++;
    assert_int_equal(mpj_adc_get(find(MPJ_REC_ADC, (unsigned)last), adc), 0);
    assert_int_equal(adc->first, MPJ_PROF_ADC_RING + 10U);
    assert_int_equal(adc->count, 1);
    assert_int_equal(mpj_dropped_get(find(MPJ_REC_DROPPED, 0), &dropped), 0);
    assert_int_equal(dropped.count, 1);
    assert_int_equal(dropped.d[0].kind, MPJ_REC_ADC);
    assert_int_equal(dropped.d[0].records, 10);
    assert_int_equal(mpj_end_get(find(MPJ_REC_END, 0), &end), 0);
    assert_int_equal(end.dropped, 10);
    free(adc);
}

static void two_cycles(void *ctx)
{
    (void)ctx;
    hal_fake_count(HAL_FAKE_PMU, hal_cpu_id(), 4, 1000);
}

static void wfi_accounting(void **state)
{
    struct mpj_core_rec core;

    (void)state;
    start_all();
    hal_fake_on_wfi(two_cycles, NULL);
    hal_fake_set_core(1);
    mpj_prof_wfi();
    mpj_prof_wfi();
    hal_fake_count(HAL_FAKE_PMU, 1, 4, 50);
    hal_fake_set_core(0);
    stop_all();
    mpj_prof_send_end();
    receive();
    assert_int_equal(mpj_core_get(find(MPJ_REC_CORE, 1), &core), 0);
    assert_int_equal(core.wfi_cycles, 2000);
    assert_int_equal(core.cycles, 2050);
}

static void bad_configurations(void **state)
{
    struct mpj_config_rec c = config();
    const char *why;

    (void)state;
    c.pmu[2][1] = 0x77;
    assert_int_equal(mpj_prof_configure(&c, 4, &why), MPJ_TERR_CONFIG);
    assert_non_null(why);
    c = config();
    c.cores_mask = 0xe;
    assert_int_equal(mpj_prof_configure(&c, 4, &why), MPJ_TERR_CONFIG);
    c.cores_mask = 0x5;
    assert_int_equal(mpj_prof_configure(&c, 2, &why), MPJ_TERR_CONFIG);
    c = config();
    c.adc_period_us = 49;
    assert_int_equal(mpj_prof_configure(&c, 4, &why), MPJ_TERR_CONFIG);
    c.adc_period_us = 50;
    assert_int_equal(mpj_prof_configure(&c, 4, &why), 0);
}

static void no_counters_no_writes(void **state)
{
    struct mpj_config_rec c = config();
    const struct hal_fake_write *log;
    const char *why;

    (void)state;
    c.flags = MPJ_CONFIG_NO_COUNTERS | MPJ_CONFIG_NO_ADC;
    assert_int_equal(mpj_prof_configure(&c, 4, &why), 0);
    hal_fake_log_clear();
    start_all();
    stop_all();
    for (size_t i = hal_fake_log(&log); i > 0; i--) {
        assert_int_not_equal(log[i - 1].addr, hal_fake_cp15(0, 15, 0, 12, 0));
        assert_int_not_equal(log[i - 1].addr, BOARD_SCU_BASE + 0x10);
    }
    mpj_prof_send_end();
    receive();
    assert_null(find(MPJ_REC_CORE, 0));
    assert_null(find(MPJ_REC_ADC, 0));
}

/* Counters that tick by themselves: each look finds more. */
static uint32_t ticking(void *ctx, uintptr_t addr)
{
    uint32_t *n = ctx;

    (void)addr;
    return ++*n;
}

static void check_names_what_is_missing(void **state)
{
    uint32_t detail, n = 0;

    (void)state;
    hal_fake_reset(); /* registers that only remember: as stock QEMU's */
    assert_int_equal(mpj_prof_check(true, &detail), MPJ_TERR_NO_CCNT);
    hal_fake_script(hal_fake_cp15(0, 15, 0, 12, 1), hal_fake_cp15(0, 15, 0, 12, 2), ticking, NULL,
                    &n);
    assert_int_equal(mpj_prof_check(true, &detail), MPJ_TERR_NO_PMU);
    hal_fake_script(hal_fake_cp15(0, 15, 0, 12, 1), hal_fake_cp15(0, 15, 0, 12, 3), ticking, NULL,
                    &n);
    assert_int_equal(mpj_prof_check(true, &detail), MPJ_TERR_NO_SCU);
    hal_fake_script(BOARD_SCU_BASE + 0x1c, BOARD_SCU_BASE + 0x20, ticking, NULL, &n);
    assert_int_equal(mpj_prof_check(true, &detail), MPJ_TERR_NO_ADC);
    assert_int_equal(mpj_prof_check(false, &detail), 0);
    set_adc(2000);
    assert_int_equal(mpj_prof_check(true, &detail), 0);
    hal_fake_script(BOARD_L220_BASE + 0x204, BOARD_L220_BASE + 0x20c, ticking, NULL, &n);
    assert_int_equal(mpj_prof_check(true, &detail), MPJ_TERR_NO_L2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(totals_past_32_bits, setup),
        cmocka_unit_test_setup(overflow_not_yet_served, setup),
        cmocka_unit_test_setup(overflow_while_reading, setup),
        cmocka_unit_test_setup(samples, setup),
        cmocka_unit_test_setup(sampled_without_prediction, setup),
        cmocka_unit_test_setup(sampler_drains, setup),
        cmocka_unit_test_setup(stream_parts, setup),
        cmocka_unit_test(looks_at_the_line),
        cmocka_unit_test_setup(stream_sends, setup),
        cmocka_unit_test_setup(stream_samples, setup),
        cmocka_unit_test_setup(end_waits_for_drain, setup),
        cmocka_unit_test_setup(lost_samples_are_counted, setup),
        cmocka_unit_test_setup(wfi_accounting, setup),
        cmocka_unit_test_setup(bad_configurations, setup),
        cmocka_unit_test_setup(no_counters_no_writes, setup),
        cmocka_unit_test_setup(check_names_what_is_missing, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
