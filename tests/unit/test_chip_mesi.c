/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Coherence under random traffic, checked after every access against a slow model
 * written for this test only: caches as lists of lines in the order they were
 * filled, no directory, no state bytes, everything found by searching.
 */
#include "chip_fixture.h"

#include <stdlib.h>

#define SETS    256U
#define WAYS    4U
#define L2_SETS 4096U
#define L2_WAYS 8U
#define LINES   4096U /* lines in play; a stride makes them collide in few sets */

enum { I = MPJ_LINE_I, S = MPJ_LINE_S, E = MPJ_LINE_E, M = MPJ_LINE_M };

struct ref_line {
    uint32_t line;
    unsigned state; /* 0: way empty */
    bool dirty;     /* E: arrived dirty; in the L2: newer than memory */
};

struct ref {
    struct ref_line l1[MPJ_CORES][SETS][WAYS];
    unsigned l1_next[MPJ_CORES][SETS];
    struct ref_line l2[L2_SETS][L2_WAYS];
    unsigned l2_next[L2_SETS];
    uint64_t rd_miss[MPJ_CORES], wr_miss[MPJ_CORES], evict[MPJ_CORES];
    uint64_t from_core[MPJ_CORES], missed[MPJ_CORES], migrations;
    uint64_t drreq, drhit, dwreq, dwhit, walloc, castout;
};

static struct ref_line *find(struct ref_line *set, unsigned ways, uint32_t line)
{
    for (unsigned w = 0; w < ways; w++)
        if (set[w].state && set[w].line == line)
            return &set[w];
    return NULL;
}

/* Way for a new line: the first empty one, else the one whose turn it is. */
static struct ref_line *place(struct ref_line *set, unsigned ways, unsigned *next)
{
    for (unsigned w = 0; w < ways; w++)
        if (!set[w].state)
            return &set[w];
    struct ref_line *way = &set[*next];
    *next = (*next + 1) % ways;
    return way;
}

static struct ref_line *ref_l2_fill(struct ref *r, uint32_t line)
{
    unsigned set = line % L2_SETS;
    struct ref_line *way = place(r->l2[set], L2_WAYS, &r->l2_next[set]);
    if (way->state && way->dirty)
        r->castout++;
    *way = (struct ref_line){line, S, false};
    return way;
}

static void ref_l2_write(struct ref *r, uint32_t line)
{
    struct ref_line *way = find(r->l2[line % L2_SETS], L2_WAYS, line);
    r->dwreq++;
    if (way) {
        r->dwhit++;
    } else {
        r->walloc++;
        way = ref_l2_fill(r, line);
    }
    way->dirty = true;
}

static void ref_access(struct ref *r, unsigned core, uint32_t line, bool store)
{
    unsigned set = line % SETS;
    struct ref_line *mine = find(r->l1[core][set], WAYS, line);
    if (mine && (!store || mine->state == M))
        return;
    if (mine && mine->state == E) {
        mine->state = M;
        mine->dirty = false;
        return;
    }
    bool found = false;
    bool dirty = false;
    if (!mine) {
        if (store)
            r->wr_miss[core]++;
        else
            r->rd_miss[core]++;
    }
    for (unsigned o = 0; o < MPJ_CORES; o++) {
        struct ref_line *other = o == core ? NULL : find(r->l1[o][set], WAYS, line);
        if (!other)
            continue;
        found = true;
        bool owes = other->state == M || other->dirty;
        if (store || other->state == M) {
            dirty = dirty || owes;
            other->state = I;
        } else {
            if (owes)
                ref_l2_write(r, line);
            other->state = S;
        }
        other->dirty = false;
    }
    if (mine) {
        mine->state = M;
        return;
    }
    if (found) {
        r->from_core[core]++;
        r->migrations += dirty;
    } else {
        r->missed[core]++;
        r->drreq++;
        if (find(r->l2[line % L2_SETS], L2_WAYS, line))
            r->drhit++;
        else
            (void)ref_l2_fill(r, line);
    }
    struct ref_line *way = place(r->l1[core][set], WAYS, &r->l1_next[core][set]);
    struct ref_line victim = *way;
    *way = (struct ref_line){line, store ? M : found && !dirty ? S : E, !store && dirty};
    if (victim.state == M || (victim.state == E && victim.dirty)) {
        r->evict[core]++;
        ref_l2_write(r, victim.line);
    }
}

static void compare_line(const struct board *b, struct ref *r, uint32_t line)
{
    unsigned owners = 0;
    unsigned sharers = 0;
    for (unsigned core = 0; core < MPJ_CORES; core++) {
        struct ref_line *l = find(r->l1[core][line % SETS], WAYS, line);
        unsigned state = b->hot[core].dline[line] & ~MPJ_LINE_WATCHED;
        assert_int_equal(state, l ? l->state : I);
        owners += state == E || state == M;
        sharers += state == S;
    }
    assert_true(owners <= 1);
    assert_true(owners == 0 || sharers == 0);
}

static void compare_counts(const struct board *b, const struct ref *r)
{
    for (unsigned k = 0; k < MPJ_CORES; k++) {
        assert_int_equal(board_event(b, k, MPJ_EV_DCACHE_RD_MISS), r->rd_miss[k]);
        assert_int_equal(board_event(b, k, MPJ_EV_DCACHE_WR_MISS), r->wr_miss[k]);
        assert_int_equal(board_event(b, k, MPJ_EV_DCACHE_EVICT), r->evict[k]);
        assert_int_equal(mpj_scu_event(b->chip, MPJ_SCU_C2C_CPU0 + k, 0), r->from_core[k]);
        assert_int_equal(mpj_scu_event(b->chip, MPJ_SCU_MISS_CPU0 + k, 0), r->missed[k]);
    }
    assert_int_equal(mpj_scu_event(b->chip, MPJ_SCU_MIGRATION, 0), r->migrations);
    assert_int_equal(mpj_l2_event(b->chip, MPJ_L2_DRREQ), r->drreq);
    assert_int_equal(mpj_l2_event(b->chip, MPJ_L2_DRHIT), r->drhit);
    assert_int_equal(mpj_l2_event(b->chip, MPJ_L2_DWREQ), r->dwreq);
    assert_int_equal(mpj_l2_event(b->chip, MPJ_L2_DWHIT), r->dwhit);
    assert_int_equal(mpj_l2_event(b->chip, MPJ_L2_WALLOC), r->walloc);
    assert_int_equal(mpj_l2_event(b->chip, MPJ_L2_CASTOUT), r->castout);
    assert_int_equal(mpj_scu_event(b->chip, MPJ_SCU_EXT_RD, 0), r->drreq);
    assert_int_equal(mpj_scu_event(b->chip, MPJ_SCU_EXT_WR, 0), r->dwreq);
}

/* stride 1: many sets, little pressure; large strides: few sets of L1 and L2, constant eviction */
static void traffic(uint32_t stride, uint32_t lines, unsigned accesses, uint64_t seed)
{
    struct board b;
    struct ref *r = calloc(1, sizeof(*r));
    assert_non_null(r);
    board_open(&b, "mprofiler", 1);
    uint64_t x = seed;
    for (unsigned i = 0; i < accesses; i++) {
        x = x * 6364136223846793005U + 1442695040888963407U;
        uint32_t z = (uint32_t)(x >> 33);
        unsigned core = z & 3;
        bool store = (z >> 2 & 3) == 0;
        uint32_t line = (z >> 4) % lines * stride % (16U << 15);
        uint32_t stall = board_access(&b, core, line * 32, store);
        assert_true(stall < 20000);
        ref_access(r, core, line, store);
        compare_line(&b, r, line);
        if (i % 1024 == 0)
            compare_counts(&b, r);
    }
    compare_counts(&b, r);
    for (uint32_t n = 0; n < lines; n++)
        compare_line(&b, r, n * stride % (16U << 15));
    if (stride % L2_SETS == 0) /* all in one set of the L220 */
        assert_true(r->castout > 1000);
    board_close(&b);
    free(r);
}

static void test_spread(void **state)
{
    (void)state;
    traffic(1, LINES, 200000, 1);
}

static void test_conflicts(void **state)
{
    (void)state;
    traffic(256, 64, 200000, 2);
    traffic(4096, 48, 200000, 3);
    traffic(1031, LINES, 200000, 4);
}

static void test_contention(void **state)
{
    (void)state;
    struct board b;
    struct ref *r = calloc(1, sizeof(*r));
    assert_non_null(r);
    board_open(&b, "epro-mp", 9);
    uint64_t x = 77;
    for (unsigned i = 0; i < 200000; i++) { /* four lines that all four cores fight for */
        x = x * 6364136223846793005U + 1442695040888963407U;
        uint32_t z = (uint32_t)(x >> 33);
        (void)board_access(&b, z & 3, (z >> 5 & 3) * 32, z >> 4 & 1);
        ref_access(r, z & 3, z >> 5 & 3, z >> 4 & 1);
        compare_line(&b, r, z >> 5 & 3);
    }
    compare_counts(&b, r);
    assert_true(r->migrations > 10000);
    board_close(&b);
    free(r);
}

/* LDREX of core 0, then accesses of others: what its monitor watches afterwards. */
static uint32_t watched(struct board *b, uint32_t address)
{
    (void)board_access(b, 0, address, false);
    b->hot[0].monitor = address >> MPJ_LINE_SHIFT;
    return b->hot[0].monitor;
}

static void test_monitors(void **state)
{
    (void)state;
    struct board b;
    board_open(&b, "mprofiler", 1);
    assert_int_equal(b.hot[0].monitor, MPJ_LINE_NONE);

    /* other lines, reads of others, a migration, own stores and evictions: it stays */
    uint32_t line = watched(&b, 0x1000);
    (void)board_access(&b, 1, 0x1020, true);
    (void)board_access(&b, 1, 0x1000, false);
    (void)board_access(&b, 0, 0x1000, true);
    (void)board_access(&b, 2, 0x1000, false); /* M in core 0: moves */
    assert_int_equal(b.hot[0].dline[line], MPJ_LINE_I);
    for (uint32_t i = 1; i <= 8; i++)
        (void)board_access(&b, 0, 0x1000 + i * 0x2000, false);
    assert_int_equal(b.hot[0].monitor, line);

    /* a store of another core: to a line shared, owned clean, evicted here, unknown to it */
    (void)board_access(&b, 2, 0x1000, true); /* E after the migration */
    assert_int_equal(b.hot[0].monitor, MPJ_LINE_NONE);
    (void)watched(&b, 0x1000);
    (void)board_access(&b, 3, 0x1000, false);
    (void)board_access(&b, 3, 0x1000, true);
    assert_int_equal(b.hot[0].monitor, MPJ_LINE_NONE);
    (void)watched(&b, 0x1000);
    (void)board_access(&b, 1, 0x101c, true);
    assert_int_equal(b.hot[0].monitor, MPJ_LINE_NONE);

    /* memory that is not cached */
    b.hot[0].monitor = b.hot[1].monitor = 0x4000 >> MPJ_LINE_SHIFT;
    (void)mpj_uncached(b.chip, 1, 0x4004, false, b.now[1]);
    (void)mpj_uncached(b.chip, 1, 0x4020, true, b.now[1]);
    assert_int_not_equal(b.hot[0].monitor, MPJ_LINE_NONE);
    (void)mpj_uncached(b.chip, 1, 0x401c, true, b.now[1]);
    assert_int_equal(b.hot[0].monitor, MPJ_LINE_NONE);
    assert_int_not_equal(b.hot[1].monitor, MPJ_LINE_NONE); /* its own store */

    mpj_chip_reset(b.chip);
    assert_int_equal(b.hot[1].monitor, MPJ_LINE_NONE);
    board_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_conflicts),
        cmocka_unit_test(test_contention),
        cmocka_unit_test(test_monitors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
