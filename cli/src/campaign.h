/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between `mpjoule model campaign`'s command line, its list of programs and its runs. */
#ifndef CAMPAIGN_H
#define CAMPAIGN_H

#include "mpj_dataset.h"
#include "mpj_generate.h"
#include "run.h"

#define CAMPAIGN_TRIES 3U /* of a run, when the infrastructure failed */

/* A program of the campaign. */
struct campaign_program {
    char *name, *family, *description, *elf;
    unsigned threads;
    char **argv; /* NULL-terminated, argv[0] first */
    unsigned argc;
    bool built; /* elf was compiled for the campaign */
    struct mpj_image image;
};

struct campaign {
    struct run base; /* what every run has in common: target, calibration, period, quantum */
    const char *path;
    const char *list; /* file of given programs; NULL: random ones */
    const char *csv;
    unsigned count;          /* random programs */
    uint64_t generator_seed; /* theirs */
    bool quiet;

    struct campaign_program *program;
    unsigned programs;
    char *work; /* folder of the raw logs of runs under way, and of failed ones */
    struct mpj_dataset_writer *data;
};

/* Fills program[]: from the generator, or from the list. */
int campaign_programs(struct campaign *c, struct mpj_err *err);
/* Compiles a C source of the list, options behind it, with `mpjoule cc`: out, absolute, is made.
 * folder: where relative paths begin. */
int campaign_compile(const char *folder, const char *source, const char *options, const char *out,
                     struct mpj_err *err);
void campaign_programs_free(struct campaign *c);

/* Makes every run that the data set does not have yet. *failed: how many did not succeed. */
int campaign_runs(struct campaign *c, unsigned *failed, struct mpj_err *err);

#endif
