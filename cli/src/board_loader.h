/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The resident loader of a board, for the subcommands that use it. */
#ifndef BOARD_LOADER_H
#define BOARD_LOADER_H

#include <stdbool.h>

#include "mpj_board.h"
#include "mpj_loader.h"

/* Makes the board run its loader (its start or power_cycle command) and opens it; the board is the
 * one the list describes, or nothing is written. Close the loader, then free the target. */
int cli_loader_open(struct mpj_loader **out, struct mpj_target **target,
                    const struct mpj_board *board, const char *elf, struct mpj_err *err);
/* Progress on stderr: a line that stays in place on a terminal; one line per phase elsewhere,
 * none when quiet. */
struct cli_progress {
    bool quiet;
    bool open; /* a line stands unfinished */
    char phase;
    double started;
    unsigned first; /* bytes that were there before */
};
void cli_progress_show(void *ctx, char phase, uint32_t done, uint32_t total, uint32_t rate);
/* Ends an unfinished line. */
void cli_progress_end(struct cli_progress *p);

#endif
