/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "press.h"

void bits_put(struct bits *b, uint32_t value, unsigned n)
{
    for (unsigned i = 0; i < n; i++, b->pos++) {
        if (b->pos / 8 >= b->room)
            continue;
        if (b->pos % 8 == 0)
            b->at[b->pos / 8] = 0;
        b->at[b->pos / 8] |= (unsigned char)((value >> i & 1u) << (b->pos % 8));
    }
}

uint32_t bits_get(struct bits *b, unsigned n)
{
    uint32_t value = 0;

    for (unsigned i = 0; i < n; i++, b->pos++) {
        if (b->pos / 8 < b->room)
            value |= (uint32_t)(b->at[b->pos / 8] >> (b->pos % 8) & 1u) << i;
    }
    return value;
}
