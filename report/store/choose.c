/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/choose.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/symbols.h"

#define FAR UINT32_MAX /* level of unreached functions */

/* A function: with an entry that can be patched, or one on a path between such functions. */
struct node {
    uint32_t address, end;
    const char *name;
    int32_t entry; /* index in the table; -1: not in it */
    bool without;
    uint32_t level; /* of calls, by functions with entries */
    uint32_t *to;   /* numbers of nodes */
    uint32_t count, room;
};

struct graph {
    struct mpj_symbols *symbols;
    struct node *node;
    uint32_t count, room;
    uint32_t entries;
    struct mpj_err *err;
};

static void *more(struct graph *g, void *list, uint32_t used, uint32_t *room, size_t size)
{
    void *bigger;

    if (used < *room)
        return list;
    bigger = reallocarray(list, *room * 2U + 16U, size);
    if (bigger == NULL) {
        mpj_err_nomem(g->err);
        return NULL;
    }
    *room = *room * 2U + 16U;
    return bigger;
}

/* ---- the graph of calls -------------------------------------------------------------------------
 */

/* Returns the number of the function that begins at an address; `count`: no function does. Sets an
 * error if out of memory. */
static uint32_t node_at(struct graph *g, uint32_t address)
{
    struct mpj_place p;
    struct node *list;

    for (uint32_t i = 0; i < g->count; i++) {
        if (g->node[i].address == address)
            return i;
    }
    mpj_symbols_lookup(g->symbols, address, &p);
    if (p.function == NULL || p.offset != 0 || p.size == 0)
        return FAR;
    list = more(g, g->node, g->count, &g->room, sizeof(*list));
    if (list == NULL)
        return FAR;
    g->node = list;
    g->node[g->count] = (struct node){
        .address = address, .end = address + p.size, .name = p.function, .entry = -1, .level = FAR};
    return g->count++;
}

static bool add_edge(struct graph *g, uint32_t from, uint32_t to)
{
    struct node *const n = &g->node[from];
    uint32_t *list;

    for (uint32_t i = 0; i < n->count; i++) {
        if (n->to[i] == to)
            return true;
    }
    list = more(g, n->to, n->count, &n->room, sizeof(*list));
    if (list == NULL)
        return false;
    n->to = list;
    n->to[n->count++] = to;
    return true;
}

/* Returns the target of a word of a function: that of a branch, or the word itself if it is an
 * address. */
static uint32_t target(struct graph *g, uint32_t from, uint32_t at)
{
    const struct node *const n = &g->node[from];
    uint32_t to = mpj_symbols_branch(g->symbols, at, true);
    uint32_t word;

    if (to == 0)
        to = mpj_symbols_branch(g->symbols, at, false);
    if (to == 0 && mpj_symbols_word(g->symbols, at, &word))
        to = word;
    return to == 0 || (to >= n->address && to < n->end) || (to & 3U) != 0 ? FAR : node_at(g, to);
}

/* Finds all functions that the program's entries lead to: nodes are appended as they are found. */
static int find_calls(struct graph *g)
{
    g->err->code = MPJ_E_OK;
    for (uint32_t i = 0; i < g->count; i++) {
        for (uint32_t at = g->node[i].address; at < g->node[i].end; at += 4U) {
            const uint32_t to = target(g, i, at);

            if ((to != FAR && !add_edge(g, i, to)) || g->err->code != MPJ_E_OK)
                return g->err->code;
        }
    }
    return MPJ_E_OK;
}

static int read_entries(struct graph *g, const char *elf, size_t most)
{
    uint32_t at;
    uint32_t end;

    if (!mpj_symbols_find(g->symbols, "__text_start", &at))
        return mpj_err_set(
            g->err, MPJ_E_ELF,
            "%s has no symbols: for -F, -N and -D, use the program as it was linked, "
            "without strip",
            elf);
    if (!mpj_symbols_find(g->symbols, "__func_entries", &at) ||
        !mpj_symbols_find(g->symbols, "__func_entries_end", &end) || at >= end)
        return mpj_err_set(g->err, MPJ_E_ELF,
                           "%s has no entries to measure: compile it with `mpjoule cc --functions`",
                           elf);
    if ((end - at) / 4U > most)
        return mpj_err_set(g->err, MPJ_E_ELF,
                           "%s has more than %zu functions: compile fewer files with --functions",
                           elf, most);
    g->err->code = MPJ_E_OK;
    for (; at < end && g->err->code == MPJ_E_OK; at += 4U) {
        uint32_t address = 0;
        uint32_t i;

        (void)mpj_symbols_word(g->symbols, at, &address);
        i = node_at(g, address & ~3U);
        if (i != FAR)
            g->node[i].entry = (int32_t)g->entries;
        g->entries++;
    }
    return g->err->code;
}

/* ---- filters ------------------------------------------------------------------------------------
 */

static bool is_called(const char *name, const char *pattern)
{
    const size_t base = strcspn(name, ".");

    return strcmp(name, pattern) == 0 || fnmatch(pattern, name, 0) == 0 ||
           (strlen(pattern) == base && strncmp(name, pattern, base) == 0);
}

/* Puts the functions with entries that a pattern names at the first level, or among the excluded
 * ones. */
static int match(struct graph *g, const char *pattern, bool without)
{
    bool any = false;

    for (uint32_t i = 0; i < g->count; i++) {
        struct node *const n = &g->node[i];

        if (n->entry < 0 || !is_called(n->name, pattern))
            continue;
        if (without)
            n->without = true;
        else
            n->level = 1;
        any = true;
    }
    return any ? MPJ_E_OK
               : mpj_err_set(g->err, MPJ_E_USAGE,
                             "no function compiled with --functions is called \"%.100s\"", pattern);
}

/* Spreads levels along calls, except through excluded functions. */
static void spread(struct graph *g)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < g->count; i++) {
            const struct node *const n = &g->node[i];

            for (uint32_t k = 0; k < n->count && n->level != FAR && !n->without; k++) {
                struct node *const to = &g->node[n->to[k]];
                const uint32_t level = n->level + (to->entry >= 0 ? 1U : 0U);

                if (level < to->level) {
                    to->level = level;
                    changed = true;
                }
            }
        }
    }
}

/* Starts from main() and from functions without a known caller, if there is no `only`. */
static void begin_at_roots(struct graph *g, bool depth)
{
    bool *const led = calloc(g->count, sizeof(*led));

    for (uint32_t i = 0; i < g->count && led != NULL; i++) {
        for (uint32_t k = 0; k < g->node[i].count; k++)
            led[g->node[i].to[k]] |= g->node[i].to[k] != i;
    }
    for (uint32_t i = 0; i < g->count; i++) {
        if (strcmp(g->node[i].name, "main") == 0 || (!depth && led != NULL && !led[i]))
            g->node[i].level = 1;
    }
    free(led);
}

static int choose(struct graph *g, const struct mpj_func_filter *f, uint8_t *bits)
{
    bool any = false;

    for (unsigned i = 0; i < f->onlys; i++) {
        if (match(g, f->only[i], false) != MPJ_E_OK)
            return g->err->code;
    }
    for (unsigned i = 0; i < f->withouts; i++) {
        if (match(g, f->without[i], true) != MPJ_E_OK)
            return g->err->code;
    }
    if (find_calls(g) != MPJ_E_OK)
        return g->err->code;
    if (f->onlys == 0)
        begin_at_roots(g, f->depth > 0);
    spread(g);
    for (uint32_t i = 0; i < g->count; i++) {
        const struct node *const n = &g->node[i];

        if (n->entry < 0 || n->without || n->level == FAR || (f->depth > 0 && n->level > f->depth))
            continue;
        bits[n->entry / 8] |= (uint8_t)(1U << n->entry % 8);
        any = true;
    }
    return any ? MPJ_E_OK
               : mpj_err_set(g->err, MPJ_E_USAGE, "the filters leave no function to be measured");
}

int mpj_func_choose(const char *elf, const struct mpj_func_filter *f, uint8_t *bits, size_t bytes,
                    struct mpj_err *err)
{
    struct graph g = {.err = err};
    int result = mpj_symbols_open(&g.symbols, elf, err);

    memset(bits, 0, bytes);
    if (result == MPJ_E_OK)
        result = read_entries(&g, elf, bytes * 8U);
    if (result == MPJ_E_OK)
        result = choose(&g, f, bits);
    for (uint32_t i = 0; i < g.count; i++)
        free(g.node[i].to);
    free(g.node);
    mpj_symbols_free(g.symbols);
    return result;
}
