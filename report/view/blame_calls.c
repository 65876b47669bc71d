/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/blame_calls.h"

#include <stdlib.h>
#include <string.h>

#include "report/profile.h"
#include "report/symbols.h"

#define DEPTH 16U

/* Place where a function calls or jumps to another one. */
struct site {
    uint32_t from, to;
    struct mpj_inlined by;
    uint64_t executions;
};

struct blame_calls {
    const char *store;
    struct mpj_symbols *symbols; /* NULL: not available */
    struct site *site;           /* of all functions, once they are read */
    size_t sites, room;
    bool read;
    struct blame_share *share;
    struct mpj_err *err;
};

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
    free(c->site);
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

static int on_insn(void *ctx, const struct mpj_insn *insn)
{
    struct blame_calls *const c = ctx;
    struct mpj_place place;
    struct site *more;
    uint32_t begin;
    uint32_t to = mpj_symbols_branch(c->symbols, insn->address, true);

    if (to == 0)
        to = mpj_symbols_branch(c->symbols, insn->address, false);
    if (to == 0)
        return MPJ_E_OK;
    mpj_symbols_lookup(c->symbols, insn->address, &place);
    begin = insn->address - place.offset;
    if (place.function == NULL || (to > begin && to < begin + place.size))
        return MPJ_E_OK;
    if (c->sites == c->room) {
        const size_t room = c->room > 0 ? 2 * c->room : 64;
        more = realloc(c->site, room * sizeof(*more));
        if (more == NULL)
            return mpj_err_nomem(c->err);
        c->site = more;
        c->room = room;
    }
    c->site[c->sites++] = (struct site){.from = begin,
                                        .to = to,
                                        .by = blame_calls_inlined(c, insn->address),
                                        .executions = insn->executions};
    return MPJ_E_OK;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same(const struct mpj_inlined *a, const struct mpj_inlined *b)
{
    return same_text(a->name, b->name) && same_text(a->file, b->file);
}

int blame_calls_shares(struct blame_calls *c, uint32_t from, uint32_t to,
                       const struct blame_share **out, unsigned *n, struct mpj_err *err)
{
    *n = 0;
    if (c->symbols == NULL)
        return MPJ_E_OK;
    c->err = err;
    if (!c->read && mpj_insns(c->store, 0, UINT32_MAX, on_insn, c, err) != MPJ_E_OK)
        return err->code;
    c->read = true;
    free(c->share);
    c->share = calloc(c->sites + 1, sizeof(*c->share));
    if (c->share == NULL)
        return mpj_err_nomem(err);
    for (size_t i = 0; i < c->sites; i++) {
        const struct site *const s = &c->site[i];
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
