/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regular expressions of POSIX, basic and extended, of bytes (the C locale), with what the GNU C
 * library adds to them: \+ \? \| in basic ones, \w \W \s \S \b \B \< \> \` \', back-references in
 * both. regex.c is <regex.h>'s interface; this one knows neither it nor the target.
 */
#ifndef REGEX_INT_H
#define REGEX_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RE_INFINITE (-1)
#define RE_LARGEST  0x7fff /* of a repetition */

enum re_kind {
    RE_EMPTY,
    RE_SET,  /* one byte of bits[] */
    RE_CAT,  /* all children, one after the other */
    RE_ALT,  /* one of the children */
    RE_LOOP, /* the child min to max times */
    RE_GROUP,
    RE_BACK, /* what group matched */
    RE_LINE_BEGIN,
    RE_LINE_END,
    RE_TEXT_BEGIN,
    RE_TEXT_END,
    RE_WORD_BEGIN,
    RE_WORD_END,
    RE_WORD_EDGE,
    RE_NOT_WORD_EDGE
};

struct re_node {
    enum re_kind kind;
    struct re_node *child;
    struct re_node *next; /* the parent's next child */
    struct re_node *made; /* of the expression: the one made before */
    int min;
    int max; /* RE_INFINITE: no end */
    unsigned group;
    uint32_t bits[8];
};

enum re_error {
    RE_OK,
    RE_NO_MATCH,
    RE_BAD_CLASS,  /* [:name:] */
    RE_BAD_SYMBOL, /* [.name.], [=name=] */
    RE_BAD_ESCAPE, /* \ at the end */
    RE_BAD_GROUP,  /* \9 without a ninth */
    RE_BAD_BRACKET,
    RE_BAD_PAREN,
    RE_BAD_BRACE,
    RE_BAD_COUNT,
    RE_BAD_RANGE,
    RE_BAD_REPEAT, /* nothing before it */
    RE_NO_MEMORY
};

struct re_options {
    bool extended;
    bool any_case;
    bool lines; /* . and [^a] do not match a newline, ^ and $ match at it */
};

struct re {
    struct re_options options;
    struct re_node *root;
    struct re_node *made;
    unsigned groups;
    bool back;
};

/* From and end of a part of the text; from RE_NONE: the group took no part. */
#define RE_NONE SIZE_MAX
struct re_part {
    size_t from;
    size_t end;
};

struct re_text {
    const unsigned char *at;
    size_t n;
    bool not_begin; /* the text does not begin a line, ... */
    bool not_end;   /* ... does not end one */
};

/* Reads a pattern of n bytes. re is empty or to be freed, whatever comes. */
enum re_error mpj_re_parse(struct re *re, const char *pattern, size_t n, struct re_options options);

void mpj_re_free(struct re *re);

/*
 * The leftmost longest match: RE_OK and parts[0], parts[1] to parts[count - 1] of the groups (count
 * may be 0 and larger than there are), RE_NO_MATCH, or RE_NO_MEMORY. Time and memory are polynomial
 * in the text's length, but for back-references.
 */
enum re_error mpj_re_match(const struct re *re, const struct re_text *text, struct re_part *parts,
                           size_t count);

/* With back-references: tries all, and gives up at some depth with RE_NO_MEMORY. parts: of the
 * whole and of every group. */
enum re_error mpj_re_try(const struct re *re, const struct re_text *text, struct re_part *parts);

/* Does the byte belong to the set? */
bool mpj_re_has(const struct re_node *set, unsigned char c);

/* Does an assertion (RE_LINE_BEGIN ...) hold before byte p? */
bool mpj_re_holds(const struct re *re, const struct re_text *text, enum re_kind kind, size_t p);

#endif
