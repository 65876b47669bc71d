/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entry points that code of GCC 12 calls (the GOMP_ ABI), as the compiler declares them. Only
 * generated code calls them, from thread context. Unless a comment says otherwise, *_start and
 * *_next return true if the thread got a range of iterations. */
#ifndef MPJ_GOMP_H
#define MPJ_GOMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned long long gomp_ull;
typedef void gomp_fn(void *);

/* Begin and end regions. num_threads 0: default; flags: proc_bind, ignored. */
void GOMP_parallel(gomp_fn *fn, void *data, unsigned num_threads, unsigned flags);
unsigned GOMP_parallel_reductions(gomp_fn *fn, void *data, unsigned num_threads, unsigned flags);
void GOMP_parallel_sections(gomp_fn *fn, void *data, unsigned num_threads, unsigned count,
                            unsigned flags);
#define GOMP_PARALLEL_LOOP(name)                                                                   \
    void GOMP_parallel_loop_##name(gomp_fn *fn, void *data, unsigned num_threads, long start,      \
                                   long end, long incr, long chunk, unsigned flags)
#define GOMP_PARALLEL_LOOP_RT(name)                                                                \
    void GOMP_parallel_loop_##name(gomp_fn *fn, void *data, unsigned num_threads, long start,      \
                                   long end, long incr, unsigned flags)
GOMP_PARALLEL_LOOP(static);
GOMP_PARALLEL_LOOP(dynamic);
GOMP_PARALLEL_LOOP(guided);
GOMP_PARALLEL_LOOP(nonmonotonic_dynamic);
GOMP_PARALLEL_LOOP(nonmonotonic_guided);
GOMP_PARALLEL_LOOP_RT(runtime);
GOMP_PARALLEL_LOOP_RT(nonmonotonic_runtime);
GOMP_PARALLEL_LOOP_RT(maybe_nonmonotonic_runtime);

/* Loops over long. */
#define GOMP_LOOP_START(name)                                                                      \
    bool GOMP_loop_##name##_start(long start, long end, long incr, long chunk, long *istart,       \
                                  long *iend)
#define GOMP_LOOP_START_RT(name)                                                                   \
    bool GOMP_loop_##name##_start(long start, long end, long incr, long *istart, long *iend)
#define GOMP_LOOP_NEXT(name) bool GOMP_loop_##name##_next(long *istart, long *iend)
#define GOMP_DOACROSS_START(name)                                                                  \
    bool GOMP_loop_doacross_##name##_start(unsigned ncounts, long *counts, long chunk,             \
                                           long *istart, long *iend)
/* Loops over unsigned long long. */
#define GOMP_ULL_START(name)                                                                       \
    bool GOMP_loop_ull_##name##_start(bool up, gomp_ull start, gomp_ull end, gomp_ull incr,        \
                                      gomp_ull chunk, gomp_ull *istart, gomp_ull *iend)
#define GOMP_ULL_START_RT(name)                                                                    \
    bool GOMP_loop_ull_##name##_start(bool up, gomp_ull start, gomp_ull end, gomp_ull incr,        \
                                      gomp_ull *istart, gomp_ull *iend)
#define GOMP_ULL_NEXT(name) bool GOMP_loop_ull_##name##_next(gomp_ull *istart, gomp_ull *iend)
#define GOMP_ULL_DOACROSS_START(name)                                                              \
    bool GOMP_loop_ull_doacross_##name##_start(unsigned ncounts, gomp_ull *counts, gomp_ull chunk, \
                                               gomp_ull *istart, gomp_ull *iend)

/* X(name, schedule number) for the schedules with a chunk, Y for those read at run time. */
#define GOMP_SCHEDULES(X, Y)                                                                       \
    X(static, 1)                                                                                   \
    X(dynamic, 2)                                                                                  \
    X(guided, 3)                                                                                   \
    X(nonmonotonic_dynamic, 2)                                                                     \
    X(nonmonotonic_guided, 3)                                                                      \
    Y(runtime, 0)                                                                                  \
    Y(nonmonotonic_runtime, 0)                                                                     \
    Y(maybe_nonmonotonic_runtime, 0)
#define GOMP_ORDERED_SCHEDULES(X, Y)                                                               \
    X(ordered_static, 1)                                                                           \
    X(ordered_dynamic, 2)                                                                          \
    X(ordered_guided, 3)                                                                           \
    Y(ordered_runtime, 0)
#define GOMP_DECLARE_X(name, number)                                                               \
    GOMP_LOOP_START(name);                                                                         \
    GOMP_LOOP_NEXT(name);                                                                          \
    GOMP_ULL_START(name);                                                                          \
    GOMP_ULL_NEXT(name);
#define GOMP_DECLARE_Y(name, number)                                                               \
    GOMP_LOOP_START_RT(name);                                                                      \
    GOMP_LOOP_NEXT(name);                                                                          \
    GOMP_ULL_START_RT(name);                                                                       \
    GOMP_ULL_NEXT(name);
GOMP_SCHEDULES(GOMP_DECLARE_X, GOMP_DECLARE_Y)
GOMP_ORDERED_SCHEDULES(GOMP_DECLARE_X, GOMP_DECLARE_Y)
GOMP_DOACROSS_START(static);
GOMP_DOACROSS_START(dynamic);
GOMP_DOACROSS_START(guided);
GOMP_ULL_DOACROSS_START(static);
GOMP_ULL_DOACROSS_START(dynamic);
GOMP_ULL_DOACROSS_START(guided);
bool GOMP_loop_doacross_runtime_start(unsigned ncounts, long *counts, long *istart, long *iend);
bool GOMP_loop_ull_doacross_runtime_start(unsigned ncounts, gomp_ull *counts, gomp_ull *istart,
                                          gomp_ull *iend);
/* Start loops with task reductions, or with memory shared by the team (*mem: size in, address out).
 * istart NULL: only these two are requested. */
bool GOMP_loop_start(long start, long end, long incr, long sched, long chunk, long *istart,
                     long *iend, uintptr_t *reductions, void **mem);
bool GOMP_loop_ordered_start(long start, long end, long incr, long sched, long chunk, long *istart,
                             long *iend, uintptr_t *reductions, void **mem);
bool GOMP_loop_doacross_start(unsigned ncounts, long *counts, long sched, long chunk, long *istart,
                              long *iend, uintptr_t *reductions, void **mem);
bool GOMP_loop_ull_start(bool up, gomp_ull start, gomp_ull end, gomp_ull incr, long sched,
                         gomp_ull chunk, gomp_ull *istart, gomp_ull *iend, uintptr_t *reductions,
                         void **mem);
bool GOMP_loop_ull_ordered_start(bool up, gomp_ull start, gomp_ull end, gomp_ull incr, long sched,
                                 gomp_ull chunk, gomp_ull *istart, gomp_ull *iend,
                                 uintptr_t *reductions, void **mem);
bool GOMP_loop_ull_doacross_start(unsigned ncounts, gomp_ull *counts, long sched, gomp_ull chunk,
                                  gomp_ull *istart, gomp_ull *iend, uintptr_t *reductions,
                                  void **mem);
void GOMP_loop_end(void);
bool GOMP_loop_end_cancel(void);
void GOMP_loop_end_nowait(void);
void GOMP_ordered_start(void);
void GOMP_ordered_end(void);
void GOMP_doacross_post(long *counts);
void GOMP_doacross_wait(long first, ...);
void GOMP_doacross_ull_post(gomp_ull *counts);
void GOMP_doacross_ull_wait(gomp_ull first, ...);

/* Sections (number of the section to run, 0: none left), single, scope. */
unsigned GOMP_sections_start(unsigned count);
unsigned GOMP_sections2_start(unsigned count, uintptr_t *reductions, void **mem);
unsigned GOMP_sections_next(void);
void GOMP_sections_end(void);
bool GOMP_sections_end_cancel(void);
void GOMP_sections_end_nowait(void);
bool GOMP_single_start(void);
void *GOMP_single_copy_start(void);
void GOMP_single_copy_end(void *data);
void GOMP_scope_start(uintptr_t *reductions);

/* Synchronisation. */
void GOMP_barrier(void);
bool GOMP_barrier_cancel(void);
bool GOMP_cancel(int which, bool do_cancel);
bool GOMP_cancellation_point(int which);
void GOMP_critical_start(void);
void GOMP_critical_end(void);
void GOMP_critical_name_start(void **pptr);
void GOMP_critical_name_end(void **pptr);
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);

/* Tasks. */
void GOMP_task(gomp_fn *fn, void *data, void (*cpyfn)(void *, void *), long arg_size,
               long arg_align, bool if_clause, unsigned flags, void **depend, int priority,
               void *detach);
void GOMP_taskloop(gomp_fn *fn, void *data, void (*cpyfn)(void *, void *), long arg_size,
                   long arg_align, unsigned flags, unsigned long num_tasks, int priority,
                   long start, long end, long step);
void GOMP_taskloop_ull(gomp_fn *fn, void *data, void (*cpyfn)(void *, void *), long arg_size,
                       long arg_align, unsigned flags, unsigned long num_tasks, int priority,
                       gomp_ull start, gomp_ull end, gomp_ull step);
void GOMP_taskwait(void);
void GOMP_taskwait_depend(void **depend);
void GOMP_taskyield(void);
void GOMP_taskgroup_start(void);
void GOMP_taskgroup_end(void);
void GOMP_taskgroup_reduction_register(uintptr_t *data);
void GOMP_taskgroup_reduction_unregister(uintptr_t *data);
void GOMP_task_reduction_remap(size_t cnt, size_t cntorig, void **ptrs);
void GOMP_workshare_task_reduction_unregister(bool cancelled);

/* Devices (the host runs everything), teams, allocation, error directive. */
void GOMP_target(int device, gomp_fn *fn, const void *unused, size_t mapnum, void **hostaddrs,
                 size_t *sizes, unsigned char *kinds);
void GOMP_target_ext(int device, gomp_fn *fn, size_t mapnum, void **hostaddrs, size_t *sizes,
                     unsigned short *kinds, unsigned flags, void **depend, void **args);
void GOMP_target_data(int device, const void *unused, size_t mapnum, void **hostaddrs,
                      size_t *sizes, unsigned char *kinds);
void GOMP_target_data_ext(int device, size_t mapnum, void **hostaddrs, size_t *sizes,
                          unsigned short *kinds);
void GOMP_target_end_data(void);
void GOMP_target_update(int device, const void *unused, size_t mapnum, void **hostaddrs,
                        size_t *sizes, unsigned char *kinds);
void GOMP_target_update_ext(int device, size_t mapnum, void **hostaddrs, size_t *sizes,
                            unsigned short *kinds, unsigned flags, void **depend);
void GOMP_target_enter_exit_data(int device, size_t mapnum, void **hostaddrs, size_t *sizes,
                                 unsigned short *kinds, unsigned flags, void **depend);
void GOMP_teams(unsigned num_teams, unsigned thread_limit);
bool GOMP_teams4(unsigned low, unsigned high, unsigned thread_limit, bool first);
void GOMP_teams_reg(gomp_fn *fn, void *data, unsigned num_teams, unsigned thread_limit,
                    unsigned flags);
void *GOMP_alloc(size_t alignment, size_t size, uintptr_t allocator);
void GOMP_free(void *ptr, uintptr_t allocator);
void GOMP_error(const char *msg, size_t len);
void GOMP_warning(const char *msg, size_t len);

#endif
