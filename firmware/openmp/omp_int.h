/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal interface of the OpenMP runtime. Every thread has a struct omp_thread in its TLS and is
 * always in a team (a team of one in the serial part), so that no construct needs a special case.
 * The thread's state (struct omp_state) is saved and restored around nested regions. A master owns
 * its workers and its team objects for life: they are kept, never freed, between regions, so a
 * worker may read its former team's words while it leaves the last barrier.
 */
#ifndef MPJ_OMP_INT_H
#define MPJ_OMP_INT_H

#include "gomp.h"
#include "mpj_adapt.h"
#include "mpj_rt.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __arm__
#define OMP_LINE 32 /* cache line of the ARM11 MPCore */
#else
#define OMP_LINE 64
#endif
#define OMP_MAX_THREADS   256
#define OMP_MAX_LEVELS    16
#define OMP_NTHREADS_LIST 8

/* Schedules as the compiler numbers them; the high bit asks for monotonic. */
enum { OMP_RUNTIME = 0, OMP_STATIC = 1, OMP_DYNAMIC = 2, OMP_GUIDED = 3, OMP_AUTO = 4 };

/* The address in the program that called the runtime. */
#define OMP_CALLER() __builtin_return_address(0)

struct omp_icv {
    int nthreads;
    int max_levels;
    int thread_limit;
    int chunk;
    int default_device;
    uint8_t sched;
    bool monotonic;
    bool dynamic;
    uint8_t bind;
    uintptr_t allocator;
};

/* Settings of the program, read once from the environment. */
struct omp_config {
    struct omp_icv icv;
    int nthreads_list[OMP_NTHREADS_LIST]; /* OMP_NUM_THREADS=4,2 */
    int nthreads_count;
    unsigned long stack_size; /* bytes, 0: the system's default */
    unsigned spin;            /* polls before a thread sleeps */
    bool cancellation;
    bool display_affinity;
    int max_task_priority;
    int num_teams, teams_thread_limit;
    bool adapt;    /* a controller chooses numbers of threads */
    bool counting; /* it counts the present region: any thread at any time */
    unsigned late; /* OMP_ADAPT where it does, else 0 */
};
extern struct omp_config omp_config;

/* Lets threads wait for a condition over other words: see omp_event_prepare(). */
struct omp_event {
    uint32_t seq, sleepers;
};

/* A lock is one word: 0 free, else the holder's thread id, and OMP_CONTENDED when
 * a thread may sleep on it. */
#define OMP_CONTENDED 0x80000000u

/* ---- loops and other work shares ------------------------------------------- */

struct omp_range_l {
    unsigned long n, start, end, incr, chunk;
};
struct omp_range_u {
    gomp_ull n, start, end, incr, chunk;
};
/* The state of one thread in a loop. */
struct omp_loop {
    uint8_t sched;
    bool ordered, has_chunk;
    struct omp_ws *ws; /* NULL: plain static loop, nothing shared */
    union {
        struct omp_range_l l;
        struct omp_range_u u;
    } r;
    gomp_ull trip;           /* static: rounds taken */
    gomp_ull cur_lo, cur_hi; /* ordered: iterations of the current chunk */
};

struct omp_doacross {
    unsigned dims;
    gomp_ull *counts;   /* iterations per dimension */
    uint32_t *progress; /* per outer iteration: inner iterations posted */
};

/* One execution of a worksharing construct. Those of a team form a chain; a thread points to the
 * last one it met, and the last thread to step past one recycles it. */
struct omp_ws {
    struct omp_ws *next;
    uint32_t left; /* threads that stepped past */
    struct omp_loop loop;
    union {
        unsigned long l;
        gomp_ull u;
    } pos __attribute__((aligned(OMP_LINE))); /* next iteration or section to hand out */
    gomp_ull turn;               /* ordered: first iteration of the chunk that has the turn */
    struct omp_event ev;         /* ordered, doacross */
    void *mem;                   /* memory shared by the team, zeroed */
    const uintptr_t *reductions; /* first thread's task reduction data */
    struct omp_doacross *doacross;
};

/* ---- tasks -------------------------------------------------------------------- */

enum { OMP_Q_TEAM, OMP_Q_CHILD, OMP_Q_GROUP, OMP_Q_COUNT };

struct omp_task;
struct omp_thread;
struct omp_link {
    struct omp_task *next, *prev;
};
struct omp_queue {
    struct omp_task *head, *tail;
};

struct omp_taskgroup {
    struct omp_taskgroup *prev;
    uint32_t count;            /* unfinished tasks */
    struct omp_thread *waiter; /* thread in taskgroup_end */
    uintptr_t *reductions;     /* innermost registered data, linked through word 4 */
    struct omp_queue queue;    /* tasks ready to run */
    bool workshare; /* belongs to a construct's task reduction: cancelling the enclosing group
                       includes it */
    bool cancelled; /* tasks that have not begun do nothing */
};

struct omp_dep_table;
struct omp_dep;

struct omp_task {
    struct omp_task *parent;
    struct omp_taskgroup *group;
    struct omp_icv icv;
    void (*fn)(void *);
    void *arg;
    struct omp_team *team;
    uint32_t children;         /* unfinished deferred children */
    uint32_t refs;             /* the task and its children: freed at 0 */
    struct omp_thread *waiter; /* thread that waits for this task's children */
    int priority;
    bool final, implicit, queued, detach, finished, fulfilled, undeferred;
    struct omp_link link[OMP_Q_COUNT];
    struct omp_queue ready_children;
    struct omp_dep_table *table; /* addresses the children depend on */
    struct omp_dep *deps;        /* own dependences */
    unsigned ndeps;
    uint32_t pending; /* unfinished predecessors */
    struct omp_task **succ;
    unsigned nsucc, succ_cap;
    size_t size; /* bytes allocated with it */
};

/* ---- threads and teams ----------------------------------------------------------- */

struct omp_team {
    struct omp_team *next_free;
    const void *region; /* outlined function: its address names the construct */
    const void *caller; /* return address of the call that forked, in the program */
    uint32_t serial;
    unsigned n;
    unsigned level, active_level;
    struct omp_team *parent;
    unsigned parent_tid;
    unsigned *busy;               /* threads counted against the thread limit */
    unsigned num_teams, team_num; /* league of its threads */
    struct omp_icv icv;           /* initial settings of implicit tasks */
    bool counted;                 /* the controller counts the threads' work ... */
    bool tasked; /* ... but the counts are not those of their work: tasks were deferred */
    struct omp_task *parent_task;
    struct omp_ws *first_ws; /* combined parallel loops: the work share that all start in */
    struct omp_taskgroup group;
    bool has_group;

    uint32_t left __attribute__((aligned(OMP_LINE))); /* threads not yet at the barrier */
    uint32_t claim;                                   /* generation being released */
    uint32_t gen __attribute__((aligned(OMP_LINE)));  /* barriers passed; never reset */
    struct omp_event ev;                              /* barrier open, or a task to run */

    uint32_t task_lock __attribute__((aligned(OMP_LINE)));
    uint32_t tasks;  /* unfinished deferred tasks */
    uint32_t queued; /* of these, ready to run */
    struct omp_queue queue;

    uint32_t ws_lock __attribute__((aligned(OMP_LINE)));
    unsigned met;        /* threads at a barrier that can be cancelled */
    uint32_t met_gen;    /* such barriers passed; never reset */
    bool cancelled;      /* the region */
    bool work_cancelled; /* the current loop or sections, until the barrier that ends them */
    uint32_t single;     /* single constructs whose executing thread is chosen */
    void *copy;          /* copyprivate */
    struct omp_ws *ws_free;
    struct omp_ws ws_first; /* start of the chain */
    struct omp_ws ws_own[2];
};

struct omp_state {
    struct omp_team *team;
    unsigned tid;
    uint32_t singles; /* single constructs met */
    struct omp_ws *ws;
    struct omp_task *task;
    struct omp_loop loop;
};

/* States of a worker that waits for its master. */
enum { OMP_DOCK_IDLE, OMP_DOCK_ASLEEP, OMP_DOCK_GO };
struct omp_dock {
    uint32_t go __attribute__((aligned(OMP_LINE)));
    struct omp_team *team; /* to join; NULL: end */
    void (*fn)(void *);
    void *data;
    unsigned tid;
    pthread_t handle;
};

struct omp_thread {
    struct omp_state s;
    uint32_t id; /* mpj_rt_self() */
    bool ready;
    struct omp_event ev; /* tasks: signals the event that this thread waits for */
    struct omp_task implicit;
    struct omp_team *teams; /* free ones, for regions this thread forks */
    struct omp_dock **workers;
    unsigned nworkers, cap;
    unsigned busy; /* workers, from the first on, that are in teams of this thread */
    struct omp_task *task_cache;
    unsigned task_cached;
    unsigned num_teams, team_num; /* league of a teams construct */
    bool counted;                 /* the controller is counting the thread's part ... */
    uint32_t waited;              /* ... cycles that it waited for locks and at barriers */
    uint32_t shown;               /* OMP_DISPLAY_AFFINITY: hash of the line, 0: none yet */
};

extern __thread struct omp_thread omp_tls;
/* Fills in the calling thread's record, at its first use. */
void omp_thread_init(struct omp_thread *thr);

/* Returns the calling thread's record. */
static inline struct omp_thread *omp_self(void)
{
    struct omp_thread *thr = &omp_tls;
    if (__builtin_expect(!thr->ready, 0))
        omp_thread_init(thr);
    return thr;
}

/* ---- interfaces between the files ---- */

/* Reads the settings from the environment; messages go to stderr (env.c). */
void omp_config_init(void);
/* Prints the settings on stderr. */
void omp_print_env(bool verbose);
/* Prints a warning on stderr, composed of these parts; NULL: none. */
void omp_warn(const char *a, const char *b, const char *c);
/* Returns n, limited to the threads that a team can have; warns once when it is limited. */
unsigned omp_team_at_most(unsigned long n);
/* Prints an error on stderr, composed of these parts, and ends the program. */
void omp_fatal(const char *a, const char *b) __attribute__((noreturn));

/* Returns the allocator of OMP_ALLOCATOR's text: a predefined one, or a memory space and traits
 * (omp_default_mem_space:alignment=64,fallback=null_fb); 0: invalid (alloc.c). */
uintptr_t omp_allocator_of(const char *text);

/* Prints the calling thread's OMP_DISPLAY_AFFINITY line on stderr, if it has changed
 * (affinity.c). */
void omp_show_affinity(struct omp_thread *thr);

/* omp_sync.c */
/* Returns the polls worth spending before sleeping in a wait of that kind: 0 when other threads
 * need the core. */
unsigned omp_spin_budget(enum mpj_wait_kind kind);
/*
 * A spin-waiting thread:
 *     omp_spin_begin(&poll, left, kind, object, caller);
 *     while (not yet && omp_spin(&poll))
 *         ;
 *     left = omp_spin_end(&poll);
 * polls at most `left` times, and fewer when another thread needs the core: then the rest is 0.
 * The thread must do nothing else in between.
 */
/* Polls after which they count as a wait, about 3600 cycles: many times the cost of accounting for
 * a wait; with less, a late thread would make the others late at the next barrier, and so on. */
#define OMP_BRIEF 160U
/* Polls that waits for a region's begin and at barriers have in addition, about 2100 cycles, where
 * a controller chooses numbers of threads. Regions begin 600 to 1000 cycles later there, and one
 * thread arrives at the first barrier later because of work left from the execution before. Waits
 * for locks have none: each thread that polls slows the holder down. */
#define OMP_ADAPT 96U
/* Polls of a lock before anything else is done: what a wait begins and ends with takes as long as
 * many critical regions, and two threads that meet once would meet again in each iteration. More of
 * them slow the holder down. */
#define OMP_QUICK 8U
#define OMP_POLLS 64U /* polls between two checks from then on */
struct omp_spin {
    unsigned left;
    unsigned next; /* value of `left` at the next check */
    enum mpj_wait_kind kind;
    const void *object, *caller;
    uint32_t owner;
    struct mpj_rt_spin rt;
};
/* Begins to spin-wait. left: number of polls at most. */
void omp_spin_begin(struct omp_spin *poll, unsigned left, enum mpj_wait_kind kind,
                    const void *object, const void *caller);
/* Checks the wait between polls; false: stop polling. */
bool omp_spin_on(struct omp_spin *poll);
/* Ends the spin-wait; returns the polls that are left. */
unsigned omp_spin_end(struct omp_spin *poll);
/* Counts one poll; false: stop polling. */
static inline bool omp_spin(struct omp_spin *poll)
{
    return poll->left != poll->next ? (poll->left--, true) : omp_spin_on(poll);
}
/* Fills in the description of a wait. */
void omp_wait_info(struct mpj_wait_info *info, enum mpj_wait_kind kind, const void *object,
                   const void *caller);
/* Announces a sleeper; returns the sequence number. To be called before the condition is tested. */
uint32_t omp_event_prepare(struct omp_event *ev);
/* Sleeps until the event is signalled after `seq`, because the condition was false. */
void omp_event_sleep(struct omp_event *ev, uint32_t seq, enum mpj_wait_kind kind,
                     const void *object, const void *caller);
/* Withdraws the announcement, because the condition was true. */
void omp_event_cancel(struct omp_event *ev);
/* Wakes up to n sleepers; to be called after making the condition true. */
void omp_event_signal(struct omp_event *ev, unsigned n);
/* Returns true if the controller counts the calling thread's part of the region. Where it does not,
 * threads that wait for a lock take the same instructions as without a controller: some 20 cycles
 * more per wait made a program of two locks 10 % slower. */
static inline bool omp_is_counted(void)
{
    return __builtin_expect(__atomic_load_n(&omp_config.counting, __ATOMIC_RELAXED), 0) &&
           omp_tls.counted;
}
/* Time a wait of the calling thread for the controller, if it counts this region. */
static inline uint32_t omp_wait_clock(void)
{
    return omp_is_counted() ? mpj_adapt_clock() : 0U;
}
static inline void omp_waited(uint32_t since)
{
    if (omp_is_counted())
        omp_tls.waited += mpj_adapt_clock() - since;
}
/* Takes a lock that is held: spins, then sleeps. */
void omp_lock_slow(uint32_t *word, uint32_t id, enum mpj_wait_kind kind, const void *caller);
/* Wakes a thread that sleeps on the lock just released. */
void omp_unlock_slow(uint32_t *word);

static inline bool omp_trylock(uint32_t *word, uint32_t id)
{
    uint32_t expected = 0;
    return __atomic_compare_exchange_n(word, &expected, id, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}
static inline void omp_lock(uint32_t *word, uint32_t id, enum mpj_wait_kind kind,
                            const void *caller)
{
    if (!omp_trylock(word, id))
        omp_lock_slow(word, id, kind, caller);
}
static inline void omp_unlock(uint32_t *word)
{
    if (__atomic_exchange_n(word, 0, __ATOMIC_RELEASE) & OMP_CONTENDED)
        omp_unlock_slow(word);
}

/* team.c */
/* Runs fn(data). The program is entered from here only, so that the runtime recognises a tail call
 * of the program by its return address. */
void omp_call(void (*fn)(void *), void *data);
/* caller, or the region itself if the runtime was entered by a tail call. */
const void *omp_program_address(const struct omp_thread *thr, const void *caller);
void omp_parallel(gomp_fn *fn, void *data, unsigned num_threads, const struct omp_loop *loop,
                  uintptr_t *reductions, unsigned *size, const void *caller);
/* Runs fn(data) as the initial task of a device: level 0, the settings of the program's start, and
 * a thread limit of its own if that is not 0. */
void omp_initial(gomp_fn *fn, void *data, int thread_limit);
/* Ends the workers of a thread that is outside of all regions; later regions get new ones. */
void omp_release(struct omp_thread *thr);
/* Makes the team's n threads meet; runs tasks meanwhile. */
void omp_team_barrier(struct omp_thread *thr, const void *caller);

/* cancel.c */
/* Waits at a barrier that ends early, with true, when the region is cancelled; a cancelled loop or
 * sections construct ends in it. */
bool omp_team_barrier_cancel(struct omp_thread *thr, const void *caller);
/* True if the task must not begin, or must end at its next cancellation point. */
bool omp_task_cancelled(const struct omp_task *task);

/* loop.c */
void omp_doacross_start(struct omp_doacross *doacross);

/* work.c */
/* Steps to the team's next work share, which the first thread initialises from these arguments. */
struct omp_ws *omp_ws_enter(struct omp_thread *thr, const struct omp_loop *loop, size_t mem,
                            struct omp_doacross *doacross);
void omp_loop_enter(struct omp_thread *thr, struct omp_loop *loop, uintptr_t *reductions,
                    void **mem, struct omp_doacross *doacross);
void omp_ws_reset(struct omp_team *team, struct omp_ws *last);
struct omp_ws *omp_ws_first(struct omp_team *team, const struct omp_loop *loop);

/* task.c */
void omp_task_init(struct omp_task *task, struct omp_task *parent, struct omp_team *team,
                   const struct omp_icv *icv);
bool omp_task_run_one(struct omp_thread *thr);
void omp_task_lock(struct omp_thread *thr, struct omp_team *team);
void omp_task_ready(struct omp_team *team, struct omp_task *task);

/* Bits of the compiler's task flags. */
enum {
    OMP_TASK_FINAL = 1 << 1,
    OMP_TASK_DEPEND = 1 << 3,
    OMP_TASK_PRIORITY = 1 << 4,
    OMP_TASK_UP = 1 << 8,
    OMP_TASK_GRAINSIZE = 1 << 9,
    OMP_TASK_IF = 1 << 10,
    OMP_TASK_NOGROUP = 1 << 11,
    OMP_TASK_REDUCTION = 1 << 12,
    OMP_TASK_DETACH = 1 << 13,
    OMP_TASK_STRICT = 1 << 14,
};
struct omp_task_request {
    gomp_fn *fn;
    void *data;
    void (*cpyfn)(void *, void *);
    size_t size, align; /* of the copied arguments */
    bool deferred, final;
    void **depend;
    int priority;
    void *detach;                                 /* event variable */
    void (*edit)(void *arg, const void *context); /* changes the copied arguments */
    const void *edit_context;
};
void omp_task_spawn(struct omp_thread *thr, const struct omp_task_request *rq, const void *caller);
/* Waits until *word is 0 while running ready children of the current task. */
void omp_task_wait(struct omp_thread *thr, const uint32_t *word, const void *object,
                   const void *caller);
void omp_taskgroup_begin(struct omp_thread *thr, struct omp_taskgroup *group);
void omp_taskgroup_finish(struct omp_thread *thr, const void *caller);

/* depend.c; all with the team's task lock held */
void omp_depend_add(struct omp_task *task, void **depend);
void omp_depend_done(struct omp_team *team, struct omp_task *task);
void omp_depend_free(struct omp_task *task);

/* reduce.c */
void omp_reduction_register(uintptr_t *data, uintptr_t *outer, const uintptr_t *first,
                            unsigned nthreads);
/* Registers the reductions of a work share; threads after the first use the memory of the first. */
void omp_workshare_reductions(struct omp_thread *thr, uintptr_t *reductions, struct omp_ws *ws);

#endif
