/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tune: from the space to its points, their programs and runs, and which of them are best. */
#include "search/tune.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/stop.h"
#include "run/cache.h"
#include "run/options.h"
#include "tune_int.h"
#include "tune_regret.h"

/* ---- the space ------------------------------------------------------------------------ */

static int check_options(const struct run_tune *t, struct mpj_err *err)
{
#define SETTING(kind, option, field, since, name, ...) " " name
#define OPTION(identifier, name, argument)             " " name
    static const char known[] = " cores" MPJ_SETTINGS_ALL(SETTING) RUN_HANDED_ON(OPTION) " ";
#undef SETTING
#undef OPTION
    static const char more[] = " target boards wait "; /* of the tune, not of a run */

    for (unsigned i = 0; i < t->option.n; i++) {
        char name[64];
        snprintf(name, sizeof(name), " %s ", t->option.at[i].name);
        if (strstr(known, name) == NULL && strstr(more, name) == NULL)
            return mpj_err_set(err, MPJ_E_USAGE,
                               "run: tune does not pass on the option %s (it passes on:%.*s)",
                               t->option.at[i].name, (int)sizeof(known) - 2, known);
    }
    return MPJ_E_OK;
}

/* True if points are measured here, by running a program. */
static bool measures(const struct run_tune *t)
{
    return t->landscape == NULL && t->talk != RUN_TUNE_ASK;
}

/* Checks what only the emulator can do. */
static int check_target(const struct run_tune *t, struct mpj_err *err)
{
    if (!run_tune_on_board(t))
        return MPJ_E_OK;
    if (t->stop || t->chip.n > 0 || t->chip_lines != NULL)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "on a board, runs cannot be stopped early and the chip cannot vary: "
                           "omit --stop and chip:");
    if (t->engine != NULL && t->engine->kind != RUN_ENGINE_LOCAL)
        return mpj_err_set(err, MPJ_E_USAGE, "boards are used from one machine: --engine local");
    return MPJ_E_OK;
}

static int check_program(const struct run_tune *t, struct mpj_err *err)
{
    if (t->program == NULL && t->source.n == 0)
        return mpj_err_set(err, MPJ_E_USAGE, "no program: name an ELF file (program:) or sources:");
    if (t->program != NULL && (t->source.n > 0 || t->compiler != NULL))
        return mpj_err_set(err, MPJ_E_USAGE,
                           "program: is already compiled; omit sources: and compiler:");
    for (unsigned i = 0; i < t->source.n; i++) {
        if (access(t->source.at[i].name, R_OK) != 0)
            return mpj_err_errno(err, "cannot read %s", t->source.at[i].name);
    }
    if (check_options(t, err) != MPJ_E_OK || check_target(t, err) != MPJ_E_OK)
        return err->code;
    return run_tune_check(t, err);
}

static int check(struct run_tune *t, struct mpj_err *err)
{
    if (t->axes == 0 && !t->compare)
        return mpj_err_set(err, MPJ_E_USAGE, "nothing varies: the space has no axes");
    if (t->objective.n == 0 && (run_tune_put(&t->objective, NULL, "time", err) != MPJ_E_OK ||
                                run_tune_put(&t->objective, NULL, "energy", err) != MPJ_E_OK))
        return err->code;
    if (t->objective.n > RUN_TUNE_OBJECTIVES_MAX)
        return mpj_err_set(err, MPJ_E_USAGE, "more than %u objectives", RUN_TUNE_OBJECTIVES_MAX);
    if (run_tune_check_roles(t, err) != MPJ_E_OK)
        return err->code;
    return measures(t) ? check_program(t, err) : MPJ_E_OK;
}

/* Checks that the point obeys the constraints. */
static int constrain(const struct run_tune *t, struct run_tune_point *p, struct mpj_err *err)
{
    for (unsigned i = 0; i < t->constraint.n; i++) {
        double v;
        if (run_tune_value(&t->work->exprs.constraint[i], t, p, NULL, &v) && v != 0)
            continue;
        p->state = RUN_TUNE_INFEASIBLE;
        return asprintf(&p->reason, "not %s", t->constraint.at[i].text) < 0 ? mpj_err_nomem(err)
                                                                            : MPJ_E_OK;
    }
    return MPJ_E_OK;
}

static int expand(struct run_tune *t, struct mpj_err *err)
{
    unsigned feasible = 0;
    unsigned long points = 1;

    for (unsigned i = 0; i < t->axes; i++) {
        points *= t->axis[i].values;
        if (points > RUN_TUNE_POINTS_MAX)
            return mpj_err_set(err, MPJ_E_USAGE, "the space has more than %u points",
                               RUN_TUNE_POINTS_MAX);
    }
    t->point = calloc(points, sizeof(*t->point));
    if (t->point == NULL)
        return mpj_err_nomem(err);
    t->points = (unsigned)points;
    for (unsigned k = 0; k < t->points; k++) {
        unsigned rest = k;
        for (unsigned i = t->axes; i-- > 0;) {
            t->point[k].index[i] = rest % t->axis[i].values;
            rest /= t->axis[i].values;
        }
        if (constrain(t, &t->point[k], err) != MPJ_E_OK)
            return err->code;
        feasible += t->point[k].state != RUN_TUNE_INFEASIBLE;
    }
    return feasible > 0 ? MPJ_E_OK
                        : mpj_err_set(err, MPJ_E_USAGE,
                                      "the space is empty: no point of its %u satisfies all "
                                      "constraints; the first is %s",
                                      t->points, t->point[0].reason);
}

/* ---- public functions ------------------------------------------------------------------- */

/* The folders of a tune; the first one holds the others. */
static const char *const folders[] = {"", "/points", "/programs"};

static int make_folder(const char *folder, const char *within, struct mpj_err *err)
{
    char *const path = run_cache_file(folder, within);
    int result = MPJ_E_OK;

    if (path == NULL)
        return mpj_err_nomem(err);
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        result = mpj_err_errno(err, "cannot create the folder %s", path);
    free(path);
    return result;
}

/* Takes the folder for this process alone. Returns a descriptor. */
static int enter(const char *folder, struct mpj_err *err)
{
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        if (make_folder(folder, folders[i], err) != MPJ_E_OK)
            return err->code;
    }
    return run_cache_lock(folder, err);
}

/* Releases the folder; removes it if this process created it and it is empty. */
static void leave(const char *folder, int lock, bool created)
{
    for (size_t i = sizeof(folders) / sizeof(folders[0]); created && i-- > 0;) {
        char *const file = i == 0 ? run_cache_file(folder, "/lock") : NULL;
        char *const path = run_cache_file(folder, folders[i]);
        if (file != NULL)
            unlink(file);
        created = path != NULL && rmdir(path) == 0;
        free(path);
        free(file);
    }
    close(lock);
}

static int check_list(const char *what, const struct run_tune_list *l, struct mpj_err *err)
{
    int result = MPJ_E_OK;

    for (unsigned i = 0; i < l->n && result == MPJ_E_OK; i++) {
        result = json_check_text(what, l->at[i].name != NULL ? l->at[i].name : "", err);
        if (result == MPJ_E_OK)
            result = json_check_text(what, l->at[i].text, err);
    }
    return result;
}

/* Checks the texts that the orders of the runs have. */
static int check_texts(const struct run_tune *t, struct mpj_err *err)
{
    int result = json_check_text("the name of the folder", t->folder, err);

    if (result == MPJ_E_OK && t->program != NULL)
        result = json_check_text("the name of the program", t->program, err);
    for (unsigned i = 0; i < t->axes && result == MPJ_E_OK; i++) {
        for (unsigned v = 0; v < t->axis[i].values && result == MPJ_E_OK; v++)
            result = json_check_text("a value", t->axis[i].value[v], err);
    }
    if (result == MPJ_E_OK)
        result = check_list("an option", &t->option, err);
    if (result == MPJ_E_OK)
        result = check_list("an argument", &t->argument, err);
    if (result == MPJ_E_OK)
        result = check_list("an environment variable", &t->environment, err);
    return result == MPJ_E_OK ? check_list("a key of the calibration", &t->chip, err) : result;
}

static int prepare(struct run_tune *t, struct mpj_err *err)
{
    t->work = calloc(1, sizeof(*t->work));
    if (t->work == NULL)
        return mpj_err_nomem(err);
    t->knee = -1;
    if (check(t, err) != MPJ_E_OK || (measures(t) && check_texts(t, err) != MPJ_E_OK) ||
        run_tune_exprs(&t->work->exprs, t, err) != MPJ_E_OK ||
        (t->stop && run_tune_bound_check(t, err) != MPJ_E_OK) || expand(t, err) != MPJ_E_OK)
        return err->code;
    for (unsigned i = 0; i < t->objective.n; i++)
        t->bound[i] = NAN;
    t->work->programs = json_object();
    t->work->job = calloc(t->points, sizeof(*t->work->job));
    return t->work->programs != NULL && t->work->job != NULL ? MPJ_E_OK : mpj_err_nomem(err);
}

/* Searches in the folder that the points are kept in. */
static int search(struct run_tune *t, struct mpj_err *err)
{
    const bool created = measures(t) && access(t->folder, F_OK) != 0;
    const int lock = measures(t) ? enter(t->folder, err) : -1;
    int result = MPJ_E_OK;

    if (lock < 0 && measures(t))
        return lock;
    if (measures(t)) {
        t->work->version = run_cache_version(err);
        result = t->work->version != NULL ? MPJ_E_OK : err->code;
    }
    if (result == MPJ_E_OK)
        result = run_tune_search(t, err);
    if (result == MPJ_E_OK && t->alsos > 0)
        result = run_tune_measure(t, t->also, t->alsos, err);
    if (lock >= 0)
        leave(t->folder, lock, created);
    return result;
}

/* Resets the points that were to be requested and were not, or whose outcome was not received. */
static void forget_unreported(struct run_tune *t)
{
    for (unsigned k = 0; k < t->points; k++) {
        if (t->point[k].state != RUN_TUNE_NEW || t->point[k].tried == 0)
            continue;
        t->point[k].tried = 0;
        t->evaluations--;
    }
}

static int choose(struct run_tune *t, struct mpj_err *err)
{
    return run_tune_regrets(t, err) == MPJ_E_OK ? run_tune_choose(t, err) : err->code;
}

/* Chooses among the points received, which are kept nowhere else: they count, whatever ended the
 * search. */
static int choose_told(struct run_tune *t, int result, struct mpj_err *err)
{
    struct mpj_err late;

    forget_unreported(t);
    if (t->ended)
        return choose(t, err);
    if (choose(t, &late) != MPJ_E_OK && result == MPJ_E_OK) {
        *err = late;
        return late.code;
    }
    return result;
}

/* Searches on the boards that the options name, or in the emulator. */
static int search_on_boards(struct run_tune *t, struct mpj_err *err)
{
    const char *const wait = run_tune_option(t, "wait");
    const struct run_board_request r = {.target = run_tune_option(t, "target"),
                                        .boards = run_tune_option(t, "boards"),
                                        .purpose = "mpjoule tune",
                                        .wait_s = wait != NULL ? (unsigned)atoi(wait) : 0,
                                        .most = t->engine != NULL ? t->engine->jobs : t->jobs,
                                        .note = t->engine != NULL ? t->engine->note : NULL};
    int result = MPJ_E_OK;

    if (t->boards != NULL || !measures(t))
        return search(t, err);
    result = run_board_pool_open(&t->boards, &r, err);
    if (result == MPJ_E_OK)
        result = search(t, err);
    run_board_pool_release(t->boards);
    t->boards = NULL;
    return result;
}

int run_tune(struct run_tune *t, struct mpj_err *err)
{
    int result;

    if (prepare(t, err) != MPJ_E_OK)
        return err->code;
    mpj_stop_catch();
    result = search_on_boards(t, err);
    if (t->talk == RUN_TUNE_ASK)
        return choose_told(t, result, err);
    if (result == MPJ_E_OK && t->landscape != NULL)
        result = run_tune_landscape_least(t, err);
    return result == MPJ_E_OK ? choose(t, err) : result;
}
