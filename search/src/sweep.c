/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Executes the runs of a sweep. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/stop.h"
#include "batch/orders.h"
#include "run/cache.h"
#include "sweep_int.h"

struct sweep_ctx {
    struct run_sweep *s;
    unsigned *job; /* points to measure */
    unsigned had;
};

static void put_options(const struct run_sweep *s, const struct run_sweep_point *p, json_t *options)
{
    for (unsigned i = 0; i < s->options; i++)
        json_array_append_new(options, json_string(s->option[i]));
    for (unsigned i = 0; i < s->axes; i++) {
        const char *const value = s->axis[i].value[p->index[i]];
        json_array_append_new(
            options, s->axis[i].name != NULL
                         ? json_sprintf("--env=%s=%s", s->axis[i].name, value)
                         : json_sprintf("--%s=%s", run_sweep_axis_name(&s->axis[i]), value));
    }
}

static json_t *order(void *ctx, unsigned job, struct mpj_err *err)
{
    const struct sweep_ctx *const c = ctx;
    const struct run_sweep *const s = c->s;
    const struct run_sweep_point *const p = &s->point[c->job[job]];
    json_t *const options = json_array();
    json_t *const arguments = json_array();
    json_t *const o = json_object();
    char usual[TILE_NAME_SIZE];
    int result;

    put_options(s, p, options);
    for (unsigned i = 1; i < s->argc; i++)
        json_array_append_new(arguments, json_string(s->argv[i]));
    json_put_text(o, "key", strrchr(p->stem, '/') + 1);
    json_put_text(o, "stem", p->stem);
    json_put_text(o, "elf", s->argv[0]);
    json_put_text(o, "calibration", run_sweep_calibration(s, p, usual));
    if (json_array_size(arguments) + 1U < s->argc ||
        json_array_size(options) < s->options + s->axes)
        result = mpj_err_nomem(err);
    else
        result = run_order_file(o, s->argv[0], s->sha256, err);
    json_object_set_new(o, "options", options);
    json_object_set_new(o, "arguments", arguments);
    if (result == MPJ_E_OK && s->input != NULL)
        result = run_order_file(o, s->input, NULL, err);
    if (result == MPJ_E_OK)
        return o;
    json_decref(o);
    return NULL;
}

static int take(void *ctx, unsigned job, const json_t *result, struct mpj_err *err)
{
    const struct sweep_ctx *const c = ctx;
    struct run_sweep_point *const p = &c->s->point[c->job[job]];

    (void)err;
    p->made = true;
    p->status = (int)json_integer_value(json_object_get(result, "status"));
    /* without a result of its own, the files may be those of an older one */
    p->failed = !json_is_true(json_object_get(result, "whole")) || !run_sweep_read(p);
    if (!p->failed) {
        run_cache_put(p->stem, p->key);
        run_cache_forget(p->stem);
    }
    return MPJ_E_OK;
}

static void progress(void *ctx, unsigned done, unsigned running, double left_s)
{
    const struct sweep_ctx *const c = ctx;

    if (c->s->progress != NULL)
        c->s->progress(c->had + done, c->s->points, running, left_s);
}

/* Takes the boards that the options name; none for the emulator. */
static int take_boards(const struct run_sweep *s, struct run_board_pool **boards,
                       struct mpj_err *err)
{
    const char *const wait = run_sweep_option(s, "wait");
    const struct run_board_request r = {.target = run_sweep_option(s, "target"),
                                        .boards = run_sweep_option(s, "boards"),
                                        .purpose = "mpjoule sweep",
                                        .wait_s = wait != NULL ? (unsigned)atoi(wait) : 0,
                                        .most = s->engine.jobs,
                                        .note = s->engine.note};

    return run_board_pool_open(boards, &r, err);
}

/* Lists the points that are not kept yet; returns how many. What failed comes last: if it made the
 * only board fail, after which the sweep ends (RUN_POOL_FAILED), the others are measured first. */
static unsigned list(struct run_sweep *s, unsigned *job)
{
    unsigned n = 0;

    for (unsigned k = 0; k < s->points; k++)
        s->point[k].made =
            run_cache_has(s->point[k].stem, s->point[k].key) && run_sweep_read(&s->point[k]);
    for (unsigned again = 0; again < 2; again++) {
        for (unsigned k = 0; k < s->points; k++) {
            if (!s->point[k].made && run_cache_failed(s->point[k].stem) == (again > 0))
                job[n++] = k;
        }
    }
    return n;
}

/* Measures the points that are not kept yet. */
static int make(struct run_sweep *s, struct mpj_err *err)
{
    struct sweep_ctx c = {.s = s};
    struct run_batch b = {.work = &run_work_program,
                          .engine = &s->engine,
                          .folder = s->folder,
                          .ctx = &c,
                          .order = order,
                          .take = take,
                          .progress = progress};
    int result;

    c.job = malloc((s->points + 1U) * sizeof(*c.job));
    if (c.job == NULL)
        return mpj_err_nomem(err);
    b.jobs = list(s, c.job);
    c.had = s->points - b.jobs;
    result = b.jobs > 0 ? take_boards(s, &b.boards, err) : MPJ_E_OK;
    if (result == MPJ_E_OK)
        result = run_batch_make(&b, err);
    run_board_pool_release(b.boards);
    free(c.job);
    return result;
}

/* Removes a folder in which nothing was made. */
static void remove_empty(const char *folder)
{
    char *const lock = run_cache_file(folder, "/lock");

    if (lock != NULL)
        unlink(lock);
    free(lock);
    (void)rmdir(folder);
}

int run_sweep(struct run_sweep *s, struct mpj_err *err)
{
    bool created;
    int lock;
    int result;

    if (run_sweep_plan(s, err) != MPJ_E_OK)
        return err->code;
    created = mkdir(s->folder, 0777) == 0;
    if (!created && errno != EEXIST)
        return mpj_err_errno(err, "cannot create the folder %s", s->folder);
    lock = run_cache_lock(s->folder, err);
    if (lock < 0)
        return lock;
    mpj_stop_catch();
    result = make(s, err);
    if (created && result != MPJ_E_OK)
        remove_empty(s->folder);
    close(lock);
    return result;
}
