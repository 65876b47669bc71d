/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/blame_calls.h"

#include <stdlib.h>
#include <string.h>

#include "mpj_events.h"
#include "report/profile.h"
#include "report/symbols.h"
#include "view/blame_latency.h"

#define DEPTH 16U

/* Place where a function calls or jumps to another one. */
struct site {
    uint32_t from, to;
    struct mpj_inlined by;
    uint64_t executions;
};

/* Code of a function: part 0 is its own, the others are inlined, each by an earlier one. */
struct part {
    struct mpj_inlined what;
    uint32_t by;
    uint64_t cycles;
};

/* A place where a part is entered. */
struct entered {
    uint32_t part;
    uint64_t executions;
    int from_line;
};

/* A list that grows. */
struct list {
    void *at;
    size_t n, room;
};

struct blame_calls {
    const char *store;
    struct mpj_symbols *symbols; /* NULL: not available */
    bool read;
    struct list site;            /* of all functions, once they are read */
    struct list delay, inlining; /* by function, in order of address */
    uint32_t function;           /* the one that is being read, and its code */
    bool thumb;
    struct list insn, part, entered;
    struct blame_share *share;
    struct mpj_err *err;
};

/* Returns a new element of a list, zeroed; NULL: out of memory. Valid until the next one. */
static void *append(struct list *l, size_t size)
{
    char *at;

    if (l->n == l->room) {
        const size_t room = l->room > 0 ? 2 * l->room : 64;
        void *const more = reallocarray(l->at, room, size);

        if (more == NULL)
            return NULL;
        l->at = more;
        l->room = room;
    }
    at = (char *)l->at + l->n++ * size;
    memset(at, 0, size);
    return at;
}

struct blame_calls *blame_calls_open(const char *store, const char *elf)
{
    struct blame_calls *const c = calloc(1, sizeof(*c));
    struct mpj_err ignored; /* without the program the containing function has all counts */

    if (c == NULL)
        return NULL;
    c->store = store;
    if (elf != NULL)
        (void)mpj_symbols_open(&c->symbols, elf, &ignored);
    return c;
}

void blame_calls_free(struct blame_calls *c)
{
    if (c == NULL)
        return;
    mpj_symbols_free(c->symbols);
    free(c->site.at);
    free(c->delay.at);
    free(c->inlining.at);
    free(c->insn.at);
    free(c->part.at);
    free(c->entered.at);
    free(c->share);
    free(c);
}

struct mpj_inlined blame_calls_inlined(const struct blame_calls *c, uint32_t address)
{
    struct mpj_inlined path[DEPTH];
    const unsigned n =
        c->symbols != NULL ? mpj_symbols_inlined(c->symbols, address, path, DEPTH) : 0;

    return n > 0 ? path[n - 1] : (struct mpj_inlined){.name = NULL};
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same(const struct mpj_inlined *a, const struct mpj_inlined *b)
{
    return same_text(a->name, b->name) && same_text(a->file, b->file);
}

/* ---- one function ------------------------------------------------------------------------ */

/* Adds what one part of the function stalls for others; cycles: by part. */
static int add_delays(struct blame_calls *c, uint32_t from, const uint64_t *cycles)
{
    const struct part *const part = c->part.at;

    for (uint32_t to = 0; to < c->part.n; to++) {
        struct blame_delay *d;
        if (to == from || cycles[to] == 0 || part[from].cycles == 0)
            continue;
        d = append(&c->delay, sizeof(*d));
        if (d == NULL)
            return mpj_err_nomem(c->err);
        *d = (struct blame_delay){.function = c->function,
                                  .from = part[from].what,
                                  .by = part[part[from].by].what,
                                  .to = part[to].what,
                                  .share = (double)cycles[to] / (double)part[from].cycles};
    }
    return MPJ_E_OK;
}

/* Finds what the parts of a function stall for. */
static int find_delays(struct blame_calls *c)
{
    struct blame_insn *const insn = c->insn.at;
    uint64_t *const cycles = calloc(c->part.n, sizeof(*cycles));
    int result = MPJ_E_OK;

    if (cycles == NULL)
        return mpj_err_nomem(c->err);
    if (blame_latency_decode(insn, c->insn.n)) {
        for (uint32_t from = 0; from < c->part.n && result == MPJ_E_OK; from++) {
            memset(cycles, 0, c->part.n * sizeof(*cycles));
            for (size_t i = 0; i < c->insn.n; i++) {
                if (insn[i].part == from && insn[i].stalls > 0)
                    cycles[insn[blame_latency_of(insn, c->insn.n, i)].part] += insn[i].stalls;
            }
            result = add_delays(c, from, cycles);
        }
    }
    free(cycles);
    return result;
}

/* Adds how often each inlined function was entered: as its first instruction was executed, but not
 * more often than what contains it was on the line of the call, as a loop may begin with the
 * former. */
static int find_inlinings(struct blame_calls *c)
{
    const struct blame_insn *const insn = c->insn.at;
    const struct part *const part = c->part.at;
    const struct entered *const entered = c->entered.at;

    for (size_t k = 0; k < c->entered.n; k++) {
        const struct entered *const e = &entered[k];
        const uint32_t by = part[e->part].by;
        struct blame_inlining *const x = append(&c->inlining, sizeof(*x));
        uint64_t most = 0;
        if (x == NULL)
            return mpj_err_nomem(c->err);
        for (size_t i = 0; i < c->insn.n; i++) {
            if (insn[i].part == by && insn[i].line == e->from_line && insn[i].executions > most)
                most = insn[i].executions;
        }
        *x = (struct blame_inlining){.function = c->function,
                                     .by = part[by].what,
                                     .what = part[e->part].what,
                                     .calls =
                                         most > 0 && most < e->executions ? most : e->executions};
    }
    return MPJ_E_OK;
}

/* Evaluates the function that has been read. */
static int end_function(struct blame_calls *c)
{
    int result = MPJ_E_OK;

    if (c->part.n > 1)
        result = find_inlinings(c);
    if (c->part.n > 1 && !c->thumb && result == MPJ_E_OK)
        result = find_delays(c);
    c->insn.n = c->part.n = c->entered.n = 0;
    return result;
}

/* ---- instructions ------------------------------------------------------------------------ */

/* Returns the number of the part of the function that an inlined function is; it is added if it is
 * new. UINT32_MAX: out of memory. */
static uint32_t part_of(struct blame_calls *c, uint32_t by, const struct mpj_inlined *what)
{
    struct part *p = c->part.at;

    for (uint32_t i = 1; i < c->part.n; i++) {
        if (p[i].by == by && same(&p[i].what, what))
            return i;
    }
    p = append(&c->part, sizeof(*p));
    if (p == NULL)
        return UINT32_MAX;
    *p = (struct part){.what = *what, .by = by};
    return (uint32_t)c->part.n - 1U;
}

/* Adds an instruction to the function. by: its inlined functions, outermost first. */
static bool add_insn(struct blame_calls *c, const struct mpj_insn *insn, int line,
                     const struct mpj_inlined *path, unsigned depth)
{
    const char *const stall = mpj_event_table(&(size_t){0})[MPJ_ROW_DDEP_STALL].name;
    struct blame_insn *x;
    uint32_t part = 0;

    if (c->part.n == 0 && append(&c->part, sizeof(struct part)) == NULL)
        return false;
    for (unsigned i = 0; i < depth; i++) {
        struct entered *e;
        part = part_of(c, part, &path[i]);
        if (part == UINT32_MAX)
            return false;
        if (path[i].entry != insn->address)
            continue;
        e = append(&c->entered, sizeof(*e));
        if (e == NULL)
            return false;
        *e = (struct entered){part, insn->executions, path[i].from_line};
    }
    x = append(&c->insn, sizeof(*x));
    if (x == NULL)
        return false;
    *x = (struct blame_insn){.address = insn->address,
                             .part = part,
                             .line = line,
                             .executions = insn->executions,
                             .cycles = insn->cycles};
    ((struct part *)c->part.at)[part].cycles += insn->cycles;
    for (unsigned i = 0; i < insn->costs; i++) {
        if (strcmp(insn->cost[i].item, stall) == 0 && insn->cost[i].value > 0)
            x->stalls = (uint64_t)insn->cost[i].value;
    }
    if (c->thumb || !mpj_symbols_word(c->symbols, insn->address, &x->word))
        x->stalls = 0;
    return true;
}

static int on_insn(void *ctx, const struct mpj_insn *insn)
{
    struct blame_calls *const c = ctx;
    struct mpj_inlined path[DEPTH];
    const unsigned depth = mpj_symbols_inlined(c->symbols, insn->address, path, DEPTH);
    struct mpj_place place;
    struct site *site;
    uint32_t begin;
    uint32_t to;

    mpj_symbols_lookup(c->symbols, insn->address, &place);
    begin = insn->address - place.offset;
    if (place.function == NULL)
        return MPJ_E_OK;
    if (begin != c->function && end_function(c) != MPJ_E_OK)
        return c->err->code;
    c->function = begin;
    c->thumb = place.thumb;
    if (!add_insn(c, insn, place.line, path, depth))
        return mpj_err_nomem(c->err);
    to = mpj_symbols_branch(c->symbols, insn->address, true);
    if (to == 0)
        to = mpj_symbols_branch(c->symbols, insn->address, false);
    if (to == 0 || (to > begin && to < begin + place.size))
        return MPJ_E_OK;
    site = append(&c->site, sizeof(*site));
    if (site == NULL)
        return mpj_err_nomem(c->err);
    *site = (struct site){.from = begin,
                          .to = to,
                          .by = depth > 0 ? path[depth - 1] : (struct mpj_inlined){.name = NULL},
                          .executions = insn->executions};
    return MPJ_E_OK;
}

/* Reads all instructions, once. */
static int read_all(struct blame_calls *c, struct mpj_err *err)
{
    c->err = err;
    if (c->symbols == NULL || c->read)
        return MPJ_E_OK;
    if (mpj_insns(c->store, 0, UINT32_MAX, on_insn, c, err) != MPJ_E_OK ||
        end_function(c) != MPJ_E_OK)
        return err->code;
    c->read = true;
    return MPJ_E_OK;
}

/* ---- answers ----------------------------------------------------------------------------- */

int blame_calls_shares(struct blame_calls *c, uint32_t from, uint32_t to,
                       const struct blame_share **out, unsigned *n, struct mpj_err *err)
{
    const struct site *site;

    *n = 0;
    if (read_all(c, err) != MPJ_E_OK)
        return err->code;
    if (c->symbols == NULL)
        return MPJ_E_OK;
    site = c->site.at;
    free(c->share);
    c->share = calloc(c->site.n + 1, sizeof(*c->share));
    if (c->share == NULL)
        return mpj_err_nomem(err);
    for (size_t i = 0; i < c->site.n; i++) {
        const struct site *const s = &site[i];
        unsigned k = 0;
        if (s->from != from || s->to != to || s->executions == 0)
            continue;
        while (k < *n && !same(&c->share[k].by, &s->by))
            k++;
        if (k == *n)
            c->share[(*n)++].by = s->by;
        c->share[k].calls += s->executions;
    }
    *out = c->share;
    return MPJ_E_OK;
}

int blame_calls_delays(struct blame_calls *c, uint32_t function, const struct blame_delay **out,
                       size_t *n, struct mpj_err *err)
{
    const struct blame_delay *all;
    size_t at = 0;
    size_t end;

    *n = 0;
    if (read_all(c, err) != MPJ_E_OK)
        return err->code;
    all = c->delay.at;
    for (end = c->delay.n; at < end;) {
        const size_t middle = at + (end - at) / 2;
        if (all[middle].function < function)
            at = middle + 1;
        else
            end = middle;
    }
    *out = c->delay.n > 0 ? &all[at] : NULL;
    while (at + *n < c->delay.n && all[at + *n].function == function)
        ++*n;
    return MPJ_E_OK;
}

int blame_calls_inlinings(struct blame_calls *c, const struct blame_inlining **out, size_t *n,
                          struct mpj_err *err)
{
    *n = 0;
    if (read_all(c, err) != MPJ_E_OK)
        return err->code;
    *out = c->inlining.at;
    *n = c->inlining.n;
    return MPJ_E_OK;
}
