/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The history of programs: a folder with a file of figures for each commit, which a gate writes.
 * Files of two branches merge by being in one folder.
 */
#ifndef GATE_HISTORY_H
#define GATE_HISTORY_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include "gate/judge.h"

#define MPJ_HISTORY "mpjoule-history/1"
#define MPJ_TREND   "mpjoule-trend/1"

/* The commit that figures belong to. */
struct mpj_commit {
    char sha[65];   /* hexadecimal */
    long long time; /* of its committer, seconds since 1970 */
};
/* Asks git for the commit that is checked out here. MPJ_E_USAGE: there is none, or files that git
 * tracks differ from it, so that figures would be of no commit. */
int mpj_commit_here(struct mpj_commit *out, struct mpj_err *err);

/* Writes FOLDER/TIME-SHA.json, the figures of measured programs; the folder is created. Programs of
 * the same commit that were not measured now stay. */
int mpj_history_add(const char *folder, const struct mpj_commit *c, const struct mpj_gate_result *r,
                    struct mpj_err *err);

#define MPJ_TREND_ITEMS 2U /* time, energy */

/* Figures of a program at a commit, and what changed since the one before. */
struct mpj_trend_step {
    const char *sha;                /* the history's */
    double value[MPJ_TREND_ITEMS];  /* medians: ns, nJ; NAN: unknown */
    double change[MPJ_TREND_ITEMS]; /* part of the value before; NAN: none to compare with */
    char *why[MPJ_TREND_ITEMS];     /* a sentence about the culprit; NULL: no change, or unknown */
    bool begins;                    /* no comparable figures before it: another target, arguments */
    char *tools;                    /* other tools than before; NULL: the same */
};

/* A program over the commits. */
struct mpj_trend {
    const char *name; /* the history's */
    unsigned steps;
    struct mpj_trend_step *step; /* in order of commits */
    struct mpj_trend_total {
        unsigned best;  /* the step with the least value, of those that compare with the last */
        double change;  /* of the last one against it; NAN: unknown */
        double largest; /* of the steps since then */
        bool beyond;    /* the change is above the limit */
        char *why;      /* a sentence about all of it; NULL: unknown */
    } total[MPJ_TREND_ITEMS];
};

struct mpj_history {
    char *folder;
    double limit;  /* per cent above the best */
    json_t **file; /* in order of their commits' time, then name */
    unsigned files;
    unsigned trends;
    struct mpj_trend *trend; /* by name */
    bool beyond;             /* any total is */
};

/* Reads a folder and finds the trends. MPJ_E_USAGE: no folder or no history in it, a damaged file.
 * Free in any case. */
int mpj_history_read(struct mpj_history *h, const char *folder, double limit, struct mpj_err *err);
void mpj_history_free(struct mpj_history *h);

/* Returns "time" or "energy". */
const char *mpj_trend_item(unsigned item);

typedef int mpj_history_put(const struct mpj_history *h, FILE *out, struct mpj_err *err);
/* Returns the writer of a format: text, json, html. NULL: unknown. */
mpj_history_put *mpj_history_format(const char *name);
#define MPJ_HISTORY_FORMATS "text, json, html"

#endif
