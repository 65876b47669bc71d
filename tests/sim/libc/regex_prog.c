/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <regex.h> as programs use it; the same on Linux and on the target. */
#define _GNU_SOURCE
#include <regex.h>
#include <stdio.h>
#include <string.h>

static void try(const char *pattern, int flags, const char *text, int how)
{
    char words[64];
    regmatch_t part[4];
    regex_t re;
    int error = regcomp(&re, pattern, flags);

    printf("'%s'", pattern);
    if (error != 0) {
        const size_t n = regerror(error, &re, words, sizeof(words));

        printf(": %s (%zu)\n", words, n);
        return;
    }
    part[0].rm_so = 1;
    part[0].rm_eo = 6;
    error = regexec(&re, text, 4, part, how);
    regerror(error, &re, words, 9); /* cut */
    printf(" in '%s': %s, %zu groups", text, words, re.re_nsub);
    for (unsigned i = 0; i < 4 && error == 0 && (flags & REG_NOSUB) == 0; i++)
        printf(" %d-%d", (int)part[i].rm_so, (int)part[i].rm_eo);
    printf("\n");
    regfree(&re);
}

/* All words of a line, as a program finds them. */
static void each_word(const char *line)
{
    regmatch_t part;
    regex_t re;

    if (regcomp(&re, "[[:alpha:]]+", REG_EXTENDED) != 0)
        return;
    for (int how = 0; regexec(&re, line, 1, &part, how) == 0; how = REG_NOTBOL) {
        printf("[%.*s]", (int)(part.rm_eo - part.rm_so), line + part.rm_so);
        line += part.rm_eo;
    }
    printf("\n");
    regfree(&re);
}

/* The functions beneath, which only the GNU C library declares. */
static void search(void)
{
    static const char text[] = "one 22 three 4444";
    struct re_pattern_buffer re = {0};
    struct re_registers parts = {0};

    re_set_syntax(RE_SYNTAX_POSIX_EXTENDED);
    printf("'%s'", re_compile_pattern("(", 1, &re));
    printf(" %d", re_compile_pattern("([0-9])[0-9]+", 13, &re) == NULL);
    printf(" %d", re_search(&re, text, sizeof(text) - 1, 0, sizeof(text) - 1, &parts));
    printf(" %d-%d", parts.start[1], parts.end[1]);
    printf(" %d", re_search(&re, text, sizeof(text) - 1, sizeof(text) - 1, -(int)sizeof(text) + 1,
                            &parts));
    printf(" %d\n", re_match(&re, text, sizeof(text) - 1, 4, NULL));
    regfree(&re);
}

int main(void)
{
    try("^([a-z_]+)[[:space:]]*=[[:space:]]*(.*)$", REG_EXTENDED, "name =  value 1", 0);
    try("\\([0-9]*\\)-\\1", 0, "12-123-23", 0);
    try("HELLO", REG_ICASE, "say hello", 0);
    try("hello|world", REG_EXTENDED | REG_NOSUB, "the world", 0);
    try("^b.*$", REG_NEWLINE, "a\nbcd\ne", 0);
    try("^b", 0, "bb", REG_NOTBOL);
    try("b$", 0, "abb", REG_NOTEOL);
    try("[^,]*", 0, "ab,cd,ef", REG_STARTEND);
    try("x*", 0, "", 0);
    try("\\<\\w\\+\\>", 0, "  two words", 0);
    try("a[b", REG_EXTENDED, "", 0);
    try("a\\", REG_EXTENDED, "", 0);
    try("(a", REG_EXTENDED, "", 0);
    try("a{3,2}", REG_EXTENDED, "", 0);
    try("[[:alfa:]]", REG_EXTENDED, "", 0);
    try("+", REG_EXTENDED, "", 0);
    try("[z-a]", 0, "", 0);
    try("\\(a\\)\\2", 0, "", 0);
    try("\\(a*\\)*\\(b*\\)", 0, "aabb", 0);
    try("(^|x)*$|y", REG_EXTENDED, "xxay", 0);
    try("(a|ab)(c|bcd)(d*)", REG_EXTENDED, "abcd", 0);
    try("\\`a\\n\\|b\\'", REG_NEWLINE, "an", 0);
    try("(a?){3}a{3}", REG_EXTENDED, "aaa", 0);
    search();
    each_word("Many, many words: 3 of them.");
    return 0;
}
