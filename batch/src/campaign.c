/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The runs of a campaign: several at a time, each recorded in the data set as it ends. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/stop.h"
#include "batch/orders.h"
#include "campaign_int.h"
#include "report/store.h"
#include "run/meter_process.h"
#include "run/passes.h"
#include "run/recipe.h"

#define TRIES 3U /* of a run in the emulator, when the infrastructure failed */

/* Context of the tasks that run passes, here or on another machine. */
struct executor {
    struct run_campaign *c;
    const struct run_campaign_watch *watch;
};

/* The campaign under way. A pass is a number: program * passes + pass. */
struct campaign_ctx {
    struct executor executor;
    unsigned *job; /* passes to make */
    unsigned had;  /* that the data set had before */
    unsigned made, failed, todo;
};

/* Files of a run under way. */
struct files {
    char log[PATH_MAX], errors[PATH_MAX], failed[PATH_MAX], failed_errors[PATH_MAX],
        store[PATH_MAX];
};

static void name_files(struct files *f, const char *stem)
{
    snprintf(f->log, sizeof(f->log), "%s.mplog", stem);
    snprintf(f->errors, sizeof(f->errors), "%s.emulator.log", stem);
    snprintf(f->failed, sizeof(f->failed), "%s.failed.mplog", stem);
    snprintf(f->failed_errors, sizeof(f->failed_errors), "%s.failed.emulator.log", stem);
    snprintf(f->store, sizeof(f->store), "%s.mpj", stem);
}

/* The seed of the noise: another one for each run, as on a board, but always the same ones. */
static uint64_t noise_seed(const struct run_campaign *c, unsigned id, unsigned pass)
{
    return (c->o.seed * 1000003U + (uint64_t)id * 64U + pass) & INT64_MAX;
}

/* ---- a pass, wherever it is made ------------------------------------------------------- */

static unsigned whole(const json_t *o, const char *key)
{
    return (unsigned)json_integer_value(json_object_get(o, key));
}

static const char *text(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

/* The arguments of an order, NULL-terminated; the words are the order's. */
static const char **arguments(const json_t *order)
{
    const json_t *const words = json_object_get(order, "arguments");
    const char **const argv = calloc(json_array_size(words) + 1U, sizeof(*argv));

    for (size_t i = 0; argv != NULL && i < json_array_size(words); i++)
        argv[i] = json_string_value(json_array_get(words, i));
    return argv;
}

struct stopper {
    const struct run_place *at;
    bool lost; /* the attempt before lost the board */
    const struct run_target *target;
};

static bool cancelled(void *ctx)
{
    const struct stopper *const s = ctx;

    return s->at->stopping(s->at->ctx);
}

static int run_once(const struct executor *b, const json_t *order, const struct files *f,
                    struct stopper *stopper, struct mpj_err *err)
{
    const struct run_campaign *const c = b->c;
    const unsigned pass = whole(order, "pass");
    const char **const argv = arguments(order);
    struct mpj_image image;
    struct mpj_session_result result = {0};
    struct run_recipe recipe = run_recipe_of(&c->o, stopper->target, &image);
    enum run_made made;
    int code;

    recipe.elf = text(order, "elf");
    recipe.program = text(order, "name");
    recipe.argv = argv;
    recipe.files = (struct run_files){
        .log = f->log, .errors = f->errors, .failed = f->failed, .failed_errors = f->failed_errors};
    recipe.seed = noise_seed(c, whole(order, "id"), pass);
    recipe.upload = b->watch->upload;
    recipe.upload_ctx = b->watch->ctx;
    recipe.lost = stopper->lost;
    recipe.session.patient = c->o.timeout_s == 0; /* not the default */
    recipe.session.cancelled = cancelled;
    recipe.session.ctx = stopper;
    recipe.session.config.session = pass + 1;
    mpj_plan_select(&c->o.selection, pass, &recipe.session.config);
    if (c->o.rotate)
        mpj_plan_rotation(&c->o.selection, c->o.rotate_ms, &recipe.session.rotation);
    code = argv != NULL ? mpj_image_check(&image, recipe.elf, err) : mpj_err_nomem(err);
    if (code == MPJ_E_OK)
        code = run_recipe_make(&recipe, &result, &made, err);
    if (code == MPJ_E_OK && result.end.exit_status != 0)
        code = mpj_err_set(err, MPJ_E_PROGRAM, "the program ended with status %d",
                           result.end.exit_status);
    free(argv);
    return code;
}

/* Runs the pass with the external meter, whose lines are written next to the store. */
static int run_metered(const struct executor *b, const json_t *order, const struct files *f,
                       struct stopper *stopper, struct mpj_err *err)
{
    const char *const command = run_campaign_meter(b->c);
    struct meter meter;
    char said[256];
    int code;

    if (b->c->meter_channel == NULL)
        return run_once(b, order, f, stopper, err);
    meter_start(&meter, command, f->store);
    code = run_once(b, order, f, stopper, err);
    meter_stop(&meter, said);
    if (code == MPJ_E_OK && said[0] != '\0')
        code = mpj_err_set(err, MPJ_E_LOG, "%s", said);
    return code == MPJ_E_OK ? meter_place(f->store, true, err) : code;
}

/* Nothing that the meter has said is left. */
static void forget_meter(const struct files *f)
{
    for (unsigned i = 0; i < RUN_METER_FILES; i++) {
        char *const file = run_meter_file(f->store, i);
        if (file != NULL)
            unlink(file);
        free(file);
    }
}

/* The rows of the data set. */
static int rows_of(const struct run_campaign *c, const json_t *order, const struct files *f,
                   json_t **rows, struct mpj_err *err)
{
    const char *const log = f->log;
    struct mpj_run *run = NULL;
    int code = mpj_store_build(f->store, &log, 1, NULL, err);

    if (code == MPJ_E_OK)
        code = mpj_run_load(&run, f->store, err);
    unlink(f->store);
    if (code == MPJ_E_OK && c->meter_channel != NULL)
        code = mpj_run_choose_meter(run, c->meter_channel, err);
    if (code == MPJ_E_OK)
        code = mpj_dataset_rows(rows, whole(order, "id"), whole(order, "pass"), run, err);
    mpj_run_free(run);
    return code;
}

/* True if the program itself fails, as it would on any machine. */
static bool program_fails(int code)
{
    return code == MPJ_E_FAULT || code == MPJ_E_PROGRAM;
}

/* The files of a run that went well are not kept. */
static int execute(void *executor, const json_t *order, const char *stem,
                   const struct run_place *at, json_t **result, struct mpj_err *err)
{
    const struct executor *const b = executor;
    const unsigned most = at->board != NULL ? at->tries : TRIES;
    struct stopper stopper = {.at = at};
    struct files f;
    json_t *rows = NULL;
    unsigned tries = 0;
    int code;

    name_files(&f, stem);
    stopper.target = at->board != NULL ? at->board : &b->c->target;
    do {
        code = run_metered(b, order, &f, &stopper, err);
        if (code == MPJ_E_OK)
            code = rows_of(b->c, order, &f, &rows, err);
        stopper.lost = run_lost_board(code);
    } while (++tries < most && run_may_retry(code) && !cancelled(&stopper));
    if (code == MPJ_E_OK || code == MPJ_E_CANCELLED) {
        unlink(f.log);
        unlink(f.errors);
        unlink(f.failed);
        unlink(f.failed_errors);
        if (b->c->meter_channel != NULL)
            forget_meter(&f);
    }
    *result = NULL;
    if (code == MPJ_E_CANCELLED)
        return code;
    *result = code == MPJ_E_OK ? json_pack("{s:b,s:o}", "same", 1, "rows", rows)
                               : json_pack("{s:b,s:i,s:s,s:i}", "same", program_fails(code), "code",
                                           code, "failed", err->text, "tries", (int)tries);
    return *result != NULL ? MPJ_E_OK : mpj_err_nomem(err);
}

/* A setting to and from what all passes have in common. */
#define PUT(kind, option, ...) json_object_set_new(common, #option, json_integer(o->option));
#define GET(kind, option, ...) o->option = whole(common, #option);

/* Returns the part of an order that all passes have in common. */
static json_t *common_of(const struct run_campaign *c)
{
    const struct run_options *const o = &c->o;
    char want[MPJ_PLAN_EVENTS_MAX + 1];
    json_t *common;

    for (unsigned i = 0; i < MPJ_PLAN_EVENTS_MAX; i++)
        want[i] = o->selection.want[i] ? '1' : '0';
    want[MPJ_PLAN_EVENTS_MAX] = '\0';
    common = json_pack("{s:s*,s:I,s:I,s:I,s:I,s:b,s:I,s:s}", "calibration", c->target.calibration,
                       "quantum", (json_int_t)o->quantum, "seed", (json_int_t)o->seed, "timeout_s",
                       (json_int_t)o->timeout_s, "cores_mask", (json_int_t)o->cores_mask, "rotate",
                       (int)o->rotate, "rotate_ms", (json_int_t)o->rotate_ms, "want", want);
    MPJ_SETTINGS_ALL(PUT)
    return common;
}

static int open_executor(const json_t *common, void **out, struct mpj_err *err)
{
    static const struct run_campaign_watch unwatched = {.ctx = NULL};
    struct executor *const b = calloc(1, sizeof(*b));
    struct run_campaign *const c = calloc(1, sizeof(*c));
    const char *const want = text(common, "want");
    struct run_options *o;

    if (b == NULL || c == NULL) {
        free(b);
        free(c);
        return mpj_err_nomem(err);
    }
    *b = (struct executor){.c = c, .watch = &unwatched};
    *out = b;
    o = &c->o;
    *o = (struct run_options){.target = RUN_EMULATOR,
                              .calibration = text(common, "calibration"),
                              .quantum = whole(common, "quantum"),
                              .seed = (uint64_t)json_integer_value(json_object_get(common, "seed")),
                              .timeout_s = whole(common, "timeout_s"),
                              .cores_mask = whole(common, "cores_mask"),
                              .rotate = json_is_true(json_object_get(common, "rotate")),
                              .rotate_ms = whole(common, "rotate_ms")};
    MPJ_SETTINGS_ALL(GET)
    for (unsigned i = 0; want != NULL && i < MPJ_PLAN_EVENTS_MAX && want[i] != '\0'; i++)
        o->selection.want[i] = want[i] == '1';
    return run_target_find(&c->target, o, err);
}

static void close_executor(void *executor)
{
    struct executor *const b = executor;

    run_target_release(&b->c->target);
    free(b->c);
    free(b);
}

static bool board_failed(const json_t *result)
{
    const int code = (int)json_integer_value(json_object_get(result, "code"));

    return run_may_retry(code) || code == MPJ_E_BUSY || code == MPJ_E_IDENTITY;
}

const struct run_work run_work_campaign = {.name = "campaign",
                                           .open = open_executor,
                                           .close = close_executor,
                                           .execute = execute,
                                           .board_failed = board_failed};

/* ---- public functions -------------------------------------------------------------------- */

static json_t *order(void *ctx, unsigned job, struct mpj_err *err)
{
    const struct campaign_ctx *const w = ctx;
    const struct run_campaign *const c = w->executor.c;
    const unsigned id = w->job[job] / c->passes;
    const unsigned pass = w->job[job] % c->passes;
    const struct run_campaign_program *const p = &c->program[id];
    json_t *const words = json_array();
    json_t *o;

    for (unsigned i = 0; i < p->argc; i++)
        json_array_append_new(words, json_string(p->argv[i]));
    o = json_pack("{s:o,s:o,s:s*,s:s,s:s,s:i,s:i,s:o}", "key", json_sprintf("%u.%u", id, pass + 1),
                  "stem", json_sprintf("%s/%s.%u", c->work, p->name, pass + 1), "calibration",
                  c->target.calibration, "elf", p->elf, "name", p->name, "id", (int)id, "pass",
                  (int)pass, "arguments", words);
    if (o == NULL || json_array_size(words) < p->argc) {
        json_decref(o);
        mpj_err_set(err, MPJ_E_USAGE, "names and arguments of programs must be UTF-8: %s", p->name);
        return NULL;
    }
    if (run_order_file(o, p->elf, p->image.sha256, err) == MPJ_E_OK)
        return o;
    json_decref(o);
    return NULL;
}

static int failed(struct campaign_ctx *w, unsigned id, unsigned pass, const json_t *result,
                  struct mpj_err *err)
{
    const struct run_campaign *const c = w->executor.c;
    const struct run_campaign_watch *const watch = w->executor.watch;
    struct mpj_err why;

    mpj_err_set(&why, (int)json_integer_value(json_object_get(result, "code")), "%s",
                text(result, "failed"));
    w->failed++;
    if (watch->failure != NULL)
        watch->failure(watch->ctx, c->program[id].name, pass, c->passes, &why);
    return mpj_dataset_failure(c->data, id, pass, why.code, why.text, whole(result, "tries"), err);
}

static int take(void *ctx, unsigned job, const json_t *result, struct mpj_err *err)
{
    struct campaign_ctx *const w = ctx;
    const struct run_campaign *const c = w->executor.c;
    const unsigned id = w->job[job] / c->passes;
    const unsigned pass = w->job[job] % c->passes;
    const json_t *const rows = json_object_get(result, "rows");

    w->made++;
    return rows != NULL ? mpj_dataset_put(c->data, id, pass, rows, err)
                        : failed(w, id, pass, result, err);
}

static void progress(void *ctx, unsigned done, unsigned running, double left_s)
{
    const struct campaign_ctx *const w = ctx;
    const struct run_campaign_watch *const watch = w->executor.watch;
    const struct run_campaign_progress p = {.total = w->had + w->todo,
                                            .done = w->had + done,
                                            .failed = w->failed,
                                            .left_s = left_s > 0 ? left_s : 0};

    (void)running;
    if (watch->progress != NULL && done > 0)
        watch->progress(watch->ctx, &p);
}

/* Places of passes in a campaign that is resumed. What failed comes last, after other programs: one
 * that makes its only board fail, again and again, keeps none of them from being measured, although
 * the campaign ends after a few failures in a row (RUN_POOL_FAILED). */
enum place { PLACE_NEW, PLACE_NEW_OF_FAILED, PLACE_FAILED, PLACE_DONE };

/* Finds the places of a program's passes. */
static int find_places(const struct run_campaign *c, unsigned id, unsigned char *place,
                       struct mpj_err *err)
{
    bool failed = false;

    for (unsigned pass = 0; pass < c->passes; pass++) {
        enum mpj_dataset_state state;
        if (mpj_dataset_state(c->data, id, pass, &state, err) != MPJ_E_OK)
            return err->code;
        failed = failed || state == MPJ_DATASET_FAILED;
        place[pass] = state == MPJ_DATASET_DONE     ? PLACE_DONE
                      : state == MPJ_DATASET_FAILED ? PLACE_FAILED
                                                    : PLACE_NEW;
    }
    for (unsigned pass = 0; pass < c->passes; pass++) {
        if (failed && place[pass] == PLACE_NEW)
            place[pass] = PLACE_NEW_OF_FAILED;
    }
    return MPJ_E_OK;
}

/* Lists the passes that the data set does not have. */
static int list(struct campaign_ctx *w, struct mpj_err *err)
{
    const struct run_campaign *const c = w->executor.c;
    const unsigned total = c->programs * c->passes;
    unsigned char *const place = calloc(total + 1U, 1);
    int result = MPJ_E_OK;

    w->job = malloc((total + 1U) * sizeof(*w->job));
    if (w->job == NULL || place == NULL) {
        free(place);
        return mpj_err_nomem(err);
    }
    for (unsigned id = 0; id < c->programs && result == MPJ_E_OK; id++)
        result = find_places(c, id, place + (size_t)id * c->passes, err);
    for (unsigned p = PLACE_NEW; p < PLACE_DONE && result == MPJ_E_OK; p++) {
        for (unsigned i = 0; i < total; i++) {
            if (place[i] == p)
                w->job[w->todo++] = i;
        }
    }
    w->had = total - w->todo;
    free(place);
    return result;
}

int run_campaign(struct run_campaign *c, const struct run_campaign_watch *watch,
                 struct mpj_err *err)
{
    struct campaign_ctx w = {.executor = {.c = c, .watch = watch}};
    json_t *const common = common_of(c);
    struct run_engine engine = c->engine;
    struct run_batch b = {.work = &run_work_campaign,
                          .engine = &engine,
                          .boards = c->pool,
                          .folder = c->work,
                          .common = common,
                          .executor = &w.executor,
                          .ctx = &w,
                          .order = order,
                          .take = take,
                          .progress = progress};
    int result;

    engine.jobs = c->meter_channel != NULL ? 1 : c->o.jobs;
    mpj_stop_catch();
    mpj_pipe_ignore();
    result = list(&w, err);
    b.jobs = w.todo;
    if (result == MPJ_E_OK)
        result = run_batch_make(&b, err);
    if (result == MPJ_E_CANCELLED)
        mpj_err_set(err, MPJ_E_CANCELLED,
                    "interrupted with %u of %u runs in %s; run the same command again to resume",
                    w.had + w.made - w.failed, w.had + w.todo, c->path);
    json_decref(common);
    free(w.job);
    return result;
}
