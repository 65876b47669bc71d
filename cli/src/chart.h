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

/* mpj_file_put of a struct chart. */
int chart_put(const void *what, FILE *f, struct mpj_err *err);
/* The same of one that has been filled, and frees its points. full: there was memory for all of
 * them. */
int chart_end(struct chart *c, bool full, FILE *f, struct mpj_err *err);

#endif
