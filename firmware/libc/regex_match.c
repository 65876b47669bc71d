/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regular expressions: the leftmost longest match, and what its groups matched.
 *
 * A node is a relation between positions of the text: it leads from where it begins to where it may
 * end. All starts of a match are what the whole expression leads back to from all positions, all
 * ends what it leads to from the first start. Groups follow from the top down: of a part from i to
 * j, each element in turn takes the longest piece from which the others still lead to j.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "regex_int.h"

/* Positions 0 to n; those in it lie from lo to hi. */
struct set {
    size_t lo;
    size_t hi;
    unsigned char *in;
};

struct match {
    const struct re *re;
    const struct re_text *text;
    struct re_part *parts;
    size_t count;
    bool no_memory;
};

static bool set_make(struct match *m, struct set *s)
{
    s->lo = SIZE_MAX;
    s->hi = 0;
    s->in = m->no_memory ? NULL : calloc(m->text->n + 1, 1);
    if (s->in == NULL)
        m->no_memory = true;
    return s->in != NULL;
}

static bool set_empty(const struct set *s)
{
    return s->lo > s->hi;
}

/* A set for which there was no memory stays empty. */
static void set_add(struct set *s, size_t p)
{
    if (s->in == NULL)
        return;
    s->in[p] = 1;
    if (p < s->lo)
        s->lo = p;
    if (set_empty(s) || p > s->hi)
        s->hi = p;
}

static void set_clear(struct set *s)
{
    if (s->in != NULL && !set_empty(s))
        memset(s->in + s->lo, 0, s->hi - s->lo + 1);
    s->lo = SIZE_MAX;
    s->hi = 0;
}

static bool set_has(const struct set *s, size_t p)
{
    return s->in[p] != 0;
}

/* Adds what is in the other one; whether that is more. seen may be NULL: then all of it. */
static void set_join(struct set *s, const struct set *other)
{
    for (size_t p = other->lo; !set_empty(other) && p <= other->hi; p++) {
        if (other->in[p])
            set_add(s, p);
    }
}

/* Moves what `seen` does not have yet from one set into another, and into seen. */
static void set_news(struct set *to, const struct set *from, struct set *seen)
{
    for (size_t p = from->lo; !set_empty(from) && p <= from->hi; p++) {
        if (from->in[p] && !seen->in[p]) {
            set_add(to, p);
            set_add(seen, p);
        }
    }
}

static bool is_word(const struct re_text *t, size_t p)
{
    return isalnum(t->at[p]) || t->at[p] == '_';
}

bool mpj_re_holds(const struct re *re, const struct re_text *t, enum re_kind kind, size_t p)
{
    const bool before = p > 0 && is_word(t, p - 1);
    const bool after = p < t->n && is_word(t, p);

    switch (kind) {
    case RE_LINE_BEGIN:
        return p == 0 ? !t->not_begin : re->options.lines && t->at[p - 1] == '\n';
    case RE_LINE_END:
        return (p == t->n && !t->not_end) || (p < t->n && re->options.lines && t->at[p] == '\n');
    case RE_TEXT_BEGIN:
        return p == 0;
    case RE_TEXT_END:
        return p == t->n;
    case RE_WORD_BEGIN:
        return !before && after;
    case RE_WORD_END:
        return before && !after;
    case RE_WORD_EDGE:
        return before != after;
    default:
        return before == after;
    }
}

/* ---- from positions to positions ------------------------------------------------- */

static void lead(struct match *m, const struct re_node *x, bool back, const struct set *from,
                 struct set *to);

static void lead_set(const struct match *m, const struct re_node *x, bool back,
                     const struct set *from, struct set *to)
{
    const struct re_text *const t = m->text;

    for (size_t p = from->lo; !set_empty(from) && p <= from->hi; p++) {
        if (!set_has(from, p))
            continue;
        if (back && p > 0 && mpj_re_has(x, t->at[p - 1]))
            set_add(to, p - 1);
        if (!back && p < t->n && mpj_re_has(x, t->at[p]))
            set_add(to, p + 1);
    }
}

/* Children one after the other; back: the last one first. */
static void lead_cat(struct match *m, const struct re_node *child, bool back,
                     const struct set *from, struct set *to)
{
    struct set between;

    if (child == NULL) {
        set_join(to, from);
        return;
    }
    if (child->next == NULL) {
        lead(m, child, back, from, to);
        return;
    }
    if (!set_make(m, &between))
        return;
    if (back) {
        lead_cat(m, child->next, back, from, &between);
        lead(m, child, back, &between, to);
    } else {
        lead(m, child, back, from, &between);
        if (!set_empty(&between))
            lead_cat(m, child->next, back, &between, to);
    }
    free(between.in);
}

static void lead_loop(struct match *m, const struct re_node *x, bool back, const struct set *from,
                      struct set *to)
{
    struct set here;
    struct set next;
    struct set seen;

    if (set_make(m, &here)) {
        if (set_make(m, &next)) {
            if (set_make(m, &seen)) {
                struct set spare;

                set_join(&here, from);
                for (int i = 0; i < x->min && !m->no_memory && !set_empty(&here); i++) {
                    lead(m, x->child, back, &here, &next);
                    set_clear(&here);
                    spare = here;
                    here = next;
                    next = spare;
                }
                set_join(&seen, &here);
                for (int i = x->min;
                     (x->max == RE_INFINITE || i < x->max) && !m->no_memory && !set_empty(&here);
                     i++) {
                    lead(m, x->child, back, &here, &next);
                    set_clear(&here);
                    set_news(&here, &next, &seen);
                    set_clear(&next);
                }
                set_join(to, &seen);
                free(seen.in);
            }
            free(next.in);
        }
        free(here.in);
    }
}

static void lead(struct match *m, const struct re_node *x, bool back, const struct set *from,
                 struct set *to)
{
    switch (x->kind) {
    case RE_EMPTY:
        set_join(to, from);
        break;
    case RE_SET:
        lead_set(m, x, back, from, to);
        break;
    case RE_CAT:
        lead_cat(m, x->child, back, from, to);
        break;
    case RE_ALT:
        for (const struct re_node *c = x->child; c != NULL; c = c->next)
            lead(m, c, back, from, to);
        break;
    case RE_LOOP:
        lead_loop(m, x, back, from, to);
        break;
    case RE_GROUP:
        lead(m, x->child, back, from, to);
        break;
    default:
        for (size_t p = from->lo; !set_empty(from) && p <= from->hi; p++) {
            if (set_has(from, p) && mpj_re_holds(m->re, m->text, x->kind, p))
                set_add(to, p);
        }
        break;
    }
}

/* Does it lead from i to j? to: an empty set, which has then all that it leads to. */
static bool leads(struct match *m, const struct re_node *x, size_t i, size_t j, struct set *to)
{
    struct set from;

    set_clear(to);
    if (!set_make(m, &from))
        return false;
    set_add(&from, i);
    lead(m, x, false, &from, to);
    free(from.in);
    return !m->no_memory && set_has(to, j);
}

/* ---- what the groups matched ------------------------------------------------------ */

static void groups(struct match *m, const struct re_node *x, size_t i, size_t j);

/* The longest piece from i that x leads over and whose end is in `rest`; SIZE_MAX: none. */
static size_t longest(struct match *m, const struct re_node *x, size_t i, const struct set *rest,
                      struct set *to)
{
    if (!leads(m, x, i, i, to) && m->no_memory)
        return SIZE_MAX;
    for (size_t p = to->hi + 1; !set_empty(to) && p-- > to->lo;) {
        if (set_has(to, p) && set_has(rest, p))
            return p;
    }
    return SIZE_MAX;
}

static void free_sets(struct set *sets, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(sets[i].in);
    free(sets);
}

static struct set *make_sets(struct match *m, size_t n)
{
    struct set *const sets = calloc(n, sizeof(*sets));

    if (sets == NULL)
        m->no_memory = true;
    for (size_t i = 0; sets != NULL && i < n; i++)
        set_make(m, &sets[i]);
    return sets;
}

static void groups_cat(struct match *m, const struct re_node *x, size_t i, size_t j)
{
    const struct re_node *c = x->child;
    struct set
        *rest; /* [k]: from where the children from the k-th on lead to j; the last: scratch */
    size_t n = 0;

    for (; c != NULL; c = c->next)
        n++;
    rest = make_sets(m, n + 2);
    if (rest != NULL && !m->no_memory) {
        set_add(&rest[n], j);
        for (size_t k = n; k-- > 1 && !m->no_memory;) {
            c = x->child;
            for (size_t skip = 0; skip < k; skip++)
                c = c->next;
            lead(m, c, true, &rest[k + 1], &rest[k]);
        }
        c = x->child;
        for (size_t k = 0; k < n && !m->no_memory; k++, c = c->next) {
            const size_t end = longest(m, c, i, &rest[k + 1], &rest[n + 1]);

            if (end == SIZE_MAX)
                break;
            groups(m, c, i, end);
            i = end;
        }
    }
    if (rest != NULL)
        free_sets(rest, n + 2);
}

/* Forgets what groups inside matched: the next turn of a loop decides. */
static void forget(struct match *m, const struct re_node *x)
{
    if (x->kind == RE_GROUP && x->group < m->count)
        m->parts[x->group].from = RE_NONE;
    for (const struct re_node *c = x->child; c != NULL; c = c->next)
        forget(m, c);
}

static void groups_loop(struct match *m, const struct re_node *x, size_t i, size_t j)
{
    /* rest[k]: from where the turns that may follow after k ones lead to j */
    const size_t least = (size_t)x->min;
    const size_t last = x->max == RE_INFINITE ? least : (size_t)x->max;
    struct set *const rest = make_sets(m, last + 2);
    struct re_node any = *x;
    size_t turn = 0;

    any.min = 0;
    any.max = RE_INFINITE;
    if (rest != NULL && !m->no_memory) {
        set_add(&rest[last + 1], j);
        if (x->max == RE_INFINITE)
            lead(m, &any, true, &rest[last + 1], &rest[last]);
        else
            set_add(&rest[last], j);
        for (size_t k = last; k-- > 0 && !m->no_memory;) {
            lead(m, x->child, true, &rest[k + 1], &rest[k]);
            if (k >= least)
                set_add(&rest[k], j);
        }
        set_clear(&rest[last + 1]);
        /* to the end and as often as must be; what may be once is, if only over nothing */
        while ((i < j || turn < least || (turn == 0 && x->max != 0)) && !m->no_memory) {
            const size_t after = turn < last ? turn + 1 : last;
            const size_t end = longest(m, x->child, i, &rest[after], &rest[last + 1]);

            if (end == SIZE_MAX || (end == i && turn >= least && i < j))
                break;
            forget(m, x->child);
            groups(m, x->child, i, end);
            i = end;
            turn++;
        }
    }
    if (rest != NULL)
        free_sets(rest, last + 2);
}

static void groups(struct match *m, const struct re_node *x, size_t i, size_t j)
{
    struct set to;

    switch (x->kind) {
    case RE_GROUP:
        if (x->group < m->count)
            m->parts[x->group] = (struct re_part){.from = i, .end = j};
        groups(m, x->child, i, j);
        break;
    case RE_CAT:
        groups_cat(m, x, i, j);
        break;
    case RE_ALT:
        if (!set_make(m, &to))
            return;
        for (const struct re_node *c = x->child; c != NULL; c = c->next) {
            if (x->child->next == NULL || leads(m, c, i, j, &to)) {
                groups(m, c, i, j);
                break;
            }
        }
        free(to.in);
        break;
    case RE_LOOP:
        groups_loop(m, x, i, j);
        break;
    default:
        break;
    }
}

enum re_error mpj_re_match(const struct re *re, const struct re_text *text, struct re_part *parts,
                           size_t count)
{
    struct match m = {.re = re, .text = text, .parts = parts, .count = count};
    struct re_part whole = {.from = RE_NONE};
    struct set from;
    struct set to;

    for (size_t i = 0; i < count; i++)
        parts[i].from = RE_NONE;
    if (re->back) {
        struct re_part *const all = calloc(re->groups + 1U, sizeof(*all));
        const enum re_error error = all != NULL ? mpj_re_try(re, text, all) : RE_NO_MEMORY;

        for (size_t i = 0; i < count && i <= re->groups && error == RE_OK; i++)
            parts[i] = all[i];
        free(all);
        return error;
    }
    if (set_make(&m, &from)) {
        if (set_make(&m, &to)) {
            memset(from.in, 1, text->n + 1);
            from.lo = 0;
            from.hi = text->n;
            lead(&m, re->root, true, &from, &to);
            if (!set_empty(&to)) {
                whole.from = to.lo;
                leads(&m, re->root, whole.from, whole.from, &to);
                whole.end = to.hi;
            }
            free(to.in);
        }
        free(from.in);
    }
    if (!m.no_memory && whole.from != RE_NONE && count > 0) {
        if (count > 1)
            groups(&m, re->root, whole.from, whole.end);
        parts[0] = whole;
    }
    if (m.no_memory)
        return RE_NO_MEMORY;
    return whole.from != RE_NONE ? RE_OK : RE_NO_MATCH;
}
