/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verbosity.h"

#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli.h"
#include "options_common.h"
#include "run/paths.h"
#include "run/recipe.h"

#define HELP_ALL "--help-all"
#define BUSY_S   2 /* from then on a silent command shows that it is running */

static bool quiet, verbose, forgetful;
static double begun;

bool cli_quiet(void)
{
    return quiet;
}

void cli_set_quiet(void)
{
    quiet = true;
}

void cli_suppress_kept(void)
{
    forgetful = true;
}

void cli_append_kept(struct mpj_err *err, const char *path)
{
    if (!forgetful)
        run_say_kept(err, path);
}

bool cli_shows_progress(void)
{
    return !quiet && isatty(STDERR_FILENO) == 1;
}

bool cli_colours(FILE *f)
{
    const char *const none = getenv("NO_COLOR");
    const char *const term = getenv("TERM");

    return isatty(fileno(f)) == 1 && (none == NULL || none[0] == '\0') &&
           (term == NULL || strcmp(term, "dumb") != 0);
}

void cli_verbose(const char *format, ...)
{
    char text[2 * PATH_MAX];
    va_list ap;

    if (!verbose)
        return;
    va_start(ap, format);
    vsnprintf(text, sizeof(text), format, ap);
    va_end(ap);
    mpj_text_clean(text);
    cli_live_clear();
    fprintf(stderr, "mpjoule: %s\n", text);
}

/* ---- options ---------------------------------------------------------------------- */

enum key { KEY_VERBOSE = 0x5656, KEY_HELP_ALL };

static error_t parse_voice(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    if (key == 'q')
        quiet = true;
    else if (key == KEY_VERBOSE)
        verbose = true;
    else if (key == KEY_HELP_ALL) /* ends the command */
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static error_t parse_both(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = state->input;
    return 0;
}

static void tell_end(void)
{
    cli_verbose("took %.2f s", mpj_clock_s() - begun);
}

static void tell_path(const char *what, char *path)
{
    cli_verbose("%-11s %s%s", what, path != NULL ? path : "?",
                path != NULL && access(path, F_OK) == 0 ? "" : " (missing)");
    free(path);
}

/* Prints the files that this command uses. */
static void tell_begin(void)
{
    char self[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

    begun = mpj_clock_s();
    if (!verbose)
        return;
    self[n > 0 ? n : 0] = '\0';
    cli_verbose("%-11s %s, version " MPJ_VERSION, "command", self);
    tell_path("runtime", run_path_firmware());
    tell_path("emulator", run_path_qemu());
    tell_path("models", run_path_models());
    (void)atexit(tell_end);
}

/* Refuses an option that a terminal cannot show: none of ours is one, and argp would print it as it
 * is. */
static void refuse_hidden(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *const arg = argv[i];
        const size_t n = strncmp(arg, "--", 2) == 0 ? strcspn(arg, "=") : 2; /* -X: one byte */
        char *const name = arg[0] == '-' && (arg[1] & 0x80) == 0 ? strndup(arg, n) : NULL;
        struct mpj_err err;

        if (name == NULL)
            continue;
        mpj_text_clean(name);
        if (strncmp(name, arg, strlen(name)) != 0) {
            mpj_err_set(&err, MPJ_E_USAGE, "unknown option \"%s\"", name);
            exit(cli_fail(&err));
        }
        free(name);
    }
}

static bool has_help_all(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], HELP_ALL) == 0)
            return true;
    }
    return false;
}

void cli_arguments(const struct argp *own, int argc, char **argv, char *name, void *input)
{
    const struct argp *const shown = has_help_all(argc, argv) ? own : cli_common(own, name);
    const struct argp_option options[] = {
        {"quiet", 'q', NULL, 0, "No progress and no summary; files and errors are still written",
         -2},
        {"verbose", KEY_VERBOSE, NULL, 0, "Report on stderr which files are used, and the duration",
         -2},
        {&HELP_ALL[2], KEY_HELP_ALL, NULL, shown != own ? 0 : OPTION_HIDDEN,
         "Also list the options that are not shown here", -1},
        {0},
    };
    const struct argp voice = {.options = options, .parser = parse_voice};
    const struct argp_child children[] = {{shown, 0, NULL, 0}, {&voice, 0, NULL, 0}, {0}};
    const struct argp both = {.parser = parse_both, .children = children};

    argv[0] = name;
    argp_err_exit_status = CLI_FAILURE;
    refuse_hidden(argc, argv);
    argp_parse(&both, argc, argv, 0, NULL, input);
    tell_begin();
}

int cli_words(int argc, char **argv)
{
    int n = 0;

    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--quiet") == 0 || strcmp(argv[i], "-q") == 0)
            quiet = true;
        else if (strcmp(argv[i], "--verbose") == 0)
            verbose = true;
        else
            argv[n++] = argv[i];
    }
    argv[n] = NULL;
    tell_begin();
    return n;
}

/* ---- what takes long ----------------------------------------------------------------- */

static struct {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t over;
    const char *what;
    double since;
    bool on, ended;
} busy = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *watch(void *arg)
{
    struct timespec until;

    (void)arg;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += BUSY_S;
    pthread_mutex_lock(&busy.lock);
    while (!busy.ended) {
        if (pthread_cond_timedwait(&busy.over, &busy.lock, &until) == 0)
            continue; /* the end, or nothing */
        cli_live_line("%s, %.0f s", busy.what, mpj_clock_s() - busy.since);
        until.tv_sec++;
    }
    pthread_mutex_unlock(&busy.lock);
    return NULL;
}

void cli_busy_begin(const char *what)
{
    pthread_condattr_t clock;

    if (!cli_shows_progress())
        return;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&busy.over, &clock);
    pthread_condattr_destroy(&clock);
    busy.what = what;
    busy.since = mpj_clock_s();
    busy.ended = false;
    busy.on = pthread_create(&busy.thread, NULL, watch, NULL) == 0;
}

void cli_busy_end(void)
{
    if (!busy.on)
        return;
    pthread_mutex_lock(&busy.lock);
    busy.ended = true;
    pthread_cond_signal(&busy.over);
    pthread_mutex_unlock(&busy.lock);
    pthread_join(busy.thread, NULL);
    pthread_cond_destroy(&busy.over);
    busy.on = false;
    cli_live_clear();
}
