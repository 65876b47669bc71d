/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads, teams, fork, join and the barrier. */
#include "mpj_adapt.h"
#include "mpj_hooks.h"
#include "omp_int.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

__thread struct omp_thread omp_tls;

static pthread_once_t init_once = PTHREAD_ONCE_INIT;
static pthread_key_t exit_key;
static uint32_t region_serial;    /* executions of regions so far */
static unsigned busy_threads = 1; /* counted against the thread limit */

extern const char mpj_omp_call_ret[];

__attribute__((noinline, noclone, noipa)) void omp_call(void (*fn)(void *), void *data)
{
    fn(data);
    __asm__ volatile(".globl mpj_omp_call_ret\n.hidden mpj_omp_call_ret\nmpj_omp_call_ret:" ::
                         : "memory");
}

const void *omp_program_address(const struct omp_thread *thr, const void *caller)
{
    /* A construct at the end of an outlined function is entered by a tail call: its return address
     * is in the runtime. The best name for it is then the function itself. */
    uintptr_t distance = (uintptr_t)mpj_omp_call_ret - (uintptr_t)caller;
    if (caller && distance > 16 && distance < UINTPTR_MAX - 16)
        return caller;
    /* This also applies to waits that belong to no construct: the lock of the team's tasks. */
    const struct omp_task *task = thr->s.task;
    if (!task->implicit)
        return (const void *)(uintptr_t)task->fn;
    return thr->s.team->region;
}

static void *alloc_lines(size_t size)
{
    size = (size + OMP_LINE - 1) / OMP_LINE * OMP_LINE;
    void *ptr = aligned_alloc(OMP_LINE, size);
    if (!ptr)
        omp_fatal("out of memory", NULL);
    memset(ptr, 0, size);
    return ptr;
}

static struct omp_team *team_get(struct omp_thread *thr)
{
    struct omp_team *team = thr->teams;
    if (team) {
        thr->teams = team->next_free;
        return team;
    }
    team = alloc_lines(sizeof(*team));
    for (unsigned i = 0; i < sizeof(team->ws_own) / sizeof(team->ws_own[0]); i++) {
        team->ws_own[i].next = team->ws_free;
        team->ws_free = &team->ws_own[i];
    }
    return team;
}

static void team_put(struct omp_thread *thr, struct omp_team *team)
{
    team->next_free = thr->teams;
    thr->teams = team;
}

/* ---- threads --------------------------------------------------------------------- */

static void dock_send(struct omp_dock *dock)
{
    if (__atomic_exchange_n(&dock->go, OMP_DOCK_GO, __ATOMIC_ACQ_REL) == OMP_DOCK_ASLEEP)
        mpj_rt_wake(&dock->go, 1);
}

static void dock_wait(struct omp_dock *dock)
{
    for (unsigned spin = omp_spin_budget(MPJ_WAIT_OMP_IDLE);
         spin > 0 && __atomic_load_n(&dock->go, __ATOMIC_ACQUIRE) != OMP_DOCK_GO;) {
        struct omp_spin poll;
        omp_spin_begin(&poll, spin, MPJ_WAIT_OMP_IDLE, dock, NULL);
        while (__atomic_load_n(&dock->go, __ATOMIC_ACQUIRE) != OMP_DOCK_GO && omp_spin(&poll))
            ;
        spin = omp_spin_end(&poll);
    }
    uint32_t expected = OMP_DOCK_IDLE;
    if (__atomic_compare_exchange_n(&dock->go, &expected, OMP_DOCK_ASLEEP, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_ACQUIRE)) {
        struct mpj_wait_info info = {.kind = MPJ_WAIT_OMP_IDLE, .object = dock};
        while (__atomic_load_n(&dock->go, __ATOMIC_ACQUIRE) != OMP_DOCK_GO)
            mpj_rt_wait(&dock->go, OMP_DOCK_ASLEEP, &info, UINT64_MAX);
    }
    __atomic_store_n(&dock->go, OMP_DOCK_IDLE, __ATOMIC_RELAXED);
}

/* True if the region has hooks: an inner region of one thread is part of the region around it. */
static bool has_hooks(const struct omp_team *team)
{
    return team->n > 1 || team->level == 1;
}

/* Runs fn(data) and counts, for the controller, the thread's work until it waits for the others. */
static __attribute__((noinline)) void counted_call(unsigned tid, void (*fn)(void *), void *data)
{
    struct mpj_adapt_start start;

    omp_tls.waited = 0;
    omp_tls.counted = true;
    mpj_adapt_part_begin(&start);
    omp_call(fn, data);
    mpj_adapt_part_end(&start, tid, omp_tls.waited);
    omp_tls.counted = false;
}

/* Runs a thread's part of a region: its implicit task and the barrier at the end. */
static void team_member(struct omp_thread *thr, struct omp_team *team, unsigned tid,
                        struct omp_task *implicit, void (*fn)(void *), void *data)
{
    bool hooks = has_hooks(team);
    /* The master may reuse the team as soon as the barrier is open. */
    const void *region = team->region;
    const void *caller = team->caller;
    uint32_t serial = team->serial;

    omp_task_init(implicit, team->parent_task, team, &team->icv);
    implicit->implicit = true;
    implicit->group = team->has_group ? &team->group : NULL;
    thr->s.team = team;
    thr->s.tid = tid;
    thr->s.singles = 0;
    thr->s.task = implicit;
    thr->s.ws = team->first_ws ? team->first_ws : &team->ws_first;
    thr->num_teams = team->num_teams;
    thr->team_num = team->team_num;
    if (team->first_ws)
        thr->s.loop = team->first_ws->loop;
    if (hooks && tid != 0)
        mpj_hooks.region_begin(region, serial, tid, team->n);
    if (__builtin_expect(omp_config.display_affinity, 0))
        omp_show_affinity(thr);
    if (__builtin_expect(team->counted, 0))
        counted_call(tid, fn, data);
    else
        omp_call(fn, data);
    omp_team_barrier(thr, region);
    omp_depend_free(implicit);
    if (hooks)
        mpj_hooks.region_end(region, serial, tid, caller);
}

static void release_workers(struct omp_thread *thr)
{
    for (unsigned i = 0; i < thr->nworkers; i++) {
        struct omp_dock *dock = thr->workers[i];
        dock->team = NULL;
        dock_send(dock);
        pthread_join(dock->handle, NULL);
        free(dock);
    }
    free(thr->workers);
    thr->workers = NULL;
    thr->nworkers = 0;
    thr->cap = 0;
    while (thr->teams) {
        struct omp_team *team = thr->teams;
        thr->teams = team->next_free;
        free(team);
    }
    while (thr->task_cache) {
        struct omp_task *task = thr->task_cache;
        thr->task_cache = task->parent;
        free(task);
    }
}

static void *worker_main(void *arg)
{
    struct omp_dock *dock = arg;
    struct omp_thread *thr = &omp_tls;
    thr->id = mpj_rt_self();
    thr->ready = true;
    for (;;) {
        dock_wait(dock);
        if (!dock->team)
            break;
        team_member(thr, dock->team, dock->tid, &thr->implicit, dock->fn, dock->data);
    }
    release_workers(thr);
    return NULL;
}

/* Makes the thread own n workers; returns how many it has. */
static unsigned pool_grow(struct omp_thread *thr, unsigned n)
{
    if (n > thr->cap) {
        struct omp_dock **workers = realloc(thr->workers, n * sizeof(struct omp_dock *));
        if (!workers)
            return thr->nworkers;
        thr->workers = workers;
        thr->cap = n;
    }
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    if (omp_config.stack_size && pthread_attr_setstacksize(&attr, omp_config.stack_size) != 0)
        omp_warn("OMP_STACKSIZE cannot be used for threads", NULL, NULL);
    while (thr->nworkers < n) {
        struct omp_dock *dock = alloc_lines(sizeof(*dock));
        int error = pthread_create(&dock->handle, &attr, worker_main, dock);
        if (error) {
            omp_warn("cannot create a thread: ", strerror(error), "; the team is smaller");
            free(dock);
            break;
        }
        thr->workers[thr->nworkers++] = dock;
    }
    pthread_attr_destroy(&attr);
    return thr->nworkers;
}

/* Ends the workers of a thread that forked regions, when the program's thread ends. */
static void thread_exit(void *arg)
{
    struct omp_thread *thr = arg;
    struct omp_team *solo = thr->s.team;
    release_workers(thr);
    omp_depend_free(&thr->implicit);
    free(solo);
    thr->ready = false;
}

static void init(void)
{
    omp_config_init();
    if (pthread_key_create(&exit_key, thread_exit) != 0)
        omp_fatal("cannot create a thread key", NULL);
}

void omp_thread_init(struct omp_thread *thr)
{
    pthread_once(&init_once, init);
    struct omp_team *team = team_get(thr);
    team->n = 1;
    team->left = 1;
    team->icv = omp_config.icv;
    team->busy = &busy_threads;
    thr->id = mpj_rt_self();
    if (thr->id == 0)
        thr->id = 1; /* only main exists before the scheduler runs */
    omp_task_init(&thr->implicit, NULL, team, &team->icv);
    thr->implicit.implicit = true;
    thr->s.team = team;
    thr->s.task = &thr->implicit;
    thr->s.ws = &team->ws_first;
    thr->ready = true;
    pthread_setspecific(exit_key, thr);
}

/* ---- fork and join --------------------------------------------------------------- */

static unsigned team_size(struct omp_thread *thr, unsigned wanted)
{
    const struct omp_icv *icv = &thr->s.task->icv;
    if (wanted == 1 || (int)thr->s.team->active_level >= icv->max_levels)
        return 1;
    unsigned n = wanted ? wanted : (unsigned)icv->nthreads;
    if (icv->dynamic && n > mpj_rt_cores())
        n = mpj_rt_cores();
    return omp_team_at_most(n);
}

/* Counts up to n - 1 more threads against the limit; returns the threads that the region may
 * have. */
static unsigned limit_take(unsigned *busy, const struct omp_icv *icv, unsigned n)
{
    int limit = icv->thread_limit;
    int before = (int)__atomic_fetch_add(busy, n - 1, __ATOMIC_RELAXED);
    int excess = before > limit - (int)n + 1 ? before + (int)n - 1 - limit : 0;
    if (excess > (int)n - 1)
        excess = (int)n - 1;
    if (excess > 0)
        __atomic_fetch_sub(busy, (unsigned)excess, __ATOMIC_RELAXED);
    return n - (unsigned)excess;
}

static void child_icv(struct omp_icv *icv, const struct omp_icv *parent, unsigned level)
{
    *icv = *parent;
    if (omp_config.nthreads_count > 1) {
        unsigned last = (unsigned)omp_config.nthreads_count - 1;
        icv->nthreads = omp_config.nthreads_list[level < last ? level : last];
    }
}

void omp_parallel(gomp_fn *fn, void *data, unsigned num_threads, const struct omp_loop *loop,
                  uintptr_t *reductions, unsigned *size, const void *caller)
{
    struct omp_thread *thr = omp_self();
    struct omp_state saved = thr->s;
    unsigned *busy = saved.team->busy;
    unsigned n = team_size(thr, num_threads);
    bool counted = false;
    unsigned adapted = 0;
    if (__builtin_expect(omp_config.adapt, 0) && n > 1 && saved.team->active_level == 0 &&
        !mpj_adapt_pauses()) {
        adapted =
            mpj_adapt_enter((uint32_t)(uintptr_t)fn,
                            (uint32_t)(uintptr_t)omp_program_address(thr, caller), n, &counted);
        n = adapted != 0 ? adapted : n;
    }
    unsigned first = thr->busy; /* workers below this are in the enclosing regions */
    if (n > 1) {
        n = limit_take(busy, &saved.task->icv, n);
        if (n > 1 && thr->nworkers < first + n - 1) {
            unsigned have = pool_grow(thr, first + n - 1) - first + 1;
            if (have < n) {
                __atomic_fetch_sub(busy, n - have, __ATOMIC_RELAXED);
                n = have;
            }
        }
    }

    struct omp_team *team = team_get(thr);
    team->region = (const void *)(uintptr_t)fn;
    team->caller = omp_program_address(thr, caller);
    team->serial = __atomic_add_fetch(&region_serial, 1, __ATOMIC_RELAXED);
    team->n = n;
    team->left = n;
    team->counted = counted;
    team->tasked = false;
    team->single = 0;
    team->met = 0;
    team->cancelled = false;
    team->work_cancelled = false;
    team->level = saved.team->level + 1;
    team->active_level = saved.team->active_level + (n > 1);
    team->parent = saved.team;
    team->parent_tid = saved.tid;
    team->parent_task = saved.task;
    team->busy = busy;
    team->num_teams = thr->num_teams;
    team->team_num = thr->team_num;
    child_icv(&team->icv, &saved.task->icv, team->level);
    team->first_ws = loop ? omp_ws_first(team, loop) : NULL;
    team->has_group = reductions != NULL;
    if (reductions) {
        memset(&team->group, 0, sizeof(team->group));
        omp_reduction_register(reductions, NULL, NULL, n);
        team->group.reductions = reductions;
    }

    if (__builtin_expect(counted, 0))
        __atomic_store_n(&omp_config.counting, true, __ATOMIC_RELAXED);
    thr->busy = first + n - 1;
    /* The master's part covers the whole region: no other thread begins before it. */
    if (has_hooks(team))
        mpj_hooks.region_begin(team->region, team->serial, 0, n);
    for (unsigned i = 1; i < n; i++) {
        struct omp_dock *dock = thr->workers[first + i - 1];
        dock->team = team;
        dock->fn = fn;
        dock->data = data;
        dock->tid = i;
        dock_send(dock);
    }
    if (__builtin_expect(adapted != 0, 0))
        mpj_adapt_forked();
    struct omp_task implicit;
    team_member(thr, team, 0, &implicit, fn, data);
    if (__builtin_expect(adapted != 0, 0)) {
        if (counted) /* before another thread's region may be counted */
            __atomic_store_n(&omp_config.counting, false, __ATOMIC_RELAXED);
        mpj_adapt_leave(n, !team->tasked);
    }
    omp_ws_reset(team, thr->s.ws);
    thr->s = saved;
    thr->busy = first;
    team_put(thr, team);
    if (n > 1)
        __atomic_fetch_sub(busy, n - 1, __ATOMIC_RELAXED);
    if (size)
        *size = n;
}

void omp_initial(gomp_fn *fn, void *data, int thread_limit)
{
    struct omp_thread *thr = omp_self();
    const struct omp_state saved = thr->s;
    const unsigned num_teams = thr->num_teams;
    const unsigned team_num = thr->team_num;
    struct omp_team *team = team_get(thr);
    struct omp_task implicit;
    unsigned busy = 1;

    team->region = (const void *)(uintptr_t)fn;
    team->n = 1;
    team->left = 1;
    team->counted = false;
    team->single = 0;
    team->met = 0;
    team->cancelled = false;
    team->work_cancelled = false;
    team->level = 0;
    team->active_level = 0;
    team->parent = NULL;
    team->parent_task = NULL;
    team->icv = omp_config.icv;
    if (thread_limit > 0)
        team->icv.thread_limit = thread_limit;
    team->busy = &busy;
    team->first_ws = NULL;
    team->has_group = false;
    omp_task_init(&implicit, NULL, team, &team->icv);
    implicit.implicit = true;
    thr->s = (struct omp_state){.team = team, .task = &implicit, .ws = &team->ws_first};
    thr->num_teams = 0;
    thr->team_num = 0;
    omp_call(fn, data);
    omp_team_barrier(thr, team->region);
    omp_depend_free(&implicit);
    omp_ws_reset(team, thr->s.ws);
    thr->s = saved;
    thr->num_teams = num_teams;
    thr->team_num = team_num;
    team_put(thr, team);
}

void omp_release(struct omp_thread *thr)
{
    release_workers(thr);
}

void GOMP_parallel(gomp_fn *fn, void *data, unsigned num_threads, unsigned flags)
{
    (void)flags; /* proc_bind has no effect: there are no places */
    omp_parallel(fn, data, num_threads, NULL, NULL, NULL, OMP_CALLER());
}

unsigned GOMP_parallel_reductions(gomp_fn *fn, void *data, unsigned num_threads, unsigned flags)
{
    unsigned n;
    (void)flags;
    omp_parallel(fn, data, num_threads, NULL, *(uintptr_t **)data, &n, OMP_CALLER());
    return n;
}

/* ---- barrier --------------------------------------------------------------------- */

static bool barrier_complete(struct omp_team *team)
{
    /* The order matters: once all threads have arrived, the number of tasks only falls. */
    return __atomic_load_n(&team->left, __ATOMIC_SEQ_CST) == 0 &&
           __atomic_load_n(&team->tasks, __ATOMIC_SEQ_CST) == 0;
}

/* Opens the barrier; false: another thread is opening it, and it may still be closed. */
static bool barrier_open(struct omp_team *team, uint32_t gen)
{
    /* Several threads may find the barrier complete: the claim selects one to open it, once. */
    if (!__atomic_compare_exchange_n(&team->claim, &gen, gen + 1, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
        return false;
    team->work_cancelled = false; /* the construct ends here */
    __atomic_store_n(&team->left, team->n, __ATOMIC_RELAXED);
    __atomic_store_n(&team->gen, gen + 1, __ATOMIC_SEQ_CST);
    omp_event_signal(&team->ev, UINT_MAX);
    return true;
}

static void barrier_alone(struct omp_thread *thr, struct omp_team *team, const void *caller)
{
    while (__atomic_load_n(&team->tasks, __ATOMIC_ACQUIRE) != 0) {
        if (omp_task_run_one(thr))
            continue;
        uint32_t seq = omp_event_prepare(&team->ev); /* detached tasks end elsewhere */
        if (__atomic_load_n(&team->tasks, __ATOMIC_SEQ_CST) != 0 &&
            __atomic_load_n(&team->queued, __ATOMIC_SEQ_CST) == 0)
            omp_event_sleep(&team->ev, seq, MPJ_WAIT_OMP_TASK, team, caller);
        else
            omp_event_cancel(&team->ev);
    }
}

static void team_barrier(struct omp_thread *thr, const void *caller)
{
    struct omp_team *team = thr->s.team;
    if (team->n == 1) {
        team->work_cancelled = false;
        if (__atomic_load_n(&team->tasks, __ATOMIC_ACQUIRE) != 0)
            barrier_alone(thr, team, caller);
        return;
    }
    /* Cannot change before this thread has arrived. */
    uint32_t gen = __atomic_load_n(&team->gen, __ATOMIC_RELAXED);
    if (__atomic_sub_fetch(&team->left, 1, __ATOMIC_SEQ_CST) == 0 &&
        __atomic_load_n(&team->tasks, __ATOMIC_SEQ_CST) == 0 && barrier_open(team, gen))
        return;
    unsigned budget = omp_spin_budget(MPJ_WAIT_OMP_BARRIER);
    unsigned spin = budget;
    for (;;) {
        if (__atomic_load_n(&team->gen, __ATOMIC_ACQUIRE) != gen)
            return;
        if (__atomic_load_n(&team->queued, __ATOMIC_RELAXED) != 0) {
            if (omp_task_run_one(thr))
                spin = budget;
            continue;
        }
        if (spin > 0) {
            struct omp_spin poll;
            omp_spin_begin(&poll, spin, MPJ_WAIT_OMP_BARRIER, team, caller);
            while (__atomic_load_n(&team->gen, __ATOMIC_ACQUIRE) == gen &&
                   __atomic_load_n(&team->queued, __ATOMIC_RELAXED) == 0 && omp_spin(&poll))
                ;
            spin = omp_spin_end(&poll);
            continue;
        }
        if (barrier_complete(team)) {
            (void)barrier_open(team, gen);
            continue;
        }
        uint32_t seq = omp_event_prepare(&team->ev);
        if (__atomic_load_n(&team->gen, __ATOMIC_SEQ_CST) == gen &&
            __atomic_load_n(&team->queued, __ATOMIC_SEQ_CST) == 0 && !barrier_complete(team))
            omp_event_sleep(&team->ev, seq, MPJ_WAIT_OMP_BARRIER, team, caller);
        else
            omp_event_cancel(&team->ev);
    }
}

void omp_team_barrier(struct omp_thread *thr, const void *caller)
{
    const uint32_t since = omp_wait_clock();

    team_barrier(thr, caller);
    omp_waited(since);
}

void GOMP_barrier(void)
{
    omp_team_barrier(omp_self(), OMP_CALLER());
}
