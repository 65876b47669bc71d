/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A drawing of points by two figures, as SVG. */
#ifndef CHART_H
#define CHART_H

#include <stdbool.h>
#include <stdio.h>

#include "base/errors.h"

struct chart_point {
    double x, y, size; /* its circle's area is in proportion to size */
    bool front;        /* filled */
    char *title;       /* what the pointer shows; allocated */
};

struct chart {
    const char *x, *y; /* names of the axes */
    unsigned points;
    struct chart_point *point; /* allocated */
};

/* Writes a text of an SVG: what would end it is escaped, control characters are blanks. */
void chart_escaped(FILE *f, const char *text);
/* Writes a struct chart; an mpj_file_put. */
int chart_put(const void *what, FILE *f, struct mpj_err *err);
/* Writes a chart that has been filled, and frees its points. full: there was memory for all of
 * them. */
int chart_end(struct chart *c, bool full, FILE *f, struct mpj_err *err);

#endif
