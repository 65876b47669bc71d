/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of boards of this machine, and a board's resident loader. */
#ifndef RUN_BOARDS_H
#define RUN_BOARDS_H

#include <stdbool.h>

#include "hil/board.h"
#include "hil/image.h"
#include "hil/loader.h"

/* Loads the list of boards: the given file, or that of the environment (MPJOULE_BOARDS), the user,
 * the machine. *list: free with mpj_boards_free(). Returns an enum mpj_code. */
int run_boards_load(struct mpj_boards **list, const char *given, struct mpj_err *err);
/* Finds the board that a word means: an id of the list (*list, to be freed), or a port's path,
 * which *port then describes; name must outlive it. file: as above. */
int run_board_find(struct mpj_boards **list, struct mpj_board *port, const struct mpj_board **out,
                   const char *name, const char *file, struct mpj_err *err);

/* Writes the kind of a board of the list, found by its platform; "" when the list does not name it,
 * or this installation has no such kind. */
int run_board_kind(char name[TILE_NAME_SIZE], const struct mpj_board *board, struct mpj_err *err);
/* Checks that a program is for the kind of the board, if known. MPJ_E_ELF: it is
 * not. */
int run_board_fits(const struct mpj_board *board, const struct mpj_image *image, const char *elf,
                   struct mpj_err *err);

/* Takes the board for this process (mpj_lock_take()), and waits for programs that have its port by
 * a lock of ports: wait_s for both. A program that still has it then is an error of the function
 * that opens the port. */
int run_board_take(struct mpj_lock **lock, const struct mpj_board *board, const char *purpose,
                   unsigned wait_s, struct mpj_err *err);
/* True if a program that honours only locks of ports has the board's. */
bool run_board_port_held(const struct mpj_board *board);
/* Before a tag in --target. */
#define RUN_ANY "any:"
/* True if such a target means several boards: those with a tag, or those of a list, "a,b". */
bool run_board_several(const char *target);
/*
 * Takes a board that a target of several means, the first of the list that is free and not in
 * quarantine, as run_board_take().
 * MPJ_E_BOARDS: they are not of one platform, none has the tag, or a name is unknown or there
 * twice. *board: the one that was taken; after an error one of them, NULL if there is none.
 */
int run_board_take_any(struct mpj_lock **lock, const struct mpj_board **board,
                       const struct mpj_boards *list, const char *target, unsigned wait_s,
                       struct mpj_err *err);
/* Lists the ids of the boards (file: as above) that such a target means and that are not in
 * quarantine. Returns *n of them, in one piece to free(); NULL: none, as for another target. */
char **run_board_ids(const char *target, const char *file, unsigned *n);

/* True if the board stays in its resident loader between runs (boot: loader). */
bool run_board_has_loader(const struct mpj_board *board);
/* True if the board is started from the prompt of U-Boot (start: uboot). */
bool run_board_has_uboot(const struct mpj_board *board);
/* Creates a target for the board. Opening it runs its start or power_cycle command; on a board with
 * a loader or U-Boot only when that does not answer. lost: power_cycle runs first in any case. */
int run_board_serial(struct mpj_target **target, const struct mpj_board *board, const char *elf,
                     bool lost, unsigned timeout_s, struct mpj_err *err);
/* Creates a target for the board's line alone: nothing is started. reset: opening it restarts the
 * board, by power_cycle or reset_line; MPJ_E_USAGE when it has neither. */
int run_board_line(struct mpj_target **target, const struct mpj_board *board, bool reset,
                   struct mpj_err *err);
/*
 * Opens the loader and checks that the board is the one that the list describes: otherwise
 * MPJ_E_IDENTITY, and nothing is written. cancelled: as in hil/loader.h. Close the loader, after an
 * error too, then free the target.
 */
int run_loader_open(struct mpj_loader **out, struct mpj_target *target,
                    const struct mpj_board *board, bool (*cancelled)(void *ctx), void *ctx,
                    struct mpj_loader_info *info, struct mpj_err *err);

#endif
