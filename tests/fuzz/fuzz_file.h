/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The input as a file, for parsers that take a path. */
#ifndef FUZZ_FILE_H
#define FUZZ_FILE_H

#include <stddef.h>
#include <stdint.h>

/* A folder that ends with the process, with what is in it. */
const char *fuzz_folder(void);

/* Writes a file of that folder; returns its path, valid until the next call. Aborts when it cannot
 * be written. */
const char *fuzz_file_as(const char *name, const uint8_t *data, size_t size);
/* The same of one called "input", whose path stays valid. */
const char *fuzz_file(const uint8_t *data, size_t size);

#endif
