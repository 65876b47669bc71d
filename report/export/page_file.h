/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frame of a page: its data, compressed and as base64, between the parts made at build time. */
#ifndef PAGE_FILE_H
#define PAGE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/errors.h"

/* What a page carries at most of the file it was made from, compressed. A larger one is left out,
 * and the page says so. */
#define PAGE_SOURCE_MAX (6U << 20)
/* And of the file itself: a larger one is not tried, and not written by a reader. */
#define PAGE_FILE_MAX (96U << 20)

/* Writes the data (one JSON document); MPJ_E_OK, or an error that is handed on. */
typedef int page_put(const void *what, FILE *f, struct mpj_err *err);

/*
 * Writes a page: data by put; and the file it was made from, NULL: none. Nothing of either can be
 * taken for markup: both are base64. MPJ_E_IO, MPJ_E_NOMEM, or what put returned.
 */
int page_write(FILE *out, page_put *put, const void *what, const char *source, struct mpj_err *err);

#endif
