/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule record: an ADC log, of a board left alone or while a program runs. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/stop.h"
#include "cli.h"
#include "cli_options.h"
#include "commands.h"
#include "run/recipe.h"
#include "run/record.h"
#include "upload_show.h"

#define PERIOD_DEFAULT_MS (TILE_SAMPLE_US_DEFAULT / 1000U)
#define PERIOD_MOST_MS    1000
#define FOR_MOST_S        2000000 /* what 31 bits of milliseconds hold, and three weeks */

enum key {
    KEY_PERIOD = 256,
    KEY_FOR,
    KEY_CSV,
    KEY_MARKS,
    KEY_ASK,
};

struct record_options {
    struct cli_options cli;
    struct run_record run; /* its o is filled from cli.run */
    const char *csv;       /* file; "-": stdout; NULL: none */
    bool incomplete;       /* the recording ended well, and yet it lacks samples or a part */
};

/* ---- options ---------------------------------------------------------------- */

/* Parses a duration, in seconds: a number with a suffix ms, s, m or h. */
static double duration(struct argp_state *state, const char *name, const char *arg, double unit)
{
    static const struct {
        const char *text;
        double s;
    } units[] = {{"ms", 1e-3}, {"s", 1.0}, {"m", 60.0}, {"min", 60.0}, {"h", 3600.0}};
    char *end;
    const double v = strtod(arg, &end);
    bool known = *end == '\0';

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(end, units[i].text) == 0) {
            unit = units[i].s;
            known = true;
        }
    }
    if (*arg == '\0' || end == arg || !known || !(v >= 0))
        argp_error(state, "%s takes a time, as in 10ms, 1s, 20m or 2h, not \"%s\"", name, arg);
    return v * unit;
}

static void period(struct argp_state *state, struct record_options *r, const char *arg)
{
    const double ms = duration(state, "--period", arg, 1e-3) * 1e3;
    const unsigned n = ms > 0 && ms <= PERIOD_MOST_MS ? (unsigned)(ms + 0.5) : 0;

    if (n == 0 || ms - n > 1e-6 || n - ms > 1e-6)
        argp_error(state, "--period takes whole milliseconds from 1ms to 1s, not \"%s\"", arg);
    r->cli.run.sample_us = n * 1000U;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct record_options *const r = state->input;
    struct run_options *const o = &r->cli.run;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        state->child_inputs[0] = state->child_inputs[1] = &r->cli;
        return 0;
    case KEY_PERIOD:
        period(state, r, arg);
        return 0;
    case KEY_FOR:
        r->run.for_s = duration(state, "--for", arg, 1.0);
        if (r->run.for_s < 1e-3 || r->run.for_s > FOR_MOST_S)
            argp_error(state, "--for takes 1ms to %dh, not \"%s\"", FOR_MOST_S / 3600, arg);
        return 0;
    case KEY_CSV:
        r->csv = arg;
        return 0;
    case KEY_MARKS:
        r->run.marks = true;
        return 0;
    case KEY_ASK:
        r->run.ask_ms = (unsigned)cli_whole(state, "--ask", arg, 0, 1000000);
        r->run.ask_given = true;
        return 0;
    case 'o':
        o->store = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (o->target == NULL)
            o->target = arg;
        else
            cli_program(state, o, arg);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no target given: a board of `mpjoule boards`, a port, or sim");
        return 0;
    case ARGP_KEY_END:
        if (o->elf == NULL && (o->dir != NULL || o->input != NULL || o->envc > 0))
            argp_error(state, "--dir, --stdin and --env need a program: pass its ELF file");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option known[] = {
    {"output", 'o', "FILE", 0, "Raw log (default record.mplog)", 0},
    {"period", KEY_PERIOD, "TIME", 0, "Time between samples, 1ms to 1s (default 10ms)", 0},
    {"for", KEY_FOR, "TIME", 0, "Duration, such as 90s, 20m, 8h (default: until Ctrl-C)", 0},
    {"marks", KEY_MARKS, NULL, 0, "Lines on stdin are marks (default: on a terminal)", 0},
    {"csv", KEY_CSV, "FILE", 0, "Also write the samples as CSV (-: instead of the report)", 0},
    {"ask", KEY_ASK, "MS", 0,
     "Without a program: the target polls the host for marks and the end every MS milliseconds; "
     "for emulated targets (default for sim: 1000; else 0, never)",
     0},
    {0},
};

/* ---- while it runs ------------------------------------------------------------ */

/* State of the display of a recording. */
struct screen {
    const struct record_options *o;
    struct cli_progress upload;
};

/* True if JSON or samples take stdout. */
static bool fills_stdout(const struct record_options *o)
{
    return cli_is_stdout(o->cli.json) || cli_is_stdout(o->csv);
}

static int on_console(void *ctx, int stream, const void *data, size_t len)
{
    const struct screen *const s = ctx;
    FILE *const f = stream == 1 && !fills_stdout(s->o) ? stdout : stderr;

    cli_live_clear();
    return cli_print(f, data, len);
}

static void on_progress(void *ctx, struct run_record_live *l, uint32_t hz)
{
    char lost[32] = "";

    (void)ctx;
    if (!cli_shows_progress() || l->n == 0)
        return;
    if (l->lost > 0)
        snprintf(lost, sizeof(lost), ", %" PRIu64 " lost", l->lost);
    cli_live_line("%10.3f s  %.4f V %8.2f mA %8.2f mW %12.3f mJ  %" PRIu64 " samples%s",
                  (double)(l->last - l->first) / hz, l->sum_v / l->n, l->sum_i / l->n * 1e3,
                  l->sum_p / l->n * 1e3, l->energy_uj / 1e3, l->samples, lost);
    l->n = 0;
    l->sum_v = l->sum_i = l->sum_p = 0.0;
}

static void on_mark(void *ctx, double time_s, const char *text)
{
    char shown[MPJ_NOTE_MAX + 1];

    (void)ctx;
    if (!cli_shows_progress())
        return;
    cli_live_clear();
    snprintf(shown, sizeof(shown), "%s", text);
    mpj_text_clean(shown); /* a pipe may say anything */
    fprintf(stderr, "%10.3f s  %s\n", time_s, shown);
}

static void on_done(void *ctx)
{
    cli_progress_end(&((struct screen *)ctx)->upload);
    cli_live_clear();
}

static void on_upload(void *ctx, char phase, uint32_t done, uint32_t total, uint32_t rate)
{
    cli_progress_show(&((struct screen *)ctx)->upload, phase, done, total, rate);
}

/* ---- afterwards --------------------------------------------------------------- */

static void check_clock(struct mpj_energy *e, const struct run_record *r)
{
    struct mpj_drift_result d;

    if (!run_target_is_board(&r->target))
        mpj_energy_add_check(e, "clock", MPJ_CHECK_OK,
                             "modelled time: not comparable with this machine's clock");
    else if (!mpj_drift_get(&r->result.drift, &d))
        mpj_energy_add_check(e, "clock", MPJ_CHECK_OK,
                             "too short to compare the board's clock with this machine's");
    else if (d.speed < 0.99 || d.speed > 1.01)
        mpj_energy_add_check(e, "clock", MPJ_CHECK_DOUBT,
                             "the board's clock runs at %.3g times the speed of this machine's: an "
                             "emulator? Drift not estimated",
                             d.speed);
    else
        mpj_energy_add_check(
            e, "clock", d.ppm > 1000 || d.ppm < -1000 ? MPJ_CHECK_DOUBT : MPJ_CHECK_OK,
            "the board's clock runs %.1f ppm %s than this machine's (+-%.1f, over %.0f s); times "
            "are the board's",
            d.ppm < 0 ? -d.ppm : d.ppm, d.ppm < 0 ? "slower" : "faster", d.error, d.span_s);
}

static int put_json(const void *what, FILE *f, struct mpj_err *err)
{
    return mpj_energy_json(what, f, err);
}

static int put_csv(const void *what, FILE *f, struct mpj_err *err)
{
    return mpj_energy_samples(what, false, f, err);
}

static int to_file(const char *path, mpj_file_put *put, const void *what, struct mpj_err *err)
{
    return cli_is_stdout(path) ? put(what, stdout, err) : mpj_file_write(path, put, what, err);
}

/* Writes the outputs of --json and --csv: those that go to stdout, or the others. */
static int write_files(const struct record_options *o, const struct mpj_energy *e, bool to_stdout,
                       struct mpj_err *err)
{
    int result = MPJ_E_OK;

    if (o->cli.json != NULL && cli_is_stdout(o->cli.json) == to_stdout)
        result = to_file(o->cli.json, put_json, e, err);
    if (result == MPJ_E_OK && o->csv != NULL && cli_is_stdout(o->csv) == to_stdout)
        result = to_file(o->csv, put_csv, o->cli.run.store, err);
    return result;
}

/* True if a check shows that the recording is incomplete. A program shorter than a sample has none
 * to lose. */
static bool is_missing(const struct mpj_energy *e, const struct mpj_energy_check *c)
{
    return c->verdict == MPJ_CHECK_BAD &&
           (strcmp(c->name, "file") == 0 ||
            (strcmp(c->name, "samples") == 0 && (e->samples > 0 || e->time_s >= 1.0)));
}

/* True if the log is a pipe or a device, from which it cannot be read again. */
static bool is_passed_on(const char *log)
{
    struct stat st;

    return stat(log, &st) == 0 && !S_ISREG(st.st_mode);
}

/* Shows the content of the file. failed: it ended early; its content up to there is good. */
static int publish(struct record_options *o, bool failed, struct mpj_err *err)
{
    const bool kept = o->run.made == RUN_MADE_FAILED;
    const char *const log = kept ? o->run.failed : o->cli.run.store;
    const bool instead = fills_stdout(o);
    struct mpj_energy *e = NULL;
    struct mpj_err late;
    int result = MPJ_E_OK;
    int shown = MPJ_E_OK;

    if (is_passed_on(log))
        return MPJ_E_OK;
    result = mpj_energy_load(&e, log, NULL, NULL, err);
    if (result != MPJ_E_OK)
        return result;
    check_clock(e, &o->run);
    if (failed && e->samples > 0 && o->run.output != EPIPE)
        cli_note("%s holds %.3f s, %" PRIu64 " samples", log, e->time_s, e->samples);
    for (unsigned i = 0; i < e->checks && !failed; i++) {
        if (e->check[i].verdict == MPJ_CHECK_BAD)
            fprintf(stderr, "mpjoule: %s: %s\n", e->check[i].name, e->check[i].text);
        o->incomplete |= is_missing(e, &e->check[i]);
    }
    if (!kept)
        result = write_files(o, e, false, err);
    if (result == MPJ_E_OK && !kept && o->cli.compress)
        result = mpj_log_compress(log, err);
    mpj_pipe_restore(); /* all else is done: stdout need not have a reader */
    if (!failed && !cli_quiet() && !instead)
        shown = mpj_energy_text(e, stdout, result == MPJ_E_OK ? err : &late);
    else if (instead && !kept)
        shown = write_files(o, e, true, result == MPJ_E_OK ? err : &late);
    result = result == MPJ_E_OK ? shown : result;
    mpj_energy_free(e);
    return result;
}

static void warn(const struct run_record *r)
{
    const struct mpj_session_result *const s = &r->result;

    if (s->no_notes)
        fprintf(stderr, "mpjoule: the program's runtime does not support marks: build it again "
                        "with `mpjoule cc`\n");
    else if (s->notes > s->notes_back)
        fprintf(stderr, "mpjoule: %u of %u marks did not reach the target in time\n",
                s->notes - s->notes_back, s->notes);
    if (s->have_dropped)
        cli_dropped(&s->dropped);
}

static int prepare(struct record_options *o, struct mpj_err *err)
{
    struct cli_files *const files = &o->cli.files;
    const struct run_inputs reads = cli_files_inputs(files);

    o->run.o = o->cli.run;
    if (run_name_check(o->run.o.store, err) != MPJ_E_OK)
        return err->code;
    if (is_passed_on(o->run.o.store) && (o->cli.json != NULL || o->csv != NULL || o->cli.compress))
        return mpj_err_set(
            err, MPJ_E_USAGE,
            "%s is not a regular file: --json, --csv and --compress need one, to read "
            "the recording again",
            o->run.o.store);
    cli_file(files, o->run.o.store, CLI_MADE | CLI_GROWS);
    cli_file(files, o->cli.json, CLI_WRITTEN);
    cli_file(files, o->csv, CLI_WRITTEN);
    if (run_inputs_options(&reads, &o->run.o, err) != MPJ_E_OK ||
        cli_files_check(files, err) != MPJ_E_OK || run_record_prepare(&o->run, err) != MPJ_E_OK)
        return err->code;
    cli_file(files, o->run.errors, CLI_MADE | CLI_GROWS); /* the emulator's output */
    cli_file(files, o->run.failed, CLI_MADE | CLI_OWN);
    cli_file(files, o->run.failed_errors, CLI_MADE | CLI_OWN);
    return cli_files_check(files, err);
}

static int failure(const struct run_record *r, const struct mpj_err *err)
{
    return run_target_is_board(&r->target) ? cli_fail_board(err) : cli_fail(err);
}

int cmd_record(int argc, char **argv)
{
    static char name[] = "mpjoule record"; /* what argp calls us */
    static const struct argp_child common[] = {
        {&cli_target_argp, 0, NULL, 0}, {&cli_program_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .children = common,
        .args_doc = "TARGET [app.elf [-- ARGS]]",
        .doc =
            "Log the ADC of a target, alone or while a program runs. See `mpjoule help record`."};
    static struct record_options o;
    struct run_record *const r = &o.run;
    struct screen screen = {.o = &o};
    const struct run_record_watch watch = {.console = on_console,
                                           .progress = on_progress,
                                           .mark = on_mark,
                                           .done = on_done,
                                           .upload = on_upload,
                                           .ctx = &screen};
    struct mpj_err err;
    struct mpj_err late;
    bool unread;
    int status = CLI_FAILURE;
    int result;

    cli_options_init(&o.cli);
    o.cli.run.target = NULL;
    o.cli.run.sample_us = PERIOD_DEFAULT_MS * 1000U;
    o.cli.run.store = "record.mplog";
    cli_arguments(&argp, argc, argv, name, &o);
    screen.upload.quiet = !cli_shows_progress();

    result = prepare(&o, &err);
    if (result == MPJ_E_OK) {
        result = run_record(r, &watch, &err);
        warn(r);
    }
    unread = r->output == EPIPE && (result == MPJ_E_OK || result == MPJ_E_CANCELLED);
    if (result == MPJ_E_OK) {
        result = publish(&o, false, &err);
        status = o.incomplete ? CLI_FAILURE : (int)(r->result.end.exit_status & 0xff);
    } else if (r->made != RUN_MADE_NOTHING) {
        if (r->made == RUN_MADE_FAILED)
            cli_append_kept(&err, r->failed);
        if (!unread)
            status = failure(r, &err);
        (void)publish(&o, true, &late); /* a log without a sample says no more than we did */
        result = MPJ_E_OK;
    }
    if (unread)
        cli_end_unread();
    if (result == MPJ_E_OK && r->output != 0)
        result = mpj_err_set(&err, MPJ_E_IO, "cannot write the program's output: %s",
                             strerror(r->output));
    if (result != MPJ_E_OK)
        status = failure(r, &err);
    run_record_release(r);
    cli_files_free(&o.cli.files);
    return status;
}
