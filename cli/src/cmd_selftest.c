/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule selftest: checks the firmware's assumptions on a target. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli.h"
#include "cli_options.h"
#include "commands.h"
#include "files.h"
#include "run/recipe.h"
#include "run/selftest.h"
#include "selftest_show.h"
#include "upload_show.h"

#define DEFAULT_TIMEOUT_S 120
#define DEFAULT_BYTES     16384
#define BYTES_MAX         (16U << 20)

enum key { KEY_BOARD = 256, KEY_CALIBRATION, KEY_JSON, KEY_TIMEOUT, KEY_ADC, KEY_BYTES };

struct selftest_options {
    struct run_selftest run;
    const char *json; /* file; "-": stdout; NULL: none */
    bool all;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct selftest_options *const t = state->input;
    struct run_options *const o = &t->run.o;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        return 0;
    case KEY_BOARD:
        o->kind = arg;
        return 0;
    case KEY_CALIBRATION:
        o->calibration = arg;
        return 0;
    case KEY_JSON:
        t->json = arg;
        return 0;
    case KEY_TIMEOUT:
        o->timeout_s = (unsigned)cli_whole(state, "--timeout", arg, 1, 100000);
        return 0;
    case KEY_ADC:
        t->run.adc = cli_whole(state, "--adc", arg, 4, 0xfffffff0UL);
        if (t->run.adc % 4 != 0)
            argp_error(state, "--adc takes a word-aligned address, not %s", arg);
        return 0;
    case KEY_BYTES:
        t->run.bytes = (unsigned)cli_whole(state, "--line-bytes", arg, 1, BYTES_MAX);
        return 0;
    case 'a':
        t->all = true;
        return 0;
    case 'b':
        o->boards = arg;
        return 0;
    case 'w':
        o->wait_s = (unsigned)cli_whole(state, "--wait", arg, 0, CLI_WAIT_MAX);
        return 0;
    case 'o':
        o->store = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_error(state, "unexpected argument \"%s\": expected one target", arg);
        o->target = strcmp(arg, "emulator") == 0 ? RUN_EMULATOR : arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- public functions ----------------------------------------------------------------- */

/* State of the display of a self-test. */
struct screen {
    struct cli_progress upload;
};

static void on_progress(void *ctx, double host_s, const char *part)
{
    (void)ctx;
    cli_live_line("%.0f s, %s", host_s, part != NULL ? part : "waiting for the target");
}

static void on_upload(void *ctx, char phase, uint32_t done, uint32_t total, uint32_t rate)
{
    cli_progress_show(&((struct screen *)ctx)->upload, phase, done, total, rate);
}

struct result {
    const struct mpj_selftest *test;
    const struct selftest_about *about;
};

static int put_json(const void *what, FILE *f, struct mpj_err *err)
{
    const struct result *const r = what;

    return selftest_json(r->test, r->about, f, err);
}

/* Shows the result, and writes its JSON; that of a test that failed to failed_json. */
static int show(const struct selftest_options *o, const struct selftest_about *about,
                const char *failed_json, struct mpj_err *err)
{
    const struct result result = {o->run.test, about};

    if (!cli_quiet() && !cli_is_stdout(o->json))
        selftest_text(o->run.test, about, o->all, stdout);
    fflush(stdout);
    if (o->json == NULL)
        return MPJ_E_OK;
    if (cli_is_stdout(o->json))
        return put_json(&result, stdout, err);
    return about->failure != NULL ? mpj_file_replace(failed_json, put_json, &result, err)
                                  : mpj_file_write(o->json, put_json, &result, err);
}

/* Adds the name of the JSON to the error, after that of the log if there is one. */
static void say_kept(struct mpj_err *err, const struct selftest_options *o, const char *json)
{
    const size_t n = strlen(err->text);

    if (o->run.failed == NULL || strstr(err->text, o->run.failed) == NULL)
        run_say_kept(err, json);
    else
        snprintf(err->text + n, sizeof(err->text) - n, ", %s", json);
}

static int check_files(const struct selftest_options *o, const char *failed_json,
                       struct mpj_err *err)
{
    struct cli_files files = {.n = 0};
    const struct run_inputs reads = cli_files_inputs(&files);
    int result;

    cli_file(&files, o->run.o.store, CLI_WRITTEN | CLI_GROWS);
    cli_file(&files, o->json, CLI_WRITTEN);
    cli_file(&files, failed_json, CLI_MADE | CLI_OWN);
    result = run_inputs_options(&reads, &o->run.o, err);
    if (result == MPJ_E_OK)
        result = cli_files_check(&files, err);
    cli_files_free(&files);
    return result;
}

static int test(struct selftest_options *o)
{
    struct run_selftest *const t = &o->run;
    struct screen screen = {.upload = {.quiet = !cli_shows_progress()}};
    const struct run_selftest_watch watch = {
        .progress = on_progress, .upload = on_upload, .ctx = &screen};
    struct selftest_about about = {0};
    struct mpj_err err;
    struct mpj_err late;
    unsigned count[MPJ_SELFTEST_VERDICTS];
    const bool file = o->json != NULL && !cli_is_stdout(o->json);
    char *const failed_json = file ? run_failed_name(o->json) : NULL;
    int status = 0;
    int result;

    result = file && failed_json == NULL ? mpj_err_nomem(&err) : check_files(o, failed_json, &err);
    if (result == MPJ_E_OK)
        result = run_selftest_prepare(t, &err);
    if (result == MPJ_E_OK)
        result = run_selftest(t, &watch, &err);
    cli_progress_end(&screen.upload);
    cli_live_clear();
    about.target = run_target_is_board(&t->target) ? t->target.name : "emulator";
    about.calibration = run_target_calibration(&t->target);
    about.firmware_sha256 = t->image.sha256;
    about.cores = t->result.cores;
    about.clock_hz = t->result.clock_hz;
    about.bit_rate = run_target_is_board(&t->target) ? t->result.rate : 0;
    about.failure = result == MPJ_E_OK ? NULL : err.text;
    if (t->result.have_hello && show(o, &about, failed_json, &late) != MPJ_E_OK) {
        cli_fail(&late);
        status = CLI_FAILURE;
    } else if (t->result.have_hello && about.failure != NULL && failed_json != NULL) {
        say_kept(&err, o, failed_json);
    }
    if (result != MPJ_E_OK)
        status = run_target_is_board(&t->target) ? cli_fail_board(&err) : cli_fail(&err);
    else if (status == 0 && !mpj_selftest_count(t->test, count))
        status = 1;
    run_selftest_release(t);
    free(failed_json);
    return status;
}

int cmd_selftest(int argc, char **argv)
{
    static char name[] = "mpjoule selftest";
    static const struct argp_option known[] = {
        {"adc", KEY_ADC, "ADDRESS", 0, "Try this address of the power ADC's first register", 0},
        {"all", 'a', NULL, 0, "Show the firmware's notes even if every item is ok", 0},
        {"board", KEY_BOARD, "NAME", 0, "Board to emulate (default " TILE_BOARD_DEFAULT ")", 0},
        {"boards", 'b', "FILE", 0, "List of boards (see `mpjoule help boards`)", 0},
        {"calibration", KEY_CALIBRATION, "NAME", 0,
         "Calibration of the emulated chip (default: the board's); " RUN_NO_MODEL ": any QEMU", 0},
        {"json", KEY_JSON, "FILE", 0, "Also write the result as JSON (-: instead of the table)", 0},
        {"line-bytes", KEY_BYTES, "N", 0,
         "Length of the test pattern over the line, each way (default 16384)", 0},
        {"output", 'o', "FILE", 0, "Keep the raw log in this file", 0},
        {"timeout", KEY_TIMEOUT, "S", 0, "Give up after S seconds (default 120)", 0},
        {"wait", 'w', "S", 0, "Wait up to S seconds for a busy board (default 0)", 0},
        {0},
    };
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .args_doc = "[BOARD|PORT|emulator]",
        .doc = "Compare a target with the firmware's assumptions. See `mpjoule help selftest`."};
    static struct selftest_options o = {.run = {.bytes = DEFAULT_BYTES}};
    struct cli_options usual;

    cli_options_init(&usual);
    o.run.o = usual.run;
    o.run.o.sample_us = TILE_SAMPLE_US_DEFAULT;
    o.run.o.timeout_s = DEFAULT_TIMEOUT_S;
    cli_arguments(&argp, argc, argv, name, &o);
    return test(&o);
}
