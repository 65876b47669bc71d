/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread-level profile of a run: parts of struct mpj_run (report/run.h), filled by
 * mpj_run_load().
 */
#ifndef REPORT_THREADS_H
#define REPORT_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "mpj_events.h"
#include "mpj_records.h"

#define MPJ_RUN_EVENTS_MAX 64U /* rows of mpj_event_table() */

/* One event on one core, of one thread, or of the chip. Absent when it was not counted. */
struct mpj_value {
    bool present;
    unsigned pass;   /* that counted it; 0: the first, whose times and places are reported */
    uint64_t value;  /* scaled to the whole run when coverage < 1 */
    double coverage; /* share of the run (a thread's: of its time on cores) with counting */
    double share; /* a thread's: of all threads' cycles in the pass that counted it; 0: unknown */
    double error; /* one standard error of the scaled value, relative to it; NAN: too few data */
};

/* An address of the program, as function and line. */
struct mpj_where {
    uint32_t address;
    char *function; /* NULL: unknown */
    char *file;     /* NULL: unknown */
    int line;
};

/* Seconds in a bin of a thread's timeline. */
struct mpj_bin {
    float run_s, block_s, host_s;
};

struct mpj_thread_result {
    uint32_t id, parent, flags; /* flags: enum mpj_thread_flag */
    char *name;                 /* never NULL */
    struct mpj_where entry;
    double created_s; /* since the program's start */
    double life_s;
    /* run_s, block_s, ..., switches, cycles: mpj_thread_fields.h */
#define MPJ_THREAD_ID(name)
#define MPJ_THREAD_MOMENT(name)
#define MPJ_THREAD_TICKS(name)               double name##_s;
#define MPJ_THREAD_DERIVED(name)             double name##_s;
#define MPJ_THREAD_COUNT(name)               uint64_t name;
#define MPJ_THREAD_MEMBER(kind, name, since) MPJ_THREAD_##kind(name)
    MPJ_THREAD_FIELDS(MPJ_THREAD_MEMBER)
    MPJ_THREAD_LATER(MPJ_THREAD_MEMBER)
#undef MPJ_THREAD_MEMBER
#undef MPJ_THREAD_ID
#undef MPJ_THREAD_MOMENT
#undef MPJ_THREAD_TICKS
#undef MPJ_THREAD_DERIVED
#undef MPJ_THREAD_COUNT
    double core_run_s[MPJ_CORES_MAX];
    struct mpj_value *ev; /* mpj_run_value(); the run's memory */
    double energy_uj;     /* by the model, or the ADC's distributed by time; NAN: unknown */
    /* timeline: `bins` of bin_s seconds from the program's start, mpj_thread_bin() */
    unsigned bins, first_bin; /* bins before first_bin are not kept: they are empty */
    double bin_s;
    struct mpj_bin *bin;
};

struct mpj_wait_result {
    uint32_t thread;
    uint32_t kind; /* enum mpj_wait_kind; see mpj_wait_name() */
    uint32_t object;
    char *object_name; /* NULL: not a variable of static storage */
    uint32_t owner;    /* 0: unknown */
    struct mpj_where caller;
    uint64_t count;
    double total_s, longest_s;
};

/* A thread's share of a construct. */
struct mpj_region_part {
    uint32_t thread;
    uint64_t calls;
    double run_s, barrier_s, host_s;
    uint64_t cycles;
    struct mpj_value *ev; /* mpj_run_value(); the run's memory */
    double energy_uj;
};

/* All executions of one OpenMP construct; fn.address 0: the serial part. */
struct mpj_region_result {
    struct mpj_where fn;
    struct mpj_where caller; /* after the last call that forked it; address 0: unknown */
    char *name;              /* "file.c:123", "serial", or the address; never NULL */
    uint32_t size;
    uint64_t calls;
    double wall_s; /* as measured by its first thread */
    double run_s, barrier_s, host_s;
    double imbalance; /* share of wall_s * threads spent waiting at the closing barrier */
    uint64_t cycles;
    double energy_uj;
    unsigned parts;
    struct mpj_region_part *part;
};

/* Returns bin `index` of a thread, less than t->bins. */
struct mpj_bin mpj_thread_bin(const struct mpj_thread_result *t, unsigned index);

/* Returns the word for a kind of wait: "mutex", "join", ...; "other" for an unknown one. Static
 * storage. */
const char *mpj_wait_name(uint32_t kind);
/* True if a wait of that kind is for other threads. */
bool mpj_wait_is_block(uint32_t kind);

#endif
