/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In the spirit of NPB FT: a heat equation on a periodic cube by 3-D FFT:
 * forward once, then in every step damp the spectrum and transform back.
 * Regions: start, FFT along each of three directions, damp, checksum.
 * The three directions walk memory with ever larger strides.
 * Checked: the step of zero damping gives the start back; the mean never
 * changes; the energy falls with every step.
 */
#include "wl_fft.h"
#include "wl_openmp.h"
#include <math.h>

#define MAXSIDE 64

static const long class_side[] = {8, 16, 32, 64};
static const long class_steps[] = {2, 4, 4, 4};

static long class = 1, seed, n;
static struct complex *u, *spectrum, *first;
static struct complex root[MAXSIDE]; /* exp(-2 pi i k / n) */

/* Transforms one line of n points; sign -1 for the inverse (not scaled). */
static void line_fft(struct complex *v, int sign)
{
    wl_bit_reverse(v, n);
    for (long half = 1; half < n; half *= 2) {
        for (long i = 0; i < n; i += 2 * half) {
            for (long k = 0; k < half; k++) {
                struct complex w = root[k * (n / (2 * half))], *p = v + i + k, *q = p + half;
                w.im *= sign;
                struct complex t = {q->re * w.re - q->im * w.im, q->re * w.im + q->im * w.re};
                *q = (struct complex){p->re - t.re, p->im - t.im};
                *p = (struct complex){p->re + t.re, p->im + t.im};
            }
        }
    }
}

static void gather_fft(struct complex *v, long stride, int sign)
{
    struct complex line[MAXSIDE];
    for (long k = 0; k < n; k++)
        line[k] = v[k * stride];
    line_fft(line, sign);
    for (long k = 0; k < n; k++)
        v[k * stride] = line[k];
}

static void fft3(struct complex *v, int sign)
{
#pragma omp parallel for
    for (long i = 0; i < n * n; i++)
        line_fft(v + i * n, sign);
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            gather_fft(v + i * n * n + k, n, sign);
#pragma omp parallel for
    for (long jk = 0; jk < n * n; jk++)
        gather_fft(v + jk, n * n, sign);
}

static long frequency(long i)
{
    return i < n / 2 ? i : i - n;
}

/* Computes u = spectrum * exp(-a k^2 t), scaled for the inverse. */
static void damp(double at)
{
    double decay[3 * MAXSIDE * MAXSIDE / 4 + 1];
    long most = 3 * (n / 2) * (n / 2);
    for (long k2 = 0; k2 <= most; k2++)
        decay[k2] = exp(-at * (double)k2) / (double)(n * n * n);
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) {
            for (long k = 0; k < n; k++) {
                long cell = (i * n + j) * n + k;
                long fi = frequency(i), fj = frequency(j), fk = frequency(k);
                double f = decay[fi * fi + fj * fj + fk * fk];
                u[cell] = (struct complex){spectrum[cell].re * f, spectrum[cell].im * f};
            }
        }
    }
}

/* Computes out: mean, energy, largest difference to the start. */
static void checksum(double out[3])
{
    double sum = 0, energy = 0, apart = 0;
#pragma omp parallel for reduction(+ : sum, energy) reduction(max : apart)
    for (long i = 0; i < n * n * n; i++) {
        sum += u[i].re;
        energy += u[i].re * u[i].re + u[i].im * u[i].im;
        double d = fabs(u[i].re - first[i].re) + fabs(u[i].im - first[i].im);
        apart = d > apart ? d : apart;
    }
    out[0] = sum / (double)(n * n * n);
    out[1] = energy;
    out[2] = apart;
}

int main(int argc, char **argv)
{
    seed = wl_omp_options(
        argc, argv, (struct wl_opt){'c', &class, 0, 3, "class: 8^3, 16^3, 32^3 or 64^3 points"});
    n = class_side[class];
    size_t points = (size_t)(n * n * n);
    u = wl_alloc(points, sizeof *u);
    spectrum = wl_alloc(points, sizeof *spectrum);
    first = wl_alloc(points, sizeof *first);
    for (long k = 0; k < n; k++) {
        double angle = -2 * 3.14159265358979323846 * (double)k / (double)n;
        root[k] = (struct complex){cos(angle), sin(angle)};
    }
#pragma omp parallel for
    for (long i = 0; i < n * n; i++) {
        uint32_t state = (uint32_t)seed + (uint32_t)i * 2654435769u;
        for (long k = 0; k < n; k++) {
            first[i * n + k].re = wl_frand(&state) - 0.5;
            first[i * n + k].im = wl_frand(&state) - 0.5;
            spectrum[i * n + k] = first[i * n + k];
        }
    }
    fft3(spectrum, 1);

    double start[3] = {0}, now[3] = {0}, before = 0;
    bool ok = true;
    for (long s = 0; s <= class_steps[class]; s++) {
        damp(1e-3 * (double)s);
        fft3(u, -1);
        checksum(now);
        if (s == 0) {
            memcpy(start, now, sizeof start);
            ok = ok && now[2] < 1e-12;
        } else {
            ok = ok && fabs(now[0] - start[0]) < 1e-12 && now[1] < before;
        }
        before = now[1];
    }
    free(u);
    free(spectrum);
    free(first);
    return wl_result("omp_ft", ok, "side=%ld steps=%ld mean=%.9f energy=%.6f", n,
                     class_steps[class], now[0], now[1]);
}
