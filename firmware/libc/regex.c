/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <regex.h> over regex_int.h. */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "regex_int.h"

#define MAGIC 0x7265U

static const struct {
    int number;
    const char *text;
} errors[] = {
    [RE_OK] = {0, "Success"},
    [RE_NO_MATCH] = {REG_NOMATCH, "No match"},
    [RE_BAD_CLASS] = {REG_ECTYPE, "Invalid character class name"},
    [RE_BAD_SYMBOL] = {REG_ECOLLATE, "Invalid collation character"},
    [RE_BAD_ESCAPE] = {REG_EESCAPE, "Trailing backslash"},
    [RE_BAD_GROUP] = {REG_ESUBREG, "Invalid back reference"},
    [RE_BAD_BRACKET] = {REG_EBRACK, "Unmatched [, [^, [:, [., or [="},
    [RE_BAD_PAREN] = {REG_EPAREN, "Unmatched ( or \\("},
    [RE_BAD_BRACE] = {REG_EBRACE, "Unmatched \\{"},
    [RE_BAD_COUNT] = {REG_BADBR, "Invalid content of \\{\\}"},
    [RE_BAD_RANGE] = {REG_ERANGE, "Invalid range end"},
    [RE_BAD_REPEAT] = {REG_BADRPT, "Invalid preceding regular expression"},
    [RE_NO_MEMORY] = {REG_ESPACE, "Memory exhausted"},
};

/* The C library's own name for what a program may not look at. */
struct __mpj_regex {
    struct re re;
    bool no_parts;
};

int regcomp(regex_t *restrict preg, const char *restrict pattern, int flags)
{
    const size_t n = strlen(pattern);
    const struct re_options options = {.extended = (flags & REG_EXTENDED) != 0,
                                       .any_case = (flags & REG_ICASE) != 0,
                                       .lines = (flags & REG_NEWLINE) != 0};
    struct __mpj_regex *const guts = malloc(sizeof(*guts));
    enum re_error error;

    preg->__magic = 0;
    preg->__guts = NULL;
    if (guts == NULL)
        return REG_ESPACE;
    error = mpj_re_parse(&guts->re, pattern, n, options);
    if (error != RE_OK) {
        free(guts);
        return errors[error].number;
    }
    guts->no_parts = (flags & REG_NOSUB) != 0;
    preg->__magic = MAGIC;
    preg->re_nsub = guts->re.groups;
    preg->__guts = guts;
    return 0;
}

int regexec(const regex_t *restrict preg, const char *restrict string, size_t nmatch,
            regmatch_t match[restrict], int flags)
{
    const bool within = (flags & REG_STARTEND) != 0;
    const size_t first = within ? (size_t)match[0].rm_so : 0;
    const struct re_text text = {.at = (const unsigned char *)string + first,
                                 .n = within ? (size_t)match[0].rm_eo - first : strlen(string),
                                 .not_begin = (flags & REG_NOTBOL) != 0,
                                 .not_end = (flags & REG_NOTEOL) != 0};
    struct re_part *parts;
    enum re_error error;

    if (preg->__magic != MAGIC)
        return REG_BADPAT;
    if (preg->__guts->no_parts)
        nmatch = 0;
    parts = malloc((nmatch + 1) * sizeof(*parts));
    if (parts == NULL)
        return REG_ESPACE;
    error = mpj_re_match(&preg->__guts->re, &text, parts, nmatch);
    for (size_t i = 0; i < nmatch && error == RE_OK; i++) {
        const bool took = parts[i].from != RE_NONE;

        match[i].rm_so = took ? (regoff_t)(parts[i].from + first) : -1;
        match[i].rm_eo = took ? (regoff_t)(parts[i].end + first) : -1;
    }
    free(parts);
    return errors[error].number;
}

size_t regerror(int number, const regex_t *restrict preg, char *restrict text, size_t size)
{
    const char *words = "Unknown regular expression error";
    size_t n;

    (void)preg;
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        if (errors[i].number == number)
            words = errors[i].text;
    }
    n = strlen(words) + 1;
    if (size > 0) {
        const size_t most = n < size ? n : size;

        memcpy(text, words, most - 1);
        text[most - 1] = '\0';
    }
    return n;
}

void regfree(regex_t *preg)
{
    if (preg->__magic == MAGIC) {
        mpj_re_free(&preg->__guts->re);
        free(preg->__guts);
    }
    preg->__magic = 0;
    preg->__guts = NULL;
}
