/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "paint.h"

#define PAINT 0x9d5ce3a5U

/* Returns the next address below `at` that is painted in a stack that ends at `top`. */
static uintptr_t below(uintptr_t at, uintptr_t top)
{
    const uint32_t depth = (uint32_t)(top - at);
    uint32_t step = MPJ_PAINT_FINE;

    if (depth >= MPJ_PAINT_DEEP)
        step = (1U << (31U - (unsigned)__builtin_clz(depth))) / MPJ_PAINT_OCTAVE;
    else if (depth >= MPJ_PAINT_NEAR)
        step = MPJ_PAINT_STEP;
    return (at - 1U) & ~(uintptr_t)(step - 1U);
}

static uintptr_t first(uintptr_t top)
{
    return (top - 1U) & ~(uintptr_t)(MPJ_PAINT_FINE - 1U);
}

/* Returns the value that the word at an address is painted with: it depends on the address, so that
 * a copied stack differs. */
static uint32_t paint_at(uintptr_t at)
{
    return (uint32_t)at ^ PAINT;
}

void mpj_paint(uintptr_t low, uintptr_t top, uintptr_t from, uint32_t depth)
{
    const uintptr_t last = depth < top - low ? top - depth : low;

    uintptr_t at = first(top);

    for (; at >= last && at > top - MPJ_PAINT_NEAR && at < from; at -= MPJ_PAINT_FINE)
        *(uint32_t *)at = paint_at(at);
    for (; at >= last && at < top; at = below(at, top)) {
        if (at < from)
            *(uint32_t *)at = paint_at(at);
    }
}

void mpj_paint_ready(uintptr_t low, uintptr_t high)
{
    for (uintptr_t at = low; at < high; at += MPJ_PAINT_FINE)
        *(uint32_t *)at = paint_at(at);
}

/* Returns the lowest clean word of those down to MPJ_PAINT_NEAR: most threads use no more. */
static uintptr_t look_near(uintptr_t low, uintptr_t top)
{
    const uintptr_t end = top - low > MPJ_PAINT_NEAR ? top - MPJ_PAINT_NEAR : low;
    uintptr_t clean = first(top);

    for (uintptr_t at = clean; at > end; at -= MPJ_PAINT_FINE) {
        if (*(const uint32_t *)at != paint_at(at))
            clean = at - MPJ_PAINT_FINE;
    }
    return clean;
}

uint32_t mpj_paint_depth(uintptr_t low, uintptr_t top, bool quick)
{
    uintptr_t clean = quick ? look_near(low, top) : first(top);
    uintptr_t until = low;

    if (quick && clean > low && top - clean <= MPJ_PAINT_NEAR / 2U)
        return (uint32_t)(top - clean);
    for (uintptr_t at = clean; at >= until && at < top; at = below(at, top)) {
        if (*(const uint32_t *)at != paint_at(at))
            clean = below(at, top);
        if (quick)
            until = clean - low > 3U * (top - clean) ? clean - 3U * (top - clean) : low;
    }
    return (uint32_t)(top - (clean > low && clean < top ? clean : low));
}
