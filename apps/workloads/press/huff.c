/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "press.h"

struct node {
    uint32_t count;
    int16_t parent;
};

/* Returns the rarest node without a parent; -1: none. */
static int rarest(const struct node *node, int n)
{
    int best = -1;

    for (int i = 0; i < n; i++) {
        if (node[i].count > 0 && node[i].parent < 0 &&
            (best < 0 || node[i].count < node[best].count))
            best = i;
    }
    return best;
}

/* Joins the two rarest nodes until one is left. Returns true if no code is too long. */
static int build(const uint32_t *count, int n, unsigned shift, uint8_t *length)
{
    struct node node[2 * SYMBOLS];
    int all = n;

    for (int i = 0; i < n; i++)
        node[i] = (struct node){count[i] ? (count[i] >> shift) + 1 : 0, -1};
    for (;;) {
        const int a = rarest(node, all);
        int b;

        if (a < 0)
            break;
        node[a].parent = (int16_t)all;
        b = rarest(node, all);
        if (b < 0) {
            node[a].parent = -1;
            break;
        }
        node[b].parent = (int16_t)all;
        node[all++] = (struct node){node[a].count + node[b].count, -1};
    }
    for (int i = 0; i < n; i++) {
        unsigned depth = 0;

        for (int k = i; count[i] && node[k].parent >= 0; k = node[k].parent)
            depth++;
        if (depth > CODE_BITS)
            return 0;
        length[i] = (uint8_t)(count[i] && depth == 0 ? 1 : depth); /* the only symbol */
    }
    return 1;
}

void huff_lengths(const uint32_t *count, unsigned n, uint8_t *length)
{
    for (unsigned shift = 0; !build(count, (int)n, shift, length); shift++)
        ;
}

/* Computes the first code of each length. */
static void firsts(const uint8_t *length, unsigned n, uint16_t *first, uint16_t *of)
{
    memset(of, 0, (CODE_BITS + 2) * sizeof(*of));
    for (unsigned i = 0; i < n; i++)
        of[length[i]]++;
    of[0] = 0;
    first[0] = 0;
    for (unsigned bits = 1; bits <= CODE_BITS + 1; bits++)
        first[bits] = (uint16_t)((first[bits - 1] + of[bits - 1]) << 1);
}

void huff_codes(const uint8_t *length, unsigned n, uint16_t *code)
{
    uint16_t next[CODE_BITS + 2];
    uint16_t of[CODE_BITS + 2];

    firsts(length, n, next, of);
    for (unsigned i = 0; i < n; i++) {
        const uint16_t c = length[i] ? next[length[i]]++ : 0;

        code[i] = 0;
        for (unsigned bit = 0; bit < length[i]; bit++)
            code[i] |= (uint16_t)((c >> bit & 1u) << (length[i] - 1u - bit));
    }
}

void huff_table(struct huff_table *t, const uint8_t *length, unsigned n)
{
    uint16_t of[CODE_BITS + 2];
    uint16_t at = 0;

    firsts(length, n, t->first, of);
    for (unsigned bits = 1; bits <= CODE_BITS; bits++) {
        t->index[bits] = at;
        for (unsigned i = 0; i < n; i++) {
            if (length[i] == bits)
                t->symbol[at++] = (uint16_t)i;
        }
    }
    t->index[CODE_BITS + 1] = at;
}

unsigned huff_get(const struct huff_table *t, struct bits *b)
{
    uint32_t code = 0;

    for (unsigned bits = 1; bits <= CODE_BITS; bits++) {
        code = code << 1 | bits_get(b, 1);
        if (code - t->first[bits] < (uint32_t)(t->index[bits + 1] - t->index[bits]))
            return t->symbol[t->index[bits] + code - t->first[bits]];
    }
    return 0;
}
