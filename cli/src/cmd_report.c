/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule report: views of a recorded run. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/tempdir.h"
#include "cli.h"
#include "commands.h"
#include "log/log.h"
#include "model.h"
#include "mpj_image.h"
#include "mpj_report.h"
#include "mpj_store.h"

#define GROUPS_MAX 8

struct options {
    const struct mpj_view *view;
    const struct mpj_exporter *format;
    const char *folder; /* NULL: named like the format */
    const char *elf;
    const char *file;
    struct mpj_group *group[GROUPS_MAX];
    unsigned groups;
    const char *model;
};

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
        o->folder = arg;
        return 0;
    case 'g':
        if (o->groups == GROUPS_MAX)
            argp_error(state, "--group at most %d times", GROUPS_MAX);
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
    case ARGP_KEY_ARG:
        if (o->file != NULL)
            argp_error(state, "more than one file");
        o->file = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which run? Give its .mpj file (or a raw .mplog)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* A raw log is turned into a store first, in a temporary file. */
static int load(struct mpj_run **run, const struct options *o, struct mpj_err *err)
{
    struct mpj_tempdir folder;
    struct mpj_image image;
    char *temp = NULL;
    int result;

    if (!mpj_log_is(o->file)) {
        if (access(o->file, R_OK) != 0)
            return mpj_err_errno(err, "cannot open %s", o->file);
        if (o->elf != NULL)
            return mpj_err_set(err, MPJ_E_USAGE,
                               "--elf goes with a raw log (.mplog): %s has its names", o->file);
        return mpj_run_load(run, o->file, err);
    }
    if (o->elf != NULL && mpj_image_check(&image, o->elf, err) != MPJ_E_OK)
        return err->code;
    if (mpj_tempdir_make(&folder, err) != MPJ_E_OK)
        return err->code;
    if (asprintf(&temp, "%s/run.mpj", folder.path) < 0) {
        mpj_tempdir_remove(&folder);
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    }
    result = mpj_store_build(temp, &o->file, 1, o->elf, err);
    if (result == MPJ_E_OK)
        result = mpj_run_load(run, temp, err);
    if (result == MPJ_E_OK && o->elf != NULL && (*run)->firmware_sha256 != NULL &&
        strcmp((*run)->firmware_sha256, image.sha256) != 0)
        fprintf(stderr, "mpjoule: %s is not the file that was run: names may be wrong\n", o->elf);
    free(temp);
    mpj_tempdir_remove(&folder);
    return result;
}

static int show(struct options *o, struct mpj_err *err)
{
    const bool of_file = o->groups == 0 && o->view->needs == MPJ_NEEDS_FILE;
    struct mpj_run *run = NULL;
    struct mpj_report r = {.view = o->view,
                           .file = o->file,
                           .group = o->group,
                           .groups = o->groups,
                           .folder = o->folder != NULL ? o->folder : o->format->extension};
    int result;

    if (o->groups > 0)
        r.view = mpj_view_find("groups", err);
    if (of_file && access(o->file, R_OK) != 0)
        return mpj_err_errno(err, "cannot open %s", o->file);
    result = of_file ? MPJ_E_OK : load(&run, o, err);
    if (result == MPJ_E_OK && !of_file)
        result = cli_model_apply(run, o->model, err);
    r.run = run;
    if (result == MPJ_E_OK)
        result = mpj_report_show(&r, o->format, stdout, err);
    mpj_run_free(run);
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
        {"output", 'o', "FOLDER", 0, "Folder of the XML files (default xml)", 0},
        {"group", 'g', "NAME", 0,
         "The metrics of a counter group instead (`mpjoule groups`); repeatable", 0},
        {"model", 'm', "NAME|FILE", 0,
         "Energy model (default: the one fitted to target and calibration, if the run counted its "
         "events; none)",
         0},
        {"elf", 'e', "FILE", 0, "Program, for function names when FILE is a raw log", 0},
        {0},
    };
    static const struct argp argp = {.options = known,
                                     .parser = parse,
                                     .args_doc = "run.mpj",
                                     .doc = "Show a recorded run. See `mpjoule help report`."};
    struct mpj_err err;
    struct options o = {.view = mpj_view_find(MPJ_VIEW_SUMMARY, &err),
                        .format = mpj_exporter_find(MPJ_FORMAT_TEXT, &err)};
    int result;

    argv[0] = name;
    argp_err_exit_status = CLI_FAILURE;
    mpj_view_names(views, " (default)");
    mpj_exporter_names(formats, " (default)");
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    result = show(&o, &err);
    for (unsigned i = 0; i < o.groups; i++)
        mpj_group_free(o.group[i]);
    return result == MPJ_E_OK ? 0 : cli_fail(&err);
}
