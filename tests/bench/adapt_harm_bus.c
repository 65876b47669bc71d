/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that fill the bus with a matrix a little larger than the L2: what an execution finds
 * there depends on the one before, so its time changes by itself. As adapt_harm.c, with a layout of
 * its own.
 *
 * usage: adapt_harm_bus KIND [TIMES]    a row of the table below, and how often (1)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REGIONS 40
#define SIDE    400 /* of doubles: 1.28 MB, the L2 has 1 MB */

static double matrix[SIDE][SIDE];
static double in[SIDE];
static double out[SIDE];

static inline double row(int i)
{
    double s = 0;

    for (int j = 0; j < SIDE; j++)
        s += matrix[i][j] * in[j];
    return s;
}

static void rows(int first, int end)
{
    for (int i = first; i < end; i++)
        out[i] = row(i);
}

/* Reads the matrix by columns; one execution has as many threads as said, the others have four. */
static void columns(int once)
{
    for (int k = 0; k < REGIONS; k++) {
#pragma omp parallel for num_threads(k == REGIONS / 2 ? once : 4)
        for (int i = 0; i < SIDE; i++) {
            double s = 0;

            for (int j = 0; j < SIDE; j++)
                s += matrix[j][i];
            out[i] = s;
        }
    }
}

static void bus_columns(void)
{
    columns(4);
}

/* What one execution with three threads does to the later ones, without any controller. */
static void bus_once(void)
{
    columns(3);
}

/* Threads get their rows as they come. */
static void bus_guided(void)
{
    for (int k = 0; k < REGIONS; k++) {
        double s = 0;

#pragma omp parallel for reduction(+ : s) schedule(guided)
        for (int i = 0; i < SIDE; i++)
            s += row(i);
        out[0] = s;
    }
}

/* Work for three threads. */
static void bus_sections(void)
{
    for (int k = 0; k < REGIONS; k++) {
#pragma omp parallel sections
        {
            rows(0, 120);
#pragma omp section
            rows(120, 240);
#pragma omp section
            rows(240, SIDE);
        }
    }
}

static const struct {
    const char *name;
    void (*fn)(void);
} kinds[] = {
    {"bus_columns", bus_columns},
    {"bus_once", bus_once},
    {"bus_guided", bus_guided},
    {"bus_sections", bus_sections},
};

int main(int argc, char **argv)
{
    const int times = argc == 3 ? atoi(argv[2]) : 1;

    for (int i = 0; i < SIDE; i++) {
        in[i] = i;
        for (int j = 0; j < SIDE; j++)
            matrix[i][j] = (i * 7 + j) % 13;
    }
    for (size_t i = 0; (argc == 2 || argc == 3) && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(kinds[i].name, argv[1]) == 0) {
            double sum = 0;

            for (int k = 0; k < times; k++)
                kinds[i].fn();
            for (int k = 0; k < SIDE; k++)
                sum += out[k];
            printf("%s: %.17g\n", kinds[i].name, sum);
            return EXIT_SUCCESS;
        }
    }
    fprintf(stderr, "adapt_harm_bus: takes one kind of its table, and a number\n");
    return EXIT_FAILURE;
}
