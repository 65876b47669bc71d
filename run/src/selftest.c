/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/selftest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "run/kinds.h"
#include "run/paths.h"
#include "run/recipe.h"

/* While it runs. */
struct selftest_ctx {
    struct run_selftest *s;
    const struct run_selftest_watch *watch;
    double first, last; /* of the pattern that comes back: host's clock */
};

/* Files in memory, and their paths. */
struct files {
    int pattern, log; /* -1: not made */
    char pattern_path[32], log_path[32];
};

/* ---- while it runs ------------------------------------------------------------------ */

static void on_console(void *ctx, int stream, const void *data, size_t len)
{
    struct selftest_ctx *const selftest_ctx = ctx;
    struct mpj_selftest *const t = selftest_ctx->s->test;

    if (stream == 1) {
        mpj_selftest_output(t, data, len);
        return;
    }
    if (t->right + t->wrong == 0)
        selftest_ctx->first = mpj_clock_s();
    selftest_ctx->last = mpj_clock_s();
    mpj_selftest_pattern(t, data, len);
}

static void on_progress(void *ctx, const struct mpj_progress *p)
{
    const struct selftest_ctx *const selftest_ctx = ctx;

    if (selftest_ctx->watch->progress != NULL)
        selftest_ctx->watch->progress(selftest_ctx->watch->ctx, p->host_s,
                                      selftest_ctx->s->test->part);
}

static bool cancelled(void *ctx)
{
    (void)ctx;
    return mpj_stop_count() > 0;
}

/* ---- files --------------------------------------------------------------------------- */

static int memory_file(const char *name, char path[32])
{
    const int fd = memfd_create(name, MFD_CLOEXEC);

    snprintf(path, 32, "/proc/self/fd/%d", fd);
    return fd;
}

/* The pattern is the stdin of the firmware. */
static bool write_pattern(int fd, unsigned bytes)
{
    uint8_t *const p = malloc(bytes);
    bool written = false;

    if (p != NULL) {
        mpj_selftest_make_pattern(p, bytes);
        written = write(fd, p, bytes) == (ssize_t)bytes;
    }
    free(p);
    return written;
}

static int make_files(struct files *f, unsigned bytes, struct mpj_err *err)
{
    f->pattern = memory_file("pattern", f->pattern_path);
    f->log = memory_file("log", f->log_path);
    if (f->pattern >= 0 && f->log >= 0 && write_pattern(f->pattern, bytes))
        return MPJ_E_OK;
    return mpj_err_errno(err, "cannot create a file in memory");
}

static void close_files(const struct files *f)
{
    const int fd[] = {f->pattern, f->log};

    for (size_t i = 0; i < sizeof(fd) / sizeof(fd[0]); i++) {
        if (fd[i] >= 0)
            close(fd[i]);
    }
}

/* ---- items that this side measures ----------------------------------------------------- */

static int line_items(struct run_selftest *s, const struct selftest_ctx *selftest_ctx,
                      struct mpj_err *err)
{
    const struct mpj_board *const board = s->target.board;
    const struct mpj_session_result *const r = &s->result;
    struct mpj_selftest *const t = s->test;
    const double took = selftest_ctx->last - selftest_ctx->first;
    const int64_t rate = board != NULL && board->bit_rate > 0 ? board->bit_rate : r->rate;
    int result =
        mpj_selftest_add(t, "line.from_board", (int64_t)t->right, s->bytes, s->bytes, "bytes", NULL,
                         "bytes of the pattern that were echoed correctly", err);

    if (result == MPJ_E_OK)
        result = mpj_selftest_add(t, "line.damaged", (int64_t)(r->line.bad - r->noise), 0, 0,
                                  "frames", board != NULL ? "boards.yaml:bit_rate" : NULL,
                                  "damaged frames, sent again", err);
    if (board == NULL || result != MPJ_E_OK)
        return result;
    result = mpj_selftest_add(t, "line.resent", (int64_t)r->link.resent, 0, 0, "frames",
                              "boards.yaml:bit_rate", "frames that were resent to the board", err);
    if (result == MPJ_E_OK)
        result = mpj_selftest_add(t, "line.lost", (int64_t)r->link.early, 0, 0, "frames",
                                  "boards.yaml:bit_rate", "frames received out of order", err);
    if (result == MPJ_E_OK)
        result = mpj_selftest_add(t, "line.rate", r->rate, rate, rate, "bit/s",
                                  "boards.yaml:bit_rate", "negotiated bit rate", err);
    if (result == MPJ_E_OK && took > 0.02) /* else too short to measure */
        result = mpj_selftest_add(t, "line.speed", (int64_t)((double)t->right / took), rate / 40,
                                  INT64_MAX, "bytes/s", "boards.yaml:bit_rate",
                                  "bytes per second of the echoed pattern", err);
    return result;
}

/* ---- public functions ----------------------------------------------------------------- */

int run_selftest_prepare(struct run_selftest *s, struct mpj_err *err)
{
    struct tile_machine machine;

    s->test = mpj_selftest_new();
    if (s->test == NULL)
        return mpj_err_nomem(err);
    if (s->o.kind != NULL && run_kind_load(&machine, s->o.kind, err) != MPJ_E_OK)
        return err->code;
    if (run_target_find(&s->target, &s->o, err) != MPJ_E_OK)
        return err->code;
    s->elf = run_path_app(run_target_own(&s->target), "selftest.elf");
    s->o.elf = s->elf;
    s->failed = s->o.store != NULL ? run_failed_name(s->o.store) : NULL;
    if (s->elf == NULL || (s->o.store != NULL && s->failed == NULL))
        return mpj_err_nomem(err);
    if (mpj_image_check(&s->image, s->elf, err) != MPJ_E_OK)
        return err->code;
    memcpy(s->test->board, s->image.board, sizeof(s->test->board));
    return run_target_take(&s->target, &s->o, "mpjoule selftest", err);
}

int run_selftest(struct run_selftest *s, const struct run_selftest_watch *watch,
                 struct mpj_err *err)
{
    static const struct mpj_selection nothing;
    struct selftest_ctx selftest_ctx = {.s = s, .watch = watch};
    struct files f;
    char adc[32];
    char bytes[32];
    const char *const argv[4] = {"selftest", bytes, s->adc != 0 ? adc : NULL, NULL};
    struct run_recipe recipe = run_recipe_of(&s->o, &s->target, &s->image);
    struct mpj_session_opts *const o = &recipe.session;
    enum run_made made = RUN_MADE_NOTHING;
    int result;

    recipe.argv = argv;
    recipe.input = f.pattern_path;
    recipe.files.log = s->o.store != NULL ? s->o.store : f.log_path;
    recipe.files.failed = s->failed;
    recipe.upload = watch->upload;
    recipe.upload_ctx = watch->ctx;
    o->console = on_console;
    o->progress = on_progress;
    o->cancelled = cancelled;
    o->ctx = &selftest_ctx;
    /* The self-test itself checks if they exist. */
    o->config.flags = MPJ_CONFIG_NO_COUNTERS | MPJ_CONFIG_NO_ADC | MPJ_CONFIG_NO_THREADS;
    mpj_stop_catch();
    mpj_pipe_ignore();
    snprintf(bytes, sizeof(bytes), "line=%u", s->bytes);
    snprintf(adc, sizeof(adc), "adc=0x%lx", s->adc);
    mpj_plan_select(&nothing, 0, &o->config);
    result = make_files(&f, s->bytes, err);
    if (result == MPJ_E_OK)
        result = run_recipe_make(&recipe, &s->result, &made, err);
    if (made == RUN_MADE_FAILED && s->failed != NULL)
        run_say_kept(err, s->failed);
    close_files(&f);
    if (result == MPJ_E_OK && s->test->complete)
        result = line_items(s, &selftest_ctx, err);
    return result;
}

void run_selftest_release(struct run_selftest *s)
{
    mpj_selftest_free(s->test);
    free(s->elf);
    free(s->failed);
    run_target_release(&s->target);
}
