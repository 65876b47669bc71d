/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loader's own megabyte of the NOR flash, in four parts that begin with an erase block each:
 *
 *   0x00000  boot stage: where the board starts; sets the memory up and starts the newest copy
 *   0x40000  copy 0 of the loader: a header of 64 bytes, the image behind it
 *   0x80000  copy 1
 *   0xc0000  journal: an entry of 32 bytes before an installation and one after it
 *
 * A copy holds when its header and its image have the right checksums. A newer loader takes the
 * place of the older copy, its header last, so that the other one starts the board until then. The
 * boot stage is written only where it differs: this alone, on a board that has none of the same
 * version, is not safe from a power failure. The journal's entry lets the next installer know that
 * it was interrupted, whatever the flash looks like then.
 *
 * The functions return HAL_OK or a negative code of hal_err.h. Not for interrupt handlers; while
 * mpj_copies_install() runs nothing may execute from or read this bank.
 */
#ifndef MPJ_COPIES_H
#define MPJ_COPIES_H

#include "hal_flash.h"

#define MPJ_COPIES         2U
#define MPJ_COPIES_PART    0x40000U
#define MPJ_COPIES_HEADER  64U
#define MPJ_COPIES_MOST    (MPJ_COPIES_PART - MPJ_COPIES_HEADER) /* bytes of a loader */
#define MPJ_COPIES_JOURNAL (3U * MPJ_COPIES_PART)

/* A copy's header, as it stands in the flash, little endian. */
struct mpj_copy {
    uint32_t magic;
    uint32_t sequence; /* the copy with the higher one is the newer */
    uint32_t bytes;    /* of the image, a multiple of 4 */
    uint32_t crc;      /* CRC-32 of the image */
    uint32_t spare[11];
    uint32_t check; /* CRC-32 of all before */
};

/* Offset of a copy's header in the bank. n: 0 or 1. */
uint32_t mpj_copies_offset(unsigned n);

/* The newest copy that holds, 0 or 1, and its header in *out; MPJ_COPIES: none does. bank: the
 * flash as memory. Needs no more of the machine than a stack. */
unsigned mpj_copies_newest(const uint8_t *bank, struct mpj_copy *out);

/* What is to be installed: both images, multiples of 4 bytes. */
struct mpj_copies_new {
    const uint8_t *boot, *loader;
    uint32_t boot_bytes, loader_bytes;
};

enum mpj_copies_state {
    MPJ_COPIES_SAME,    /* all of it is there */
    MPJ_COPIES_ERASED,  /* nothing is there */
    MPJ_COPIES_OURS,    /* another loader of ours, or a damaged copy */
    MPJ_COPIES_BEGUN,   /* an installation was interrupted */
    MPJ_COPIES_FOREIGN, /* something else */
};

/* What the flash holds. bank: the flash as memory. HAL_ENOTSUP when the erase blocks do not fit the
 * parts, HAL_EINVAL when the images do not. */
int mpj_copies_look(const struct hal_flash *flash, const uint8_t *bank,
                    const struct mpj_copies_new *what, enum mpj_copies_state *state);

/* Called before each step: 'j' journal, 'c' copy, 'b' boot stage, and the offset that is written.
 */
typedef void (*mpj_copies_progress)(void *ctx, char step, uint32_t offset);

/* Installs *what, whatever the flash holds: the caller has looked, and asked where it must. Errors
 * of the chips as they come; the next call goes on. */
int mpj_copies_install(const struct hal_flash *flash, const uint8_t *bank,
                       const struct mpj_copies_new *what, mpj_copies_progress progress, void *ctx);

/* Writes bytes (a multiple of 4, at most four parts) to the start of the bank, as they were copied
 * from there, the first ones last. Forgets loader and journal with it. */
int mpj_copies_restore(const struct hal_flash *flash, const uint8_t *bank, const uint8_t *content,
                       uint32_t bytes, mpj_copies_progress progress, void *ctx);

#endif
