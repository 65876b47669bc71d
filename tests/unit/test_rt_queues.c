/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ready queue, wait hash, deadlines and stacks of the target's scheduler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "paint.h"
#include "runq.h"
#include "stacks.h"
#include "timeq.h"
#include "waitq.h"

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}

/* ---- ready queue ---------------------------------------------------------------- */

static void runq_order(void **state)
{
    struct mpj_runq q;
    struct mpj_runq_node n[6];
    static const uint8_t priority[6] = {5, 5, 9, 0, 5, 31};
    static const unsigned expected[6] = {5, 2, 0, 1, 4, 3};

    (void)state;
    mpj_runq_init(&q);
    assert_null(mpj_runq_take(&q, 0, 0));
    for (unsigned i = 0; i < 6; i++) {
        n[i] = (struct mpj_runq_node){.affinity = 0xf, .priority = priority[i]};
        mpj_runq_put(&q, &n[i]);
    }
    assert_int_equal(q.count, 6);
    for (unsigned i = 0; i < 6; i++)
        assert_ptr_equal(mpj_runq_take(&q, i % 4, 0), &n[expected[i]]);
    assert_int_equal(q.count, 0);
    assert_int_equal(q.used, 0);
}

static void runq_affinity_and_least(void **state)
{
    struct mpj_runq q;
    struct mpj_runq_node a = {.affinity = 1U << 2, .priority = 10};
    struct mpj_runq_node b = {.affinity = 0xf, .priority = 4};

    (void)state;
    mpj_runq_init(&q);
    mpj_runq_put(&q, &a);
    mpj_runq_put(&q, &b);
    assert_null(mpj_runq_take(&q, 0, 5));
    assert_ptr_equal(mpj_runq_take(&q, 0, 4), &b);
    assert_null(mpj_runq_take(&q, 3, 0));
    assert_ptr_equal(mpj_runq_take(&q, 2, 10), &a);
}

/* ---- wait hash ------------------------------------------------------------------ */

static void waitq_fifo_per_address(void **state)
{
    static struct mpj_waitq q;
    static struct mpj_waitq_node n[300];
    uint32_t words[3];
    unsigned taken = 0;

    (void)state;
    mpj_waitq_init(&q);
    assert_true(mpj_waitq_idle(&q, (uintptr_t)&words[0]));
    for (unsigned i = 0; i < 300; i++) {
        mpj_waitq_announce(&q, (uintptr_t)&words[i % 3]);
        assert_false(mpj_waitq_idle(&q, (uintptr_t)&words[i % 3]));
        mpj_waitq_add(&q, &n[i], (uintptr_t)&words[i % 3], 0);
    }
    for (unsigned i = 0; i < 300; i += 3, taken++)
        assert_ptr_equal(mpj_waitq_take(&q, (uintptr_t)&words[0]), &n[i]);
    assert_null(mpj_waitq_take(&q, (uintptr_t)&words[0]));
    assert_int_equal(taken, 100);
    mpj_waitq_remove(&q, &n[2]);
    for (unsigned i = 1; i < 300; i += 3)
        assert_ptr_equal(mpj_waitq_take(&q, (uintptr_t)&words[1]), &n[i]);
    for (unsigned i = 5; i < 300; i += 3)
        assert_ptr_equal(mpj_waitq_take(&q, (uintptr_t)&words[2]), &n[i]);
    for (unsigned i = 0; i < 3; i++)
        assert_true(mpj_waitq_idle(&q, (uintptr_t)&words[i]));
}

static void waitq_by_rank(void **state)
{
    static struct mpj_waitq q;
    struct mpj_waitq_node n[6];
    static const unsigned rank[6] = {2, 8, 8, 1, 2, 31};
    static const unsigned expected[6] = {5, 1, 2, 0, 4, 3};
    static const unsigned changed[6] = {5, 2, 4, 0, 3, 1};
    const uintptr_t addr = (uintptr_t)&q;

    (void)state;
    mpj_waitq_init(&q);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 6; i++) {
            mpj_waitq_announce(&q, addr);
            mpj_waitq_add(&q, &n[i], addr, rank[i]);
        }
        if (round == 1) { /* up: behind its new equals; down */
            mpj_waitq_rank(&q, &n[4], 8);
            mpj_waitq_rank(&q, &n[1], 0);
        }
        for (unsigned i = 0; i < 6; i++) {
            struct mpj_waitq_node *const next = &n[round == 0 ? expected[i] : changed[i]];

            assert_ptr_equal(mpj_waitq_first(&q, addr), next);
            assert_ptr_equal(mpj_waitq_take(&q, addr), next);
        }
        assert_true(mpj_waitq_idle(&q, addr));
    }
}

static void waitq_retract(void **state)
{
    static struct mpj_waitq q;
    uint32_t word;

    (void)state;
    mpj_waitq_init(&q);
    mpj_waitq_announce(&q, (uintptr_t)&word);
    assert_false(mpj_waitq_idle(&q, (uintptr_t)&word));
    mpj_waitq_retract(&q, (uintptr_t)&word);
    assert_true(mpj_waitq_idle(&q, (uintptr_t)&word));
}

/* ---- deadlines ------------------------------------------------------------------- */

static void timeq_against_a_sorted_array(void **state)
{
    enum { NODES = 200, STEPS = 20000 };
    static struct mpj_timeq_node n[NODES];
    struct mpj_timeq q;
    uint32_t seed = 7;

    (void)state;
    mpj_timeq_init(&q);
    memset(n, 0, sizeof(n));
    assert_true(mpj_timeq_deadline(&q) == UINT64_MAX);
    for (unsigned step = 0; step < STEPS; step++) {
        struct mpj_timeq_node *one = &n[next_random(&seed) % NODES];
        const struct mpj_timeq_node *least = NULL;

        if (one->slot == NULL)
            mpj_timeq_put(&q, one, next_random(&seed) % 50);
        else
            mpj_timeq_remove(&q, one);
        for (unsigned i = 0; i < NODES; i++) {
            if (n[i].slot != NULL &&
                (least == NULL || n[i].deadline < least->deadline ||
                 (n[i].deadline == least->deadline && n[i].serial < least->serial)))
                least = &n[i];
        }
        assert_ptr_equal(mpj_timeq_first(&q), least);
    }
    for (uint64_t last = 0; mpj_timeq_first(&q) != NULL;) {
        assert_true(mpj_timeq_deadline(&q) >= last);
        last = mpj_timeq_deadline(&q);
        mpj_timeq_remove(&q, mpj_timeq_first(&q));
    }
    mpj_timeq_remove(&q, &n[0]); /* in no queue: nothing happens */
    assert_null(mpj_timeq_first(&q));
}

/* ---- stacks ----------------------------------------------------------------------- */

#define PAGES 256U
static uint8_t guarded[PAGES];

static bool guard(uintptr_t page)
{
    assert_int_equal(page % MPJ_STACKS_PAGE, 0);
    assert_false(guarded[page / MPJ_STACKS_PAGE]);
    guarded[page / MPJ_STACKS_PAGE] = 1;
    return true;
}

static void unguard(uintptr_t page)
{
    assert_true(guarded[page / MPJ_STACKS_PAGE]);
    guarded[page / MPJ_STACKS_PAGE] = 0;
}

static void stacks_basics(void **state)
{
    static struct mpj_stacks s;
    const struct mpj_stack_note note = {0};
    struct mpj_stack_note last;
    uintptr_t a, b, c;
    uint32_t size = 65536;

    (void)state;
    memset(guarded, 0, sizeof(guarded));
    mpj_stacks_init(&s, 0x10000, PAGES * MPJ_STACKS_PAGE, guard, unguard);
    a = mpj_stacks_get(&s, &size, &last);
    assert_int_equal(size, 65536);
    assert_int_equal(a + size, PAGES * MPJ_STACKS_PAGE);
    assert_true(mpj_stacks_is_guard(&s, a - 1));
    assert_true(mpj_stacks_is_guard(&s, a - MPJ_STACKS_PAGE));
    assert_false(mpj_stacks_is_guard(&s, a));
    b = mpj_stacks_get(&s, &size, &last);
    assert_int_equal(b + size + MPJ_STACKS_PAGE, a);
    mpj_stacks_put(&s, a, &note);
    c = mpj_stacks_get(&s, &size, &last); /* equal size: the same block again, guard and all */
    assert_int_equal(c, a);
    size = 0xfffff000U;
    assert_int_equal(mpj_stacks_get(&s, &size, &last), 0);
}

static void stacks_border_moves(void **state)
{
    static struct mpj_stacks s;
    const struct mpj_stack_note note = {0};
    struct mpj_stack_note last;
    uint32_t size = 65536;
    uintptr_t block[300];
    unsigned n = 0;

    (void)state;
    memset(guarded, 0, sizeof(guarded));
    mpj_stacks_init(&s, 0x10000, PAGES * MPJ_STACKS_PAGE, guard, unguard);
    while ((block[n] = mpj_stacks_get(&s, &size, &last)) != 0)
        n++;
    assert_int_equal(n, (PAGES * MPJ_STACKS_PAGE - 0x10000 - MPJ_STACKS_ROOM) /
                            (65536 + MPJ_STACKS_PAGE));
    assert_int_equal(mpj_stacks_sbrk(&s, 2 << 20, 0x10000), 0);
    for (unsigned i = n / 2; i < n; i++)
        mpj_stacks_put(&s, block[i], &note);
    assert_int_equal(mpj_stacks_sbrk(&s, 2 << 20, 0x10000), 0x10000);
    assert_int_equal(mpj_stacks_sbrk(&s, -(2 << 20), 0x10000), 0x210000);
    assert_int_equal(mpj_stacks_sbrk(&s, -1, 0x10000), 0); /* below its start */
    for (unsigned i = 0; i < n / 2; i++)
        mpj_stacks_put(&s, block[i], &note);
    assert_int_equal(mpj_stacks_sbrk(&s, 0xf00000, 0x10000), 0x10000);
    assert_int_equal(s.count, 0);
    for (unsigned i = 0; i < PAGES; i++)
        assert_int_equal(guarded[i], 0);
}

static unsigned forgotten;

static void forget(const struct mpj_stack_note *last)
{
    assert_true(last->top != 0);
    forgotten++;
}

/* Whose a stack was is known until it has another owner or ceases to be one. */
static void stacks_notes(void **state)
{
    static struct mpj_stacks s;
    struct mpj_stack_note note, last;
    uint32_t size = 65536, large = 10 * 65536;
    uintptr_t a, b;

    (void)state;
    memset(guarded, 0, sizeof(guarded));
    forgotten = 0;
    mpj_stacks_init(&s, 0x10000, PAGES * MPJ_STACKS_PAGE, guard, unguard);
    s.forget = forget;
    s.ready = PAGES * MPJ_STACKS_PAGE - 5U * MPJ_STACKS_PAGE;
    a = mpj_stacks_get(&s, &size, &last);
    assert_int_equal(last.top, 0); /* new memory */
    assert_true(last.ready);
    b = mpj_stacks_get(&s, &size, &last);
    assert_true(last.ready);
    note = (struct mpj_stack_note){.low = a, .top = a + size};
    mpj_stacks_put(&s, a, &note);
    assert_int_equal(mpj_stacks_get(&s, &size, &last), a);
    assert_int_equal(last.low, a);
    assert_int_equal(last.top, a + size);
    mpj_stacks_put(&s, a, &note);
    note = (struct mpj_stack_note){.low = b, .top = b + size};
    mpj_stacks_put(&s, b, &note);
    mpj_stacks_forget(&s);
    assert_int_equal(forgotten, 2);
    assert_int_equal(mpj_stacks_get(&s, &size, &last), a);
    assert_int_equal(last.top, 0);
    assert_false(last.ready);
    note = (struct mpj_stack_note){.low = a, .top = a + size};
    mpj_stacks_put(&s, a, &note);
    /* Memory is short: the two free ones become one. */
    while (mpj_stacks_get(&s, &large, &last) != 0)
        ;
    assert_int_equal(forgotten, 3);
    assert_int_equal(s.peak, 0x10000);
    assert_int_equal(mpj_stacks_sbrk(&s, 8192, 0x10000), 0x10000);
    assert_int_equal(mpj_stacks_sbrk(&s, -4096, 0x10000), 0x12000);
    assert_int_equal(s.peak, 0x12000);
}

#define PAINTED 0x100000U

static void write_at(uint32_t *stack, uint32_t depth)
{
    stack[(PAINTED - depth) / 4U] = 0x12345678U;
}

static uint32_t resolution(uint32_t depth)
{
    const uint32_t deep = depth / 8U > 1024U ? depth / 8U : 1024U;

    return depth < 2048U ? 256U : deep;
}

/* Depths are found to the resolution that the header promises. */
static void paint_depths(void **state)
{
    uint32_t *const stack = aligned_alloc(65536, PAINTED);
    const uintptr_t low = (uintptr_t)stack, end = low + PAINTED;

    (void)state;
    assert_non_null(stack);
    for (uint32_t depth = 4; depth <= PAINTED - 4096U; depth += depth < 8192 ? 4U : 1020U) {
        const uintptr_t top = end - depth % 8U * 512U;
        uint32_t full, quick;

        mpj_paint(low, top, top, UINT32_MAX);
        for (uint32_t d = 4; d <= depth; d += 4)
            write_at(stack, d + (uint32_t)(end - top));
        full = mpj_paint_depth(low, top, false);
        quick = mpj_paint_depth(low, top, true);
        assert_int_equal(full, quick);
        assert_true(full >= depth);
        assert_true(full - depth <= resolution(depth));
    }
    free(stack);
}

/* What is not written in the middle: a quick look goes to 2 KB, and from there to four
 * times what it found.
 */
static void paint_gaps(void **state)
{
    uint32_t *const stack = aligned_alloc(65536, PAINTED);
    const uintptr_t low = (uintptr_t)stack, top = low + PAINTED;

    (void)state;
    assert_non_null(stack);
    mpj_paint(low, top, top, UINT32_MAX);
    write_at(stack, 256);
    write_at(stack, 1792);
    write_at(stack, 8192);
    assert_in_range(mpj_paint_depth(low, top, true), 8192, 9216);
    mpj_paint(low, top, top, UINT32_MAX);
    write_at(stack, 256);
    write_at(stack, 8192);
    assert_in_range(mpj_paint_depth(low, top, true), 512, 512);
    assert_in_range(mpj_paint_depth(low, top, false), 8192, 9216);
    /* painted as deep as it was used: what is deeper is found again */
    mpj_paint(low, top, top, 512);
    assert_in_range(mpj_paint_depth(low, top, false), 8192, 9216);
    mpj_paint(low, top, top, 9216);
    assert_int_equal(mpj_paint_depth(low, top, false), 256);
    /* only below what runs already; and a stack that is smaller than a step */
    memset(stack, 0, PAINTED);
    mpj_paint(low, top, top - 1024, UINT32_MAX);
    assert_int_equal(mpj_paint_depth(low, top, false), 1024 + 256);
    assert_int_equal(mpj_paint_depth(top - 128, top, false), 128);
    /* ready before: wherever the stack ends */
    for (uintptr_t end = top - 16384U; end <= top; end += 8) {
        mpj_paint_ready(low, top);
        assert_in_range(mpj_paint_depth(low, end, false), 0, 256);
        write_at(stack, 131072);
        assert_in_range(mpj_paint_depth(low, end, false), 131072 - 16384, 131072 + 16384);
    }
    free(stack);
}

/* Random sizes, lifetimes and heap moves: blocks never overlap each other or the heap. */
static void stacks_random(void **state)
{
    enum { LIVE = 40 };
    static struct mpj_stacks s;
    const struct mpj_stack_note note = {0};
    struct mpj_stack_note last;
    struct {
        uintptr_t at;
        uint32_t size;
    } live[LIVE] = {{0, 0}};
    uint32_t seed = 3;

    (void)state;
    memset(guarded, 0, sizeof(guarded));
    mpj_stacks_init(&s, 0x10000, PAGES * MPJ_STACKS_PAGE, guard, unguard);
    for (unsigned step = 0; step < 20000; step++) {
        unsigned i = next_random(&seed) % LIVE;

        if (live[i].at != 0) {
            mpj_stacks_put(&s, live[i].at, &note);
            live[i].at = 0;
        } else {
            live[i].size = 1U + next_random(&seed) % 900000U;
            uint32_t wanted = live[i].size;
            live[i].at = mpj_stacks_get(&s, &live[i].size, &last);
            if (live[i].at != 0) {
                assert_true(live[i].size >= wanted);
                assert_true(live[i].at - MPJ_STACKS_PAGE >= s.brk);
                assert_true(guarded[live[i].at / MPJ_STACKS_PAGE - 1]);
            }
        }
        if (next_random(&seed) % 8 == 0)
            (void)mpj_stacks_sbrk(&s, (intptr_t)(next_random(&seed) % 2000000U) - 1000000, 0x10000);
        for (unsigned j = 0; j < LIVE; j++) {
            for (unsigned k = 0; k < j; k++) {
                if (live[j].at == 0 || live[k].at == 0)
                    continue;
                assert_true(live[j].at - MPJ_STACKS_PAGE >= live[k].at + live[k].size ||
                            live[k].at - MPJ_STACKS_PAGE >= live[j].at + live[j].size);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runq_order),
        cmocka_unit_test(runq_affinity_and_least),
        cmocka_unit_test(waitq_fifo_per_address),
        cmocka_unit_test(waitq_by_rank),
        cmocka_unit_test(waitq_retract),
        cmocka_unit_test(timeq_against_a_sorted_array),
        cmocka_unit_test(stacks_basics),
        cmocka_unit_test(stacks_border_moves),
        cmocka_unit_test(stacks_random),
        cmocka_unit_test(stacks_notes),
        cmocka_unit_test(paint_depths),
        cmocka_unit_test(paint_gaps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
