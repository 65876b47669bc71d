/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule record: an ADC log, of a board left alone or beside a program. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "record.h"

#define PERIOD_DEFAULT_MS (TILE_SAMPLE_US_DEFAULT / 1000U)
#define PERIOD_MOST_MS    1000
#define FOR_MOST_S        2000000 /* what 31 bits of milliseconds hold, and three weeks */
#define SIM_ASK_MS        1000
#define SILENCE_S         30 /* a recording says something every second */

enum key {
    KEY_PERIOD = 256,
    KEY_FOR,
    KEY_CSV,
    KEY_MARKS,
    KEY_ASK,
};

/* ---- options ---------------------------------------------------------------- */

/* A length of time in seconds: a number with ms, s, m or h behind it. */
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

static void period(struct argp_state *state, struct record *r, const char *arg)
{
    const double ms = duration(state, "--period", arg, 1e-3) * 1e3;
    const unsigned n = ms > 0 && ms <= PERIOD_MOST_MS ? (unsigned)(ms + 0.5) : 0;

    if (n == 0 || ms - n > 1e-6 || n - ms > 1e-6)
        argp_error(state, "--period takes whole milliseconds from 1ms to 1s, not \"%s\"", arg);
    r->run.o.sample_us = n * 1000U;
}

static void add_argument(struct argp_state *state, struct record *r, char *arg)
{
    struct options *const o = &r->run.o;

    if (o->target == NULL) {
        o->target = arg;
        return;
    }
    if (o->elf == NULL) {
        o->elf = arg;
        r->beside = true;
        arg = strrchr(arg, '/') != NULL ? strrchr(arg, '/') + 1 : arg;
    }
    if (o->argc + 1 >= sizeof(o->argv) / sizeof(o->argv[0]))
        argp_error(state, "too many arguments");
    o->argv[o->argc++] = arg;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct record *const r = state->input;
    struct options *const o = &r->run.o;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        state->child_inputs[0] = state->child_inputs[1] = o;
        return 0;
    case KEY_PERIOD:
        period(state, r, arg);
        return 0;
    case KEY_FOR:
        r->for_s = duration(state, "--for", arg, 1.0);
        if (r->for_s < 1e-3 || r->for_s > FOR_MOST_S)
            argp_error(state, "--for takes 1ms to %dh, not \"%s\"", FOR_MOST_S / 3600, arg);
        return 0;
    case KEY_CSV:
        r->csv = arg;
        return 0;
    case KEY_MARKS:
        r->marks = true;
        return 0;
    case KEY_ASK:
        r->ask_ms = (unsigned)cli_whole(state, "--ask", arg, 0, 1000000);
        r->ask_given = true;
        return 0;
    case 'o':
        o->store = arg;
        return 0;
    case ARGP_KEY_ARG:
        add_argument(state, r, arg);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which target? A board of `mpjoule boards`, a port, or sim");
        return 0;
    case ARGP_KEY_END:
        if (!r->beside && (o->dir != NULL || o->input != NULL || o->envc > 0))
            argp_error(state, "--dir, --stdin and --env are for a program: name one");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option known[] = {
    {"output", 'o', "FILE", 0, "The log (default record.mplog)", 0},
    {"period", KEY_PERIOD, "TIME", 0, "Between samples, 1ms to 1s (default 10ms)", 0},
    {"for", KEY_FOR, "TIME", 0, "How long, as in 90s, 20m, 8h (default: until Ctrl-C)", 0},
    {"marks", KEY_MARKS, NULL, 0, "Lines on stdin are marks (default: on a terminal)", 0},
    {"csv", KEY_CSV, "FILE", 0, "Also write the samples as CSV (-: instead of the report)", 0},
    {"ask", KEY_ASK, "MS", 0,
     "Without a program: the target asks for marks and the end, not only listens; for emulated "
     "targets (default for sim: 1000; else 0, never)",
     0},
    {0},
};

/* ---- preparing ---------------------------------------------------------------- */

static int paths(struct record *r, struct mpj_err *err)
{
    struct options *const o = &r->run.o;
    const size_t len = strlen(o->store);
    const size_t stem = len > 6 && strcmp(o->store + len - 6, ".mplog") == 0 ? len - 6 : len;

    if (asprintf(&r->errors, "%.*s.emulator.log", (int)stem, o->store) < 0)
        r->errors = NULL;
    r->run.qemu = cli_path_qemu();
    if (!run_on_board(&r->run))
        r->run.calibration = cli_path_calibration(o->calibration);
    if (r->errors == NULL || r->run.qemu == NULL ||
        (!run_on_board(&r->run) && r->run.calibration == NULL))
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    return MPJ_E_OK;
}

/* Our own program, that does nothing but let the sampler run. */
static int recorder(struct record *r, struct mpj_err *err)
{
    struct options *const o = &r->run.o;
    char *const folder = cli_path_firmware();
    int n = -1;

    if (folder != NULL)
        n = asprintf(&r->elf, "%s/apps/recorder.elf", folder);
    free(folder);
    if (n < 0) {
        r->elf = NULL;
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    }
    if (!r->ask_given && !run_on_board(&r->run))
        r->ask_ms = SIM_ASK_MS;
    snprintf(r->length, sizeof(r->length), "%.0f", r->for_s * 1e3);
    snprintf(r->ask, sizeof(r->ask), "%u", r->ask_ms);
    o->elf = r->elf;
    o->argv[o->argc++] = "recorder";
    o->argv[o->argc++] = r->length;
    o->argv[o->argc++] = r->ask;
    return MPJ_E_OK;
}

static int prepare(struct record *r, struct mpj_err *err)
{
    struct options *const o = &r->run.o;

    if (run_find_target(&r->run, err) != MPJ_E_OK)
        return err->code;
    if (o->calibration == NULL && !run_on_board(&r->run))
        o->calibration = RUN_CALIBRATION;
    if (!run_on_board(&r->run) && strcmp(o->calibration, RUN_NO_MODEL) == 0)
        return mpj_err_set(err, MPJ_E_USAGE, "without a model there is nothing to record");
    if (paths(r, err) != MPJ_E_OK || (!r->beside && recorder(r, err) != MPJ_E_OK) ||
        mpj_image_check(&r->run.image, o->elf, err) != MPJ_E_OK)
        return err->code;
    if (cli_check_output(o->json, err) != MPJ_E_OK || cli_check_output(r->csv, err) != MPJ_E_OK)
        return err->code;
    r->silence_s = run_on_board(&r->run) ? SILENCE_S : 0;
    return run_take_target(&r->run, err);
}

/* ---- afterwards --------------------------------------------------------------- */

static void check_clock(struct mpj_energy *e, const struct record *r)
{
    struct mpj_drift_result d;

    if (!run_on_board(&r->run))
        mpj_energy_add_check(e, "clock", MPJ_CHECK_OK,
                             "modelled time: this machine's clock says nothing about it");
    else if (!mpj_drift_get(&r->drift, &d))
        mpj_energy_add_check(e, "clock", MPJ_CHECK_OK,
                             "too short to compare the board's with this machine's");
    else if (d.speed < 0.99 || d.speed > 1.01)
        mpj_energy_add_check(e, "clock", MPJ_CHECK_DOUBT,
                             "the board's second is not ours (%.3g to one): an emulator? Drift "
                             "not estimated",
                             d.speed);
    else
        mpj_energy_add_check(
            e, "clock", d.ppm > 1000 || d.ppm < -1000 ? MPJ_CHECK_DOUBT : MPJ_CHECK_OK,
            "the board's runs %.1f ppm %s than this machine's (+-%.1f, over "
            "%.0f s); times are the board's",
            d.ppm < 0 ? -d.ppm : d.ppm, d.ppm < 0 ? "slower" : "faster", d.error, d.span_s);
}

static int to_file(const char *path, int (*put)(void *, FILE *, struct mpj_err *), void *what,
                   struct mpj_err *err)
{
    FILE *f;
    int result;

    if (cli_is_stdout(path))
        return put(what, stdout, err);
    f = fopen(path, "we");
    if (f == NULL)
        return mpj_err_errno(err, "cannot create %s", path);
    result = put(what, f, err);
    if (fclose(f) != 0 && result == MPJ_E_OK)
        result = mpj_err_errno(err, "cannot write %s", path);
    return result;
}

static int put_json(void *what, FILE *f, struct mpj_err *err)
{
    return mpj_energy_json(what, f, err);
}

static int put_csv(void *what, FILE *f, struct mpj_err *err)
{
    return mpj_energy_samples(what, false, f, err);
}

/* --json and --csv: those that go to stdout, or the others. */
static int write_files(const struct record *r, struct mpj_energy *e, bool to_stdout,
                       struct mpj_err *err)
{
    const struct options *const o = &r->run.o;
    int result = MPJ_E_OK;

    if (o->json != NULL && cli_is_stdout(o->json) == to_stdout)
        result = to_file(o->json, put_json, e, err);
    if (result == MPJ_E_OK && r->csv != NULL && cli_is_stdout(r->csv) == to_stdout)
        result = to_file(r->csv, put_csv, (void *)(uintptr_t)o->store, err);
    return result;
}

/* What the file now holds. failed: it ended early; that much of it is good. */
static int publish(struct record *r, bool failed, struct mpj_err *err)
{
    const struct options *const o = &r->run.o;
    const bool instead = record_fills_stdout(r);
    struct mpj_energy *e = NULL;
    struct mpj_err late;
    int result = mpj_energy_load(&e, o->store, NULL, NULL, err);
    int shown = MPJ_E_OK;

    if (result != MPJ_E_OK)
        return result;
    check_clock(e, r);
    if (failed && e->samples > 0 && r->run.output != EPIPE)
        fprintf(stderr, "mpjoule: %s holds %.3f s, %" PRIu64 " samples\n", o->store, e->time_s,
                e->samples);
    for (unsigned i = 0; i < e->checks && !failed; i++) {
        if (e->check[i].verdict == MPJ_CHECK_BAD)
            fprintf(stderr, "mpjoule: %s: %s\n", e->check[i].name, e->check[i].text);
    }
    result = write_files(r, e, false, err);
    if (result == MPJ_E_OK && o->compress)
        result = mpj_log_compress(o->store, err);
    run_restore_pipe(); /* all else is done: nobody need be reading what goes to stdout */
    if (!failed && !o->quiet && !instead)
        shown = mpj_energy_text(e, stdout, result == MPJ_E_OK ? err : &late);
    else if (instead)
        shown = write_files(r, e, true, result == MPJ_E_OK ? err : &late);
    result = result == MPJ_E_OK ? shown : result;
    mpj_energy_free(e);
    return result;
}

static void warn(const struct record *r)
{
    const struct mpj_session_result *const s = &r->result;

    if (s->no_notes)
        fprintf(stderr, "mpjoule: the program's runtime takes no marks: build it again with "
                        "`mpjoule cc`\n");
    else if (s->notes > s->notes_back)
        fprintf(stderr, "mpjoule: %u of %u marks did not reach the target in time\n",
                s->notes - s->notes_back, s->notes);
    for (uint32_t i = 0; s->have_dropped && i < s->dropped.count; i++)
        fprintf(stderr,
                "mpjoule: the target had no memory for %" PRIu64 " records of kind 0x%02x\n",
                s->dropped.d[i].records, s->dropped.d[i].kind);
}

int cmd_record(int argc, char **argv)
{
    static char name[] = "mpjoule record"; /* what argp calls us */
    static const struct argp_child common[] = {
        {&run_target_argp, 0, NULL, 0}, {&run_program_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .children = common,
        .args_doc = "TARGET [app.elf [-- ARGS]]",
        .doc = "Log the ADC of a target, alone or beside a program. See `mpjoule help record`."};
    static struct record r = {.run = {.o = {.cores_mask = (1U << MPJ_CORES_MAX) - 1U,
                                            .sample_us = PERIOD_DEFAULT_MS * 1000U,
                                            .quantum = TILE_QUANTUM_DEFAULT,
                                            .seed = TILE_SEED_DEFAULT,
                                            .store = "record.mplog"}}};
    struct mpj_err err;
    struct mpj_err late;
    bool unread;
    int status = CLI_FAILURE;
    int result;

    argv[0] = name;
    argp_err_exit_status = CLI_FAILURE;
    argp_parse(&argp, argc, argv, 0, NULL, &r);

    result = prepare(&r, &err);
    if (result == MPJ_E_OK) {
        result = record_run(&r, &err);
        warn(&r);
    }
    unread = r.run.output == EPIPE && (result == MPJ_E_OK || result == MPJ_E_CANCELLED);
    if (result == MPJ_E_OK) {
        result = publish(&r, false, &err);
        status = r.result.end.exit_status & 0xff;
    } else if (r.made) {
        if (!unread)
            status = run_on_board(&r.run) ? cli_fail_board(&err) : cli_fail(&err);
        (void)publish(&r, true, &late); /* a log without a sample says no more than we did */
        result = MPJ_E_OK;
    }
    if (unread)
        run_end_unread();
    if (result == MPJ_E_OK && r.run.output != 0)
        result = mpj_err_set(&err, MPJ_E_IO, "cannot write what the program prints: %s",
                             strerror(r.run.output));
    if (result != MPJ_E_OK)
        status = run_on_board(&r.run) ? cli_fail_board(&err) : cli_fail(&err);
    free(r.elf);
    free(r.errors);
    free(r.run.qemu);
    free(r.run.calibration);
    run_release_target(&r.run);
    return status;
}
