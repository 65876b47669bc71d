/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "paint.h"

/* Returns the steps until a point leaves, in fixed point of 26 bits: the same on every machine. */
static unsigned steps(int32_t re, int32_t im, unsigned most)
{
    int32_t x = 0;
    int32_t y = 0;

    for (unsigned i = 0; i < most; i++) {
        const int64_t xx = (int64_t)x * x;
        const int64_t yy = (int64_t)y * y;

        if (xx + yy > (int64_t)4 << 52)
            return i;
        y = (int32_t)(((int64_t)x * y) >> 25) + im;
        x = (int32_t)((xx - yy) >> 26) + re;
    }
    return most;
}

void paint_set(struct picture *p, unsigned most)
{
    const int32_t unit = 1 << 26;

#pragma omp parallel for schedule(dynamic, 2)
    for (unsigned row = 0; row < p->height; row++) {
        unsigned char *to = p->rgb + (size_t)row * p->width * 3;
        const int32_t im = (int32_t)((int64_t)unit * 2 * row / p->height) - unit;

        for (unsigned column = 0; column < p->width; column++) {
            const int32_t re = (int32_t)((int64_t)unit * 3 * column / p->width) - unit * 2;
            const unsigned n = steps(re, im, most);

            *to++ = (unsigned char)(n == most ? 0 : n * 7);
            *to++ = (unsigned char)(n == most ? 0 : n * 13);
            *to++ = (unsigned char)(n == most ? 0 : 255 - n);
        }
    }
}
