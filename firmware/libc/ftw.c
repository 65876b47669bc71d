/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks through folders, in alphabetical order of names. */
#include <ftw.h>

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct walk {
    int (*old)(const char *path, const struct stat *st, int kind); /* of ftw() */
    int (*fn)(const char *path, const struct stat *st, int kind, struct FTW *where);
    bool after; /* report a folder after its contents */
    int level;
    char path[PATH_MAX];
};

static int tell(struct walk *w, const struct stat *st, int kind)
{
    const char *const slash = strrchr(w->path, '/');
    struct FTW where = {.base = slash != NULL ? (int)(slash + 1 - w->path) : 0, .level = w->level};

    return w->old != NULL ? w->old(w->path, st, kind) : w->fn(w->path, st, kind, &where);
}

static int visit(struct walk *w);

/* Visits the entries one after the other, without an open descriptor in between: folders may be
 * nested deeply. */
static int visit_all(struct walk *w)
{
    const size_t n = strlen(w->path);
    struct dirent **list;
    const int count = scandir(w->path, &list, NULL, alphasort);
    int r = 0;

    if (count < 0)
        return -1;
    w->level++;
    for (int i = 0; i < count; i++) {
        const char *const name = list[i]->d_name;

        if (r == 0 && strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            if (n + 2U + strlen(name) > sizeof(w->path)) {
                errno = ENAMETOOLONG;
                r = -1;
            } else {
                strcpy(w->path + n, n > 0 && w->path[n - 1U] == '/' ? "" : "/");
                strcat(w->path, name);
                r = visit(w);
                w->path[n] = '\0';
            }
        }
        free(list[i]);
    }
    free(list);
    w->level--;
    return r;
}

static int visit(struct walk *w)
{
    struct stat st;
    int r = 0;

    if (stat(w->path, &st) != 0)
        return w->level == 0 ? -1 : tell(w, &st, FTW_NS);
    if (!S_ISDIR(st.st_mode))
        return tell(w, &st, FTW_F);
    if (!w->after)
        r = tell(w, &st, FTW_D);
    if (r == 0)
        r = visit_all(w);
    return r == 0 && w->after ? tell(w, &st, FTW_DP) : r;
}

static int begin(struct walk *w, const char *path)
{
    if (strlen(path) >= sizeof(w->path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(w->path, path);
    return visit(w);
}

int ftw(const char *path, int (*fn)(const char *path, const struct stat *st, int kind), int folders)
{
    struct walk w = {.old = fn};

    (void)folders;
    return begin(&w, path);
}

int nftw(const char *path,
         int (*fn)(const char *path, const struct stat *st, int kind, struct FTW *where),
         int folders, int flags)
{
    struct walk w = {.fn = fn, .after = (flags & FTW_DEPTH) != 0};

    (void)folders;
    if ((flags & FTW_CHDIR) == 0)
        return begin(&w, path);
    errno = EINVAL;
    return -1;
}
