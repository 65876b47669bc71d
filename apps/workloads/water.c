/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Molecular dynamics in the manner of SPLASH-2's Water-nsquared: every pair of
 * particles within a cut-off, a smooth repulsion, forces gathered per thread and
 * added under one mutex per particle, potential under a global mutex, barriers
 * between the phases of a time step.
 * Checked: momentum stays zero, energy is conserved to 1 %.
 */
#include "wl_common.h"
#include <math.h>
#include <pthread.h>

#define MAXN 1000

struct vec {
    double c[3];
};

static long n = 216, steps = 4, threads = 4, seed = 1;
static double box;
static struct vec pos[MAXN], vel[MAXN], force[MAXN];
static pthread_mutex_t particle[MAXN];
static pthread_mutex_t global = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static double potential, kinetic, first_energy, worst_energy;

static const double dt = 0.002, cutoff = 2.5;

static void wait_all(void)
{
    int r = pthread_barrier_wait(&barrier);
    if (r != PTHREAD_BARRIER_SERIAL_THREAD)
        WL_MUST(r);
}

/* Adds the pair's force to f; returns its potential: (1 - r^2/c^2)^2 / r^2. */
static double pair(long i, long j, struct vec *f)
{
    double d[3], r2 = 0;
    for (int k = 0; k < 3; k++) {
        d[k] = pos[i].c[k] - pos[j].c[k];
        if (d[k] > box / 2)
            d[k] -= box;
        else if (d[k] < -box / 2)
            d[k] += box;
        r2 += d[k] * d[k];
    }
    if (r2 >= cutoff * cutoff)
        return 0;
    double s = 1 - r2 / (cutoff * cutoff);
    double scale = 2 * (s * s / (r2 * r2) + 2 * s / (cutoff * cutoff * r2));
    for (int k = 0; k < 3; k++) {
        f[i].c[k] += scale * d[k];
        f[j].c[k] -= scale * d[k];
    }
    return s * s / r2;
}

static void forces(long id, struct vec *own)
{
    double mine = 0;
    memset(own, 0, (size_t)n * sizeof *own);
    for (long i = id; i < n; i += threads)
        for (long j = i + 1; j < n; j++)
            mine += pair(i, j, own);
    /* Everyone starts elsewhere, so that the locks are not met in one queue. */
    for (long k = 0; k < n; k++) {
        long i = (k + n * id / threads) % n;
        WL_MUST(pthread_mutex_lock(&particle[i]));
        for (int c = 0; c < 3; c++)
            force[i].c[c] += own[i].c[c];
        WL_MUST(pthread_mutex_unlock(&particle[i]));
    }
    WL_MUST(pthread_mutex_lock(&global));
    potential += mine;
    WL_MUST(pthread_mutex_unlock(&global));
}

/* Advances the velocity of the thread's own particles by half a step. */
static void kick(long lo, long hi)
{
    for (long i = lo; i < hi; i++)
        for (int k = 0; k < 3; k++)
            vel[i].c[k] += 0.5 * dt * force[i].c[k];
}

static void drift(long lo, long hi)
{
    for (long i = lo; i < hi; i++) {
        for (int k = 0; k < 3; k++) {
            double p = pos[i].c[k] + dt * vel[i].c[k];
            pos[i].c[k] = p < 0 ? p + box : p >= box ? p - box : p;
            force[i].c[k] = 0;
        }
    }
}

static void *worker(void *arg)
{
    long id = (long)(intptr_t)arg, lo = n * id / threads, hi = n * (id + 1) / threads;
    struct vec *own = wl_alloc((size_t)n, sizeof *own);
    forces(id, own);
    wait_all();
    for (long s = 0; s < steps; s++) {
        kick(lo, hi);
        drift(lo, hi);
        if (id == 0)
            potential = kinetic = 0;
        wait_all();
        forces(id, own);
        wait_all();
        kick(lo, hi);
        double mine = 0;
        for (long i = lo; i < hi; i++)
            for (int k = 0; k < 3; k++)
                mine += 0.5 * vel[i].c[k] * vel[i].c[k];
        WL_MUST(pthread_mutex_lock(&global));
        kinetic += mine;
        WL_MUST(pthread_mutex_unlock(&global));
        wait_all();
        if (id == 0) {
            double total = potential + kinetic;
            if (s == 0)
                first_energy = total;
            worst_energy = fmax(worst_energy, fabs(total / first_energy - 1));
        }
        wait_all();
    }
    free(own);
    return NULL;
}

static void place_particles(void)
{
    uint32_t state = (uint32_t)seed;
    long side = 1;
    while (side * side * side < n)
        side++;
    box = 1.2 * (double)side;
    struct vec mean = {{0, 0, 0}};
    for (long i = 0; i < n; i++) {
        long cell[3] = {i % side, i / side % side, i / side / side};
        for (int k = 0; k < 3; k++) {
            pos[i].c[k] = 1.2 * ((double)cell[k] + 0.3 + 0.4 * wl_frand(&state));
            vel[i].c[k] = wl_frand(&state) - 0.5;
            mean.c[k] += vel[i].c[k] / (double)n;
        }
        WL_MUST(pthread_mutex_init(&particle[i], NULL));
    }
    for (long i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            vel[i].c[k] -= mean.c[k];
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'n', &n, 65, MAXN, "particles (the box must be twice the cut-off)"},
        {'p', &steps, 1, 1000, "time steps"},
        {'t', &threads, 1, 64, "threads"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    place_particles();

    pthread_t tid[64];
    WL_MUST(pthread_barrier_init(&barrier, NULL, (unsigned)threads));
    for (long i = 0; i < threads; i++)
        WL_MUST(pthread_create(&tid[i], NULL, worker, (void *)(intptr_t)i));
    for (long i = 0; i < threads; i++)
        WL_MUST(pthread_join(tid[i], NULL));
    WL_MUST(pthread_barrier_destroy(&barrier));

    double momentum = 0;
    for (int k = 0; k < 3; k++) {
        double sum = 0;
        for (long i = 0; i < n; i++)
            sum += vel[i].c[k];
        momentum = fmax(momentum, fabs(sum));
    }
    for (long i = 0; i < n; i++)
        WL_MUST(pthread_mutex_destroy(&particle[i]));
    bool ok = momentum < 1e-9 && worst_energy < 0.01;
    return wl_result("water", ok, "particles=%ld steps=%ld threads=%ld energy=%.6f", n, steps,
                     threads, potential + kinetic);
}
