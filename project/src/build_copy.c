/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies a project's tree to be built there, when its build system has no other way. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "build_int.h"

#define CHUNK (1024U * 1024U * 1024U)

/* The tree that is copied, and the names of what is in it. */
struct copying {
    const struct build *b;
    struct run_words names;
    struct timespec last; /* when the copy before was complete; 0: never */
};

static bool ends(const char *name, const char *end)
{
    const size_t n = strlen(name);
    const size_t m = strlen(end);

    return n > m && strcmp(name + n - m, end) == 0;
}

/* True for a product of a build for this machine: make would take it for up to date. */
static bool built_here(const char *path, const struct stat *st)
{
    Elf32_Ehdr head = {.e_type = ET_NONE}; /* the first fields are the same with 64 bits */
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, &head, sizeof(head)) : -1;

    if (fd >= 0)
        close(fd);
    if (n >= 8 && memcmp(&head, "!<arch>\n", 8) == 0)
        return ends(path, ".a");
    if (n != (ssize_t)sizeof(head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
        return ends(path, ".lo") || ends(path, ".la");
    return head.e_type == ET_REL ? ends(path, ".o") || ends(path, ".lo")
                                 : (st->st_mode & S_IXUSR) != 0 || ends(path, ".so");
}

/* True for a folder that is not copied: the build, another build of mpjoule, version control. */
static bool left_out(const struct build *b, const FTSENT *e)
{
    char state[4096];

    if (e->fts_level == 0)
        return false;
    if (strcmp(e->fts_name, ".git") == 0 || strcmp(e->fts_name, ".hg") == 0 ||
        strcmp(e->fts_name, ".svn") == 0 || strcmp(e->fts_path, b->out) == 0)
        return true;
    snprintf(state, sizeof(state), "%s/" BUILD_STATE "/system", e->fts_path);
    return access(state, F_OK) == 0;
}

static int copy_bytes(int from, int to, off_t left)
{
    while (left > 0) {
        const ssize_t n = sendfile(to, from, NULL, left < (off_t)CHUNK ? (size_t)left : CHUNK);
        if (n <= 0)
            return n == 0 ? 0 : -1;
        left -= n;
    }
    return 0;
}

/* Copies a file. new: the copy is as new as if it was written now, for make. */
static int copy_file(const char *from, const struct stat *st, const char *to, bool new,
                     struct mpj_err *err)
{
    const struct timespec times[2] = {st->st_atim, st->st_mtim};
    const int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = -1;
    int result = MPJ_E_OK;

    if (in < 0)
        return mpj_err_errno(err, "cannot read %s", from);
    unlink(to);
    out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (st->st_mode & 0777U) | S_IWUSR);
    if (out < 0 || copy_bytes(in, out, st->st_size) != 0 || futimens(out, new ? NULL : times) != 0)
        result = mpj_err_errno(err, "cannot copy %s to %s", from, to);
    if (out >= 0 && close(out) != 0 && result == MPJ_E_OK)
        result = mpj_err_errno(err, "cannot copy %s to %s", from, to);
    close(in);
    return result;
}

static int copy_link(const char *from, const char *to, struct mpj_err *err)
{
    char target[4096];
    char there[4096];
    const ssize_t n = readlink(from, target, sizeof(target) - 1U);
    const ssize_t m = readlink(to, there, sizeof(there));

    if (n < 0)
        return mpj_err_errno(err, "cannot read the link %s", from);
    target[n] = '\0';
    if (m == n && memcmp(target, there, (size_t)n) == 0)
        return MPJ_E_OK;
    unlink(to);
    return symlink(target, to) == 0 ? MPJ_E_OK
                                    : mpj_err_errno(err, "cannot create the link %s", to);
}

static bool later(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* True if an older file was moved to the path of the one that was copied. */
static bool replaced(const struct copying *c, const struct stat *from, const struct stat *copy)
{
    return c->last.tv_sec != 0 && later(&from->st_ctim, &c->last) &&
           later(&copy->st_mtim, &from->st_mtim);
}

static int remove_tree(const char *path, struct mpj_err *err);

/* Removes an entry of the name that is a folder where the project has none, or the reverse. */
static int make_way(const FTSENT *e, const char *to, struct mpj_err *err)
{
    struct stat st;

    if (lstat(to, &st) != 0 || (S_ISDIR(st.st_mode) != 0) == (e->fts_info == FTS_D))
        return MPJ_E_OK;
    return remove_tree(to, err);
}

/* Updates one entry of the tree. A file that the build has written since stays. */
static int copy_entry(const struct copying *c, const FTSENT *e, const char *name,
                      struct mpj_err *err)
{
    const struct stat *const from = e->fts_statp;
    char *to;
    struct stat st;
    int result = MPJ_E_OK;

    if (asprintf(&to, "%s/%s", c->b->out, name) < 0)
        return mpj_err_nomem(err);
    if (make_way(e, to, err) != MPJ_E_OK) {
        result = err->code;
    } else if (e->fts_info == FTS_D) {
        if (mkdir(to, 0777) != 0 && errno != EEXIST)
            result = mpj_err_errno(err, "cannot create the folder %s", to);
    } else if (e->fts_info == FTS_SL || e->fts_info == FTS_SLNONE) {
        result = copy_link(e->fts_path, to, err);
    } else if (lstat(to, &st) != 0 || later(&from->st_mtim, &st.st_mtim)) {
        result = copy_file(e->fts_path, from, to, false, err);
    } else if (replaced(c, from, &st)) {
        result = copy_file(e->fts_path, from, to, true, err);
    }
    free(to);
    return result;
}

static int copy_tree(struct copying *c, FTS *fts, struct mpj_err *err)
{
    const size_t top = strlen(c->b->source);
    FTSENT *e;

    while ((e = fts_read(fts)) != NULL) {
        const char *const name = e->fts_path + top + 1U;
        if (e->fts_info == FTS_D && left_out(c->b, e))
            fts_set(fts, e, FTS_SKIP);
        else if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR || e->fts_info == FTS_NS)
            return mpj_err_set(err, MPJ_E_IO, "cannot read %s: %s", e->fts_path,
                               strerror(e->fts_errno));
        else if (e->fts_level > 0 && e->fts_info != FTS_DP && e->fts_info != FTS_DEFAULT &&
                 !(e->fts_level == 1 && strcmp(name, ".gitignore") == 0) &&
                 !(e->fts_info == FTS_F && built_here(e->fts_path, e->fts_statp))) {
            run_words_add(&c->names, "%s", name);
            if (copy_entry(c, e, name, err) != MPJ_E_OK)
                return err->code;
        }
    }
    return MPJ_E_OK;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int put_names(const void *what, FILE *f, struct mpj_err *err)
{
    const struct run_words *const w = what;

    for (unsigned i = 0; i < w->n; i++) {
        if (fwrite(w->word[i], 1, strlen(w->word[i]) + 1U, f) == 0)
            return mpj_err_errno(err, "cannot write");
    }
    return MPJ_E_OK;
}

/* Removes the files of the last copy that the project no longer has. */
static void remove_gone(const struct copying *c, const char *list)
{
    FILE *const f = fopen(list, "re");
    char *name = NULL;
    char *path;
    size_t size = 0;

    while (f != NULL && getdelim(&name, &size, '\0', f) > 0) {
        if (bsearch(&name, c->names.word, c->names.n, sizeof(name), by_text) != NULL ||
            asprintf(&path, "%s/%s", c->b->out, name) < 0)
            continue;
        unlink(path);
        free(path);
    }
    free(name);
    if (f != NULL)
        fclose(f);
}

int build_copy(const struct build *b, struct mpj_err *err)
{
    char *const roots[] = {b->source, NULL};
    struct copying c = {.b = b};
    FTS *const fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    char *list = NULL;
    struct stat st;
    int result;

    if (fts == NULL || asprintf(&list, "%s/copied", b->state) < 0) {
        list = NULL;
        result = mpj_err_errno(err, "cannot read %s", b->source);
    } else {
        if (stat(list, &st) == 0)
            c.last = st.st_mtim;
        result = copy_tree(&c, fts, err);
    }
    if (result == MPJ_E_OK && c.names.no_memory)
        result = mpj_err_nomem(err);
    if (result == MPJ_E_OK && c.names.n > 0) {
        qsort(c.names.word, c.names.n, sizeof(*c.names.word), by_text);
        remove_gone(&c, list);
        result = mpj_file_replace(list, put_names, &c.names, err);
    }
    if (fts != NULL)
        fts_close(fts);
    run_words_free(&c.names);
    free(list);
    return result;
}

static int remove_tree(const char *path, struct mpj_err *err)
{
    int result = build_clear(path, err);

    if (result == MPJ_E_OK && remove(path) != 0)
        result = mpj_err_errno(err, "cannot remove %s", path);
    return result;
}

int build_clear(const char *folder, struct mpj_err *err)
{
    char *const path = strdup(folder);
    char *const roots[] = {path, NULL};
    FTS *const fts = path != NULL ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
    int result = fts != NULL ? MPJ_E_OK : mpj_err_errno(err, "cannot read %s", folder);
    FTSENT *e;

    while (result == MPJ_E_OK && (e = fts_read(fts)) != NULL) {
        if (e->fts_level == 1 && strcmp(e->fts_name, BUILD_STATE) == 0)
            fts_set(fts, e, FTS_SKIP);
        else if (e->fts_level > 0 && e->fts_info != FTS_D && remove(e->fts_accpath) != 0)
            result = mpj_err_errno(err, "cannot remove %s", e->fts_path);
    }
    if (fts != NULL)
        fts_close(fts);
    free(path);
    return result;
}
