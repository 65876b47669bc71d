/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The input as a file, for parsers that take a path. */
#ifndef FUZZ_FILE_H
#define FUZZ_FILE_H

#include <stddef.h>
#include <stdint.h>

/* Writes a file that ends with the process; returns its path, the same at each call. Aborts when it
 * cannot be written. */
const char *fuzz_file(const uint8_t *data, size_t size);

#endif
