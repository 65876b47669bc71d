/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counter groups: text files that name events to count together and metrics to compute from them
 * (models/groups/README.md). The summary of a run is one that is compiled in. `mpjoule run --group
 * NAME` counts and shows one.
 */
#ifndef REPORT_GROUPS_H
#define REPORT_GROUPS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/errors.h"
#include "report/run.h"

#define MPJ_GROUP_METRICS_MAX 32U

enum mpj_metric_scope {
    MPJ_METRIC_CORE, /* of each core, and of all together */
    MPJ_METRIC_CHIP, /* one figure; an event of the cores is summed over them */
};

struct mpj_expr;

struct mpj_metric {
    char *name, *unit, *formula;
    enum mpj_metric_scope scope;
    int decimals; /* digits shown; negative: chosen by magnitude */
    struct mpj_expr *expr;
};

struct mpj_group {
    char *name, *title;
    bool want[MPJ_RUN_EVENTS_MAX]; /* by index into mpj_event_table() */
    unsigned metrics;
    struct mpj_metric metric[MPJ_GROUP_METRICS_MAX];
};

/*
 * Reads the group NAME from folder/NAME.conf. *out is NULL on error: MPJ_E_USAGE, one line with
 * file and line number; for an unknown name it lists the available ones.
 */
int mpj_group_load(struct mpj_group **out, const char *folder, const char *name,
                   struct mpj_err *err);
/* Reads a group from the text of such a file; name: of the group, and for errors. */
int mpj_group_parse(struct mpj_group **out, const char *name, const char *text,
                    struct mpj_err *err);
void mpj_group_free(struct mpj_group *g);

/* Returns all groups of the folder by name; *count receives their number. Free each, then the
 * array. */
int mpj_group_all(struct mpj_group ***out, size_t *count, const char *folder, struct mpj_err *err);

/* Returns a metric of one core; core < 0: of all, or of the chip. NAN when it cannot be computed:
 * an event was not counted, or a division is by zero. */
double mpj_group_value(const struct mpj_group *g, unsigned metric, const struct mpj_run *run,
                       int core);

/* A metric with the quality of its inputs. some: a sum over the cores omits those that did not
 * count the event, as reports do, instead of being NAN. */
struct mpj_figure {
    double value;
    bool estimate; /* an event was counted for a part of the time, and scaled */
};
struct mpj_figure mpj_group_figure(const struct mpj_group *g, unsigned metric,
                                   const struct mpj_run *run, int core, bool some);

/* Writes a section of the report. MPJ_E_IO. */
int mpj_group_print(const struct mpj_group *g, const struct mpj_run *run, FILE *out,
                    struct mpj_err *err);

#endif
