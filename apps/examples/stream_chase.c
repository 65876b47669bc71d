/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streaming and pointer chasing on all cores, each in memory of its own.
 *   stream_chase [KB per core=1024] [ROUNDS=4]
 * One round: a triad over three arrays, then one walk through a random cycle of all lines of a
 * fourth. The first three misses are prefetchable, the walk's are not.
 */
#include "../app.h"
#include "mpj.h"

#define LINE_WORDS 8

struct share {
    uint32_t *a, *b, *c;
    uint32_t **chain;
    uint32_t sum;
    bool good;
} __attribute__((aligned(32)));

static struct share share[4];
static uint32_t words;
static long rounds;

/* Makes a single cycle through all lines in random order (Sattolo). The order is kept in the second
 * word of each line meanwhile. */
static void make_chain(struct share *s, uint32_t seed)
{
    uint32_t lines = words / LINE_WORDS;

    for (uint32_t i = 0; i < lines; i++)
        s->chain[i * LINE_WORDS + 1] = (uint32_t *)i;
    for (uint32_t i = lines - 1; i > 0; i--) {
        uint32_t j = (uint32_t)(((uint64_t)app_random(&seed) * i) >> 32);
        uint32_t *t = s->chain[i * LINE_WORDS + 1];

        s->chain[i * LINE_WORDS + 1] = s->chain[j * LINE_WORDS + 1];
        s->chain[j * LINE_WORDS + 1] = t;
    }
    for (uint32_t i = 0; i < lines; i++)
        s->chain[i * LINE_WORDS] =
            (uint32_t *)(s->chain + (uint32_t)s->chain[i * LINE_WORDS + 1] * LINE_WORDS);
}

static void prepare(void *arg)
{
    struct share *s = &share[mpj_core_id()];

    (void)arg;
    for (uint32_t i = 0; i < words; i++) {
        s->b[i] = i;
        s->c[i] = 2 * i;
    }
    make_chain(s, 1 + mpj_core_id());
}

static void run(void *arg)
{
    struct share *s = &share[mpj_core_id()];
    uint32_t lines = words / LINE_WORDS;

    (void)arg;
    s->good = true;
    for (long r = 0; r < rounds; r++) {
        uint32_t **p = s->chain;
        uint32_t steps = 0;

        for (uint32_t i = 0; i < words; i++)
            s->a[i] = s->b[i] + 3U * s->c[i];
        do {
            p = (uint32_t **)*p;
            steps++;
        } while (p != s->chain && steps <= lines);
        s->good = s->good && steps == lines && s->a[words - 1] == 7U * (words - 1);
        s->sum += steps;
    }
}

int main(int argc, char **argv)
{
    unsigned cores = mpj_core_count();
    uint64_t begin, ns;

    words = (uint32_t)app_arg(argc, argv, 1, 1, 16384, 1024) * 1024U / 4U;
    rounds = app_arg(argc, argv, 2, 1, 1000000, 4);
    for (unsigned i = 0; i < cores; i++) {
        share[i].a = malloc(words * 4U);
        share[i].b = malloc(words * 4U);
        share[i].c = malloc(words * 4U);
        share[i].chain = aligned_alloc(32, words * 4U);
        if (!share[i].a || !share[i].b || !share[i].c || !share[i].chain) {
            fprintf(stderr, "stream_chase: no memory\n");
            return 1;
        }
    }
    mpj_on_all_cores(prepare, NULL);
    mpj_mark("run");
    begin = mpj_time_ns();
    mpj_on_all_cores(run, NULL);
    ns = mpj_time_ns() - begin;
    for (unsigned i = 0; i < cores; i++) {
        if (!share[i].good) {
            printf("stream_chase: wrong on core %u\n", i);
            return 1;
        }
    }
    printf("stream_chase: %u KB x 4 on %u cores, %ld rounds: %.3f ms, correct\n", words / 256U,
           cores, rounds, (double)ns / 1e6);
    return 0;
}
