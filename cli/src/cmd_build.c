/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule build: build a project by its own build system, run its tests in the emulator. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "cli.h"
#include "cli_options.h"
#include "commands.h"
#include "project/build.h"

#define CONFIGURE_MAX 256
#define TESTS_FAILED  1  /* exit status */
#define NAME_MOST     60 /* columns of the table's first one */

struct options {
    struct run_build build;
    char *configure[CONFIGURE_MAX + 1];
    unsigned configures;
    const char *json;
};

enum key { KEY_SYSTEM = 256, KEY_CONFIGURE, KEY_NO_TESTS, KEY_TIMEOUT, KEY_JSON };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *const o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        return 0;
    case 'B':
        o->build.folder = arg;
        return 0;
    case 'j':
        o->build.jobs = (unsigned)cli_whole(state, "--jobs", arg, 1, CLI_JOBS_MAX);
        return 0;
    case KEY_SYSTEM:
        o->build.system = arg;
        return 0;
    case KEY_CONFIGURE:
        if (o->configures == CONFIGURE_MAX)
            argp_error(state, "--configure is allowed at most %d times", CONFIGURE_MAX);
        o->configure[o->configures++] = arg;
        return 0;
    case KEY_NO_TESTS:
        o->build.no_tests = true;
        return 0;
    case KEY_TIMEOUT:
        o->build.timeout_s = (unsigned)cli_whole(state, "--timeout", arg, 1, 1000000);
        return 0;
    case KEY_JSON:
        o->json = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_error(state, "unexpected \"%s\": expected one project; targets follow --", arg);
        o->build.source = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option known[] = {
    {"build", 'B', "FOLDER", 0, "Folder of the build (default: DIR/" RUN_BUILD_FOLDER ")", 0},
    {"system", KEY_SYSTEM, "NAME", 0,
     "Build system, if there are several: cmake, meson, autoconf, make", 0},
    {"configure", KEY_CONFIGURE, "OPTION", 0,
     "An option of cmake, meson setup or configure; repeatable", 0},
    {"no-tests", KEY_NO_TESTS, NULL, 0, "Build only", 0},
    {"jobs", 'j', "N", 0, "Compilers and tests to run at a time (default: processors)", 0},
    {"timeout", KEY_TIMEOUT, "S", 0,
     "End a program of the tests after S seconds of this machine (default: 300)", 0},
    {"json", KEY_JSON, "FILE", 0, "Results as JSON (\"-\": stdout)", 0},
    {0},
};

/* ---- while it builds ------------------------------------------------------------ */

static void on_step(void *ctx, const char *name)
{
    static char text[32];

    (void)ctx;
    cli_busy_end();
    snprintf(text, sizeof(text), "%s", name);
    cli_verbose("%s", text);
    cli_busy_begin(text);
}

/* ---- results -------------------------------------------------------------------- */

/* Returns a path relative to the current folder if it is in there. */
static const char *shown(const char *path)
{
    static char here[4096];
    size_t n;

    if (getcwd(here, sizeof(here)) == NULL)
        return path;
    n = strlen(here);
    return strncmp(path, here, n) == 0 && path[n] == '/' ? path + n + 1 : path;
}

static const char *const verdict_word[] = {
    [RUN_BUILD_PASSED] = "passed", [RUN_BUILD_FAILED] = "FAILED", [RUN_BUILD_SKIPPED] = "skipped"};

/* Sums time and energy over the runs of a test; returns the number of measured runs. */
static unsigned sum(const struct run_build_test *t, double *time_s, double *energy_j)
{
    unsigned n = 0;

    *time_s = *energy_j = 0;
    for (unsigned i = 0; i < t->rans; i++) {
        n += t->ran[i].measured;
        *time_s += t->ran[i].time_s;
        *energy_j += t->ran[i].energy_j;
    }
    return n;
}

static void figures(bool measured, double time_s, double energy_j)
{
    if (measured)
        printf("  %12.6f s  %12.3f mJ", time_s, energy_j * 1e3);
    else
        printf("  %14s  %15s", "-", "-");
}

static unsigned width(const struct run_build *b)
{
    size_t most = 4;

    for (unsigned i = 0; i < b->tests; i++) {
        const struct run_build_test *const t = &b->test[i];
        most = strlen(t->name) > most ? strlen(t->name) : most;
        for (unsigned k = 0; t->rans > 1 && k < t->rans; k++)
            most = strlen(t->ran[k].text) + 2U > most ? strlen(t->ran[k].text) + 2U : most;
    }
    return most < NAME_MOST ? (unsigned)most : NAME_MOST;
}

static void show_test(const struct run_build_test *t, unsigned columns)
{
    double time_s;
    double energy_j;
    const bool measured = sum(t, &time_s, &energy_j) > 0;

    printf("%-*.*s  %-9s", (int)columns, (int)columns, t->name, verdict_word[t->verdict]);
    figures(measured, time_s, energy_j);
    printf("%s%s\n", t->why != NULL ? "  " : "", t->why != NULL ? t->why : "");
    for (unsigned i = 0; t->rans > 1 && i < t->rans; i++) {
        char status[16] = "";
        if (t->ran[i].status != 0)
            snprintf(status, sizeof(status), "status %d", t->ran[i].status);
        printf("  %-*.*s  %-9s", (int)columns - 2, (int)columns - 2, t->ran[i].text, status);
        figures(t->ran[i].measured, t->ran[i].time_s, t->ran[i].energy_j);
        putchar('\n');
    }
}

static unsigned count(const struct run_build *b, enum run_build_verdict verdict)
{
    unsigned n = 0;

    for (unsigned i = 0; i < b->tests; i++)
        n += b->test[i].verdict == verdict;
    return n;
}

static void show(const struct run_build *b)
{
    const unsigned columns = width(b);
    double time_s = 0;
    double energy_j = 0;

    printf("%s project, built in %s\n", b->found, shown(b->out));
    if (b->also[0] != '\0')
        printf("(also found: %s; choose with --system)\n", b->also);
    if (b->tests == 0) {
        if (b->nothing[0] != '\0')
            printf("no tests: %s\n", b->nothing);
        return;
    }
    printf("\n%-*s  %-9s  %14s  %15s\n", (int)columns, "test", "result", "modelled time", "energy");
    for (unsigned i = 0; i < b->tests; i++) {
        double t;
        double e;
        sum(&b->test[i], &t, &e);
        time_s += t;
        energy_j += e;
        show_test(&b->test[i], columns);
    }
    printf("\n%u test%s: %u passed, %u failed, %u skipped; %.6f s, %.3f mJ in the emulator\n",
           b->tests, b->tests == 1 ? "" : "s", count(b, RUN_BUILD_PASSED),
           count(b, RUN_BUILD_FAILED), count(b, RUN_BUILD_SKIPPED), time_s, energy_j * 1e3);
}

static json_t *figures_json(json_t *o, bool measured, double time_s, double energy_j)
{
    if (measured) {
        json_put_real(o, "time_s", time_s);
        json_put_real(o, "energy_j", energy_j);
    }
    return o;
}

static json_t *test_json(const struct run_build_test *t)
{
    static const char *const words[] = {[RUN_BUILD_PASSED] = "passed",
                                        [RUN_BUILD_FAILED] = "failed",
                                        [RUN_BUILD_SKIPPED] = "skipped"};
    json_t *const o = json_object();
    json_t *const runs = json_array();
    double time_s;
    double energy_j;
    const bool measured = sum(t, &time_s, &energy_j) > 0;

    json_put_text(o, "name", t->name);
    json_put_text(o, "result", words[t->verdict]);
    json_put_text(o, "reason", t->why);
    figures_json(o, measured, time_s, energy_j);
    for (unsigned i = 0; i < t->rans; i++) {
        json_t *const r = json_object();
        json_put_text(r, "command", t->ran[i].text);
        json_put_count(r, "status", (uint64_t)t->ran[i].status);
        json_array_append_new(
            runs, figures_json(r, t->ran[i].measured, t->ran[i].time_s, t->ran[i].energy_j));
    }
    json_object_set_new(o, "runs", runs);
    return o;
}

static int put_json(const void *what, FILE *f, struct mpj_err *err)
{
    const struct run_build *const b = what;
    json_t *const o = json_object();
    json_t *const tests = json_array();

    json_put_text(o, "schema", "mpjoule-build/1");
    json_put_text(o, "system", b->found);
    json_put_text(o, "folder", b->out);
    for (unsigned i = 0; i < b->tests; i++)
        json_array_append_new(tests, test_json(&b->test[i]));
    json_object_set_new(o, "tests", tests);
    return json_write(o, f, err);
}

/* Cuts the words after "--" off the arguments and returns them; NULL: there are none. */
static char **cut_args(int *argc, char **argv)
{
    for (int i = 1; i < *argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            argv[i] = NULL;
            *argc = i;
            return argv + i + 1;
        }
    }
    return NULL;
}

int cmd_build(int argc, char **argv)
{
    static char name[] = "mpjoule build"; /* what argp calls us */
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .args_doc = "[DIR] [-- TARGET|NAME=VALUE ...]",
        .doc = "Build a project for the target by its own build system, and run its tests in the "
               "emulator. See `mpjoule help build`."};
    static struct options o = {.build = {.source = "."}};
    struct mpj_err err;
    unsigned failed;
    int result;

    o.build.args = cut_args(&argc, argv);
    o.build.configure = o.configure;
    o.build.step = on_step;
    cli_arguments(&argp, argc, argv, name, &o);
    result = run_build(&o.build, &err);
    cli_busy_end();
    if (result == MPJ_E_OK && !cli_quiet() && !cli_is_stdout(o.json))
        show(&o.build);
    if (result == MPJ_E_OK)
        result = cli_output(result, o.json, put_json, &o.build, &err);
    failed = count(&o.build, RUN_BUILD_FAILED);
    if (result == MPJ_E_OK && failed > 0) {
        fflush(stdout);
        cli_note("%u of %u tests failed: their output is in %s", failed, o.build.tests,
                 shown(o.build.log));
    }
    run_build_free(&o.build);
    if (result != MPJ_E_OK)
        return cli_fail(&err);
    return failed > 0 ? TESTS_FAILED : 0;
}
