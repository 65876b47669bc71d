/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text in CSV files, as RFC 4180 has it. */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include <stdio.h>

/* Writes a field, quoted when it must be: commas, quotes, line ends. NULL is an empty field. */
void mpj_csv_text(FILE *f, const char *text);
/* Writes a field that is always quoted. */
void mpj_csv_quoted(FILE *f, const char *text);

#endif
