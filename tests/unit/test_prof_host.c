/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time in input and output: a category of its own of threads, regions, timelines and cores. */
#include "prof_fixture.h"

/* Ticks of a thread's timeline. */
static void line(uint32_t id, uint64_t *run, uint64_t *block, uint64_t *host)
{
    struct mpj_timeline_rec t;
    const struct mpj_rec *rec;

    *run = *block = *host = 0;
    for (unsigned i = 0; (rec = find(MPJ_REC_THREAD_SWITCH, i)) != NULL; i++) {
        assert_int_equal(mpj_timeline_get(rec, &t), 0);
        for (uint32_t k = 0; t.thread == id && k < t.count; k++) {
            *run += t.bin[k].run;
            *block += t.bin[k].block;
            *host += t.bin[k].host;
        }
    }
}

/* A call inside of another one, in a region: what is counted in it is nobody's. */
static void calls(void **state)
{
    struct mpj_hook_thread a;
    struct mpj_thread_rec t;
    struct mpj_region_rec g;
    struct mpj_parallel_rec p;
    struct mpj_core_rec core;
    uint64_t run, block, host;

    (void)state;
    mpj_prof_thread_init(&a, 1, 0, NULL);
    at(1000);
    start();
    on(0, NULL, &a);
    at(2000);
    mpj_prof_region_begin((void *)0x9000, 1, 0, 1);
    work(0, 500, 300, 10);
    at(3000);
    mpj_prof_host_begin(&a);
    assert_int_equal(hal_cpu_context(), 0);
    work(0, 10000, 9000, 70);
    mpj_prof_host_begin(&a);
    at(7000);
    mpj_prof_host_end(&a);
    at(8000);
    mpj_prof_host_end(&a);
    assert_int_equal(hal_cpu_context(), 1);
    work(0, 40, 20, 1);
    at(8500);
    mpj_prof_region_end((void *)0x9000, 1, 0, NULL);
    at(9000);
    finish();

    t = thread(1);
    assert_int_equal(t.run, 2000 + 1000);
    assert_int_equal(t.host, 5000);
    assert_int_equal(t.block + t.sleep, 0);
    assert_int_equal(t.cycles, 540);
    assert_int_equal(t.ev[0].value, 320);
    assert_int_equal(t.switches, 1);
    line(1, &run, &block, &host);
    assert_int_equal(run, 3000);
    assert_int_equal(block, 0);
    assert_int_equal(host, 5000);
    assert_int_equal(mpj_region_get(find(MPJ_REC_REGION, 0), &g), 0);
    assert_int_equal(g.wall, 6500);
    assert_int_equal(g.run, 1500);
    assert_int_equal(g.host, 5000);
    assert_int_equal(g.cycles, 540);
    assert_int_equal(mpj_parallel_get(find(MPJ_REC_PARALLEL, 0), &p), 0);
    assert_int_equal(p.ticks[1], 3000);
    assert_int_equal(p.ticks[0], 5000);
    assert_int_equal(mpj_core_get(find(MPJ_REC_CORE, 0), &core), 0);
    assert_int_equal(core.ev[0].value, 9320); /* the core has done it all the same */
}

/* In the middle of a call it waits for a lock, is preempted and goes on elsewhere; another thread
 * waits for the line. */
static void waits(void **state)
{
    const struct mpj_wait_info mutex = {.kind = MPJ_WAIT_MUTEX, .object = (void *)0x1000};
    const struct mpj_wait_info turn = {.kind = MPJ_WAIT_HOST, .object = (void *)0x2000};
    struct mpj_hook_thread a, b;
    struct mpj_thread_rec t;
    struct mpj_parallel_rec p;
    struct mpj_wait_rec w;
    uint64_t run, block, host;

    (void)state;
    mpj_prof_thread_init(&a, 1, 0, NULL);
    mpj_prof_thread_init(&b, 2, 1, NULL);
    start();
    on(0, NULL, &a);
    on(1, NULL, &b);
    at(100);
    mpj_prof_host_begin(&a);
    at(150);
    mpj_prof_wait_begin(&a, &mutex);
    on(0, &a, NULL);
    at(250);
    mpj_prof_wait_end(&a); /* 100 of waiting within the call */
    at(260);
    on(2, NULL, &a); /* ready for 10 */
    at(300);
    on(2, &a, NULL); /* preempted for 30 */
    at(330);
    on(2, NULL, &a);
    hal_fake_set_core(1);
    mpj_prof_wait_begin(&b, &turn);
    hal_fake_set_core(0);
    on(1, &b, NULL);
    at(400);
    hal_fake_set_core(2);
    mpj_prof_host_end(&a);
    hal_fake_set_core(0);
    mpj_prof_wait_end(&b);
    on(1, NULL, &b);
    at(500);
    finish();

    t = thread(1);
    assert_int_equal(t.run, 100 + 100);
    assert_int_equal(t.block, 0);
    assert_int_equal(t.host, 50 + 100 + 40 + 70);
    assert_int_equal(t.ended - t.created, t.run + t.block + t.sleep + t.host + 10 + 30);
    line(1, &run, &block, &host);
    assert_int_equal(run, t.run);
    assert_int_equal(block, 0);
    assert_int_equal(host, t.host);
    t = thread(2);
    assert_int_equal(t.run, 330 + 100);
    assert_int_equal(t.host, 70);
    assert_int_equal(t.sleep, 0);
    assert_int_equal(mpj_wait_get(find(MPJ_REC_SYNC_WAIT, 0), &w), 0);
    assert_int_equal(w.kind, MPJ_WAIT_HOST); /* whatever for */
    assert_int_equal(w.total, 100);
    assert_int_equal(mpj_wait_get(find(MPJ_REC_SYNC_WAIT, 1), &w), 0);
    assert_int_equal(w.kind, MPJ_WAIT_HOST);
    assert_int_equal(w.total, 70);
    assert_int_equal(mpj_parallel_get(find(MPJ_REC_PARALLEL, 0), &p), 0);
    assert_int_equal(p.ticks[2], 100 + 100);
    assert_int_equal(p.ticks[1], 230);
    assert_int_equal(p.ticks[0], 70);
}

/* Without accounts, and in a thread that has none, nothing happens. */
static void without(void **state)
{
    struct mpj_hook_thread a = {.id = 7};

    (void)state;
    mpj_prof_host_begin(&a);
    mpj_prof_host_end(&a);
    configure(MPJ_CONFIG_NO_THREADS);
    mpj_prof_thread_init(&a, 1, 0, NULL);
    start();
    mpj_prof_host_begin(&a);
    mpj_prof_host_end(&a);
    finish();
    assert_null(find(MPJ_REC_THREAD, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(calls, setup),
        cmocka_unit_test_setup(waits, setup),
        cmocka_unit_test_setup(without, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
