/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The difference of two runs: changes of time, energy and events, and their places. Change is
 * always B less A. */
#ifndef REPORT_DIFF_H
#define REPORT_DIFF_H

#include <stdio.h>

#include "report/blame.h"
#include "report/run.h"

#define MPJ_DIFF_WHYS 2U

enum mpj_diff_by {
    MPJ_DIFF_FUNCTIONS = 0, /* self cost, without callees */
    MPJ_DIFF_THREADS = 1,
    MPJ_DIFF_REGIONS = 2,
    MPJ_DIFF_TABLES = 3,
};

/* A label of the program and what it was given, or of the tools that measured it. */
struct mpj_diff_label {
    char *name;
    bool tool;      /* the label describes the tools, not the program */
    char *value[2]; /* of A and B; NULL: not recorded */
    bool differs;   /* never when one of them is not recorded */
};

/* A function, thread or region of A, of B, or of both. */
struct mpj_diff_row {
    char *name;
    char *file; /* of a function; NULL: unknown. File and line are B's if B has the function. */
    int line;   /* 0: unknown */
    bool in[2];
    uint64_t calls[2];
    int64_t *cost[2]; /* [item]; 0 where the row is missing */
    bool unknown[2];  /* its energy: then the cost is 0 */
};

struct mpj_diff_table {
    unsigned rows;
    struct mpj_diff_row *row; /* the largest change first, up or down; equal ones by name */
};

struct mpj_diff {
    unsigned labels;
    struct mpj_diff_label *label;
    double time_s[2];     /* NAN: the run did not end */
    double energy_uj[2];  /* of the processor; NAN: not known of both by the same means */
    const char *measured; /* the means of measurement; "": no means that both have */
    const char *means[2]; /* the best means of each run; "": no energy is known */
    int source;           /* of the profile of functions that both have; negative: no common one */
    /* Items of both, as those of struct mpj_profile. Without profiles: cycles, energy and events
     * of threads and regions. */
    unsigned items;
    struct mpj_prof_item *item;
    int cycles, energy;   /* MPJ_PROF_NONE: not in both */
    int order;            /* item by which rows are sorted: energy, or the first available */
    unsigned first_cause; /* items from here on are causes of energy */
    int64_t *all[2];      /* [item]: the whole run */
    uint32_t clock_hz[2];
    struct mpj_diff_table table[MPJ_DIFF_TABLES];
    struct mpj_blame why[MPJ_DIFF_WHYS]; /* of time, energy: mpj_diff_blame(); culprit NULL: none */
};

/*
 * Compares two runs, which must outlive *out. When both have a profile of functions, but not by the
 * same means, the profiles of the most exact source that both have are used instead (run->profile,
 * read from the stores). Functions are matched by name and file, threads by name and their order,
 * regions by the function of their body, so that lines may move. sort: an item, or "energy",
 * "time"; NULL: energy, or the first available. MPJ_E_USAGE: no such item. *out is NULL on error.
 */
int mpj_diff_make(struct mpj_diff **out, struct mpj_run *const run[2], const char *const store[2],
                  const char *sort, struct mpj_err *err);
void mpj_diff_free(struct mpj_diff *d);
/* Finds which functions the changes of time and energy come from, when both runs have a profile of
 * functions. elf: the programs, NULL: unknown (see mpj_blame_tables()). */
int mpj_diff_blame(struct mpj_diff *d, struct mpj_run *const run[2], const char *const store[2],
                   const char *const elf[2], struct mpj_err *err);

/* Returns the cause of energy that explains most of a row's change, one that follows from time
 * (clock, leakage, stalls) only when no other does; MPJ_PROF_NONE: no cause is known, or none
 * changed in the direction of the row. */
int mpj_diff_cause(const struct mpj_diff *d, const struct mpj_diff_row *r);
/* Returns "functions", "threads" or "regions". */
const char *mpj_diff_table_name(enum mpj_diff_by by);

/* The input of a writer. */
struct mpj_diff_report {
    const struct mpj_diff *diff;
    const char *file[2]; /* as the user named them */
    const struct mpj_run *run[2];
    int top; /* rows of a table; 0: all; negative: the format's default */
};
typedef int mpj_diff_put(const struct mpj_diff_report *r, FILE *out, struct mpj_err *err);

/* Returns the writer of a format: text, json ("mpjoule-diff/1"), csv, html (a page), folded (call
 * paths with the costs of A and of B, as flamegraph.pl draws differences). NULL: unknown format. */
mpj_diff_put *mpj_diff_format(const char *name);
#define MPJ_DIFF_FORMATS "text, json, csv, html, folded"

#endif
