/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/entries_graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS     ENTRY_ITEMS
#define NONE      ENTRY_NONE
#define DEPTH_MAX 40U
#define LEAST     1e-5 /* share of all cycles below which a call is not followed */

/* ---- functions and edges -------------------------------------------------------------------- */

/* Returns a list with space for one more element, grown by doubling; NULL: out of memory, and it is
 * unchanged. */
static void *grown(void *list, uint32_t used, uint32_t *room, size_t size)
{
    const uint32_t more = *room > 0 ? *room * 2U : 64U;

    if (used < *room)
        return list;
    list = reallocarray(list, more, size);
    if (list != NULL)
        *room = more;
    return list;
}

/* Returns the number of places in the table of so many elements: odd, so not 0. */
static uint32_t places_of(uint32_t room)
{
    return room * 2U + 1U;
}

static uint32_t hash_of(uint32_t a, uint32_t b)
{
    return (a * 2654435761U ^ b * 2246822519U) >> 5;
}

static uint32_t func_key(const struct entry_graph *g, uint32_t i)
{
    return hash_of(g->func[i].address, g->func[i].outer);
}

static uint32_t call_key(const struct entry_graph *g, uint32_t i)
{
    return hash_of(g->call[i].from, g->call[i].to);
}

/* Makes a table of all elements, of twice as many places as there is space. */
static uint32_t *hashed(const struct entry_graph *g, uint32_t count, uint32_t room,
                        uint32_t (*key)(const struct entry_graph *, uint32_t))
{
    const uint32_t places = places_of(room);
    uint32_t *const table = calloc(places, sizeof(*table));

    for (uint32_t i = 0; i < count && table != NULL; i++) {
        uint32_t k = key(g, i) % places;

        while (table[k] != 0)
            k = (k + 1U) % places;
        table[k] = i + 1U;
    }
    return table;
}

/* Adds the last element to the table, which is made again if there is more space. */
static bool note(const struct entry_graph *g, uint32_t **table, uint32_t count, uint32_t was,
                 uint32_t room, uint32_t (*key)(const struct entry_graph *, uint32_t))
{
    const uint32_t places = places_of(room);
    uint32_t k;

    if (was != room) {
        uint32_t *const made = hashed(g, count, room, key);

        free(*table);
        *table = made;
        return made != NULL;
    }
    k = key(g, count - 1U) % places;
    while ((*table)[k] != 0)
        k = (k + 1U) % places;
    (*table)[k] = count;
    return true;
}

uint32_t entry_func_find(const struct entry_graph *g, uint32_t address, uint32_t outer)
{
    const uint32_t places = places_of(g->func_room);

    for (uint32_t k = hash_of(address, outer); g->funcs > 0 && g->func_hash[k % places] != 0; k++) {
        const uint32_t i = g->func_hash[k % places] - 1U;

        if (g->func[i].address == address && g->func[i].outer == outer)
            return i;
        k %= places;
    }
    return NONE;
}

uint32_t entry_func_of(struct entry_graph *g, uint32_t address, uint32_t outer)
{
    const uint32_t was = g->func_room;
    const uint32_t known = entry_func_find(g, address, outer);
    struct entry_func *list;

    if (known != NONE)
        return known;
    list = grown(g->func, g->funcs, &g->func_room, sizeof(*list));
    if (list == NULL)
        return NONE;
    g->func = list;
    g->func[g->funcs++] = (struct entry_func){.address = address, .outer = outer};
    return note(g, &g->func_hash, g->funcs, was, g->func_room, func_key) ? g->funcs - 1U : NONE;
}

uint32_t entry_call_of(struct entry_graph *g, uint32_t from, uint32_t to)
{
    const uint32_t places = places_of(g->call_room);
    const uint32_t was = g->call_room;
    struct entry_call *list;

    for (uint32_t k = hash_of(from, to); g->calls > 0 && g->call_hash[k % places] != 0; k++) {
        const uint32_t i = g->call_hash[k % places] - 1U;

        if (g->call[i].from == from && g->call[i].to == to)
            return i;
        k %= places;
    }
    list = grown(g->call, g->calls, &g->call_room, sizeof(*list));
    if (list == NULL)
        return NONE;
    g->call = list;
    g->call[g->calls++] = (struct entry_call){.from = from, .to = to};
    return note(g, &g->call_hash, g->calls, was, g->call_room, call_key) ? g->calls - 1U : NONE;
}

/* ---- components: Tarjan's algorithm --------------------------------------------------------- */

struct search {
    uint32_t *low, *index, *stack, *path, *next; /* by function, but stack and path */
    uint32_t seen, stacked;
};

/* Closes a component, whose functions are above `root` on the stack. */
static void close_component(struct entry_graph *g, struct search *s, uint32_t root)
{
    struct entry_component *const c = &g->component[g->components];
    uint32_t i;

    c->first = g->components > 0 ? c[-1].first + c[-1].members : 0;
    do {
        i = s->stack[--s->stacked];
        g->func[i].component = g->components;
        g->order[c->first + c->members++] = i;
    } while (i != root);
    g->components++;
}

static void search_from(struct entry_graph *g, struct search *s, uint32_t start)
{
    uint32_t depth = 0;

    s->path[depth++] = start;
    while (depth > 0) {
        const uint32_t i = s->path[depth - 1U];

        if (s->index[i] == 0) {
            s->index[i] = s->low[i] = ++s->seen;
            s->stack[s->stacked++] = i;
            s->next[i] = g->first[i];
        }
        if (s->next[i] < g->first[i + 1U]) {
            const uint32_t to = g->call[s->next[i]++].to;

            if (s->index[to] == 0)
                s->path[depth++] = to;
            else if (g->func[to].component == NONE && s->index[to] < s->low[i])
                s->low[i] = s->index[to];
            continue;
        }
        depth--;
        if (depth > 0 && s->low[i] < s->low[s->path[depth - 1U]])
            s->low[s->path[depth - 1U]] = s->low[i];
        if (s->low[i] == s->index[i])
            close_component(g, s, i);
    }
}

static bool find_components(struct entry_graph *g)
{
    uint32_t *const memory = calloc((size_t)g->funcs * 5U + 1U, sizeof(*memory));
    struct search s = {.low = memory};

    g->order = calloc(g->funcs + 1U, sizeof(*g->order));
    g->component = calloc(g->funcs + 1U, sizeof(*g->component));
    if (memory == NULL || g->order == NULL || g->component == NULL) {
        free(memory);
        return false;
    }
    s.index = s.low + g->funcs;
    s.stack = s.index + g->funcs;
    s.path = s.stack + g->funcs;
    s.next = s.path + g->funcs;
    for (uint32_t i = 0; i < g->funcs; i++)
        g->func[i].component = NONE;
    for (uint32_t i = 0; i < g->funcs; i++) {
        if (s.index[i] == 0)
            search_from(g, &s, i);
    }
    free(memory);
    return true;
}

/* ---- solution ------------------------------------------------------------------------------- */

static int by_caller(const void *a, const void *b)
{
    const struct entry_call *const x = a;
    const struct entry_call *const y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* Lists the edges of each function's callers. */
static bool index_callers(struct entry_graph *g)
{
    g->first_in = calloc(g->funcs + 2U, sizeof(*g->first_in));
    g->in = calloc(g->calls + 1U, sizeof(*g->in));
    if (g->first_in == NULL || g->in == NULL)
        return false;
    for (uint32_t k = 0; k < g->calls; k++)
        g->first_in[g->call[k].to + 2U]++;
    for (uint32_t i = 0; i < g->funcs; i++)
        g->first_in[i + 1U] += g->first_in[i];
    for (uint32_t k = 0; k < g->calls; k++)
        g->in[g->first_in[g->call[k].to + 1U]++] = k;
    return true;
}

/* Sorts the edges by caller. */
static bool index_calls(struct entry_graph *g)
{
    if (g->calls > 0)
        qsort(g->call, g->calls, sizeof(*g->call), by_caller);
    free(g->first);
    g->first = calloc(g->funcs + 2U, sizeof(*g->first));
    for (uint32_t k = 0; k < g->calls && g->first != NULL; k++)
        g->first[g->call[k].from + 1U]++;
    for (uint32_t i = 0; i < g->funcs && g->first != NULL; i++)
        g->first[i + 1U] += g->first[i];
    return g->first != NULL && index_callers(g);
}

/* Code without an entry costs its caller what it calls, and does not count as a cost of its own. */
static bool connect_outer(struct entry_graph *g)
{
    const uint32_t calls = g->calls;

    for (uint32_t k = 0; k < calls; k++) {
        const struct entry_call c = g->call[k];
        const struct entry_func *const from = &g->func[c.from];
        uint32_t at;

        if (from->is_measured || from->outer == NONE)
            continue;
        at = entry_call_of(g, from->outer, c.from);
        if (at == NONE)
            return false;
        for (unsigned i = 0; i < ITEMS; i++)
            g->call[at].v[i] += c.v[i];
        g->call[at].variance += c.variance;
        g->call[at].by_period += c.by_period;
        g->call[at].division += c.division;
    }
    return true;
}

/* True for an edge from a component, or to it, from or to others. */
static bool crosses(const struct entry_graph *g, const struct entry_call *c)
{
    return g->func[c->from].component != g->func[c->to].component;
}

/* Returns how uneven the periods are of a function that is called so many times, and has that part
 * of the run: many short calls are in all periods, a few long ones in that part of them. Nothing is
 * assumed to be more even than what runs in half of the periods. */
static double uneven_of(const struct entry_graph *g, double calls, double part)
{
    if (!(calls > 0 && part > 0))
        return 1;
    return fmax(fmin(g->periods / calls, 1 / part - 1), 1);
}

/* Sets how uneven each function's periods are: at least as those of its callers. Callers first. */
static void set_uneven(struct entry_graph *g)
{
    double all = 0;

    for (uint32_t n = g->funcs; n-- > 0;) {
        const uint32_t i = g->order[n];
        double calls = 0;
        double in = 0;
        double above = 0;

        for (uint32_t k = g->first_in[i]; k < g->first_in[i + 1U]; k++) {
            const struct entry_call *const e = &g->call[g->in[k]];

            if (!crosses(g, e))
                continue;
            calls += e->calls;
            in += e->v[0];
            above += e->v[0] * g->func[e->from].uneven;
        }
        for (uint32_t k = g->first[i]; k < g->first[i + 1U] && !(in > 0); k++)
            all += crosses(g, &g->call[k]) ? g->call[k].v[0] : 0;
        g->func[i].uneven = uneven_of(g, calls, all > 0 ? in / all : 0);
        if (in > 0)
            g->func[i].uneven = fmax(g->func[i].uneven, above / in);
    }
}

/* Computes a function's own cost from its edges: the calls of it less those by it. A call of itself
 * is in both. */
static void own_costs(struct entry_graph *g)
{
    for (uint32_t k = 0; k < g->calls; k++) {
        struct entry_call *const c = &g->call[k];
        struct entry_func *const from = &g->func[c->from];
        struct entry_func *const to = &g->func[c->to];

        c->variance += c->by_period * c->by_period * from->uneven;
        for (unsigned i = 0; i < ITEMS; i++) {
            from->self[i] -= c->v[i];
            to->self[i] += c->v[i];
        }
        from->self_variance += c->from != c->to ? c->variance : 0;
        to->self_variance += c->from != c->to ? c->variance : 0;
        if (from->component != to->component)
            to->all_variance += c->variance;
        to->calls += c->calls;
        c->variance += c->division; /* not of what `to` uses */
        from->self_variance += c->from != c->to ? c->division : 0;
    }
    for (uint32_t n = 0; n < g->funcs; n++) {
        struct entry_func *const f = &g->func[n];

        for (unsigned i = 0; i < ITEMS; i++)
            f->self[i] = f->is_measured ? fmax(f->self[i] - f->passed[i], 0) : 0;
        if (!f->is_measured)
            f->self_variance = 0;
    }
}

/* A component's edges to others, or from others. */
struct border {
    double v[ITEMS], variance;
};

static void add_to_border(struct border *b, const struct entry_call *c)
{
    for (unsigned i = 0; i < ITEMS; i++)
        b->v[i] += c->v[i];
    b->variance += c->variance;
}

/* Sums up the edges that leave a component. */
static struct border leaving(const struct entry_graph *g, const struct entry_component *c)
{
    struct border b = {.variance = 0};

    for (uint32_t n = c->first; n < c->first + c->members; n++) {
        for (uint32_t k = g->first[g->order[n]]; k < g->first[g->order[n] + 1U]; k++) {
            if (crosses(g, &g->call[k]))
                add_to_border(&b, &g->call[k]);
        }
    }
    return b;
}

/* Sums up the edges that enter a component. */
static struct border entering(const struct entry_graph *g, const struct entry_component *c)
{
    struct border b = {.variance = 0};

    for (uint32_t n = c->first; n < c->first + c->members; n++) {
        for (uint32_t k = g->first_in[g->order[n]]; k < g->first_in[g->order[n] + 1U]; k++) {
            if (crosses(g, &g->call[g->in[k]]))
                add_to_border(&b, &g->call[g->in[k]]);
        }
    }
    return b;
}

/* Sets a component's total: what it uses itself and what leaves it. */
static void set_total(const struct entry_graph *g, struct entry_component *c,
                      const struct border *out)
{
    memcpy(c->total, out->v, sizeof(c->total));
    for (uint32_t n = c->first; n < c->first + c->members; n++) {
        const struct entry_func *const f = &g->func[g->order[n]];

        for (unsigned i = 0; i < ITEMS; i++)
            c->total[i] += f->self[i] + f->passed[i];
    }
}

/* Multiplies the edges that enter a component. */
static void scale_entering(struct entry_graph *g, const struct entry_component *c,
                           const double times[ITEMS])
{
    for (uint32_t n = c->first; n < c->first + c->members; n++) {
        for (uint32_t k = g->first_in[g->order[n]]; k < g->first_in[g->order[n] + 1U]; k++) {
            struct entry_call *const e = &g->call[g->in[k]];

            for (unsigned i = 0; i < ITEMS && crosses(g, e); i++)
                e->v[i] *= times[i];
        }
    }
}

/* Makes the own costs of a component's functions what does not leave it: single ones may be too
 * small to be right, and are 0 then. */
static void fit_own(struct entry_graph *g, const struct entry_component *c, const struct border *in,
                    const struct border *out)
{
    double self[ITEMS] = {0};
    double rest[ITEMS];

    for (unsigned i = 0; i < ITEMS; i++)
        rest[i] = in->v[i] - out->v[i];
    for (uint32_t n = c->first; n < c->first + c->members; n++) {
        for (unsigned i = 0; i < ITEMS; i++) {
            self[i] += g->func[g->order[n]].self[i];
            rest[i] -= g->func[g->order[n]].passed[i];
        }
    }
    for (uint32_t n = c->first; n < c->first + c->members; n++) {
        for (unsigned i = 0; i < ITEMS; i++) {
            if (rest[i] > 0 && self[i] > rest[i])
                g->func[g->order[n]].self[i] *= rest[i] / self[i];
        }
    }
}

/* Raises what enters a component that uses more: by the part of the difference for which the
 * entering edges are the uncertain ones. Callees first, as it is what their callers call. */
static void raise_entering(struct entry_graph *g, struct entry_component *c)
{
    const struct border in = entering(g, c);
    const struct border out = leaving(g, c);
    const double variance = in.variance + out.variance;
    double times[ITEMS];

    if (c->members > 1U)
        fit_own(g, c, &in, &out);
    set_total(g, c, &out);
    for (unsigned i = 0; i < ITEMS; i++) {
        const double missing = c->total[i] - in.v[i];

        times[i] = missing > 0 && in.v[i] > 0 && variance > 0
                       ? 1 + missing * in.variance / variance / in.v[i]
                       : 1;
    }
    scale_entering(g, c, times);
}

/* Takes what a component uses too much from its own costs: they are what enters it less what leaves
 * it, so that they become less when the former does. What they do not have stays in excess. */
static void lower_own(struct entry_graph *g, const struct entry_component *c, double excess[ITEMS])
{
    for (unsigned i = 0; i < ITEMS; i++) {
        double own = 0;
        double part;

        for (uint32_t n = c->first; n < c->first + c->members; n++)
            own += g->func[g->order[n]].self[i];
        if (!(own > 0 && excess[i] > 0))
            continue;
        part = fmin(excess[i] / own, 1);
        excess[i] -= own * part;
        for (uint32_t n = c->first; n < c->first + c->members; n++)
            g->func[g->order[n]].self[i] *= 1 - part;
    }
}

/* Takes the rest of it from the edges that leave it, by their variances. */
static void lower_leaving(struct entry_graph *g, const struct entry_component *c,
                          const struct border *out, const double excess[ITEMS])
{
    for (uint32_t n = c->first; n < c->first + c->members; n++) {
        for (uint32_t k = g->first[g->order[n]]; k < g->first[g->order[n] + 1U]; k++) {
            struct entry_call *const e = &g->call[k];
            const double part = out->variance > 0 ? e->variance / out->variance : 0;

            for (unsigned i = 0; i < ITEMS && crosses(g, e); i++)
                e->v[i] = fmax(e->v[i] - fmax(excess[i], 0) * part, e->v[i] / 2);
        }
    }
}

/* Makes what a component uses what enters it. Callers first. */
static void divide(struct entry_graph *g, struct entry_component *c)
{
    const struct border in = entering(g, c);
    struct border out = leaving(g, c);
    double excess[ITEMS];
    double times[ITEMS];

    set_total(g, c, &out);
    c->is_root = !(in.v[0] > 0);
    if (c->is_root) {
        g->all += c->total[0];
        return;
    }
    for (unsigned i = 0; i < ITEMS; i++)
        excess[i] = c->total[i] - in.v[i];
    lower_own(g, c, excess);
    lower_leaving(g, c, &out, excess);
    out = leaving(g, c);
    set_total(g, c, &out);
    for (unsigned i = 0; i < ITEMS; i++)
        times[i] = c->total[i] > 0 ? in.v[i] / c->total[i] : 0;
    for (uint32_t n = c->first; n < c->first + c->members; n++) {
        struct entry_func *const f = &g->func[g->order[n]];

        for (unsigned i = 0; i < ITEMS; i++) {
            f->self[i] *= times[i];
            f->passed[i] *= times[i];
            f->in[i] = in.v[i];
        }
        for (uint32_t k = g->first[g->order[n]]; k < g->first[g->order[n] + 1U]; k++) {
            for (unsigned i = 0; i < ITEMS && crosses(g, &g->call[k]); i++)
                g->call[k].v[i] *= times[i];
        }
    }
    memcpy(c->total, in.v, sizeof(in.v));
}

/* Makes the totals of a larger component's functions uncertain, as they are not known: a call may
 * be in one of another of them. */
static void doubt_totals(struct entry_graph *g)
{
    for (uint32_t i = 0; i < g->funcs; i++) {
        struct entry_func *const f = &g->func[i];

        if (g->component[f->component].members > 2U)
            f->all_variance += f->in[0] * f->in[0] / 4;
    }
}

/* Counts the calls in a component's functions and in all they call, and the variance of their
 * waits. Callees first. */
static void count_below(struct entry_graph *g, struct entry_component *c)
{
    for (uint32_t n = c->first; n < c->first + c->members; n++) {
        c->waits += g->func[g->order[n]].waits;
        for (uint32_t k = g->first[g->order[n]]; k < g->first[g->order[n] + 1U]; k++) {
            const struct entry_call *const e = &g->call[k];
            const struct entry_component *const to = &g->component[g->func[e->to].component];

            c->below += e->calls;
            if (!crosses(g, e) || !(to->total[0] > 0))
                continue;
            c->below += to->below * e->v[0] / to->total[0];
            c->waits += to->waits * e->v[0] / to->total[0];
        }
    }
    for (uint32_t n = c->first; n < c->first + c->members; n++) {
        struct entry_func *const f = &g->func[g->order[n]];

        f->below = c->below;
        f->self_variance += f->waits;
        f->all_variance += c->waits;
    }
}

bool entry_graph_solve(struct entry_graph *g)
{
    if (!connect_outer(g) || !index_calls(g) || !find_components(g))
        return false;
    set_uneven(g);
    own_costs(g);
    for (uint32_t c = 0; c < g->components; c++) /* callees first */
        raise_entering(g, &g->component[c]);
    for (uint32_t c = g->components; c-- > 0;)
        divide(g, &g->component[c]);
    for (uint32_t c = 0; c < g->components; c++)
        count_below(g, &g->component[c]);
    doubt_totals(g);
    return true;
}

/* ---- the tree ------------------------------------------------------------------------------- */

struct tree {
    struct entry_graph *g;
    entry_node_each *each;
    void *ctx;
    uint32_t nodes;
};

/* A function of a component that is being written. */
struct member {
    uint32_t func;
    uint32_t above; /* the member that it is written below; itself: the entry */
    uint32_t node;
    double calls;
    double part; /* of what the function uses */
};

static bool calls_to(const struct entry_graph *g, uint32_t from, uint32_t to)
{
    uint32_t k = g->first[from];

    while (k < g->first[from + 1U] && g->call[k].to != to)
        k++;
    return k < g->first[from + 1U];
}

/* Adds the calls of the entry by others of the component as a node of its own, below the first that
 * calls it: so what the others call includes them. Returns the number of nodes. */
static uint32_t split_entry(const struct entry_graph *g, struct member *list, uint32_t count,
                            double inner)
{
    uint32_t caller = 1;

    while (caller < count && !calls_to(g, list[caller].func, list[0].func))
        caller++;
    if (caller == count || !(inner > 0))
        return count;
    list[count] = (struct member){
        .func = list[0].func, .above = caller, .calls = inner, .part = inner / list[0].calls};
    list[0].calls -= inner;
    list[0].part -= list[count].part;
    return count + 1U;
}

/* Lists the functions of a component from its entry on, each below the one that calls it and is
 * nearest to the entry, with their calls within the component. Returns their number. */
static uint32_t list_members(struct entry_graph *g, uint32_t entry, double calls, double share,
                             struct member *list)
{
    uint32_t count = 1;
    double inner = 0; /* calls of the entry by others */

    g->stamp++;
    list[0] = (struct member){.func = entry, .calls = calls, .part = 1};
    g->func[entry].stamp = g->stamp;
    g->func[entry].place = 0;
    for (uint32_t n = 0; n < count; n++) {
        const uint32_t from = list[n].func;

        for (uint32_t k = g->first[from]; k < g->first[from + 1U]; k++) {
            struct entry_func *const to = &g->func[g->call[k].to];

            if (to->component != g->func[from].component)
                continue;
            if (to->stamp != g->stamp) {
                to->stamp = g->stamp;
                to->place = count;
                list[count++] = (struct member){.func = g->call[k].to, .above = n, .part = 1};
            }
            list[to->place].calls += g->call[k].calls * share;
            inner += to->place == 0 && n > 0 ? g->call[k].calls * share : 0;
        }
    }
    return split_entry(g, list, count, inner);
}

/* Computes what a call costs when its component has `share` of its total, and the node `of` of its
 * function; true: it is followed. */
static bool part_of(const struct tree *t, const struct entry_call *c, const double share[ITEMS],
                    double of, unsigned depth, double part[ITEMS])
{
    for (unsigned i = 0; i < ITEMS; i++)
        part[i] = c->v[i] * share[i] * of;
    return depth < DEPTH_MAX && part[0] >= LEAST * t->g->all;
}

/* Writes a function's node. What it calls and is not followed is its own. */
static bool put_member(struct tree *t, const struct member *m, uint32_t parent,
                       const double share[ITEMS], unsigned depth)
{
    const struct entry_graph *const g = t->g;
    const struct entry_func *const f = &g->func[m->func];
    struct entry_node node = {m->node, parent, m->func, m->calls, {0}};
    double part[ITEMS];

    for (unsigned i = 0; i < ITEMS; i++)
        node.self[i] = f->self[i] * share[i] * m->part;
    for (uint32_t k = g->first[m->func]; k < g->first[m->func + 1U]; k++) {
        const bool leaves = g->func[g->call[k].to].component != f->component;

        for (unsigned i = 0;
             leaves && !part_of(t, &g->call[k], share, m->part, depth, part) && i < ITEMS; i++)
            node.self[i] += part[i];
    }
    return t->each(t->ctx, &node);
}

static bool put_component(struct tree *t, uint32_t entry, uint32_t parent, double calls,
                          const double v[ITEMS], unsigned depth);

/* Writes the components that a function calls below its node. */
static bool put_callees(struct tree *t, const struct member *m, const double share[ITEMS],
                        unsigned depth)
{
    struct entry_graph *const g = t->g;
    bool good = true;

    for (uint32_t k = g->first[m->func]; k < g->first[m->func + 1U] && good; k++) {
        const struct entry_call *const c = &g->call[k];
        double part[ITEMS];

        if (g->func[c->to].component != g->func[m->func].component &&
            part_of(t, c, share, m->part, depth, part))
            good =
                put_component(t, c->to, m->node, c->calls * share[0] * m->part, part, depth + 1U);
    }
    return good;
}

/* Writes a component that is entered by `calls` calls of a function, at the cost v. */
static bool put_component(struct tree *t, uint32_t entry, uint32_t parent, double calls,
                          const double v[ITEMS], unsigned depth)
{
    const struct entry_component *const c = &t->g->component[t->g->func[entry].component];
    struct member *const list = calloc(c->members + 1U, sizeof(*list));
    double share[ITEMS];
    uint32_t count;
    bool good = list != NULL;

    if (!good)
        return false;
    for (unsigned i = 0; i < ITEMS; i++)
        share[i] = c->total[i] > 0 ? v[i] / c->total[i] : 0;
    count = list_members(t->g, entry, calls, share[0], list);
    for (uint32_t n = 0; n < count && good; n++) {
        list[n].node = t->nodes++;
        good = put_member(t, &list[n], n == 0 ? parent : list[list[n].above].node, share, depth);
    }
    for (uint32_t n = 0; n < count && good; n++)
        good = put_callees(t, &list[n], share, depth);
    free(list);
    return good;
}

uint32_t entry_graph_tree(struct entry_graph *g, entry_node_each *each, void *ctx)
{
    struct tree t = {.g = g, .each = each, .ctx = ctx};
    bool good = true;

    for (uint32_t c = g->components; c-- > 0 && good;) {
        const struct entry_component *const x = &g->component[c];
        const uint32_t root = g->order[x->first + x->members - 1U];

        if (x->is_root)
            good = put_component(&t, root, NONE, 0, x->total, 0);
    }
    return good ? t.nodes : NONE;
}

void entry_graph_free(struct entry_graph *g)
{
    free(g->func);
    free(g->call);
    free(g->func_hash);
    free(g->call_hash);
    free(g->first);
    free(g->first_in);
    free(g->in);
    free(g->order);
    free(g->component);
}
