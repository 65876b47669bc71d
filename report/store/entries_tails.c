/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/entries_tails.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS ENTRY_ITEMS
#define KNOWN 8.0 /* calls by jumps whose mean is known */
#define ENTRY 4U  /* bytes of an entry: the return address of what a measured function jumps to */

struct scene {
    struct entry_tails *t;
    struct entry_graph *g;
    struct entry_code *code;
    const double *passed;
};

/* Share of the calls of a function that end with a jump to another one. */
struct odds {
    double part, variance;
};

/* Calls to move from a site to the function that jumped. */
struct move {
    double calls, variance;
};

bool entry_tails_add(struct entry_tails *t, const struct entry_site *site)
{
    if (t->count == t->room) {
        struct entry_site *const more = reallocarray(t->site, t->room * 2U + 64U, sizeof(*more));

        if (more == NULL)
            return false;
        t->site = more;
        t->room = t->room * 2U + 64U;
    }
    t->site[t->count++] = *site;
    return true;
}

static int by_place(const void *a, const void *b)
{
    const struct entry_site *const x = a;
    const struct entry_site *const y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->back != y->back)
        return x->back < y->back ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static bool same_place(const struct entry_site *a, const struct entry_site *b)
{
    return a->from == b->from && a->back == b->back;
}

/* Sorts the sites, and makes one of those that several cores have. */
static void merge(struct entry_tails *t)
{
    size_t kept = 0;

    if (t->count > 0)
        qsort(t->site, t->count, sizeof(*t->site), by_place);
    for (size_t i = 0; i < t->count; i++) {
        struct entry_site *const to = kept > 0 ? &t->site[kept - 1U] : NULL;
        const struct entry_site *const x = &t->site[i];

        if (to == NULL || by_place(to, x) != 0) {
            t->site[kept++] = *x;
            continue;
        }
        to->calls += x->calls;
        to->records += x->records;
        to->error += x->error;
        to->passes += x->passes;
        for (unsigned k = 0; k < ITEMS; k++)
            to->v[k] += x->v[k];
    }
    t->count = kept;
}

/* True for functions that are not measured. */
static bool is_outside(void *ctx, uint32_t address)
{
    const struct entry_graph *const g = ctx;
    const uint32_t i = entry_func_find(g, address, ENTRY_NONE);

    return i == ENTRY_NONE || !g->func[i].is_measured;
}

/* True for a return address after a call by pointer. */
static bool is_pointer(const struct scene *s, uint32_t back)
{
    const uint32_t at = back - ENTRY;

    return back != 0 && s->code->symbols != NULL && entry_code_start(s->code, at) != at &&
           mpj_symbols_branch(s->code->symbols, at, true) == 0;
}

/* Returns how often the function `jumps` ends with a jump to that of `site`: by its measured calls,
 * as far as both are measured in the same periods. */
static struct odds odds_of(const struct scene *s, const struct entry_site *jumps,
                           const struct entry_site *site)
{
    const uint32_t back = s->g->func[jumps->to].address + ENTRY;
    double records = 0;
    double tails = 0;
    double times = 0;
    double part;

    for (size_t i = 0; i < s->t->count; i++) {
        const struct entry_site *const x = &s->t->site[i];

        records += x->to == jumps->to ? x->records : 0;
        if (x->from == jumps->to && x->to == site->to && x->back == back) {
            tails = x->calls;
            times = x->records > 0 ? x->calls / (x->records + x->passes) : 0;
        }
    }
    if (!(records > 0) || (site->group != jumps->group && !site->always))
        return (struct odds){.part = 0.5, .variance = 1.0 / 12};
    part = fmin((times > 0 ? tails / times : 0) / records, 1);
    return (struct odds){part, (part * (1 - part) + 1 / records) / records};
}

/* Returns the calls of a site that came by a jump from the function of another one at the same
 * place. */
static struct move move_of(const struct scene *s, const struct entry_site *jumps,
                           const struct entry_site *site)
{
    struct move m = {0};

    if (jumps->to != site->to && entry_code_jumps(s->code, s->g->func[jumps->to].address,
                                                  s->g->func[site->to].address, is_outside, s->g)) {
        const double calls = fmax(jumps->calls - jumps->records, 0);
        const struct odds odds = odds_of(s, jumps, site);

        m.calls = calls * odds.part;
        m.variance = calls * calls * odds.variance + jumps->error * jumps->error;
    }
    return m;
}

/* Moves calls of a site, which are that part of the edge's calls, from one edge to another. */
static void move_calls(const struct scene *s, const struct entry_site *site, uint32_t to,
                       const struct move *m)
{
    struct entry_graph *const g = s->g;
    struct entry_call *const old = &g->call[entry_call_of(g, site->from, site->to)];
    struct entry_call *const new = &g->call[to];
    const double part = m->calls / site->calls;
    const double each = site->v[0] / site->calls;
    const bool known = new->records >= KNOWN &&new->calls > 0;
    const double was = old->v[0];
    const double differ = known ? 0 : part * (1 - part) * site->v[0];
    double moved;

    for (unsigned i = 0; i < ITEMS; i++) {
        const double v = known ? new->v[i] / new->calls * m->calls : part * site->v[i];
        const double most = fmin(site->v[i], old->v[i]);
        const double passes =
            fmin(part * site->passes * s->passed[i], g->func[old->from].passed[i]);

        g->func[old->from].passed[i] -= passes;
        g->func[new->from].passed[i] += passes;
        old->v[i] -= fmin(v, most);
        new->v[i] += fmin(v, most);
    }
    moved = was > 0 ? 1 - old->v[0] / was : 0;
    new->variance += moved * old->variance;
    new->by_period += moved * old->by_period;
    old->variance -= moved * old->variance;
    old->by_period -= moved * old->by_period;
    new->calls += m->calls;
    old->calls -= m->calls;
    old->division += m->variance * each * each + differ * differ;
    new->division += m->variance *each *each + differ *differ;
}

/* Moves what others at the same place, sites from `first` up to `end`, have jumped to. */
static bool divide_site(const struct scene *s, size_t first, size_t end, size_t at)
{
    const struct entry_site *const site = &s->t->site[at];
    double all = 0;

    for (size_t i = first; i < end; i++)
        all += move_of(s, &s->t->site[i], site).calls;
    for (size_t i = first; i < end && all > 0; i++) {
        struct move m = move_of(s, &s->t->site[i], site);
        uint32_t to;

        if (!(m.calls > 0))
            continue;
        to = entry_call_of(s->g, s->t->site[i].to, site->to);
        if (to == ENTRY_NONE)
            return false;
        m.calls *= fmin(site->calls / all, 1);
        move_calls(s, site, to, &m);
    }
    return true;
}

bool entry_tails_divide(struct entry_tails *t, struct entry_graph *g, struct entry_code *code,
                        const double passed[ENTRY_ITEMS])
{
    const struct scene s = {t, g, code, passed};
    bool good = true;

    merge(t);
    for (size_t first = 0, end; first < t->count && good; first = end) {
        for (end = first + 1U; end < t->count && same_place(&t->site[first], &t->site[end]);)
            end++;
        if (end - first < 2U || !is_pointer(&s, t->site[first].back))
            continue;
        for (size_t at = first; at < end && good; at++)
            good = !(t->site[at].calls > 0) || divide_site(&s, first, end, at);
    }
    return good;
}

void entry_tails_free(struct entry_tails *t)
{
    free(t->site);
}
