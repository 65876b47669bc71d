/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Floating point to the last bit: every VFP operation that the emulator may leave to its host, on
 * numbers of every kind (zeros, subnormals, the least and greatest normal ones, infinities, quiet
 * and signalling NaNs), rounded to nearest and towards zero, with and without flush to zero and
 * default NaN, with the inexact flag clear and set. Prints for each operation and mode a hash of
 * all results and of the flags they raise.
 */
#include <string.h>

#include "known.h"

#define INEXACT 0x10U

static const uint32_t single[] = {
    0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x00400000, 0x00800000, 0x80800001, 0x00ffffff,
    0x3f800000, 0xbf800000, 0x3f800001, 0x40490fdb, 0x3eaaaaab, 0x4b800000, 0x4b7fffff, 0xcb000001,
    0x33800000, 0x1f7fffff, 0x9f800000, 0x20000003, 0x5f7fffff, 0x5f800000, 0x7f7fffff, 0xff7fffff,
    0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001, 0x40400000, 0x41200000, 0xc2c80000,
};

static const uint64_t wide[] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x800fffffffffffff,
    0x0008000000000000, 0x0010000000000000, 0x8010000000000001, 0x001fffffffffffff,
    0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001, 0x400921fb54442d18,
    0x3fd5555555555555, 0x4350000000000000, 0x434fffffffffffff, 0xc330000000000001,
    0x3cb0000000000000, 0x1fefffffffffffff, 0x9ff0000000000000, 0x2000000000000003,
    0x5fefffffffffffff, 0x5ff0000000000000, 0x7fefffffffffffff, 0xffefffffffffffff,
    0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000012345678,
    0x7ff0000000000001, 0x4008000000000000, 0x4024000000000000, 0xc059000000000000,
};

#define KINDS (sizeof(single) / sizeof(single[0]))

static uint32_t hash;

static void mix(uint32_t v)
{
    hash = (hash ^ v) * 0x01000193U;
    hash ^= hash >> 15;
}

static void set_fpscr(uint32_t v)
{
    __asm__ volatile("fmxr fpscr, %0" : : "r"(v));
}

static uint32_t get_fpscr(void)
{
    uint32_t v;

    __asm__ volatile("fmrx %0, fpscr" : "=r"(v));
    return v;
}

#define SINGLE(name)                                                                               \
    static void name##_s(uint32_t d, uint32_t n, uint32_t m)                                       \
    {                                                                                              \
        float r, x, y;                                                                             \
                                                                                                   \
        memcpy(&r, &d, sizeof(r));                                                                 \
        memcpy(&x, &n, sizeof(x));                                                                 \
        memcpy(&y, &m, sizeof(y));                                                                 \
        __asm__ volatile(#name "s %0, %1, %2" : "+t"(r) : "t"(x), "t"(y));                         \
        memcpy(&d, &r, sizeof(d));                                                                 \
        mix(d);                                                                                    \
    }

#define DOUBLE(name)                                                                               \
    static void name##_d(uint64_t d, uint64_t n, uint64_t m)                                       \
    {                                                                                              \
        double r, x, y;                                                                            \
                                                                                                   \
        memcpy(&r, &d, sizeof(r));                                                                 \
        memcpy(&x, &n, sizeof(x));                                                                 \
        memcpy(&y, &m, sizeof(y));                                                                 \
        __asm__ volatile(#name "d %P0, %P1, %P2" : "+w"(r) : "w"(x), "w"(y));                      \
        memcpy(&d, &r, sizeof(d));                                                                 \
        mix((uint32_t)d);                                                                          \
        mix((uint32_t)(d >> 32));                                                                  \
    }

#define EACH(X) X(fadd) X(fsub) X(fmul) X(fnmul) X(fdiv) X(fmac) X(fnmac) X(fmsc) X(fnmsc)

EACH(SINGLE)
EACH(DOUBLE)

static const struct operation {
    const char *name;
    void (*s)(uint32_t d, uint32_t n, uint32_t m);
    void (*d)(uint64_t d, uint64_t n, uint64_t m);
} operation[] = {
#define ROW(name) {#name, name##_s, name##_d},
    EACH(ROW)};

static const struct mode {
    const char *name;
    uint32_t fpscr;
} mode[] = {
    {"ieee", 0},
    {"runfast", 0x03000000},
    {"flush", 0x01000000},
    {"zero", 0x00c00000},
};

/* One operation on every pair; the accumulator runs through all numbers, too. */
static uint32_t pairs(const struct operation *op, bool dp, uint32_t fpscr)
{
    hash = 0x811c9dc5U;
    for (uint32_t flags = 0; flags <= INEXACT; flags += INEXACT) {
        for (unsigned n = 0; n < KINDS; n++) {
            for (unsigned m = 0; m < KINDS; m++) {
                unsigned d = (5 * n + 3 * m) % KINDS;

                set_fpscr(fpscr | flags);
                if (dp)
                    op->d(wide[d], wide[n], wide[m]);
                else
                    op->s(single[d], single[n], single[m]);
                mix(get_fpscr());
            }
        }
    }
    /* The flags left alone: what is raised stays. */
    set_fpscr(fpscr);
    for (uint32_t seed = 1, i = 0; i < 4096; i++) {
        uint32_t word[6];

        for (unsigned k = 0; k < 6; k++)
            word[k] = seed = seed * 1664525U + 1013904223U;
        if (dp)
            op->d((uint64_t)word[0] << 32 | word[1], (uint64_t)word[2] << 32 | word[3],
                  (uint64_t)word[4] << 32 | word[5]);
        else
            op->s(word[0], word[2], word[4]);
    }
    mix(get_fpscr());
    set_fpscr(0x03000000);
    return hash;
}

int main(void)
{
    for (unsigned i = 0; i < sizeof(operation) / sizeof(operation[0]); i++) {
        for (unsigned k = 0; k < sizeof(mode) / sizeof(mode[0]); k++) {
            printf("%ss_%s %lu\n", operation[i].name, mode[k].name,
                   (unsigned long)pairs(&operation[i], false, mode[k].fpscr));
            printf("%sd_%s %lu\n", operation[i].name, mode[k].name,
                   (unsigned long)pairs(&operation[i], true, mode[k].fpscr));
        }
    }
    return 0;
}
