/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls the functions of gen_vfp.py on four cores in all modes of the VFP, and prints a hash of all
 * results per mode and core. arguments: rounds, and a core (from 1) whose every result is printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_driver.h"

#define IN_WORDS  64U
#define OUT_WORDS 34U
#define MODES     48U

typedef void function(uint32_t *in, uint32_t *out, uint32_t fpscr);

extern function *const functions[], *const functions_end[];

static uint64_t result[CORES][MODES];
static unsigned rounds, shown;

/* Flush to zero and default NaN; rounding; the inexact flag raised before, or short vectors. */
static uint32_t mode_bits(unsigned mode)
{
    const unsigned variant = mode / 16U;
    uint32_t bits = (mode & 3U) << 24 | (mode >> 2 & 3U) << 22;

    if (variant == 1)
        bits |= 0x10U;
    if (variant == 2)
        bits |= (1U + (mode & 3U) % 3U) << 16;
    return bits;
}

/* A number of a format with so many bits of exponent and fraction, one time in two a corner: zero,
 * infinity, NaN, subnormal, about the least and the largest. */
static uint64_t number(uint64_t *seed, unsigned exponent_bits, unsigned fraction_bits)
{
    const uint64_t r = random_next(seed), u = random_next(seed);
    const uint64_t sign = (u >> 63) << (exponent_bits + fraction_bits);
    const uint64_t one = 1ULL << fraction_bits, fraction = u & (one - 1U);
    const uint64_t top = (1ULL << exponent_bits) - 1U, bias = top >> 1;

    switch ((r >> 8) % 20U) {
    case 0:
        return sign;
    case 1:
        return sign | top << fraction_bits;
    case 2: /* quiet */
        return sign | top << fraction_bits | one >> 1 | fraction >> 4;
    case 3: /* signalling */
        return sign | top << fraction_bits | fraction >> 3 | 1U;
    case 4:
        return sign | fraction;
    case 5:
        return sign | one | (fraction & 3U);
    case 6:
        return sign | (top - 1U) << fraction_bits | fraction;
    case 7:
    case 8: /* a small integer */
        return sign | (bias + (r >> 40) % 7U) << fraction_bits | (u & 7U) << (fraction_bits - 3U);
    case 9: /* few bits */
        return sign | (r >> 20 & top) << fraction_bits | (u & 7U);
    case 10:
    case 11:
    case 12:
    case 13: /* about one */
        return sign | (bias - 7U + (u >> 55 & 15U)) << fraction_bits | fraction;
    case 14:
        return sign | (top - 2U) << fraction_bits | fraction;
    case 15:
        return sign | (2U + (r >> 30 & 1U)) << fraction_bits | fraction;
    case 16: /* squares that vanish */
        return sign | (bias >> 1) << fraction_bits | fraction;
    case 17: /* doubles that a single holds, just or nearly */
        return sign | (bias - 126U + (r >> 20 & 255U) % top) << fraction_bits |
               (fraction & ~(uint64_t)0x1fffffffU);
    default:
        return sign | (r >> 30 & top) << fraction_bits | fraction;
    }
}

static void fill(uint64_t *seed, uint32_t *in)
{
    const unsigned kind = random_next(seed) & 3U;

    for (unsigned i = 0; i < IN_WORDS; i += 2U) {
        if (kind == 1 || (kind > 1 && (random_next(seed) & 0x10000U) != 0)) {
            const uint64_t d = number(seed, 11, 52);

            memcpy(in + i, &d, sizeof(d));
        } else {
            in[i] = (uint32_t)number(seed, 8, 23);
            in[i + 1U] = (uint32_t)number(seed, 8, 23);
        }
    }
}

static void show(unsigned mode, unsigned round, unsigned n, const uint32_t *out)
{
    printf("mode %u round %u function %u", mode, round, n);
    for (unsigned i = 0; i < OUT_WORDS; i++)
        printf(" %08lx", (unsigned long)out[i]);
    printf("\n");
}

static void *work(void *arg)
{
    const unsigned core = (unsigned)(uintptr_t)arg, count = (unsigned)(functions_end - functions);
    uint32_t in[IN_WORDS] __attribute__((aligned(64)));
    uint32_t out[OUT_WORDS] __attribute__((aligned(64)));

    for (unsigned mode = 0; mode < MODES; mode++) {
        uint64_t seed = random_seed(mode + 1U) + core * 77777U, h = HASH_START;

        for (unsigned round = 0; round < rounds; round++) {
            for (unsigned n = 0; n < count; n++) {
                fill(&seed, in);
                functions[n](in, out, mode_bits(mode));
                h = hash(hash(h, out, OUT_WORDS), in, IN_WORDS);
                if (core + 1U == shown)
                    show(mode, round, n, out);
            }
        }
        result[core][mode] = h;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 4U;
    shown = argc > 2 ? (unsigned)atoi(argv[2]) : 0U;
    random_run(work);
    for (unsigned mode = 0; mode < MODES; mode++) {
        for (unsigned i = 0; i < CORES; i++)
            printf("mode %u core %u %016llx\n", mode, i, (unsigned long long)result[i][mode]);
    }
    return 0;
}
