/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule run: run a program on a target, record it, report. */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "mpj_plan.h"
#include "mpj_report.h"
#include "mpj_session.h"
#include "mpj_store.h"

#define DEFAULT_CALIBRATION "mprofiler"
#define DEFAULT_TIMEOUT_S   300
#define ENV_MAX             64
#define NO_MODEL            "none"

enum key {
    KEY_TARGET = 256,
    KEY_CORES,
    KEY_EVENTS,
    KEY_GROUP,
    KEY_ALL_EVENTS,
    KEY_SAMPLE,
    KEY_CALIBRATION,
    KEY_QUANTUM,
    KEY_SEED,
    KEY_TIMEOUT,
    KEY_JSON,
    KEY_ENV,
    KEY_COMPRESS,
    KEY_QUIET,
};

struct options {
    unsigned cores;
    struct mpj_wish wish;
    uint32_t sample_us;
    const char *calibration;
    uint32_t quantum;
    uint64_t seed;
    unsigned timeout_s;
    const char *json;
    const char *store;
    bool compress;
    bool quiet;
    const char *elf;
    const char *argv[ENV_MAX * 4];
    unsigned argc;
    const char *envp[ENV_MAX + 1];
    unsigned envc;
};

/* ---- options ---------------------------------------------------------------- */

/* A number within bounds; anything else is a usage error. */
static double number(struct argp_state *state, const char *name, const char *arg, double low,
                     double high)
{
    char *end;
    const double v = strtod(arg, &end);

    if (*arg == '\0' || *end != '\0' || !(v >= low && v <= high))
        argp_error(state, "%s takes a number from %g to %g, not \"%s\"", name, low, high, arg);
    return v;
}

static uint64_t whole(struct argp_state *state, const char *name, const char *arg, uint64_t low,
                      uint64_t high)
{
    char *end;
    unsigned long long v;

    errno = 0;
    v = strtoull(arg, &end, 0);
    if (*arg == '\0' || *arg == '-' || *end != '\0' || errno != 0 || v < low || v > high)
        argp_error(state, "%s takes a whole number from %llu to %llu, not \"%s\"", name,
                   (unsigned long long)low, (unsigned long long)high, arg);
    return v;
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

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *const o = state->input;
    struct mpj_err err;

    switch (key) {
    case KEY_TARGET:
        if (strcmp(arg, "sim") != 0)
            argp_error(state, "no target is called \"%s\" (sim)", arg);
        return 0;
    case KEY_CORES:
        o->cores = (unsigned)whole(state, "--cores", arg, 1, MPJ_CORES_MAX);
        return 0;
    case KEY_EVENTS:
        if (mpj_wish_parse(&o->wish, arg, &err) != MPJ_E_OK)
            argp_error(state, "%s", err.text);
        return 0;
    case KEY_GROUP:
        argp_error(state, "no event group is called \"%s\": name events with --events", arg);
        return 0;
    case KEY_ALL_EVENTS:
        mpj_wish_all(&o->wish);
        return 0;
    case KEY_SAMPLE:
        o->sample_us = (uint32_t)(number(state, "--sample-ms", arg, 0.1, 60000) * 1000 + 0.5);
        return 0;
    case KEY_CALIBRATION:
        o->calibration = arg;
        return 0;
    case KEY_QUANTUM:
        o->quantum = (uint32_t)whole(state, "--quantum", arg, 1, 1000000);
        return 0;
    case KEY_SEED:
        o->seed = whole(state, "--seed", arg, 0, INT64_MAX);
        return 0;
    case KEY_TIMEOUT:
        o->timeout_s = (unsigned)whole(state, "--timeout", arg, 0, 1000000);
        return 0;
    case KEY_JSON:
        o->json = arg;
        return 0;
    case KEY_ENV:
        if (strchr(arg, '=') == NULL || o->envc == ENV_MAX)
            argp_error(state, "--env takes NAME=VALUE, at most %d times", ENV_MAX);
        o->envp[o->envc++] = arg;
        return 0;
    case KEY_COMPRESS:
        o->compress = true;
        return 0;
    case KEY_QUIET:
        o->quiet = true;
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
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option known[] = {
    {"target", KEY_TARGET, "NAME", 0, "sim: the emulator (default)", 0},
    {"cores", KEY_CORES, "N", 0, "Cores in use, 1 to 4 (default 4); the others wait in WFI", 0},
    {"events", KEY_EVENTS, "E,E", 0,
     "Events to count; more than the hardware counts at once: the run is repeated", 0},
    {"group", KEY_GROUP, "NAME", OPTION_HIDDEN, "Event group", 0},
    {"all-events", KEY_ALL_EVENTS, NULL, 0, "Count every event, by repeating the run", 0},
    {"sample-ms", KEY_SAMPLE, "MS", 0, "ADC sampling period (default 10)", 0},
    {"calibration", KEY_CALIBRATION, "NAME", 0,
     "Calibration of the modelled chip (default " DEFAULT_CALIBRATION "); " NO_MODEL
     ": any QEMU, nothing measured",
     0},
    {"quantum", KEY_QUANTUM, "CYCLES", 0, "Cycles the emulated cores may run apart (default 500)",
     0},
    {"seed", KEY_SEED, "N", 0, "Seed of the modelled noise (default 1)", 0},
    {"timeout", KEY_TIMEOUT, "S", 0, "End the run after S seconds (default 300, 0: never)", 0},
    {"json", KEY_JSON, "FILE", 0, "Also write the result as JSON (-: instead of the report)", 0},
    {"output", 'o', "FILE", 0, "Store of the run (default run.mpj); the raw log stands beside it",
     0},
    {"env", KEY_ENV, "NAME=VALUE", 0, "Environment of the program", 0},
    {"compress", KEY_COMPRESS, NULL, 0, "Compress the raw log afterwards", 0},
    {"quiet", KEY_QUIET, NULL, 0, "No report on stdout", 0},
    {0},
};

/* ---- one pass --------------------------------------------------------------- */

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
    (void)sig;
    interrupted = 1;
}

static bool cancelled(void *ctx)
{
    (void)ctx;
    return interrupted != 0;
}

struct screen {
    bool terminal;
    bool line;    /* a progress line is showing */
    bool console; /* the program's output is shown (first pass) */
    unsigned pass, passes;
};

static void wipe(struct screen *s)
{
    if (s->line)
        fputs("\r\033[K", stderr);
    s->line = false;
}

static void on_console(void *ctx, int stream, const void *data, size_t len)
{
    struct screen *const s = ctx;
    FILE *const f = stream == 1 ? stdout : stderr;

    if (!s->console)
        return;
    wipe(s);
    fwrite(data, 1, len, f);
    fflush(f);
}

static void on_progress(void *ctx, const struct mpj_progress *p)
{
    struct screen *const s = ctx;

    if (!s->terminal)
        return;
    fprintf(stderr, "\r\033[K[pass %u of %u] %.0f s, program at %.3f s, %llu bytes recorded",
            s->pass + 1, s->passes, p->host_s, p->target_s, (unsigned long long)p->bytes);
    fflush(stderr);
    s->line = true;
}

struct run {
    struct options o;
    struct mpj_image image;
    char *qemu, *calibration; /* paths; calibration NULL: no model */
    char *stem;               /* of the store: raw logs and emulator's output stand beside it */
    char *errors;
    char **logs; /* one per pass */
    unsigned passes;
    struct screen screen;
};

static int write_meta(struct mpj_log *log, const struct run *r, struct mpj_err *err)
{
    const char *const calibration = strrchr(r->o.calibration, '/') != NULL
                                        ? strrchr(r->o.calibration, '/') + 1
                                        : r->o.calibration;
    char arguments[900] = "";
    char quantum[24];
    char seed[24];
    const struct {
        const char *key, *value;
    } meta[] = {
        {"version", MPJ_VERSION},
        {"target", "sim"},
        {"program", r->o.argv[0]},
        {"arguments", arguments},
        {"firmware_sha256", r->image.sha256},
        {"calibration", calibration},
        {"quantum", quantum},
        {"seed", seed},
    };

    for (unsigned i = 1; i < r->o.argc; i++) {
        const size_t n = strlen(arguments);
        snprintf(arguments + n, sizeof(arguments) - n, "%s%s", i > 1 ? " " : "", r->o.argv[i]);
    }
    snprintf(quantum, sizeof(quantum), "%u", r->o.quantum);
    snprintf(seed, sizeof(seed), "%llu", (unsigned long long)r->o.seed);
    for (size_t i = 0; i < sizeof(meta) / sizeof(meta[0]); i++) {
        if (r->calibration == NULL && i >= 6)
            break; /* without a model neither means anything */
        if (mpj_log_meta(log, meta[i].key, meta[i].value, err) != MPJ_E_OK)
            return err->code;
    }
    return MPJ_E_OK;
}

static int one_pass(struct run *r, unsigned pass, struct mpj_session_result *out,
                    struct mpj_err *err)
{
    const struct mpj_sim_options sim = {
        .qemu = r->qemu,
        .elf = r->o.elf,
        .calibration = r->calibration,
        .errors = r->errors,
        .quantum = r->o.quantum,
        .seed = r->o.seed,
        .machine = getenv("MPJOULE_QEMU_MACHINE"),
        .extra = getenv("MPJOULE_QEMU_ARGS"),
    };
    struct mpj_session_opts s = {
        .image = &r->image,
        .argv = r->o.argv,
        .envp = r->o.envp,
        .timeout_s = r->o.timeout_s,
        .console = on_console,
        .progress = on_progress,
        .cancelled = cancelled,
        .ctx = &r->screen,
        .config = {.session = pass + 1,
                   .cores_mask = (1U << r->o.cores) - 1U,
                   .adc_period_us = r->o.sample_us,
                   .flags =
                       r->calibration == NULL ? MPJ_CONFIG_NO_COUNTERS | MPJ_CONFIG_NO_ADC : 0},
    };
    struct mpj_err late;
    int result;

    mpj_plan_select(&r->o.wish, pass, &s.config);
    r->screen.pass = pass;
    r->screen.console = pass == 0;
    if (mpj_log_create(&s.log, r->logs[pass], err) != MPJ_E_OK)
        return err->code;
    result = write_meta(s.log, r, err);
    if (result == MPJ_E_OK)
        result = mpj_sim_new(&s.target, &sim, err);
    if (result == MPJ_E_OK)
        result = mpj_session_run(&s, out, err);
    mpj_target_free(s.target);
    wipe(&r->screen);
    if (mpj_log_close(s.log, result, result == MPJ_E_OK ? "" : err->text,
                      result == MPJ_E_OK ? err : &late) != MPJ_E_OK &&
        result == MPJ_E_OK)
        result = err->code;
    return result;
}

/* ---- all of it -------------------------------------------------------------- */

static int prepare(struct run *r, struct mpj_err *err)
{
    struct options *const o = &r->o;
    const size_t len = strlen(o->store);
    const size_t stem = len > 4 && strcmp(o->store + len - 4, ".mpj") == 0 ? len - 4 : len;

    mpj_wish_defaults(&o->wish);
    r->passes = r->screen.passes = mpj_plan_passes(&o->wish);
    r->qemu = cli_path_qemu();
    r->stem = strndup(o->store, stem);
    r->logs = calloc(r->passes, sizeof(*r->logs));
    if (strcmp(o->calibration, NO_MODEL) == 0)
        r->passes = 1; /* nothing is counted */
    else if ((r->calibration = cli_path_calibration(o->calibration)) == NULL)
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    if (r->qemu == NULL || r->stem == NULL || r->logs == NULL ||
        asprintf(&r->errors, "%s.emulator.log", r->stem) < 0)
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    for (unsigned i = 0; i < r->passes; i++) {
        const int n = i == 0 ? asprintf(&r->logs[i], "%s.mplog", r->stem)
                             : asprintf(&r->logs[i], "%s.%u.mplog", r->stem, i);
        if (n < 0)
            return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    }
    return mpj_image_check(&r->image, o->elf, err);
}

static void release(struct run *r)
{
    for (unsigned i = 0; r->logs != NULL && i < r->passes; i++)
        free(r->logs[i]);
    free(r->logs);
    free(r->qemu);
    free(r->calibration);
    free(r->stem);
    free(r->errors);
}

static int write_json(const struct mpj_run *run, const char *path, struct mpj_err *err)
{
    FILE *f;
    int result;

    if (strcmp(path, "-") == 0)
        return mpj_report_json(run, stdout, err);
    f = fopen(path, "we");
    if (f == NULL)
        return mpj_err_errno(err, "cannot create %s", path);
    result = mpj_report_json(run, f, err);
    if (fclose(f) != 0 && result == MPJ_E_OK)
        result = mpj_err_errno(err, "cannot write %s", path);
    return result;
}

/* Store, report and JSON of the passes that were made. failed: only what explains it is shown. */
static int publish(struct run *r, unsigned passes, bool failed, struct mpj_err *err)
{
    struct mpj_run *run = NULL;
    int result = mpj_store_build(r->o.store, (const char *const *)r->logs, passes, r->o.elf, err);

    if (result == MPJ_E_OK)
        result = mpj_run_load(&run, r->o.store, err);
    if (result == MPJ_E_OK && failed)
        mpj_report_fault(run, stderr);
    if (result == MPJ_E_OK && !failed && !r->o.quiet &&
        !(r->o.json != NULL && strcmp(r->o.json, "-") == 0))
        result = mpj_report_text(run, MPJ_VIEW_SUMMARY, stdout, err);
    if (result == MPJ_E_OK && r->o.json != NULL)
        result = write_json(run, r->o.json, err);
    for (unsigned i = 0; r->o.compress && i < passes && result == MPJ_E_OK; i++)
        result = mpj_log_compress(r->logs[i], err);
    mpj_run_free(run);
    return result;
}

/* The emulator's output is of interest only when there is any. */
static void tidy(const struct run *r)
{
    struct stat st;

    if (stat(r->errors, &st) == 0 && st.st_size == 0)
        unlink(r->errors);
}

int cmd_run(int argc, char **argv)
{
    static char name[] = "mpjoule run"; /* what argp calls us */
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .args_doc = "app.elf [-- ARGS]",
        .doc = "Run a program to its end, record and report it. See `mpjoule help run`."};
    static struct run r = {.o = {.cores = MPJ_CORES_MAX,
                                 .sample_us = 10000,
                                 .calibration = DEFAULT_CALIBRATION,
                                 .quantum = 500,
                                 .seed = 1,
                                 .timeout_s = DEFAULT_TIMEOUT_S,
                                 .store = "run.mpj"}};
    struct sigaction on = {.sa_handler = on_signal};
    struct mpj_session_result first = {0};
    struct mpj_err err;
    struct mpj_err late;
    unsigned done = 0;
    int status;
    int result;

    argv[0] = name;
    argp_err_exit_status = CLI_FAILURE;
    argp_parse(&argp, argc, argv, 0, NULL, &r.o);
    sigaction(SIGINT, &on, NULL);
    sigaction(SIGTERM, &on, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file-size limit is reported like a full disk */
    r.screen.terminal = isatty(STDERR_FILENO) == 1;

    result = prepare(&r, &err);
    while (result == MPJ_E_OK && done < r.passes) {
        struct mpj_session_result pass;
        result = one_pass(&r, done, done == 0 ? &first : &pass, &err);
        done++;
    }
    tidy(&r);
    if (result == MPJ_E_OK)
        result = publish(&r, done, false, &err);
    else if (done > 0) { /* the store says so too: an older one must not pass for this run's */
        status = cli_fail(&err);
        publish(&r, done, true, &late);
        release(&r);
        return status;
    }
    status = result == MPJ_E_OK ? first.end.exit_status & 0xff : cli_fail(&err);
    release(&r);
    return status;
}
