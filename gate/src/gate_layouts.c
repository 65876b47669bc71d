/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares the figures of two sets of layouts. What the layouts of one program differ by is noise,
 * so a median counts only with a test (Mann and Whitney's rank-sum test, exact, with ties) by which
 * chance is an unlikely reason.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge_int.h"

#define CHANCE  0.005 /* a verdict has at most this probability without a change, at each look */
#define NO_SIGN 0.5   /* from this probability on there is no sign of a change */
#define PAIRS   8U    /* that many pairs on one side: 2^-8 is below CHANCE */

/* The figures of both sides. */
struct sides {
    double base[MPJ_GATE_SAMPLES_MAX], now[MPJ_GATE_SAMPLES_MAX];
    unsigned bases, nows;
};

/* Reads a figure's list, or one number for n equal ones. Returns its length. */
static unsigned read_list(const json_t *row, const char *item, unsigned n, double *out)
{
    const json_t *const v = json_object_get(row, item);
    const size_t size = json_array_size(v);

    for (unsigned i = 0; i < MPJ_GATE_SAMPLES_MAX; i++)
        out[i] = json_number_value(size > 0 ? json_array_get(v, i) : v);
    if (size > MPJ_GATE_SAMPLES_MAX)
        return MPJ_GATE_SAMPLES_MAX;
    return size > 0 ? (unsigned)size : n;
}

struct ranked {
    double value;
    bool now;
};

static int by_value(const void *a, const void *b)
{
    const double x = ((const struct ranked *)a)->value;
    const double y = ((const struct ranked *)b)->value;

    return (x > y) - (x < y);
}

/* Sets the ranks of all figures, doubled, which makes the mean rank of equal ones whole. Returns
 * their sum over the figures of now. */
static unsigned doubled_ranks(const struct sides *s, unsigned *rank)
{
    struct ranked all[2 * MPJ_GATE_SAMPLES_MAX];
    const unsigned n = s->bases + s->nows;
    unsigned sum = 0;

    for (unsigned i = 0; i < n; i++)
        all[i] = (struct ranked){i < s->bases ? s->base[i] : s->now[i - s->bases], i >= s->bases};
    qsort(all, n, sizeof(all[0]), by_value);
    for (unsigned i = 0; i < n;) {
        unsigned end = i;
        while (end < n && all[end].value <= all[i].value)
            end++;
        for (const unsigned both = i + end + 1; i < end; i++) {
            rank[i] = both;
            sum += all[i].now ? both : 0;
        }
    }
    return sum;
}

/* Returns the probability that a random choice of as many figures as now has the ranks' sum of now
 * or a larger one; *least: the smallest that is possible. NAN: out of memory. */
static double rank_sum(const struct sides *s, double *least)
{
    unsigned rank[2 * MPJ_GATE_SAMPLES_MAX];
    const unsigned sum = doubled_ranks(s, rank);
    const unsigned n = s->bases + s->nows;
    const size_t width = (size_t)2 * n * (n + 1) / 2 + 1;
    double *const ways = calloc(width * (s->nows + 1), sizeof(*ways)); /* [chosen][sum] */
    double larger = 0;
    double all = 0;
    double most = 0;

    *least = NAN;
    if (ways == NULL)
        return NAN;
    ways[0] = 1;
    for (unsigned i = 0; i < n; i++) {
        for (unsigned k = i < s->nows ? i + 1 : s->nows; k > 0; k--) {
            const double *const from = &ways[(k - 1) * width];
            for (size_t v = rank[i]; v < width; v++)
                ways[k * width + v] += from[v - rank[i]];
        }
    }
    for (size_t v = 0; v < width; v++) {
        const double w = ways[s->nows * width + v];
        all += w;
        larger += v >= sum ? w : 0;
        most = w > 0 ? w : most;
    }
    free(ways);
    *least = most / all;
    return larger / all;
}

/* Returns how many layouts by themselves are worse than allowed. */
static unsigned worse_pairs(const struct sides *s, double allowed)
{
    unsigned n = 0;

    for (unsigned i = 0; i < s->nows; i++)
        n += s->now[i] > s->base[i] * allowed;
    return n;
}

enum gate_shift gate_layouts_compare(const json_t *base, const json_t *now, const char *item,
                                     unsigned bases, unsigned nows, double percent)
{
    const double allowed = 1 + percent / 100;
    const bool beyond =
        mpj_gate_figure(now, item, NULL, NULL) > mpj_gate_figure(base, item, NULL, NULL) * allowed;
    struct sides s;
    unsigned worse;
    double chance;
    double least;
    bool last;

    s.bases = read_list(base, item, bases, s.base);
    s.nows = read_list(now, item, nows, s.now);
    last = s.nows >= s.bases;
    worse = s.nows <= s.bases ? worse_pairs(&s, allowed) : s.nows;
    if (worse == 0 || (last && !beyond))
        return GATE_NOT_WORSE;
    chance = rank_sum(&s, &least);
    if (isnan(chance))
        return GATE_NO_MEMORY;
    if (beyond && (chance <= CHANCE || (worse == s.nows && (last || s.nows >= PAIRS))))
        return GATE_WORSE;
    if (last) /* of so few that no order is unlikely: the least likely one */
        return least > CHANCE && chance <= least ? GATE_WORSE : GATE_NOT_WORSE;
    return chance > NO_SIGN ? GATE_NOT_WORSE : GATE_UNDECIDED;
}
