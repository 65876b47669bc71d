/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compresses a made-up text block by block, as archivers with several threads do: threads take the
 * next block, one by one. What comes out is expanded again and compared; with the options of
 * workloads.txt its size is known, too (-b: bytes it must have, 0: any).
 */
#include <pthread.h>

#include "../wl_common.h"
#include "press.h"

#define MOST_THREADS 64

static long n = 120000, block = 16384, threads = 4, want = 0, seed = 1;
static unsigned char *text, *packed, *again;
static size_t *taken;
static size_t blocks, next_block;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool wrong;

/* Writes sentences of few words, with numbers in between, similar to a log. */
static void write_text(void)
{
    static const char *const words[] = {"cache", "line", "miss",   "core",  "waits", "for",
                                        "the",   "bus",  "energy", "reads", "is",    "late"};
    uint32_t state = (uint32_t)seed;
    char word[24];

    for (long at = 0; at < n;) {
        const uint32_t which = wl_below(&state, 14);
        const int length =
            which < 12 ? snprintf(word, sizeof(word), "%s ", words[which])
                       : snprintf(word, sizeof(word), "%u.\n", (unsigned)wl_below(&state, 5000));

        for (int i = 0; i < length && at < n; i++)
            text[at++] = (unsigned char)word[i];
    }
}

static size_t bytes_of(size_t b)
{
    return b + 1 < blocks ? (size_t)block : (size_t)n - b * (size_t)block;
}

static void *worker(void *arg)
{
    (void)arg;
    for (;;) {
        WL_MUST(pthread_mutex_lock(&lock));
        const size_t b = next_block++;
        WL_MUST(pthread_mutex_unlock(&lock));
        if (b >= blocks)
            return NULL;
        const size_t at = b * (size_t)block;
        taken[b] = press(text + at, bytes_of(b), packed + 2 * at, 2 * (size_t)block);
        if (taken[b] == 0 ||
            unpress(packed + 2 * at, taken[b], again + at, bytes_of(b)) != bytes_of(b))
            __atomic_store_n(&wrong, true, __ATOMIC_RELAXED);
    }
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'n', &n, 1, 10000000, "bytes"},
        {'k', &block, 2048, 1 << 20, "bytes of a block"},
        {'t', &threads, 1, MOST_THREADS, "threads"},
        {'b', &want, 0, 10000000, "bytes it must come to"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    blocks = ((size_t)n + (size_t)block - 1) / (size_t)block;
    text = wl_alloc((size_t)n, 1);
    again = wl_alloc((size_t)n, 1);
    packed = wl_alloc(blocks * (size_t)block, 2);
    taken = wl_alloc(blocks, sizeof(*taken));
    write_text();

    pthread_t tid[MOST_THREADS];
    for (long i = 0; i < threads; i++)
        WL_MUST(pthread_create(&tid[i], NULL, worker, NULL));
    for (long i = 0; i < threads; i++)
        WL_MUST(pthread_join(tid[i], NULL));

    size_t sum = 0;
    uint32_t hash = WL_HASH_INIT;
    for (size_t b = 0; b < blocks; b++) {
        sum += taken[b];
        hash = wl_hash(hash, packed + 2 * b * (size_t)block, taken[b]);
    }
    const bool ok =
        !wrong && memcmp(text, again, (size_t)n) == 0 && (want == 0 || sum == (size_t)want);
    free(text);
    free(again);
    free(packed);
    free(taken);
    return wl_result("press", ok, "bytes=%ld to=%lu blocks=%lu threads=%ld sum=%08lx", n,
                     (unsigned long)sum, (unsigned long)blocks, threads, (unsigned long)hash);
}
