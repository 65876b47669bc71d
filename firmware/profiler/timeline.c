/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_timeline.h"

#include <stdbool.h>

#include "hal_hot.h"

/* Units are powers of two. */
_Static_assert(MPJ_BIN_WIDTH == MPJ_BIN_UNITS * 16U && MPJ_BIN_UNITS < UINT8_MAX, "a bin's units");
_Static_assert(MPJ_BINS_MAX <= UINT8_MAX, "bins in use");

/* Doublings of bins until ticks are too many for 32 bits, with two bits to spare. */
#define FINE 18U
/* Bits of a time that bins can represent: centuries. */
#define LONGEST 57U
_Static_assert((uint64_t)MPJ_BIN_WIDTH << FINE <= UINT32_MAX / 4U, "an open bin's ticks");

HAL_HOT uint64_t mpj_timeline_width(const struct mpj_timeline *t)
{
    return (uint64_t)MPJ_BIN_WIDTH << t->doubled;
}

/* Returns the number of bits of a unit's ticks. */
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
    /* The excess of a bin came from the previous one. */
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

/* Writes the last bin; the remainder below a unit stays open. */
HAL_HOT static __attribute__((noinline)) void close_bin(struct mpj_timeline *t)
{
    const unsigned bits = unit_bits(t) - t->coarse;
    struct mpj_bin *const bin = &t->bin[t->used - 1U];

    for (unsigned k = 0; k < MPJ_BIN_KINDS; k++) {
        bin->part[k] = (uint8_t)(t->open[k] >> bits);
        t->open[k] &= (1U << bits) - 1U;
    }
}

/* Merges bins 2n and 2n + 1 into bin n; an odd first one stays alone. The last bin is open, and
 * remains so. */
HAL_HOT static __attribute__((noinline)) void widen(struct mpj_timeline *t)
{
    const uint32_t last = t->used - 1U;
    const unsigned bits = unit_bits(t) - t->coarse;
    const unsigned less = t->doubled >= FINE; /* bits of open[] */
    uint32_t left[MPJ_BIN_KINDS] = {0};       /* small units left over */
    uint32_t from = 0, to = 0;
    uint32_t many = t->first & 1U ? 1U : 2U; /* bins to merge */

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
        if (from < last) /* merged with the open one */
            left[k] += t->bin[from].part[k];
        t->open[k] = (t->open[k] + (left[k] << bits)) >> less;
    }
    t->doubled++;
    t->coarse = (uint8_t)(t->coarse + less);
    t->used = (uint8_t)(to + 1U);
    t->first /= 2U;
    t->end = ((uint64_t)t->first + t->used) * mpj_timeline_width(t);
}

/* Closes the last bin and opens the next one. */
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

    if (to >> LONGEST != 0) /* before the run */
        return;
    full.part[kind] = MPJ_BIN_UNITS;
    /* Before bins are filled that would have to be merged. */
    while (to > (t->first + (uint64_t)MPJ_BINS_MAX) * mpj_timeline_width(t))
        widen(t);
    width = mpj_timeline_width(t);
    for (;;) {
        if (from < t->end) {
            const uint64_t until = to < t->end ? to : t->end;

            /* All kinds have the same boundaries: time that one kind loses the next one gets. */
            t->open[kind] += (uint32_t)((until >> t->coarse) - (from >> t->coarse));
            from = until;
        }
        if (to <= t->end)
            return;
        next(t, width);
        /* Fills bins that contain nothing else; the remainder below a unit stays. */
        for (; from == t->end - width && to > t->end; from += width) {
            t->bin[t->used++ - 1U] = full;
            t->end += width;
        }
    }
}
