/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * getopt() and its like as in the GNU C library. newlib's says '?' in optopt whatever the option
 * was, takes an empty argument for an option, leaves optarg as it was, and goes on in the middle of
 * a long option that it does not know. Not for several threads at once.
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *optarg;
int optind = 1;
int opterr = 1;
int optopt = '?';

/* What the program's options are, in one call. */
struct set {
    int count;
    char **arg;
    const char *letters;
    const struct option *words; /* NULL: none */
    int *index;
    bool one_dash; /* of words, too */
    bool quiet;
    char missing; /* what is returned for an argument that is not there */
};

static char *next; /* letter of the argument that is being looked at; NULL or "": none */
/* Arguments that are none of the options', passed over so far: [passed, options) of arg. Behind
 * them are those with options up to optind. */
static int passed, options;
static enum { LAST, STOP, EACH } order; /* such arguments: to the end, stop there, return them */

static bool is_option(const char *text)
{
    return text[0] == '-' && text[1] != '\0';
}

static void reverse(char **from, char **to)
{
    while (from < --to) {
        char *const one = *from;

        *from++ = *to;
        *to = one;
    }
}

/* Puts those passed over behind the options that came after them. */
static void exchange(char **arg)
{
    reverse(arg + passed, arg + options);
    reverse(arg + options, arg + optind);
    reverse(arg + passed, arg + optind);
    passed += optind - options;
    options = optind;
}

static void begin(struct set *s)
{
    const char first = s->letters[0];

    if (optind == 0 || passed == 0) {
        optind = optind == 0 ? 1 : optind;
        passed = options = optind;
        next = NULL;
        order = first == '-'                                        ? EACH
                : first == '+' || getenv("POSIXLY_CORRECT") != NULL ? STOP
                                                                    : LAST;
    }
    if (first == '-' || first == '+')
        s->letters++;
    s->missing = s->letters[0] == ':' ? ':' : '?';
    s->quiet = opterr == 0 || s->letters[0] == ':';
    optarg = NULL;
}

static bool same(const struct option *a, const struct option *b)
{
    return a->has_arg == b->has_arg && a->flag == b->flag && a->val == b->val;
}

/* The word that begins with this text; NULL: none, or several (*several). */
static const struct option *find(const struct set *s, const char *text, size_t length,
                                 bool *several)
{
    const struct option *found = NULL;

    for (const struct option *o = s->words; o->name != NULL; o++) {
        if (strncmp(o->name, text, length) != 0)
            continue;
        if (strlen(o->name) == length) {
            *several = false;
            return o;
        }
        if (found == NULL)
            found = o;
        else if (s->one_dash || !same(found, o))
            *several = true;
    }
    return *several ? NULL : found;
}

static void tell_several(const struct set *s, const char *dashes, size_t length)
{
    if (s->quiet)
        return;
    fprintf(stderr, "%s: option '%s%s' is ambiguous; possibilities:", s->arg[0], dashes, next);
    for (const struct option *o = s->words; o->name != NULL; o++) {
        if (strncmp(o->name, next, length) == 0)
            fprintf(stderr, " '%s%s'", dashes, o->name);
    }
    fputc('\n', stderr);
}

static int of_word(const struct set *s, const struct option *o, const char *dashes, char *value)
{
    optind++;
    next = NULL;
    if (value != NULL && o->has_arg == no_argument) {
        if (!s->quiet)
            fprintf(stderr, "%s: option '%s%s' doesn't allow an argument\n", s->arg[0], dashes,
                    o->name);
        optopt = o->val;
        return '?';
    }
    optarg = value;
    if (value == NULL && o->has_arg == required_argument) {
        if (optind >= s->count) {
            if (!s->quiet)
                fprintf(stderr, "%s: option '%s%s' requires an argument\n", s->arg[0], dashes,
                        o->name);
            optopt = o->val;
            return s->missing;
        }
        optarg = s->arg[optind++];
    }
    if (s->index != NULL)
        *s->index = (int)(o - s->words);
    if (o->flag == NULL)
        return o->val;
    *o->flag = o->val;
    return 0;
}

/* -1: letters. */
static int word(const struct set *s, const char *dashes)
{
    const size_t length = strcspn(next, "=");
    bool several = false;
    const struct option *const o = find(s, next, length, &several);

    if (o != NULL)
        return of_word(s, o, dashes, next[length] == '=' ? next + length + 1 : NULL);
    if (!several && dashes[1] == '\0' && strchr(s->letters, *next) != NULL)
        return -1;
    if (several)
        tell_several(s, dashes, length);
    else if (!s->quiet)
        fprintf(stderr, "%s: unrecognized option '%s%s'\n", s->arg[0], dashes, next);
    next = NULL;
    optind++;
    optopt = 0;
    return '?';
}

static int letter(const struct set *s)
{
    const char c = *next++;
    const char *const known = c == ':' || c == ';' ? NULL : strchr(s->letters, c);

    if (*next == '\0')
        optind++;
    if (known == NULL) {
        if (!s->quiet)
            fprintf(stderr, "%s: invalid option -- '%c'\n", s->arg[0], c);
        optopt = c;
        return '?';
    }
    if (known[1] != ':')
        return c;
    if (*next != '\0') {
        optarg = next;
        optind++;
    } else if (known[2] != ':') {
        if (optind >= s->count) {
            if (!s->quiet)
                fprintf(stderr, "%s: option requires an argument -- '%c'\n", s->arg[0], c);
            optopt = c;
            next = NULL;
            return s->missing;
        }
        optarg = s->arg[optind++];
    }
    next = NULL;
    return c;
}

/* On to the next argument with options. False: *result. */
static bool advance(const struct set *s, int *result)
{
    options = options > optind ? optind : options;
    passed = passed > optind ? optind : passed;
    if (order == LAST) {
        if (passed != options && options != optind)
            exchange(s->arg);
        else if (options != optind)
            passed = optind;
        while (optind < s->count && !is_option(s->arg[optind]))
            optind++;
        options = optind;
    }
    if (optind < s->count && strcmp(s->arg[optind], "--") == 0) {
        optind++;
        if (passed != options && options != optind)
            exchange(s->arg);
        else if (passed == options)
            passed = optind;
        options = optind = s->count;
    }
    *result = -1;
    if (optind >= s->count) {
        if (passed != options)
            optind = passed;
        return false;
    }
    if (is_option(s->arg[optind]))
        return true;
    if (order == EACH) {
        optarg = s->arg[optind++];
        *result = 1;
    }
    return false;
}

static int get(struct set *s)
{
    int result;

    if (s->count < 1)
        return -1;
    begin(s);
    if (next == NULL || *next == '\0') {
        const char *text;

        if (!advance(s, &result))
            return result;
        text = s->arg[optind];
        next = s->arg[optind] + 1;
        if (s->words != NULL && text[1] == '-') {
            next++;
            return word(s, "--");
        }
        if (s->words != NULL && s->one_dash &&
            (text[2] != '\0' || strchr(s->letters, text[1]) == NULL)) {
            result = word(s, "-");
            if (result != -1 || next == NULL)
                return result;
        }
    }
    return letter(s);
}

int getopt(int count, char *const arg[], const char *letters)
{
    return get(&(struct set){.count = count, .arg = (char **)arg, .letters = letters});
}

int getopt_long(int count, char *const arg[], const char *letters, const struct option *words,
                int *index)
{
    return get(&(struct set){count, (char **)arg, letters, words, index, false, false, '?'});
}

int getopt_long_only(int count, char *const arg[], const char *letters, const struct option *words,
                     int *index)
{
    return get(&(struct set){count, (char **)arg, letters, words, index, true, false, '?'});
}
