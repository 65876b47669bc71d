/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/record.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "mpj_machine_record.h"
#include "report/machine.h"
#include "run/kinds.h"
#include "run/paths.h"
#include "run/recipe.h"

#define FINISH_S 30   /* for our own firmware, which does end: a busy machine is slow */
#define TICK_MS  20   /* how late a mark or the end may be noticed */
#define NOTES    16U  /* more than a session has under way */
#define ASK_MS   1000 /* of our own program in the emulator */

static volatile sig_atomic_t marks;

static void on_mark_signal(int sig)
{
    (void)sig;
    marks = marks + 1;
}

/* Context of the callbacks. */
struct record_ctx {
    struct run_record *r;
    const struct run_record_watch *watch;
    bool reading; /* lines of stdin are marks */
    char text[1024];
    size_t len;
    sig_atomic_t marks; /* signals dealt with */
    uint32_t notes;     /* marks handed over; the texts of the last ones, by number */
    char note[NOTES][MPJ_NOTE_MAX + 1];
    bool over;                    /* the time of --for, with a program */
    struct mpj_supplies supplies; /* of the board, as it says or as older firmware means */
};

/* ---- what comes from the target --------------------------------------------------- */

static void on_console(void *ctx, int stream, const void *data, size_t len)
{
    const struct record_ctx *const s = ctx;
    int failed = 0;

    if (s->watch->console != NULL && (stream != 1 || s->r->output == 0))
        failed = s->watch->console(s->watch->ctx, stream, data, len);
    if (s->r->output == 0)
        s->r->output = failed;
}

static void on_progress(void *ctx, const struct mpj_progress *p)
{
    const struct record_ctx *const s = ctx;
    struct run_record *const r = s->r;

    (void)p;
    if (s->watch->progress != NULL && r->live.begun && r->result.time_hz > 0)
        s->watch->progress(s->watch->ctx, &r->live, r->result.time_hz);
}

/* The first consumer's, in V, A and W: the processor's. */
static void values(const struct record_ctx *s, const struct mpj_adc_sample *a, double *v, double *c,
                   double *p)
{
    double code[TILE_POWER_MAX];
    double uv[TILE_POWER_MAX] = {0};
    double ua[TILE_POWER_MAX] = {0};
    double pw[TILE_POWER_MAX] = {0};

    for (unsigned k = 0; k < TILE_POWER_MAX; k++)
        code[k] = a->code[k];
    mpj_supply_values(&s->supplies, code, uv, ua, pw);
    *v = uv[0] * 1e-6;
    *c = ua[0] * 1e-6;
    *p = pw[0] * 1e-12;
}

static void add_samples(const struct record_ctx *record_ctx, const struct mpj_adc_rec *a)
{
    struct run_record *const r = record_ctx->r;
    struct run_record_live *const l = &r->live;
    const uint32_t hz = r->result.time_hz;

    for (uint32_t i = 0; i < a->count; i++) {
        const struct mpj_adc_sample *const s = &a->s[i];
        double v;
        double c;
        double p;

        values(record_ctx, s, &v, &c, &p);
        if (!l->begun) {
            l->first = s->time;
            l->next = a->first;
        } else if (s->time > l->last) {
            l->energy_uj += l->power_uw * (double)(s->time - l->last) / hz;
        }
        l->lost += a->first + i > l->next ? a->first + i - l->next : 0;
        l->next = a->first + i + 1U;
        l->begun = true;
        l->last = s->time;
        l->power_uw = p * 1e6;
        l->samples++;
        l->n++;
        l->sum_v += v;
        l->sum_i += c;
        l->sum_p += p;
    }
}

static void on_record(void *ctx, const struct mpj_rec *rec)
{
    struct record_ctx *const s = ctx;
    struct run_record *const r = s->r;
    struct tile_machine machine;
    struct mpj_adc_rec a;
    struct mpj_mark m;

    if (rec->kind == MPJ_REC_MACHINE && mpj_machine_get(rec, &machine) == 0)
        mpj_supplies_of(&machine, &s->supplies);

    if (s->watch->mark != NULL && rec->kind == MPJ_REC_MARK && mpj_mark_get(rec, &m) == 0 &&
        m.origin == MPJ_MARK_HOST && r->live.begun)
        s->watch->mark(s->watch->ctx, (double)(int64_t)(m.time - r->live.first) / r->result.time_hz,
                       s->note[(uint64_t)m.value % NOTES]);
    if (rec->kind != MPJ_REC_ADC || mpj_adc_get(rec, &a) != 0 || a.count == 0)
        return;
    add_samples(s, &a);
    if (r->beside && r->for_s > 0 &&
        (double)(r->live.last - r->live.first) / r->result.time_hz >= r->for_s)
        s->over = true;
}

/* ---- marks and the end ------------------------------------------------------------ */

/* stdin: whole lines, as they come. */
static void read_lines(struct record_ctx *s)
{
    struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
    ssize_t n;

    if (!s->reading || s->len == sizeof(s->text) || poll(&p, 1, 0) <= 0)
        return;
    n = read(STDIN_FILENO, s->text + s->len, sizeof(s->text) - s->len);
    if (n > 0)
        s->len += (size_t)n;
    else if (n == 0 || (errno != EINTR && errno != EAGAIN))
        s->reading = false;
}

static bool next_note(struct record_ctx *s, char text[MPJ_NOTE_MAX + 1])
{
    char *end;
    size_t used;
    size_t n = 0;

    if (s->marks != marks) {
        s->marks = s->marks + 1;
        snprintf(text, MPJ_NOTE_MAX + 1, "signal %d", (int)s->marks);
        return true;
    }
    read_lines(s);
    end = memchr(s->text, '\n', s->len);
    if (end == NULL && (s->len < sizeof(s->text) && (s->reading || s->len == 0)))
        return false; /* not a whole line yet */
    used = end != NULL ? (size_t)(end - s->text) + 1 : s->len;
    for (size_t i = 0; i < used && n < MPJ_NOTE_MAX; i++) {
        if ((unsigned char)s->text[i] >= ' ' && s->text[i] != 0x7f)
            text[n++] = s->text[i];
    }
    text[n] = '\0';
    if (n == 0)
        snprintf(text, MPJ_NOTE_MAX + 1, "mark");
    memmove(s->text, s->text + used, s->len - used);
    s->len -= used;
    return true;
}

static bool on_note(void *ctx, char text[MPJ_NOTE_MAX + 1])
{
    struct record_ctx *const s = ctx;

    if (!next_note(s, text))
        return false;
    memcpy(s->note[++s->notes % NOTES], text, MPJ_NOTE_MAX + 1);
    return true;
}

static bool on_finish(void *ctx)
{
    const struct record_ctx *const s = ctx;

    return mpj_stop_count() > 0 || s->over || s->r->output == EPIPE;
}

/* While there is nothing yet that could end gracefully. */
static bool load_cancelled(void *ctx)
{
    (void)ctx;
    return mpj_stop_count() > 0;
}

static bool on_cancelled(void *ctx)
{
    (void)ctx;
    return mpj_stop_count() > 1;
}

/* ---- the recording ---------------------------------------------------------------- */

/* A recording that was ended on demand has not failed, though the program was not over. */
static int outcome(void *ctx, int code, struct mpj_err *err)
{
    const struct record_ctx *const s = ctx;
    const struct run_record *const r = s->r;

    if (s->watch->done != NULL)
        s->watch->done(s->watch->ctx);
    if (code != MPJ_E_CANCELLED || !r->live.begun || (r->beside && !s->over))
        return code;
    snprintf(err->text, sizeof(err->text), "%s",
             s->over ? "ended by --for before the program's end" : "stopped by the user");
    return MPJ_E_OK;
}

int run_record(struct run_record *r, const struct run_record_watch *watch, struct mpj_err *err)
{
    static const struct mpj_selection nothing;
    const struct run_options *const o = &r->o;
    const struct sigaction mark = {.sa_handler = on_mark_signal};
    struct record_ctx record_ctx = {.r = r, .watch = watch};
    struct run_recipe recipe = run_recipe_of(o, &r->target, &r->image);
    struct mpj_session_opts *const s = &recipe.session;

    recipe.files = (struct run_files){.log = o->store,
                                      .errors = r->errors,
                                      .failed = r->failed,
                                      .failed_errors = r->failed_errors};
    recipe.planned_s = r->for_s;
    recipe.load_cancelled = load_cancelled;
    recipe.upload = watch->upload;
    recipe.upload_ctx = watch->ctx;
    recipe.outcome = outcome;
    s->console = on_console;
    s->progress = on_progress;
    s->cancelled = on_cancelled;
    s->record = on_record;
    s->note = on_note;
    s->finish = on_finish;
    s->finish_s = r->beside ? 0 : FINISH_S;
    s->tick_ms = TICK_MS;
    s->ctx = &record_ctx;
    s->config.features |= 1U << MPJ_FEATURE_NOTE;
    s->config.cores_mask = r->beside ? o->cores_mask : 1U;
    s->config.flags = MPJ_CONFIG_NO_COUNTERS | MPJ_CONFIG_NO_THREADS | MPJ_CONFIG_STREAM;
    mpj_supplies_of(&mpj_machine_unstated, &record_ctx.supplies);
    mpj_stop_catch();
    mpj_pipe_ignore();
    sigaction(SIGUSR1, &mark, NULL);
    /* a terminal in the background would stop us for reading from it */
    record_ctx.reading =
        r->marks || (isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp());
    mpj_plan_select(&nothing, 0, &s->config);
    return run_recipe_make(&recipe, &r->result, &r->made, err);
}

/* ---- before and after --------------------------------------------------------------- */

/* Our own program, that does nothing but let the sampler run. */
static int recorder(struct run_record *r, struct mpj_err *err)
{
    struct run_options *const o = &r->o;

    r->elf = run_path_app(run_target_own(&r->target), "recorder.elf");
    if (r->elf == NULL)
        return mpj_err_nomem(err);
    if (!r->ask_given && !run_target_is_board(&r->target))
        r->ask_ms = ASK_MS;
    snprintf(r->length, sizeof(r->length), "%.0f", r->for_s * 1e3);
    snprintf(r->ask, sizeof(r->ask), "%u", r->ask_ms);
    o->elf = r->elf;
    o->argv[o->argc++] = "recorder";
    o->argv[o->argc++] = r->length;
    o->argv[o->argc++] = r->ask;
    return MPJ_E_OK;
}

static int name_errors(struct run_record *r, struct mpj_err *err)
{
    const char *const log = r->o.store;
    const size_t len = strlen(log);
    const size_t stem = len > 6 && strcmp(log + len - 6, ".mplog") == 0 ? len - 6 : len;

    if (asprintf(&r->errors, "%.*s.emulator.log", (int)stem, log) < 0)
        r->errors = NULL;
    else
        r->failed_errors = run_failed_name(r->errors);
    r->failed = run_failed_name(log);
    return r->failed != NULL && r->failed_errors != NULL ? MPJ_E_OK : mpj_err_nomem(err);
}

/* Refuses a board that is known to have no power channels. */
static int check_board(const char *board, struct mpj_err *err)
{
    struct tile_machine m;
    struct mpj_err ignored;

    if (run_kind_load(&m, board, &ignored) != MPJ_E_OK || m.powers > 0)
        return MPJ_E_OK;
    return mpj_err_set(err, MPJ_E_USAGE,
                       "the board %s has no power channels: there is nothing to record", board);
}

int run_record_prepare(struct run_record *r, struct mpj_err *err)
{
    r->beside = r->o.elf != NULL;
    if (run_target_find(&r->target, &r->o, err) != MPJ_E_OK)
        return err->code;
    if (run_target_is_plain(&r->target))
        return mpj_err_set(err, MPJ_E_USAGE, "without a model there is nothing to record");
    if (name_errors(r, err) != MPJ_E_OK || mpj_log_check(r->o.store, err) != MPJ_E_OK ||
        (!r->beside && (check_board(run_target_own(&r->target), err) != MPJ_E_OK ||
                        recorder(r, err) != MPJ_E_OK)) ||
        mpj_image_check(&r->image, r->o.elf, err) != MPJ_E_OK ||
        check_board(r->image.board, err) != MPJ_E_OK)
        return err->code;
    return run_target_take(&r->target, &r->o, "mpjoule record", err);
}

void run_record_release(struct run_record *r)
{
    free(r->elf);
    free(r->errors);
    free(r->failed);
    free(r->failed_errors);
    run_target_release(&r->target);
}
