/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule run: run a program on a target, record it, report. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "model.h"
#include "mpj_report.h"
#include "mpj_store.h"
#include "run.h"

#define DEFAULT_TIMEOUT_S 300
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
};

/* ---- options ---------------------------------------------------------------- */

/* "3" is cores 0 to 2; "0,2" or "0-1,3" name them. A mask. */
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

static void add_argument(struct argp_state *state, struct options *o, char *arg)
{
    if (o->elf == NULL) {
        o->elf = arg;
        arg = strrchr(arg, '/') != NULL ? strrchr(arg, '/') + 1 : arg;
    }
    if (o->argc + 1 >= sizeof(o->argv) / sizeof(o->argv[0]))
        argp_error(state, "too many arguments");
    o->argv[o->argc++] = arg;
}

/* A counter group: its events are counted, its metrics shown. */
static void add_group(struct argp_state *state, struct options *o, const char *name)
{
    struct mpj_err err;

    if (o->groups == RUN_GROUPS_MAX)
        argp_error(state, "--group at most %d times", RUN_GROUPS_MAX);
    if (cli_group(&o->group[o->groups], name, &err) != MPJ_E_OK)
        argp_error(state, "%s", err.text);
    for (unsigned i = 0; i < MPJ_PLAN_EVENTS_MAX; i++)
        o->wish.want[i] = o->wish.want[i] || o->group[o->groups]->want[i];
    o->groups++;
    o->events = true;
}

/* Events take turns when the ADC is read: each time, or every few times. */
static void sampling(struct argp_state *state, struct options *o)
{
    if (o->sample_us == 0)
        o->sample_us = o->rotate_ms > 0 && o->rotate_ms * 1000U < DEFAULT_SAMPLE_US
                           ? o->rotate_ms * 1000U
                           : DEFAULT_SAMPLE_US;
    run_rotate_end(state, o);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *const o = state->input;
    struct mpj_err err;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        for (unsigned i = 0; i < 3; i++)
            state->child_inputs[i] = o;
        return 0;
    case KEY_CORES:
        o->cores_mask = cores(state, arg);
        return 0;
    case KEY_EVENTS:
        if (mpj_wish_parse(&o->wish, arg, &err) != MPJ_E_OK)
            argp_error(state, "%s", err.text);
        o->events = true;
        return 0;
    case KEY_GROUP:
        add_group(state, o, arg);
        return 0;
    case KEY_ALL_EVENTS:
        mpj_wish_all(&o->wish);
        o->events = true;
        return 0;
    case KEY_ROTATE:
        run_rotate(state, o, arg);
        return 0;
    case KEY_NO_COUNTERS:
        o->no_counters = true;
        return 0;
    case KEY_NO_THREADS:
        o->no_threads = true;
        return 0;
    case KEY_OVERHEAD:
        o->overhead = true;
        return 0;
    case KEY_MODEL:
        o->model = arg;
        return 0;
    case KEY_RETRIES:
        o->retries = (unsigned)cli_whole(state, "--retries", arg, 0, 100);
        return 0;
    case 'o':
        o->store = arg;
        return 0;
    case ARGP_KEY_ARG:
        add_argument(state, o, arg);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which program? Give its ELF file");
        return 0;
    case ARGP_KEY_END:
        if (o->no_counters && o->events)
            argp_error(state, "--no-counters counts no events: name none");
        if (o->no_counters && o->model != NULL && strcmp(o->model, MODEL_NONE) != 0)
            argp_error(state, "--no-counters leaves a model nothing to go by");
        if (o->rotate && o->no_counters)
            argp_error(state, "--no-counters counts no events: none can take turns");
        sampling(state, o);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option known[] = {
    {"cores", KEY_CORES, "N|LIST", 0,
     "Cores in use: how many, 1 to 4 (default 4), or which (0,2); the others wait in WFI", 0},
    {"events", KEY_EVENTS, "E,E", 0,
     "Events to count; more than the hardware counts at once: the run is repeated", 0},
    {"group", KEY_GROUP, "NAME", 0,
     "Count the events of a counter group and show its metrics (`mpjoule groups`); repeatable", 0},
    {"model", KEY_MODEL, "NAME|FILE", 0,
     "Energy of cores, threads and regions by this model; its events are counted, by repeating the "
     "run. default: the one fitted to target and calibration; none",
     0},
    {"all-events", KEY_ALL_EVENTS, NULL, 0,
     "Count every event, by repeating the run or with --rotate", 0},
    {"rotate", KEY_ROTATE, "MS", OPTION_ARG_OPTIONAL,
     "Core events take turns within one run, each pair MS milliseconds (default: the sampling "
     "period), and are scaled up: estimates, with their coverage and error",
     0},
    {"no-counters", KEY_NO_COUNTERS, NULL, 0,
     "Leave the event counters off; energy is measured all the same", 0},
    {"no-threads", KEY_NO_THREADS, NULL, 0,
     "No accounting of threads, waits and regions (to measure what it costs)", 0},
    {"overhead", KEY_OVERHEAD, NULL, 0,
     "Run once more without counters, accounting and sampling, and say what they cost", 0},
    {"output", 'o', "FILE", 0, "Store of the run (default run.mpj); the raw log stands beside it",
     0},
    {"retries", KEY_RETRIES, "N", 0,
     "Run again after a fault of port, link or start, never of the program (default 0)", 0},
    {0},
};

/* ---- all of it -------------------------------------------------------------- */

/* The events of the model that was asked for. */
static int wish_model(struct run *r, struct mpj_err *err)
{
    struct options *const o = &r->o;
    const char *const label = run_calibration_name(r);
    struct mpj_model m;
    bool found;

    if (o->model == NULL)
        return MPJ_E_OK;
    if (cli_model_for(&m, &found, o->model, run_on_board(r) ? r->board->id : RUN_SIM, label, err) !=
        MPJ_E_OK)
        return err->code;
    if (found && label != NULL && strcmp(label, RUN_NO_MODEL) == 0)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "a model needs counts, and without a calibration nothing is counted");
    if (found)
        mpj_model_events(&m, o->wish.want);
    return MPJ_E_OK;
}

static int prepare(struct run *r, struct mpj_err *err)
{
    struct options *const o = &r->o;
    const size_t len = strlen(o->store);
    const size_t stem = len > 4 && strcmp(o->store + len - 4, ".mpj") == 0 ? len - 4 : len;

    if (run_find_target(r, err) != MPJ_E_OK)
        return err->code;
    if (o->calibration == NULL && !run_on_board(r))
        o->calibration = RUN_CALIBRATION;
    if (wish_model(r, err) != MPJ_E_OK)
        return err->code;
    mpj_wish_defaults(&o->wish);
    r->passes = mpj_plan_passes(&o->wish, o->rotate);
    r->qemu = cli_path_qemu();
    r->pass = calloc(r->passes + 1U, sizeof(*r->pass));
    if (r->qemu == NULL || r->pass == NULL)
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    if (o->no_counters)
        r->passes = 1; /* nothing is counted */
    if (!run_on_board(r) && strcmp(o->calibration, RUN_NO_MODEL) == 0)
        r->passes = 1;
    else if (!run_on_board(r) && (r->calibration = cli_path_calibration(o->calibration)) == NULL)
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    if (o->overhead && !run_on_board(r) && r->calibration == NULL)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "--overhead compares times, and without a calibration there are none");
    if (o->overhead)
        r->pass[r->passes++].bare = true;
    for (unsigned i = 0; i < r->passes; i++) {
        char number[16] = "";
        if (r->pass[i].bare)
            snprintf(number, sizeof(number), ".bare");
        else if (i > 0)
            snprintf(number, sizeof(number), ".%u", i);
        if (asprintf(&r->pass[i].log, "%.*s%s.mplog", (int)stem, o->store, number) < 0 ||
            asprintf(&r->pass[i].errors, "%.*s%s.emulator.log", (int)stem, o->store, number) < 0)
            return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    }
    if (mpj_image_check(&r->image, o->elf, err) != MPJ_E_OK)
        return err->code;
    if (cli_check_output(o->store, err) != MPJ_E_OK || cli_check_output(o->json, err) != MPJ_E_OK ||
        run_keep_input(r, err) != MPJ_E_OK)
        return err->code;
    return run_take_target(r, err);
}

static void release(struct run *r)
{
    for (unsigned i = 0; r->pass != NULL && i < r->passes; i++) {
        free(r->pass[i].log);
        free(r->pass[i].errors);
    }
    free(r->pass);
    for (unsigned i = 0; i < r->o.groups; i++)
        mpj_group_free(r->o.group[i]);
    free(r->qemu);
    free(r->calibration);
    if (r->input != NULL)
        fclose(r->input);
    run_release_target(r);
}

static int write_json(const struct mpj_run *run, const char *path, struct mpj_err *err)
{
    FILE *f;
    int result;

    f = fopen(path, "we");
    if (f == NULL)
        return mpj_err_errno(err, "cannot create %s", path);
    result = mpj_report_json(run, f, err);
    if (fclose(f) != 0 && result == MPJ_E_OK)
        result = mpj_err_errno(err, "cannot write %s", path);
    return result;
}

/* The store learns what the program takes without profiling. */
static int compare_bare(const struct run *r, const struct pass *bare, struct mpj_err *err)
{
    const char *const log = bare->log;
    struct mpj_run *run = NULL;
    char *path = NULL;
    int result;

    if (asprintf(&path, "%.*s.mpj", (int)(strlen(log) - strlen(".mplog")), log) < 0)
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    result = mpj_store_build(path, &log, 1, NULL, err);
    if (result == MPJ_E_OK)
        result = mpj_run_load(&run, path, err);
    if (result == MPJ_E_OK)
        result = mpj_store_bare(r->o.store, run, err);
    mpj_run_free(run);
    free(path);
    return result;
}

/* The raw logs of all passes. */
static int compress(const struct run *r, struct mpj_err *err)
{
    int result = MPJ_E_OK;

    for (unsigned i = 0; i < r->passes && result == MPJ_E_OK; i++) {
        if (r->pass[i].made)
            result = mpj_log_compress(r->pass[i].log, err);
    }
    return result;
}

/* What goes to files beside the store. */
static int write_files(const struct run *r, const struct mpj_run *run, struct mpj_err *err)
{
    const bool json = r->o.json != NULL && !cli_is_stdout(r->o.json);
    const int result = r->o.compress ? compress(r, err) : MPJ_E_OK;

    return result == MPJ_E_OK && json ? write_json(run, r->o.json, err) : result;
}

/* What goes to stdout. */
static int show(const struct run *r, const struct mpj_run *run, bool failed, struct mpj_err *err)
{
    int result;

    if (cli_is_stdout(r->o.json))
        return mpj_report_json(run, stdout, err);
    if (failed || r->o.quiet)
        return MPJ_E_OK;
    result = mpj_report_text(run, MPJ_VIEW_SUMMARY, stdout, err);
    for (unsigned i = 0; i < r->o.groups && result == MPJ_E_OK; i++)
        result = mpj_group_print(r->o.group[i], run, stdout, err);
    return result;
}

/* Store, report and JSON of the first n passes. failed: only what explains it is shown. */
static int publish(struct run *r, unsigned n, bool failed, struct mpj_err *err)
{
    const char **const logs = calloc(n, sizeof(*logs));
    const struct pass *bare = NULL;
    struct mpj_run *run = NULL;
    struct mpj_err late;
    int result;

    if (logs == NULL)
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    if (r->pass[n - 1].bare)
        bare = &r->pass[--n];
    for (unsigned i = 0; i < n; i++)
        logs[i] = r->pass[i].log;
    result = mpj_store_build(r->o.store, logs, n, r->o.elf, err);
    if (result == MPJ_E_OK && bare != NULL && !failed)
        result = compare_bare(r, bare, err);
    if (result == MPJ_E_OK)
        result = mpj_run_load(&run, r->o.store, err);
    if (result == MPJ_E_OK && failed)
        mpj_report_fault(run, stderr);
    if (result == MPJ_E_OK && !failed)
        result = cli_model_apply(run, r->o.model, err);
    if (result == MPJ_E_OK) {
        int shown;
        result = write_files(r, run, err);
        run_restore_pipe(); /* all else is done: nobody need be reading what goes to stdout */
        shown = show(r, run, failed, result == MPJ_E_OK ? err : &late);
        result = result == MPJ_E_OK ? shown : result;
    }
    mpj_run_free(run);
    free(logs);
    return result;
}

static int failure(const struct run *r, const struct mpj_err *err)
{
    return run_on_board(r) ? cli_fail_board(err) : cli_fail(err);
}

/* What was lost for want of memory on the target, kind by kind. */
static void warn_dropped(const struct run *r, unsigned passes)
{
    for (unsigned i = 0; i < passes; i++) {
        const struct mpj_session_result *const p = &r->pass[i].result;
        for (uint32_t k = 0; p->have_dropped && k < p->dropped.count; k++) {
            const uint32_t kind = p->dropped.d[k].kind;
            const char *const name = kind == MPJ_REC_ADC           ? "ADC"
                                     : kind == MPJ_REC_CONSOLE_OUT ? "stdout"
                                     : kind == MPJ_REC_CONSOLE_ERR ? "stderr"
                                     : kind == MPJ_REC_THREAD      ? "threads"
                                     : kind == MPJ_REC_SYNC_WAIT   ? "waits"
                                     : kind == MPJ_REC_REGION      ? "regions"
                                                                   : "other";
            fprintf(stderr,
                    "mpjoule: the target had no memory for %" PRIu64 " records: kind 0x%02x (%s)\n",
                    p->dropped.d[k].records, kind, name);
        }
    }
}

int cmd_run(int argc, char **argv)
{
    static char name[] = "mpjoule run"; /* what argp calls us */
    static const struct argp_child common[] = {
        {&run_target_argp, 0, NULL, 0},
        {&run_measuring_argp, 0, NULL, 0},
        {&run_program_argp, 0, NULL, 0},
        {0},
    };
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .children = common,
        .args_doc = "app.elf [-- ARGS]",
        .doc = "Run a program to its end, record and report it. See `mpjoule help run`."};
    static struct run r = {.o = {.cores_mask = (1U << MPJ_CORES_MAX) - 1U,
                                 .target = RUN_SIM,
                                 .quantum = TILE_QUANTUM_DEFAULT,
                                 .seed = TILE_SEED_DEFAULT,
                                 .timeout_s = DEFAULT_TIMEOUT_S,
                                 .store = "run.mpj"}};
    struct mpj_err err;
    struct mpj_err late;
    unsigned done = 0;
    bool whole;
    bool unread;
    int status = CLI_FAILURE;
    int result;

    argv[0] = name;
    argp_err_exit_status = CLI_FAILURE;
    argp_parse(&argp, argc, argv, 0, NULL, &r.o);

    result = prepare(&r, &err);
    if (result == MPJ_E_OK)
        result = run_passes(&r, &done, &err);
    warn_dropped(&r, done);
    whole = result == MPJ_E_OK;
    unread = r.output == EPIPE && (whole || result == MPJ_E_IO);
    if (!whole && !unread)
        status = failure(&r, &err);
    if (whole)
        result = publish(&r, done, false, &err);
    else if (done > 0) /* the store says so too: an older one must not pass for this run's */
        publish(&r, done, true, &late);
    if (unread)
        run_end_unread();
    if (result == MPJ_E_OK && r.output != 0)
        result = mpj_err_set(&err, MPJ_E_IO, "cannot write what the program prints: %s",
                             strerror(r.output));
    if (result == MPJ_E_OK)
        status = r.pass[0].result.end.exit_status & 0xff;
    else if (whole || unread)
        status = failure(&r, &err);
    release(&r);
    return status;
}
