/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hil/lossy_line.h"

#include <stdlib.h>
#include <string.h>

uint64_t lossy_random(struct lossy_line *l)
{
    uint64_t z = (l->rng += 0x9e3779b97f4a7c15U);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

bool lossy_chance(struct lossy_line *l, double p)
{
    return p > 0 && (double)(lossy_random(l) >> 11) * 0x1p-53 < p;
}

void lossy_init(struct lossy_line *l, uint64_t seed, uint32_t limit,
                const struct lossy_faults *faults)
{
    memset(l, 0, sizeof(*l));
    l->rng = seed;
    l->limit = limit;
    if (faults != NULL)
        l->faults = *faults;
    l->queue = malloc(LOSSY_QUEUE);
    l->sender_rate = l->receiver_rate = 115200;
}

void lossy_free(struct lossy_line *l)
{
    free(l->queue);
}

size_t lossy_put(struct lossy_line *l, const uint8_t *p, size_t n)
{
    size_t i;

    for (i = 0; i < n && l->head - l->tail < l->limit; i++)
        l->queue[l->head++ % LOSSY_QUEUE] = p[i];
    return i;
}

size_t lossy_step(struct lossy_line *l, uint8_t *out, size_t cap)
{
    size_t n = 0;

    if (l->stalled > 0) {
        l->stalled--;
        return 0;
    }
    if (lossy_chance(l, l->faults.stall))
        l->stalled = 1 + (uint32_t)(lossy_random(l) % l->faults.stall_ms);
    l->credit += l->sender_rate / 10000.0;
    for (; l->credit >= 1 && l->head != l->tail && n + 2 <= cap; l->credit -= 1) {
        uint8_t b = l->queue[l->tail++ % LOSSY_QUEUE];
        l->carried++;
        if (l->cut || lossy_chance(l, l->faults.drop))
            continue;
        for (unsigned bit = 0; bit < 8; bit++) {
            if (lossy_chance(l, l->faults.bit_error))
                b ^= (uint8_t)(1U << bit);
        }
        if (l->sender_rate != l->receiver_rate)
            b = (uint8_t)lossy_random(l);
        out[n++] = b;
        if (lossy_chance(l, l->faults.twice))
            out[n++] = b;
    }
    if (l->head == l->tail && l->credit > 1)
        l->credit = 1;
    return n;
}
