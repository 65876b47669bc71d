/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The buses under streams of several cores, simulated as the emulator does it: the core with the
 * least time runs until a quantum past the second. What a stream costs must follow from the
 * traffic, not from the cycle at which it began, from what was before, or (much) from the quantum.
 */
#include "chip_fixture.h"

#define LINE 32U
#define MB   (1U << 20)

static struct board b;
static unsigned place[MPJ_CORES]; /* lines that each core has gone through */

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

enum kind { LOAD, STORE, COPY };

struct stream {
    enum kind kind;
    uint32_t bytes; /* of the array that is gone through */
    uint32_t work;  /* cycles per line besides */
};

static void access(unsigned core, uint32_t address, bool store)
{
    uint32_t line = mpj_line_index(b.chip, address);
    const uint8_t *dline = b.hot[core].dline;
    if (!(store ? mpj_store_hits(dline[line]) : mpj_load_hits(dline[line])))
        b.now[core] += miss(b.chip, core, line, store, b.now[core]);
    b.now[core]++;
}

static void step(unsigned core, const struct stream *s)
{
    uint32_t address = core * 4 * MB + place[core]++ * LINE % s->bytes;
    b.now[core] += s->work;
    if (s->kind != STORE)
        access(core, address, false);
    if (s->kind == COPY)
        address += s->bytes;
    if (s->kind != LOAD)
        access(core, address, true);
}

#define NEVER UINT64_MAX

/* Cycles per line of the first cores of the chip, all with the same stream, in the second half of
 * `lines` lines each. Core i starts at first + i * step. */
static double cost(unsigned cores, const struct stream *s, unsigned lines, uint32_t quantum,
                   uint64_t first, uint32_t apart)
{
    unsigned done[MPJ_CORES] = {0};
    uint64_t half[MPJ_CORES] = {0};
    uint64_t sum = 0;
    unsigned left = cores;
    for (unsigned i = 0; i < cores; i++)
        b.now[i] = first + (uint64_t)i * apart;
    while (left > 0) {
        unsigned core = 0;
        uint64_t second = NEVER;
        for (unsigned i = 1; i < cores; i++) {
            uint64_t other = b.now[i];
            if (b.now[i] < b.now[core]) {
                other = b.now[core];
                core = i;
            }
            second = other < second ? other : second;
        }
        uint64_t limit = second == NEVER ? NEVER : second + quantum;
        do {
            step(core, s);
            if (++done[core] == lines / 2)
                half[core] = b.now[core];
            if (done[core] == lines) { /* goes on, so that the others' traffic stays */
                sum += b.now[core] - half[core];
                left--;
            }
        } while (left > 0 && b.now[core] < limit);
    }
    unsigned counted = lines - lines / 2;
    return (double)sum / cores / counted;
}

static double fresh(unsigned cores, const struct stream *s, unsigned lines, uint32_t quantum,
                    uint32_t offset)
{
    mpj_chip_reset(b.chip);
    board_enable(&b);
    memset(place, 0, sizeof(place));
    return cost(cores, s, lines, quantum, offset, offset * 7 % 61);
}

static const struct stream loads = {LOAD, 4 * MB, 10};
static const struct stream stores = {STORE, 4 * MB, 20};

static void near(double value, double expected, double percent)
{
    if (value < expected * (1 - percent / 100) || value > expected * (1 + percent / 100))
        fail_msg("%.2f, expected %.2f within %.1f %%", value, expected, percent);
}

/*
 * A line read is four slots of 16 cycles, one written three, and one more each when three or four
 * cores crowd the bus. A load of a line that is nowhere takes 118 cycles, with 11 of work 129.
 */
static void test_saturation(void **state)
{
    (void)state;
    near(fresh(1, &loads, 20000, 500, 0), 129, 0.1);
    near(fresh(2, &loads, 20000, 500, 0), 129, 1); /* 128 of 129 cycles taken */
    near(fresh(3, &loads, 20000, 500, 0), 3 * 5 * 16, 2);
    near(fresh(4, &loads, 20000, 500, 0), 4 * 5 * 16, 2);
    /* The L220 is full of modified lines from line 32768 on: one in, one out. */
    near(fresh(1, &stores, 140000, 500, 0), (4 + 3) * 16, 0.5);
    near(fresh(2, &stores, 70000, 500, 0), 2 * (4 + 3) * 16, 1);
    near(fresh(3, &stores, 70000, 500, 0), 3 * (5 + 4) * 16, 1);
    near(fresh(4, &stores, 70000, 500, 0), 4 * (5 + 4) * 16, 1);
}

/* Cores that once had to wait and are idle now take nothing from the one that runs. */
static void test_idle(void **state)
{
    (void)state;
    double alone = fresh(1, &stores, 140000, 500, 0);
    (void)fresh(4, &loads, 10000, 500, 0);
    near(cost(1, &stores, 140000, 500, b.now[0] + 100000, 0), alone, 0.2);
}

/* As when an interrupt falls into a stream: whenever that is, the stream goes on as it was. */
static void test_interrupted(void **state)
{
    (void)state;
    static const struct stream l2 = {STORE, 256 << 10, 4};
    const struct stream *streams[] = {&loads, &stores, &l2};
    for (unsigned k = 0; k < 3; k++) {
        double before = fresh(1, streams[k], 140000, 500, 0);
        for (uint64_t gap = 1; gap < 5000; gap += gap / 3 + 7)
            near(cost(1, streams[k], 4000, 500, b.now[0] + gap, 0), before, 0.5);
    }
}

/* The cycle at which cores begin makes less than 1 % of difference to streams that fill the bus. */
static void test_offset(void **state)
{
    (void)state;
    static const struct stream copy = {COPY, 2 * MB, 20};
    static const struct stream l2 = {STORE, 256 << 10, 20};
    static const struct {
        unsigned cores;
        const struct stream *s;
    } cases[] = {{1, &stores}, {3, &loads}, {4, &loads}, {2, &stores},
                 {4, &stores}, {2, &copy},  {4, &copy},  {4, &l2}};
    for (unsigned k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
        double first = fresh(cases[k].cores, cases[k].s, 20000, 500, 0);
        for (uint32_t offset = 1; offset < 64; offset += 9)
            near(fresh(cases[k].cores, cases[k].s, 20000, 500, offset), first, 1);
    }
}

/* Full buses give the same whatever the quantum; where the bus is just full it is a few per cent
 * better in step (a quantum of one), as the cores then take turns without a gap. */
static void test_quantum(void **state)
{
    (void)state;
    static const uint32_t quanta[] = {50, 100, 500, 1000};
    static const struct stream l2 = {STORE, 256 << 10, 20};
    static const struct stream knee = {LOAD, 4 * MB, 100};
    double load4 = fresh(4, &loads, 10000, 1, 0);
    double store4 = fresh(4, &stores, 60000, 1, 0);
    double l24 = fresh(4, &l2, 10000, 1, 0);
    double knee3 = fresh(3, &knee, 10000, 1, 0);
    for (unsigned q = 0; q < 4; q++) {
        near(fresh(4, &loads, 10000, quanta[q], 0), load4, quanta[q] <= 500 ? 1 : 2);
        near(fresh(4, &stores, 60000, quanta[q], 0), store4, 1);
        near(fresh(4, &l2, 10000, quanta[q], 0), l24, 1);
        near(fresh(3, &knee, 10000, quanta[q], 0), knee3, 1);
    }
}

/* A bus is shared while several cores use much of it, not by one and not long after. */
static void test_shared(void **state)
{
    (void)state;
    static const struct stream few = {LOAD, 4 * MB, 2000};
    (void)fresh(1, &stores, 70000, 500, 0);
    assert_false(mpj_buses_shared(b.chip, b.now[0]));
    (void)fresh(4, &few, 1000, 500, 0);
    assert_false(mpj_buses_shared(b.chip, b.now[0]));
    (void)fresh(2, &stores, 70000, 500, 0);
    assert_true(mpj_buses_shared(b.chip, b.now[0]));
    assert_false(mpj_buses_shared(b.chip, b.now[0] + 50000));
    (void)cost(1, &stores, 2000, 500, b.now[0] + 50000, 0);
    assert_false(mpj_buses_shared(b.chip, b.now[0]));
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_saturation), T(test_idle),    T(test_interrupted),
        T(test_offset),     T(test_quantum), T(test_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
