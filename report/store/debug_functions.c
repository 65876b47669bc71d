/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/debug_functions.h"

#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#define DEPTH_MAX 64U /* of blocks within a function: damaged information has no end */

/* Code that was inlined, in the order of the tree: those it contains follow. */
struct part {
    Dwarf_Addr low, high;
    unsigned depth; /* of inlining, from 0 */
    struct mpj_inlined what;
};

struct debug_functions {
    Dwarf *dwarf;
    struct debug_function *at; /* by address */
    size_t n, room;
    /* of the function that was asked for last */
    const struct debug_function *of;
    struct part *part;
    size_t parts, part_room;
    Dwarf_Addr low, high; /* addresses with the same parts as the last one */
    unsigned depth;
    struct mpj_inlined path[DEPTH_MAX];
};

static void *grown(void *list, size_t used, size_t *room, size_t size)
{
    const size_t more = *room > 0 ? 2 * *room : 64;

    if (used < *room)
        return list;
    list = realloc(list, more * size);
    if (list != NULL)
        *room = more;
    return list;
}

static bool add_function(struct debug_functions *d, const struct debug_function *f)
{
    struct debug_function *const list = grown(d->at, d->n, &d->room, sizeof(*list));

    if (list == NULL)
        return false;
    d->at = list;
    d->at[d->n++] = *f;
    return true;
}

/* Adds the ranges of a function. */
static bool read_function(struct debug_functions *d, Dwarf_Die *die)
{
    struct debug_function f = {.name = dwarf_diename(die), .die = dwarf_dieoffset(die)};
    Dwarf_Addr base;
    ptrdiff_t at = 0;

    while ((at = dwarf_ranges(die, at, &base, &f.low, &f.high)) > 0) {
        if (f.low < f.high && !add_function(d, &f))
            return false;
    }
    return true;
}

/* Adds the functions of a unit: all are its children, but for those nested in others (GNU C). */
static bool read_unit(struct debug_functions *d, Dwarf_Die *unit)
{
    Dwarf_Die die;
    bool fits = true;

    if (dwarf_child(unit, &die) != 0)
        return true;
    do {
        if (dwarf_tag(&die) == DW_TAG_subprogram)
            fits = read_function(d, &die);
    } while (fits && dwarf_siblingof(&die, &die) == 0);
    return fits;
}

static int by_low(const void *a, const void *b)
{
    const struct debug_function *const x = a;
    const struct debug_function *const y = b;

    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return (x->die > y->die) - (x->die < y->die);
}

struct debug_functions *debug_functions_read(Dwarf *dwarf)
{
    struct debug_functions *const d = calloc(1, sizeof(*d));
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;
    bool fits = d != NULL;

    if (fits)
        d->dwarf = dwarf;
    while (fits && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0)
        fits = read_unit(d, &unit);
    if (!fits) {
        debug_functions_free(d);
        return NULL;
    }
    if (d->n > 0)
        qsort(d->at, d->n, sizeof(*d->at), by_low);
    return d;
}

void debug_functions_free(struct debug_functions *d)
{
    if (d == NULL)
        return;
    free(d->at);
    free(d->part);
    free(d);
}

const struct debug_function *debug_functions_at(const struct debug_functions *d, Dwarf_Addr address)
{
    size_t low = 0;
    size_t high = d->n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (d->at[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && address < d->at[low - 1].high ? &d->at[low - 1] : NULL;
}

const char *debug_functions_file(const struct debug_functions *d, const struct debug_function *f,
                                 int *line)
{
    Dwarf_Die die;
    const char *const file =
        dwarf_offdie(d->dwarf, f->die, &die) != NULL ? dwarf_decl_file(&die) : NULL;

    if (file == NULL || dwarf_decl_line(&die, line) != 0)
        *line = 0;
    return file;
}

/* ---- inlined functions ---------------------------------------------------------------- */

/* Sets where an inlined function is entered, and from where. */
static void set_call(Dwarf_Die *die, struct mpj_inlined *what)
{
    Dwarf_Attribute attribute;
    Dwarf_Addr entry;
    Dwarf_Word line;

    if (dwarf_entrypc(die, &entry) == 0)
        what->entry = (uint32_t)entry;
    if (dwarf_attr(die, DW_AT_call_line, &attribute) != NULL &&
        dwarf_formudata(&attribute, &line) == 0)
        what->from_line = (int)line;
}

/* Adds the ranges of an inlined function. */
static bool add_parts(struct debug_functions *d, Dwarf_Die *die, unsigned depth)
{
    struct part p = {.depth = depth,
                     .what = {.name = dwarf_diename(die), .file = dwarf_decl_file(die)}};
    Dwarf_Addr base;
    ptrdiff_t at = 0;

    if (dwarf_decl_line(die, &p.what.line) != 0)
        p.what.line = 0;
    set_call(die, &p.what);
    while ((at = dwarf_ranges(die, at, &base, &p.low, &p.high)) > 0) {
        struct part *const list = grown(d->part, d->parts, &d->part_room, sizeof(*list));
        if (list == NULL)
            return false;
        d->part = list;
        d->part[d->parts++] = p;
    }
    return true;
}

/* Adds all that was inlined into a function, in the order of its tree. */
static bool read_parts(struct debug_functions *d, Dwarf_Die *function)
{
    struct {
        Dwarf_Die die;
        unsigned depth; /* of inlining of its children */
    } stack[DEPTH_MAX];
    unsigned used = 0;

    if (dwarf_child(function, &stack[0].die) != 0)
        return true;
    stack[used++].depth = 0;
    while (used > 0) {
        Dwarf_Die *const die = &stack[used - 1].die;
        const int tag = dwarf_tag(die);
        const bool inlined = tag == DW_TAG_inlined_subroutine && dwarf_diename(die) != NULL;
        const unsigned depth = stack[used - 1].depth;
        if (inlined && depth < DEPTH_MAX && !add_parts(d, die, depth))
            return false;
        if ((inlined || tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) &&
            used < DEPTH_MAX && dwarf_child(die, &stack[used].die) == 0) {
            stack[used++].depth = depth + (inlined ? 1U : 0U);
            continue;
        }
        while (used > 0 && dwarf_siblingof(&stack[used - 1].die, &stack[used - 1].die) != 0)
            used--;
    }
    return true;
}

/* Narrows the addresses that are as this one: a part begins or ends at `edge`. */
static void narrow(struct debug_functions *d, Dwarf_Addr address, Dwarf_Addr edge)
{
    if (edge <= address && edge > d->low)
        d->low = edge;
    if (edge > address && edge < d->high)
        d->high = edge;
}

/* Finds the parts of an address, and how far they are the same. */
static void find_path(struct debug_functions *d, const struct debug_function *f, Dwarf_Addr address)
{
    d->low = f->low;
    d->high = f->high;
    d->depth = 0;
    for (size_t i = 0; i < d->parts; i++) {
        const struct part *const p = &d->part[i];
        narrow(d, address, p->low);
        narrow(d, address, p->high);
        if (address < p->low || address >= p->high || p->depth > d->depth)
            continue;
        d->path[p->depth] = p->what;
        d->depth = p->depth + 1U;
    }
}

unsigned debug_functions_inlined(struct debug_functions *d, Dwarf_Addr address,
                                 struct mpj_inlined *out, unsigned cap)
{
    const struct debug_function *const f = debug_functions_at(d, address);
    Dwarf_Die die;
    unsigned n = 0;

    if (f == NULL || dwarf_offdie(d->dwarf, f->die, &die) == NULL)
        return 0;
    if (d->of != f) {
        d->parts = 0;
        d->high = 0;
        d->of = NULL;
        if (!read_parts(d, &die))
            return 0;
        d->of = f;
    }
    if (address < d->low || address >= d->high)
        find_path(d, f, address);
    for (; n < d->depth && n < cap; n++)
        out[n] = d->path[n];
    return n;
}
