/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks a program file: whether it is linked with mpjoule's runtime, and its identity. */
#ifndef HIL_IMAGE_H
#define HIL_IMAGE_H

#include <stdint.h>

#include "base/errors.h"
#include "tile_machine.h"

#define MPJ_BUILD_ID_MAX 32U
#define MPJ_COMPILER_MAX 256U

struct mpj_image {
    uint32_t abi;               /* of the note .note.mpjoule */
    char board[TILE_NAME_SIZE]; /* board it is linked for; TILE_BOARD_DEFAULT if the note names none
                                 */
    uint32_t entry;
    uint8_t build_id[MPJ_BUILD_ID_MAX]; /* GNU build id */
    uint32_t build_id_len;              /* 0: the file has none */
    char sha256[65];                    /* of the whole file, lower-case hex */
    char compiler[MPJ_COMPILER_MAX];    /* of .comment: each that compiled a part, in alphabetical
                                           order, separated by "; "; "": the file names none */
    char runtime_sha256[65];            /* of the runtime it is linked with; "": not in the file */
};

/*
 * Reads the file and checks that it is an ARM executable linked with mpjoule's runtime (note
 * section, see firmware/README.md) of the ABI this host uses. MPJ_E_ELF with one line on what the
 * file is instead; MPJ_E_IO when it cannot be read.
 */
int mpj_image_check(struct mpj_image *out, const char *path, struct mpj_err *err);

/* Reads only the name of the board the program is for, as mpj_image_check() does. */
int mpj_image_board(char board[TILE_NAME_SIZE], const char *path, struct mpj_err *err);

/* Opens the file for reading in any order. Returns a descriptor, or a negative code, as above; a
 * pipe is refused without waiting for it. */
int mpj_image_open(const char *path, struct mpj_err *err);

#endif
