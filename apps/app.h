/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the workloads: reading a number from the arguments. */
#ifndef APP_H
#define APP_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns argument i as a number from lo to hi, or fallback when it is missing. Ends the program
 * with a line and status 2 if it is invalid. */
static inline long app_arg(int argc, char **argv, int i, long lo, long hi, long fallback)
{
    char *end;
    long v;

    if (i >= argc)
        return fallback;
    v = strtol(argv[i], &end, 0);
    if (end == argv[i] || *end != '\0' || v < lo || v > hi) {
        fprintf(stderr, "%s: argument %d must be a number from %ld to %ld, not '%s'\n", argv[0], i,
                lo, hi, argv[i]);
        exit(2);
    }
    return v;
}

/* Returns pseudo-random numbers that are the same on every machine. */
static inline uint32_t app_random(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state;
}

#endif
