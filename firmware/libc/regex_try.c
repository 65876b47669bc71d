/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Regular expressions with back-references: what they match depends on the way, so all are tried.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "regex_int.h"

#define DEEPEST 3000U /* calls, of some hundred bytes of stack each */

/* What is to come when a node has matched; NULL: nothing. */
struct then {
    const struct re_node *node; /* a child: those behind it; a group: its end; a loop: more turns */
    const struct then *next;
    size_t from;
    int turn;
};

struct attempt {
    const struct re *re;
    const struct re_text *text;
    struct re_part *now;
    struct re_part *best;
    size_t end; /* of the best one; RE_NONE: none yet */
    unsigned depth;
    bool too_deep;
};

/* Each of them: true ends the attempt. */
static bool go(struct attempt *a, const struct re_node *x, size_t p, const struct then *then);
static bool go_on(struct attempt *a, size_t p, const struct then *then);

static bool reached(struct attempt *a, size_t p)
{
    if (a->end == RE_NONE || p > a->end) {
        a->end = p;
        memcpy(a->best, a->now, (a->re->groups + 1U) * sizeof(*a->best));
    }
    return p == a->text->n;
}

static bool go_turn(struct attempt *a, const struct re_node *x, int turn, size_t p,
                    const struct then *then)
{
    if (x->max == RE_INFINITE || turn < x->max) {
        const struct then more = {.node = x, .next = then, .from = p, .turn = turn + 1};

        if (go(a, x->child, p, &more))
            return true;
    }
    return turn >= x->min && go_on(a, p, then);
}

static bool go_on(struct attempt *a, size_t p, const struct then *then)
{
    const struct re_node *x;

    if (then == NULL)
        return reached(a, p);
    x = then->node;
    if (x->kind == RE_GROUP && then->turn < 0) {
        const struct re_part old = a->now[x->group];

        a->now[x->group] = (struct re_part){.from = then->from, .end = p};
        if (go_on(a, p, then->next))
            return true;
        a->now[x->group] = old;
        return false;
    }
    if (x->kind == RE_LOOP && then->turn > 0) {
        if (p == then->from && then->turn > x->min) /* an empty turn leads nowhere */
            return false;
        return go_turn(a, x, then->turn, p, then->next);
    }
    if (x->next != NULL) {
        const struct then rest = {.node = x->next, .next = then->next};

        return go(a, x->next, p, &rest);
    }
    return go_on(a, p, then->next);
}

static bool go_back(struct attempt *a, const struct re_node *x, size_t p, const struct then *then)
{
    const struct re_part part = a->now[x->group];
    const unsigned char *const t = a->text->at;

    if (part.from == RE_NONE || a->text->n - p < part.end - part.from)
        return false;
    for (size_t i = 0; i < part.end - part.from; i++) {
        const unsigned char was = t[part.from + i];
        const unsigned char is = t[p + i];

        if (was != is && !(a->re->options.any_case && tolower(was) == tolower(is)))
            return false;
    }
    return go_on(a, p + (part.end - part.from), then);
}

/* A loop over a set needs no call for each byte. */
static bool go_run(struct attempt *a, const struct re_node *x, size_t p, const struct then *then)
{
    size_t n = 0;

    while (p + n < a->text->n && (x->max == RE_INFINITE || n < (size_t)x->max) &&
           mpj_re_has(x->child, a->text->at[p + n]))
        n++;
    for (size_t k = n + 1; k-- > (size_t)x->min;) {
        if (go_on(a, p + k, then))
            return true;
    }
    return false;
}

static bool go_into(struct attempt *a, const struct re_node *x, size_t p, const struct then *then)
{
    const struct then end = {.node = x, .next = then, .from = p, .turn = -1};
    const struct then rest = {.node = x->child, .next = then};

    switch (x->kind) {
    case RE_EMPTY:
        return go_on(a, p, then);
    case RE_SET:
        return p < a->text->n && mpj_re_has(x, a->text->at[p]) && go_on(a, p + 1, then);
    case RE_CAT:
        return x->child == NULL ? go_on(a, p, then) : go(a, x->child, p, &rest);
    case RE_ALT:
        for (const struct re_node *c = x->child; c != NULL; c = c->next) {
            if (go(a, c, p, then))
                return true;
        }
        return false;
    case RE_LOOP:
        return x->child->kind == RE_SET ? go_run(a, x, p, then) : go_turn(a, x, 0, p, then);
    case RE_GROUP:
        return go(a, x->child, p, &end);
    case RE_BACK:
        return go_back(a, x, p, then);
    default:
        return mpj_re_holds(a->re, a->text, x->kind, p) && go_on(a, p, then);
    }
}

static bool go(struct attempt *a, const struct re_node *x, size_t p, const struct then *then)
{
    bool over;

    if (++a->depth > DEEPEST)
        a->too_deep = true;
    over = a->too_deep || go_into(a, x, p, then);
    a->depth--;
    return over;
}

enum re_error mpj_re_try(const struct re *re, const struct re_text *text, struct re_part *parts)
{
    struct attempt a = {.re = re, .text = text, .best = parts, .end = RE_NONE};

    a.now = calloc(re->groups + 1U, sizeof(*a.now));
    if (a.now == NULL)
        return RE_NO_MEMORY;
    for (size_t from = 0; from <= text->n && a.end == RE_NONE && !a.too_deep; from++) {
        for (unsigned i = 0; i <= re->groups; i++)
            a.now[i].from = RE_NONE;
        go(&a, re->root, from, NULL);
        if (a.end != RE_NONE)
            parts[0] = (struct re_part){.from = from, .end = a.end};
    }
    free(a.now);
    if (a.too_deep)
        return RE_NO_MEMORY;
    return a.end == RE_NONE ? RE_NO_MATCH : RE_OK;
}
