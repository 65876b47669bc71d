/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A load that misses near the end of a time slice is begun again as a block of its own: also one of
 * two words that has its first word, which would be lost were it the base. Each pair of words goes
 * over the end of a line that was just read into one that was not; the first word is no address.
 */
#include "known.h"

#define LINE   32U
#define LINES  16384U
#define PASSES 8U

static uint32_t words[LINES * LINE / 4U] __attribute__((aligned(32)));

/* The words at `at`, through the base that the first one replaces. */
static uint32_t pair(const uint32_t *at, uint32_t *second)
{
    register uint32_t low __asm__("r4") = (uint32_t)at;
    register uint32_t high __asm__("r5");

    __asm__ volatile("ldrd r4, r5, [r4]" : "+r"(low), "=r"(high) : : "memory");
    *second = high;
    return low;
}

int main(void)
{
    const unsigned each = LINE / 4U;
    unsigned pairs = 0;
    unsigned wrong = 0;

    for (unsigned i = 0; i < LINES; i++) {
        words[i * each] = ~i;
        words[i * each + each - 1U] = 2U * i + 1U;
    }
    for (unsigned pass = 0; pass < PASSES; pass++) {
        for (unsigned i = 1; i < LINES; i++) {
            uint32_t second;
            const uint32_t first = pair(&words[i * each - 1U], &second);
            wrong += first != 2U * (i - 1U) + 1U || second != ~i;
            pairs++;
        }
    }
    known_print("pairs", "read", pairs);
    known_print("pairs", "wrong", wrong);
    return 0;
}
