/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gates: compare figures of programs with their baseline, and find those that are worse than
 * allowed.
 *
 * A sample is an extract of a run, a JSON object: "tools" (labels of the tools that measured it),
 * "program" (labels of the program that ran), "figures" (time in ns, energy in nJ, counts of
 * events), "regions", "marks": by name, figures of each, and the tables of report/blame.h. The
 * samples of one program are merged: a figure is then one number, or a list of those of all samples
 * in their order. A baseline is a file of such objects by program ("mpjoule-baseline/1", docs/man).
 */
#ifndef GATE_JUDGE_H
#define GATE_JUDGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "report/blame.h"
#include "report/run.h"

#define MPJ_GATE_BASELINE    "mpjoule-baseline/1"
#define MPJ_GATE_SAMPLES_MAX 99U

/* The subject of a limit. */
enum mpj_gate_kind {
    MPJ_GATE_WHOLE = 0,
    MPJ_GATE_FUNCTION = 1,
    MPJ_GATE_REGION = 2,
    MPJ_GATE_MARK = 3, /* from a mark to the next */
    MPJ_GATE_KINDS = 4,
};

struct mpj_gate_limit {
    enum mpj_gate_kind kind;
    char *name;     /* of the function, region or mark; NULL: the whole program */
    char *item;     /* "time", "energy", "calls", an event */
    double percent; /* above the baseline; NAN: no such limit */
    double most;    /* in ns, nJ or as a count; NAN: no such limit */
    char *text;     /* as the user wrote it */
};

struct mpj_gate_limits {
    struct mpj_gate_limit *at;
    unsigned n;
};

/*
 * Adds "1 %", "12 ms", "3.5 mJ", "100000" as a limit of an item; a second one of the same kind for
 * the same subject is contradictory. MPJ_E_USAGE with one line, MPJ_E_NOMEM.
 */
int mpj_gate_limit_add(struct mpj_gate_limits *l, enum mpj_gate_kind kind, const char *name,
                       const char *item, const char *text, struct mpj_err *err);
/* Rejects contradictory limits: a part that may take more than the whole program. MPJ_E_USAGE. */
int mpj_gate_limits_check(const struct mpj_gate_limits *l, struct mpj_err *err);
void mpj_gate_limits_free(struct mpj_gate_limits *l);

/*
 * Returns the sample of a run, whose store is `store` (marks, instructions) and whose program was
 * `elf`; if that is NULL or unreadable, calls of inlined functions count for the function that
 * contains them. NULL: err.
 */
json_t *mpj_gate_sample(const struct mpj_run *run, const char *store, const char *elf,
                        struct mpj_err *err);
/* Merges n samples of one program; NULL: out of memory. Takes no reference. */
json_t *mpj_gate_merge(json_t *const *sample, unsigned n);

/* Reads a baseline: an object by program. NULL: err, MPJ_E_USAGE when the file is damaged or
 * missing (*missing). */
json_t *mpj_gate_baseline_read(const char *path, bool *missing, struct mpj_err *err);
/* Returns the part of a merged sample that a baseline keeps: only the functions that matter,
 * without lines unless places are wanted, and events only where a limit exists. NULL: out of
 * memory. */
json_t *mpj_gate_reduce(const json_t *sample, const struct mpj_gate_limits *l, bool places);
/* Writes a baseline, sorted, one line per function. */
int mpj_gate_baseline_write(const char *path, const json_t *programs, struct mpj_err *err);

enum mpj_gate_verdict {
    MPJ_GATE_OK = 0,
    MPJ_GATE_REGRESSION = 1,
    MPJ_GATE_UNKNOWN = 2, /* could not be measured or compared */
};

/* One limit that was exceeded, or the reason why there is no verdict. */
struct mpj_gate_finding {
    enum mpj_gate_verdict verdict;
    const struct mpj_gate_limit *limit; /* NULL: verdict UNKNOWN */
    double base, now;                   /* medians; base NAN: only an absolute limit */
    struct mpj_blame blame;             /* of a function or region, if one was found */
    char *text;                         /* one line */
};

struct mpj_gate_program {
    char *name;
    enum mpj_gate_verdict verdict;
    unsigned runs, kept; /* samples, and those that already existed */
    unsigned findings;
    struct mpj_gate_finding *finding;
    char *note;         /* changes of program and tools, an improvement; NULL: no change */
    json_t *base, *now; /* NULL: none */
    char *file;         /* a source file of the program, for places without a line */
    const struct mpj_gate_limits *limits;
};

struct mpj_gate_result {
    unsigned programs;
    struct mpj_gate_program *program; /* by name */
    enum mpj_gate_verdict verdict;    /* REGRESSION before UNKNOWN before OK */
    bool layouts, repeated;           /* the cause of a range of figures */
};

/*
 * Compares p->now with p->base by p->limits: fills findings, note and verdict. Either may be NULL.
 * noisy: a board, whose own spread counts as well. MPJ_E_NOMEM.
 */
int mpj_gate_judge(struct mpj_gate_program *p, bool noisy, struct mpj_err *err);
/* True if more samples of other layouts could change the verdict on p->now, of which the baseline
 * has more. */
bool mpj_gate_doubtful(const struct mpj_gate_program *p);
/* Adds a finding UNKNOWN (printf). */
__attribute__((format(printf, 3, 4))) int
mpj_gate_unknown(struct mpj_gate_program *p, struct mpj_err *err, const char *format, ...);
/* Sets r->verdict from the verdicts of all programs. */
void mpj_gate_conclude(struct mpj_gate_result *r);
void mpj_gate_program_free(struct mpj_gate_program *p);

/* Returns a figure of a merged sample: the median; low and high: range, may be NULL. NAN: no such
 * figure. */
double mpj_gate_figure(const json_t *row, const char *item, double *low, double *high);
const char *mpj_gate_kind_name(enum mpj_gate_kind kind); /* Returns "program", "function", ... */

typedef int mpj_gate_put(const struct mpj_gate_result *r, FILE *out, struct mpj_err *err);
struct mpj_gate_writer {
    const char *name;
    mpj_gate_put *put;
};
/* Returns the writer of that name: table, markdown, junit, sarif, codequality, openmetrics, json.
 * NULL: err lists them. */
const struct mpj_gate_writer *mpj_gate_writer_find(const char *name, struct mpj_err *err);
/* Returns their names, separated by ", ". */
const char *mpj_gate_writer_names(void);

#endif
