/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A campaign: many programs, every event, into a data set that energy models are fitted to. */
#ifndef RUN_CAMPAIGN_H
#define RUN_CAMPAIGN_H

#include "mpj_dataset.h"
#include "mpj_image.h"
#include "mpj_loader.h"
#include "run/engine.h"
#include "run/options.h"
#include "run/reads.h"
#include "run/target.h"

/* A program of the campaign. */
struct run_campaign_program {
    char *name, *family, *description, *elf;
    unsigned threads;
    char **argv; /* NULL-terminated, argv[0] first */
    unsigned argc;
    bool built; /* elf was compiled for the campaign */
    struct mpj_image image;
};

/* How far it is. */
struct run_campaign_progress {
    unsigned total;  /* runs: programs times passes */
    unsigned done;   /* of them, those of earlier campaigns included */
    unsigned failed; /* of this one's */
    double left_s;   /* estimate, host's clock */
};

/* What a caller may watch. Members may be NULL. Never called by two threads at a time. */
struct run_campaign_watch {
    void (*progress)(void *ctx, const struct run_campaign_progress *p);
    /* A run failed for good; pass: from 0. */
    void (*failure)(void *ctx, const char *program, unsigned pass, unsigned passes,
                    const struct mpj_err *err);
    mpj_loader_progress_fn upload;
    void *ctx;
};

/* Zero-initialise, fill the first part. */
struct run_campaign {
    struct run_options o;    /* what every run has in common; seed: of the noise */
    const char *path;        /* the data set; an unfinished one is completed */
    const char *list;        /* file of given programs; NULL: random ones */
    unsigned count;          /* random programs */
    const char *board;       /* kind of board that they are for; NULL: the target's */
    uint64_t generator_seed; /* theirs */
    /* Channel of the external meter that measures, "": the first; NULL: the ADC does */
    const char *meter_channel;
    struct run_engine engine; /* its number of jobs is that of o */
    /* Is told the files of the list's programs, before any is compiled; take NULL: not wanted. */
    struct run_reads reads;

    struct run_target target;
    unsigned passes; /* of each program */
    struct run_campaign_program *program;
    unsigned programs;
    char *work; /* folder of the raw logs of runs under way, and of failed ones */
    struct mpj_dataset_writer *data;
};

/* Finds the target, makes the list of programs, takes the board, opens the data set. Free with
 * run_campaign_release(), after an error too. */
int run_campaign_prepare(struct run_campaign *c, struct mpj_err *err);
/*
 * Makes every run that the data set does not have yet, several at a time; a failed one is recorded
 * there and does not end the campaign. MPJ_E_CANCELLED: a signal to end did (base/stop.h).
 */
int run_campaign(struct run_campaign *c, const struct run_campaign_watch *watch,
                 struct mpj_err *err);
void run_campaign_release(struct run_campaign *c);

#endif
