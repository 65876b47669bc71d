/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Executes the runs of a batch: here, several at a time, or as tasks elsewhere, a round after the
 * other. */
#include "batch/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <sha2.h>

#include "base/clock.h"
#include "base/pool.h"
#include "base/stop.h"
#include "base/tempdir.h"
#include "engine_int.h"

/* Runs executed here before those of other machines: they give the time of a run, and results to
 * compare with. */
#define PROBES 4U

/* Times that a run is tried: on the only board; on each of several; and how many of those. */
#define RUN_TRIES_OF_ONE     3U
#define RUN_TRIES_OF_SEVERAL 2U
#define RUN_BOARDS_OF_A_RUN  2U

static const char *const names[] = {
    [RUN_ENGINE_LOCAL] = "local", [RUN_ENGINE_SLURM] = "slurm", [RUN_ENGINE_PARALLEL] = "parallel"};

#define KINDS (sizeof(names) / sizeof(names[0]))

const char *run_engine_name(enum run_engine_kind kind)
{
    return (size_t)kind < KINDS ? names[kind] : NULL;
}

int run_engine_find(enum run_engine_kind *kind, const char *name, struct mpj_err *err)
{
    for (size_t i = 0; i < KINDS; i++) {
        if (strcmp(names[i], name) == 0) {
            *kind = (enum run_engine_kind)i;
            return MPJ_E_OK;
        }
    }
    return mpj_err_set(err, MPJ_E_USAGE, "unknown engine \"%s\"; there are: local, slurm, parallel",
                       name);
}

int run_order_file(json_t *order, const char *path, const char *sum, struct mpj_err *err)
{
    json_t *files = json_object_get(order, "files");
    char made[SHA256_DIGEST_STRING_LENGTH];

    if (sum == NULL && (sum = SHA256File(path, made)) == NULL)
        return mpj_err_errno(err, "cannot read %s", path);
    if (files == NULL) {
        files = json_object();
        json_object_set_new(order, "files", files);
    }
    return json_object_set_new(files, path, json_string(sum)) == 0 ? MPJ_E_OK : mpj_err_nomem(err);
}

/* ---- here ------------------------------------------------------------------------------ */

struct local_ctx {
    struct mpj_pool pool;
    const struct run_batch *b;
    const unsigned *job;
    unsigned before; /* that were done earlier */
    unsigned done, running;
    double begin_s, took_s;
};

static bool stopping(void *ctx)
{
    return mpj_pool_stopping(ctx);
}

static void progress(const struct local_ctx *c)
{
    const unsigned all = c->before + c->done;
    const double each = c->done > 0 ? (mpj_clock_s() - c->begin_s) / c->done : 0;

    if (c->b->progress != NULL)
        c->b->progress(c->b->ctx, all, c->running, c->done > 0 ? each * (c->b->jobs - all) : -1);
}

static void begin(void *ctx, unsigned job)
{
    struct local_ctx *const c = ctx;

    (void)job;
    c->running++;
    progress(c);
}

static int execute_at(struct local_ctx *c, const json_t *order, const struct run_place *at,
                      json_t **result, struct mpj_err *err)
{
    const char *const stem = json_string_value(json_object_get(order, "stem"));

    return c->b->work->execute(c->b->executor, order, stem, at, result, err);
}

/* Returns why a run failed by what may be its board's fault; NULL: it did not. */
static const char *board_failure(const struct local_ctx *c, const json_t *result)
{
    const char *const failed = json_string_value(json_object_get(result, "failed"));
    const char *const point =
        json_string_value(json_object_get(json_object_get(result, "point"), "failed"));

    if (result == NULL || !c->b->work->board_failed(result))
        return NULL;
    return failed != NULL ? failed : point != NULL ? point : "without a message";
}

/* Executes a run on a board, and once more on another one if the first may be to blame. A board
 * that gets no more runs because of this one does not count. */
static int execute_on_boards(struct local_ctx *c, const json_t *order, json_t **result,
                             struct mpj_err *err)
{
    struct run_board_pool *const boards = c->b->boards;
    struct run_place at = {.stopping = stopping, .ctx = &c->pool};
    const struct run_target *before = NULL;

    for (unsigned tried = 0;;) {
        const bool several = run_board_pool_size(boards) > 1;
        json_t *now = NULL;
        const char *failed;
        bool stays;
        int code;

        at.board = run_board_pool_get(boards, before, stopping, &c->pool, err);
        if (at.board == NULL) /* what there is, is the result */
            return *result != NULL && err->code == MPJ_E_BOARDS ? MPJ_E_OK : err->code;
        at.tries = several ? RUN_TRIES_OF_SEVERAL : RUN_TRIES_OF_ONE;
        code = execute_at(c, order, &at, &now, err);
        failed = code == MPJ_E_OK ? board_failure(c, now) : NULL;
        json_decref(*result);
        *result = now;
        stays = run_board_pool_put(boards, at.board, failed);
        if (code == MPJ_E_OK && failed == NULL && before != NULL && before != at.board)
            run_board_pool_blame(boards, before);
        tried += stays;
        if (failed == NULL || !several || tried == RUN_BOARDS_OF_A_RUN ||
            mpj_pool_stopping(&c->pool))
            return code;
        before = at.board;
    }
}

/* Executes the part between the two steps that need the lock. */
static int execute(struct local_ctx *c, const json_t *order, json_t **result, struct mpj_err *err)
{
    const struct run_place here = {.tries = 1, .stopping = stopping, .ctx = &c->pool};
    const double begin_s = mpj_clock_s();
    const int code = c->b->boards != NULL ? execute_on_boards(c, order, result, err)
                                          : execute_at(c, order, &here, result, err);

    mpj_pool_lock(&c->pool);
    c->took_s += mpj_clock_s() - begin_s;
    mpj_pool_unlock(&c->pool);
    return code;
}

static int make(void *ctx, unsigned job, unsigned tried, struct mpj_err *err)
{
    struct local_ctx *const c = ctx;
    json_t *result = NULL;
    json_t *order;
    int code;

    (void)tried;
    mpj_pool_lock(&c->pool);
    order = c->b->order(c->b->ctx, c->job[job], err);
    mpj_pool_unlock(&c->pool);
    if (order == NULL)
        return err->code;
    code = execute(c, order, &result, err);
    if (code == MPJ_E_OK) {
        mpj_pool_lock(&c->pool);
        code = c->b->take(c->b->ctx, c->job[job], result, err);
        mpj_pool_unlock(&c->pool);
    }
    json_decref(result);
    json_decref(order);
    return code;
}

/* Takes a result. An error is a failure of this machine, not of a run: it ends the batch. */
static void done(void *ctx, unsigned job, unsigned tried, int code, const struct mpj_err *err)
{
    struct local_ctx *const c = ctx;

    (void)job;
    (void)tried;
    c->running--;
    c->done++;
    if (code != MPJ_E_OK && code != MPJ_E_CANCELLED)
        mpj_pool_fail(&c->pool, err);
    progress(c);
}

int run_batch_local(const struct run_batch *b, const unsigned *job, unsigned jobs, unsigned before,
                    double *took_s, struct mpj_err *err)
{
    struct local_ctx c = {
        .b = b,
        .job = job,
        .before = before,
        .begin_s = mpj_clock_s(),
        .pool = {.jobs = jobs,
                 .workers = b->engine->kind != RUN_ENGINE_SLURM ? b->engine->jobs : 0,
                 .ctx = &c,
                 .run = make,
                 .begin = begin,
                 .done = done}};

    if (jobs > 0 && mpj_pool_run(&c.pool, err) != MPJ_E_OK)
        return err->code;
    *took_s = c.done > 0 ? c.took_s / c.done : 0;
    return mpj_stop_count() > 0 ? mpj_err_set(err, MPJ_E_CANCELLED,
                                              "interrupted; run the same command again to resume")
                                : MPJ_E_OK;
}

/* ---- elsewhere --------------------------------------------------------------------------- */

/* A batch within the batch, whose orders and results are kept. */
struct shown {
    const struct run_batch *b;
    const unsigned *job;
    json_t **order, **result; /* by position in job[] */
};

static unsigned position(const struct shown *p, unsigned job)
{
    unsigned i = 0;

    while (p->job[i] != job)
        i++;
    return i;
}

static json_t *shown_order(void *ctx, unsigned job, struct mpj_err *err)
{
    const struct shown *const p = ctx;
    json_t *const order = p->b->order(p->b->ctx, job, err);

    p->order[position(p, job)] = json_incref(order);
    return order;
}

static int shown_take(void *ctx, unsigned job, const json_t *result, struct mpj_err *err)
{
    const struct shown *const p = ctx;

    p->result[position(p, job)] = json_deep_copy(result);
    return p->b->take(p->b->ctx, job, result, err);
}

static void shown_progress(void *ctx, unsigned done, unsigned running, double left_s)
{
    const struct shown *const p = ctx;

    if (p->b->progress != NULL)
        p->b->progress(p->b->ctx, done, running, left_s);
}

int run_batch_sample(struct run_spread *s, const unsigned *job, unsigned jobs, json_t **order,
                     json_t **result, struct mpj_err *err)
{
    struct shown p = {.b = s->b, .job = job, .order = order, .result = result};
    struct run_batch some = *s->b;
    int code;

    some.ctx = &p;
    some.order = shown_order;
    some.take = shown_take;
    some.progress = shown_progress;
    code = run_batch_local(&some, job, jobs, s->done, &s->run_s, err);
    if (code == MPJ_E_OK)
        s->done += jobs;
    return code;
}

/* Executes some of them here, from all over the batch. */
static int probe(struct run_spread *s, struct mpj_err *err)
{
    unsigned job[PROBES];
    json_t *order[PROBES] = {NULL};
    json_t *result[PROBES] = {NULL};
    unsigned left = 0;
    int code;

    for (unsigned i = 0; i < PROBES; i++)
        job[i] = s->todo[(unsigned long)i * s->todos / PROBES];
    code = run_batch_sample(s, job, PROBES, order, result, err);
    for (unsigned i = 0, k = 0; code == MPJ_E_OK && i < s->todos; i++) {
        if (k < PROBES && s->todo[i] == job[k])
            k++;
        else
            s->todo[left++] = s->todo[i];
    }
    s->todos = code == MPJ_E_OK ? left : s->todos;
    for (unsigned i = 0; i < PROBES; i++) {
        if (s->golden == NULL && json_is_true(json_object_get(result[i], "same")))
            s->golden = json_pack("{s:O,s:O}", "order", order[i], "result", result[i]);
        json_decref(order[i]);
        json_decref(result[i]);
    }
    if (code == MPJ_E_OK && s->golden == NULL && s->b->engine->note != NULL)
        s->b->engine->note(
            "no run ended that other machines could be compared with: all runs are executed here");
    return code;
}

/* Executes one round; an interrupted one loses nothing. */
static int round_of(struct run_spread *s, struct mpj_err *err)
{
    struct run_round r = {.folder = NULL};
    struct mpj_err why = {.code = MPJ_E_OK};
    const size_t distrusted = json_object_size(s->distrusted);
    const unsigned todos = s->todos;
    int result = run_round_make(s, &r, err);

    if (result == MPJ_E_OK)
        result = s->b->engine->kind == RUN_ENGINE_SLURM ? run_round_slurm(s, &r, err)
                                                        : run_round_parallel(s, &r, err);
    if (result == MPJ_E_OK)
        result = run_round_collect(s, r.folder, NULL, &why, err);
    else if (r.folder != NULL)
        run_round_abandon(r.folder);
    if (result == MPJ_E_OK && s->todos >= todos && todos > 0 &&
        json_object_size(s->distrusted) == distrusted)
        result = mpj_err_set(err, MPJ_E_TARGET, "no task of %s returned a result: %.380s", r.folder,
                             why.code != MPJ_E_OK ? why.text : "without a message");
    else if (result == MPJ_E_OK)
        mpj_folder_remove(r.folder);
    free(r.folder);
    return result;
}

static int spread(struct run_spread *s, struct mpj_err *err)
{
    const struct run_engine *const e = s->b->engine;
    const double task_s = e->task_s > 0 ? e->task_s : RUN_ENGINE_TASK_S;
    int result = run_round_recover(s, err);

    if (result != MPJ_E_OK)
        return result;
    if (e->kind != RUN_ENGINE_LOCAL && s->todos > PROBES)
        result = probe(s, err);
    while (result == MPJ_E_OK && e->kind != RUN_ENGINE_LOCAL && s->golden != NULL &&
           s->todos * s->run_s >= task_s)
        result = round_of(s, err);
    if (result == MPJ_E_OK)
        result = run_batch_local(s->b, s->todo, s->todos, s->done, &s->run_s, err);
    if (result == MPJ_E_OK)
        result = run_batch_local(s->b, s->local, s->locals, s->done + s->todos, &s->run_s, err);
    return result;
}

int run_batch_make(const struct run_batch *b, struct mpj_err *err)
{
    static const struct run_engine local = {.kind = RUN_ENGINE_LOCAL};
    struct run_engine on_boards = {.kind = RUN_ENGINE_LOCAL};
    struct run_batch whole = *b;
    struct run_spread s = {.b = &whole, .todos = b->jobs};
    int result;

    if (whole.engine == NULL)
        whole.engine = &local;
    if (b->boards != NULL) {
        on_boards.jobs = run_board_pool_most(b->boards);
        whole.engine = &on_boards;
    }
    s.todo = malloc((b->jobs + 1U) * sizeof(*s.todo));
    s.local = malloc((b->jobs + 1U) * sizeof(*s.local));
    s.distrusted = json_object();
    s.made = json_object();
    s.jobs = json_object();
    if (s.todo == NULL || s.local == NULL || s.distrusted == NULL || s.made == NULL ||
        s.jobs == NULL)
        result = mpj_err_nomem(err);
    else {
        for (unsigned i = 0; i < b->jobs; i++)
            s.todo[i] = i;
        result = spread(&s, err);
    }
    json_decref(s.golden);
    json_decref(s.distrusted);
    json_decref(s.made);
    json_decref(s.jobs);
    free(s.local);
    free(s.todo);
    return result;
}
