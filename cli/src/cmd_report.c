/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule report: views of a recorded run. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/tempdir.h"
#include "cli.h"
#include "cli_options.h"
#include "commands.h"
#include "files.h"
#include "hil/image.h"
#include "log/log.h"
#include "model_commands.h"
#include "report/report.h"
#include "report/store.h"

#define GROUPS_MAX 8
#define NAMES_MAX  32 /* of functions, per filter */

enum {
    OPT_SORT = 256,
    OPT_TOP,
    OPT_SOURCE,
    OPT_CHIP,
    OPT_DETAILS,
    OPT_SUGGEST,
    OPT_GROUPS,
    OPT_MOST,
    OPT_NO_CODE
};

struct options {
    const struct mpj_view *view;
    const struct mpj_exporter *format;
    const char *output; /* file, or folder of a format of several files; NULL: the usual place */
    const char *elf;
    bool no_code; /* a page without */
    const char *file;
    const char *name; /* of it, as it was given: a page's is not what is read */
    struct mpj_group *group[GROUPS_MAX];
    unsigned groups;
    const char *model;
    /* functions */
    const char *only[NAMES_MAX], *without[NAMES_MAX];
    struct mpj_prof_choice choice;
    bool share_chip;
    bool details;
    int source; /* negative: the most exact */
    const char *sort;
    int top;
    /* of a run with --entries: what the next one should measure */
    const char *suggest; /* file of filters; NULL: not asked */
    unsigned entry_groups;
    double most; /* percent */
};

static void parse_name(const char *option, const char **list, unsigned *n, const char *arg,
                       struct argp_state *state)
{
    if (*n == NAMES_MAX)
        argp_error(state, "%s is allowed at most %d times", option, NAMES_MAX);
    list[(*n)++] = arg;
}

/* Parses the options of the views of functions. */
static error_t parse_functions(int key, char *arg, struct argp_state *state)
{
    struct options *const o = state->input;

    switch (key) {
    case 'F':
        parse_name("-F", o->only, &o->choice.onlys, arg, state);
        return 0;
    case 'N':
        parse_name("-N", o->without, &o->choice.withouts, arg, state);
        return 0;
    case 'D':
        o->choice.depth = (unsigned)cli_whole(state, "-D", arg, 1, 1000000000);
        return 0;
    case 't':
        cli_least(state, arg, &o->choice.least_s, &o->choice.least_uj);
        return 0;
    case OPT_SORT:
        o->sort = arg;
        return 0;
    case OPT_TOP:
        o->top = (int)cli_whole(state, "--top", arg, 0, 1000000000);
        return 0;
    case OPT_SOURCE:
        o->source = mpj_profile_source_find(arg);
        if (o->source < 0)
            argp_error(state, "--source must be truth, entries or samples, not \"%s\"", arg);
        return 0;
    case OPT_DETAILS:
        o->details = true;
        return 0;
    case OPT_CHIP:
        o->share_chip = strcmp(arg, "share") == 0;
        if (!o->share_chip && strcmp(arg, "apart") != 0)
            argp_error(state, "--chip must be apart or share, not \"%s\"", arg);
        return 0;
    case OPT_SUGGEST:
        o->suggest = arg;
        return 0;
    case OPT_GROUPS:
        o->entry_groups = (unsigned)cli_whole(state, "--groups", arg, 1, MPJ_TRACE_GROUPS_MAX);
        return 0;
    case OPT_MOST:
        o->most = cli_number(state, "--most", arg, 0, 1000);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *const o = state->input;
    struct mpj_err err;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        return 0;
    case 'v':
        o->view = mpj_view_find(arg, &err);
        if (o->view == NULL)
            argp_error(state, "%s", err.text);
        return 0;
    case 'f':
        o->format = mpj_exporter_find(arg, &err);
        if (o->format == NULL)
            argp_error(state, "%s", err.text);
        return 0;
    case 'o':
        o->output = arg;
        return 0;
    case 'g':
        if (o->groups == GROUPS_MAX)
            argp_error(state, "--group is allowed at most %d times", GROUPS_MAX);
        if (cli_group(&o->group[o->groups], arg, &err) != MPJ_E_OK)
            argp_error(state, "%s", err.text);
        o->groups++;
        return 0;
    case 'm':
        o->model = arg;
        return 0;
    case 'e':
        o->elf = arg;
        return 0;
    case OPT_NO_CODE:
        o->no_code = true;
        return 0;
    case ARGP_KEY_ARG:
        if (o->file != NULL)
            argp_error(state, "too many arguments: expected one run");
        o->file = o->name = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "expected a run: its .mpj file, raw .mplog or HTML page");
        return 0;
    default:
        return parse_functions(key, arg, state);
    }
}

/* Finds the store to read: the file, or one converted from a raw log, *temp in a private folder. */
static int find_store(const struct options *o, struct mpj_tempdir *folder, char **temp,
                      const char **store, struct mpj_err *err)
{
    struct mpj_image image;

    *store = o->file;
    if (!mpj_log_is(o->file)) {
        if (access(o->file, R_OK) != 0)
            return mpj_err_errno(err, "cannot open %s", o->file);
        if (o->elf != NULL && !o->format->code)
            return mpj_err_set(err, MPJ_E_USAGE,
                               "--elf requires a raw log (.mplog) or --format html: %s already has "
                               "names",
                               o->file);
        return MPJ_E_OK;
    }
    if (o->elf != NULL && mpj_image_check(&image, o->elf, err) != MPJ_E_OK)
        return err->code;
    if (mpj_tempdir_make(folder, err) != MPJ_E_OK)
        return err->code;
    if (asprintf(temp, "%s/run.mpj", folder->path) < 0) {
        *temp = NULL;
        return mpj_err_nomem(err);
    }
    *store = *temp;
    return mpj_store_build(*temp, &o->file, 1, o->elf, err);
}

static void check_elf(const struct options *o, const struct mpj_run *run)
{
    struct mpj_image image;
    struct mpj_err ignored;

    if (o->elf != NULL && mpj_log_is(o->file) && run->firmware_sha256 != NULL &&
        mpj_image_check(&image, o->elf, &ignored) == MPJ_E_OK &&
        strcmp(run->firmware_sha256, image.sha256) != 0)
        cli_note("%s is not the file that was run: names may be wrong", o->elf);
}

/* Selects the requested profile and filters it. */
static int choose_profile(struct options *o, struct mpj_run *run, const char *store,
                          struct mpj_err *err)
{
    int result = MPJ_E_OK;

    o->choice.only = o->only;
    o->choice.without = o->without;
    if (o->source >= 0) {
        mpj_profile_free(run->profile);
        result = mpj_profile_load(&run->profile, store, (enum mpj_prof_source)o->source, err);
    }
    if (result != MPJ_E_OK || (run->profile == NULL && !o->share_chip))
        return result;
    if (run->profile == NULL)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "--chip share: the run has no profile of functions: record one with "
                           "`mpjoule run --functions`");
    if (o->share_chip && mpj_profile_share_chip(run->profile, err) != MPJ_E_OK)
        return err->code;
    return mpj_profile_filter(run->profile, &o->choice, err);
}

/* A report and a format that is one stream. */
struct shown {
    const struct mpj_report *report;
    const struct mpj_exporter *format;
};

static int put_shown(const void *what, FILE *f, struct mpj_err *err)
{
    const struct shown *const s = what;

    return mpj_report_show(s->report, s->format, f, err);
}

/* Returns the file that the report is written to; NULL: stdout, or a folder. */
static const char *output_file(const struct options *o)
{
    return o->format->folder || o->output == NULL || cli_is_stdout(o->output) ? NULL : o->output;
}

static int put_report(const struct options *o, const struct mpj_report *r, struct mpj_err *err)
{
    const struct shown shown = {r, o->format};
    const char *const file = output_file(o);

    return file != NULL ? mpj_file_write(file, put_shown, &shown, err)
                        : mpj_report_show(r, o->format, stdout, err);
}

/* Finds the program for a format that shows code; it may be missing unless the user has named it.
 */
static int find_program(const struct options *o, struct mpj_report *r, char **found,
                        struct mpj_err *missing, struct mpj_err *err)
{
    if (!o->format->code)
        return MPJ_E_OK;
    if (o->no_code) {
        r->no_elf = "it is left out (--no-code)";
        return MPJ_E_OK;
    }
    if (o->elf != NULL && !mpj_log_is(o->file)) {
        r->elf = o->elf;
        return cli_program_check(r->run, o->elf, err);
    }
    if (o->elf != NULL ? cli_program_check(r->run, o->elf, missing) == MPJ_E_OK
                       : cli_program_find(found, r->run, o->name, missing) == MPJ_E_OK)
        r->elf = o->elf != NULL ? o->elf : *found;
    else
        r->no_elf = missing->text;
    return MPJ_E_OK;
}

static int check_files(const struct options *o, struct mpj_err *err)
{
    struct cli_files files = {.n = 0};
    int result;

    if (o->no_code && !o->format->code)
        return mpj_err_set(err, MPJ_E_USAGE, "--no-code requires --format html");
    if (o->suggest != NULL && o->output != NULL)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "--output cannot be combined with --suggest, which names its own file");
    cli_file(&files, o->suggest != NULL ? o->suggest : output_file(o), CLI_WRITTEN);
    cli_file(&files, o->name, CLI_READ);
    cli_file(&files, o->elf, CLI_READ);
    cli_file(&files, o->model, CLI_READ);
    result = cli_files_check(&files, err);
    cli_files_free(&files);
    return result;
}

static int show_run(struct options *o, struct mpj_report *r, struct mpj_err *err)
{
    struct mpj_tempdir folder = {.path = NULL};
    char *temp = NULL;
    char *found = NULL;
    struct mpj_run *run = NULL;
    struct mpj_err missing;
    int result;

    cli_busy_begin("reading");
    result = find_store(o, &folder, &temp, &r->store, err);
    if (result == MPJ_E_OK)
        result = mpj_run_load(&run, r->store, err);
    cli_busy_end();
    if (result == MPJ_E_OK && o->suggest != NULL)
        result = cli_suggest(r->store, o->suggest, o->entry_groups, o->most / 100, err);
    if (result == MPJ_E_OK && o->suggest == NULL) {
        check_elf(o, run);
        result = cli_model_apply(run, o->model, err);
    }
    if (result == MPJ_E_OK && o->suggest == NULL)
        result = choose_profile(o, run, r->store, err);
    r->run = run;
    if (result == MPJ_E_OK)
        result = find_program(o, r, &found, &missing, err);
    if (output_file(o) != NULL ||
        isatty(STDOUT_FILENO) != 1) /* what it writes there shows that it continues */
        cli_busy_begin("writing");
    if (result == MPJ_E_OK && o->suggest == NULL)
        result = put_report(o, r, err);
    cli_busy_end();
    r->elf = NULL;
    r->no_elf = NULL;
    mpj_run_free(run);
    free(found);
    free(temp);
    mpj_tempdir_remove(&folder);
    return result;
}

static int show_file(struct options *o, struct mpj_err *err)
{
    const bool of_file = o->groups == 0 && o->view->needs == MPJ_NEEDS_FILE;
    struct mpj_report r = {.view = o->view,
                           .file = o->file,
                           .name = o->name,
                           .group = o->group,
                           .groups = o->groups,
                           .folder = o->output != NULL ? o->output : o->format->extension,
                           .source =
                               o->source >= 0 ? (enum mpj_prof_source)o->source : MPJ_PROF_SOURCES,
                           .sort = o->sort,
                           .details = o->details,
                           .top = o->top};

    if (o->groups > 0)
        r.view = mpj_view_find("groups", err);
    if (!of_file || o->suggest != NULL)
        return show_run(o, &r, err);
    return access(o->file, R_OK) == 0 ? put_report(o, &r, err)
                                      : mpj_err_errno(err, "cannot open %s", o->file);
}

static int show(struct options *o, struct mpj_err *err)
{
    struct cli_source source;
    int result = check_files(o, err);

    if (result != MPJ_E_OK)
        return result;
    result = cli_source_open(&source, o->file, err);
    o->file = source.file;
    if (result == MPJ_E_OK)
        result = show_file(o, err);
    cli_source_close(&source);
    return result;
}

int cmd_report(int argc, char **argv)
{
    static char name[] = "mpjoule report"; /* what argp calls us */
    static char views[MPJ_VIEW_NAMES_MAX];
    static char formats[MPJ_VIEW_NAMES_MAX];
    static const struct argp_option known[] = {
        {"view", 'v', "VIEW", 0, views, 0},
        {"format", 'f', "FORMAT", 0, formats, 0},
        {"output", 'o', "FILE|FOLDER", 0,
         "File of the report (default: stdout); folder of the XML files (default xml)", 0},
        {"group", 'g', "NAME", 0,
         "Show the metrics of a counter group (`mpjoule groups`); repeatable", 0},
        {"model", 'm', "NAME|FILE", 0,
         "Energy model (default: the one fitted to target and calibration, if the run counted its "
         "events; none)",
         0},
        {"details", OPT_DETAILS, NULL, 0,
         "All tables of the summary; each thread's part of regions and waits", 0},
        {"elf", 'e', "FILE", 0,
         "Program: for function names if the run is a raw log, for the code in an HTML page "
         "(default: the file of its name, next to the run or in the current folder, or the path as "
         "typed for the run)",
         0},
        {"no-code", OPT_NO_CODE, NULL, 0, "HTML page without source lines and instructions", 0},
        {"function", 'F', "NAME", 0,
         "Functions: only NAME (or a pattern), what it calls, and the path to it; repeatable", 1},
        {"without", 'N', "NAME", 0, "Functions: without NAME and what it calls; repeatable", 1},
        {"depth", 'D', "N", 0, "Functions: N levels of calls", 1},
        {"least", 't', "TIME|ENERGY", 0,
         "Functions: call paths of at least this time or energy, such as 10us or 5uJ", 1},
        {"sort", OPT_SORT, "COST", 0,
         "Functions: sort by energy (default), time, calls or an event; total-energy and so on "
         "include called functions",
         1},
        {"top", OPT_TOP, "N", 0, "Rows of a table of functions, events, regions or waits; 0: all",
         1},
        {"chip", OPT_CHIP, "WHERE", 0,
         "Energy that belongs to no core: apart (default), as the line (chip); share, distributed "
         "over functions by core time",
         1},
        {"source", OPT_SOURCE, "SOURCE", 0,
         "Functions by truth (of the emulator), entries, or samples (default: the first that the "
         "run has)",
         1},
        {"suggest", OPT_SUGGEST, "FILE", 0,
         "For a run with --entries: estimate the cost of the next one, and write to FILE what to "
         "exclude from it",
         1},
        {"groups", OPT_GROUPS, "N", 0, "Groups of the next run (--suggest; default 1)", 1},
        {"most", OPT_MOST, "PERCENT", 0,
         "Largest cost of the next run, as a share of its time (--suggest; default 1)", 1},
        {0},
    };
    static const struct argp argp = {.options = known,
                                     .parser = parse,
                                     .args_doc = "run.mpj|page.html",
                                     .doc = "Show a recorded run. See `mpjoule help report`."};
    struct mpj_err err;
    struct options o = {.view = mpj_view_find(MPJ_VIEW_SUMMARY, &err),
                        .format = mpj_exporter_find(MPJ_FORMAT_TEXT, &err),
                        .source = -1,
                        .top = -1,
                        .entry_groups = 1,
                        .most = 1};
    int result;

    mpj_view_names(views, " (default)");
    mpj_exporter_names(formats, " (default)");
    cli_arguments(&argp, argc, argv, name, &o);
    result = show(&o, &err);
    for (unsigned i = 0; i < o.groups; i++)
        mpj_group_free(o.group[i]);
    return result == MPJ_E_OK ? 0 : cli_fail(&err);
}
