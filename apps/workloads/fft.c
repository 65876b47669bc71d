/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One-dimensional complex FFT of r*r points as SPLASH-2's: transpose, FFT of
 * rows, twiddle, transpose, FFT of rows, transpose; every thread has a band of
 * rows, a barrier ends each step. The transposes are all-to-all traffic.
 * Forward and inverse; checked: the inverse gives the input back, the energies
 * of signal and spectrum agree, and two values follow from the definition.
 */
#include "wl_common.h"
#include "wl_fft.h"
#include <math.h>
#include <pthread.h>

#define PROBES 2

static long bits = 7, threads = 4, seed = 1, r;
static struct complex *x, *y, *input, *root; /* root[k] = exp(-2 pi i k / (r * r)) */
static struct complex probe[PROBES];         /* spectrum at the probed places */
static double energy;
static pthread_barrier_t barrier;

static void wait_all(void)
{
    int err = pthread_barrier_wait(&barrier);
    if (err != PTHREAD_BARRIER_SERIAL_THREAD)
        WL_MUST(err);
}

static struct complex times(struct complex p, struct complex q)
{
    return (struct complex){p.re * q.re - p.im * q.im, p.re * q.im + p.im * q.re};
}

static void transpose(struct complex *to, const struct complex *from, long lo, long hi)
{
    for (long j = 0; j < r; j++)
        for (long i = lo; i < hi; i++)
            to[i * r + j] = from[j * r + i];
}

/* Transforms one row of r points in place, decimation in time. */
static void row_fft(struct complex *v)
{
    wl_bit_reverse(v, r);
    for (long half = 1; half < r; half *= 2) {
        long step = r * r / (2 * half);
        for (long i = 0; i < r; i += 2 * half) {
            for (long k = 0; k < half; k++) {
                struct complex *p = v + i + k, *q = p + half;
                struct complex t = times(*q, root[k * step]);
                *q = (struct complex){p->re - t.re, p->im - t.im};
                *p = (struct complex){p->re + t.re, p->im + t.im};
            }
        }
    }
}

/* Computes the forward FFT of x, result in x, y is scratch. */
static void forward(long lo, long hi)
{
    transpose(y, x, lo, hi);
    wait_all();
    for (long i = lo; i < hi; i++) {
        row_fft(y + i * r);
        for (long j = 0; j < r; j++)
            y[i * r + j] = times(y[i * r + j], root[i * j]);
    }
    wait_all();
    transpose(x, y, lo, hi);
    wait_all();
    for (long i = lo; i < hi; i++)
        row_fft(x + i * r);
    wait_all();
    transpose(y, x, lo, hi);
    wait_all();
    memcpy(x + lo * r, y + lo * r, (size_t)((hi - lo) * r) * sizeof *x);
    wait_all();
}

static long place(int i)
{
    return i == 0 ? 0 : (r * r / 5 * i + 1) % (r * r);
}

/* Computes the inverse by the forward transform of the conjugate. */
static void *worker(void *arg)
{
    long id = (long)(intptr_t)arg, lo = r * id / threads, hi = r * (id + 1) / threads;
    forward(lo, hi);
    if (id == 0) {
        for (int i = 0; i < PROBES; i++)
            probe[i] = x[place(i)];
        for (long i = 0; i < r * r; i++)
            energy += x[i].re * x[i].re + x[i].im * x[i].im;
    }
    wait_all();
    for (long i = lo * r; i < hi * r; i++)
        x[i].im = -x[i].im;
    wait_all();
    forward(lo, hi);
    for (long i = lo * r; i < hi * r; i++)
        x[i] = (struct complex){x[i].re / (double)(r * r), -x[i].im / (double)(r * r)};
    return NULL;
}

static bool right(void)
{
    double want = 0;
    for (long i = 0; i < r * r; i++) {
        want += input[i].re * input[i].re + input[i].im * input[i].im;
        if (fabs(input[i].re - x[i].re) + fabs(input[i].im - x[i].im) > 1e-10)
            return false;
    }
    if (fabs(want * (double)(r * r) / energy - 1.0) > 1e-10)
        return false;
    for (int p = 0; p < PROBES; p++) {
        struct complex sum = {0, 0};
        for (long i = 0; i < r * r; i++) {
            struct complex t = times(input[i], root[i * place(p) % (r * r)]);
            sum.re += t.re;
            sum.im += t.im;
        }
        if (fabs(sum.re - probe[p].re) + fabs(sum.im - probe[p].im) > 1e-8)
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'m', &bits, 1, 9, "2^(2m) points"},
        {'t', &threads, 1, 64, "threads"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    r = 1L << bits;
    size_t points = (size_t)(r * r);
    x = wl_alloc(points, sizeof *x);
    y = wl_alloc(points, sizeof *y);
    input = wl_alloc(points, sizeof *input);
    root = wl_alloc(points, sizeof *root);
    uint32_t state = (uint32_t)seed;
    for (size_t i = 0; i < points; i++) {
        double angle = -2.0 * 3.14159265358979323846 * (double)i / (double)points;
        root[i] = (struct complex){cos(angle), sin(angle)};
        x[i].re = wl_frand(&state) - 0.5;
        x[i].im = wl_frand(&state) - 0.5;
        input[i] = x[i];
    }

    pthread_t tid[64];
    WL_MUST(pthread_barrier_init(&barrier, NULL, (unsigned)threads));
    for (long i = 0; i < threads; i++)
        WL_MUST(pthread_create(&tid[i], NULL, worker, (void *)(intptr_t)i));
    for (long i = 0; i < threads; i++)
        WL_MUST(pthread_join(tid[i], NULL));
    WL_MUST(pthread_barrier_destroy(&barrier));

    bool ok = right();
    free(x);
    free(y);
    free(input);
    free(root);
    return wl_result("fft", ok, "points=%ld threads=%ld energy=%.6f", r * r, threads, energy);
}
