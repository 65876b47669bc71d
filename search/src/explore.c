/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chips for a program: their costs, the best ones, and the assumptions that these depend on. */
#include "search/explore.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore_int.h"
#include "hil/image.h"
#include "run/kinds.h"
#include "run/paths.h"
#include "tile_board.h"
#include "tile_limits.h"
#include "tile_machine.h"

/* Data that a chip and its runs are derived from: the given laws set the keys that change energy
 * alone, so that a run serves whatever is assumed of those. */
struct run_explore_work {
    json_t *calibration, *laws;
    json_t *now_calibration, *now_laws;
    struct tile_machine board; /* the program's */
};

static const struct size {
    const char *name;
    size_t at;
} sizes[] = {
    {"l1i_kb", offsetof(struct run_explore_chip, l1i_kb)},
    {"l1d_kb", offsetof(struct run_explore_chip, l1d_kb)},
    {"l2_kb", offsetof(struct run_explore_chip, l2_kb)},
    {"l1i_ways", offsetof(struct run_explore_chip, l1i_ways)},
    {"l1d_ways", offsetof(struct run_explore_chip, l1d_ways)},
    {"l2_ways", offsetof(struct run_explore_chip, l2_ways)},
    {"clock_mhz", offsetof(struct run_explore_chip, clock_mhz)},
};

const char *run_explore_by_name(enum run_explore_by by)
{
    static const char *const names[] = {"time", "energy", "edp"};

    return names[by];
}

bool run_explore_has(const struct run_explore *x, unsigned point)
{
    return x->tune.point[point].state == RUN_TUNE_MEASURED;
}

/* ---- axes --------------------------------------------------------------------------------- */

static double *size_of(struct run_explore_chip *chip, const char *name)
{
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        if (strcmp(sizes[i].name, name) == 0)
            return (double *)((char *)chip + sizes[i].at);
    }
    return NULL;
}

static bool both(const char *axis)
{
    return strcmp(axis, "l1_kb") == 0;
}

int run_explore_axis(struct run_explore *x, const char *name, const char *values,
                     struct mpj_err *err)
{
    struct run_tune *const t = &x->tune;

    if (run_tune_axis(t, name, values, err) != MPJ_E_OK)
        return err->code;
    return strcmp(name, "cores") == 0 ? run_tune_put(&t->option, "cores", "{cores}", err)
                                      : MPJ_E_OK;
}

static bool axis_of(const struct run_explore *x, const char *name)
{
    for (unsigned a = 0; a < x->tune.axes; a++) {
        if (strcmp(x->tune.axis[a].name, name) == 0)
            return true;
    }
    return false;
}

static int wrong_value(const struct run_tune_axis *a, unsigned v, const char *what,
                       struct mpj_err *err)
{
    return mpj_err_set(err, MPJ_E_USAGE, "%s=%s: expected %s", a->name, a->value[v], what);
}

/* True for a whole number from 1 to most as `run --cores` reads it: not 1.0, not 01. */
static bool is_count(const char *text, unsigned most)
{
    char plain[16];

    for (unsigned n = 1; n <= most; n++) {
        snprintf(plain, sizeof(plain), "%u", n);
        if (strcmp(text, plain) == 0)
            return true;
    }
    return false;
}

static int check_axis(const struct run_explore *x, const struct run_tune_axis *a,
                      struct mpj_err *err)
{
    struct run_explore_chip chip;
    const bool cores = strcmp(a->name, "cores") == 0;
    const bool l2 = strcmp(a->name, "l2_kb") == 0;
    const struct tile_machine *const board = &x->work->board;
    char range[64];

    snprintf(range, sizeof(range), "the board's number of cores, 1 to %u", board->cores);
    if (board->l2.kind == TILE_L2_NONE && (l2 || strcmp(a->name, "l2_ways") == 0))
        return mpj_err_set(err, MPJ_E_USAGE, "axis %s: the board %s has no level-2 cache", a->name,
                           board->name);

    if (!cores && !both(a->name) && size_of(&chip, a->name) == NULL &&
        !json_is_number(json_object_get(x->work->calibration, a->name)))
        return mpj_err_set(err, MPJ_E_USAGE,
                           "unknown axis %s; known: l1i_kb, l1d_kb, l1_kb (both), l2_kb, l1i_ways, "
                           "l1d_ways, l2_ways, clock_mhz, cores, and the keys of the calibration",
                           a->name);
    for (unsigned v = 0; v < a->values; v++) {
        char *end;
        const double value = strtod(a->value[v], &end);
        if (end == a->value[v] || *end != '\0' || !isfinite(value))
            return wrong_value(a, v, "a number", err);
        if (cores && !is_count(a->value[v], board->cores))
            return wrong_value(a, v, range, err);
        if (!cores && (both(a->name) || size_of(&chip, a->name) != NULL) &&
            (value < 0 || (value == 0 && !l2)))
            return wrong_value(a, v, "more than 0", err);
    }
    return MPJ_E_OK;
}

static const char *value_of(const struct run_tune *t, const struct run_tune_point *p, unsigned axis)
{
    return t->axis[axis].value[p->index[axis]];
}

/* Computes the point's chip; keys of the calibration that are axes themselves are set there. */
static void chip_of(const struct run_tune *t, const struct run_tune_point *p, json_t *calibration,
                    unsigned board_cores, struct run_explore_chip *out)
{
    run_explore_base(calibration, board_cores, out);
    for (unsigned a = 0; a < t->axes; a++) {
        const char *const name = t->axis[a].name;
        const double v = strtod(value_of(t, p, a), NULL);
        double *const size = size_of(out, name);
        if (strcmp(name, "cores") == 0)
            out->cores = (unsigned)v;
        else if (both(name))
            out->l1i_kb = out->l1d_kb = v;
        else if (size != NULL)
            *size = v;
        else
            json_object_set_new(calibration, name, json_real(v));
    }
}

/* Returns all keys of the point's chip. NULL and err. */
static json_t *keys_of(const struct run_tune *t, const struct run_tune_point *p,
                       unsigned board_cores, const json_t *calibration, const json_t *laws,
                       struct run_explore_chip *chip, struct mpj_err *err)
{
    json_t *const own = json_copy((json_t *)calibration);
    json_t *out;

    chip_of(t, p, own, board_cores, chip);
    out = run_explore_scale(own, laws, chip, err);
    json_decref(own);
    return out;
}

/* Returns the keys of the point's run: times by the present assumptions, energies by the original
 * ones. A chip that no longer exists is run as before. */
static json_t *run_keys(const struct run_tune *t, const struct run_tune_point *p,
                        const struct run_explore_work *w, struct mpj_err *err)
{
    struct run_explore_chip chip;
    json_t *const first = keys_of(t, p, w->board.cores, w->calibration, w->laws, &chip, err);
    json_t *const now =
        first != NULL ? keys_of(t, p, w->board.cores, w->now_calibration, w->now_laws, &chip, err)
                      : NULL;

    if (now == NULL)
        return first;
    for (void *i = json_object_iter(now); i != NULL; i = json_object_iter_next(now, i)) {
        if (run_explore_untimed(json_object_iter_key(i)))
            json_object_iter_set(now, i, json_object_get(first, json_object_iter_key(i)));
    }
    json_decref(first);
    return now;
}

static char *chip_lines(void *ctx, const struct run_tune *t, const struct run_tune_point *p)
{
    const struct run_explore_work *const w = ctx;
    struct mpj_err err;
    json_t *const keys = run_keys(t, p, w, &err);
    char *out = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&out, &size);
    const char *key;
    json_t *v;

    if (f == NULL) {
        json_decref(keys);
        return NULL;
    }
    json_object_foreach(keys, key, v)
    {
        const double was = json_number_value(json_object_get(w->calibration, key));
        if (json_is_number(v) && json_number_value(v) != was)
            fprintf(f, "%s = %.0f\n", key, json_number_value(v));
    }
    fclose(f);
    json_decref(keys);
    return out;
}

/* ---- costs ---------------------------------------------------------------------------------- */

static void cost_of(const struct run_tune *t, const struct run_tune_point *p,
                    const struct run_explore_work *w, struct run_explore_cost *out)
{
    struct run_explore_chip chip;
    struct mpj_err none; /* by the present assumptions, there is no such chip */
    json_t *const ran = run_keys(t, p, w, &none);
    json_t *const now =
        keys_of(t, p, w->board.cores, w->now_calibration, w->now_laws, &chip, &none);

    for (unsigned by = 0; by < RUN_EXPLORE_BYS; by++)
        out->by[by] = NAN;
    out->area_mm2 = run_explore_area(w->now_laws, &chip);
    if (now != NULL && p->state == RUN_TUNE_MEASURED) {
        out->by[RUN_EXPLORE_TIME] =
            json_number_value(json_object_get(p->figures, "exact_cycles")) / (chip.clock_mhz * 1e6);
        out->by[RUN_EXPLORE_ENERGY] = run_explore_energy(
            p->figures, ran, now, &chip, run_explore_leaks(w->now_calibration, w->now_laws, &chip));
        out->by[RUN_EXPLORE_EDP] = out->by[RUN_EXPLORE_TIME] * out->by[RUN_EXPLORE_ENERGY];
    }
    json_decref(ran);
    json_decref(now);
}

/* Computes costs of all points; NAN: none. */
static void costs(const struct run_tune *t, const struct run_explore_work *w,
                  struct run_explore_cost *out)
{
    for (unsigned k = 0; k < t->points; k++)
        cost_of(t, &t->point[k], w, &out[k]);
}

/* ---- what is found -----------------------------------------------------------------------------
 */

static bool better(double a, double area_a, double b, double area_b)
{
    return a < b || (a == b && area_a < area_b);
}

static void find(const struct run_explore *x, const struct run_explore_cost *cost,
                 struct run_explore_found *out)
{
    for (unsigned by = 0; by < RUN_EXPLORE_BYS; by++) {
        int best = -1;
        int small = -1;
        for (unsigned k = 0; k < x->tune.points; k++) {
            if (!isnan(cost[k].by[by]) &&
                (best < 0 ||
                 better(cost[k].by[by], cost[k].area_mm2, cost[best].by[by], cost[best].area_mm2)))
                best = (int)k;
        }
        for (unsigned k = 0; best >= 0 && k < x->tune.points; k++) {
            if (!isnan(cost[k].by[by]) && cost[k].by[by] <= cost[best].by[by] * (1 + x->within) &&
                (small < 0 || better(cost[k].area_mm2, cost[k].by[by], cost[small].area_mm2,
                                     cost[small].by[by])))
                small = (int)k;
        }
        out->best[by] = best;
        out->smallest[by] = small;
    }
}

static bool dominates(const struct run_explore_cost *a, const struct run_explore_cost *b)
{
    const double had[] = {a->by[RUN_EXPLORE_TIME], a->by[RUN_EXPLORE_ENERGY], a->area_mm2};
    const double other[] = {b->by[RUN_EXPLORE_TIME], b->by[RUN_EXPLORE_ENERGY], b->area_mm2};
    bool less = false;

    for (unsigned i = 0; i < 3; i++) {
        if (had[i] > other[i])
            return false;
        less = less || had[i] < other[i];
    }
    return less;
}

static void front(struct run_explore *x)
{
    const unsigned points = x->tune.points;

    for (unsigned k = 0; k < points; k++) {
        x->front[k] = run_explore_has(x, k);
        for (unsigned i = 0; x->front[k] && i < points; i++)
            x->front[k] = !run_explore_has(x, i) || !dominates(&x->cost[i], &x->cost[k]);
    }
}

/* ---- assumptions -------------------------------------------------------------------------------
 */

static int copy_list(struct run_tune_list *to, const struct run_tune_list *from,
                     struct mpj_err *err)
{
    for (unsigned i = 0; i < from->n; i++) {
        if (run_tune_put(to, from->at[i].name, from->at[i].text, err) != MPJ_E_OK)
            return err->code;
    }
    return MPJ_E_OK;
}

/* Copies the space, for runs of its own. */
static int copy_tune(struct run_tune *to, const struct run_tune *from, struct mpj_err *err)
{
    to->program = strdup(from->program);
    if (to->program == NULL)
        return mpj_err_nomem(err);
    to->strategy = from->strategy;
    to->folder = from->folder;
    to->jobs = from->jobs;
    to->engine = from->engine;
    to->progress = from->progress;
    to->chip_lines = from->chip_lines;
    to->chip_ctx = from->chip_ctx;
    for (unsigned a = 0; a < from->axes; a++) {
        if (run_tune_new_axis(to, from->axis[a].name, err) != MPJ_E_OK)
            return err->code;
        for (unsigned v = 0; v < from->axis[a].values; v++) {
            if (run_tune_add_value(to, from->axis[a].value[v], err) != MPJ_E_OK)
                return err->code;
        }
    }
    if (copy_list(&to->argument, &from->argument, err) != MPJ_E_OK ||
        copy_list(&to->environment, &from->environment, err) != MPJ_E_OK ||
        copy_list(&to->option, &from->option, err) != MPJ_E_OK ||
        copy_list(&to->constraint, &from->constraint, err) != MPJ_E_OK)
        return err->code;
    return copy_list(&to->objective, &from->objective, err);
}

/* True if the present assumptions change the time of any chip. */
static bool retimed(const struct run_explore *x)
{
    const struct run_explore_work *const w = x->work;
    struct run_explore_work first = *w;
    bool is = false;

    first.now_calibration = w->calibration;
    first.now_laws = w->laws;
    for (unsigned k = 0; !is && k < x->tune.points; k++) {
        char *const a = chip_lines(&first, &x->tune, &x->tune.point[k]);
        char *const b = chip_lines(x->work, &x->tune, &x->tune.point[k]);
        is = run_explore_has(x, k) && a != NULL && b != NULL && strcmp(a, b) != 0;
        free(a);
        free(b);
    }
    return is;
}

/* Finds the conclusions that these costs change. */
static void compare(const struct run_explore *x, const struct run_explore_cost *cost,
                    struct run_explore_varied *v)
{
    for (unsigned by = 0; by < RUN_EXPLORE_BYS; by++) {
        const struct run_explore_cost *const had = &cost[x->found.best[by]];
        const struct run_explore_cost *const small = &cost[x->found.smallest[by]];
        const struct run_explore_cost *const best = &cost[v->found.best[by]];
        const double more = isnan(had->by[by]) ? INFINITY : had->by[by] / best->by[by] - 1;
        v->change[by] = best->by[by] / x->cost[x->found.best[by]].by[by] - 1;
        v->best_flips[by] = more > RUN_EXPLORE_FLIP ? more : 0;
        v->smallest_flips[by] = v->found.smallest[by] != x->found.smallest[by] &&
                                (cost[v->found.smallest[by]].area_mm2 != small->area_mm2 ||
                                 !(small->by[by] <= best->by[by] * (1 + x->within)));
        v->flips += (v->best_flips[by] > 0) + v->smallest_flips[by];
    }
}

/* Finds the results by the present assumptions. */
static int vary(struct run_explore *x, struct run_explore_varied *v, struct mpj_err *err)
{
    struct run_tune again = {.points = 0};
    const struct run_tune *t = &x->tune;
    struct run_explore_cost *const cost = calloc(t->points, sizeof(*cost));
    int result = cost != NULL ? MPJ_E_OK : mpj_err_nomem(err);

    v->rerun = retimed(x);
    if (result == MPJ_E_OK && v->rerun && !x->no_rerun) {
        result = copy_tune(&again, t, err);
        if (result == MPJ_E_OK)
            result = run_tune(&again, err);
        t = &again;
    }
    if (result == MPJ_E_OK && (!v->rerun || !x->no_rerun)) {
        costs(t, x->work, cost);
        find(x, cost, &v->found);
        if (v->found.best[0] >= 0) { /* else there is no chip at all */
            compare(x, cost, v);
            x->varieds++;
        }
    }
    run_tune_free(&again);
    free(cost);
    return result;
}

/* Varies one assumption, down and up. */
static int vary_key(struct run_explore *x, json_t *of, const char *key, struct mpj_err *err)
{
    const double value = json_number_value(json_object_get(of, key));

    for (int more = 0; more <= 1; more++) {
        struct run_explore_varied *const v = &x->varied[x->varieds];
        int result;
        if (x->varieds == RUN_EXPLORE_VARIED_MAX || value == 0)
            return MPJ_E_OK;
        *v = (struct run_explore_varied){.value = value, .factor = 1 + (more ? x->vary : -x->vary)};
        snprintf(v->name, sizeof(v->name), "%s", key);
        json_object_set_new(of, key, json_real(value * v->factor));
        result = vary(x, v, err);
        json_object_set_new(of, key, json_real(value));
        if (result != MPJ_E_OK)
            return result;
    }
    return MPJ_E_OK;
}

static int vary_all(struct run_explore *x, struct mpj_err *err)
{
    struct run_explore_work *const w = x->work;
    const char *vary = json_string_value(json_object_get(w->laws, "vary"));
    const char *key;
    json_t *v;
    char name[64];
    int n;

    json_decref(w->now_laws);
    json_decref(w->now_calibration);
    w->now_laws = json_copy(w->laws);
    w->now_calibration = json_copy(w->calibration);
    json_object_foreach(w->laws, key, v)
    {
        if (json_is_number(v) && vary_key(x, w->now_laws, key, err) != MPJ_E_OK)
            return err->code;
    }
    for (; vary != NULL && sscanf(vary, "%63s%n", name, &n) == 1; vary += n) {
        if (vary_key(x, w->now_calibration, name, err) != MPJ_E_OK)
            return err->code;
    }
    return MPJ_E_OK;
}

/* ---- all of it ----------------------------------------------------------------------------------
 */

static json_t *read_calibration(struct run_explore *x, struct mpj_err *err)
{
    const char *name = run_kind_calibration(x->work->board.name);
    const char *own;
    char *path;
    json_t *out;

    for (unsigned i = 0; i < x->tune.option.n; i++) {
        if (strcmp(x->tune.option.at[i].name, "calibration") == 0)
            name = x->tune.option.at[i].text;
    }
    path = run_path_calibration(name);
    out = path != NULL ? run_explore_read(path, err) : NULL;
    free(path);
    own = json_string_value(json_object_get(out, "name"));
    if (out != NULL && x->work->board.l2.kind == TILE_L2_NONE)
        json_object_set_new(out, "l2_kb",
                            json_real(0)); /* the calibration that it includes has one */
    snprintf(x->calibration, sizeof(x->calibration), "%s", own != NULL ? own : name);
    mpj_text_clean(x->calibration); /* it is shown */
    return out;
}

/* Finds the board that the program was built for. A file that is not a program is an error of the
 * runs. */
static int read_board(struct run_explore *x, struct mpj_err *err)
{
    char name[TILE_NAME_SIZE];
    struct mpj_err ignored;
    const bool is_program =
        x->tune.program != NULL && mpj_image_board(name, x->tune.program, &ignored) == MPJ_E_OK;

    return run_kind_load(&x->work->board, is_program ? name : TILE_BOARD_DEFAULT, err);
}

/* Reads the calibration and the laws. */
static int read_all(struct run_explore *x, struct run_explore_work *w, struct mpj_err *err)
{
    char *const laws = x->laws != NULL ? strdup(x->laws) : run_path_laws();
    int result = MPJ_E_OK;

    if (laws == NULL)
        result = mpj_err_nomem(err);
    else if ((w->calibration = read_calibration(x, err)) == NULL ||
             (w->laws = run_explore_read(laws, err)) == NULL)
        result = err->code;
    else
        result = run_explore_check_laws(w->laws, w->calibration, laws, err);
    free(laws);
    return result;
}

static int prepare(struct run_explore *x, struct mpj_err *err)
{
    struct run_explore_work *const w = x->work = calloc(1, sizeof(*w));

    if (w == NULL)
        return mpj_err_nomem(err);
    if (read_board(x, err) != MPJ_E_OK || read_all(x, w, err) != MPJ_E_OK)
        return err->code;
    w->now_calibration = json_incref(w->calibration);
    w->now_laws = json_incref(w->laws);
    for (unsigned a = 0; a < x->tune.axes; a++) {
        if (check_axis(x, &x->tune.axis[a], err) != MPJ_E_OK)
            return err->code;
    }
    if (axis_of(x, "l1_kb") && (axis_of(x, "l1i_kb") || axis_of(x, "l1d_kb")))
        return mpj_err_set(err, MPJ_E_USAGE, "l1_kb sets both l1i_kb and l1d_kb: omit it");
    x->tune.strategy = "exhaustive";
    x->tune.chip_lines = chip_lines;
    x->tune.chip_ctx = w;
    return x->tune.objective.n > 0 ? MPJ_E_OK : run_tune_put(&x->tune.objective, NULL, "time", err);
}

/* Checks that every point is a possible chip. */
static int check_chips(const struct run_explore *x, struct mpj_err *err)
{
    const struct run_tune *const t = &x->tune;
    struct run_tune_point p = {.build = 0};

    for (unsigned a = 0; a < t->axes; a++) {
        for (p.index[a] = 0; p.index[a] < t->axis[a].values; p.index[a]++) {
            struct run_explore_chip chip;
            json_t *const keys = keys_of(t, &p, x->work->board.cores, x->work->calibration,
                                         x->work->laws, &chip, err);
            if (keys == NULL)
                return err->code;
            json_decref(keys);
        }
        p.index[a] = 0;
    }
    return MPJ_E_OK;
}

int run_explore(struct run_explore *x, struct mpj_err *err)
{
    struct run_tune *const t = &x->tune;

    if (prepare(x, err) != MPJ_E_OK || check_chips(x, err) != MPJ_E_OK ||
        run_tune(t, err) != MPJ_E_OK)
        return err->code;
    x->cost = calloc(t->points, sizeof(*x->cost));
    x->front = calloc(t->points, sizeof(*x->front));
    if (x->cost == NULL || x->front == NULL)
        return mpj_err_nomem(err);
    costs(t, x->work, x->cost);
    find(x, x->cost, &x->found);
    front(x);
    return x->vary > 0 && x->found.best[0] >= 0 ? vary_all(x, err) : MPJ_E_OK;
}

void run_explore_clear(struct run_explore *x)
{
    if (x->work != NULL) {
        json_decref(x->work->calibration);
        json_decref(x->work->laws);
        json_decref(x->work->now_calibration);
        json_decref(x->work->now_laws);
    }
    free(x->work);
    free(x->cost);
    free(x->front);
    x->work = NULL;
    x->cost = NULL;
    x->front = NULL;
    x->varieds = 0;
    run_tune_clear(&x->tune);
}

void run_explore_free(struct run_explore *x)
{
    run_explore_clear(x);
    run_tune_free(&x->tune);
    *x = (struct run_explore){.work = NULL};
}
