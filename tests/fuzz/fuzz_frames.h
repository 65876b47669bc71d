/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inputs that are frames of the link. */
#ifndef FUZZ_FRAMES_H
#define FUZZ_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For fuzz_fix(): each group between two delimiters becomes a frame with its checksum, and each
 * record in it ends within it. */
size_t fuzz_fix_frames(uint8_t *data, size_t size, size_t cap);

/* The same for a payload alone: records one behind the other. */
size_t fuzz_fix_records(uint8_t *data, size_t size, size_t cap);

#endif
