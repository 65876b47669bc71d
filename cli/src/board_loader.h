/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The resident loader of a board, for the subcommands that use it. */
#ifndef BOARD_LOADER_H
#define BOARD_LOADER_H

#include <stdbool.h>

#include "mpj_board.h"
#include "mpj_loader.h"

/* The board lives in its loader between runs (boot: loader). */
bool cli_board_has_loader(const struct mpj_board *board);
/* The board as a target. Opening it runs its start or power_cycle command, unless it lives in its
 * loader: then that is for a loader that does not answer. */
int cli_board_serial(struct mpj_target **target, const struct mpj_board *board, const char *elf,
                     struct mpj_err *err);

/* Opens the loader; the board is the one the list describes, or MPJ_E_IDENTITY and nothing is
 * written. cancelled: as in mpj_loader.h. Close the loader, after an error too, then free the
 * target. */
int cli_loader_open(struct mpj_loader **out, struct mpj_target *target,
                    const struct mpj_board *board, bool (*cancelled)(void *ctx), void *ctx,
                    struct mpj_loader_info *info, struct mpj_err *err);

/* What came over the line, on stderr. */
void cli_upload_show(const struct mpj_loader_upload *u);

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
