/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Known counter values, one thread: reads one word of every 32-byte line of an
 * array, R times over, in walk(); before that the array is written once.
 * Expected of walk(), L = bytes / 32 lines, R rounds:
 *   dcache_rd L * R, branches L * R / 4 (both plus a little for the runtime)
 *   -b 16 (KB, fits the 32 KB L1, where the writing has left it):
 *     dcache_rd_miss under 100, whatever R
 *   -b 256 (fits L2): dcache_rd_miss L * R within 1 %, nearly all hit L2
 *   -b 4096 (fits nothing): as many misses, nearly none hits L2
 */
#include "wl_common.h"

#define LINE 32

static long kb = 256, rounds = 10;

__attribute__((noinline)) static uint32_t walk(const volatile uint32_t *v, long lines, long times)
{
    uint32_t sum = 0;
    for (long r = 0; r < times; r++) {
        const volatile uint32_t *p = v;
        for (long i = 0; i < lines; i += 4, p += 4 * LINE / 4)
            sum += p[0] + p[LINE / 4] + p[2 * LINE / 4] + p[3 * LINE / 4];
    }
    return sum;
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'b', &kb, 1, 65536, "kilobytes"},
        {'r', &rounds, 1, 1000000, "rounds"},
        {0},
    };
    wl_options(argc, argv, opts);
    long words = kb * 1024 / 4, lines = kb * 1024 / LINE;
    uint32_t *v = wl_alloc((size_t)words, sizeof *v), want = 0;
    for (long i = 0; i < words; i++) {
        v[i] = (uint32_t)i * 2654435761u;
        if (i % (LINE / 4) == 0)
            want += v[i];
    }
    uint32_t sum = walk(v, lines, rounds);
    free(v);
    return wl_result("mu_events", sum == want * (uint32_t)rounds, "kb=%ld rounds=%ld lines=%ld", kb,
                     rounds, lines);
}
