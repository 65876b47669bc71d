/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "press.h"

#define HEADS 4096u
#define TRIES 16

static unsigned hash4(const unsigned char *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof(v));
    return v * 2654435761u >> 20;
}

static size_t equal(const unsigned char *a, const unsigned char *b, size_t most)
{
    size_t n = 0;

    while (n < most && a[n] == b[n])
        n++;
    return n;
}

size_t lz_cut(const unsigned char *text, size_t n, struct token *out)
{
    int32_t head[HEADS];
    int32_t before[WINDOW]; /* the previous position with that hash */
    size_t tokens = 0;

    memset(head, -1, sizeof(head));
    for (size_t at = 0; at < n;) {
        const size_t most = n - at < LONGEST ? n - at : LONGEST;
        size_t best = 0;
        size_t from = 0;

        if (most >= SHORTEST) {
            int32_t place = head[hash4(text + at)];

            for (int i = 0; i < TRIES && place >= 0 && at - (size_t)place < WINDOW; i++) {
                const size_t same = equal(text + place, text + at, most);

                if (same > best) {
                    best = same;
                    from = (size_t)place;
                }
                place = before[(size_t)place % WINDOW];
            }
        }
        if (best < SHORTEST)
            best = 1;
        out[tokens++] =
            best == 1 ? (struct token){text[at], 0}
                      : (struct token){(uint16_t)(256u + best - SHORTEST), (uint16_t)(at - from)};
        for (const size_t end = at + best; at < end; at++) {
            if (at + 4 > n)
                continue;
            before[at % WINDOW] = head[hash4(text + at)];
            head[hash4(text + at)] = (int32_t)at;
        }
    }
    return tokens;
}
