/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For programs that work along the lines of a cube of n x n x n cells, the last index contiguous.
 */
#ifndef WL_CUBE_H
#define WL_CUBE_H

/* Returns the distance of cells in a line of the direction (0, 1, 2). */
static inline long wl_stride(long n, int direction)
{
    return direction == 0 ? n * n : direction == 1 ? n : 1;
}

/* Returns the first cell of a line of the direction; lines are numbered 0..n*n-1. */
static inline long wl_line_start(long n, int direction, long line)
{
    long a = line / n, b = line % n;
    return direction == 0 ? a * n + b : direction == 1 ? a * n * n + b : (a * n + b) * n;
}

#endif
