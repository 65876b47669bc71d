/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Display of uploads into a board, on stderr. */
#ifndef UPLOAD_SHOW_H
#define UPLOAD_SHOW_H

#include <stdbool.h>

#include "hil/loader.h"

/* Prints on stderr how the upload went over the line. */
void cli_upload_show(const struct mpj_loader_upload *u);

/* Progress on stderr: a line that stays in place on a terminal; one line per phase elsewhere,
 * none when quiet. */
struct cli_progress {
    bool quiet;
    bool open; /* a line is unfinished */
    char phase;
    double started;
    unsigned first; /* bytes that were there before */
};
void cli_progress_show(void *ctx, char phase, uint32_t done, uint32_t total, uint32_t rate);
/* Ends an unfinished line. */
void cli_progress_end(struct cli_progress *p);

#endif
