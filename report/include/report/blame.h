/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds what a change of figures comes from: the function, its cause, who called it more often, who
 * waits for it. One mechanism for differences of runs, gates and histories.
 *
 * It compares tables of two sides, JSON objects: "functions", by label, with whole numbers: time
 * (ns, own and of the runtime it calls, on all cores), critical (the part of it that the run
 * depended on: a second in which n threads run is 1/n of a second of each), wait (ns, for other
 * threads), energy and energy by cause (nJ), calls, events; "at" and "line": place of a function of
 * the program; "source": text, hash of its source, by which growth of an inlined function is known
 * to come from the function that it is inlined into. "runtime", by "function > callee": what of
 * that is the runtime's. "callers", by "caller > function": calls. "regions" as functions. A side
 * may have fewer tables and figures.
 */
#ifndef REPORT_BLAME_H
#define REPORT_BLAME_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include "report/run.h"

#define MPJ_BLAME_CALLS  " > "    /* in names of "runtime" and "callers" */
#define MPJ_BLAME_SOURCE "source" /* of a function; numbers of former builds: unknown */

/* The result of an attribution; strings are owned. */
struct mpj_blame {
    char *culprit; /* function or region; NULL: none was found, all else is unknown */
    char *file;    /* of the culprit; NULL: unknown */
    int line;
    const char *item;  /* the item that increased: the one asked for, or energy */
    double base, now;  /* of that item; time with waits */
    bool of_run;       /* they are critical time, ns, because the item fell where that grew */
    const char *cause; /* a word of the cause of energy, "waiting"; NULL: unknown */
    char *through;     /* the callee in the runtime that has most of the increase; NULL */
    char *callee;      /* the function whose cost grew because the culprit calls it more; NULL */
    double calls_base, calls_now; /* of the callee by the culprit; else of the culprit */
    char *victim;                 /* the function that waits most for the culprit; NULL */
    double wait_base, wait_now;   /* of the victim, ns */
};

/* Adds functions, runtime and callers of a run to an object. store: the run's; elf: its program, of
 * which calls of inlined functions are known; NULL: they count for the function that contains them.
 * Without a profile the tables are empty. MPJ_E_STORE, MPJ_E_NOMEM. */
int mpj_blame_tables(json_t *o, const struct mpj_run *run, const char *store, const char *elf,
                     struct mpj_err *err);

/* Finds who is to blame for the change of an item ("time", "energy", an event) of the whole
 * program. base, now: as above. MPJ_E_NOMEM. */
int mpj_blame_find(const json_t *base, const json_t *now, const char *item, double change,
                   struct mpj_blame *out, struct mpj_err *err);
/* Finds what a change of either sign comes from: of a decrease, what would make the increase back.
 * None for no change, or an unknown one (NAN). MPJ_E_NOMEM. */
int mpj_blame_change(const json_t *base, const json_t *now, const char *item, double change,
                     struct mpj_blame *out, struct mpj_err *err);
/* Describes the change of one row of "functions" or "regions". MPJ_E_NOMEM. */
int mpj_blame_row(const json_t *base, const json_t *now, const char *table, const char *name,
                  const char *item, struct mpj_blame *out, struct mpj_err *err);
void mpj_blame_free(struct mpj_blame *b);

/* Writes "fft (fft.c:12) takes 3 ms instead of 2 ms; cause: L2 accesses"; named: the reader has the
 * name and the figures already. Nothing without a culprit. */
void mpj_blame_say(const struct mpj_blame *b, bool named, FILE *out);
/* Adds the members of an outcome to an object: culprit, through, file, line, cause, ... */
void mpj_blame_json(const struct mpj_blame *b, json_t *o);

/* Returns the name in a function's label: without the file of one of several. */
const char *mpj_blame_plain_name(const char *label);
/* True for a cause of energy that follows from time, whatever that comes from. */
bool mpj_blame_follows(const char *cause);

struct mpj_blame_unit {
    const char *name;
    double factor;
};
/* Returns the units of an item, the smallest first, up to one without a name: of time, energy;
 * counts have one, "". */
const struct mpj_blame_unit *mpj_blame_units(const char *item);
/* True if an item is neither time nor energy. */
bool mpj_blame_is_count(const char *item);
/* Formats a value: "12.3456 ms", "3.2 mJ", "1,234,567". */
void mpj_blame_value(const char *item, double v, char *text, size_t size);

#endif
