/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where cores meet: one transfer of a line after the other, in the order of asking. */
#include "chip_fixture.h"

#define TRANSFER 16U /* scu_cycles + scu_transfer_cycles */

static struct board b;

static int setup(void **state)
{
    (void)state;
    board_open(&b, "mprofiler", 1);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    board_close(&b);
    return 0;
}

static uint32_t ask(unsigned core, uint32_t line, bool store, uint64_t now)
{
    return miss(b.chip, core, line, store, now);
}

/* Core 0 has the line modified; three others ask one cycle after the other. */
static void test_queue(void **state)
{
    (void)state;
    (void)ask(0, 8, true, 0);
    assert_int_equal(ask(1, 8, false, 1000), TRANSFER);        /* from 1000 to 1016 */
    assert_int_equal(ask(2, 8, true, 1001), 15 + 4);           /* its turn at 1016, taken at 1020 */
    assert_int_equal(ask(3, 8, false, 1002), 30 + TRANSFER);   /* from 1032 to 1048 */
    assert_int_equal(ask(0, 8, false, 1003), 45 + TRANSFER);   /* from 1048 to 1064 */
    assert_int_equal(ask(1, 8, false, 2000), TRANSFER);        /* nobody before it */
    assert_int_equal(ask(2, 9, false, 1004) > TRANSFER, true); /* another line: from memory */
    assert_int_equal(mpj_scu_event(b.chip, MPJ_SCU_C2C_CPU0, 0), 1);
}

/* An upgrade takes its turn, too, and finds the line gone if another one was first. */
static void test_upgrade(void **state)
{
    (void)state;
    (void)ask(0, 8, true, 0);
    (void)ask(1, 8, false, 1000);
    (void)ask(2, 8, false, 2000);               /* all of them shared */
    assert_int_equal(ask(1, 8, true, 3000), 0); /* posted, done at 3008 */
    assert_int_equal(ask(2, 8, true, 3001), 7 + 4);
    assert_int_equal(b.hot[1].dline[8], MPJ_LINE_I);
    assert_int_equal(b.hot[2].dline[8] & ~MPJ_LINE_WATCHED, MPJ_LINE_M);
}

/* Four cores add to one word in turns: a transfer and nothing else for each addition. */
static void test_adds(void **state)
{
    (void)state;
    const unsigned n = 1000;
    uint64_t now[MPJ_CORES] = {0};
    uint64_t last = 0;
    (void)ask(3, 8, true, 0);
    for (unsigned i = 0; i < MPJ_CORES; i++)
        now[i] = 10000 + i;
    for (unsigned i = 0; i < n; i++)
        for (unsigned core = 0; core < MPJ_CORES; core++) {
            now[core] += ask(core, 8, false, now[core]);
            if (last > 0)
                assert_int_equal(now[core] - last, TRANSFER);
            last = now[core];
            now[core] += 4;
            assert_int_equal(ask(core, 8, true, now[core]), 0);
        }
    assert_int_equal(mpj_scu_event(b.chip, MPJ_SCU_MIGRATION, 0), 4 * n);
}

/* From the second core on that asks within 4096 cycles, until none has for 32768. */
static void test_watched(void **state)
{
    (void)state;
    (void)ask(0, 8, true, 0);
    (void)ask(1, 8, true, 10000);
    assert_int_equal(b.hot[1].dline[8], MPJ_LINE_M);
    (void)ask(2, 8, true, 20000); /* too long ago */
    assert_int_equal(b.hot[2].dline[8], MPJ_LINE_M);
    (void)ask(3, 8, true, 24000);
    assert_int_equal(b.hot[3].dline[8], MPJ_LINE_M | MPJ_LINE_WATCHED);
    assert_false(mpj_store_hits(b.hot[3].dline[8]));
    assert_false(mpj_load_hits(b.hot[3].dline[8]));
    assert_int_equal(ask(3, 8, true, 24000 + 32768), 0); /* a hit */
    assert_int_equal(b.hot[3].dline[8], MPJ_LINE_M | MPJ_LINE_WATCHED);
    assert_int_equal(ask(3, 8, true, 24001 + 32768), 0);
    assert_int_equal(b.hot[3].dline[8], MPJ_LINE_M);
}

static struct {
    unsigned calls;
    uint64_t at[8];
    enum mpj_turn turn[8];
} turns;

static uint64_t note(void *peer, unsigned core, uint32_t line, uint64_t at, enum mpj_turn turn)
{
    (void)peer;
    (void)core;
    (void)line;
    turns.at[turns.calls % 8] = at;
    turns.turn[turns.calls++ % 8] = turn;
    return at;
}

/* Only what another core can notice waits for its turn. */
static void test_turns(void **state)
{
    (void)state;
    memset(&turns, 0, sizeof(turns));
    mpj_chip_order(b.chip, note, NULL);
    (void)ask(0, 8, true, 0);
    (void)ask(0, 9, false, 200);
    (void)ask(1, 9, false, 400); /* a copy of a clean line */
    assert_int_equal(turns.calls, 0);
    (void)ask(1, 8, true, 1000);
    assert_int_equal(turns.calls, 1);
    assert_int_equal(turns.at[0], 1000);
    assert_int_equal(turns.turn[0], MPJ_TURN_NOW);
    (void)ask(2, 8, false, 1010); /* has to wait until 1016, and takes it at 1020 */
    assert_int_equal(turns.calls, 3);
    assert_int_equal(turns.at[1], 1010);
    assert_int_equal(turns.at[2], 1020);
    assert_int_equal(turns.turn[2], MPJ_TURN_AFTER);
    (void)ask(2, 8, false, 1040);
    assert_int_equal(turns.calls, 4);
    assert_int_equal(turns.turn[3], MPJ_TURN_POLL);
}

static uint64_t forget(void *peer, unsigned core, uint32_t line, uint64_t at, enum mpj_turn turn)
{
    if (turn == MPJ_TURN_FORGET) {
        assert_int_equal(core, 1);
        assert_int_equal(at, 2300);
        assert_true(b.hot[0].dline[line] & MPJ_LINE_WATCHED);
        *(uint32_t *)peer = line;
    }
    return at;
}

/* Two lines of a set are known: the third one is in the place of the watched one. */
static void test_forgotten(void **state)
{
    (void)state;
    uint32_t line = 0;
    mpj_chip_order(b.chip, forget, &line);
    (void)ask(0, 8, true, 0);
    (void)ask(1, 8, true, 1000);
    (void)ask(0, 8, true, 1100); /* watched from now on */
    assert_true(b.hot[0].dline[8] & MPJ_LINE_WATCHED);
    (void)ask(0, 0x109, true, 2000);
    (void)ask(1, 0x109, true, 2100);
    (void)ask(0, 0x20a, true, 2200);
    assert_int_equal(line, 0);
    (void)ask(1, 0x20a, true, 2300);
    assert_int_equal(line, 8);
    assert_false(b.hot[0].dline[8] & MPJ_LINE_WATCHED);
}

static uint64_t queue_up(void *peer, unsigned core, uint32_t line, uint64_t at, enum mpj_turn turn)
{
    uint64_t taken = 0;
    (void)line;
    assert_int_not_equal(turn, MPJ_TURN_AFTER);
    if (mpj_chip_queue(b.chip, core, at, &taken)) {
        ++*(unsigned *)peer;
        assert_true(taken > at);
    }
    return at;
}

/* What the function queues waits as long as what queues by itself: see test_queue(). */
static void test_queued(void **state)
{
    (void)state;
    unsigned queued = 0;
    mpj_chip_order(b.chip, queue_up, &queued);
    (void)ask(0, 8, true, 0);
    assert_int_equal(ask(1, 8, false, 1000), TRANSFER);
    assert_int_equal(queued, 0); /* nobody before it */
    assert_int_equal(ask(2, 8, true, 1001), 15 + 4);
    assert_int_equal(ask(3, 8, false, 1002), 30 + TRANSFER);
    assert_int_equal(ask(0, 8, false, 1003), 45 + TRANSFER);
    assert_int_equal(queued, 3);
    assert_int_equal(ask(1, 8, false, 2000), TRANSFER);
    assert_int_equal(queued, 3);
    assert_int_equal(mpj_scu_event(b.chip, MPJ_SCU_C2C_CPU0, 0), 1);
}

/* Returns the end of watching: see test_watched(). */
static void test_watched_until(void **state)
{
    (void)state;
    (void)ask(0, 8, true, 0);
    (void)ask(1, 8, true, 10000);
    assert_int_equal(mpj_chip_watched(b.chip, 8), 0);
    (void)ask(2, 8, true, 12000);
    assert_int_equal(mpj_chip_watched(b.chip, 8), 12000 + 32768);
    (void)ask(2, 8, true, 12001 + 32768);
    assert_int_equal(mpj_chip_watched(b.chip, 8), 0);
}

/* Only a chip that nothing has used is not cleared by a reset. */
static void test_reset(void **state)
{
    (void)state;
    (void)ask(0, 8, true, 0);
    assert_int_equal(b.hot[0].dline[8], MPJ_LINE_M);
    mpj_chip_reset(b.chip);
    assert_int_equal(b.hot[0].dline[8], MPJ_LINE_I);
    assert_int_not_equal(ask(1, 8, false, 0), TRANSFER); /* from memory: core 0 has it no longer */
    assert_int_equal(mpj_scu_event(b.chip, MPJ_SCU_C2C_CPU0, 0), 0);
}

/* Finds the shortest and longest of so many transfers, from core 1 to core 2 in turns. */
static void transfers(uint64_t seed, uint32_t jitter, unsigned n, uint32_t *least, uint32_t *most)
{
    struct board d;

    board_open_disturbed(&d, "mprofiler", seed, jitter);
    (void)miss(d.chip, 0, 8, true, 0);
    *least = UINT32_MAX;
    *most = 0;
    for (uint64_t now = 1000; n > 0; n--, now += 1000) {
        (void)miss(d.chip, 1, 8, true, now);
        const uint32_t took = miss(d.chip, 2, 8, true, now + 1) + 1 - 4; /* until it arrived */
        *least = took < *least ? took : *least;
        *most = took > *most ? took : *most;
    }
    board_close(&d);
}

/* A disturbed line is up to so many cycles late, at random by the seed. */
static void test_jitter(void **state)
{
    (void)state;
    uint32_t least, most;
    (void)transfers(1, 0, 100, &least, &most);
    assert_int_equal(least, TRANSFER);
    assert_int_equal(most, TRANSFER);
    (void)transfers(1, 2, 1000, &least, &most);
    assert_int_equal(least, TRANSFER);
    assert_int_equal(most, TRANSFER + 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_queue, setup, teardown),
        cmocka_unit_test(test_jitter),
        cmocka_unit_test_setup_teardown(test_upgrade, setup, teardown),
        cmocka_unit_test_setup_teardown(test_adds, setup, teardown),
        cmocka_unit_test_setup_teardown(test_watched, setup, teardown),
        cmocka_unit_test_setup_teardown(test_turns, setup, teardown),
        cmocka_unit_test_setup_teardown(test_forgotten, setup, teardown),
        cmocka_unit_test_setup_teardown(test_queued, setup, teardown),
        cmocka_unit_test_setup_teardown(test_watched_until, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reset, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
