/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a fuzz target without libFuzzer: the same inputs on every machine, valid ones
 * damaged in the usual ways. Arguments: [number of inputs [first]]. On a crash the
 * input's number was the last one printed to stderr's buffer: rerun with "1 NUMBER".
 */
#include "fuzz.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t state;
static unsigned long current;

static uint32_t rng(void)
{
    /* splitmix64: any seed will do, including consecutive ones */
    uint64_t z = state += 0x9e3779b97f4a7c15ULL;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return (uint32_t)(z >> 32);
}

static void crashed(int sig)
{
    char line[64];
    const int n = snprintf(line, sizeof(line), "crash at input %lu\n", current);

    if (n > 0 && write(STDERR_FILENO, line, (size_t)n) < 0)
        _exit(1);
    signal(sig, SIG_DFL);
    raise(sig);
}

int main(int argc, char **argv)
{
    static uint8_t data[8192];
    const unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000;
    const unsigned long first = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

    signal(SIGABRT, crashed);
    signal(SIGSEGV, crashed);
    for (unsigned long i = first; i < first + count; i++) {
        size_t n;
        current = i;
        state = i;
        if (rng() % 4U == 0) {
            n = rng() % sizeof(data);
            for (size_t k = 0; k < n; k++)
                data[k] = (uint8_t)rng();
        } else {
            n = fuzz_seed(data, 1200U + rng() % (sizeof(data) - 1200U), rng);
            for (uint32_t hurts = rng() % 6U; hurts > 0 && n > 1; hurts--) {
                const size_t at = rng() % n;
                switch (rng() % 4U) {
                case 0:
                    data[at] ^= (uint8_t)(1U << (rng() % 8U));
                    break;
                case 1:
                    data[at] = 0;
                    break;
                case 2: /* lost byte */
                    memmove(&data[at], &data[at + 1], n - at - 1);
                    n--;
                    break;
                default:
                    n = at + 1; /* cut */
                    break;
                }
            }
        }
        LLVMFuzzerTestOneInput(data, n);
    }
    printf("%lu inputs\n", count);
    return 0;
}
