/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frame of a page: its data, compressed and as base64, between the parts generated at build
 * time. */
#ifndef PAGE_FILE_H
#define PAGE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/errors.h"

/* Limit of the compressed source file in a page. A larger one is omitted, and the page reports
 * it. */
#define PAGE_SOURCE_MAX (6U << 20)
/* Limit of the uncompressed file: a larger one is not compressed, and not written by a reader. */
#define PAGE_FILE_MAX (96U << 20)

/* Writes the data (one JSON document); MPJ_E_OK, or an error that is returned. */
typedef int page_put(const void *what, FILE *f, struct mpj_err *err);

/*
 * Writes a page: data by put; and its source file, NULL: omitted. Neither can be mistaken for
 * markup: both are base64. MPJ_E_IO, MPJ_E_NOMEM, or the result of put.
 */
int page_write(FILE *out, page_put *put, const void *what, const char *source, struct mpj_err *err);

#endif
