/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_timeline.h"

#include "hal_hot.h"

/* Units are powers of two. */
_Static_assert(MPJ_BIN_WIDTH == MPJ_BIN_UNITS * 16U && MPJ_BIN_UNITS < UINT8_MAX, "a bin's units");

HAL_HOT uint64_t mpj_timeline_width(const struct mpj_timeline *t)
{
    return (uint64_t)MPJ_BIN_WIDTH << t->doubled;
}

/* Ticks of a unit. */
static uint32_t unit(const struct mpj_timeline *t)
{
    return MPJ_BIN_WIDTH / MPJ_BIN_UNITS << t->doubled;
}

HAL_HOT void mpj_timeline_init(struct mpj_timeline *t, struct mpj_bin *bin, uint64_t start)
{
    *t = (struct mpj_timeline){.bin = bin, .used = 1, .first = (uint32_t)(start / MPJ_BIN_WIDTH)};
    t->end = (t->first + 1ULL) * MPJ_BIN_WIDTH;
}

void mpj_timeline_ticks(const struct mpj_timeline *t, uint64_t run[MPJ_BINS_MAX],
                        uint64_t block[MPJ_BINS_MAX])
{
    const uint64_t width = mpj_timeline_width(t);
    uint32_t last = t->used - 1U;

    for (uint32_t i = 0; i < last; i++) {
        run[i] = (uint64_t)t->bin[i].run * unit(t);
        block[i] = (uint64_t)t->bin[i].block * unit(t);
    }
    run[last] = t->open_run;
    block[last] = t->open_block;
    /* What bins have too much came from the one before. */
    for (; last > 0; last--) {
        const uint64_t all = run[last] + block[last];
        const uint64_t more = all > width ? all - width : 0;
        const uint64_t ran = more < run[last] ? more : run[last];

        run[last] -= ran;
        run[last - 1U] += ran;
        block[last] -= more - ran;
        block[last - 1U] += more - ran;
    }
}

/* The last bin is written; what is less than a unit of it is left open. */
HAL_HOT static __attribute__((noinline)) void close_bin(struct mpj_timeline *t)
{
    const uint32_t one = unit(t); /* a power of two */
    const unsigned shift = (unsigned)__builtin_ctz(one);

    t->bin[t->used - 1U] = (struct mpj_bin){.run = (uint8_t)(t->open_run >> shift),
                                            .block = (uint8_t)(t->open_block >> shift)};
    t->open_run &= one - 1U;
    t->open_block &= one - 1U;
}

/* Bins 2n and 2n + 1 become bin n; an odd first one stays alone. The last one is the open one, and
 * stays it. */
HAL_HOT static __attribute__((noinline)) void widen(struct mpj_timeline *t)
{
    const uint32_t last = t->used - 1U;
    const uint32_t small = unit(t);
    uint32_t run = 0, block = 0; /* small units that are left over */
    uint32_t from = 0, to = 0;
    uint32_t many = t->first & 1U ? 1U : 2U; /* that join */

    for (; from + many <= last; many = 2U) {
        for (; many > 0; many--, from++) {
            run += t->bin[from].run;
            block += t->bin[from].block;
        }
        t->bin[to++] = (struct mpj_bin){.run = (uint8_t)(run / 2U), .block = (uint8_t)(block / 2U)};
        run %= 2U;
        block %= 2U;
    }
    if (from < last) { /* together with the open one */
        run += t->bin[from].run;
        block += t->bin[from].block;
    }
    t->open_run += run * small;
    t->open_block += block * small;
    t->doubled++;
    t->used = (uint16_t)(to + 1U);
    t->first /= 2U;
    t->end = ((uint64_t)t->first + t->used) * mpj_timeline_width(t);
}

/* Whole bins of the same from the last one's end up to `to`, as far as there is room; the last one
 * is open again. */
HAL_HOT static __attribute__((noinline)) void fill(struct mpj_timeline *t, uint64_t to, bool run,
                                                   bool block)
{
    const uint64_t width = mpj_timeline_width(t);

    while (t->used < MPJ_BINS_MAX && to - t->end >= width) {
        close_bin(t);
        t->used++;
        t->end += width;
        t->open_run += run ? (uint32_t)width : 0U;
        t->open_block += block ? (uint32_t)width : 0U;
    }
}

HAL_HOT void mpj_timeline_extend(struct mpj_timeline *t, uint64_t from, uint64_t to, bool block)
{
    while (from < to) {
        uint64_t part;

        if (from >= t->end) {
            const uint64_t width = mpj_timeline_width(t);

            if (t->used == MPJ_BINS_MAX) {
                widen(t);
            } else if (from - t->end >= width) { /* it did neither */
                fill(t, from, false, false);
            } else if (from == t->end && to - from >= width) {
                fill(t, to, !block, block);
                from = t->end;
            } else {
                close_bin(t);
                t->used++;
                t->end += width;
            }
            continue;
        }
        part = (to < t->end ? to : t->end) - from;
        *(block ? &t->open_block : &t->open_run) += (uint32_t)part;
        from += part;
    }
}
