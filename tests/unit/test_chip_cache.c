/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Caches, coherence and buses: answers that can be derived by hand. */
#include "chip_fixture.h"

#define LINE 32U
#define KB   1024U

static struct board b;

static int setup(void **state)
{
    (void)state;
    board_open(&b, "../../tests/unit/streams", 1);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    board_close(&b);
    return 0;
}

static void sweep(unsigned core, uint32_t base, uint32_t bytes, unsigned passes, bool store)
{
    for (unsigned p = 0; p < passes; p++)
        for (uint32_t a = 0; a < bytes; a += LINE)
            (void)board_access(&b, core, base + a, store);
}

static void test_strided(void **state)
{
    (void)state;
    sweep(0, 0, 16 * KB, 10, false);
    assert_int_equal(board_event(&b, 0, MPJ_EV_DCACHE_RD_MISS), 512);
    assert_int_equal(board_event(&b, 0, MPJ_EV_DCACHE_RD), 5120);
    sweep(1, 1 << 20, 64 * KB, 10, false);
    assert_int_equal(board_event(&b, 1, MPJ_EV_DCACHE_RD_MISS), 20480);
    sweep(2, 4 << 20, 2048 * KB, 10, false);
    assert_int_equal(board_event(&b, 2, MPJ_EV_DCACHE_RD_MISS), 655360);
    assert_int_equal(board_event(&b, 2, MPJ_EV_EXT_REQ), 655360);
    assert_int_equal(board_event(&b, 2, MPJ_EV_DCACHE_EVICT), 0); /* clean lines go silently */
}

static void test_l2(void **state)
{
    (void)state;
    sweep(0, 0, 64 * KB, 10, false);
    assert_int_equal(mpj_l2_event(b.chip, MPJ_L2_DRREQ), 20480);
    assert_int_equal(mpj_l2_event(b.chip, MPJ_L2_DRHIT), 20480 - 2048);
    assert_int_equal(mpj_scu_event(b.chip, MPJ_SCU_MISS_CPU0, 0), 20480);
    assert_int_equal(mpj_scu_event(b.chip, MPJ_SCU_EXT_RD, 0), 20480);
    /* Lines alternate between the master ports, 8 cycles each. */
    assert_int_equal(mpj_scu_event(b.chip, MPJ_SCU_M0_RD_BUSY, 0), 20480 / 2 * 8);
    assert_int_equal(mpj_scu_event(b.chip, MPJ_SCU_M1_RD_BUSY, 0), 20480 / 2 * 8);
    sweep(0, 1 << 20, 2048 * KB, 2, false); /* twice the L220: always misses */
    assert_int_equal(mpj_l2_event(b.chip, MPJ_L2_DRHIT), 20480 - 2048);
}

static void test_what_if(void **state)
{
    (void)state;
    const uint32_t full = miss(b.chip, 0, 1, false, 10000);
    const uint32_t hit =
        (uint32_t)(mpj_chip_params(b.chip)->l2_hit_cycles + mpj_chip_params(b.chip)->scu_cycles);
    mpj_what_if_miss(b.chip, MPJ_MISS_L2, MPJ_WHAT_IF_ONE / 2);
    const uint32_t half = miss(b.chip, 0, 3, false, 20000);
    mpj_what_if_miss(b.chip, MPJ_MISS_L2, 0);
    const uint32_t none = miss(b.chip, 0, 5, false, 30000);
    assert_true(none >= hit && full > none);
    assert_in_range(half - none, (full - none) / 2 - 1, (full - none) / 2 + 1);
    mpj_what_if_miss(b.chip, MPJ_MISS_L1D, 0);
    assert_int_equal(miss(b.chip, 0, 7, false, 40000), 0);
    assert_int_equal(board_event(&b, 0, MPJ_EV_DCACHE_RD_MISS), 4); /* counted all the same */
    mpj_what_if_miss(b.chip, MPJ_MISS_L1D, 3 * MPJ_WHAT_IF_ONE);
    assert_int_equal(miss(b.chip, 0, 9, false, 50000), 3 * none);
}

/* What a core has in flight ends earlier when its time goes back: the next misses wait for no more.
 */
static void test_what_if_back(void **state)
{
    (void)state;
    uint32_t late;
    for (uint32_t line = 1; line < 16; line += 2)
        (void)miss(b.chip, 0, line, false, 10000);
    assert_true(mpj_data_miss(b.chip, 0, 21, false, 10010, &late) > 0);
    mpj_what_if_back(b.chip, 0, 5000);
    assert_int_equal(mpj_data_miss(b.chip, 0, 23, false, 10010, &late), 0);
    mpj_what_if_back(b.chip, 0, 1 << 30); /* not below the beginning */
    mpj_what_if_back(b.chip, 0, -100);
}

static void test_write_back(void **state)
{
    (void)state;
    /* 64 KB written ten times: each fill after the first 1024 pushes a modified line out. */
    sweep(0, 0, 64 * KB, 10, true);
    assert_int_equal(board_event(&b, 0, MPJ_EV_DCACHE_WR_MISS), 20480);
    assert_int_equal(board_event(&b, 0, MPJ_EV_DCACHE_EVICT), 20480 - 1024);
    assert_int_equal(mpj_l2_event(b.chip, MPJ_L2_DWREQ), 20480 - 1024);
    assert_int_equal(mpj_l2_event(b.chip, MPJ_L2_DWHIT), 20480 - 1024); /* all in the L220 */
    assert_int_equal(mpj_l2_event(b.chip, MPJ_L2_WALLOC), 0);
    assert_int_equal(mpj_l2_event(b.chip, MPJ_L2_CASTOUT), 0);
    /* 2 MB written: the L220 casts out what it must. First pass fills 32768 lines. */
    mpj_chip_reset(b.chip);
    board_enable(&b);
    sweep(0, 0, 2048 * KB, 1, true);
    sweep(0, 0, 32 * KB, 1, false); /* pushes the last 1024 modified lines out of the L1 */
    uint64_t castouts = mpj_l2_event(b.chip, MPJ_L2_CASTOUT);
    assert_in_range(castouts, 65536 - 32768 - 1024, 65536 - 32768 + 1024);
    assert_int_equal(board_event(&b, 0, MPJ_EV_DCACHE_EVICT), 65536);
}

static void test_fetch(void **state)
{
    (void)state;
    uint64_t stall = 0;
    for (unsigned pass = 0; pass < 10; pass++)
        for (uint32_t a = 0; a < 64 * KB; a += LINE) {
            uint32_t line = mpj_line_index(b.chip, ROM_BASE + a);
            if (!b.hot[0].iline[line])
                stall += mpj_fetch_miss(b.chip, 0, line, b.now[0] += 200);
        }
    assert_int_equal(board_event(&b, 0, MPJ_EV_ICACHE_MISS), 20480);
    assert_int_equal(board_event(&b, 0, MPJ_EV_IFETCH_STALL), stall);
    assert_int_equal(mpj_l2_event(b.chip, MPJ_L2_IRREQ), 20480);
    assert_int_equal(mpj_l2_event(b.chip, MPJ_L2_IRHIT), 20480 - 2048);
    (void)mpj_cache_all_op(b.chip, 0, MPJ_IC_INV, 0);
    assert_int_equal(b.hot[0].iline[mpj_line_index(b.chip, ROM_BASE + 64 * KB - LINE)], 0);
}

/* A line handed on by load and store: one transfer and one upgrade per hand-over. */
static void test_ping_pong(void **state)
{
    (void)state;
    const unsigned n = 1000;
    unsigned calls = 0;
    for (unsigned i = 0; i < n; i++)
        for (unsigned core = 0; core < 2; core++) {
            uint8_t *dline = b.hot[core].dline;
            calls += dline[8] == MPJ_LINE_I;
            (void)board_access(&b, core, 8 * LINE, false);
            assert_int_equal(dline[8] & ~MPJ_LINE_WATCHED, MPJ_LINE_E);
            calls += !mpj_store_hits(dline[8]); /* the upgrade */
            assert_int_equal(board_access(&b, core, 8 * LINE, true), 0);
        }
    assert_int_equal(calls, 2 * 2 * n);
    assert_int_equal(mpj_scu_event(b.chip, MPJ_SCU_MIGRATION, 0), 2 * n - 1);
    assert_int_equal(mpj_scu_event(b.chip, MPJ_SCU_MISS_CPU0, 0), 1);
    assert_int_equal(mpj_scu_event(b.chip, MPJ_SCU_C2C_CPU0, 0), n - 1);
    assert_int_equal(mpj_scu_event(b.chip, MPJ_SCU_C2C_CPU0 + 1, 0), n);
    assert_int_equal(mpj_l2_event(b.chip, MPJ_L2_DWREQ), 0); /* nothing written back */
}

/* Readers of a flag end up sharing it instead of carrying it off from each other. */
static void test_polling(void **state)
{
    (void)state;
    (void)board_access(&b, 0, 0, true);
    for (unsigned i = 0; i < 100; i++)
        for (unsigned core = 1; core < 4; core++)
            (void)board_access(&b, core, 0, false);
    assert_int_equal(mpj_scu_event(b.chip, MPJ_SCU_MIGRATION, 0), 1);
    for (unsigned core = 1; core < 4; core++)
        assert_int_equal(board_event(&b, core, MPJ_EV_DCACHE_RD_MISS), 1);
    assert_int_equal(mpj_l2_event(b.chip, MPJ_L2_DWREQ), 1); /* the write-back it owed */
    assert_true(board_access(&b, 1, 0, true) == 0);          /* upgrade waits in the store buffer */
    assert_int_equal(b.hot[1].dline[0], MPJ_LINE_M);
    assert_int_equal(b.hot[2].dline[0], MPJ_LINE_I);
    assert_int_equal(b.hot[3].dline[0], MPJ_LINE_I);
}

static void test_false_sharing(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 100; i++)
        for (unsigned core = 0; core < 4; core++)
            (void)board_access(&b, core, core * 4, true);
    assert_int_equal(mpj_scu_event(b.chip, MPJ_SCU_MIGRATION, 0), 399);
    for (unsigned i = 0; i < 100; i++)
        for (unsigned core = 0; core < 4; core++)
            (void)board_access(&b, core, 4096 + core * LINE, true);
    assert_int_equal(mpj_scu_event(b.chip, MPJ_SCU_MIGRATION, 0), 399);
}

static void test_tag_wrong(void **state)
{
    (void)state;
    (void)board_access(&b, 0, 64, true);
    (void)mpj_cache_line_op(b.chip, 0, 2, MPJ_DC_CLEAN | MPJ_DC_INV, b.now[0]);
    assert_int_equal(mpj_l2_event(b.chip, MPJ_L2_DWREQ), 1);
    (void)board_access(&b, 1, 64, false);
    assert_int_equal(mpj_scu_event(b.chip, MPJ_SCU_TAGWRONG_CPU0, 0), 1);
    assert_int_equal(mpj_scu_event(b.chip, MPJ_SCU_MISS_CPU0 + 1, 0), 1);
    (void)board_access(&b, 2, 64, false);
    assert_int_equal(mpj_scu_event(b.chip, MPJ_SCU_TAGWRONG_CPU0, 0), 1); /* noticed once */
}

static void test_latency(void **state)
{
    (void)state;
    const struct mpj_params *p = mpj_chip_params(b.chip);
    uint32_t hit = (uint32_t)(p->scu_cycles + p->l2_hit_cycles);
    assert_int_equal(board_access(&b, 0, 0, false), hit + (uint32_t)p->mem_cycles);
    assert_int_equal(board_access(&b, 0, 4, false), 0);
    /* In the L220 but no longer in the L1 */
    sweep(0, 1 << 20, 64 * KB, 1, false);
    b.now[0] += 1000;
    assert_int_equal(board_access(&b, 0, 0, false), hit);
    /* From another core */
    b.now[1] = b.now[0] + 1000;
    assert_int_equal(board_access(&b, 1, 0, false),
                     (uint32_t)(p->scu_cycles + p->scu_transfer_cycles));
    /* Two misses are in flight at once, the third waits for the first. */
    uint32_t full = hit + (uint32_t)p->mem_cycles;
    uint32_t late;
    b.now[0] += 1000;
    assert_int_equal(mpj_data_miss(b.chip, 0, 100000, false, b.now[0], &late), 0);
    assert_int_equal(late, full);
    assert_int_equal(mpj_data_miss(b.chip, 0, 110001, false, b.now[0] + 70, &late), 0);
    assert_int_equal(late, full);
    assert_int_equal(mpj_data_miss(b.chip, 0, 120000, false, b.now[0] + 71, &late), full - 71);
    assert_in_range(late, full - 71 + full,
                    full - 71 + full + 16); /* the bus is busy with the second */
}

static void test_store_buffer(void **state)
{
    (void)state;
    const struct mpj_params *p = mpj_chip_params(b.chip);
    uint32_t stall = 0;
    for (unsigned i = 0; i < (unsigned)p->store_buffer_depth; i++)
        stall += miss(b.chip, 0, 1000 + 2 * i, true, 0);
    assert_int_equal(stall, 0); /* room for these */
    stall = miss(b.chip, 0, 2000, true, 0);
    assert_true(stall > 100); /* until the first has left */
    uint32_t drain = mpj_store_drain(b.chip, 0, stall);
    assert_true(drain > 0);
    assert_int_equal(mpj_store_drain(b.chip, 0, stall + drain), 0);
    assert_int_equal(board_event(&b, 0, MPJ_EV_SB_DRAIN), 2);
    assert_int_equal(b.hot[0].sb_line, MPJ_LINE_NONE);
}

/* Cycles per line of cores that stream with 10 cycles of work per line, run in quanta. */
static double stream(unsigned cores, uint32_t work, uint32_t quantum)
{
    const unsigned lines = 20000;
    unsigned done[MPJ_CORES] = {0};
    unsigned left = cores;
    mpj_chip_reset(b.chip);
    board_enable(&b);
    memset(b.now, 0, sizeof(b.now));
    uint64_t limit = 0;
    while (left > 0) {
        limit += quantum;
        for (unsigned core = 0; core < cores; core++)
            while (done[core] < lines && b.now[core] < limit) {
                b.now[core] += work;
                (void)board_access(&b, core, ((core << 22) + done[core] * LINE) & 0xffffff, false);
                left -= ++done[core] == lines;
            }
    }
    uint64_t sum = 0;
    for (unsigned core = 0; core < cores; core++)
        sum += b.now[core];
    return (double)sum / (cores * (double)lines);
}

static void test_saturation(void **state)
{
    (void)state;
    double one = stream(1, 10, 500);
    double two = stream(2, 10, 500);
    double four = stream(4, 10, 500);
    assert_true(one > 128 && one < 131);       /* nothing to wait for */
    assert_true(two > one && two < 1.3 * one); /* two nearly fill the bus: 2 * 64 of 129 cycles */
    double three = stream(3, 10, 500);
    assert_true(three > 240 && three < 260); /* three and more close each other's rows: 64 + 16 */
    assert_true(four > 319.9 && four < 330); /* 4 * 80 without gaps, but for the ends */
    /* Little depends on the order in which the emulator runs the cores. */
    double fine = stream(4, 10, 50);
    double coarse = stream(4, 10, 8000); /* nobody starves, either */
    assert_true(fine > 0.98 * four && fine < 1.02 * four);
    assert_true(coarse > 0.99 * four && coarse < 1.01 * four);
    double light = stream(2, 400, 500);
    double alone = stream(1, 400, 500);
    assert_true(light < 1.03 * alone); /* far from full: hardly slower */
}

static void test_off(void **state)
{
    (void)state;
    (void)board_access(&b, 0, 0, true);
    assert_int_equal(b.hot[0].dline[0], MPJ_LINE_M);
    mpj_cache_enable(b.chip, 0, false, false, true);
    assert_int_equal(b.hot[0].dline[0], MPJ_LINE_I); /* cleaned and gone */
    assert_int_equal(mpj_l2_event(b.chip, MPJ_L2_DWREQ), 1);
    for (unsigned i = 0; i < 5; i++) {
        assert_true(board_access(&b, 0, 0, false) > 0);
        assert_true(mpj_fetch_miss(b.chip, 0, 4, b.now[0]) > 0);
    }
    assert_int_equal(b.hot[0].dline[0], MPJ_LINE_I);
    assert_int_equal(b.hot[0].iline[4], 0);
    mpj_l2_enable(b.chip, false);
    uint64_t requests = mpj_l2_event(b.chip, MPJ_L2_DRREQ);
    (void)board_access(&b, 1, 4096, false);
    assert_int_equal(mpj_l2_event(b.chip, MPJ_L2_DRREQ), requests);
    mpj_smp_enable(b.chip, 1, false);
    assert_int_equal(b.hot[1].dline[128], MPJ_LINE_I);
}

static void test_uncached(void **state)
{
    (void)state;
    const struct mpj_params *p = mpj_chip_params(b.chip);
    assert_int_equal(mpj_line_index(b.chip, 0x10009000), MPJ_LINE_NONE);
    assert_int_equal(mpj_line_index(b.chip, (16U << 20) - 1), (16U << 15) - 1);
    assert_int_equal(mpj_line_index(b.chip, 16U << 20), MPJ_LINE_NONE);
    assert_int_equal(mpj_line_index(b.chip, ROM_BASE), 16U << 15);
    assert_int_equal(mpj_line_index(b.chip, ROM_BASE - 1), MPJ_LINE_NONE);
    assert_int_equal(mpj_line_index(b.chip, ROM_BASE + (1U << 20)), MPJ_LINE_NONE);
    assert_int_equal(mpj_uncached(b.chip, 0, 0x10009018, false, 0), p->uncached_device_cycles);
    assert_int_equal(mpj_uncached(b.chip, 0, 0x10009000, true, 0), 0); /* posted */
    assert_int_equal(mpj_uncached(b.chip, 0, 0x10100604, false, 0), p->uncached_private_cycles);
    assert_int_equal(board_event(&b, 0, MPJ_EV_EXT_REQ), 2);
}

/* A board with its RAM elsewhere, a part of it at 0, too, and two cores. */
static void test_map_of_the_board(void **state)
{
    (void)state;
    char path[512];
    char text[4096] = {0};
    struct mpj_chip *c;
    const struct mpj_config cfg = {.calibration = path,
                                   .cores = 2,
                                   .ram_base = 0x70000000U,
                                   .ram_bytes = 16U << 20,
                                   .low_bytes = 8U << 20,
                                   .private_base = 0x1f000000U};
    (void)snprintf(path, sizeof(path), "%s/pb11mp.conf", MPJ_CALIBRATIONS);
    assert_int_equal(mpj_chip_new(&c, &cfg, NULL, 0), MPJ_OK);
    const struct mpj_params *p = mpj_chip_params(c);
    assert_int_equal(mpj_line_index(c, 0x70000000U), 0);
    assert_int_equal(mpj_line_index(c, 0x70ffffffU), (16U << 15) - 1);
    assert_int_equal(mpj_line_index(c, 0x71000000U), MPJ_LINE_NONE);
    assert_int_equal(mpj_line_index(c, 0x6fffffffU), MPJ_LINE_NONE);
    assert_int_equal(mpj_line_index(c, 0x40), 2);
    assert_int_equal(mpj_line_index(c, (8U << 20) - 1), (8U << 15) - 1);
    assert_int_equal(mpj_line_index(c, 8U << 20), MPJ_LINE_NONE);
    assert_int_equal(mpj_uncached(c, 0, 0x1f000604U, false, 0), p->uncached_private_cycles);
    assert_int_equal(mpj_uncached(c, 0, 0x10100604U, false, 0), p->uncached_device_cycles);

    FILE *f = fmemopen(text, sizeof(text), "w");
    assert_non_null(f);
    (void)mpj_truth_write(c, f);
    assert_int_equal(fclose(f), 0);
    assert_non_null(strstr(text, "{\"core\":1,"));
    assert_null(strstr(text, "{\"core\":2,"));
    mpj_chip_free(c);
}

static void test_l2_maintenance(void **state)
{
    (void)state;
    sweep(0, 0, 64 * KB, 1, true);
    sweep(0, 1 << 20, 64 * KB, 1, false);
    uint32_t line = mpj_line_index(b.chip, 0);
    (void)mpj_l2_line_op(b.chip, line, MPJ_DC_CLEAN, 0);
    (void)mpj_l2_way_op(b.chip, 0xff, MPJ_DC_CLEAN | MPJ_DC_INV, 0);
    uint64_t hits = mpj_l2_event(b.chip, MPJ_L2_DRHIT);
    (void)board_access(&b, 1, 0, false);
    assert_int_equal(mpj_l2_event(b.chip, MPJ_L2_DRHIT), hits);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_strided),        T(test_l2),        T(test_what_if),   T(test_what_if_back),
        T(test_write_back),     T(test_fetch),     T(test_ping_pong), T(test_polling),
        T(test_false_sharing),  T(test_tag_wrong), T(test_latency),   T(test_store_buffer),
        T(test_saturation),     T(test_off),       T(test_uncached),  T(test_map_of_the_board),
        T(test_l2_maintenance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
