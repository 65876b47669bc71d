/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds of boards that this installation has a runtime for: the folders of the firmware's build. */
#ifndef RUN_KINDS_H
#define RUN_KINDS_H

#include <stddef.h>

#include "hil/kind.h"

struct run_kind {
    struct tile_machine machine;
    char *folder; /* of its runtime */
};

struct run_kinds {
    size_t count;
    struct run_kind *kind; /* by name */
};

/* Loads all of them; an installation without a runtime has none. MPJ_E_TARGET for a folder whose
 * description is damaged or of a board of another name. Free with run_kinds_free(), after an error
 * too. */
int run_kinds_load(struct run_kinds *out, struct mpj_err *err);
void run_kinds_free(struct run_kinds *kinds);

/* Loads the description of a kind, found by its name. MPJ_E_USAGE when this installation has no
 * board of that name; the message lists those that it has. */
int run_kind_load(struct tile_machine *out, const char *name, struct mpj_err *err);
/* Loads the description of a board that shall have a resident loader. MPJ_E_USAGE for one without
 * NOR flash, or for which this installation has no loader; else as run_kind_load(). */
int run_kind_load_resident(struct tile_machine *out, const char *name, struct mpj_err *err);
/* Returns the name of the calibration that a board's programs use when none is given: its
 * own, which has its name, or the default one. Returns board or a constant. */
const char *run_kind_calibration(const char *board);
/* Returns the name of that calibration for a program, whose board it reads. elf: NULL or a file
 * that cannot be read: the default one. Returns board, which it fills in, or a constant. */
const char *run_program_calibration(char board[TILE_NAME_SIZE], const char *elf);
/* Returns the names of all, separated by ", ", for messages; allocated. NULL: out of memory. */
char *run_kinds_names(void);

#endif
