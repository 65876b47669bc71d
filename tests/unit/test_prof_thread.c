/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accounting of threads on the fake machine: states, counters, waits, regions, limits. */
#include "prof_fixture.h"

static void life(void **state)
{
    const struct mpj_wait_info mutex = {
        .kind = MPJ_WAIT_MUTEX, .object = (void *)0x1000, .owner = 1, .caller = (void *)0x8004};
    const struct mpj_wait_info nap = {.kind = MPJ_WAIT_SLEEP, .caller = (void *)0x8008};
    struct mpj_hook_thread a, b;
    struct mpj_thread_rec t;
    struct mpj_wait_rec w;
    struct mpj_parallel_rec p;
    struct mpj_core_rec core;
    uint64_t instr = 0;

    (void)state;
    mpj_prof_thread_init(&a, 1, 0, NULL);
    at(1000);
    start();
    work(0, 10, 7, 1); /* before main: the kernel's */
    on(0, NULL, &a);
    assert_int_equal(hal_cpu_context(), 1);
    work(0, 1000, 500, 20);
    at(2000);
    mpj_prof_thread_init(&b, 2, 1, (void *)0x9000);
    mpj_prof_thread_name(&b, "worker");
    at(2100);
    on(3, NULL, &b); /* ready for 100 ticks */
    at(3100);
    work(3, 2000, 900, 40);
    mpj_prof_wait_begin(&b, &mutex);
    on(3, &b, NULL); /* ran 1000 */
    at(3500);
    mpj_prof_wait_end(&b); /* blocked 400 */
    at(3600);
    on(2, NULL, &b); /* ready 100 */
    work(2, 30, 10, 0);
    at(3700);
    mpj_prof_wait_begin(&b, &nap);
    on(2, &b, NULL); /* ran 100 */
    at(4000);
    mpj_prof_wait_end(&b); /* slept 300 */
    on(2, NULL, &b);
    mpj_prof_thread_exit(&b);
    at(4050);
    on(2, &b, NULL); /* ran 50 */
    at(5000);
    work(0, 1, 1, 0);
    finish();

    t = thread(2);
    assert_int_equal(t.parent, 1);
    assert_int_equal(t.entry, 0x9000);
    assert_int_equal(t.flags, 0);
    assert_int_equal(t.created, 2000);
    assert_int_equal(t.ended, 4050);
    assert_int_equal(t.run, 1150);
    assert_int_equal(t.block, 400);
    assert_int_equal(t.sleep, 300);
    assert_int_equal(t.switches, 3);
    assert_int_equal(t.cycles, 2030);
    assert_int_equal(t.core_run[3], 1000);
    assert_int_equal(t.core_run[2], 150);
    assert_int_equal(t.count, 2);
    assert_int_equal(t.ev[0].event, MPJ_EVENT_INSTR);
    assert_int_equal(t.ev[0].value, 910);
    assert_int_equal(t.ev[1].value, 40);
    assert_int_equal(t.ev[0].active, 1150);
    assert_int_equal(t.name.len, 6);
    assert_memory_equal(t.name.p, "worker", 6);
    t = thread(1);
    assert_int_equal(t.flags, MPJ_THREAD_ALIVE | MPJ_THREAD_MAIN);
    assert_int_equal(t.created, 1000);
    assert_int_equal(t.ended, 5000);
    assert_int_equal(t.run, 4000);
    assert_int_equal(t.ev[0].value, 501);

    assert_int_equal(mpj_wait_get(find(MPJ_REC_SYNC_WAIT, 0), &w), 0);
    assert_int_equal(w.thread, 2);
    assert_int_equal(w.kind, MPJ_WAIT_MUTEX);
    assert_int_equal(w.object, 0x1000);
    assert_int_equal(w.owner, 1);
    assert_int_equal(w.caller, 0x8004);
    assert_int_equal(w.count, 1);
    assert_int_equal(w.total, 400);
    assert_int_equal(mpj_wait_get(find(MPJ_REC_SYNC_WAIT, 1), &w), 0);
    assert_int_equal(w.longest, 300);
    assert_int_equal(mpj_parallel_get(find(MPJ_REC_PARALLEL, 0), &p), 0);
    assert_int_equal(p.ticks[2], 1150);
    assert_int_equal(p.ticks[1], 4000 - 1150);
    assert_int_equal(p.ticks[0], 0);
    /* Threads and the rest add up to the cores. */
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(mpj_core_get(find(MPJ_REC_CORE, i), &core), 0);
        instr += core.ev[0].value;
    }
    assert_int_equal(instr, 910 + 501 + 7);
}

/* A run of the counters past 32 bits within one turn on a core. */
static void long_turn(void **state)
{
    struct mpj_hook_thread a;

    (void)state;
    mpj_prof_thread_init(&a, 1, 0, NULL);
    start();
    on(0, NULL, &a);
    for (unsigned i = 0; i < 5; i++) {
        work(0, 0xc0000000U, 0xb0000000U, 0);
        mpj_prof_irq_pmu(49, NULL);
    }
    work(0, 0x50000000U, 0xa0000000U, 0); /* overflows with its interrupt still to come */
    on(0, &a, NULL);
    finish();
    assert_true(thread(1).cycles == 5ULL * 0xc0000000U + 0x50000000U);
    assert_true(thread(1).ev[0].value == 5ULL * 0xb0000000U + 0xa0000000U);
}

static void kernel_share(void **state)
{
    struct mpj_hook_thread a, b;

    (void)state;
    mpj_prof_thread_init(&a, 1, 0, NULL);
    mpj_prof_thread_init(&b, 2, 1, NULL);
    start();
    on(0, NULL, &a);
    work(0, 1000, 0, 0);
    mpj_prof_kernel_enter(0);
    work(0, 350, 0, 0);
    at(100);
    on(0, &a, &b);
    work(0, 700, 0, 0);
    mpj_prof_kernel_leave(0);
    work(0, 5000, 0, 0);
    at(160);
    finish();
    assert_int_equal(thread(1).kernel, 350 * 24 / 210);
    assert_int_equal(thread(2).run, 60); /* by the clock; and of that at most is the kernel's */
    assert_int_equal(thread(2).kernel, 60);
    assert_int_equal(thread(2).cycles, 5700);
}

/* A condition's waiter goes on to wait for the mutex; a deadlock leaves a wait open. */
static void waits(void **state)
{
    const struct mpj_wait_info cond = {.kind = MPJ_WAIT_COND, .object = (void *)0x10};
    const struct mpj_wait_info mutex = {.kind = MPJ_WAIT_MUTEX, .object = (void *)0x20};
    struct mpj_hook_thread a;
    struct mpj_wait_rec w;

    (void)state;
    mpj_prof_thread_init(&a, 1, 0, NULL);
    start();
    on(0, NULL, &a);
    at(100);
    mpj_prof_wait_begin(&a, &cond);
    on(0, &a, NULL);
    at(130);
    mpj_prof_wait_end(&a);
    mpj_prof_wait_begin(&a, &mutex);
    at(1000);
    finish();
    assert_int_equal(mpj_wait_get(find(MPJ_REC_SYNC_WAIT, 0), &w), 0);
    assert_int_equal(w.total, 30);
    assert_int_equal(mpj_wait_get(find(MPJ_REC_SYNC_WAIT, 1), &w), 0);
    assert_int_equal(w.kind, MPJ_WAIT_MUTEX);
    assert_int_equal(w.total, 870);
    assert_int_equal(thread(1).block, 900);
    assert_int_equal(thread(1).run, 100);
}

static void regions(void **state)
{
    const struct mpj_wait_info barrier = {.kind = MPJ_WAIT_OMP_BARRIER, .object = (void *)0x10};
    struct mpj_hook_thread a;
    struct mpj_region_rec g;

    (void)state;
    mpj_prof_thread_init(&a, 1, 0, NULL);
    start();
    on(0, NULL, &a);
    for (unsigned i = 0; i < 3; i++) {
        at(1000 * i + 100);
        work(0, 50, 5, 0); /* outside */
        mpj_prof_region_begin((void *)0x9000, i, 0, 4);
        work(0, 100, 10, 1);
        at(1000 * i + 300);
        mpj_prof_wait_begin(&a, &barrier);
        on(0, &a, NULL);
        work(0, 1000, 1000, 0); /* the idle core's */
        at(1000 * i + 350);
        mpj_prof_wait_end(&a);
        on(0, NULL, &a);
        at(1000 * i + 360);
        mpj_prof_region_end((void *)0x9000, i, 0, (void *)0x8124);
    }
    finish();
    assert_int_equal(mpj_region_get(find(MPJ_REC_REGION, 0), &g), 0);
    assert_null(find(MPJ_REC_REGION, 1));
    assert_int_equal(g.fn, 0x9000);
    assert_int_equal(g.caller, 0x8124);
    assert_int_equal(g.thread, 1);
    assert_int_equal(g.size, 4);
    assert_int_equal(g.calls, 3);
    assert_int_equal(g.wall, 3 * 260);
    assert_int_equal(g.run, 3 * 210);
    assert_int_equal(g.barrier, 3 * 50);
    assert_int_equal(g.cycles, 300);
    assert_int_equal(g.ev[0].value, 30);
    assert_int_equal(thread(1).cycles, 450);
}

/* A region in a region; one deeper is not accounted for; the run ends in the outer one. */
static void regions_left(void **state)
{
    struct mpj_hook_thread a;
    struct mpj_region_rec g;

    (void)state;
    mpj_prof_thread_init(&a, 1, 0, NULL);
    start();
    on(0, NULL, &a);
    work(0, 70, 7, 0);
    mpj_prof_region_begin((void *)0x9000, 1, 0, 4);
    work(0, 100, 10, 0);
    at(100);
    mpj_prof_region_begin((void *)0x9100, 2, 0, 2);
    work(0, 50, 5, 0);
    at(140);
    mpj_prof_region_begin((void *)0x9200, 3, 0, 1);
    work(0, 3, 1, 0);
    mpj_prof_region_end((void *)0x9200, 3, 0, (void *)0x8300);
    mpj_prof_region_end((void *)0x9100, 2, 0, (void *)0x8200);
    work(0, 20, 2, 0);
    at(190);
    finish();
    assert_int_equal(mpj_region_get(find(MPJ_REC_REGION, 0), &g), 0);
    assert_int_equal(g.fn, 0x9000);
    assert_int_equal(g.calls, 1);
    assert_int_equal(g.size, 4);
    assert_int_equal(g.wall, 190);
    assert_int_equal(g.run, 190);
    assert_int_equal(g.cycles, 173);
    assert_int_equal(g.ev[0].value, 18);
    assert_int_equal(mpj_region_get(find(MPJ_REC_REGION, 1), &g), 0);
    assert_int_equal(g.fn, 0x9100);
    assert_int_equal(g.caller, 0x8200);
    assert_int_equal(g.wall, 40);
    assert_int_equal(g.cycles, 53);
    assert_int_equal(g.ev[0].value, 6);
    assert_null(find(MPJ_REC_REGION, 2));
}

/* Begins a run with two pairs in turn, of three events, and thread 1 on core 0. */
static void start_in_turn(struct mpj_hook_thread *a, const uint16_t event[3])
{
    const struct mpj_rotation_rec pairs = {
        .period_ms = 10, .count = 2, .event = {{event[0], event[1]}, {event[2], MPJ_EVENT_NONE}}};
    const char *why;

    assert_int_equal(mpj_prof_rotate(&pairs, &why), 0);
    mpj_prof_thread_init(a, 1, 0, NULL);
    start();
    on(0, NULL, a);
}

/* With events in turn a region has the sums of all pairs. */
static void regions_in_turn(void **state)
{
    struct mpj_hook_thread a;
    struct mpj_region_rec g;

    (void)state;
    start_in_turn(&a, (const uint16_t[3]){MPJ_EVENT_INSTR, MPJ_EVENT_NONE, MPJ_EVENT_BRANCH});
    for (unsigned i = 0; i < 2; i++) {
        work(0, 500, 50, 0);
        mpj_prof_region_begin((void *)0x9000, i, 0, 4);
        work(0, 1000, 100, 0);
        at(480000 * i + 240000);
        mpj_prof_irq_sample(30, NULL); /* the second pair */
        work(0, 300, 40, 0);
        mpj_prof_region_end((void *)0x9000, i, 0, NULL);
        at(480000 * (i + 1));
        mpj_prof_irq_sample(30, NULL);
    }
    finish();
    assert_int_equal(mpj_region_get(find(MPJ_REC_REGION, 0), &g), 0);
    assert_int_equal(g.calls, 2);
    assert_int_equal(g.cycles, 2600);
    assert_int_equal(g.count, 2);
    assert_int_equal(g.ev[0].event, MPJ_EVENT_INSTR);
    assert_int_equal(g.ev[0].value, 200);
    assert_int_equal(g.ev[1].event, MPJ_EVENT_BRANCH);
    assert_int_equal(g.ev[1].value, 80);
}

static void rotation(void **state)
{
    struct mpj_hook_thread a;
    struct mpj_thread_rec t;
    struct mpj_core_rec core;
    struct mpj_spread_rec spread;

    (void)state;
    start_in_turn(&a, (const uint16_t[3]){MPJ_EVENT_INSTR, MPJ_EVENT_BRANCH, MPJ_EVENT_DCACHE_RD});
    for (unsigned i = 0; i < 4; i++) { /* pairs 0, 1, 0, 1 */
        work(0, i < 3 ? 1000 : 3000, 100, 7);
        at(240000 * (i + 1U));
        if (i < 3)
            mpj_prof_irq_sample(30, NULL);
    }
    finish();
    t = thread(1);
    assert_int_equal(t.cycles, 6000);
    assert_int_equal(t.count, 3);
    assert_int_equal(t.ev[0].value, 200);
    assert_int_equal(t.ev[1].event, MPJ_EVENT_BRANCH);
    assert_int_equal(t.ev[1].value, 14);
    assert_int_equal(t.ev[2].event, MPJ_EVENT_DCACHE_RD);
    assert_int_equal(t.ev[2].value, 200);
    assert_in_range(t.ev[0].active, 320000 - 2, 320000);
    assert_in_range(t.ev[2].active, 640000 - 2, 640000);
    assert_int_equal(mpj_core_get(find(MPJ_REC_CORE, 0), &core), 0);
    assert_int_equal(core.count, 3);
    assert_int_equal(core.ev[2].value, 200);
    for (unsigned i = 0; i < 2; i++) { /* the core's, and those of the one thread on it */
        assert_int_equal(mpj_spread_get(find(MPJ_REC_SPREAD, i * MPJ_CORES_MAX), &spread), 0);
        assert_int_equal(spread.owner, i == 0 ? MPJ_SPREAD_CORE : MPJ_SPREAD_THREAD);
        assert_int_equal(spread.id, i);
        assert_int_equal(spread.count, 3);
        assert_int_equal(spread.ev[1].event, MPJ_EVENT_BRANCH);
        assert_int_equal(spread.ev[1].turns, 2);
        assert_int_equal(spread.ev[1].c, 2000);
        assert_int_equal(spread.ev[1].x, 14);
        assert_int_equal(spread.ev[1].cc, 2000000);
        assert_int_equal(spread.ev[1].xc, 14000);
        assert_int_equal(spread.ev[1].xx, 98);
        assert_int_equal(spread.ev[2].c, 4000);
        assert_int_equal(spread.ev[2].cc, 1000000 + 9000000);
        assert_int_equal(spread.ev[2].xc, 100000 + 300000);
    }
    assert_null(find(MPJ_REC_SPREAD, MPJ_CORES_MAX + 1));
}

/* A thread that comes and goes within a turn had one slice of it. */
static void slices(void **state)
{
    struct mpj_hook_thread a;
    struct mpj_hook_thread b;
    struct mpj_spread_rec spread;

    (void)state;
    start_in_turn(&a, (const uint16_t[3]){MPJ_EVENT_INSTR, MPJ_EVENT_NONE, MPJ_EVENT_BRANCH});
    mpj_prof_thread_init(&b, 2, 1, NULL);
    for (unsigned i = 0; i < 4; i++) {
        work(0, 100, 10, 0);
        on(0, &a, &b);
        work(0, 1000, 1, 0);
        on(0, &b, &a);
        work(0, 300, 30, 0);
        at(240000 * (i + 1U));
        if (i < 3)
            mpj_prof_irq_sample(30, NULL);
    }
    finish();
    assert_int_equal(mpj_spread_get(find(MPJ_REC_SPREAD, MPJ_CORES_MAX), &spread), 0);
    assert_int_equal(spread.id, 1);
    assert_int_equal(spread.ev[0].turns, 2);
    assert_int_equal(spread.ev[0].x, 80);
    assert_int_equal(spread.ev[0].xx, 2 * 40 * 40);
    assert_int_equal(spread.ev[0].cc, 2 * 400 * 400);
    assert_int_equal(mpj_spread_get(find(MPJ_REC_SPREAD, MPJ_CORES_MAX + 1), &spread), 0);
    assert_int_equal(spread.id, 2);
    assert_int_equal(spread.ev[1].turns, 2);
    assert_int_equal(spread.ev[1].xc, 2 * 1000);
}

static void nothing_asked_for(void **state)
{
    struct mpj_hook_thread a;

    (void)state;
    configure(MPJ_CONFIG_NO_THREADS);
    mpj_prof_thread_init(&a, 1, 0, NULL);
    start();
    on(0, NULL, &a);
    assert_int_equal(hal_cpu_context(), 1);
    finish();
    assert_null(find(MPJ_REC_THREAD, 0));
    assert_null(find(MPJ_REC_PARALLEL, 0));
}

/* A thread's life: it runs for so many ticks, with so many counts, and waits once for the first. */
static void brief_life(struct mpj_hook_thread *first, uint32_t id, uint64_t *now, uint32_t ticks,
                       const void *entry)
{
    const struct mpj_wait_info w = {.kind = MPJ_WAIT_MUTEX,
                                    .object = (void *)0x1000,
                                    .owner = first->id,
                                    .caller = (void *)0x8004};
    static struct mpj_hook_thread t; /* the same memory for all, as in a program */

    mpj_prof_thread_init(&t, id, 1, entry);
    on(1, NULL, &t);
    at(*now += ticks);
    work(1, 100, ticks, 2);
    mpj_prof_wait_begin(&t, &w);
    on(1, &t, NULL);
    at(*now += 5);
    mpj_prof_wait_end(&t);
    on(1, NULL, &t);
    hal_fake_set_core(1);
    mpj_prof_region_begin((void *)0xa000, 1, 0, 1);
    at(*now += 3);
    mpj_prof_region_end((void *)0xa000, 1, 0, (void *)0xb000);
    hal_fake_set_core(0);
    mpj_prof_thread_exit(&t);
    on(1, &t, NULL);
    mpj_prof_stack_used(t.rec, 4096, 100 + id % 7U);
}

/* More threads than records, one after another: nothing is lost, and all is in the sums. */
static void crowd(void **state)
{
    const uint32_t n = 3U * MPJ_PROF_THREADS;
    uint64_t now = 1000, run = 0, instr = 0, ticks = 0, life = 0;
    uint32_t threads = 0, records = 0, waits = 0, calls = 0, lost = 0;
    struct mpj_dropped d;
    struct mpj_hook_thread a;
    struct mpj_thread_rec t;
    struct mpj_region_rec g;
    struct mpj_wait_rec w;

    (void)state;
    at(now);
    mpj_prof_thread_init(&a, 1, 0, NULL);
    start();
    on(0, NULL, &a);
    for (uint32_t id = 2; id < n + 2U; id++) {
        const uint32_t mine = id % 16U == 0 ? 500U : 10U + id % 3U;

        brief_life(&a, id, &now, mine, (void *)(uintptr_t)(0x9000U + 4U * (id % 16U == 0)));
        ticks += mine;
    }
    finish();
    for (unsigned i = 0; i < got.count; i++) {
        if (got.rec[i].kind == MPJ_REC_DROPPED) { /* regions have fewer places */
            assert_int_equal(mpj_dropped_get(&got.rec[i], &d), 0);
            assert_int_equal(d.count, 1);
            assert_int_equal(d.d[0].kind, MPJ_REC_REGION);
            lost = (uint32_t)d.d[0].records;
        }
        if (got.rec[i].kind == MPJ_REC_THREAD && mpj_thread_get(&got.rec[i], &t) == 0 && t.id > 1) {
            records++;
            threads += 1U + (uint32_t)t.folded;
            run += t.run;
            instr += t.ev[0].value;
            life += t.ended - t.created;
            assert_in_range(t.stack_used_bytes, 100, 106);
            assert_int_equal(t.block, 5U * (t.folded + 1U));
        } else if (got.rec[i].kind == MPJ_REC_SYNC_WAIT) {
            assert_int_equal(mpj_wait_get(&got.rec[i], &w), 0);
            assert_int_equal(w.longest, 5);
            assert_int_equal(w.total, 5U * w.count);
            waits += (uint32_t)w.count;
        } else if (got.rec[i].kind == MPJ_REC_REGION) {
            assert_int_equal(mpj_region_get(&got.rec[i], &g), 0);
            assert_int_equal(g.wall, 3U * g.calls);
            calls += (uint32_t)g.calls;
        }
    }
    assert_int_equal(threads, n);
    assert_in_range(records, 2, MPJ_PROF_THREADS);
    assert_int_equal(run, ticks + 3U * n);
    assert_int_equal(instr, ticks);
    assert_int_equal(life, ticks + 8U * n);
    assert_int_equal(waits, n);
    assert_int_equal(calls + lost, n);
    assert_in_range(lost, 0, n / 2U);
}

static void limits(void **state)
{
    struct mpj_wait_info w = {.kind = MPJ_WAIT_SEM};
    struct mpj_hook_thread a;
    static struct mpj_hook_thread t;
    struct mpj_dropped d;
    struct mpj_parallel_rec p;

    (void)state;
    mpj_prof_thread_init(&a, 1, 0, NULL);
    start();
    for (unsigned i = 0; i < MPJ_PROF_THREADS + 4U; i++)
        mpj_prof_thread_init(&t, i + 2U, 1, NULL);
    assert_null(t.rec);
    on(1, NULL, &t); /* still runs, and its core counts as busy */
    for (unsigned i = 0; i < MPJ_WAITS_MAX + 3U; i++) {
        w.object = (void *)(uintptr_t)(0x1000U + 4U * i);
        mpj_prof_wait_begin(&a, &w);
        mpj_prof_wait_end(&a);
    }
    at(500);
    finish();
    assert_int_equal(mpj_dropped_get(find(MPJ_REC_DROPPED, 0), &d), 0);
    assert_int_equal(d.count, 2);
    assert_int_equal(d.d[0].kind, MPJ_REC_THREAD);
    assert_int_equal(d.d[0].records, 5);
    assert_int_equal(d.d[1].kind, MPJ_REC_SYNC_WAIT);
    assert_int_equal(d.d[1].records, 3);
    assert_int_equal(mpj_parallel_get(find(MPJ_REC_PARALLEL, 0), &p), 0);
    assert_int_equal(p.ticks[1], 500);
}

/* Waits on the core: time of a wait, counts of the thread; and one in vain. */
static void looks(void **state)
{
    const struct mpj_wait_info barrier = {.kind = MPJ_WAIT_OMP_BARRIER, .object = (void *)0x10};
    const struct mpj_wait_info idle = {.kind = MPJ_WAIT_OMP_IDLE, .object = (void *)0x20};
    const struct mpj_wait_info mutex = {.kind = MPJ_WAIT_MUTEX, .object = (void *)0x30};
    struct mpj_hook_thread a;
    struct mpj_thread_rec t;
    struct mpj_wait_rec w;
    struct mpj_parallel_rec p;
    struct mpj_region_rec g;
    uint64_t end = 0;

    (void)state;
    mpj_prof_thread_init(&a, 1, 0, NULL);
    start();
    on(0, NULL, &a);
    for (unsigned i = 0; i < 100; i++, end += 100) {
        at(end);
        mpj_prof_region_begin((void *)0x9000, i, 0, 4);
        at(end + 20);
        mpj_prof_spin(0, &a, &barrier, 0);
        work(0, 70, 7, 0);
        at(end + 50);
        if (i % 3 == 0)
            mpj_prof_settle(0, &a);
        mpj_prof_resume(0, &a);
        mpj_prof_region_end((void *)0x9000, i, 0, NULL);
        at(end + 60);
        mpj_prof_spin(0, &a, &idle, 0);
        at(end + 70);
        mpj_prof_resume(0, &a);
        at(end + 80);
        mpj_prof_wait_begin(&a, &mutex);
        a.settles = true;
        mpj_prof_stay(0, &a);
        assert_false(a.settles);
        work(0, 30, 3, 0);
        at(end + 84);
        if (i % 2 == 0) { /* in vain */
            on(0, &a, NULL);
            work(0, 1000, 1000, 0);
            at(end + 90);
            mpj_prof_wait_end(&a);
            on(0, NULL, &a);
        } else {
            at(end + 90);
            mpj_prof_resume(0, &a);
        }
    }
    at(end);
    finish();
    t = thread(1);
    assert_int_equal(t.run, 5000);
    assert_int_equal(t.block, 4000);
    assert_int_equal(t.sleep, 1000);
    assert_int_equal(t.cycles, 10000);
    assert_int_equal(t.ev[0].value, 1000);
    assert_int_equal(t.switches, 51);
    assert_int_equal(t.flags & MPJ_THREAD_POOL, MPJ_THREAD_POOL);
    for (unsigned i = 0; i < 3; i++) {
        static const uint32_t kinds[] = {MPJ_WAIT_OMP_BARRIER, MPJ_WAIT_OMP_IDLE, MPJ_WAIT_MUTEX};
        static const unsigned longest[] = {30, 10, 10};

        assert_int_equal(mpj_wait_get(find(MPJ_REC_SYNC_WAIT, i), &w), 0);
        assert_int_equal(w.kind, kinds[i]);
        assert_int_equal(w.count, 100);
        assert_int_equal(w.total, 100 * longest[i]);
        assert_int_equal(w.longest, longest[i]);
    }
    assert_null(find(MPJ_REC_SYNC_WAIT, 3));
    assert_int_equal(mpj_region_get(find(MPJ_REC_REGION, 0), &g), 0);
    assert_int_equal(g.wall, 5000);
    assert_int_equal(g.run, 2000);
    assert_int_equal(g.barrier, 3000);
    assert_int_equal(g.cycles, 7000);
    assert_int_equal(mpj_parallel_get(find(MPJ_REC_PARALLEL, 0), &p), 0);
    assert_int_equal(p.ticks[0], 5000);
    assert_int_equal(p.ticks[1], 5000);
}

/* Logs of edges that fill, and that are merged in the order of time whoever tells first. */
static void degree(void **state)
{
    uint64_t ticks[MPJ_CORES_MAX + 1U];
    const uint64_t step = 100000;

    (void)state;
    mpj_degree_reset();
    mpj_degree_begin(1000);
    for (uint64_t i = 0; i < 300; i++) {
        const uint64_t now = 1000 + i * step;

        mpj_degree_edge(1, true, now + 50);
        mpj_degree_edge(1, true, now + 55); /* it is already */
        mpj_degree_edge(1, false, now + 100);
        mpj_degree_edge(0, true, now + 70);
        mpj_degree_edge(0, false, now + 80);
        mpj_degree_edge(0, true, now + 90);
        mpj_degree_edge(0, false, now + 120);
        if (i % 7 == 0)
            mpj_degree_catch_up(1, now + 120);
    }
    assert_int_equal(mpj_degree_end(1000 + 300 * step, ticks), 1000 + 300 * step);
    assert_int_equal(ticks[2], 300 * 20);
    assert_int_equal(ticks[1], 300 * (70 - 20));
    assert_int_equal(ticks[0], 300 * (step - 70));
    assert_int_equal(ticks[3] + ticks[4], 0);
}

static uint64_t fills_of(const struct mpj_thread_rec *t, uint16_t event)
{
    for (unsigned i = 0; i < t->count; i++) {
        if (t->ev[i].event == MPJ_THREAD_SCU + event)
            return t->ev[i].value;
    }
    return UINT64_MAX;
}

/* The SCU counts cores: what it counted while a thread had the core is the thread's. */
static void fills(void **state)
{
    static const uint16_t scu[] = {MPJ_EVENT_SCU_C2C_CPU0,  MPJ_EVENT_SCU_C2C_CPU1,
                                   MPJ_EVENT_SCU_C2C_CPU2,  MPJ_EVENT_SCU_C2C_CPU3,
                                   MPJ_EVENT_SCU_MISS_CPU3, MPJ_EVENT_SCU_MISS_CPU2,
                                   MPJ_EVENT_SCU_MISS_CPU1, MPJ_EVENT_SCU_MISS_CPU0};
    struct mpj_hook_thread a, b;
    struct mpj_thread_rec t;

    (void)state;
    configure_scu(0, scu);
    mpj_prof_thread_init(&a, 1, 0, NULL);
    mpj_prof_thread_init(&b, 2, 1, NULL);
    start();
    hal_fake_count(HAL_FAKE_SCU, 0, 0xff, 9); /* before main: nobody's */
    on(0, NULL, &a);
    hal_fake_count(HAL_FAKE_SCU, 0, 1U << 7, 100);
    on(0, &a, &b);
    hal_fake_count(HAL_FAKE_SCU, 0, 1U << 0, 0xffffff00); /* beyond 32 bits with the 9 */
    hal_fake_count(HAL_FAKE_SCU, 0, 1U << 0, 0x200);
    mpj_prof_irq_scu(53, NULL);
    on(0, &b, NULL);
    hal_fake_count(HAL_FAKE_SCU, 0, 0xff, 5); /* the idle core's */
    on(3, NULL, &a);
    hal_fake_count(HAL_FAKE_SCU, 0, 1U << 4, 30);
    hal_fake_count(HAL_FAKE_SCU, 0, 1U << 3, 4);
    hal_fake_set_core(3);
    mpj_prof_core_halt();
    finish();
    t = thread(1);
    assert_int_equal(fills_of(&t, MPJ_EVENT_SCU_MISS_CPU0), 100);
    assert_int_equal(fills_of(&t, MPJ_EVENT_SCU_C2C_CPU0), 0);
    assert_int_equal(fills_of(&t, MPJ_EVENT_SCU_MISS_CPU3), 30);
    assert_int_equal(fills_of(&t, MPJ_EVENT_SCU_C2C_CPU3), 4);
    t = thread(2);
    assert_int_equal(fills_of(&t, MPJ_EVENT_SCU_MISS_CPU0), 0);
    assert_true(fills_of(&t, MPJ_EVENT_SCU_C2C_CPU0) == 0x100000100);
    assert_int_equal(fills_of(&t, MPJ_EVENT_SCU_C2C_CPU1), 0);
}

/* Where it does not count all of them, nothing is said. */
static void no_fills(void **state)
{
    static const uint16_t scu[] = {MPJ_EVENT_SCU_C2C_CPU0,  MPJ_EVENT_SCU_C2C_CPU1,
                                   MPJ_EVENT_SCU_C2C_CPU2,  MPJ_EVENT_SCU_C2C_CPU3,
                                   MPJ_EVENT_SCU_MISS_CPU3, MPJ_EVENT_SCU_MISS_CPU2,
                                   MPJ_EVENT_SCU_MISS_CPU1, MPJ_EVENT_SCU_CYCLES};
    struct mpj_hook_thread a;
    struct mpj_thread_rec t;

    (void)state;
    configure_scu(0, scu);
    mpj_prof_thread_init(&a, 1, 0, NULL);
    start();
    on(0, NULL, &a);
    work(0, 10, 7, 1);
    on(0, &a, NULL);
    finish();
    t = thread(1);
    assert_int_equal(t.count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(life, setup),
        cmocka_unit_test_setup(long_turn, setup),
        cmocka_unit_test_setup(kernel_share, setup),
        cmocka_unit_test_setup(waits, setup),
        cmocka_unit_test_setup(regions, setup),
        cmocka_unit_test_setup(regions_left, setup),
        cmocka_unit_test_setup(regions_in_turn, setup),
        cmocka_unit_test_setup(rotation, setup),
        cmocka_unit_test_setup(slices, setup),
        cmocka_unit_test_setup(nothing_asked_for, setup),
        cmocka_unit_test_setup(crowd, setup),
        cmocka_unit_test_setup(limits, setup),
        cmocka_unit_test_setup(fills, setup),
        cmocka_unit_test_setup(no_fills, setup),
        cmocka_unit_test_setup(looks, setup),
        cmocka_unit_test(degree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
