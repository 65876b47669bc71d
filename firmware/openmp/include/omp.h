/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OpenMP 4.5 API (and the parts of 5.x that GCC 12 compiles) for mpjoule programs.
 *
 * Numbers of constants and sizes of types are those GCC 12 generates code for; the implementation
 * is firmware/openmp. All functions may be called from any thread, inside or outside parallel
 * regions, never from an interrupt. Functions for features that the board does not have (places,
 * devices, memory spaces) return what the specification requires of an implementation without them;
 * README.md in firmware/openmp has the list.
 */
#ifndef _OMP_H
#define _OMP_H 1

#ifdef __cplusplus
extern "C" {
#define __MPJ_NOTHROW        throw()
#define __MPJ_NULL_ALLOCATOR = omp_null_allocator
#else
#define __MPJ_NOTHROW __attribute__((__nothrow__))
#define __MPJ_NULL_ALLOCATOR
#endif

/* ---- types ---------------------------------------------------------------- */

/* A simple lock; initialise it with omp_init_lock() (all-zero is initialised, too). */
typedef struct {
    __UINT32_TYPE__ __word;
} omp_lock_t;

/* A lock that its owner task may set repeatedly. */
typedef struct {
    __UINT32_TYPE__ __word;
    int __count;
    void *__owner;
} omp_nest_lock_t;

typedef enum omp_sched_t {
    omp_sched_static = 1,
    omp_sched_dynamic = 2,
    omp_sched_guided = 3,
    omp_sched_auto = 4,
    omp_sched_monotonic = 0x80000000U /* modifier, or-ed to a kind */
} omp_sched_t;

typedef enum omp_proc_bind_t {
    omp_proc_bind_false = 0,
    omp_proc_bind_true = 1,
    omp_proc_bind_primary = 2,
    omp_proc_bind_master = 2,
    omp_proc_bind_close = 3,
    omp_proc_bind_spread = 4
} omp_proc_bind_t;

/* Hints are accepted; every lock is the same adaptive one (short spin, then sleep). */
typedef enum omp_sync_hint_t {
    omp_sync_hint_none = 0,
    omp_lock_hint_none = 0,
    omp_sync_hint_uncontended = 1,
    omp_lock_hint_uncontended = 1,
    omp_sync_hint_contended = 2,
    omp_lock_hint_contended = 2,
    omp_sync_hint_nonspeculative = 4,
    omp_lock_hint_nonspeculative = 4,
    omp_sync_hint_speculative = 8,
    omp_lock_hint_speculative = 8
} omp_sync_hint_t;
typedef omp_sync_hint_t omp_lock_hint_t;

/* Written by the compiler's code (depobj construct). */
typedef struct __attribute__((__aligned__(sizeof(void *)))) omp_depend_t {
    char __omp_depend_t__[2 * sizeof(void *)];
} omp_depend_t;

typedef enum omp_pause_resource_t { omp_pause_soft = 1, omp_pause_hard = 2 } omp_pause_resource_t;

typedef __UINTPTR_TYPE__ omp_uintptr_t;

#if defined(__cplusplus) && __cplusplus >= 201103L
#define __MPJ_ENUM_UINTPTR : omp_uintptr_t
#else
#define __MPJ_ENUM_UINTPTR
#endif

typedef enum omp_memspace_handle_t __MPJ_ENUM_UINTPTR {
    omp_default_mem_space = 0,
    omp_large_cap_mem_space = 1,
    omp_const_mem_space = 2,
    omp_high_bw_mem_space = 3,
    omp_low_lat_mem_space = 4,
    __omp_memspace_handle_t_max__ = __UINTPTR_MAX__
} omp_memspace_handle_t;

typedef enum omp_allocator_handle_t __MPJ_ENUM_UINTPTR {
    omp_null_allocator = 0,
    omp_default_mem_alloc = 1,
    omp_large_cap_mem_alloc = 2,
    omp_const_mem_alloc = 3,
    omp_high_bw_mem_alloc = 4,
    omp_low_lat_mem_alloc = 5,
    omp_cgroup_mem_alloc = 6,
    omp_pteam_mem_alloc = 7,
    omp_thread_mem_alloc = 8,
    __omp_allocator_handle_t_max__ = __UINTPTR_MAX__
} omp_allocator_handle_t;

typedef enum omp_alloctrait_key_t {
    omp_atk_sync_hint = 1,
    omp_atk_alignment = 2,
    omp_atk_access = 3,
    omp_atk_pool_size = 4,
    omp_atk_fallback = 5,
    omp_atk_fb_data = 6,
    omp_atk_pinned = 7,
    omp_atk_partition = 8
} omp_alloctrait_key_t;

typedef enum omp_alloctrait_value_t {
    omp_atv_default = (__UINTPTR_TYPE__)-1,
    omp_atv_false = 0,
    omp_atv_true = 1,
    omp_atv_contended = 3,
    omp_atv_uncontended = 4,
    omp_atv_serialized = 5,
    omp_atv_sequential = 5,
    omp_atv_private = 6,
    omp_atv_all = 7,
    omp_atv_thread = 8,
    omp_atv_pteam = 9,
    omp_atv_cgroup = 10,
    omp_atv_default_mem_fb = 11,
    omp_atv_null_fb = 12,
    omp_atv_abort_fb = 13,
    omp_atv_allocator_fb = 14,
    omp_atv_environment = 15,
    omp_atv_nearest = 16,
    omp_atv_blocked = 17,
    omp_atv_interleaved = 18
} omp_alloctrait_value_t;

typedef struct omp_alloctrait_t {
    omp_alloctrait_key_t key;
    omp_uintptr_t value;
} omp_alloctrait_t;

typedef enum omp_event_handle_t __MPJ_ENUM_UINTPTR {
    __omp_event_handle_t_max__ = __UINTPTR_MAX__
} omp_event_handle_t;

/* ---- threads and teams ------------------------------------------------------ */

/* Sets the number of threads for later regions of this task; n < 1 counts as 1. */
extern void omp_set_num_threads(int n) __MPJ_NOTHROW;
/* Returns the number of threads of the current team; 1 in the serial part. */
extern int omp_get_num_threads(void) __MPJ_NOTHROW;
/* Returns the upper bound of the threads a region without num_threads clause gets here. */
extern int omp_get_max_threads(void) __MPJ_NOTHROW;
/* Returns the number of the calling thread in its team; 0 is the master. */
extern int omp_get_thread_num(void) __MPJ_NOTHROW;
/* Returns the number of active cores (--cores). */
extern int omp_get_num_procs(void) __MPJ_NOTHROW;
/* Returns 1 inside an active (more than one thread) region, at any depth; else 0. */
extern int omp_in_parallel(void) __MPJ_NOTHROW;
/* Sets dynamic adjustment: a region gets at most as many threads as there are cores. */
extern void omp_set_dynamic(int on) __MPJ_NOTHROW;
extern int omp_get_dynamic(void) __MPJ_NOTHROW;
/* Sets nested regions: on = as many active levels as supported, off = 1. */
extern void omp_set_nested(int on) __MPJ_NOTHROW;
extern int omp_get_nested(void) __MPJ_NOTHROW;
/* Sets the schedule of loops with schedule(runtime); chunk < 1 asks for the default one. */
extern void omp_set_schedule(omp_sched_t kind, int chunk) __MPJ_NOTHROW;
extern void omp_get_schedule(omp_sched_t *kind, int *chunk) __MPJ_NOTHROW;
extern int omp_get_thread_limit(void) __MPJ_NOTHROW;
extern void omp_set_max_active_levels(int n) __MPJ_NOTHROW;
extern int omp_get_max_active_levels(void) __MPJ_NOTHROW;
extern int omp_get_supported_active_levels(void) __MPJ_NOTHROW;
/* Return the nesting depth: all regions, and those with more than one thread. */
extern int omp_get_level(void) __MPJ_NOTHROW;
extern int omp_get_active_level(void) __MPJ_NOTHROW;
/* Return the thread number or team size of the ancestor at that level; -1: no such level. */
extern int omp_get_ancestor_thread_num(int level) __MPJ_NOTHROW;
extern int omp_get_team_size(int level) __MPJ_NOTHROW;
/* Returns 1 in a final task, else 0. */
extern int omp_in_final(void) __MPJ_NOTHROW;
/* Returns 1 if cancel constructs have an effect: OMP_CANCELLATION=true. */
extern int omp_get_cancellation(void) __MPJ_NOTHROW;
extern int omp_get_max_task_priority(void) __MPJ_NOTHROW;
/* Ends a task created with detach(event); at most once per event. */
extern void omp_fulfill_event(omp_event_handle_t event) __MPJ_NOTHROW;

/* ---- binding: accepted, no places -------------------------------------------- */

extern omp_proc_bind_t omp_get_proc_bind(void) __MPJ_NOTHROW;
extern int omp_get_num_places(void) __MPJ_NOTHROW;
extern int omp_get_place_num_procs(int place) __MPJ_NOTHROW;
extern void omp_get_place_proc_ids(int place, int *ids) __MPJ_NOTHROW;
extern int omp_get_place_num(void) __MPJ_NOTHROW;
extern int omp_get_partition_num_places(void) __MPJ_NOTHROW;
extern void omp_get_partition_place_nums(int *places) __MPJ_NOTHROW;
/* Sets the format of omp_display_affinity(): %n thread number, %N team size, %L level, %i id. */
extern void omp_set_affinity_format(const char *format) __MPJ_NOTHROW;
extern __SIZE_TYPE__ omp_get_affinity_format(char *buffer, __SIZE_TYPE__ size) __MPJ_NOTHROW;
extern void omp_display_affinity(const char *format) __MPJ_NOTHROW;
extern __SIZE_TYPE__ omp_capture_affinity(char *buffer, __SIZE_TYPE__ size,
                                          const char *format) __MPJ_NOTHROW;

/* ---- locks -------------------------------------------------------------------- */

extern void omp_init_lock(omp_lock_t *lock) __MPJ_NOTHROW;
extern void omp_init_lock_with_hint(omp_lock_t *lock, omp_sync_hint_t hint) __MPJ_NOTHROW;
extern void omp_destroy_lock(omp_lock_t *lock) __MPJ_NOTHROW;
/* Blocks until the caller holds the lock. */
extern void omp_set_lock(omp_lock_t *lock) __MPJ_NOTHROW;
extern void omp_unset_lock(omp_lock_t *lock) __MPJ_NOTHROW;
/* Returns nonzero if the caller got the lock; never blocks. */
extern int omp_test_lock(omp_lock_t *lock) __MPJ_NOTHROW;
extern void omp_init_nest_lock(omp_nest_lock_t *lock) __MPJ_NOTHROW;
extern void omp_init_nest_lock_with_hint(omp_nest_lock_t *lock, omp_sync_hint_t hint) __MPJ_NOTHROW;
extern void omp_destroy_nest_lock(omp_nest_lock_t *lock) __MPJ_NOTHROW;
extern void omp_set_nest_lock(omp_nest_lock_t *lock) __MPJ_NOTHROW;
extern void omp_unset_nest_lock(omp_nest_lock_t *lock) __MPJ_NOTHROW;
/* Returns the new nesting count, 0 if another task has the lock. */
extern int omp_test_nest_lock(omp_nest_lock_t *lock) __MPJ_NOTHROW;

/* ---- time ----------------------------------------------------------------------- */

/* Return the seconds since some fixed moment (modelled or board time), and their resolution. */
extern double omp_get_wtime(void) __MPJ_NOTHROW;
extern double omp_get_wtick(void) __MPJ_NOTHROW;

/* ---- devices: there is only the host -------------------------------------------- */

extern void omp_set_default_device(int device) __MPJ_NOTHROW;
extern int omp_get_default_device(void) __MPJ_NOTHROW;
extern int omp_get_num_devices(void) __MPJ_NOTHROW;
extern int omp_get_device_num(void) __MPJ_NOTHROW;
extern int omp_is_initial_device(void) __MPJ_NOTHROW;
extern int omp_get_initial_device(void) __MPJ_NOTHROW;
extern int omp_get_num_teams(void) __MPJ_NOTHROW;
extern int omp_get_team_num(void) __MPJ_NOTHROW;
extern void omp_set_num_teams(int n) __MPJ_NOTHROW;
extern int omp_get_max_teams(void) __MPJ_NOTHROW;
extern void omp_set_teams_thread_limit(int n) __MPJ_NOTHROW;
extern int omp_get_teams_thread_limit(void) __MPJ_NOTHROW;
/* Handle memory of the host "device" (0): plain heap and memcpy(); other devices: NULL or
 * EINVAL. */
extern void *omp_target_alloc(__SIZE_TYPE__ size, int device) __MPJ_NOTHROW;
extern void omp_target_free(void *ptr, int device) __MPJ_NOTHROW;
extern int omp_target_is_present(const void *ptr, int device) __MPJ_NOTHROW;
extern int omp_target_memcpy(void *dst, const void *src, __SIZE_TYPE__ size,
                             __SIZE_TYPE__ dst_offset, __SIZE_TYPE__ src_offset, int dst_device,
                             int src_device) __MPJ_NOTHROW;
extern int omp_target_memcpy_rect(void *dst, const void *src, __SIZE_TYPE__ element, int dims,
                                  const __SIZE_TYPE__ *volume, const __SIZE_TYPE__ *dst_offsets,
                                  const __SIZE_TYPE__ *src_offsets, const __SIZE_TYPE__ *dst_dims,
                                  const __SIZE_TYPE__ *src_dims, int dst_device,
                                  int src_device) __MPJ_NOTHROW;
extern int omp_target_associate_ptr(const void *host, const void *device_ptr, __SIZE_TYPE__ size,
                                    __SIZE_TYPE__ offset, int device) __MPJ_NOTHROW;
extern int omp_target_disassociate_ptr(const void *host, int device) __MPJ_NOTHROW;
/* Frees the caller's worker threads, outside of regions; returns 0 for the host. */
extern int omp_pause_resource(omp_pause_resource_t kind, int device) __MPJ_NOTHROW;
extern int omp_pause_resource_all(omp_pause_resource_t kind) __MPJ_NOTHROW;

/* ---- allocators: one memory; the traits alignment and fallback are honoured ------- */

extern omp_allocator_handle_t omp_init_allocator(omp_memspace_handle_t space, int ntraits,
                                                 const omp_alloctrait_t traits[]) __MPJ_NOTHROW;
extern void omp_destroy_allocator(omp_allocator_handle_t allocator) __MPJ_NOTHROW;
extern void omp_set_default_allocator(omp_allocator_handle_t allocator) __MPJ_NOTHROW;
extern omp_allocator_handle_t omp_get_default_allocator(void) __MPJ_NOTHROW;
/* Allocates memory; NULL when the heap is full (or abort, if the allocator's traits ask for it). */
extern void *omp_alloc(__SIZE_TYPE__ size,
                       omp_allocator_handle_t allocator __MPJ_NULL_ALLOCATOR) __MPJ_NOTHROW;
extern void *omp_aligned_alloc(__SIZE_TYPE__ alignment, __SIZE_TYPE__ size,
                               omp_allocator_handle_t allocator __MPJ_NULL_ALLOCATOR) __MPJ_NOTHROW;
extern void *omp_calloc(__SIZE_TYPE__ n, __SIZE_TYPE__ size,
                        omp_allocator_handle_t allocator __MPJ_NULL_ALLOCATOR) __MPJ_NOTHROW;
extern void *
omp_aligned_calloc(__SIZE_TYPE__ alignment, __SIZE_TYPE__ n, __SIZE_TYPE__ size,
                   omp_allocator_handle_t allocator __MPJ_NULL_ALLOCATOR) __MPJ_NOTHROW;
extern void *omp_realloc(void *ptr, __SIZE_TYPE__ size,
                         omp_allocator_handle_t allocator __MPJ_NULL_ALLOCATOR,
                         omp_allocator_handle_t free_allocator __MPJ_NULL_ALLOCATOR) __MPJ_NOTHROW;
extern void omp_free(void *ptr,
                     omp_allocator_handle_t allocator __MPJ_NULL_ALLOCATOR) __MPJ_NOTHROW;

/* Prints the internal control variables to stderr. */
extern void omp_display_env(int verbose) __MPJ_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif
