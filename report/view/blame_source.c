/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/blame_source.h"

#include <ctype.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Preprocessor lines of a file. */
struct known {
    const struct code_source *source;
    uint8_t directives[BLAME_SOURCE_BYTES];
};

struct blame_source {
    struct code_reader *reader;
    struct known *known;
    size_t n;
};

/* ---- characters without comments --------------------------------------------------------- */

struct lexer {
    const struct code_source *source;
    const char *text; /* of the line; NULL: the end */
    int line;
    size_t at;
    bool begun;     /* there was something on the line */
    bool directive; /* it is the preprocessor's */
    bool comment;
    char quote;      /* of the literal; 0: in none */
    bool escaped;    /* the next character of the literal */
    bool is_literal; /* the character that was returned is part of one */
    bool word, number;
};

static bool is_word(int c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Goes on to the next line. True: that is a blank, and not part of a comment. */
static bool next_line(struct lexer *l)
{
    const bool spliced = l->at > 0 && l->text[l->at - 1] == '\\';

    l->text = code_text(l->source, ++l->line);
    l->at = 0;
    l->word = l->number = l->is_literal = false;
    if (!spliced) {
        l->directive = l->begun = false;
        l->quote = 0;
    }
    return !l->comment;
}

/* Notes a character of a literal. */
static int literal(struct lexer *l, char c)
{
    l->is_literal = true;
    if (l->escaped)
        l->escaped = false;
    else if (c == '\\')
        l->escaped = true;
    else if (c == l->quote)
        l->quote = 0;
    return c;
}

/* Notes a character of code; quotes within numbers separate digits. */
static int code(struct lexer *l, char c)
{
    l->is_literal = false;
    if ((c == '"' || c == '\'') && !(c == '\'' && l->number)) {
        l->quote = c;
        l->is_literal = true;
    }
    if (c == '#' && !l->begun)
        l->directive = true;
    l->begun = l->begun || c != ' ';
    if (is_word(c)) {
        l->number = l->word ? l->number : isdigit((unsigned char)c) != 0;
        l->word = true;
    } else if (c != '\'' || !l->number) {
        l->word = l->number = false;
    }
    return c;
}

/* Returns the next character; comments and ends of lines are blanks. EOF: the end. */
static int next(struct lexer *l)
{
    while (l->text != NULL) {
        const char c = l->text[l->at];
        const char after = c != '\0' ? l->text[l->at + 1] : '\0';
        if (c == '\0') {
            if (next_line(l))
                return ' ';
            continue;
        }
        l->at++;
        if (l->comment && c == '*' && after == '/') {
            l->at++;
            l->comment = false;
            return code(l, ' ');
        }
        if (l->comment)
            continue;
        if (l->quote != 0)
            return literal(l, c);
        if (c != '/' || (after != '/' && after != '*'))
            return code(l, c);
        l->comment = after == '*';
        l->at += l->comment ? 1U : strlen(l->text + l->at);
    }
    return EOF;
}

/* ---- hashes ------------------------------------------------------------------------------ */

/* Hash of what was written to it, whatever the layout. */
struct digest {
    SHA2_CTX hash;
    int last;
    bool blank;
};

static void begin(struct digest *d)
{
    memset(d, 0, sizeof(*d));
    SHA256Init(&d->hash);
}

static void feed(struct digest *d, int c)
{
    const uint8_t byte = (uint8_t)c;

    SHA256Update(&d->hash, &byte, 1);
}

static void put(struct digest *d, int c, bool is_literal)
{
    if (c == ' ' && !is_literal) {
        d->blank = true;
        return;
    }
    if (d->blank && ((is_word(d->last) && is_word(c)) || (d->last == c && (c == '+' || c == '-'))))
        feed(d, ' '); /* without it these would be one token */
    feed(d, c);
    d->last = c;
    d->blank = false;
}

void blame_source_directives(const struct code_source *s, uint8_t out[BLAME_SOURCE_BYTES])
{
    struct lexer l = {.source = s, .text = code_text(s, 1), .line = 1};
    struct digest d;
    int c;

    begin(&d);
    while ((c = next(&l)) != EOF) {
        if (l.directive)
            put(&d, c, l.is_literal);
        else
            d.blank = true;
    }
    SHA256Final(out, &d.hash);
}

/* True if a line has that word. */
static bool has_word(const char *text, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = text; length > 0 && (at = strstr(at, name)) != NULL; at++) {
        if ((at == text || !is_word(at[-1])) && !is_word(at[length]))
            return true;
    }
    return false;
}

/* State of scanning a definition. */
struct scan {
    int braces, parentheses;
    bool closed; /* a brace that may be the last */
};

/* Notes a character of code. False: this is not a definition. */
static bool note(struct scan *s, int c)
{
    if (c == '(' || c == ')')
        s->parentheses += c == '(' ? 1 : -1;
    if (c == '{' || c == '}')
        s->braces += c == '{' ? 1 : -1;
    if (c == '}' && s->braces == 0 && s->parentheses == 0)
        s->closed = true;
    return s->braces >= 0 && s->parentheses >= 0 &&
           !(c == ';' && s->braces == 0 && s->parentheses == 0);
}

/* Ends a hash; writes its first 64 bits. */
static void put_hash(struct digest *d, char out[BLAME_SOURCE_ROOM])
{
    char digits[SHA256_DIGEST_STRING_LENGTH];

    SHA256End(&d->hash, digits);
    memcpy(out, digits, BLAME_SOURCE_ROOM - 1U);
    out[BLAME_SOURCE_ROOM - 1U] = '\0';
}

bool blame_source_text(const struct code_source *s, int line, const char *name,
                       const uint8_t seed[BLAME_SOURCE_BYTES], char out[BLAME_SOURCE_ROOM])
{
    struct lexer l = {.source = s, .text = code_text(s, line), .line = line};
    struct scan at = {.braces = 0};
    struct digest d;
    int c;

    if (l.text == NULL || !has_word(l.text, name))
        return false;
    begin(&d);
    SHA256Update(&d.hash, seed, BLAME_SOURCE_BYTES);
    while ((c = next(&l)) != EOF) {
        if (c == '"' && l.quote == '"' && d.last == 'R' && !d.blank)
            return false; /* a raw string begins: it may have anything in it */
        if (at.closed && c == ' ' && !l.is_literal)
            continue;
        if (at.closed && c != ',' && c != '{') /* those go on with a constructor's members */
            break;
        at.closed = false;
        put(&d, c, l.is_literal);
        if (!l.directive && !l.is_literal && !note(&at, c))
            return false;
    }
    if (at.closed)
        put_hash(&d, out);
    return at.closed;
}

/* ---- files ------------------------------------------------------------------------------- */

struct blame_source *blame_source_open(const char *store, const char *elf)
{
    struct blame_source *const b = calloc(1, sizeof(*b));
    struct mpj_err ignored; /* without sources functions have no identity */

    if (b != NULL && elf != NULL && code_open(&b->reader, store, elf, &ignored) == MPJ_E_OK)
        return b;
    free(b);
    return NULL;
}

void blame_source_free(struct blame_source *b)
{
    if (b == NULL)
        return;
    code_close(b->reader);
    free(b->known);
    free(b);
}

/* Returns the hash of a file's preprocessor lines, which are read once. NULL: out of memory. */
static const uint8_t *directives_of(struct blame_source *b, const struct code_source *s)
{
    struct known *more;

    for (size_t i = 0; i < b->n; i++) {
        if (b->known[i].source == s)
            return b->known[i].directives;
    }
    more = reallocarray(b->known, b->n + 1, sizeof(*more));
    if (more == NULL)
        return NULL;
    b->known = more;
    more[b->n].source = s;
    blame_source_directives(s, more[b->n].directives);
    return more[b->n++].directives;
}

bool blame_source_hash(struct blame_source *b, const char *file, int line, const char *name,
                       char out[BLAME_SOURCE_ROOM])
{
    const struct code_source *const s = b != NULL ? code_source(b->reader, file) : NULL;
    const uint8_t *const seed = s != NULL && !s->newer ? directives_of(b, s) : NULL;

    return seed != NULL && blame_source_text(s, line, name, seed, out);
}
