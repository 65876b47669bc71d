/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loader's own megabyte of the NOR flash, in four parts that begin with an erase block each:
 *
 *   0x00000  boot stage: where the board starts; sets the memory up and starts the newest copy
 *   0x40000  copy 0 of the loader: a header of 64 bytes, followed by the image
 *   0x80000  copy 1
 *   0xc0000  journal: an entry of 32 bytes before an installation and one after it
 *
 * A copy is valid if the checksums of its header and its image are right. A newer loader replaces
 * the older copy, its header last, so that the other one starts the board until then. The boot
 * stage is written only if it differs: only this write, on a board without a boot stage of the same
 * version, is not safe from a power failure. The journal's entry shows the next installer that this
 * one was interrupted, whatever the flash contains then.
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
#define MPJ_COPIES_MOST    (MPJ_COPIES_PART - MPJ_COPIES_HEADER) /* most bytes of a loader */
#define MPJ_COPIES_JOURNAL (3U * MPJ_COPIES_PART)

/* Header of a copy, as stored in the flash, little endian. */
struct mpj_copy {
    uint32_t magic;
    uint32_t sequence; /* the copy with the higher one is the newer */
    uint32_t bytes;    /* of the image, a multiple of 4 */
    uint32_t crc;      /* CRC-32 of the image */
    uint32_t spare[11];
    uint32_t check; /* CRC-32 of all before */
};

/* Returns the offset of a copy's header in the bank. n: 0 or 1. */
uint32_t mpj_copies_offset(unsigned n);

/* Finds the newest valid copy. Returns 0 or 1, and its header in *out; MPJ_COPIES: there is none.
 * bank: the flash as memory. Needs only a stack. */
unsigned mpj_copies_newest(const uint8_t *bank, struct mpj_copy *out);

/* Images to install: both are multiples of 4 bytes. */
struct mpj_copies_new {
    const uint8_t *boot, *loader;
    uint32_t boot_bytes, loader_bytes;
};

enum mpj_copies_state {
    MPJ_COPIES_SAME,    /* all of it is installed already */
    MPJ_COPIES_ERASED,  /* the flash is erased */
    MPJ_COPIES_OURS,    /* another loader of this project, or a damaged copy */
    MPJ_COPIES_BEGUN,   /* an installation was interrupted */
    MPJ_COPIES_FOREIGN, /* any other content */
};

/* Inspects the contents of the flash. bank: the flash as memory. Returns HAL_ENOTSUP when the erase
 * blocks do not fit the parts, HAL_EINVAL when the images do not. */
int mpj_copies_look(const struct hal_flash *flash, const uint8_t *bank,
                    const struct mpj_copies_new *what, enum mpj_copies_state *state);

/* Called before each step: 'j' journal, 'c' copy, 'b' boot stage, and the offset that is written.
 */
typedef void (*mpj_copies_progress)(void *ctx, char step, uint32_t offset);

/* Installs *what, whatever the flash contains: the caller has inspected it, and asked where
 * necessary. Returns the errors of the chips; the next call continues. */
int mpj_copies_install(const struct hal_flash *flash, const uint8_t *bank,
                       const struct mpj_copies_new *what, mpj_copies_progress progress, void *ctx);

/* Writes bytes (a multiple of 4, at most four parts) that were copied from the start of the bank
 * back to it, the first ones last. Removes loader and journal thereby. */
int mpj_copies_restore(const struct hal_flash *flash, const uint8_t *bank, const uint8_t *content,
                       uint32_t bytes, mpj_copies_progress progress, void *ctx);

#endif
