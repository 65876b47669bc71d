/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Patterns of names, and the files whose names match. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "mpj_io_records.h"

/* ---- one name ----------------------------------------------------------------- */

static int folded(char c, int flags)
{
    return (flags & FNM_CASEFOLD) != 0 ? tolower((unsigned char)c) : (unsigned char)c;
}

static bool of_class(const char *name, size_t len, int c)
{
    static const struct {
        const char *name;
        int (*is)(int);
    } known[] = {{"alpha", isalpha}, {"digit", isdigit}, {"alnum", isalnum}, {"upper", isupper},
                 {"lower", islower}, {"space", isspace}, {"blank", isblank}, {"punct", ispunct},
                 {"print", isprint}, {"graph", isgraph}, {"cntrl", iscntrl}, {"xdigit", isxdigit}};

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strlen(known[i].name) == len && memcmp(known[i].name, name, len) == 0)
            return known[i].is(c) != 0;
    }
    return false;
}

/* The set behind `[` at p: its end, or NULL where it has none; *in: c belongs to it. */
static const char *in_set(const char *p, char c, int flags, bool *in)
{
    const bool negated = *p == '!' || *p == '^';
    const int wanted = folded(c, flags);
    bool first = true;

    *in = false;
    p += negated;
    for (; first || *p != ']'; first = false) {
        const char *const end = p[0] == '[' && p[1] == ':' ? strstr(p + 2, ":]") : NULL;
        int low, high;

        if (*p == '\0')
            return NULL;
        if (end != NULL) {
            *in |= of_class(p + 2, (size_t)(end - p - 2), (unsigned char)c);
            p = end + 2;
            continue;
        }
        if (*p == '\\' && (flags & FNM_NOESCAPE) == 0 && p[1] != '\0')
            p++;
        low = folded(*p++, flags);
        if (p[0] == '-' && p[1] != ']' && p[1] != '\0') {
            p++;
            if (*p == '\\' && (flags & FNM_NOESCAPE) == 0 && p[1] != '\0')
                p++;
            high = folded(*p++, flags);
            *in |= low <= wanted && wanted <= high;
        } else {
            *in |= low == wanted;
        }
    }
    *in ^= negated;
    return p + 1;
}

/* A period that only a period of the pattern matches. */
static bool hidden(const char *whole, const char *s, int flags)
{
    return *s == '.' && (flags & FNM_PERIOD) != 0 &&
           (s == whole || ((flags & FNM_PATHNAME) != 0 && s[-1] == '/'));
}

static bool matches(const char *p, const char *s, const char *whole, int flags)
{
    const bool path = (flags & FNM_PATHNAME) != 0;

    for (; *p != '\0'; s++) {
        const char *end;
        bool in = false;

        if (*p == '*') {
            while (*p == '*')
                p++;
            if (hidden(whole, s, flags))
                return false;
            for (;; s++) {
                if (matches(p, s, whole, flags))
                    return true;
                if (*s == '\0' || (path && *s == '/'))
                    return false;
            }
        }
        if (*s == '\0')
            return false;
        end = *p == '[' ? in_set(p + 1, *s, flags, &in) : NULL;
        if (*p == '?' || end != NULL) {
            if ((path && *s == '/') || hidden(whole, s, flags) || (end != NULL && !in))
                return false;
            p = end != NULL ? end : p + 1;
            continue;
        }
        if (*p == '\\' && (flags & FNM_NOESCAPE) == 0 && p[1] != '\0')
            p++;
        if (folded(*p++, flags) != folded(*s, flags))
            return false;
    }
    return *s == '\0' || ((flags & FNM_LEADING_DIR) != 0 && *s == '/');
}

int fnmatch(const char *pattern, const char *s, int flags)
{
    return matches(pattern, s, s, flags) ? 0 : FNM_NOMATCH;
}

/* ---- files ------------------------------------------------------------------------ */

static bool special(const char *p, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (strchr("*?[\\", p[i]) != NULL)
            return true;
    }
    return false;
}

static int add(glob_t *g, const char *path, bool mark)
{
    const size_t n = g->gl_offs + g->gl_pathc;
    const size_t len = strlen(path);
    char **const more = realloc(g->gl_pathv, (n + 2U) * sizeof(*more));

    if (more == NULL)
        return GLOB_NOSPACE;
    g->gl_pathv = more;
    more[n] = malloc(len + 2U);
    if (more[n] == NULL)
        return GLOB_NOSPACE;
    memcpy(more[n], path, len + 1U);
    if (mark && (len == 0 || path[len - 1U] != '/'))
        memcpy(more[n] + len, "/", 2);
    more[n + 1U] = NULL;
    g->gl_pathc++;
    return 0;
}

struct search {
    glob_t *g;
    int flags;
    int (*failed)(const char *path, int error);
    char path[MPJ_IO_PATH_MAX + 1];
};

static int expand(struct search *q, size_t at, const char *pattern);

/* One part of the path is done, and stands in q->path up to `at`. */
static int go_on(struct search *q, size_t at, const char *rest)
{
    struct stat st;

    if (*rest != '\0') {
        while (*rest == '/' && at < MPJ_IO_PATH_MAX)
            q->path[at++] = *rest++;
        return expand(q, at, rest);
    }
    q->path[at] = '\0';
    if (stat(q->path, &st) != 0)
        return 0;
    return add(q->g, q->path, (q->flags & GLOB_MARK) != 0 && S_ISDIR(st.st_mode));
}

static int expand(struct search *q, size_t at, const char *pattern)
{
    const size_t len = strcspn(pattern, "/");
    const char *const rest = pattern + len;
    char part[MPJ_IO_PATH_MAX + 1];
    const int how = ((q->flags & GLOB_PERIOD) != 0 ? 0 : FNM_PERIOD) |
                    ((q->flags & GLOB_NOESCAPE) != 0 ? FNM_NOESCAPE : 0);
    const struct dirent *d;
    DIR *dir;
    int r = 0;

    if (at + len > MPJ_IO_PATH_MAX)
        return 0;
    if (!special(pattern, len)) {
        memcpy(q->path + at, pattern, len);
        return go_on(q, at + len, rest);
    }
    memcpy(part, pattern, len);
    part[len] = '\0';
    q->path[at] = '\0';
    dir = opendir(at != 0 ? q->path : ".");
    if (dir == NULL) {
        const bool stop = q->failed != NULL && q->failed(q->path, errno) != 0;

        return stop || (q->flags & GLOB_ERR) != 0 ? GLOB_ABEND : 0;
    }
    while (r == 0 && (d = readdir(dir)) != NULL) {
        const size_t n = strlen(d->d_name);

        if (at + n > MPJ_IO_PATH_MAX || fnmatch(part, d->d_name, how) != 0)
            continue;
        if (*rest == '/' && d->d_type == DT_REG)
            continue;
        memcpy(q->path + at, d->d_name, n);
        r = go_on(q, at + n, rest);
    }
    (void)closedir(dir);
    return r;
}

static int in_order(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The paths of one pattern, sorted behind those of others. */
static int one_pattern(struct search *q, const char *pattern)
{
    glob_t *const g = q->g;
    const size_t before = g->gl_pathc;
    const int r = pattern[0] == '/' ? go_on(q, 0, pattern) : expand(q, 0, pattern);

    if (r == 0 && (q->flags & GLOB_NOSORT) == 0)
        qsort(g->gl_pathv + g->gl_offs + before, g->gl_pathc - before, sizeof(*g->gl_pathv),
              in_order);
    return r;
}

/* The comma or brace that ends what begins at p, inside braces. NULL: none does. */
static const char *part_end(const char *p)
{
    unsigned depth = 0;

    for (; *p != '\0'; p++) {
        if (*p == '\\' && p[1] != '\0')
            p++;
        else if (*p == '{')
            depth++;
        else if (*p == '}' && depth-- == 0)
            return p;
        else if (*p == ',' && depth == 0)
            return p;
    }
    return NULL;
}

/* {a,b}: a pattern each, in this order. */
static int braces(struct search *q, const char *pattern)
{
    const char *const first = strchr(pattern, '{');
    const size_t before = first != NULL ? (size_t)(first - pattern) : 0;
    const char *close = first != NULL && first[1] != '}' ? part_end(first + 1) : NULL;
    const char *end = first;
    char *one;
    int r = 0;

    while (close != NULL && *close == ',')
        close = part_end(close + 1);
    if (close == NULL)
        return one_pattern(q, pattern);
    one = malloc(strlen(pattern));
    if (one == NULL)
        return GLOB_NOSPACE;
    memcpy(one, pattern, before);
    while (r == 0 && end != close) {
        const char *const part = end + 1;

        end = part_end(part);
        memcpy(one + before, part, (size_t)(end - part));
        strcpy(one + before + (end - part), close + 1);
        r = braces(q, one);
    }
    free(one);
    return r;
}

int glob(const char *restrict pattern, int flags, int (*failed)(const char *path, int error),
         glob_t *restrict g)
{
    struct search q = {.g = g, .flags = flags, .failed = failed};
    size_t before;
    int r;

    if ((flags & GLOB_APPEND) == 0) {
        const size_t offs = (flags & GLOB_DOOFFS) != 0 ? g->gl_offs : 0;

        *g = (glob_t){.gl_offs = offs, .gl_flags = flags};
        g->gl_pathv = calloc(offs + 1U, sizeof(*g->gl_pathv));
        if (g->gl_pathv == NULL)
            return GLOB_NOSPACE;
    }
    before = g->gl_pathc;
    r = (flags & GLOB_BRACE) != 0 ? braces(&q, pattern) : one_pattern(&q, pattern);
    if (r != 0)
        return r;
    if (g->gl_pathc == before)
        return (flags & GLOB_NOCHECK) != 0 ? add(g, pattern, false) : GLOB_NOMATCH;
    return 0;
}

void globfree(glob_t *g)
{
    for (size_t i = 0; i < g->gl_pathc; i++)
        free(g->gl_pathv[g->gl_offs + i]);
    free(g->gl_pathv);
    *g = (glob_t){0};
}
