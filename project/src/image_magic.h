/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recognises an image for the target by its first bytes: a 32-bit ARM executable, no OS/ABI, that
 * starts where the runtime's RAM begins. Programs of Linux for ARM start elsewhere. `mpjoule
 * binfmt` registers the same bytes.
 */
#ifndef IMAGE_MAGIC_H
#define IMAGE_MAGIC_H

#include <stdbool.h>
#include <string.h>

/* e_ident, e_type, e_machine, e_version, e_entry */
#define IMAGE_MAGIC                                                                                \
    "\x7f"                                                                                         \
    "ELF\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x28\x00\x01\x00\x00\x00\x00\x00"  \
    "\x10\x00"
#define IMAGE_MAGIC_BYTES (sizeof(IMAGE_MAGIC) - 1U)

static inline bool is_target_image(const void *begin, size_t len)
{
    return len >= IMAGE_MAGIC_BYTES && memcmp(begin, IMAGE_MAGIC, IMAGE_MAGIC_BYTES) == 0;
}

#endif
