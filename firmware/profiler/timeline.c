/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_timeline.h"

#include <stdbool.h>

#include "hal_hot.h"

/* Units are powers of two. */
_Static_assert(MPJ_BIN_WIDTH == MPJ_BIN_UNITS * 16U && MPJ_BIN_UNITS < UINT8_MAX, "a bin's units");
_Static_assert(MPJ_BINS_MAX <= UINT8_MAX, "bins in use");

/* So often bins double before ticks are too many for 32 bits, with room for two. */
#define FINE 18U
/* Bits of a time that bins can reach: centuries. */
#define LONGEST 57U
_Static_assert((uint64_t)MPJ_BIN_WIDTH << FINE <= UINT32_MAX / 4U, "an open bin's ticks");

HAL_HOT uint64_t mpj_timeline_width(const struct mpj_timeline *t)
{
    return (uint64_t)MPJ_BIN_WIDTH << t->doubled;
}

/* Ticks of a unit: so many bits. */
static unsigned unit_bits(const struct mpj_timeline *t)
{
    return (unsigned)__builtin_ctz(MPJ_BIN_WIDTH / MPJ_BIN_UNITS) + t->doubled;
}

HAL_HOT void mpj_timeline_init(struct mpj_timeline *t, struct mpj_bin *bin, uint64_t start)
{
    *t = (struct mpj_timeline){.bin = bin, .used = 1, .first = (uint32_t)(start / MPJ_BIN_WIDTH)};
    t->end = (t->first + 1ULL) * MPJ_BIN_WIDTH;
}

void mpj_timeline_ticks(const struct mpj_timeline *t, uint64_t ticks[MPJ_BIN_KINDS][MPJ_BINS_MAX])
{
    const uint64_t width = mpj_timeline_width(t);
    uint32_t last = t->used - 1U;

    for (unsigned k = 0; k < MPJ_BIN_KINDS; k++) {
        for (uint32_t i = 0; i < last; i++)
            ticks[k][i] = (uint64_t)t->bin[i].part[k] << unit_bits(t);
        ticks[k][last] = (uint64_t)t->open[k] << t->coarse;
    }
    /* What bins have too much came from the one before. */
    for (; last > 0; last--) {
        uint64_t all = 0;
        uint64_t more;

        for (unsigned k = 0; k < MPJ_BIN_KINDS; k++)
            all += ticks[k][last];
        more = all > width ? all - width : 0;
        for (unsigned k = 0; k < MPJ_BIN_KINDS; k++) {
            const uint64_t part = more < ticks[k][last] ? more : ticks[k][last];

            ticks[k][last] -= part;
            ticks[k][last - 1U] += part;
            more -= part;
        }
    }
}

/* The last bin is written; what is less than a unit of it is left open. */
HAL_HOT static __attribute__((noinline)) void close_bin(struct mpj_timeline *t)
{
    const unsigned bits = unit_bits(t) - t->coarse;
    struct mpj_bin *const bin = &t->bin[t->used - 1U];

    for (unsigned k = 0; k < MPJ_BIN_KINDS; k++) {
        bin->part[k] = (uint8_t)(t->open[k] >> bits);
        t->open[k] &= (1U << bits) - 1U;
    }
}

/* Bins 2n and 2n + 1 become bin n; an odd first one stays alone. The last one is the open one, and
 * stays it. */
HAL_HOT static __attribute__((noinline)) void widen(struct mpj_timeline *t)
{
    const uint32_t last = t->used - 1U;
    const unsigned bits = unit_bits(t) - t->coarse;
    const unsigned less = t->doubled >= FINE; /* bits of open[] */
    uint32_t left[MPJ_BIN_KINDS] = {0};       /* small units that are left over */
    uint32_t from = 0, to = 0;
    uint32_t many = t->first & 1U ? 1U : 2U; /* that join */

    for (; from + many <= last; many = 2U, to++) {
        for (; many > 0; many--, from++) {
            for (unsigned k = 0; k < MPJ_BIN_KINDS; k++)
                left[k] += t->bin[from].part[k];
        }
        for (unsigned k = 0; k < MPJ_BIN_KINDS; k++) {
            t->bin[to].part[k] = (uint8_t)(left[k] / 2U);
            left[k] %= 2U;
        }
    }
    for (unsigned k = 0; k < MPJ_BIN_KINDS; k++) {
        if (from < last) /* together with the open one */
            left[k] += t->bin[from].part[k];
        t->open[k] = (t->open[k] + (left[k] << bits)) >> less;
    }
    t->doubled++;
    t->coarse = (uint8_t)(t->coarse + less);
    t->used = (uint8_t)(to + 1U);
    t->first /= 2U;
    t->end = ((uint64_t)t->first + t->used) * mpj_timeline_width(t);
}

/* The next bin is the last one, and open. */
HAL_HOT static void next(struct mpj_timeline *t, uint64_t width)
{
    close_bin(t);
    t->used++;
    t->end += width;
}

HAL_HOT void mpj_timeline_extend(struct mpj_timeline *t, uint64_t from, uint64_t to,
                                 enum mpj_bin_kind kind)
{
    struct mpj_bin full = {{0}};
    uint64_t width;

    if (to >> LONGEST != 0) /* not of the run */
        return;
    full.part[kind] = MPJ_BIN_UNITS;
    /* Before there are bins to join. */
    while (to > (t->first + (uint64_t)MPJ_BINS_MAX) * mpj_timeline_width(t))
        widen(t);
    width = mpj_timeline_width(t);
    for (;;) {
        if (from < t->end) {
            const uint64_t until = to < t->end ? to : t->end;

            /* The same boundaries for all kinds: what one loses the next has. */
            t->open[kind] += (uint32_t)((until >> t->coarse) - (from >> t->coarse));
            from = until;
        }
        if (to <= t->end)
            return;
        next(t, width);
        /* Bins of nothing else; what is less than a unit stays. */
        for (; from == t->end - width && to > t->end; from += width) {
            t->bin[t->used++ - 1U] = full;
            t->end += width;
        }
    }
}
