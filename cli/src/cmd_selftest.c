/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule selftest: does what the firmware takes for granted hold on this target? */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli.h"
#include "run.h"
#include "selftest_show.h"

#define DEFAULT_CALIBRATION TILE_CALIBRATION_DEFAULT
#define DEFAULT_TIMEOUT_S   120
#define DEFAULT_BYTES       16384
#define BYTES_MAX           (16U << 20)

enum key { KEY_CALIBRATION = 256, KEY_JSON, KEY_TIMEOUT, KEY_ADC, KEY_BYTES };

struct selftest_options {
    struct run run;
    unsigned long adc; /* 0: where the board's header has it */
    unsigned bytes;
    bool all;
};

/* While it runs. */
struct watch {
    struct mpj_selftest *test;
    bool terminal, open;
    double first, last; /* of the pattern that comes back: host's clock */
};

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
    (void)sig;
    interrupted = 1;
}

static unsigned long whole(struct argp_state *state, const char *name, const char *arg,
                           unsigned long low, unsigned long high)
{
    char *end;
    unsigned long v;

    errno = 0;
    v = strtoul(arg, &end, 0);
    if (*arg == '\0' || *arg == '-' || *end != '\0' || errno != 0 || v < low || v > high)
        argp_error(state, "%s takes a whole number from %lu to %lu, not \"%s\"", name, low, high,
                   arg);
    return v;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct selftest_options *const o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        return 0;
    case KEY_CALIBRATION:
        o->run.o.calibration = arg;
        return 0;
    case KEY_JSON:
        o->run.o.json = arg;
        return 0;
    case KEY_TIMEOUT:
        o->run.o.timeout_s = (unsigned)whole(state, "--timeout", arg, 1, 100000);
        return 0;
    case KEY_ADC:
        o->adc = whole(state, "--adc", arg, 4, 0xfffffff0UL);
        if (o->adc % 4 != 0)
            argp_error(state, "--adc takes the address of a word, not %s", arg);
        return 0;
    case KEY_BYTES:
        o->bytes = (unsigned)whole(state, "--line-bytes", arg, 1, BYTES_MAX);
        return 0;
    case 'a':
        o->all = true;
        return 0;
    case 'b':
        o->run.o.boards = arg;
        return 0;
    case 'w':
        o->run.o.wait_s = (unsigned)whole(state, "--wait", arg, 0, 1000000);
        return 0;
    case 'o':
        o->run.o.store = arg;
        return 0;
    case 'q':
        o->run.o.quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_error(state, "one target, not \"%s\", too", arg);
        o->run.o.target = strcmp(arg, "emulator") == 0 ? RUN_SIM : arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- while it runs ------------------------------------------------------------------ */

static void on_console(void *ctx, int stream, const void *data, size_t len)
{
    struct watch *const w = ctx;

    if (stream == 1) {
        mpj_selftest_output(w->test, data, len);
        return;
    }
    if (w->test->right + w->test->wrong == 0)
        w->first = mpj_clock_s();
    w->last = mpj_clock_s();
    mpj_selftest_pattern(w->test, data, len);
}

static void on_progress(void *ctx, const struct mpj_progress *p)
{
    struct watch *const w = ctx;

    if (!w->terminal)
        return;
    cli_live_line("%.0f s, %s", p->host_s,
                  w->test->part != NULL ? w->test->part : "waiting for the target");
    w->open = true;
}

static bool cancelled(void *ctx)
{
    (void)ctx;
    return interrupted != 0;
}

/* The pattern as a file that stdin of the firmware reads. Its descriptor, or -1. */
static int pattern_file(unsigned bytes)
{
    const int fd = memfd_create("pattern", MFD_CLOEXEC);
    uint8_t *const p = malloc(bytes);
    bool fine = fd >= 0 && p != NULL;

    if (fine) {
        mpj_selftest_make_pattern(p, bytes);
        fine = write(fd, p, bytes) == (ssize_t)bytes;
    }
    free(p);
    if (!fine && fd >= 0)
        close(fd);
    return fine ? fd : -1;
}

/* ---- what only this side knows --------------------------------------------------------- */

static int line_items(struct mpj_selftest *t, const struct selftest_options *o,
                      const struct watch *w, const struct mpj_session_result *r,
                      struct mpj_err *err)
{
    const struct mpj_board *const board = o->run.board;
    const double took = w->last - w->first;
    const int64_t rate = board != NULL && board->bit_rate > 0 ? board->bit_rate : r->rate;
    int result = mpj_selftest_add(t, "line.from_board", (int64_t)t->right, o->bytes, o->bytes,
                                  "bytes", NULL, "pattern that came back right", err);

    if (result == MPJ_E_OK)
        result = mpj_selftest_add(t, "line.damaged", (int64_t)(r->line.bad - r->noise), 0, 0,
                                  "frames", board != NULL ? "boards.yaml:bit_rate" : NULL,
                                  "frames that arrived damaged, and were sent again", err);
    if (board == NULL || result != MPJ_E_OK)
        return result;
    result = mpj_selftest_add(t, "line.resent", (int64_t)r->link.resent, 0, 0, "frames",
                              "boards.yaml:bit_rate",
                              "frames that had to be sent again to the board", err);
    if (result == MPJ_E_OK)
        result =
            mpj_selftest_add(t, "line.lost", (int64_t)r->link.early, 0, 0, "frames",
                             "boards.yaml:bit_rate", "frames that came before a missing one", err);
    if (result == MPJ_E_OK)
        result = mpj_selftest_add(t, "line.rate", r->rate, rate, rate, "bit/s",
                                  "boards.yaml:bit_rate", "rate that both ends agreed on", err);
    if (result == MPJ_E_OK && took > 0.02) /* else too little to tell */
        result = mpj_selftest_add(t, "line.speed", (int64_t)((double)t->right / took), rate / 40,
                                  INT64_MAX, "bytes/s", "boards.yaml:bit_rate",
                                  "bytes a second of the pattern that came back", err);
    return result;
}

/* ---- all of it ------------------------------------------------------------------------ */

static int prepare(struct selftest_options *o, char **elf, struct mpj_err *err)
{
    struct run *const r = &o->run;
    char *const firmware = cli_path_firmware();

    if (firmware == NULL || asprintf(elf, "%s/apps/selftest.elf", firmware) < 0)
        *elf = NULL;
    free(firmware);
    if (*elf == NULL)
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    r->o.elf = *elf;
    if (run_find_target(r, err) != MPJ_E_OK || mpj_image_check(&r->image, *elf, err) != MPJ_E_OK)
        return err->code;
    if (!run_on_board(r) && r->o.calibration == NULL)
        r->o.calibration = DEFAULT_CALIBRATION;
    r->qemu = cli_path_qemu();
    if (!run_on_board(r) && strcmp(r->o.calibration, RUN_NO_MODEL) != 0)
        r->calibration = cli_path_calibration(r->o.calibration);
    if (r->qemu == NULL ||
        (!run_on_board(r) && r->calibration == NULL && strcmp(r->o.calibration, RUN_NO_MODEL) != 0))
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    return run_take_target(r, err);
}

static int run_it(struct selftest_options *o, struct watch *w, struct mpj_session_result *out,
                  struct mpj_err *err)
{
    struct run *const r = &o->run;
    char adc[32];
    char bytes[32];
    char input[32];
    const char *argv[4] = {"selftest", bytes, adc, NULL};
    struct mpj_session_opts s = {
        .image = &r->image,
        .identity = r->board != NULL ? &r->board->identity : NULL,
        .argv = argv,
        .timeout_s = r->o.timeout_s,
        .console = on_console,
        .progress = on_progress,
        .cancelled = cancelled,
        .ctx = w,
        .config = {.session = 1,
                   .features = 1U << MPJ_FEATURE_HOST_IO,
                   .cores_mask = r->o.cores_mask,
                   .adc_period_us = r->o.sample_us,
                   /* It looks for itself whether they are there. */
                   .flags = MPJ_CONFIG_NO_COUNTERS | MPJ_CONFIG_NO_ADC | MPJ_CONFIG_NO_THREADS},
    };
    const struct mpj_wish nothing = {{false}};
    const int pattern = pattern_file(o->bytes);
    const int log = memfd_create("log", MFD_CLOEXEC);
    const int errors = memfd_create("errors", MFD_CLOEXEC);
    char nowhere[32];
    char complaints[32];
    struct mpj_err late;
    int result;

    if (pattern < 0 || log < 0 || errors < 0) {
        result = mpj_err_errno(err, "cannot make a file in memory");
        goto out;
    }
    snprintf(nowhere, sizeof(nowhere), "/proc/self/fd/%d", log);
    snprintf(complaints, sizeof(complaints), "/proc/self/fd/%d", errors);
    snprintf(input, sizeof(input), "/proc/self/fd/%d", pattern);
    snprintf(bytes, sizeof(bytes), "line=%u", o->bytes);
    snprintf(adc, sizeof(adc), "adc=0x%lx", o->adc);
    if (o->adc == 0)
        argv[2] = NULL;
    mpj_plan_select(&nothing, 0, &s.config);
    result = mpj_io_new(&s.io, NULL, input, err);
    if (result == MPJ_E_OK)
        result = mpj_log_create(&s.log, r->o.store != NULL ? r->o.store : nowhere, err);
    if (result == MPJ_E_OK)
        result = run_make_target(&s.target, r, complaints, err);
    if (result == MPJ_E_OK)
        result = run_load_target(r, s.target, s.cancelled, s.ctx, err);
    if (result == MPJ_E_OK)
        result = mpj_session_run(&s, out, err);
    if (s.log != NULL &&
        mpj_log_close(s.log, result, result == MPJ_E_OK ? "" : err->text,
                      result == MPJ_E_OK ? err : &late) != MPJ_E_OK &&
        result == MPJ_E_OK)
        result = err->code;
    mpj_target_free(s.target);
    mpj_io_free(s.io);
    if (w->open)
        fputs("\r\033[K", stderr);
out:
    if (pattern >= 0)
        close(pattern);
    if (log >= 0)
        close(log);
    if (errors >= 0)
        close(errors);
    return result;
}

static int show(const struct selftest_options *o, const struct mpj_selftest *t,
                const struct selftest_about *about, struct mpj_err *err)
{
    const char *const json = o->run.o.json;
    FILE *f;
    int result;

    if (!o->run.o.quiet && (json == NULL || strcmp(json, "-") != 0))
        selftest_text(t, about, o->all, stdout);
    fflush(stdout);
    if (json == NULL)
        return MPJ_E_OK;
    if (strcmp(json, "-") == 0)
        return selftest_json(t, about, stdout, err);
    f = fopen(json, "we");
    if (f == NULL)
        return mpj_err_errno(err, "cannot create %s", json);
    result = selftest_json(t, about, f, err);
    if (fclose(f) != 0 && result == MPJ_E_OK)
        result = mpj_err_errno(err, "cannot write %s", json);
    return result;
}

static int test(struct selftest_options *o, struct mpj_selftest *t)
{
    struct mpj_session_result r;
    struct watch w = {.test = t, .terminal = isatty(STDERR_FILENO) == 1};
    struct selftest_about about = {0};
    struct mpj_err err;
    struct mpj_err late;
    unsigned count[MPJ_VERDICTS];
    char *elf = NULL;
    int status = 0;
    int result = prepare(o, &elf, &err);

    memset(&r, 0, sizeof(r));
    if (result == MPJ_E_OK)
        result = run_it(o, &w, &r, &err);
    if (t->complete && result == MPJ_E_OK)
        result = line_items(t, o, &w, &r, &err);
    about.target = run_on_board(&o->run) ? o->run.board->id : "emulator";
    about.calibration = run_calibration_name(&o->run);
    about.firmware_sha256 = o->run.image.sha256;
    about.cores = r.cores;
    about.clock_hz = r.clock_hz;
    about.bit_rate = run_on_board(&o->run) ? r.rate : 0;
    about.failure = result == MPJ_E_OK ? NULL : err.text;
    if (r.have_hello && show(o, t, &about, &late) != MPJ_E_OK) {
        cli_fail(&late);
        status = CLI_FAILURE;
    }
    if (result != MPJ_E_OK) {
        status = run_on_board(&o->run) ? cli_fail_board(&err) : cli_fail(&err);
    } else if (status == 0 && !mpj_selftest_count(t, count)) {
        status = 1;
    }
    free(o->run.qemu);
    free(o->run.calibration);
    run_release_target(&o->run);
    free(elf);
    return status;
}

int cmd_selftest(int argc, char **argv)
{
    static char name[] = "mpjoule selftest";
    static const struct argp_option known[] = {
        {"adc", KEY_ADC, "ADDRESS", 0, "Look for the power ADC's first register there instead", 0},
        {"all", 'a', NULL, 0, "Show the firmware's notes even when all is well", 0},
        {"boards", 'b', "FILE", 0, "List of boards (see `mpjoule help boards`)", 0},
        {"calibration", KEY_CALIBRATION, "NAME", 0,
         "Calibration of the emulated chip (default " DEFAULT_CALIBRATION "); " RUN_NO_MODEL
         ": any QEMU",
         0},
        {"json", KEY_JSON, "FILE", 0, "Also write the result as JSON (-: instead of the table)", 0},
        {"line-bytes", KEY_BYTES, "N", 0, "Pattern over the line, each way (default 16384)", 0},
        {"output", 'o', "FILE", 0, "Keep the raw log there", 0},
        {"quiet", 'q', NULL, 0, "No table", 0},
        {"timeout", KEY_TIMEOUT, "S", 0, "Give up after S seconds (default 120)", 0},
        {"wait", 'w', "S", 0, "Wait so long for a board somebody else has (default 0)", 0},
        {0},
    };
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .args_doc = "[BOARD|PORT|emulator]",
        .doc =
            "Check a target against what the firmware takes it for. See `mpjoule help selftest`."};
    static struct selftest_options o = {.bytes = DEFAULT_BYTES,
                                        .run = {.o = {.cores_mask = (1U << MPJ_CORES_MAX) - 1U,
                                                      .sample_us = TILE_SAMPLE_US_DEFAULT,
                                                      .target = RUN_SIM,
                                                      .quantum = TILE_QUANTUM_DEFAULT,
                                                      .seed = TILE_SEED_DEFAULT,
                                                      .timeout_s = DEFAULT_TIMEOUT_S}}};
    struct sigaction on = {.sa_handler = on_signal};
    struct mpj_selftest *t;
    struct mpj_err err;
    int status;

    argv[0] = name;
    argp_err_exit_status = CLI_FAILURE;
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    cli_end_signals(&on);
    signal(SIGPIPE, SIG_IGN);
    t = mpj_selftest_new();
    if (t == NULL) {
        mpj_err_set(&err, MPJ_E_NOMEM, "out of memory");
        return cli_fail(&err);
    }
    status = test(&o, t);
    mpj_selftest_free(t);
    return status;
}
