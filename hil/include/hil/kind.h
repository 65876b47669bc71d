/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kinds of boards: the description of a board (tile_machine.h) that the build of its runtime leaves
 * in the runtime's folder. The host has no other description before a program of the board runs.
 */
#ifndef HIL_KIND_H
#define HIL_KIND_H

#include <stdbool.h>

#include "base/errors.h"
#include "tile_machine.h"

/* File in the folder of a board's runtime: the bytes of its struct tile_machine, least byte of a
 * number first. */
#define MPJ_KIND_FILE "machine.bin"

/* Reads such a file. MPJ_E_IO when it cannot be read, MPJ_E_TARGET when it is damaged or of another
 * version. */
int mpj_kind_read(struct tile_machine *out, const char *path, struct mpj_err *err);

/* True for the name of a board: letters, digits and dashes, shorter than TILE_NAME_SIZE; so it is
 * also the name of a folder. */
bool mpj_kind_is_name(const char *name);

#endif
