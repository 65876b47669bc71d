/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Regular expressions: from a pattern to a tree. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "regex_int.h"

#define DEEPEST 250U

struct parser {
    struct re *re;
    const unsigned char *at;
    const unsigned char *end;
    enum re_error error;
    unsigned depth;
    unsigned done; /* groups that may be referred to: a bit each, to 9 */
};

static struct re_node *parse_alternatives(struct parser *p);

static struct re_node *fail(struct parser *p, enum re_error error)
{
    if (p->error == RE_OK)
        p->error = error;
    return NULL;
}

static struct re_node *make(struct parser *p, enum re_kind kind)
{
    struct re_node *const x = calloc(1, sizeof(*x));

    if (x == NULL)
        return fail(p, RE_NO_MEMORY);
    x->kind = kind;
    x->made = p->re->made;
    p->re->made = x;
    return x;
}

void mpj_re_free(struct re *re)
{
    while (re->made != NULL) {
        struct re_node *const x = re->made;

        re->made = x->made;
        free(x);
    }
    re->root = NULL;
}

bool mpj_re_has(const struct re_node *set, unsigned char c)
{
    return (set->bits[c / 32U] >> (c % 32U) & 1U) != 0;
}

static void put(struct re_node *set, unsigned char c)
{
    set->bits[c / 32U] |= 1U << (c % 32U);
}

static void add(const struct parser *p, struct re_node *set, unsigned char c)
{
    put(set, c);
    if (p->re->options.any_case) {
        put(set, (unsigned char)tolower(c));
        put(set, (unsigned char)toupper(c));
    }
}

static void invert(const struct parser *p, struct re_node *set)
{
    for (unsigned i = 0; i < 8; i++)
        set->bits[i] = ~set->bits[i];
    if (p->re->options.lines)
        set->bits['\n' / 32] &= ~(1U << ('\n' % 32));
}

static struct re_node *one(struct parser *p, unsigned char c)
{
    struct re_node *const x = make(p, RE_SET);

    if (x != NULL)
        add(p, x, c);
    return x;
}

/* Do the next bytes say that? With bs, a basic expression writes it with a backslash. */
static bool sees(const struct parser *p, char c, bool bs)
{
    if (bs && !p->re->options.extended)
        return p->end - p->at >= 2 && p->at[0] == '\\' && p->at[1] == (unsigned char)c;
    return p->at < p->end && p->at[0] == (unsigned char)c;
}

static bool takes(struct parser *p, char c, bool bs)
{
    if (!sees(p, c, bs))
        return false;
    p->at += bs && !p->re->options.extended ? 2 : 1;
    return true;
}

/* ---- [...] --------------------------------------------------------------------- */

static bool add_class(struct parser *p, struct re_node *set, const char *name, size_t n)
{
    static const struct {
        const char *name;
        int (*in)(int c);
    } classes[] = {{"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank},
                   {"cntrl", iscntrl}, {"digit", isdigit}, {"graph", isgraph},
                   {"lower", islower}, {"print", isprint}, {"punct", ispunct},
                   {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit}};

    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        if (strlen(classes[i].name) != n || memcmp(classes[i].name, name, n) != 0)
            continue;
        for (int c = 0; c < 256; c++) {
            if (classes[i].in(c))
                add(p, set, (unsigned char)c);
        }
        return true;
    }
    fail(p, RE_BAD_CLASS);
    return false;
}

/* One element: its byte, or -1 for a class, which is added, or for an error. */
static int element(struct parser *p, struct re_node *set)
{
    const unsigned char kind = p->end - p->at >= 2 && p->at[0] == '[' ? p->at[1] : 0;
    const unsigned char *from;

    if (p->at == p->end) {
        fail(p, RE_BAD_BRACKET);
        return -1;
    }
    if (kind != ':' && kind != '.' && kind != '=')
        return *p->at++;
    p->at += 2;
    from = p->at;
    while (p->end - p->at >= 2 && !(p->at[0] == kind && p->at[1] == ']'))
        p->at++;
    if (p->end - p->at < 2) {
        fail(p, RE_BAD_BRACKET);
        return -1;
    }
    p->at += 2;
    if (kind == ':') {
        add_class(p, set, (const char *)from, (size_t)(p->at - 2 - from));
        return -1;
    }
    if (p->at - 2 - from != 1) {
        fail(p, RE_BAD_SYMBOL);
        return -1;
    }
    return *from;
}

static struct re_node *bracket(struct parser *p)
{
    struct re_node *const set = make(p, RE_SET);
    const bool inverted = takes(p, '^', false);
    bool first = true;

    while (set != NULL && p->error == RE_OK && (first || !sees(p, ']', false))) {
        const bool hyphen = sees(p, '-', false);
        int to;
        int from;

        /* a hyphen is one at the beginning, at the end and as the end of a range */
        if (hyphen && !first && (p->end - p->at < 2 || p->at[1] != ']'))
            return fail(p, p->end - p->at < 2 ? RE_BAD_BRACKET : RE_BAD_RANGE);
        first = false;
        from = element(p, set);
        to = from;
        if (p->error == RE_OK && p->end - p->at >= 2 && p->at[0] == '-' && p->at[1] != ']') {
            p->at++;
            to = element(p, set);
            if (p->error == RE_OK && (from < 0 || to < from))
                return fail(p, RE_BAD_RANGE);
        }
        for (int c = from; c >= 0 && c <= to; c++)
            add(p, set, (unsigned char)c);
    }
    if (p->error != RE_OK || set == NULL)
        return NULL;
    p->at++;
    if (inverted)
        invert(p, set);
    return set;
}

/* ---- the rest -------------------------------------------------------------------- */

static struct re_node *group(struct parser *p)
{
    struct re_node *const x = make(p, RE_GROUP);

    if (x == NULL)
        return NULL;
    x->group = ++p->re->groups;
    if (++p->depth > DEEPEST)
        return fail(p, RE_NO_MEMORY);
    x->child = parse_alternatives(p);
    p->depth--;
    if (p->error == RE_OK && !takes(p, ')', true))
        return fail(p, RE_BAD_PAREN);
    if (x->group <= 9)
        p->done |= 1U << x->group;
    return p->error == RE_OK ? x : NULL;
}

static struct re_node *class_of(struct parser *p, const char *name, bool word, bool inverted)
{
    struct re_node *const x = make(p, RE_SET);

    if (x == NULL || !add_class(p, x, name, strlen(name)))
        return NULL;
    if (word)
        put(x, '_');
    for (unsigned i = 0; inverted && i < 8; i++)
        x->bits[i] = ~x->bits[i];
    return x;
}

/* What follows a backslash and is not for the callers; at stands behind it. */
static struct re_node *escaped(struct parser *p)
{
    static const struct {
        char c;
        enum re_kind kind;
    } edges[] = {{'b', RE_WORD_EDGE}, {'B', RE_NOT_WORD_EDGE}, {'<', RE_WORD_BEGIN},
                 {'>', RE_WORD_END},  {'`', RE_TEXT_BEGIN},    {'\'', RE_TEXT_END}};
    unsigned char c;

    if (p->at == p->end)
        return fail(p, RE_BAD_ESCAPE);
    c = *p->at++;
    if (c >= '1' && c <= '9') {
        struct re_node *const x = make(p, RE_BACK);

        if (x != NULL)
            x->group = c - '0';
        p->re->back = true;
        return (p->done >> (c - '0') & 1U) != 0 ? x : fail(p, RE_BAD_GROUP);
    }
    for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++) {
        if (edges[i].c == c)
            return make(p, edges[i].kind);
    }
    if (c == 'w' || c == 'W')
        return class_of(p, "alnum", true, c == 'W');
    if (c == 's' || c == 'S')
        return class_of(p, "space", false, c == 'S');
    return one(p, c);
}

/* Is there a repetition, and nothing that it repeats? */
static bool repeats(const struct parser *p)
{
    return sees(p, '*', false) || sees(p, '+', true) || sees(p, '?', true) || sees(p, '{', true);
}

/* In a basic expression ^ is itself but at a beginning, and $ but at an end. */
static bool ends_here(const struct parser *p)
{
    struct parser behind = *p;

    behind.at++;
    return p->re->options.extended || behind.at == p->end || sees(&behind, '|', true) ||
           sees(&behind, ')', true);
}

static struct re_node *atom(struct parser *p, bool begins)
{
    const bool extended = p->re->options.extended;
    struct re_node *x;

    if (repeats(p)) {
        if (extended || sees(p, '{', true))
            return fail(p, RE_BAD_REPEAT);
        p->at += p->at[0] == '\\';
        return one(p, *p->at++);
    }
    if (takes(p, '(', true))
        return group(p);
    if (takes(p, '[', false))
        return bracket(p);
    if (takes(p, '\\', false))
        return escaped(p);
    if (sees(p, '^', false) && (extended || begins)) {
        p->at++;
        return make(p, RE_LINE_BEGIN);
    }
    if (sees(p, '$', false) && ends_here(p)) {
        p->at++;
        return make(p, RE_LINE_END);
    }
    if (takes(p, '.', false)) {
        x = make(p, RE_SET);
        if (x != NULL)
            invert(p, x);
        return x;
    }
    return one(p, *p->at++);
}

/* A number of a repetition; -1: none. */
static int number(struct parser *p)
{
    int n = -1;

    while (p->at < p->end && isdigit(*p->at)) {
        n = (n < 0 ? 0 : n) * 10 + (*p->at++ - '0');
        if (n > RE_LARGEST)
            n = RE_LARGEST + 1;
    }
    return n;
}

/* Behind the brace. */
static bool counts(struct parser *p, int *min, int *max)
{
    *min = number(p);
    *max = *min;
    if (takes(p, ',', false)) {
        *max = number(p);
        if (*max < 0)
            *max = RE_INFINITE;
        if (*min < 0)
            *min = 0;
    }
    if (*min < 0 || !takes(p, '}', true)) {
        fail(p, p->at == p->end || (p->at[0] == '\\' && p->at + 1 == p->end) ? RE_BAD_BRACE
                                                                             : RE_BAD_COUNT);
        return false;
    }
    if (*min > RE_LARGEST || *max > RE_LARGEST || (*max != RE_INFINITE && *max < *min)) {
        fail(p, RE_BAD_COUNT);
        return false;
    }
    return true;
}

static struct re_node *piece(struct parser *p, bool begins)
{
    struct re_node *x = atom(p, begins);

    if (x == NULL || x->kind >= RE_LINE_BEGIN) /* what has no length is not repeated */
        return x;
    while (p->error == RE_OK && repeats(p)) {
        struct re_node *const loop = make(p, RE_LOOP);

        if (loop == NULL)
            return NULL;
        loop->child = x;
        loop->max = RE_INFINITE;
        if (takes(p, '+', true)) {
            loop->min = 1;
        } else if (takes(p, '?', true)) {
            loop->max = 1;
        } else if (takes(p, '{', true)) {
            if (!counts(p, &loop->min, &loop->max))
                return NULL;
        } else {
            p->at++; /* the asterisk */
        }
        x = loop;
        if (!p->re->options.extended && (sees(p, '*', false) || sees(p, '{', true)))
            return fail(p, RE_BAD_REPEAT);
    }
    return x;
}

static struct re_node *sequence(struct parser *p)
{
    struct re_node *const x = make(p, RE_CAT);
    struct re_node **to = x != NULL ? &x->child : NULL;
    bool begins = true;

    while (p->error == RE_OK && p->at < p->end && !sees(p, '|', true) &&
           !(sees(p, ')', true) && (p->depth > 0 || !p->re->options.extended))) {
        struct re_node *const part = piece(p, begins);

        if (part == NULL)
            return NULL;
        begins = false;
        *to = part;
        to = &part->next;
    }
    return x;
}

static struct re_node *parse_alternatives(struct parser *p)
{
    struct re_node *const x = make(p, RE_ALT);
    struct re_node **to = x != NULL ? &x->child : NULL;

    while (p->error == RE_OK && to != NULL) {
        struct re_node *const part = sequence(p);

        if (part == NULL)
            return NULL;
        *to = part;
        to = &part->next;
        if (!takes(p, '|', true))
            break;
    }
    return x;
}

enum re_error mpj_re_parse(struct re *re, const char *pattern, size_t n, struct re_options options)
{
    struct parser p = {
        .re = re, .at = (const unsigned char *)pattern, .end = (const unsigned char *)pattern + n};

    *re = (struct re){.options = options};
    re->root = parse_alternatives(&p);
    if (p.error == RE_OK && p.at < p.end) /* a closing parenthesis */
        p.error = RE_BAD_PAREN;
    if (p.error != RE_OK)
        mpj_re_free(re);
    return p.error;
}
