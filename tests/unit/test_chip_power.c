/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Energy, ADC and truth against the published measurements. */
#include "chip_fixture.h"

#include <math.h>
#include <stdlib.h>

#define QUANTUM    500U
#define ADC_UV     610.0
#define ADC_UA     244.0
#define ADC_PLL_UA 12.2

static struct board b;

static int teardown(void **state)
{
    (void)state;
    board_close(&b);
    return 0;
}

static int setup_mprofiler(void **state)
{
    (void)state;
    board_open(&b, "mprofiler", 1);
    return 0;
}

static int setup_epro(void **state)
{
    (void)state;
    board_open(&b, "epro-mp", 1);
    return 0;
}

struct mean {
    double uv, ua, pll_uv, pll_ua;
};

/* One quantum of a synthetic load on a core. */
typedef void (*load_fn)(unsigned core, uint64_t end);

static void wfi(unsigned core, uint64_t end)
{
    mpj_flush(b.chip, core, end, 0, QUANTUM, NULL);
}

/* `b .`: one branch per cycle, no register changes. The opcode's own static cost. */
static void spin(unsigned core, uint64_t end)
{
    static const uint32_t regs[16] = {1, 2, 3};
    struct mpj_pipe pipe;
    struct mpj_insn_cost cost;
    mpj_pipe_begin(&pipe);
    mpj_pipe_insn(mpj_chip_params(b.chip), &pipe, 0xeafffffe, false, &cost);
    assert_int_equal(cost.cycles, 1);
    b.hot[core].pack_a += MPJ_PACK_A(QUANTUM, 0, 0, 0);
    b.hot[core].pack_b += MPJ_PACK_B(QUANTUM * cost.energy, QUANTUM, 0);
    mpj_flush(b.chip, core, end, QUANTUM, 0, regs);
}

/* Runs conversions until `samples` are in (after the first, which has nothing before it). */
static struct mean sample(const load_fn *load, unsigned samples)
{
    struct mean m = {0};
    uint64_t t = 0;
    for (unsigned n = 0; n <= samples; n++) {
        uint64_t end = t + mpj_adc_period(b.chip);
        while (t < end) {
            t += QUANTUM;
            for (unsigned core = 0; core < MPJ_CORES; core++)
                load[core](core, t);
        }
        mpj_adc_convert(b.chip, t);
        if (n == 0)
            continue;
        m.uv += mpj_adc_code(b.chip, 0) * ADC_UV / samples;
        m.pll_uv += mpj_adc_code(b.chip, 1) * ADC_UV / samples;
        m.ua += mpj_adc_code(b.chip, 2) * ADC_UA / samples;
        m.pll_ua += mpj_adc_code(b.chip, 3) * ADC_PLL_UA / samples;
    }
    return m;
}

/* mProfiler table 3: idle, 4 to 1 cores not in WFI */
static void test_idle(void **state)
{
    (void)state;
    static const struct {
        unsigned cores;
        double uv, ua;
    } table[] = {
        {4, 1230193, 440732},
        {3, 1230057, 439127},
        {2, 1230117, 437874},
        {1, 1229794, 436677},
    };
    for (unsigned i = 0; i < 4; i++) {
        load_fn load[MPJ_CORES];
        for (unsigned core = 0; core < MPJ_CORES; core++)
            load[core] = core < table[i].cores ? spin : wfi;
        mpj_chip_reset(b.chip);
        struct mean m = sample(load, 100);
        print_message("%u cores: %.0f uV %.0f uA (table: %.0f %.0f)\n", table[i].cores, m.uv, m.ua,
                      table[i].uv, table[i].ua);
        assert_true(fabs(m.uv - table[i].uv) < ADC_UV);
        assert_true(fabs(m.ua - table[i].ua) < ADC_UA);
        /* table 2 */
        assert_true(fabs(m.pll_uv - 1242478) < ADC_UV);
        assert_true(fabs(m.pll_ua - 19040) < ADC_PLL_UA);
    }
}

/* After a minute the temperature has settled: still the table. */
static void test_idle_warm(void **state)
{
    (void)state;
    const uint64_t step = 52500000; /* 0.25 s */
    const unsigned last = 100;
    double ua = 0;
    for (unsigned n = 1; n <= 240; n++) {
        /* One core in `b .`: energy as in spin(), in one piece. */
        b.hot[0].pack_b = step * 32;
        mpj_flush(b.chip, 0, n * step, step, 0, NULL);
        for (unsigned core = 1; core < MPJ_CORES; core++)
            mpj_flush(b.chip, core, n * step, 0, step, NULL);
        mpj_adc_convert(b.chip, n * step);
        if (n > 240 - last)
            ua += mpj_adc_code(b.chip, 2) * ADC_UA / last;
    }
    print_message("warm, 1 core: %.0f uA (table: 436677)\n", ua);
    assert_true(fabs(ua - 436677) < ADC_UA);
}

/* A multimedia-like load: 0.6 instructions per cycle, a third of them accesses, few misses. */
static uint64_t busy_seed;

static void busy(unsigned core, uint64_t end)
{
    uint32_t regs[16];
    for (unsigned i = 0; i < 16; i++) { /* some 55 of the 480 register bits differ each time */
        uint64_t z = busy_seed = busy_seed * 6364136223846793005U + 1442695040888963407U;
        regs[i] = i < 7 ? (uint32_t)(z >> 48) : i;
    }
    b.hot[core].pack_a += MPJ_PACK_A(300, 60, 75, 25);
    b.hot[core].pack_b += MPJ_PACK_B(300 * 366, 40, 0); /* 22.9 pJ each */
    busy_seed = busy_seed * 6364136223846793005U + 1442695040888963407U;
    uint32_t line = (core << 15) + (uint32_t)(busy_seed >> 40) % 4000; /* 125 KB per core */
    if (!mpj_load_hits(b.hot[core].dline[line]))
        (void)miss(b.chip, core, line, busy_seed >> 63, end - QUANTUM);
    mpj_flush(b.chip, core, end, QUANTUM, 0, regs);
}

/* mProfiler table 1: MPEG-2 decoder on four cores */
static void test_multimedia(void **state)
{
    (void)state;
    const load_fn load[MPJ_CORES] = {busy, busy, busy, busy};
    struct mean m = sample(load, 100);
    print_message("busy: %.0f uV %.0f uA (table: 1233549 469693)\n", m.uv, m.ua);
    assert_true(fabs(m.uv - 1233549) < 2 * ADC_UV);
    assert_true(fabs(m.ua - 469693) < 0.01 * 469693);
}

/* ePRO-MP's equation, from the chip's own counters */
static double equation_mw(double seconds)
{
    uint64_t instr = 0, dl1 = 0, l2 = 0, ddep = 0, coh = 0;
    for (unsigned k = 0; k < MPJ_CORES; k++) {
        instr += mpj_core_event(b.chip, k, MPJ_EV_INSTR);
        dl1 += mpj_core_event(b.chip, k, MPJ_EV_DCACHE_RD) +
               mpj_core_event(b.chip, k, MPJ_EV_DCACHE_WR);
        ddep += mpj_core_event(b.chip, k, MPJ_EV_DDEP_STALL);
        coh += mpj_scu_event(b.chip, MPJ_SCU_MISS_CPU0 + k, 0) +
               mpj_scu_event(b.chip, MPJ_SCU_C2C_CPU0 + k, 0);
    }
    l2 = mpj_l2_event(b.chip, MPJ_L2_DRREQ) + mpj_l2_event(b.chip, MPJ_L2_DWREQ) +
         mpj_l2_event(b.chip, MPJ_L2_IRREQ);
    return 789 + (2.56e-7 * (double)instr + 9.32e-7 * (double)dl1 + 2.76e-5 * (double)l2 -
                  3.97e-7 * (double)ddep - 1.99e-7 * (double)coh) /
                     seconds;
}

static unsigned rate_instr, rate_ddep, rate_access, rate_fills, rate_shared;

static void rates(unsigned core, uint64_t end)
{
    uint32_t regs[16];
    for (unsigned i = 0; i < 16; i++) {
        uint64_t z = busy_seed = busy_seed * 6364136223846793005U + 1442695040888963407U;
        regs[i] = i < 7 ? (uint32_t)(z >> 48) : i;
    }
    b.hot[core].pack_a += MPJ_PACK_A(rate_instr, rate_ddep, rate_access, 0);
    b.hot[core].pack_b += MPJ_PACK_B(rate_instr * 366, 0, 0);
    for (unsigned n = 0; n < rate_fills + rate_shared; n++) {
        uint64_t z = busy_seed = busy_seed * 6364136223846793005U + 1442695040888963407U;
        uint32_t line = (uint32_t)(z >> 40) % 16384 + (n < rate_fills ? core << 14 : 8 << 14);
        bool store = z >> 63;
        uint64_t at = end - QUANTUM + (z >> 24 & 0xffff) * QUANTUM / 65536;
        if (!(store ? mpj_store_hits(b.hot[core].dline[line])
                    : mpj_load_hits(b.hot[core].dline[line])))
            (void)miss(b.chip, core, line, store, at);
    }
    mpj_flush(b.chip, core, end, QUANTUM, 0, regs);
}

static void test_equation(void **state)
{
    (void)state;
    static const unsigned loads[][5] = {
        /* per core and 500 cycles: instr, ddep, accesses, private lines, shared lines */
        {0, 0, 0, 0, 0},     {400, 50, 0, 0, 0},  {300, 100, 120, 0, 0}, {300, 100, 90, 2, 0},
        {250, 60, 80, 3, 2}, {150, 30, 50, 5, 0}, {100, 250, 40, 0, 1},  {350, 20, 140, 1, 1},
    };
    const load_fn load[MPJ_CORES] = {rates, rates, rates, rates};
    for (unsigned i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
        rate_instr = loads[i][0];
        rate_ddep = loads[i][1];
        rate_access = loads[i][2];
        rate_fills = loads[i][3];
        rate_shared = loads[i][4];
        mpj_chip_reset(b.chip);
        board_enable(&b);
        const unsigned samples = 60;
        struct mean m = sample(load, samples);
        double mw = m.uv * m.ua * 1e-9;
        double expected = equation_mw((samples + 1) * 1e-3);
        uint64_t fj = mpj_energy_fj(b.chip, MPJ_CORES);
        for (unsigned k = 0; k < MPJ_CORES; k++)
            fj += mpj_energy_fj(b.chip, k);
        double truth_mw = (double)fj * 1e-12 / ((samples + 1) * 1e-3);
        print_message("equation %.1f mW, ADC %.1f mW, truth %.1f mW\n", expected, mw, truth_mw);
        assert_true(fabs(mw - expected) < 0.01 * expected);
        assert_true(fabs(truth_mw - expected) < 0.01 * expected);
    }
}

/* What a linear model of counters does not see. */
static void test_non_linear(void **state)
{
    (void)state;
    uint32_t quiet[16] = {0};
    uint32_t loud[16];
    memset(loud, 0xff, sizeof(loud));
    uint64_t energy[2];
    for (unsigned alternate = 0; alternate < 2; alternate++) {
        mpj_chip_reset(b.chip);
        for (unsigned i = 1; i <= 100; i++) {
            b.hot[0].pack_a += MPJ_PACK_A(300, 0, 0, 0);
            mpj_flush(b.chip, 0, i * QUANTUM, QUANTUM, 0, alternate && (i & 1) ? loud : quiet);
        }
        energy[alternate] = mpj_energy_fj(b.chip, 0);
    }
    /* 99 flushes, 300 instructions, 480 bits (the PC does not count), 130 fJ */
    assert_int_equal(energy[1] - energy[0], 99ULL * 300 * 480 * 130);

    /* Two lines on different ports at once cost more than one after the other. */
    uint64_t shared[2];
    for (unsigned apart = 0; apart < 2; apart++) {
        mpj_chip_reset(b.chip);
        board_enable(&b);
        (void)miss(b.chip, 0, 100, false, 0);
        (void)miss(b.chip, 1, 201, false, apart * 1000);
        mpj_flush(b.chip, 0, 2000, 2000, 0, NULL);
        shared[apart] = mpj_energy_fj(b.chip, MPJ_CORES);
    }
    assert_int_equal(shared[0] - shared[1], mpj_chip_params(b.chip)->e_burst);
}

/* Leakage follows power slowly. */
static void test_leakage(void **state)
{
    (void)state;
    const struct mpj_params *p = mpj_chip_params(b.chip);
    double second = p->clock_hz;
    uint64_t before = 0;
    double first = 0;
    double last = 0;
    for (unsigned n = 1; n <= 100; n++) { /* 100 mW above the reference for ten seconds each */
        uint64_t t = n * (uint64_t)second;
        b.hot[0].pack_b = MPJ_PACK_B(0, 0, 0);
        uint64_t fj = (uint64_t)((double)p->thermal_ref_uw * 1e9 + 1e14);
        uint64_t constant = (uint64_t)((p->e_shared_cycle + p->leak_cycle) * second);
        uint64_t run = (fj - constant) / (unsigned)p->e_run_cycle;
        mpj_flush(b.chip, 0, t, run, 0, NULL);
        mpj_adc_convert(b.chip, t);
        uint64_t shared = mpj_energy_fj(b.chip, MPJ_CORES);
        double leak = (double)(shared - before) / second - p->e_shared_cycle;
        before = shared;
        if (n == 1)
            first = leak;
        last = leak;
    }
    assert_true(fabs(first - p->leak_cycle) < 1);
    /* 0.1 W * 15 K/W * 0.8 %/K = 1.2 %, and its own feedback */
    double rise = last / p->leak_cycle - 1;
    assert_true(rise > 0.0115 && rise < 0.0130);
}

static void test_adc(void **state)
{
    (void)state;
    const load_fn load[MPJ_CORES] = {spin, spin, wfi, wfi};
    unsigned seen[4096] = {0};
    uint64_t t = 0;
    for (unsigned n = 0; n < 300; n++) {
        for (uint64_t end = t + mpj_adc_period(b.chip); t < end;) {
            t += QUANTUM;
            for (unsigned core = 0; core < MPJ_CORES; core++)
                load[core](core, t);
        }
        mpj_adc_convert(b.chip, t);
        assert_true(mpj_adc_code(b.chip, 2) < 4096);
        seen[mpj_adc_code(b.chip, 2)]++;
    }
    unsigned codes = 0;
    for (unsigned i = 0; i < 4096; i++)
        codes += seen[i] > 0;
    assert_in_range(codes, 3, 12); /* noise of about an ADC step */
    /* No time passed: nothing changes, nothing is divided by zero. */
    uint32_t code = mpj_adc_code(b.chip, 2);
    mpj_adc_convert(b.chip, t);
    assert_int_equal(mpj_adc_code(b.chip, 2), code);
    assert_int_equal(mpj_adc_code(b.chip, 4), 0);
    /* Far beyond the range: clipped, not wrapped. */
    b.hot[0].pack_b = MPJ_PACK_B(1 << 28, 0, 0);
    mpj_flush(b.chip, 0, t + 1, 100000, 0, NULL);
    mpj_adc_convert(b.chip, t + 1);
    assert_int_equal(mpj_adc_code(b.chip, 2), 4095);
}

/* ---- floor ------------------------------------------------------------------- */

static int setup_none(void **state)
{
    (void)state;
    return 0;
}

static uint64_t random_below(uint64_t n)
{
    busy_seed = busy_seed * 6364136223846793005U + 1442695040888963407U;
    return (busy_seed >> 33) % n;
}

static int64_t core_fj(unsigned core)
{
    return (int64_t)mpj_energy_fj(b.chip, core);
}

static const char *const calibrations[] = {"mprofiler", "epro-mp"};

/* Whatever happens on whichever cores: at the end of each span nobody has drawn less than in WFI,
 * since the last one and in all. */
static void test_floor(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned mix = 0; mix < 16; mix++) { /* bit set: the core is at work */
            board_open(&b, calibrations[i], 1);
            const int64_t least = mpj_chip_params(b.chip)->e_wfi_cycle;
            int64_t before[MPJ_CORES] = {0};
            uint64_t since[MPJ_CORES] = {0};
            busy_seed = mix + 1;
            for (unsigned n = 1; n <= 2000; n++) {
                for (unsigned k = 0; k < MPJ_CORES; k++) {
                    const uint64_t cycles = 1 + random_below(2 * QUANTUM);
                    since[k] += cycles;
                    if (mix >> k & 1) {
                        const unsigned ddep = (unsigned)random_below(cycles + 1);
                        const unsigned instr = (unsigned)random_below(cycles - ddep + 1);
                        uint32_t regs[16] = {(uint32_t)random_below(1U << 31)};
                        b.hot[k].pack_a += MPJ_PACK_A(instr, ddep, random_below(instr + 1) / 4, 0);
                        if (random_below(50) == 0)
                            (void)miss(b.chip, k, (uint32_t)random_below(4000), false, n * QUANTUM);
                        mpj_flush(b.chip, k, n * QUANTUM, cycles, 0, regs);
                    } else {
                        mpj_flush(b.chip, k, n * QUANTUM, 0, cycles, NULL);
                    }
                    if (random_below(30) > 0)
                        continue;
                    mpj_context_switch(b.chip, k, 1);
                    assert_true(core_fj(k) - before[k] >= least * (int64_t)since[k]);
                    before[k] = core_fj(k);
                    since[k] = 0;
                }
            }
            board_close(&b);
        }
    }
}

/* Four cores of additions that wait for each other: no less than asleep, and counted. */
static void test_floor_of_stalls(void **state)
{
    (void)state;
    char text[1 << 14] = "";
    board_open(&b, "epro-mp", 1);
    const struct mpj_params *p = mpj_chip_params(b.chip);
    const uint64_t quanta = 1000;
    for (uint64_t n = 1; n <= quanta; n++) {
        b.hot[0].pack_a += MPJ_PACK_A(QUANTUM / 8, QUANTUM - QUANTUM / 8, 0, 0);
        mpj_flush(b.chip, 0, n * QUANTUM, QUANTUM, 0, NULL);
        mpj_flush(b.chip, 1, n * QUANTUM, 0, QUANTUM, NULL);
        /* The equation is below: at each moment the bound holds exactly. */
        assert_int_equal(core_fj(0), (int64_t)(n * QUANTUM) * p->e_wfi_cycle);
        assert_int_equal(core_fj(0), core_fj(1));
    }
    FILE *f = fmemopen(text, sizeof(text), "w");
    assert_non_null(f);
    mpj_context_switch(b.chip, 0, 0);
    assert_int_equal(mpj_truth_write(b.chip, f), MPJ_OK);
    fclose(f);
    char want[64];
    (void)snprintf(want, sizeof(want), "\"bounded_cycles\":%u,", (unsigned)quanta * QUANTUM);
    assert_non_null(strstr(text, want));
    board_close(&b);
}

/* What alternates faster than a span is the equation's business: however often it is flushed, the
 * energy is the sum of its terms. */
static void test_floor_is_out_of_the_way(void **state)
{
    (void)state;
    int64_t energy[2];
    for (unsigned finer = 0; finer < 2; finer++) {
        board_open(&b, "epro-mp", 1);
        const struct mpj_params *p = mpj_chip_params(b.chip);
        const unsigned steps = finer ? 10 : 1;
        int64_t want = 0;
        for (uint64_t n = 1; n <= 2000 * steps; n++) {
            const unsigned length = QUANTUM / steps;
            const bool stalls = (n - 1) / steps & 1;
            const unsigned ddep = stalls ? length : 0;
            const unsigned instr = stalls ? 0 : length;
            b.hot[0].pack_a += MPJ_PACK_A(instr, ddep, instr / 2, 0);
            mpj_flush(b.chip, 0, n * length, length, 0, NULL);
            want += (int64_t)length * p->e_run_cycle + (int64_t)instr * p->e_instr +
                    (int64_t)(instr / 2) * p->e_dl1_access + (int64_t)ddep * p->e_ddep;
        }
        energy[finer] = core_fj(0);
        assert_int_equal(energy[finer], want);
        board_close(&b);
    }
    assert_int_equal(energy[0], energy[1]);
}

enum {
    ONE_MORE_INSTR,
    ONE_MORE_READ,
    ONE_MORE_WRITE,
    ONE_MORE_MISPRED,
    ONE_MORE_TLB,
    ONE_MORE_MISS,
    ONE_MORE_STALL,
    ONE_MORE_CYCLE,
    ONE_MORE_COUNT
};

/* Energy of core 0 for a random vector of events and one more of a kind. */
static int64_t with_one_more(const char *calibration, uint64_t seed, unsigned more)
{
    board_open(&b, calibration, 1);
    busy_seed = seed;
    uint64_t cycles = 1 + random_below(8000);
    const unsigned ddep = (unsigned)random_below(cycles + 1);
    const unsigned instr = (unsigned)random_below(cycles - ddep + 1);
    const unsigned reads = (unsigned)random_below(instr + 1);
    const unsigned writes = (unsigned)random_below(instr - reads + 1);
    const unsigned misses = (unsigned)random_below(reads / 50 + 1);
    b.hot[0].pack_a = MPJ_PACK_A(instr, ddep, reads, writes);
    b.hot[0].ev[MPJ_EV_BRANCH_MISPRED] += random_below(instr + 1);
    for (unsigned i = 0; i < misses + (more == ONE_MORE_MISS); i++)
        (void)miss(b.chip, 0, i, false, i);
    b.hot[0].pack_a += more == ONE_MORE_INSTR   ? MPJ_PACK_A(1, 0, 0, 0)
                       : more == ONE_MORE_READ  ? MPJ_PACK_A(0, 0, 1, 0)
                       : more == ONE_MORE_WRITE ? MPJ_PACK_A(0, 0, 0, 1)
                       : more == ONE_MORE_STALL ? MPJ_PACK_A(0, 1, 0, 0)
                                                : 0;
    b.hot[0].ev[MPJ_EV_BRANCH_MISPRED] += more == ONE_MORE_MISPRED;
    b.hot[0].ev[MPJ_EV_TLB_MISS] += more == ONE_MORE_TLB;
    cycles += more == ONE_MORE_CYCLE || more == ONE_MORE_STALL; /* a stall is a cycle */
    mpj_flush(b.chip, 0, cycles, cycles, 0, NULL);
    const int64_t fj = core_fj(0);
    board_close(&b);
    return fj;
}

/* More of an event is never less energy; on the board whose stalls are not a regression's
 * coefficient that is true of them, too. */
static void test_monotone(void **state)
{
    (void)state;
    board_open(&b, "mprofiler", 1); /* which then never needs its floor */
    const struct mpj_params *p = mpj_chip_params(b.chip);
    assert_true(p->e_run_cycle + p->e_ddep >= p->e_wfi_cycle && p->e_coh_trans >= 0);
    board_close(&b);
    for (unsigned i = 0; i < 2; i++)
        for (uint64_t seed = 1; seed <= 200; seed++) {
            const int64_t base = with_one_more(calibrations[i], seed, ONE_MORE_COUNT);
            for (unsigned more = 0; more < ONE_MORE_COUNT; more++)
                if (more != ONE_MORE_STALL || i == 0)
                    assert_true(with_one_more(calibrations[i], seed, more) >= base);
        }
}

#define T0(f) cmocka_unit_test_setup(f, setup_none)
#define T1(f) cmocka_unit_test_setup_teardown(f, setup_mprofiler, teardown)
#define T2(f) cmocka_unit_test_setup_teardown(f, setup_epro, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T1(test_idle),
        T1(test_idle_warm),
        T1(test_multimedia),
        T2(test_equation),
        T1(test_non_linear),
        T1(test_leakage),
        T1(test_adc),
        T0(test_floor),
        T0(test_floor_of_stalls),
        T0(test_floor_is_out_of_the_way),
        T0(test_monotone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
