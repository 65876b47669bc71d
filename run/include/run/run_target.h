/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The target that a program runs on: the emulator, a board of the list, or whatever is on a
 * port. */
#ifndef RUN_TARGET_H
#define RUN_TARGET_H

#include <stdbool.h>

#include "hil/board.h"
#include "hil/image.h"
#include "hil/loader.h"
#include "hil/target.h"
#include "run/options.h"

struct run_recipe;

/* Zero-initialise; filled by run_target_find(). */
struct run_target {
    const char *name;              /* in results: RUN_EMULATOR, or the board's id */
    const struct mpj_board *board; /* NULL: the emulator */
    const char *calibration;       /* as named: a name, a path, RUN_NO_MODEL; NULL: unknown */
    char kind[TILE_NAME_SIZE]; /* of the board that is emulated when our own programs run, or of the
                                  list's board; "": unknown */
    char usual[TILE_NAME_SIZE]; /* calibration of the program's board, where none is named */
    char *calibration_file;     /* the emulator's; NULL: no model */
    char *qemu;
    char emulator_sha256[65];    /* of that file; "": a board, or it cannot be read */
    char calibration_sha256[65]; /* of the calibration's content; "" as above */
    struct mpj_boards *boards;   /* NULL: the emulator or a bare port */
    struct mpj_board port;       /* the board on a bare port */
    struct mpj_lock *lock;

    /* Creates the target for one run; the caller frees it. */
    int (*make)(struct mpj_target **out, const struct run_recipe *r, struct mpj_err *err);
    /* Uploads the program and starts it, after which the target is open. NULL: opening does. */
    int (*load)(struct mpj_target *t, const struct run_recipe *r, struct mpj_err *err);
};

/*
 * Looks up the target that the options name, its calibration and the files it needs; of "any:TAG"
 * it takes a board already, as run_target_take(). MPJ_E_BOARDS when no board has that name or tag,
 * MPJ_E_NOMEM. Free with run_target_release(), after an error too.
 */
int run_target_find(struct run_target *t, const struct run_options *o, struct mpj_err *err);
/* Takes a board for this process: MPJ_E_BUSY when another process holds it, after o->wait_s
 * seconds. purpose: the command, shown to others. Nothing to do for the emulator. */
int run_target_take(struct run_target *t, const struct run_options *o, const char *purpose,
                    struct mpj_err *err);
/* Checks that a program can run there. MPJ_E_ELF: it is for another kind of board, or for one that
 * this installation does not have. */
int run_target_fits(const struct run_target *t, const struct mpj_image *image, const char *elf,
                    struct mpj_err *err);
void run_target_release(struct run_target *t);

static inline bool run_target_is_board(const struct run_target *t)
{
    return t->board != NULL;
}

/* Returns the board that the target's own programs are built for. */
static inline const char *run_target_own(const struct run_target *t)
{
    return t->kind[0] != '\0' ? t->kind : TILE_BOARD_DEFAULT;
}

/* True for the emulator without a model of the chip: nothing can be measured. */
static inline bool run_target_is_plain(const struct run_target *t)
{
    return t->board == NULL && t->calibration_file == NULL;
}

/* Returns the calibration's name in results: of a file the base name; NULL: unknown. */
const char *run_target_calibration(const struct run_target *t);

#endif
