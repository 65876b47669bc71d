/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/profile_fold.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "store/profile_int.h"

/* A function of the store on its way into the profile's. */
struct one {
    const struct mpj_prof_func *f;
    const char *suffix;
    size_t length; /* of the name without it */
    uint32_t number;
};

static int compare_text(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        return (a != NULL) - (b != NULL);
    return strcmp(a, b);
}

/* Sorts by name, file and kind; the function itself before its copies. */
static int by_identity(const void *a, const void *b)
{
    const struct one *const x = a;
    const struct one *const y = b;
    const size_t least = x->length < y->length ? x->length : y->length;
    int d = memcmp(x->f->name, y->f->name, least);

    if (d == 0)
        d = (x->length > y->length) - (x->length < y->length);
    if (d == 0)
        d = compare_text(x->f->file, y->f->file);
    if (d == 0)
        d = (x->f->kind > y->f->kind) - (x->f->kind < y->f->kind);
    if (d == 0)
        d = (*x->suffix != '\0') - (*y->suffix != '\0');
    if (d == 0)
        d = (x->f->line > y->f->line) - (x->f->line < y->f->line);
    return d != 0 ? d : (x->number > y->number) - (x->number < y->number);
}

/* True if both are the same function of the source: a copy without lines of its own, or the same
 * line. */
static bool is_same(const struct one *a, const struct one *b)
{
    if (a->length != b->length || memcmp(a->f->name, b->f->name, a->length) != 0 ||
        a->f->kind != b->f->kind || compare_text(a->f->file, b->f->file) != 0)
        return false;
    return *a->suffix != '\0' || *b->suffix != '\0' ||
           (a->f->line == b->f->line && a->f->file != NULL);
}

/* ---- labels --------------------------------------------------------------------------- */

static bool is_programs(const struct mpj_prof_func *f)
{
    return f->kind == MPJ_FUNC_PROGRAM || f->kind == MPJ_FUNC_INLINED;
}

static const char *base_of(const char *file)
{
    const char *const slash = file != NULL ? strrchr(file, '/') : NULL;

    return slash != NULL ? slash + 1 : file;
}

/* Labels one of several functions of one name: without its file only the program's, when all of
 * them are in one file. */
struct listed {
    struct mpj_prof_func *func;
};

static bool set_label(struct mpj_prof_func *f, const struct listed *same, unsigned n)
{
    bool plain = true;
    bool base = true; /* the file's own name is enough */

    for (unsigned i = 0; i < n; i++) {
        const struct mpj_prof_func *const other = same[i].func;

        if (other == f || compare_text(other->file, f->file) == 0)
            continue;
        plain = plain && is_programs(f) && !is_programs(other);
        base = base && compare_text(base_of(other->file), base_of(f->file)) != 0;
    }
    if (plain || f->file == NULL)
        f->label = strdup(f->name);
    else if (asprintf(&f->label, "%s:%s",
                      base                             ? base_of(f->file)
                      : strncmp(f->file, "./", 2) == 0 ? f->file + 2
                                                       : f->file,
                      f->name) < 0)
        f->label = NULL;
    return f->label != NULL;
}

static int by_name(const void *a, const void *b)
{
    const struct mpj_prof_func *const x = ((const struct listed *)a)->func;
    const struct mpj_prof_func *const y = ((const struct listed *)b)->func;
    const int d = strcmp(x->name, y->name);

    return d != 0 ? d : (x > y) - (x < y);
}

static bool set_labels(struct mpj_profile *p)
{
    struct listed *const list = calloc(p->funcs + 1U, sizeof(*list));
    bool fits = list != NULL;

    for (unsigned i = 0; fits && i < p->funcs; i++)
        list[i].func = &p->func[i];
    if (fits)
        qsort(list, p->funcs, sizeof(*list), by_name);
    for (unsigned i = 0, end; fits && i < p->funcs; i = end) {
        for (end = i + 1; end < p->funcs && strcmp(list[end].func->name, list[i].func->name) == 0;)
            end++;
        for (unsigned k = i; fits && k < end; k++)
            fits = set_label(list[k].func, list + i, end - i);
    }
    free(list);
    return fits;
}

/* ---- functions ------------------------------------------------------------------------ */

static bool add_copy(struct mpj_prof_func *f, const char *suffix, int64_t address)
{
    struct mpj_prof_copy *const more = realloc(f->copy, (f->copies + 1U) * sizeof(*more));

    if (more == NULL)
        return false;
    f->copy = more;
    more[f->copies] = (struct mpj_prof_copy){strdup(suffix), address};
    return more[f->copies++].suffix != NULL;
}

/* Gives each function the number of the first one of its identity in the store. */
static bool find_same(struct fold *f, const struct mpj_profile *p)
{
    struct one *const list = calloc(p->funcs + 1U, sizeof(*list));
    struct one *head = list;

    if (list == NULL)
        return false;
    for (uint32_t i = 0; i < p->funcs; i++) {
        const char *const suffix = mpj_copy_suffix(p->func[i].name);
        list[i] = (struct one){&p->func[i], suffix, (size_t)(suffix - p->func[i].name), i};
        f->address[i] = p->func[i].address;
        f->piece[i] = mpj_is_piece(suffix);
    }
    qsort(list, p->funcs, sizeof(*list), by_identity);
    for (uint32_t i = 0; i < p->funcs; i++) {
        if (!is_same(head, &list[i]))
            head = &list[i];
        f->any = f->any || head != &list[i];
        f->func[list[i].number] = head->number;
    }
    free(list);
    return true;
}

/* Adds the copy of a function to it and cuts its suffix off. */
static bool take_copy(struct mpj_profile *p, uint32_t to, uint32_t i)
{
    struct mpj_prof_func *const f = &p->func[i];
    char *const suffix = f->name + (mpj_copy_suffix(f->name) - f->name);
    const bool fits = f->address < 0 || add_copy(&p->func[to], suffix, f->address);

    *suffix = '\0';
    return fits;
}

bool fold_functions(struct fold *f, struct mpj_profile *p)
{
    uint32_t left = 0;
    bool fits;

    f->func = calloc(p->funcs + 1U, sizeof(*f->func));
    f->address = calloc(p->funcs + 1U, sizeof(*f->address));
    f->piece = calloc(p->funcs + 1U, sizeof(*f->piece));
    fits = f->func != NULL && f->address != NULL && f->piece != NULL && find_same(f, p);
    /* heads first: the function itself is the first of its copies */
    for (uint32_t i = 0; fits && i < p->funcs; i++)
        fits = f->func[i] != i || take_copy(p, i, i);
    for (uint32_t i = 0; fits && i < p->funcs; i++)
        fits = f->func[i] == i || take_copy(p, f->func[i], i);
    if (!fits)
        return false;
    /* a head may follow its copies: first the places of the heads, then those of the others */
    uint32_t *const place = calloc(p->funcs + 1U, sizeof(*place));
    if (place == NULL)
        return false;
    for (uint32_t i = 0; i < p->funcs; i++)
        place[i] = f->func[i] == i ? left++ : 0;
    for (uint32_t i = 0; i < p->funcs; i++) {
        const bool head = f->func[i] == i;
        f->func[i] = place[f->func[i]];
        if (head)
            p->func[f->func[i]] = p->func[i];
        else
            profile_func_free(&p->func[i]);
    }
    free(place);
    p->funcs = left;
    return set_labels(p);
}

void profile_func_free(struct mpj_prof_func *f)
{
    for (unsigned i = 0; i < f->copies; i++)
        free(f->copy[i].suffix);
    free(f->copy);
    free(f->name);
    free(f->label);
    free(f->file);
}

/* ---- nodes ---------------------------------------------------------------------------- */

static bool is_same_node(const struct mpj_prof_node *a, const struct mpj_prof_node *b)
{
    return a->parent == b->parent && a->func == b->func && a->thread == b->thread &&
           a->core == b->core && a->region == b->region;
}

static size_t slot_of(const struct fold *f, const struct mpj_prof_node *n)
{
    uint64_t h = n->func;

    h = h * 0x9e3779b97f4a7c15U + n->parent;
    h = h * 0x9e3779b97f4a7c15U + (uint64_t)n->thread;
    h = h * 0x9e3779b97f4a7c15U + (uint64_t)n->core;
    h = h * 0x9e3779b97f4a7c15U + (uint64_t)n->region;
    h *= 0x9e3779b97f4a7c15U;
    return (size_t)(h >> 32) & (f->slots - 1U);
}

/* Returns the slot of an equal node, or the free one for it. */
static uint32_t *find_slot(struct fold *f, const struct mpj_profile *p,
                           const struct mpj_prof_node *n)
{
    size_t at = slot_of(f, n);

    while (f->table[at] != 0 && !is_same_node(&p->node[f->table[at] - 1U], n))
        at = (at + 1U) & (f->slots - 1U);
    return &f->table[at];
}

/* Keeps the table at most half full. */
static bool grow_table(struct fold *f, const struct mpj_profile *p)
{
    if (2U * (p->nodes + 1U) <= f->slots)
        return true;
    free(f->table);
    f->slots = f->slots > 0 ? 2U * f->slots : 1024;
    f->table = calloc(f->slots, sizeof(*f->table));
    for (uint32_t i = 0; f->table != NULL && i < p->nodes; i++)
        *find_slot(f, p, &p->node[i]) = i + 1U;
    return f->table != NULL;
}

static bool put_node(struct fold *f, uint32_t index)
{
    if (f->nodes == f->room) {
        const size_t room = f->room > 0 ? 2 * f->room : 64;
        uint32_t *const more = realloc(f->node, room * sizeof(*more));
        if (more == NULL)
            return false;
        f->node = more;
        f->room = room;
    }
    f->node[f->nodes++] = index;
    return true;
}

bool fold_node(struct fold *f, struct mpj_profile *p, uint32_t func)
{
    struct mpj_prof_node *const n = &p->node[p->nodes];
    uint32_t *slot;

    n->func = f->func[func];
    n->address = f->address[func];
    if (!f->any)
        return put_node(f, p->nodes++);
    if (f->piece[func] && n->parent != MPJ_PROF_NO_PARENT && p->node[n->parent].func == n->func)
        return put_node(f, n->parent);
    if (!grow_table(f, p))
        return false;
    slot = find_slot(f, p, n);
    if (*slot == 0)
        *slot = ++p->nodes;
    else
        p->node[*slot - 1U].calls += n->calls;
    return put_node(f, *slot - 1U);
}

void fold_free(struct fold *f)
{
    free(f->func);
    free(f->address);
    free(f->piece);
    free(f->node);
    free(f->table);
}
