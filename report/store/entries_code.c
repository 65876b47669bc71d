/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/entries_code.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST  65536U /* bytes of a function that is searched for branches */
#define SEARCHED 4096U  /* functions of a search */

uint32_t entry_code_start(struct entry_code *c, uint32_t address)
{
    struct mpj_place p = {0};

    if (address != 0 && c->symbols != NULL)
        mpj_symbols_lookup(c->symbols, address, &p);
    return p.function != NULL ? address - p.offset : 0;
}

/* Searches the list from one index to another, which it does not reach. */
static bool has(const uint32_t *list, size_t from, size_t end, uint32_t value)
{
    while (from < end && list[from] != value)
        from++;
    return from < end;
}

/* Appends the targets of a function's calls, or of its jumps to other functions. False: out of
 * memory. */
static bool add_branches(struct entry_code *c, struct entry_code_func *f, uint32_t size, bool call)
{
    const uint32_t first = f->count;

    for (uint32_t at = f->start; at < f->start + size && at < f->start + LONGEST; at += 4U) {
        const uint32_t to = mpj_symbols_branch(c->symbols, at, call);
        uint32_t *more;

        if (to == 0 || (!call && to >= f->start && to < f->start + size) ||
            has(f->to, first, f->count, to))
            continue;
        more = reallocarray(f->to, f->count + 1U, sizeof(*more));
        if (more == NULL)
            return false;
        f->to = more;
        f->to[f->count++] = to;
    }
    return true;
}

/* True for a jump through a register that is neither a return nor to a place in a table of the
 * function itself: BX, MOV to the program counter, a load of it. */
static bool is_register_jump(uint32_t word)
{
    const uint32_t low = word & 15U;
    const uint32_t base = word >> 16U & 15U;

    if (word >> 28U == 15U)
        return false;
    if ((word & 0x0ffffff0U) == 0x012fff10U || (word & 0x0ffffff0U) == 0x01a0f000U)
        return low < 13U;
    return (word & 0x0c50f000U) == 0x0410f000U && base != 13U && base != 15U;
}

static bool has_register_jump(const struct entry_code *c, uint32_t start, uint32_t size)
{
    uint32_t word;

    for (uint32_t at = start; at < start + size && at < start + LONGEST; at += 4U) {
        if (mpj_symbols_word(c->symbols, at, &word) && is_register_jump(word))
            return true;
    }
    return false;
}

static int by_start(const void *a, const void *b)
{
    const struct entry_code_func *const x = a;
    const struct entry_code_func *const y = b;

    return (x->start > y->start) - (x->start < y->start);
}

/* Returns a function's branches, from memory if they were searched for before; NULL: out of memory,
 * or no function. Valid until the next call. */
static struct entry_code_func *branches_of(struct entry_code *c, uint32_t start)
{
    struct entry_code_func f = {.start = start};
    struct entry_code_func *const known =
        c->funcs > 0 ? bsearch(&f, c->func, c->funcs, sizeof(f), by_start) : NULL;
    struct entry_code_func *more;
    struct mpj_place p;
    size_t at = c->funcs;

    if (known != NULL)
        return known;
    mpj_symbols_lookup(c->symbols, start, &p);
    if (p.function == NULL || p.thumb)
        p.size = 0;
    more = reallocarray(c->func, c->funcs + 1U, sizeof(*more));
    if (more == NULL)
        return NULL;
    c->func = more;
    if (!add_branches(c, &f, p.size, true)) {
        free(f.to);
        return NULL;
    }
    f.calls = f.count;
    if (!add_branches(c, &f, p.size, false)) {
        free(f.to);
        return NULL;
    }
    f.leaves = has_register_jump(c, start, p.size);
    for (; at > 0 && c->func[at - 1U].start > start; at--)
        c->func[at] = c->func[at - 1U];
    c->func[at] = f;
    c->funcs++;
    return &c->func[at];
}

/* Appends a function to the list of a search, once. */
static size_t append(struct entry_code *c, size_t count, uint32_t func)
{
    if (count == c->room) {
        uint32_t *const more = reallocarray(c->list, c->room * 2U + 64U, sizeof(*more));

        if (more == NULL)
            return count;
        c->list = more;
        c->room = c->room * 2U + 64U;
    }
    if (!has(c->list, 0, count, func))
        c->list[count++] = func;
    return count;
}

/* Returns the last function of the shortest chain of jumps from one function to another one;
 * without a chain the first one of those that jumps through a register, or `from`. */
static uint32_t last_of_chain(struct entry_code *c, uint32_t from, uint32_t to)
{
    size_t count = append(c, 0, from);
    uint32_t leaves = 0;

    for (size_t i = 0; i < count && count < SEARCHED; i++) {
        const struct entry_code_func *const f = branches_of(c, c->list[i]);

        if (f != NULL && has(f->to, f->calls, f->count, to))
            return c->list[i];
        if (f != NULL && f->leaves && leaves == 0)
            leaves = c->list[i];
        for (uint32_t k = f != NULL ? f->calls : 0; f != NULL && k < f->count; k++)
            count = append(c, count, f->to[k]);
    }
    return leaves != 0 ? leaves : from;
}

uint32_t entry_code_caller(struct entry_code *c, uint32_t entry, uint32_t back)
{
    const uint32_t at = back - 4U;
    const uint32_t called =
        back != 0 && c->symbols != NULL ? mpj_symbols_branch(c->symbols, at, true) : 0;

    if (back == 0)
        return 0;
    if (called == 0 && entry_code_start(c, at) == at) /* a measured function has jumped */
        return last_of_chain(c, at, entry);
    return called != 0 && called != entry ? last_of_chain(c, called, entry)
                                          : entry_code_start(c, at);
}

/* Searches from one function on for another one, by jumps, or by calls, too. */
static bool search(struct entry_code *c, uint32_t from, uint32_t to, bool by_calls,
                   bool (*passes)(void *ctx, uint32_t func), void *ctx)
{
    size_t count = c->symbols != NULL ? append(c, 0, from) : 0;

    for (size_t i = 0; i < count && count < SEARCHED; i++) {
        const struct entry_code_func *const f = branches_of(c, c->list[i]);
        const uint32_t first = f != NULL && !by_calls ? f->calls : 0;

        if (f != NULL && (has(f->to, first, f->count, to) || (f->leaves && !by_calls)))
            return true;
        for (uint32_t k = first; f != NULL && k < f->count; k++) {
            if (passes(ctx, f->to[k]))
                count = append(c, count, f->to[k]);
        }
    }
    return false;
}

bool entry_code_reaches(struct entry_code *c, uint32_t from, uint32_t to,
                        bool (*passes)(void *ctx, uint32_t func), void *ctx)
{
    return search(c, from, to, true, passes, ctx);
}

bool entry_code_jumps(struct entry_code *c, uint32_t from, uint32_t to,
                      bool (*passes)(void *ctx, uint32_t func), void *ctx)
{
    return search(c, from, to, false, passes, ctx);
}

void entry_code_free(struct entry_code *c)
{
    for (size_t i = 0; i < c->funcs; i++)
        free(c->func[i].to);
    free(c->func);
    free(c->list);
    mpj_symbols_free(c->symbols);
}
