/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recognises an image for the target by its first bytes: a 32-bit ARM executable, no OS/ABI, that
 * starts where the runtime's RAM begins. Programs of Linux for ARM start elsewhere. `mpjoule
 * binfmt` registers the same bytes.
 */
#ifndef OURS_H
#define OURS_H

#include <stdbool.h>
#include <string.h>

/* e_ident, e_type, e_machine, e_version, e_entry */
#define OURS_MAGIC                                                                                 \
    "\x7f"                                                                                         \
    "ELF\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x28\x00\x01\x00\x00\x00\x00\x00"  \
    "\x10\x00"
#define OURS_BYTES (sizeof(OURS_MAGIC) - 1U)

static inline bool ours(const void *begin, size_t len)
{
    return len >= OURS_BYTES && memcmp(begin, OURS_MAGIC, OURS_BYTES) == 0;
}

#endif
