/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sections and numbers of the emulator's profile (docs/profile-file.md). */
#ifndef PROFILE_BYTES_H
#define PROFILE_BYTES_H

#include <stdbool.h>
#include <stdint.h>

#include "store/store_int.h"

#define PROFILE_ITEMS_MAX 64U

/* Bytes being read; short: there were too few. */
struct profile_bytes {
    const unsigned char *at, *end;
    bool is_short;
};

/* Reads a number of n bytes, little-endian; 0 if there are fewer. */
uint64_t profile_take(struct profile_bytes *b, unsigned n);
/* Returns the section of that tag; short and without bytes if there is no such section. */
struct profile_bytes profile_section(const struct profile_bytes *file, const char *tag);
/* Reads names, which point into b. False: too many, or the last one has no end. */
bool profile_names(struct profile_bytes b, const char *name[PROFILE_ITEMS_MAX]);
/* Sets the error and returns its code. */
int profile_damaged(struct import *m, const char *what);

/* Writes what the profile says of the course of the run: moments with the target's marks, waveforms
 * of power and counts. clock_hz: of the file's times. */
int profile_times(struct import *m, const struct profile_bytes *file, uint64_t clock_hz);

#endif
