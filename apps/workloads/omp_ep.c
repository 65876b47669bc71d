/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In the spirit of NPB EP (embarrassingly parallel): pairs of uniform numbers,
 * the polar method for Gaussian deviates, counts per square annulus. Batches
 * have seeds of their own, so the counts do not depend on the threads.
 * Regions: seeds, deviates (nearly all the time), moments. Scales to 4.
 * Checked: the known count of class 0..3 with the default seed; else the
 * acceptance rate and the moments of the normal distribution.
 */
#include "wl_openmp.h"
#include <math.h>

#define BATCH 256
#define RINGS 8

static const long class_batches[] = {16, 300, 1200, 4800};
static const long class_pairs[] = {3208, 60064, 240905, 965145};

static long class = 1, seed;

int main(int argc, char **argv)
{
    seed = wl_omp_options(
        argc, argv,
        (struct wl_opt){'c', &class, 0, 3, "class: 16, 300, 1200 or 4800 batches of 256 pairs"});
    long batches = class_batches[class];
    uint32_t *seeds = wl_alloc((size_t)batches, sizeof *seeds);
    double *sum = wl_alloc((size_t)batches * 2, sizeof *sum);

#pragma omp parallel for
    for (long b = 0; b < batches; b++) {
        uint32_t s = (uint32_t)seed + (uint32_t)b * 2654435769u;
        for (int i = 0; i < 4; i++)
            seeds[b] = wl_rand(&s) ^ s;
    }

    long ring[RINGS] = {0};
#pragma omp parallel for reduction(+ : ring[:RINGS]) schedule(static)
    for (long b = 0; b < batches; b++) {
        uint32_t s = seeds[b];
        double sx = 0, sy = 0;
        for (int i = 0; i < BATCH; i++) {
            double x = 2 * wl_frand(&s) - 1, y = 2 * wl_frand(&s) - 1;
            double r = x * x + y * y;
            if (r > 1 || r == 0)
                continue;
            double f = sqrt(-2 * log(r) / r);
            x = fabs(x * f);
            y = fabs(y * f);
            int at = (int)(x > y ? x : y);
            ring[at < RINGS ? at : RINGS - 1]++;
            sx += x;
            sy += x * x + y * y;
        }
        sum[2 * b] = sx;
        sum[2 * b + 1] = sy;
    }

    double mean = 0, square = 0;
#pragma omp parallel for reduction(+ : mean, square)
    for (long b = 0; b < batches; b++) {
        mean += sum[2 * b];
        square += sum[2 * b + 1];
    }

    long pairs = 0, all = batches * BATCH;
    for (int i = 0; i < RINGS; i++)
        pairs += ring[i];
    double slack = 8 / sqrt((double)all);
    mean /= (double)pairs;
    square /= (double)pairs * 2;
    bool ok = fabs((double)pairs / (double)all - 0.785398163) < slack &&
              fabs(mean - 0.797884561) < slack && fabs(square - 1) < slack;
    if (seed == 1)
        ok = ok && pairs == class_pairs[class];
    free(seeds);
    free(sum);
    return wl_result("omp_ep", ok, "pairs=%ld accepted=%ld rings=%ld,%ld,%ld,%ld mean=%.6f", all,
                     pairs, ring[0], ring[1], ring[2], ring[3], mean);
}
