/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions, call paths and moments of a run, for views and exports. Tables: docs/store.md.
 *
 * A profile is a call tree in preorder: a node's subtree is the nodes after it up to `end`. Costs
 * are whole numbers per node and item: its own (self), and with all its callees (total). Causes of
 * energy may be negative, as the prices of a published equation are; counts are not. Costs of no
 * core (shared clock, leakage, events of SCU and L2) are in `chip`, not in a node.
 */
#ifndef REPORT_PROFILE_H
#define REPORT_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errors.h"

/* Source of a profile, the most exact first. */
enum mpj_prof_source {
    MPJ_PROF_TRUTH = 0,   /* the emulator */
    MPJ_PROF_ENTRIES = 1, /* entries and exits, measured on the target */
    MPJ_PROF_SAMPLES = 2, /* samples of the program counter on the target */
    MPJ_PROF_SOURCES = 3,
};

enum mpj_prof_kind {
    MPJ_FUNC_PROGRAM = 0,
    MPJ_FUNC_RUNTIME = 1, /* libraries of the firmware */
    MPJ_FUNC_INTERRUPT = 2,
    MPJ_FUNC_IDLE = 3,
    MPJ_FUNC_UNKNOWN = 4,
    MPJ_FUNC_INLINED = 5, /* into its parent */
};

/* Kinds in table moment, and the meaning of object, other and value. */
enum mpj_moment_kind {
    MPJ_MOMENT_RUNS = 0,         /* the thread is switched to a core */
    MPJ_MOMENT_STOPS = 1,        /* and from it. value: enum mpj_stop_reason */
    MPJ_MOMENT_WAITS = 2,        /* object: address; value: enum mpj_wait_kind; other: thread that
                                    holds it, -1: unknown */
    MPJ_MOMENT_WAITED = 3,       /* the wait is over. object: address */
    MPJ_MOMENT_REGION_BEGIN = 4, /* object: region; value: number of threads */
    MPJ_MOMENT_REGION_END = 5,   /* object: region */
    MPJ_MOMENT_MARK = 6,         /* object: seq of table mark */
    MPJ_MOMENT_SAMPLE = 7,       /* object: program counter; other: return address */
    MPJ_MOMENT_KINDS = 8,
};

enum mpj_stop_reason {
    MPJ_STOP_PREEMPTED = 0,
    MPJ_STOP_BLOCKED = 1,
    MPJ_STOP_ENDED = 2,
    MPJ_STOP_YIELDED = 3,
};

#define MPJ_PROF_NONE      (-1)          /* no thread, core, region; no such item */
#define MPJ_PROF_NO_PARENT UINT32_MAX    /* a node where a path begins */
#define MPJ_PROF_LEFT_OUT  "(left out)"  /* function that has the filtered costs */
#define MPJ_PROF_OTHERS    "(others)"    /* has the functions of paths that are not distinguished */
#define MPJ_PROF_CHIP      "(chip)"      /* costs of no core, wherever costs are shown */
#define MPJ_PROF_MEASURING "(measuring)" /* cycles that measuring entries and exits cost */
#define MPJ_PROF_NOT_MEASURED                                                                      \
    "(not measured)"                  /* what threads used outside of measured functions           \
                                       */
#define MPJ_PROF_CELLS_MAX (1U << 26) /* nodes times items that are loaded */

struct mpj_prof_item {
    char *name;
    const char *unit; /* "cycles", "events", "fJ", "samples"; "": unknown */
};

/* Code that the compiler made of a function, when there are several: the function itself, a copy
 * for some arguments, a piece that it has split off. */
struct mpj_prof_copy {
    char *suffix; /* of its symbol, ".constprop.0"; "": none */
    int64_t address;
};

/* A function of the source: its name, file and line there. Copies of it by the compiler are one
 * function; functions of one name in two files are two. */
struct mpj_prof_func {
    char *name;
    char *label; /* distinct among the functions: the name, or "file.c:name" of one of several */
    char *file;  /* NULL: unknown */
    int line;    /* 0: unknown */
    int64_t address; /* of its first copy */
    enum mpj_prof_kind kind;
    bool has_error;                 /* these three are known: measured on the target */
    uint64_t records;               /* measured calls, or samples */
    double self_error, total_error; /* standard errors of its cycles, in cycles */
    unsigned copies; /* with an address; at most one unless the compiler made copies */
    struct mpj_prof_copy *copy;
};

struct mpj_prof_node {
    uint32_t func;   /* index */
    int64_t address; /* of the function's copy */
    uint32_t parent;
    uint32_t end;   /* after the last node of its subtree */
    uint32_t depth; /* 0: no parent */
    int64_t thread, core, region;
    uint64_t calls;
};

struct mpj_profile {
    enum mpj_prof_source source;
    uint32_t clock_hz; /* cycles in a second */
    unsigned items;
    struct mpj_prof_item *item;  /* cycles, energy, events, the rest, causes of energy */
    int cycles, energy, samples; /* items; MPJ_PROF_NONE: not measured */
    unsigned first_cause;        /* items from here on are causes, "fj:..." */
    unsigned funcs;
    struct mpj_prof_func *func;
    uint32_t nodes;
    struct mpj_prof_node *node;
    int64_t *self, *total; /* [node * items + item] */
    int64_t *chip;         /* [item] */
    int64_t *sum;          /* [item]: all nodes */
    bool filtered;
    uint64_t lost; /* places where the stack of calls was inexact: callers there may be wrong */
    bool merged;   /* too many paths: some functions have one node for all their callers */
    double merged_share; /* of the cycles, in these */
    char note[256];      /* mpj_profile_note() */
    int64_t chip_shared; /* fJ that mpj_profile_share_chip() gave to nodes; 0: it did not */
};

/*
 * Reads the profile of pass 0: of that source, or the most exact available (MPJ_PROF_SOURCES). *out
 * is NULL, and the result MPJ_E_OK, when the store has no profile. MPJ_E_STORE: it cannot be read,
 * or has more than MPJ_PROF_CELLS_MAX cells. Free with mpj_profile_free().
 */
int mpj_profile_load(struct mpj_profile **out, const char *store, enum mpj_prof_source source,
                     struct mpj_err *err);
void mpj_profile_free(struct mpj_profile *p);

/* Returns the word for a source, "truth", "entries", "samples"; and the source for a word, -1:
 * unknown. */
const char *mpj_profile_source_name(enum mpj_prof_source source);
int mpj_profile_source_find(const char *name);
/* Returns the index of an item; `energy` and `time` mean energy_fj and cycles. MPJ_PROF_NONE. */
int mpj_profile_item(const struct mpj_profile *p, const char *name);

/*
 * True if a user's name means the function: the name, a pattern for it (fnmatch(3)), or either with
 * the file, "file.c:name". The suffix of a compiler's copy is not regarded.
 */
bool mpj_profile_named(const struct mpj_prof_func *f, const char *name);
/* Returns the function with the greatest start at or before an address; NULL: unknown. The profile
 * owns it. p: NULL is none. */
const struct mpj_prof_func *mpj_profile_at(const struct mpj_profile *p, int64_t address);

/* ---- filters, in uftrace's terms ---- */

struct mpj_prof_choice {
    const char *const *only; /* -F: these functions, their callees, and the path to them */
    unsigned onlys;
    const char *const *without; /* -N: all but these and their callees */
    unsigned withouts;
    unsigned depth;  /* -D: number of levels, below those of -F if given; 0: all */
    double least_s;  /* -t: at least this time, in seconds */
    double least_uj; /* ... or this energy, including callees */
};

/*
 * Applies filters; names are those of mpj_profile_named(). Filtered costs move to a function
 * MPJ_PROF_LEFT_OUT below the caller: sums, and the totals of callers, do not change. MPJ_E_USAGE:
 * a name matches no function, or nothing is left.
 */
int mpj_profile_filter(struct mpj_profile *p, const struct mpj_prof_choice *c, struct mpj_err *err);

/* ---- costs of no core ---- */

/*
 * Distributes the chip's energy, and its causes, over the nodes by their own cycles (core time,
 * idle included); sums do not change, to the fJ, and energy remains the sum of its causes. Events
 * of SCU and L2 stay with the chip. To be called before mpj_profile_filter(); otherwise filtered
 * functions also get a share. MPJ_E_USAGE: the profile has no such energy, or no cycles.
 */
int mpj_profile_share_chip(struct mpj_profile *p, struct mpj_err *err);
/* Returns notes for head lines and labels: ", energy of (chip) shared out by core time" when that
 * was done, and that the call tree is inexact or some paths are not distinguished, with their share
 * of the cycles; else "". Valid as long as the profile. */
const char *mpj_profile_note(const struct mpj_profile *p);

/* ---- tables ---- */

enum mpj_prof_by {
    MPJ_BY_FUNC = 1,
    MPJ_BY_THREAD = 2,
    MPJ_BY_CORE = 4,
    MPJ_BY_REGION = 8,
};

/* Members that the table does not distinguish are MPJ_PROF_NONE. */
struct mpj_prof_row {
    int64_t func, thread, core, region;
    uint64_t calls;
    const int64_t *self, *total; /* [item]; recursion is counted once in total */
};

struct mpj_prof_table {
    unsigned rows;
    struct mpj_prof_row *row;
    int64_t *cell;
};

/* Sums costs by function, thread, core, region, or several of them (enum mpj_prof_by). Free with
 * mpj_profile_table_free(), also after an error. */
int mpj_profile_table(const struct mpj_profile *p, unsigned by, struct mpj_prof_table *out,
                      struct mpj_err *err);
void mpj_profile_table_free(struct mpj_prof_table *t);

/* Order of a table and of the children of a node: the most expensive first. */
struct mpj_prof_sort {
    int item;   /* MPJ_PROF_NONE: calls */
    bool total; /* including callees */
};

/* Parses a sort key: "energy", "time", "calls", an event or any item, optionally preceded by
 * "total-"; NULL: energy, or the first available. MPJ_E_USAGE: the line lists the available
 * keys. */
int mpj_profile_sort(const struct mpj_profile *p, const char *name, struct mpj_prof_sort *out,
                     struct mpj_err *err);
/* Sorts rows by that key; equal ones by name and thread. */
void mpj_profile_order(const struct mpj_profile *p, struct mpj_prof_table *t,
                       struct mpj_prof_sort by);

/* ---- moments and power over time: read one by one from the store, never all in memory ---- */

struct mpj_moment {
    uint64_t time; /* ticks since the program began; earlier times are 0 */
    int64_t core, thread;
    enum mpj_moment_kind kind;
    int64_t object, other, value;
    const char *name; /* of a mark; NULL: none */
};

/* Receives a moment. A result other than MPJ_E_OK ends the reading and is returned. */
typedef int mpj_moment_each(void *ctx, const struct mpj_moment *m);
/* Passes moments in order of time; MPJ_PROF_SOURCES: of the most exact source available. *lost:
 * number of moments that were not kept; may be NULL. */
/* Use of a function in a hundredth of the run, including callees, from the calls that the target
 * measured and kept. */
struct mpj_entry_bin {
    uint32_t address; /* of the function */
    unsigned bin;
    uint64_t records, calls;    /* measured calls, and the calls that they represent */
    uint64_t cycles, energy_fj; /* of the latter; energy 0: unknown */
};
typedef int mpj_entry_bin_each(void *ctx, const char *function, const struct mpj_entry_bin *b);
/* Passes the bins by function, then by time; a result of `each` other than MPJ_E_OK ends it. lost:
 * number of calls that were not kept, NULL: not needed. A run without such calls has no bins. */
int mpj_entry_bins(const char *store, mpj_entry_bin_each *each, void *ctx, uint64_t *lost,
                   struct mpj_err *err);
/* Sets the source that mpj_moments() uses when it is asked for *source. */
int mpj_moments_source(const char *store, enum mpj_prof_source *source, struct mpj_err *err);
int mpj_moments(const char *store, enum mpj_prof_source source, mpj_moment_each *each, void *ctx,
                uint64_t *lost, struct mpj_err *err);

/* Receives a step: energy from time to time + step, in ticks; core MPJ_PROF_NONE: the chip's
 * own. */
typedef int mpj_wave_each(void *ctx, int64_t core, uint64_t time, uint64_t step, uint64_t fj);
/* Passes the steps by core, the chip first, in order of time. */
int mpj_wave(const char *store, mpj_wave_each *each, void *ctx, struct mpj_err *err);

/* Receives a step: the count of an event on a core in that time. */
typedef int mpj_count_each(void *ctx, int64_t core, const char *event, uint64_t time, uint64_t step,
                           uint64_t n);
/* Passes the steps of events by name, core and time; stores before version 6 have none. */
int mpj_wave_counts(const char *store, mpj_count_each *each, void *ctx, struct mpj_err *err);

/* ---- instructions ---- */

struct mpj_insn_cost {
    const char *item;
    int64_t value;
};

struct mpj_insn {
    uint32_t address;
    uint64_t executions, cycles;
    unsigned costs;
    const struct mpj_insn_cost *cost; /* sorted by name */
};

typedef int mpj_insn_each(void *ctx, const struct mpj_insn *insn);
/* Passes the executed instructions from address up to, not including, end, in order of address. */
int mpj_insns(const char *store, uint32_t address, uint32_t end, mpj_insn_each *each, void *ctx,
              struct mpj_err *err);

#endif
