/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Products that are less than the least normal number and become it by rounding. This processor
 * looks before it rounds: such a product is an underflow, and zero where it flushes to zero. A
 * processor that looks afterwards, as the one that runs the emulator may, takes it for a normal
 * number.
 *
 * Per operation and mode: the result's upper word, and the flags (8 underflow, 16 inexact).
 */
#include <string.h>

#include "known.h"

#define FLUSH   0x01000000U
#define INEXACT 0x10U

/* (1 + e)(1 - e) = 1 - e * e, times the least normal number. */
static const volatile float one_up = 0x1.0008p-60F, one_down = 0x1.fffp-67F;
static const volatile double up = 0x1.00000004p-500, down = 0x1.fffffff8p-523;

#define OPERATION(name, type, constraint, code)                                                    \
    static uint32_t name(type d, type n, type m, uint32_t mode, uint32_t *flags)                   \
    {                                                                                              \
        uint32_t bits[2] = {0, 0};                                                                 \
                                                                                                   \
        __asm__ volatile("vmsr fpscr, %4\n\t" code "\n\tvmrs %1, fpscr"                            \
                         : "+" constraint(d), "=&r"(*flags)                                        \
                         : constraint(n), constraint(m), "r"(mode));                               \
        memcpy(bits, &d, sizeof(d));                                                               \
        *flags &= 0x9fU;                                                                           \
        return sizeof(type) == 8 ? bits[1] : bits[0];                                              \
    }

OPERATION(muls, float, "t", "vmul.f32 %0, %2, %3")
OPERATION(nmuls, float, "t", "vnmul.f32 %0, %2, %3")
OPERATION(macs, float, "t", "vmla.f32 %0, %2, %3")
OPERATION(nmacs, float, "t", "vmls.f32 %0, %2, %3")
OPERATION(mscs, float, "t", "vnmls.f32 %0, %2, %3")
OPERATION(nmscs, float, "t", "vnmla.f32 %0, %2, %3")
OPERATION(muld, double, "w", "vmul.f64 %P0, %P2, %P3")
OPERATION(nmuld, double, "w", "vnmul.f64 %P0, %P2, %P3")
OPERATION(macd, double, "w", "vmla.f64 %P0, %P2, %P3")
OPERATION(nmacd, double, "w", "vmls.f64 %P0, %P2, %P3")
OPERATION(mscd, double, "w", "vnmls.f64 %P0, %P2, %P3")
OPERATION(nmscd, double, "w", "vnmla.f64 %P0, %P2, %P3")

#define SHOW(op, d, n, m)                                                                          \
    for (unsigned i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {                              \
        uint32_t flags;                                                                            \
        uint32_t bits = op(d, n, m, modes[i].bits, &flags);                                        \
                                                                                                   \
        printf(#op "_%s %lu\n" #op "_%s_flags %lu\n", modes[i].name, (unsigned long)bits,          \
               modes[i].name, (unsigned long)flags);                                               \
    }

static const struct {
    const char *name;
    uint32_t bits;
} modes[] = {{"ieee", 0}, {"again", INEXACT}, {"flush", FLUSH}, {"flush_again", FLUSH | INEXACT}};

int main(void)
{
    SHOW(muls, 0, one_up, one_down)
    SHOW(nmuls, 0, one_up, one_down)
    /* a sum that does not show the product, but for its flag */
    SHOW(macs, 1, one_up, one_down)
    SHOW(nmacs, 1, one_up, one_down)
    SHOW(mscs, 1, one_up, one_down)
    SHOW(nmscs, 1, one_up, one_down)
    SHOW(muld, 0, up, down)
    SHOW(nmuld, 0, up, down)
    SHOW(macd, 1, up, down)
    SHOW(nmacd, 1, up, down)
    SHOW(mscd, 1, up, down)
    SHOW(nmscd, 1, up, down)
    return 0;
}
