/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Producer and consumer: producers multiply matrices (MM), a bounded queue
 * carries the products, consumers transpose them (MT). The problem of ePRO-MP,
 * section 6.2: how many threads on each side (-p, -c), and which tile (-b, 0
 * for none). All the work is the same whatever the split, so times compare.
 * MM is much slower than MT: at -p 1 the consumers wait nearly all the time.
 * Checked with a random vector: transpose(out_j) * r must be A_j * (B * r).
 */
#include "wl_common.h"
#include <pthread.h>

static long n = 80, jobs = 8, producers = 2, consumers = 2, tile = 0, depth = 4, seed = 1;
static uint32_t *a, *b, *product, *out; /* a, product and out: jobs matrices each */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static long queue[64], head, filled, next_job;
static bool closed;

static void put(long job)
{
    WL_MUST(pthread_mutex_lock(&lock));
    while (filled == depth)
        WL_MUST(pthread_cond_wait(&not_full, &lock));
    queue[(head + filled++) % depth] = job;
    WL_MUST(pthread_cond_signal(&not_empty));
    WL_MUST(pthread_mutex_unlock(&lock));
}

/* Returns the next product, or -1 after the last one. */
static long get(void)
{
    long job = -1;
    WL_MUST(pthread_mutex_lock(&lock));
    while (filled == 0 && !closed)
        WL_MUST(pthread_cond_wait(&not_empty, &lock));
    if (filled > 0) {
        job = queue[head];
        head = (head + 1) % depth;
        filled--;
        WL_MUST(pthread_cond_signal(&not_full));
    }
    WL_MUST(pthread_mutex_unlock(&lock));
    return job;
}

static long least(long x, long y)
{
    return x < y ? x : y;
}

/* Computes c += A * B by tiles; with tile n it is the untiled product. */
static void multiply(uint32_t *c, const uint32_t *x)
{
    long step = tile > 0 ? tile : n;
    for (long k0 = 0; k0 < n; k0 += step) {
        long k1 = least(k0 + step, n);
        for (long j0 = 0; j0 < n; j0 += step) {
            long j1 = least(j0 + step, n);
            for (long i = 0; i < n; i++) {
                for (long j = j0; j < j1; j++) {
                    uint32_t sum = 0;
                    for (long k = k0; k < k1; k++)
                        sum += x[i * n + k] * b[k * n + j];
                    c[i * n + j] += sum;
                }
            }
        }
    }
}

static void *producer(void *arg)
{
    (void)arg;
    for (;;) {
        WL_MUST(pthread_mutex_lock(&lock));
        long job = next_job < jobs ? next_job++ : -1;
        WL_MUST(pthread_mutex_unlock(&lock));
        if (job < 0)
            return NULL;
        multiply(product + job * n * n, a + job * n * n);
        put(job);
    }
}

static void *consumer(void *arg)
{
    (void)arg;
    for (long job = get(); job >= 0; job = get()) {
        const uint32_t *from = product + job * n * n;
        uint32_t *to = out + job * n * n;
        for (long i = 0; i < n; i++)
            for (long j = 0; j < n; j++)
                to[i * n + j] = from[j * n + i];
    }
    return NULL;
}

static bool check(long job, const uint32_t *r, const uint32_t *br)
{
    for (long i = 0; i < n; i++) {
        uint32_t want = 0, have = 0;
        for (long j = 0; j < n; j++) {
            want += a[(job * n + i) * n + j] * br[j];
            have += out[(job * n + j) * n + i] * r[j];
        }
        if (want != have)
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'n', &n, 1, 1000, "rows and columns"},
        {'j', &jobs, 1, 1000, "products"},
        {'p', &producers, 1, 32, "producer threads"},
        {'c', &consumers, 1, 32, "consumer threads"},
        {'b', &tile, 0, 1000, "tile of the multiplication, 0 for none"},
        {'q', &depth, 1, 64, "places in the queue"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    size_t cells = (size_t)(n * n), all = cells * (size_t)jobs;
    a = wl_alloc(all, sizeof *a);
    b = wl_alloc(cells, sizeof *b);
    product = wl_alloc(all, sizeof *product);
    out = wl_alloc(all, sizeof *out);
    uint32_t state = (uint32_t)seed;
    for (size_t i = 0; i < all; i++)
        a[i] = wl_rand(&state);
    for (size_t i = 0; i < cells; i++)
        b[i] = wl_rand(&state);

    pthread_t tid[64];
    for (long i = 0; i < producers + consumers; i++)
        WL_MUST(pthread_create(&tid[i], NULL, i < producers ? producer : consumer, NULL));
    for (long i = 0; i < producers; i++)
        WL_MUST(pthread_join(tid[i], NULL));
    WL_MUST(pthread_mutex_lock(&lock));
    closed = true;
    WL_MUST(pthread_cond_broadcast(&not_empty));
    WL_MUST(pthread_mutex_unlock(&lock));
    for (long i = producers; i < producers + consumers; i++)
        WL_MUST(pthread_join(tid[i], NULL));

    uint32_t *r = wl_alloc((size_t)n * 2, sizeof *r);
    for (long i = 0; i < n; i++)
        r[i] = wl_rand(&state);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            r[n + i] += b[i * n + j] * r[j];
    bool ok = true;
    for (long job = 0; job < jobs; job++)
        ok = ok && check(job, r, r + n);
    uint32_t sum = wl_hash(WL_HASH_INIT, out, all * sizeof *out);
    free(a);
    free(b);
    free(product);
    free(out);
    free(r);
    return wl_result("mmmt", ok, "n=%ld jobs=%ld producers=%ld consumers=%ld tile=%ld sum=%08lx", n,
                     jobs, producers, consumers, tile, (unsigned long)sum);
}
