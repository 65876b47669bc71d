/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conclusions from the results of a command under each calibration of the assumptions
 * (run/assumptions.h), and which of them flip. run, sweep, tune, explore and diff
 * collect rows; text, JSON and drawing are the same for all.
 */
#ifndef CONCLUDE_H
#define CONCLUDE_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include "base/errors.h"
#include "run/assumptions.h"

/* Relative differences below this are none: another layout of the program in memory has as much. */
#define CONCLUDE_SAME 0.005
#define CONCLUDE_MAX  64U

/* A conclusion under one calibration. */
struct conclude_by {
    char *says;   /* "cores=4"; NULL: there is none */
    double value; /* the figure that it is about; NAN: none */
    double worse; /* what the first calibration says, relative to this; NAN: not known */
};

struct conclusion {
    char *what;       /* "best energy" */
    const char *unit; /* of the values; "": none */
    struct conclude_by by[RUN_ASSUMPTIONS_MAX];
};

/* Zero-initialise; set is filled by run_assumptions_find(). */
struct conclusions {
    struct run_assumptions set;
    unsigned n;
    struct conclusion at[CONCLUDE_MAX];
    double bound; /* how far a searched best may be from the best of all, relative; 0: all known */
    bool incomplete; /* out of memory, or more than CONCLUDE_MAX rows */
};

/* Finds the calibrations. Errors: as run_assumptions_find(). */
int conclude_begin(struct conclusions *s, struct mpj_err *err);
/* Adds what a calibration says about something. says: malloc()ed, taken; NULL: nothing. */
void conclude_add(struct conclusions *s, unsigned member, const char *what, const char *unit,
                  char *says, double value, double worse);
/* Adds a figure, from which nothing follows: it is drawn. NAN: not known. */
void conclude_figure(struct conclusions *s, unsigned member, const char *what, const char *unit,
                     double value);
/* Adds a relative change, whose sign is what is said: "less", "more", "no change". The value is in
 * percent. NAN: not known. */
void conclude_change(struct conclusions *s, unsigned member, const char *what, double change);
/* True if two calibrations disagree by CONCLUDE_SAME or more. */
bool conclude_flips(const struct conclusions *s, const struct conclusion *c);
/* Prints the conclusions. */
void conclude_text(const struct conclusions *s, FILE *f);
/* Adds the conclusions to the result of a command, as "conclusions": {"calibrations":[NAME...],
 * "rows":[{"what","unit","flips","by":[{"calibration","says","value","worse"}...]}...]}. */
void conclude_json(const struct conclusions *s, json_t *root);
/* Writes a struct conclusions as a drawing (SVG); an mpj_file_put. */
int conclude_draw(const void *what, FILE *f, struct mpj_err *err);
void conclude_free(struct conclusions *s);

#endif
