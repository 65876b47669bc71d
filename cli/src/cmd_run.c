/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule run: run a program on a target, record it, report. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assume.h"
#include "base/file.h"
#include "base/stop.h"
#include "base/tempdir.h"
#include "cli.h"
#include "cli_options.h"
#include "commands.h"
#include "hil/target.h"
#include "learned.h"
#include "printed.h"
#include "report/report.h"
#include "run/energy_model.h"
#include "run/passes.h"
#include "run/paths.h"
#include "run/recipe.h"
#include "run_check.h"
#include "seeds.h"
#include "spread.h"
#include "upload_show.h"

#define DEFAULT_TIMEOUT_S 300
#define TIMEOUT_UNSAID    UINT_MAX
#define GDB_SOCKET        "gdb" /* in a private folder, unless --gdb names one */
#define DEFAULT_SAMPLE_US ((uint32_t)TILE_SAMPLE_US_DEFAULT)

enum key {
    KEY_CORES = 256,
    KEY_EVENTS,
    KEY_GROUP,
    KEY_ALL_EVENTS,
    KEY_NO_COUNTERS,
    KEY_RETRIES,
    KEY_NO_THREADS,
    KEY_MODEL,
    KEY_ROTATE,
    KEY_OVERHEAD,
    KEY_FUNCTIONS,
    KEY_MOMENTS,
    KEY_INSTRUCTIONS,
    KEY_WAVEFORM,
    KEY_BOUND,
    KEY_GDB,
    KEY_WHAT_IF,
    KEY_METER,
    KEY_STDOUT,
    KEY_STDERR,
    KEY_PREDICTOR,
    KEY_ASSUMPTIONS,
    KEY_SVG,
    KEY_LEARNED,
    KEY_SPREAD,
    KEY_SEEDS,
};

/* ---- options ---------------------------------------------------------------- */

/* Parses cores into a mask: "3" is cores 0 to 2; "0,2" or "0-1,3" name them. */
static uint32_t cores(struct argp_state *state, const char *arg)
{
    uint32_t mask = 0;
    const char *p = arg;

    if (arg[0] >= '1' && arg[0] <= '0' + (int)MPJ_CORES_MAX && arg[1] == '\0')
        return (1U << (unsigned)(arg[0] - '0')) - 1U;
    while (*p >= '0' && *p < '0' + (int)MPJ_CORES_MAX) {
        unsigned first = (unsigned)(*p++ - '0');
        unsigned last = first;
        if (p[0] == '-' && p[1] >= '0' && p[1] < '0' + (int)MPJ_CORES_MAX) {
            last = (unsigned)(p[1] - '0');
            p += 2;
        }
        for (; first <= last; first++)
            mask |= 1U << first;
        if (*p != ',')
            break;
        p++;
    }
    if (*p != '\0' || strpbrk(arg, ",-") == NULL || !(mask & 1U))
        argp_error(state,
                   "--cores takes a number from 1 to %u, or a list with core 0 in it, as in "
                   "0,2 or 0-1,3; not \"%s\"",
                   MPJ_CORES_MAX, arg);
    return mask;
}

/* Adds a counter group: its events are counted, its metrics shown. */
static void add_group(struct argp_state *state, struct cli_options *c, const char *name)
{
    struct mpj_err err;

    if (c->groups == CLI_GROUPS_MAX)
        argp_error(state, "--group is allowed at most %d times", CLI_GROUPS_MAX);
    if (cli_group(&c->group[c->groups], name, &err) != MPJ_E_OK)
        argp_error(state, "%s", err.text);
    for (unsigned i = 0; i < MPJ_PLAN_EVENTS_MAX; i++)
        c->run.selection.want[i] = c->run.selection.want[i] || c->group[c->groups]->want[i];
    c->groups++;
    c->run.events = true;
}

/* Sets the sampling period: events are multiplexed when the ADC is read, each time or every few
 * times. */
static void sampling(struct argp_state *state, struct run_options *o)
{
    if (o->sample_us == 0)
        o->sample_us = o->rotate_ms > 0 && o->rotate_ms * 1000U < DEFAULT_SAMPLE_US
                           ? o->rotate_ms * 1000U
                           : DEFAULT_SAMPLE_US;
    cli_rotate_end(state, o);
}

/* Takes the socket of a debugger. A number is what --gdb took before: a TCP port, where any user of
 * this machine could execute commands of the emulator as this one. */
static void debugger(struct argp_state *state, struct run_options *o, const char *arg)
{
    if (arg != NULL && arg[strspn(arg, "0123456789")] == '\0')
        argp_error(state,
                   "--gdb takes the path of a Unix socket, not \"%s\": a port would be open to "
                   "every user of this machine",
                   arg);
    o->gdb = arg != NULL ? arg : "";
}

/* Parses a bound, SECONDS:JOULES. */
static void bound(struct argp_state *state, struct run_options *o, const char *arg)
{
    char *const text = strdup(arg);
    char *const colon = text != NULL ? strchr(text, ':') : NULL;

    if (o->bounds == TILE_BOUNDS_MAX)
        argp_error(state, "--bound is allowed at most %d times", TILE_BOUNDS_MAX);
    if (colon == NULL) {
        argp_error(state, "--bound takes SECONDS:JOULES, of which one may be 0; not \"%s\"", arg);
        free(text);
        return;
    }
    *colon = '\0';
    o->bound[o->bounds].time_s = cli_number(state, "--bound", text, 0, 1e6);
    o->bound[o->bounds++].energy_j = cli_number(state, "--bound", colon + 1, 0, 1e6);
    free(text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct cli_options *const c = state->input;
    struct run_options *const o = &c->run;
    struct mpj_err err;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        for (unsigned i = 0; i < 4; i++)
            state->child_inputs[i] = c;
        return 0;
    case KEY_CORES:
        o->cores_mask = cores(state, arg);
        return 0;
    case KEY_EVENTS:
        if (mpj_selection_parse(&o->selection, arg, &err) != MPJ_E_OK)
            argp_error(state, "%s", err.text);
        o->events = true;
        return 0;
    case KEY_GROUP:
        add_group(state, c, arg);
        return 0;
    case KEY_ALL_EVENTS:
        mpj_selection_all(&o->selection);
        o->events = true;
        return 0;
    case KEY_ROTATE:
        cli_rotate(state, o, arg);
        return 0;
    case KEY_NO_COUNTERS:
        o->no_counters = true;
        return 0;
    case KEY_NO_THREADS:
        o->no_threads = true;
        return 0;
    case KEY_FUNCTIONS:
        o->functions = true;
        return 0;
    case KEY_MOMENTS:
        o->functions = o->moments = true;
        return 0;
    case KEY_INSTRUCTIONS:
        o->instructions = true;
        return 0;
    case KEY_WAVEFORM:
        o->wave_us = (uint32_t)cli_whole(state, "--waveform", arg, 1, 1000000);
        return 0;
    case KEY_BOUND:
        bound(state, o, arg);
        return 0;
    case KEY_METER:
        o->meter = arg;
        return 0;
    case KEY_GDB:
        debugger(state, o, arg);
        return 0;
    case KEY_WHAT_IF:
        if (o->what_ifs == RUN_WHAT_IFS_MAX)
            argp_error(state, "--what-if is allowed at most %d times", RUN_WHAT_IFS_MAX);
        o->what_if[o->what_ifs++] = arg;
        return 0;
    case KEY_OVERHEAD:
        o->overhead = true;
        return 0;
    case KEY_MODEL:
        o->model = arg;
        return 0;
    case KEY_STDOUT:
    case KEY_STDERR:
        if (arg[0] == '\0' || cli_is_stdout(arg))
            argp_error(state, "--std%s takes a file", key == KEY_STDOUT ? "out" : "err");
        printed_set(key == KEY_STDERR ? 2 : 1, arg);
        return 0;
    case KEY_PREDICTOR:
        o->predictor = arg;
        return 0;
    case KEY_ASSUMPTIONS:
        c->assumptions = true;
        return 0;
    case KEY_SVG:
        c->svg = arg;
        return 0;
    case KEY_LEARNED:
        c->learned = arg;
        return 0;
    case KEY_SPREAD:
        c->spread = arg != NULL ? (unsigned)cli_whole(state, "--spread", arg, 2, SPREAD_MAX)
                                : SPREAD_DEFAULT;
        return 0;
    case KEY_SEEDS:
        c->seeds = (unsigned)cli_whole(state, "--seeds", arg, 2, SEEDS_MAX);
        return 0;
    case KEY_RETRIES:
        o->retries = (unsigned)cli_whole(state, "--retries", arg, 0, 100);
        return 0;
    case 'o':
        o->store = arg;
        return 0;
    case ARGP_KEY_ARG:
        cli_program(state, o, arg);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no program given: pass an ELF file");
        return 0;
    case ARGP_KEY_END:
        if (o->no_counters && o->events)
            argp_error(state, "--no-counters cannot be combined with --events or --group");
        if (o->no_counters && o->model != NULL && strcmp(o->model, RUN_MODEL_NONE) != 0)
            argp_error(state,
                       "--no-counters cannot be combined with --model: a model needs counts");
        if (o->rotate && o->no_counters)
            argp_error(state, "--no-counters cannot be combined with --rotate");
        if (o->gdb != NULL && strcmp(o->target, RUN_EMULATOR) != 0)
            argp_error(state, "--gdb needs the emulator; for a board use its JTAG adapter");
        if (o->timeout_s == TIMEOUT_UNSAID) /* a debugger takes its time */
            o->timeout_s = o->gdb != NULL ? 0 : DEFAULT_TIMEOUT_S;
        sampling(state, o);
        run_check_repeated(state, c);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option known[] = {
    {"cores", KEY_CORES, "N|LIST", 0,
     "Cores in use: how many, 1 to 4 (default 4), or which (0,2); the others wait in WFI", 0},
    {"events", KEY_EVENTS, "E,E", 0,
     "Events to count; if they are more than the hardware counts at a time, the run is repeated",
     0},
    {"group", KEY_GROUP, "NAME", 0,
     "Count the events of a counter group and show its metrics (`mpjoule groups`); repeatable", 0},
    {"model", KEY_MODEL, "NAME|FILE", 0,
     "Energy of cores, threads and regions by this model; its events are counted, by repeating the "
     "run. default: the one fitted to target and calibration; none",
     0},
    {"all-events", KEY_ALL_EVENTS, NULL, 0,
     "Count every event, by repeating the run or with --rotate", 0},
    {"rotate", KEY_ROTATE, "MS", OPTION_ARG_OPTIONAL,
     "Multiplex core events within one run: each pair is counted for MS milliseconds (default: the "
     "sampling period) in turn, and counts are scaled up to estimates with coverage and error",
     0},
    {"predictor", KEY_PREDICTOR, "FILE", 0,
     "Predictor of the controller of regions (--env MPJ_ADAPT=...; default: the one trained for "
     "target and calibration)",
     0},
    {"no-counters", KEY_NO_COUNTERS, NULL, 0,
     "Leave the event counters off; energy is still measured", 0},
    {"no-threads", KEY_NO_THREADS, NULL, 0,
     "No accounting of threads, waits and regions (to measure its cost)", 0},
    {"functions", KEY_FUNCTIONS, NULL, 0,
     "Cycles, events and energy of functions and call paths, exactly and without effect on the "
     "program; emulator only",
     0},
    {"moments", KEY_MOMENTS, NULL, 0,
     "--functions, and when threads ran, waited and for what, and executed regions; emulator only",
     0},
    {"instructions", KEY_INSTRUCTIONS, NULL, 0,
     "Executions, cycles, misses and energy of each instruction; emulator only", 0},
    {"waveform", KEY_WAVEFORM, "US", 0,
     "Power and events of each core, power of the rest of the chip, in steps of US microseconds; "
     "emulator only",
     0},
    {"bound", KEY_BOUND, "S:J", 0,
     "End the run when it has reached S seconds and J joules of the processor, by the emulator's "
     "truth; repeatable; emulator only",
     0},
    {"meter", KEY_METER, "COMMAND", 0,
     "External power meter: prints lines of seconds and watts (default: the board's; \"\": none)",
     0},
    {"gdb", KEY_GDB, "SOCKET", OPTION_ARG_OPTIONAL,
     "Wait for a debugger on this Unix socket (default: one in a private folder); breakpoints and "
     "steps change no result; emulator only",
     0},
    {"what-if", KEY_WHAT_IF, "COST", 0,
     "Run with one cost changed: function:NAME=FACTOR, lock:NAME=free, miss:LEVEL=FACTOR; "
     "repeatable; emulator only",
     0},
    {"assumptions", KEY_ASSUMPTIONS, NULL, 0,
     "Run under each calibration that agrees with what is published, and show the range; emulator "
     "only",
     0},
    {"learned", KEY_LEARNED, "FILE", 0,
     "Numbers of threads of parallel regions for this program, from earlier runs; what is not "
     "known "
     "is learned first, by running it several times",
     0},
    {"svg", KEY_SVG, "FILE", 0, "Also draw the conclusions of --assumptions (-: stdout)", 0},
    {"spread", KEY_SPREAD, "N", OPTION_ARG_OPTIONAL,
     "With --what-if: show how much N small disturbances (default 8) change what it saves", 0},
    {"seeds", KEY_SEEDS, "N", 0,
     "Run with N seeds, --seed and the next ones: mean and spread of time, energy and lines "
     "between "
     "cores; emulator only",
     0},
    {"overhead", KEY_OVERHEAD, NULL, 0,
     "Run once more without counters, accounting and sampling, and report their cost", 0},
    {"output", 'o', "FILE", 0, "Store of the run (default run.mpj); the raw log is next to it", 0},
    {"stdout", KEY_STDOUT, "FILE", 0, "File for the program's stdout", 0},
    {"stderr", KEY_STDERR, "FILE", 0, "File for the program's stderr", 0},
    {"retries", KEY_RETRIES, "N", 0,
     "Repeat the run, at most N times, after a fault of port, link or start, never after one of "
     "the program (default 0)",
     0},
    {0},
};

/* ---- while it runs ---------------------------------------------------------- */

/* State of the display of a run. */
struct screen {
    const struct cli_options *o;
    bool prompt; /* the program has written a part of a line to it */
    struct cli_progress upload;
};

static const char *unwritten; /* file that did not take the program's output; NULL: stdout */

static int on_console(void *ctx, int stream, const void *data, size_t len)
{
    struct screen *const s = ctx;
    const char *const path = printed_path(stream);
    FILE *const f = stream == 1 && !cli_is_stdout(s->o->json) ? stdout : stderr;
    int failed = 0;

    if (path != NULL) {
        failed = printed_write(stream, data, len);
    } else {
        cli_live_clear();
        if (len > 0 && isatty(fileno(f)) == 1)
            s->prompt = ((const char *)data)[len - 1] != '\n';
        if ((fwrite(data, 1, len, f) != len || fflush(f) != 0) && f != stderr)
            failed = errno;
    }
    if (failed != 0)
        unwritten = path;
    return failed;
}

/* Reports that output of the program could not be written, and to which file. */
static int not_written(int number, struct mpj_err *err)
{
    static const char text[] = "cannot write the program's output";

    return unwritten != NULL
               ? mpj_err_set(err, MPJ_E_IO, "%s to %s: %s", text, unwritten, strerror(number))
               : mpj_err_set(err, MPJ_E_IO, "%s: %s", text, strerror(number));
}

static void on_progress(void *ctx, unsigned done, unsigned passes, const struct mpj_progress *p)
{
    const struct screen *const s = ctx;
    char text[48] = "";
    char at[48] = "";

    if (s->prompt)
        return;
    if (passes > 1)
        snprintf(text, sizeof(text), "%u of %u passes, ", done, passes);
    if (p->target_s > 0) /* records may wait on the target until its end */
        snprintf(at, sizeof(at), ", program at %.3f s", p->target_s);
    cli_live_line("%s%.0f s, %llu bytes recorded%s", text, p->host_s, (unsigned long long)p->bytes,
                  at);
}

static void on_pass_done(void *ctx)
{
    struct screen *const s = ctx;

    cli_progress_end(&s->upload);
    cli_live_clear();
}

static void on_retry(void *ctx, unsigned retry, unsigned retries, const struct mpj_err *err)
{
    on_pass_done(ctx);
    printed_again();
    cli_note("%s; retry %u of %u", err->text, retry, retries);
}

static void on_upload(void *ctx, char phase, uint32_t done, uint32_t total, uint32_t rate)
{
    cli_progress_show(&((struct screen *)ctx)->upload, phase, done, total, rate);
}

/* ---- public functions ------------------------------------------------------- */

static int put_json(const void *what, FILE *f, struct mpj_err *err)
{
    return mpj_report_json(what, f, err);
}

/* Writes the files other than the store. */
static int write_files(const struct cli_options *o, const struct run_measurement *r,
                       const struct mpj_run *run, struct mpj_err *err)
{
    const bool json = o->json != NULL && !cli_is_stdout(o->json);
    const int result = o->compress ? run_compress(r, err) : MPJ_E_OK;

    if (result == MPJ_E_OK && o->json_kept != NULL)
        return mpj_report_json(run, o->json_kept, err);
    return result == MPJ_E_OK && json ? mpj_file_write(o->json, put_json, run, err) : result;
}

/* Prints the report, or the JSON, on stdout. */
static int show(const struct cli_options *o, const struct mpj_run *run, bool failed,
                struct mpj_err *err)
{
    struct mpj_report r = {.file = o->run.store, .run = run, .top = -1};
    const struct mpj_exporter *text;
    int result;

    if (cli_is_stdout(o->json))
        return o->json_kept != NULL ? MPJ_E_OK : mpj_report_json(run, stdout, err);
    if ((failed && run->outcome != MPJ_E_BOUND) || cli_quiet())
        return MPJ_E_OK;
    r.view = mpj_view_find(MPJ_VIEW_SUMMARY, err);
    text = mpj_exporter_find(MPJ_FORMAT_TEXT, err);
    result = r.view != NULL && text != NULL ? mpj_report_show(&r, text, stdout, err) : err->code;
    for (unsigned i = 0; i < o->groups && result == MPJ_E_OK; i++)
        result = mpj_group_print(o->group[i], run, stdout, err);
    return result;
}

/* Writes report and JSON. failed: only shows what explains the failure. */
static int publish(const struct cli_options *o, const struct run_measurement *r, bool failed,
                   struct mpj_err *err)
{
    struct mpj_run *run = NULL;
    struct mpj_err late;
    int result = mpj_run_load_built(&run, r->o.store, err);

    if (result == MPJ_E_OK && failed)
        mpj_report_fault(run, stderr);
    if (result == MPJ_E_OK && !failed)
        result = cli_model_apply(run, r->o.model, err);
    if (result == MPJ_E_OK) {
        int shown;
        result = write_files(o, r, run, err);
        mpj_pipe_restore(); /* all else is done: stdout need not have a reader */
        shown = show(o, run, failed, result == MPJ_E_OK ? err : &late);
        result = result == MPJ_E_OK ? shown : result;
    }
    mpj_run_free(run);
    return result;
}

static int failure(const struct run_measurement *r, const struct mpj_err *err)
{
    return run_target_is_board(&r->target) ? cli_fail_board(err) : cli_fail(err);
}

/* Builds the store of a failed attempt and prints the error with its path; returns the status. */
static int publish_failed(struct run_measurement *r, unsigned n, bool quiet, struct mpj_err *err)
{
    struct mpj_run *run = NULL;
    struct mpj_err late;
    const bool stored = n > 0 && run_store(r, n, err, &late) == MPJ_E_OK;
    int status;

    if (n > 0)
        cli_append_kept(err, stored ? r->failed : r->pass[0].failed);
    status = quiet ? CLI_FAILURE : failure(r, err);
    if (stored && mpj_run_load_built(&run, r->failed, &late) == MPJ_E_OK)
        mpj_report_fault(run, stderr);
    mpj_run_free(run);
    return status;
}

/* Makes the private folder of the debugger's socket, if none was named, or checks the path, and
 * prints the command for the debugger in another terminal. */
static int tell_debugger(struct run_options *o, struct mpj_tempdir *dir, struct mpj_err *err)
{
    static char path[100];
    char *script;

    if (o->gdb == NULL)
        return MPJ_E_OK;
    if (o->gdb[0] == '\0') {
        if (mpj_tempdir_make(dir, err) != MPJ_E_OK)
            return err->code;
        snprintf(path, sizeof(path), "%s/" GDB_SOCKET, dir->path);
        o->gdb = path;
    }
    if (mpj_emulator_gdb(o->gdb, err) != MPJ_E_OK)
        return err->code;
    script = run_path_gdb();
    if (script == NULL)
        return mpj_err_nomem(err);
    cli_note("the program is waiting for: gdb-multiarch -x %s -ex 'target remote %s' %s", script,
             o->gdb, o->elf);
    free(script);
    return MPJ_E_OK;
}

/* Adds the files that the user names, and those of the meter, which are replaced or removed. */
static int add_files(struct cli_options *o, struct mpj_err *err)
{
    struct cli_files *const files = &o->files;
    char *const failed = run_failed_name(o->run.store);
    const struct run_inputs reads = cli_files_inputs(files);

    if (failed == NULL)
        return mpj_err_nomem(err);
    if (run_name_check(o->run.store, err) != MPJ_E_OK) {
        free(failed);
        return err->code;
    }
    cli_file(files, o->run.store, CLI_WRITTEN | CLI_GROWS);
    cli_file(files, failed, CLI_MADE | CLI_OWN);
    free(failed);
    cli_file(files, o->json, CLI_WRITTEN);
    if (printed_files(files, err) != MPJ_E_OK)
        return err->code;
    for (unsigned i = 0; i < RUN_METER_FILES; i++) {
        char *const file = run_meter_file(o->run.store, i);
        if (file == NULL)
            return mpj_err_nomem(err);
        cli_file(files, file, CLI_MADE | CLI_OWN);
        free(file);
    }
    return run_inputs_options(&reads, &o->run, err);
}

/* Checks that store, logs and other outputs are different files; before the meter's files are
 * created, and again when the number of logs is known. */
static int prepare(struct cli_options *o, struct run_measurement *r, struct mpj_err *err)
{
    if (add_files(o, err) != MPJ_E_OK || cli_files_check(&o->files, err) != MPJ_E_OK ||
        run_prepare(r, err) != MPJ_E_OK)
        return err->code;
    for (unsigned i = 0; i < r->passes; i++) {
        cli_file(&o->files, r->pass[i].log, CLI_MADE | CLI_GROWS);
        cli_file(&o->files, r->pass[i].errors, CLI_MADE | CLI_GROWS);
        cli_file(&o->files, r->pass[i].failed, CLI_MADE | CLI_OWN);
        cli_file(&o->files, r->pass[i].failed_errors, CLI_MADE | CLI_OWN);
    }
    return cli_files_check(&o->files, err);
}

/* Executes the run; returns the exit status. */
static int run_it(struct cli_options *o)
{
    static struct run_measurement r;
    struct screen screen = {.o = o};
    const struct run_watch watch = {.console = on_console,
                                    .progress = on_progress,
                                    .retry = on_retry,
                                    .pass_done = on_pass_done,
                                    .upload = on_upload,
                                    .ctx = &screen};
    struct mpj_err err;
    struct mpj_err late;
    unsigned done = 0;
    bool whole;
    bool unread;
    struct mpj_tempdir debugger_dir = {0};
    bool taken;
    bool stored;
    int status = CLI_FAILURE;
    int result;

    screen.upload.quiet = !cli_shows_progress();
    o->run.out_terminal = printed_path(1) == NULL &&
                          isatty(cli_is_stdout(o->json) ? STDERR_FILENO : STDOUT_FILENO) == 1;
    o->run.err_terminal = printed_path(2) == NULL && isatty(STDERR_FILENO) == 1;
    r = (struct run_measurement){.o = o->run};

    result = prepare(o, &r, &err);
    if (result == MPJ_E_OK && r.notice[0] != '\0')
        fprintf(stderr, "mpjoule: %s\n", r.notice);
    if (result == MPJ_E_OK)
        result = tell_debugger(&r.o, &debugger_dir, &err);
    if (result == MPJ_E_OK)
        result = run_passes(&r, &watch, &done, &err);
    for (unsigned i = 0; i < done; i++) {
        if (r.pass[i].result.have_dropped)
            cli_dropped(&r.pass[i].result.dropped);
    }
    if (r.meter_said[0] != '\0')
        fprintf(stderr, "mpjoule: %s\n", r.meter_said);
    if (result == MPJ_E_IO && r.output != 0)
        not_written(r.output, &err);
    whole = result == MPJ_E_OK;
    unread = r.output == EPIPE && (whole || result == MPJ_E_IO);
    taken = r.taken;
    stored = taken && run_store(&r, done, whole ? NULL : &err, whole ? &err : &late) == MPJ_E_OK;
    if (taken && r.pass[0].made == RUN_MADE_FAILED)
        cli_append_kept(&err, r.pass[0].failed);
    if (whole) {
        result = stored ? publish(o, &r, false, &err) : err.code;
    } else if (taken) {
        status = failure(&r, &err);
        if (stored)
            publish(o, &r, true, &late);
    } else {
        status = publish_failed(&r, done, unread, &err);
    }
    if (printed_end(stored && r.output == 0, &late) != MPJ_E_OK && result == MPJ_E_OK) {
        err = late;
        result = err.code;
    }
    if (unread)
        cli_end_unread();
    if (result == MPJ_E_OK && r.output != 0)
        result = not_written(r.output, &err);
    if (result == MPJ_E_OK)
        status = r.pass[0].result.end.exit_status & 0xff;
    else if (whole || unread)
        status = failure(&r, &err);
    for (unsigned i = 0; i < o->groups; i++)
        mpj_group_free(o->group[i]);
    run_release(&r);
    mpj_tempdir_remove(&debugger_dir);
    cli_files_free(&o->files);
    return status;
}

/* Runs one of several variants without a report; shown: with the output of the program. */
static int run_member(struct cli_options *o, bool shown)
{
    cli_set_quiet();
    for (int stream = 1; stream <= 2 && !shown; stream++)
        printed_set(stream, "/dev/null");
    return run_it(o);
}

/* Runs with changed costs, once. */
static int run_changed(struct cli_options *o)
{
    const int status = run_it(o);

    if (status == 0 && !cli_quiet() && !cli_is_stdout(o->json))
        puts("\nOne run with a changed cost; --spread shows by how much small disturbances change "
             "what it saves");
    return status;
}

int cmd_run(int argc, char **argv)
{
    static char name[] = "mpjoule run"; /* what argp calls us */
    static const struct argp_child common[] = {
        {&cli_target_argp, 0, NULL, 0},
        {&cli_measuring_argp, 0, NULL, 0},
        {&cli_program_argp, 0, NULL, 0},
        {&cli_trace_argp, 0, NULL, 0},
        {0},
    };
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .children = common,
        .args_doc = "app.elf [-- ARGS]",
        .doc = "Run a program to its end, record and report it. See `mpjoule help run`."};
    static struct cli_options o;

    cli_options_init(&o);
    o.run.timeout_s = TIMEOUT_UNSAID;
    o.run.store = "run.mpj";
    cli_arguments(&argp, argc, argv, name, &o);
    if (o.assumptions)
        return assume_run(&o, run_member);
    if (o.spread > 0)
        return spread_run(&o, run_member, run_it);
    if (o.seeds > 0)
        return seeds_run(&o, run_member, run_it);
    if (o.learned != NULL)
        return learned_run(&o, run_member, run_it);
    return o.run.what_ifs > 0 ? run_changed(&o) : run_it(&o);
}
