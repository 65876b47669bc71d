/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/passes.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/pool.h"
#include "base/stop.h"
#include "passes_int.h"
#include "report/choose.h"
#include "report/store.h"
#include "run/energy_model.h"
#include "run/meter_process.h"
#include "run/recipe.h"

/* Shared by the passes under way. */
struct passes_ctx {
    struct mpj_pool pool;
    struct run_measurement *run;
    const struct run_watch *watch;
    struct mpj_err first; /* of the first log, which all of them wait for */
    unsigned done;
    atomic_bool fails; /* the program failed in another pass: the first one goes on */
};

/* Context of a pass's callbacks. */
struct pass_ctx {
    struct passes_ctx *passes_ctx;
    unsigned pass;
};

/* ---- one pass ----------------------------------------------------------------- */

/* True if the pass is to end. Where the program fails, it fails in the first pass, too, and that
 * pass is the result: it is not cancelled because another one was there sooner. */
static bool cancelled(void *ctx)
{
    const struct pass_ctx *const s = ctx;
    struct passes_ctx *const c = s->passes_ctx;

    if (s->pass == 0 && c->fails && c->run->output == 0 && mpj_stop_count() == 0)
        return false;
    return mpj_pool_stopping(&c->pool);
}

static void on_console(void *ctx, int stream, const void *data, size_t len)
{
    const struct pass_ctx *const s = ctx;
    struct passes_ctx *const c = s->passes_ctx;
    int failed = 0;

    if (s->pass != 0 || c->watch->console == NULL)
        return; /* the same program prints the same */
    mpj_pool_lock(&c->pool);
    if (stream != 1 || c->run->output == 0) /* a stdout that failed once is not tried again */
        failed = c->watch->console(c->watch->ctx, stream, data, len);
    if (c->run->output == 0)
        c->run->output = failed;
    mpj_pool_unlock(&c->pool);
    if (failed != 0)
        mpj_pool_stop(&c->pool);
}

static void on_progress(void *ctx, const struct mpj_progress *p)
{
    struct passes_ctx *const c = ((struct pass_ctx *)ctx)->passes_ctx;

    if (c->watch->progress == NULL)
        return;
    mpj_pool_lock(&c->pool);
    c->watch->progress(c->watch->ctx, c->done, c->run->passes, p);
    mpj_pool_unlock(&c->pool);
}

/* A pass that ended because stdout accepts no more says so. */
static int outcome(void *ctx, int code, struct mpj_err *err)
{
    struct passes_ctx *const c = ((struct pass_ctx *)ctx)->passes_ctx;
    int output;

    mpj_pool_lock(&c->pool);
    output = c->run->output;
    mpj_pool_unlock(&c->pool);
    if (code == MPJ_E_CANCELLED && output != 0 && mpj_stop_count() == 0)
        return mpj_err_set(err, MPJ_E_IO, "cannot write the program's output: %s",
                           strerror(output));
    return code;
}

/* Returns the flags of what the target does not measure: everything where there is no model, else
 * what the user excludes. */
static uint32_t config_flags(const struct run_measurement *r, const struct run_pass *p)
{
    if (p->bare)
        return MPJ_CONFIG_NO_COUNTERS | MPJ_CONFIG_NO_ADC | MPJ_CONFIG_NO_THREADS;
    if (run_target_is_plain(&r->target))
        return MPJ_CONFIG_NO_COUNTERS | MPJ_CONFIG_NO_ADC;
    return (r->o.no_counters ? MPJ_CONFIG_NO_COUNTERS : 0U) |
           (r->o.no_threads ? MPJ_CONFIG_NO_THREADS : 0U);
}

/* Returns what is traced inside the program: an event only where it is counted. */
static struct mpj_trace_config trace_config(const struct run_measurement *r,
                                            const struct mpj_config_rec *c)
{
    struct mpj_trace_config t = r->o.trace;

    if ((c->flags & MPJ_CONFIG_NO_COUNTERS) != 0 ||
        (c->pmu[0][0] != t.event && c->pmu[0][1] != t.event))
        t.flags &= ~(uint32_t)MPJ_TRACE_EVENT;
    return t;
}

static struct run_files files_of(const struct run_pass *p)
{
    return (struct run_files){
        .log = p->log, .errors = p->errors, .failed = p->failed, .failed_errors = p->failed_errors};
}

/* The lock of the first log protects all of them: it is taken before another pass begins. Two runs
 * that begin at the same time could otherwise each hold a log that the other one needs. */
static void begin_pass(void *ctx, unsigned job)
{
    struct passes_ctx *const c = ctx;
    struct run_pass *const p = &c->run->pass[job];

    if (job == 0) {
        const struct run_files files = files_of(p);
        if (run_open_log(&p->held, &files, &c->first) != MPJ_E_OK)
            mpj_pool_stop(&c->pool);
    }
}

/* Adds what every pass has: its files, costs that are changed, callbacks. */
static void fill_recipe(const struct passes_ctx *c, struct run_pass *p, struct run_recipe *out)
{
    const struct run_measurement *const r = c->run;
    struct mpj_session_opts *const s = &out->session;

    out->given = &r->o;
    out->files = files_of(p);
    out->held = &p->held;
    out->bound = r->o.bound;
    out->bounds = r->o.bounds;
    out->what_if = r->o.what_if;
    out->what_ifs = r->o.what_ifs;
    out->upload = c->watch->upload;
    out->upload_ctx = c->watch->ctx;
    out->outcome = outcome;
    s->console = on_console;
    s->progress = on_progress;
    s->cancelled = cancelled;
    s->config.flags = config_flags(r, p);
}

static int make_pass(void *ctx, unsigned job, unsigned tried, struct mpj_err *err)
{
    struct passes_ctx *const c = ctx;
    struct run_measurement *const r = c->run;
    struct run_pass *const p = &r->pass[job];
    struct pass_ctx pass_ctx = {c, job};
    struct mpj_selection nothing = {0};
    struct run_recipe recipe = run_recipe_of(&r->o, &r->target, &r->image);
    struct mpj_session_opts *const s = &recipe.session;
    struct meter meter;
    int result;

    if (job == 0 && c->first.code != MPJ_E_OK) {
        *err = c->first;
        return err->code;
    }
    fill_recipe(c, p, &recipe);
    s->ctx = &pass_ctx;
    s->config.session = job + 1;
    if (job == 0) /* a debugger changes no result: the others are the same run */
        recipe.gdb = r->o.gdb;
    s->held = recipe.gdb != NULL;
    if (job == 0) /* it has all events, and all passes are the same */
        recipe.profile = (struct mpj_emulator_profile){.functions = r->o.functions,
                                                       .moments = r->o.moments,
                                                       .instructions = r->o.instructions,
                                                       .wave_us = r->o.wave_us};
    recipe.lost = p->lost;
    if (tried > 0) {
        mpj_log_abandon(p->held); /* of the attempt before */
        p->held = NULL;
    }
    if (p->bare) { /* the same whatever the others count */
        mpj_selection_defaults(&nothing);
        mpj_plan_select(&nothing, 0, &s->config);
    } else {
        mpj_plan_select(&r->o.selection, job, &s->config);
    }
    if (r->o.rotate && !(s->config.flags & MPJ_CONFIG_NO_COUNTERS))
        mpj_plan_rotation(&r->o.selection, r->o.rotate_ms, &s->rotation);
    if (!p->bare)
        s->trace = trace_config(r, &s->config);
    if ((s->trace.flags & MPJ_TRACE_CHOICE) != 0)
        s->chosen = r->chosen;
    if (job > 0 || run_meter(r) == NULL)
        return run_recipe_make(&recipe, &p->result, &p->made, err);
    meter_start(&meter, run_meter(r), r->o.store);
    result = run_recipe_make(&recipe, &p->result, &p->made, err);
    meter_stop(&meter, r->meter_said);
    return result;
}

/* ---- public functions --------------------------------------------------------- */

static bool may_repeat(void *ctx, unsigned job, unsigned tried, const struct mpj_err *err)
{
    const struct passes_ctx *const c = ctx;

    c->run->pass[job].lost = run_lost_board(err->code);
    if (!run_may_retry(err->code))
        return false;
    if (c->watch->retry != NULL)
        c->watch->retry(c->watch->ctx, tried, c->run->o.retries, err);
    return true;
}

static void pass_done(void *ctx, unsigned job, unsigned tried, int code, const struct mpj_err *err)
{
    struct passes_ctx *const c = ctx;
    struct run_pass *const p = &c->run->pass[job];

    (void)tried;
    p->code = code;
    p->err = *err;
    c->done++;
    if (code != MPJ_E_OK) { /* the others need not end */
        if (p->made == RUN_MADE_WHOLE)
            c->fails = true;
        mpj_pool_stop(&c->pool);
    }
    if (c->watch->pass_done != NULL)
        c->watch->pass_done(c->watch->ctx);
}

int run_place(struct run_measurement *r, bool take, struct mpj_err *err)
{
    int result = MPJ_E_OK;

    r->taken = take;
    for (unsigned i = 0; i < r->passes; i++) {
        struct run_pass *const p = &r->pass[i];
        const struct run_files files = files_of(p);
        const bool whole = p->made == RUN_MADE_WHOLE;
        struct mpj_err late;
        if (p->held == NULL)
            continue;
        p->made = run_commit(p->held, &files, r->taken && whole, &late);
        p->held = NULL;
        if (r->taken && whole && p->made != RUN_MADE_WHOLE) {
            *err = late;
            result = late.code;
            r->taken = false;
        }
    }
    return result;
}

/* Removes what a pass has recorded. */
static void drop(struct run_pass *p)
{
    const struct run_files files = {.log = p->log, .errors = p->errors};
    struct mpj_err ignored;

    if (p->held != NULL)
        p->made = run_commit(p->held, &files, false, &ignored);
    p->held = NULL;
}

/* Decides whether the logs of all passes are a result, and committed together: when there was no
 * error. If the program failed in the first one, this one is the result. */
static void judge(struct run_measurement *r, bool whole)
{
    const struct run_pass *const first = &r->pass[0];
    const bool verdict = first->made == RUN_MADE_WHOLE && first->code != MPJ_E_OK;
    struct mpj_err ignored;

    r->taken = whole || verdict;
    for (unsigned i = 1; verdict && i < r->passes; i++)
        drop(&r->pass[i]);
    if (!r->taken)
        (void)run_place(r, false, &ignored);
}

int run_passes(struct run_measurement *r, const struct run_watch *watch, unsigned *made,
               struct mpj_err *err)
{
    struct passes_ctx passes_ctx = {
        .run = r,
        .watch = watch,
        .pool = {.jobs = r->passes,
                 .workers = r->o.jobs,
                 .tries = r->o.retries + 1U,
                 .ctx = &passes_ctx,
                 .begin = begin_pass,
                 .run = make_pass,
                 .again = may_repeat,
                 .done = pass_done},
    };
    const struct run_pass *failed = NULL;

    mpj_stop_catch();
    mpj_pipe_ignore();
    if (run_target_is_board(&r->target))
        passes_ctx.pool.workers = 1; /* there is one of it */
    if (r->o.dir != NULL)
        passes_ctx.pool.workers =
            1; /* passes at the same time would write over each other's files */
    mpj_pool_run(&passes_ctx.pool, err);

    for (unsigned i = 0; i < r->passes && failed == NULL; i++) {
        const struct run_pass *const p = &r->pass[i];
        /* passes that were cancelled because of another one are not the reason */
        if (p->code != MPJ_E_OK && (p->code != MPJ_E_CANCELLED || mpj_stop_count() > 0))
            failed = p;
    }
    judge(r, failed == NULL && passes_ctx.done == r->passes);
    for (*made = 0; *made < r->passes && r->pass[*made].made != RUN_MADE_NOTHING;) {
        if (&r->pass[(*made)++] == failed)
            break;
    }
    if (failed != NULL) {
        *err = failed->err;
        return failed->code;
    }
    if (passes_ctx.done != r->passes)
        return mpj_err_set(err, MPJ_E_CANCELLED, "interrupted");
    return MPJ_E_OK;
}

/* ---- before and after ----------------------------------------------------------- */

/* The events of the model that was requested. */
static int select_model_events(struct run_measurement *r, struct mpj_err *err)
{
    const char *const label = run_target_calibration(&r->target);
    struct mpj_model m;
    bool found;

    if (r->o.model == NULL)
        return MPJ_E_OK;
    if (run_model_for(&m, &found, r->o.model, r->target.name, label, err) != MPJ_E_OK)
        return err->code;
    if (found && label != NULL && strcmp(label, RUN_NO_MODEL) == 0)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "a model needs counts, and nothing is counted without a calibration");
    if (found)
        mpj_model_events(&m, r->o.selection.want);
    return MPJ_E_OK;
}

static int plan(struct run_measurement *r, struct mpj_err *err)
{
    mpj_selection_defaults(&r->o.selection);
    r->passes = mpj_plan_passes(&r->o.selection, r->o.rotate);
    r->pass = calloc(r->passes + 1U, sizeof(*r->pass));
    if (r->pass == NULL)
        return mpj_err_nomem(err);
    if (r->o.no_counters || run_target_is_plain(&r->target))
        r->passes = 1; /* nothing is counted */
    if (r->o.overhead && run_target_is_plain(&r->target))
        return mpj_err_set(err, MPJ_E_USAGE,
                           "--overhead compares times, and there are none without a calibration");
    if (r->o.overhead)
        r->pass[r->passes++].bare = true;
    return MPJ_E_OK;
}

/* Calls asprintf(); on an error sets *out to NULL and returns false. */
__attribute__((format(printf, 2, 3))) static bool name(char **out, const char *format, ...)
{
    va_list ap;
    int n;

    va_start(ap, format);
    n = vasprintf(out, format, ap);
    va_end(ap);
    if (n < 0)
        *out = NULL;
    return n >= 0;
}

static int name_pass(struct run_pass *p, const char *store, int stem, const char *number)
{
    return name(&p->log, "%.*s%s.mplog", stem, store, number) &&
                   name(&p->errors, "%.*s%s.emulator.log", stem, store, number) &&
                   name(&p->failed, "%.*s.failed%s.mplog", stem, store, number) &&
                   name(&p->failed_errors, "%.*s.failed%s.emulator.log", stem, store, number)
               ? MPJ_E_OK
               : MPJ_E_NOMEM;
}

/* Names the logs, which are next to the store. */
static int name_files(struct run_measurement *r, struct mpj_err *err)
{
    const char *const store = r->o.store;
    const size_t len = strlen(store);
    const size_t stem = len > 4 && strcmp(store + len - 4, ".mpj") == 0 ? len - 4 : len;

    for (unsigned i = 0; i < r->passes; i++) {
        char number[16] = "";
        if (r->pass[i].bare)
            snprintf(number, sizeof(number), ".bare");
        else if (i > 0)
            snprintf(number, sizeof(number), ".%u", i);
        if (name_pass(&r->pass[i], store, (int)stem, number) != MPJ_E_OK)
            return mpj_err_nomem(err);
    }
    r->failed = run_failed_name(store);
    return r->failed != NULL ? MPJ_E_OK : mpj_err_nomem(err);
}

/* Refuses options that the target does not support. */
static int check_profile(const struct run_measurement *r, struct mpj_err *err)
{
    const char *const option = r->o.functions      ? "--functions"
                               : r->o.instructions ? "--instructions"
                               : r->o.wave_us > 0  ? "--waveform"
                               : r->o.bounds > 0   ? "--bound"
                               : r->o.what_ifs > 0 ? "--what-if"
                                                   : NULL;

    if (option != NULL && run_target_is_board(&r->target))
        return mpj_err_set(err, MPJ_E_USAGE,
                           "%s needs the emulator, and %s is a board: omit --target", option,
                           r->target.name);
    if (r->o.what_ifs > 0 && (r->o.functions || r->o.instructions || r->o.wave_us > 0))
        return mpj_err_set(
            err, MPJ_E_USAGE,
            "%s cannot be combined with --what-if, which changes where the time goes", option);
    if (option != NULL && run_target_is_plain(&r->target))
        return mpj_err_set(err, MPJ_E_USAGE,
                           "%s needs the chip model, and there is none without a calibration",
                           option);
    return MPJ_E_OK;
}

/* Functions that are measured, if not all of them are. */
static int choose(struct run_measurement *r, struct mpj_err *err)
{
    const struct mpj_func_filter filter = {.only = r->o.only,
                                           .onlys = r->o.onlys,
                                           .without = r->o.without,
                                           .withouts = r->o.withouts,
                                           .depth = r->o.depth};

    if (filter.onlys == 0 && filter.withouts == 0 && filter.depth == 0)
        return MPJ_E_OK;
    r->o.trace.flags |= MPJ_TRACE_CHOICE;
    return mpj_func_choose(r->o.elf, &filter, r->chosen, sizeof(r->chosen), err);
}

/* Refuses output files that would replace another one's, before anything runs. */
static int check_files(const struct run_measurement *r, struct mpj_err *err)
{
    int result = mpj_store_check(r->o.store, err);
    struct stat st;

    for (unsigned i = 0; i < r->passes && result == MPJ_E_OK; i++) {
        result = mpj_log_check(r->pass[i].log, err);
        if (result == MPJ_E_OK && stat(r->pass[i].log, &st) == 0 && S_ISFIFO(st.st_mode))
            result = mpj_err_set(err, MPJ_E_IO,
                                 "%s is a pipe: a run's log must be a regular file, as it is read "
                                 "again for the store",
                                 r->pass[i].log);
    }
    return result;
}

int run_prepare(struct run_measurement *r, struct mpj_err *err)
{
    if (run_target_find(&r->target, &r->o, err) != MPJ_E_OK || check_profile(r, err) != MPJ_E_OK ||
        run_adapt_prepare(r, err) != MPJ_E_OK || select_model_events(r, err) != MPJ_E_OK ||
        plan(r, err) != MPJ_E_OK || name_files(r, err) != MPJ_E_OK ||
        check_files(r, err) != MPJ_E_OK || mpj_image_check(&r->image, r->o.elf, err) != MPJ_E_OK ||
        choose(r, err) != MPJ_E_OK || run_keep_input(r, err) != MPJ_E_OK)
        return err->code;
    if (run_meter(r) != NULL && meter_take(&r->meter_lock, r->o.store, err) != MPJ_E_OK)
        return err->code;
    r->metered = run_meter(r) != NULL;
    return run_target_take(&r->target, &r->o, "mpjoule run", err);
}

void run_release(struct run_measurement *r)
{
    struct mpj_err ignored;

    if (r->pass != NULL)
        (void)run_place(r, false, &ignored); /* without a store */
    for (unsigned i = 0; r->pass != NULL && i < r->passes; i++) {
        free(r->pass[i].log);
        free(r->pass[i].errors);
        free(r->pass[i].failed);
        free(r->pass[i].failed_errors);
    }
    free(r->pass);
    free(r->failed);
    free(r->predictor);
    if (r->metered)
        meter_release(r->meter_lock, r->o.store);
    if (r->input != NULL)
        fclose(r->input);
    run_target_release(&r->target);
}
