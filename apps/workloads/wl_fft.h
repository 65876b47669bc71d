/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For fast Fourier transforms in place. */
#ifndef WL_FFT_H
#define WL_FFT_H

struct complex {
    double re, im;
};

/* Makes the order that decimation in time begins with: each of n (a power of two) points changes
 * places with the one whose index has the same bits backwards. */
static inline void wl_bit_reverse(struct complex *v, long n)
{
    for (long i = 1, j = 0; i < n; i++) {
        long bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            struct complex t = v[i];
            v[i] = v[j];
            v[j] = t;
        }
    }
}

#endif
