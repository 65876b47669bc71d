/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A campaign: runs many programs, with every event, and writes a data set to which energy models
 * are fitted. */
#ifndef BATCH_CAMPAIGN_H
#define BATCH_CAMPAIGN_H

#include "batch/board_pool.h"
#include "batch/engine.h"
#include "hil/image.h"
#include "hil/loader.h"
#include "models/dataset.h"
#include "run/inputs.h"
#include "run/options.h"
#include "run/run_target.h"

/* A program of the campaign. */
struct run_campaign_program {
    char *name, *family, *description, *elf;
    unsigned threads;
    char **argv; /* NULL-terminated, argv[0] first */
    unsigned argc;
    bool built; /* elf was compiled for the campaign */
    struct mpj_image image;
};

/* Progress of a campaign. */
struct run_campaign_progress {
    unsigned total;  /* runs: programs times passes */
    unsigned done;   /* finished runs, those of earlier campaigns included */
    unsigned failed; /* failed runs of this campaign */
    double left_s;   /* estimate, host's clock */
};

/* Callbacks for a caller that follows the campaign. Members may be NULL. Never called by two
 * threads at a time. */
struct run_campaign_watch {
    void (*progress)(void *ctx, const struct run_campaign_progress *p);
    /* Called for a run that failed for good; pass: from 0. */
    void (*failure)(void *ctx, const char *program, unsigned pass, unsigned passes,
                    const struct mpj_err *err);
    mpj_loader_progress_fn upload;
    void *ctx;
};

/* Zero-initialise, fill the first part. */
struct run_campaign {
    struct run_options o;    /* the options that all runs share; seed: of the noise */
    const char *path;        /* the data set; an unfinished one is completed */
    const char *list;        /* file of given programs; NULL: random ones */
    unsigned count;          /* random programs */
    const char *board;       /* kind of board that they are for; NULL: the target's */
    uint64_t generator_seed; /* seed of the random programs */
    /* Channel of the external meter that measures, "": the first; NULL: the ADC does */
    const char *meter_channel;
    struct run_engine engine; /* the number of jobs is that of o */
    /* Called with the files of the list's programs, before any is compiled; take NULL: not
     * wanted. */
    struct run_inputs reads;

    struct run_target target;
    struct run_board_pool *pool; /* the board, and others with its tag; NULL: no board */
    unsigned passes;             /* of each program */
    struct run_campaign_program *program;
    unsigned programs;
    char *work; /* folder of the raw logs of runs under way, and of failed ones */
    struct mpj_dataset_writer *data;
};

/* Finds the target, makes the list of programs, takes the board, opens the data set. Free with
 * run_campaign_release(), after an error too. */
int run_campaign_prepare(struct run_campaign *c, struct mpj_err *err);
/*
 * Executes every run that the data set does not have yet, several at a time; a failed one is
 * recorded there and does not end the campaign. MPJ_E_CANCELLED: ended by a signal (base/stop.h).
 */
int run_campaign(struct run_campaign *c, const struct run_campaign_watch *watch,
                 struct mpj_err *err);
void run_campaign_release(struct run_campaign *c);

#endif
