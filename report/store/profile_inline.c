/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/profile_inline.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH 16U

static int by_function(const void *a, const void *b)
{
    const struct inline_total *const x = a;
    const struct inline_total *const y = b;

    return (x->function > y->function) - (x->function < y->function);
}

const struct inline_total *inlines_total(const struct inlines *x, uint32_t function)
{
    const struct inline_total key = {.function = function};

    return x->totals > 0 ? bsearch(&key, x->total, x->totals, sizeof(key), by_function) : NULL;
}

/* Returns the number of the part, from 1, adding it if new; 0: out of memory. */
static uint32_t part_of(struct inlines *x, uint32_t function, uint32_t parent,
                        const struct mpj_inlined *what)
{
    for (size_t i = x->parts; i-- > 0 && x->part[i].function == function;) {
        if (x->part[i].parent == parent && strcmp(x->part[i].name, what->name) == 0)
            return (uint32_t)i + 1U;
    }
    if (x->parts == x->part_cap) {
        const size_t cap = x->part_cap > 0 ? 2 * x->part_cap : 64;
        struct inline_part *const more = realloc(x->part, cap * sizeof(*more));
        if (more == NULL)
            return 0;
        x->part = more;
        x->part_cap = cap;
    }
    x->part[x->parts++] = (struct inline_part){.function = function,
                                               .parent = parent,
                                               .name = what->name,
                                               .file = what->file,
                                               .line = what->line};
    return (uint32_t)x->parts;
}

static struct inline_total *total_of(struct inlines *x, uint32_t function)
{
    if (x->totals > 0 && x->total[x->totals - 1].function == function)
        return &x->total[x->totals - 1];
    if (x->totals == x->total_cap) {
        const size_t cap = x->total_cap > 0 ? 2 * x->total_cap : 64;
        struct inline_total *const more = realloc(x->total, cap * sizeof(*more));
        if (more == NULL)
            return NULL;
        x->total = more;
        x->total_cap = cap;
    }
    x->total[x->totals] = (struct inline_total){.function = function, .first = x->parts};
    return &x->total[x->totals++];
}

bool inlines_add(struct inlines *x, struct mpj_symbols *s, uint32_t function, uint32_t address,
                 uint64_t executions, uint64_t cycles)
{
    struct mpj_inlined path[DEPTH];
    const unsigned n = mpj_symbols_inlined(s, address, path, DEPTH);
    struct inline_total *total;
    uint32_t part = 0;

    if (x->totals > 0 && function < x->total[x->totals - 1].function)
        return true;
    total = total_of(x, function);
    if (total == NULL)
        return false;
    total->executions += executions;
    total->cycles += cycles;
    for (unsigned i = 0; i < n; i++) {
        part = part_of(x, function, part, &path[i]);
        if (part == 0)
            return false;
    }
    total->parts = x->parts - total->first;
    if (part > 0) {
        x->part[part - 1].executions += executions;
        x->part[part - 1].cycles += cycles;
    }
    return true;
}

void inlines_free(struct inlines *x)
{
    free(x->part);
    free(x->total);
}
