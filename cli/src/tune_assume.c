/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tune_assume.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "tune_show.h"

#define OPTION "calibration"

/* Sets the calibration of all runs. */
static int calibrate(struct run_tune *t, const char *name, struct mpj_err *err)
{
    for (unsigned i = 0; i < t->option.n; i++) {
        struct run_tune_pair *const p = &t->option.at[i];
        if (strcmp(p->name, OPTION) != 0)
            continue;
        free(p->text);
        p->text = strdup(name);
        return p->text != NULL ? MPJ_E_OK : mpj_err_nomem(err);
    }
    return run_tune_put(&t->option, OPTION, name, err);
}

static void announce(const struct conclusions *s, unsigned member)
{
    if (cli_shows_progress())
        cli_live_line("%u of %u: %s", member + 1, s->set.names, s->set.name[member]);
}

/* ---- tune ---------------------------------------------------------------------------------- */

static const char *unit_of(const char *objective)
{
    return strcmp(objective, "time") == 0 ? "s" : strcmp(objective, "energy") == 0 ? "J" : "";
}

/* Returns what the point costs over the best one, relative; NAN: not known. */
static double worse(const struct run_tune *t, unsigned objective, int point)
{
    const int best = t->best[objective];
    const double least = best >= 0 ? t->point[best].objective[objective] : 0;

    return point >= 0 && t->point[point].state == RUN_TUNE_MEASURED && least > 0
               ? t->point[point].objective[objective] / least - 1
               : NAN;
}

/* Collects the best points. first: those of the first calibration. */
static void collect(const struct run_tune *t, struct conclusions *s, unsigned member,
                    const int *first)
{
    for (unsigned i = 0; i < t->objective.n; i++) {
        const char *const objective = t->objective.at[i].text;
        const int best = t->best[i];
        char what[80];

        snprintf(what, sizeof(what), "best %s", objective);
        conclude_add(s, member, what, unit_of(objective),
                     best >= 0 ? tune_point_title(t, (unsigned)best) : NULL,
                     best >= 0 ? t->point[best].objective[i] : NAN, worse(t, i, first[i]));
        if (best >= 0 && !(t->bound[i] < 0))
            s->bound = fmax(s->bound, t->bound[i]);
    }
}

/* Tunes under one calibration. */
static int one(struct run_tune *t, const char *name, struct mpj_err *err)
{
    run_tune_clear(t);
    return calibrate(t, name, err) == MPJ_E_OK ? run_tune(t, err) : err->code;
}

int tune_assume(struct run_tune *t, struct conclusions *s, struct mpj_err *err)
{
    int first[RUN_TUNE_OBJECTIVES_MAX] = {0};
    unsigned also[RUN_TUNE_OBJECTIVES_MAX];
    int result = conclude_begin(s, err);

    for (unsigned m = 0; m < s->set.names && result == MPJ_E_OK; m++) {
        announce(s, m);
        result = one(t, s->set.name[m], err);
        for (unsigned i = 0; m == 0 && result == MPJ_E_OK && i < t->objective.n; i++) {
            first[i] = t->best[i];
            if (first[i] >= 0)
                also[t->alsos++] = (unsigned)first[i];
        }
        t->also = also;
        if (result == MPJ_E_OK)
            collect(t, s, m, first);
    }
    t->alsos = 0;
    /* the first again, from what is kept: its points are shown */
    return result == MPJ_E_OK ? one(t, s->set.name[0], err) : result;
}

/* ---- explore -------------------------------------------------------------------------------- */

static const char *const units[RUN_EXPLORE_BYS] = {"s", "J", "J s"};

/* Returns what the chip costs over the best one, relative; NAN: not known. */
static double chip_worse(const struct run_explore *x, unsigned by, int point)
{
    const int best = x->found.best[by];

    return best >= 0 && point >= 0 ? x->cost[point].by[by] / x->cost[best].by[by] - 1 : NAN;
}

/* Returns how much a chip that was the smallest is beyond what is allowed, or larger than the
 * smallest, relative. */
static double size_worse(const struct run_explore *x, unsigned by, int point)
{
    const int small = x->found.smallest[by];
    const double over = chip_worse(x, by, point) - x->within;

    if (isnan(over))
        return NAN;
    return fmax(over, x->cost[point].area_mm2 / x->cost[small].area_mm2 - 1);
}

static void collect_chips(const struct run_explore *x, struct conclusions *s, unsigned member,
                          const struct run_explore_found *first)
{
    for (unsigned by = 0; by < RUN_EXPLORE_BYS; by++) {
        const int best = x->found.best[by];
        const int small = x->found.smallest[by];
        char what[80];

        snprintf(what, sizeof(what), "best %s", run_explore_by_name(by));
        conclude_add(s, member, what, units[by],
                     best >= 0 ? tune_point_title(&x->tune, (unsigned)best) : NULL,
                     best >= 0 ? x->cost[best].by[by] : NAN, chip_worse(x, by, first->best[by]));
        snprintf(what, sizeof(what), "smallest within %g %% by %s", 100 * x->within,
                 run_explore_by_name(by));
        conclude_add(
            s, member, what, "mm2", small >= 0 ? tune_point_title(&x->tune, (unsigned)small) : NULL,
            small >= 0 ? x->cost[small].area_mm2 : NAN, size_worse(x, by, first->smallest[by]));
    }
}

int explore_assume(struct run_explore *x, struct conclusions *s, struct mpj_err *err)
{
    const double vary = x->vary;
    struct run_explore_found first = {.best = {-1, -1, -1}, .smallest = {-1, -1, -1}};
    int result = conclude_begin(s, err);

    x->vary = 0;
    for (unsigned m = 0; m < s->set.names && result == MPJ_E_OK; m++) {
        announce(s, m);
        run_explore_clear(x);
        result = calibrate(&x->tune, s->set.name[m], err);
        if (result == MPJ_E_OK)
            result = run_explore(x, err);
        if (m == 0 && result == MPJ_E_OK)
            first = x->found;
        if (result == MPJ_E_OK)
            collect_chips(x, s, m, &first);
    }
    x->vary = vary;
    run_explore_clear(x);
    if (result == MPJ_E_OK)
        result = calibrate(&x->tune, s->set.name[0], err);
    return result == MPJ_E_OK ? run_explore(x, err) : result;
}
