/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule report: views of a recorded run. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "commands.h"
#include "log/log.h"
#include "model.h"
#include "mpj_energy.h"
#include "mpj_image.h"
#include "mpj_report.h"
#include "mpj_store.h"

#define GROUPS_MAX 8

struct options {
    unsigned view; /* index of views */
    const char *format;
    const char *folder;
    const char *elf;
    const char *file;
    struct mpj_group *group[GROUPS_MAX];
    unsigned groups;
    const char *model;
};

/* in the order of enum mpj_view */
static const char *const views[] = {"summary", "cores",    "threads", "sync",
                                    "regions", "timeline", "energy",  "samples"};
#define VIEW_ENERGY  6U /* these two do not need the rest of the run */
#define VIEW_SAMPLES 7U

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *const o = state->input;
    struct mpj_err err;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        return 0;
    case 'v':
        for (o->view = 0; strcmp(arg, views[o->view]) != 0; o->view++) {
            if (o->view + 1U == sizeof(views) / sizeof(views[0]))
                argp_error(state,
                           "no view is called \"%s\" (summary, cores, threads, sync, regions, "
                           "timeline, energy, samples)",
                           arg);
        }
        return 0;
    case 'f':
        if (strcmp(arg, "json") != 0 && strcmp(arg, "text") != 0 && strcmp(arg, "csv") != 0 &&
            strcmp(arg, "xml") != 0)
            argp_error(state, "no format is called \"%s\" (text, json, csv, xml)", arg);
        o->format = arg;
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
    char temp[] = "/tmp/mpjoule-report-XXXXXX";
    struct mpj_image image;
    int result;
    int fd;

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
    fd = mkstemp(temp);
    if (fd < 0)
        return mpj_err_errno(err, "cannot make a temporary file");
    close(fd);
    result = mpj_store_build(temp, &o->file, 1, o->elf, err);
    if (result == MPJ_E_OK)
        result = mpj_run_load(run, temp, err);
    if (result == MPJ_E_OK && o->elf != NULL && (*run)->firmware_sha256 != NULL &&
        strcmp((*run)->firmware_sha256, image.sha256) != 0)
        fprintf(stderr, "mpjoule: %s is not the file that was run: names may be wrong\n", o->elf);
    unlink(temp);
    return result;
}

/* Energy and samples are read straight from the log or the store, however long the recording. */
static int show_energy(const struct options *o, struct mpj_err *err)
{
    struct mpj_energy *e = NULL;
    int result;

    if (access(o->file, R_OK) != 0)
        return mpj_err_errno(err, "cannot open %s", o->file);
    if (o->format[0] == 'x' || (o->format[0] == 't' && o->view == VIEW_SAMPLES))
        return mpj_err_set(err, MPJ_E_USAGE, "the view %s comes as %scsv or json", views[o->view],
                           o->view == VIEW_ENERGY ? "text, " : "");
    if (o->view == VIEW_SAMPLES)
        return mpj_energy_samples(o->file, o->format[0] == 'j', stdout, err);
    result = mpj_energy_load(&e, o->file, NULL, NULL, err);
    if (result == MPJ_E_OK)
        result = o->format[0] == 'j'   ? mpj_energy_json(e, stdout, err)
                 : o->format[0] == 'c' ? mpj_energy_csv(e, stdout, err)
                                       : mpj_energy_text(e, stdout, err);
    mpj_energy_free(e);
    return result;
}

static int show(const struct mpj_run *run, const struct options *o, struct mpj_err *err)
{
    switch (o->format[0]) {
    case 'j':
        return mpj_report_json(run, stdout, err);
    case 'c':
        return mpj_report_csv(run, o->view, stdout, err);
    case 'x':
        return mpj_report_xml(run, o->folder, err);
    default:
        return mpj_report_text(run, o->view, stdout, err);
    }
}

int cmd_report(int argc, char **argv)
{
    static char name[] = "mpjoule report"; /* what argp calls us */
    static const struct argp_option known[] = {
        {"view", 'v', "VIEW", 0,
         "summary (default), cores, threads, sync, regions, timeline, energy, samples", 0},
        {"format", 'f', "FORMAT", 0, "text (default), json, csv, xml", 0},
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
    struct options o = {.view = MPJ_VIEW_SUMMARY, .format = "text", .folder = "xml"};
    struct mpj_run *run = NULL;
    struct mpj_err err;
    int result;

    argv[0] = name;
    argp_err_exit_status = CLI_FAILURE;
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (o.groups == 0 && (o.view == VIEW_ENERGY || o.view == VIEW_SAMPLES)) {
        result = show_energy(&o, &err);
        return result == MPJ_E_OK ? 0 : cli_fail(&err);
    }
    result = load(&run, &o, &err);
    if (result == MPJ_E_OK)
        result = cli_model_apply(run, o.model, &err);
    for (unsigned i = 0; i < o.groups && result == MPJ_E_OK; i++)
        result = mpj_group_print(o.group[i], run, stdout, &err);
    if (result == MPJ_E_OK && o.groups == 0)
        result = show(run, &o, &err);
    for (unsigned i = 0; i < o.groups; i++)
        mpj_group_free(o.group[i]);
    mpj_run_free(run);
    return result == MPJ_E_OK ? 0 : cli_fail(&err);
}
