/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "folder_out.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/undo.h"

/* Names in a folder. */
struct names {
    char **name;
    size_t count, room;
};

static void names_free(struct names *n)
{
    while (n->count > 0)
        free(n->name[--n->count]);
    free(n->name);
}

static bool names_add(struct names *n, const char *name)
{
    if (n->count == n->room) {
        const size_t room = n->room > 0 ? 2 * n->room : 64;
        char **const more = realloc(n->name, room * sizeof(*more));
        if (more == NULL)
            return false;
        n->name = more;
        n->room = room;
    }
    n->name[n->count] = strdup(name);
    return n->name[n->count] != NULL && ++n->count > 0;
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static bool is_new(const struct folder_out *f, const char *name)
{
    return faccessat(f->temp.lock, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* True if a file is to be removed once the others are in place. */
static bool goes(const struct folder_out *f, const char *name, folder_older *older)
{
    char *path = NULL;
    bool is;

    if (is_dots(name) || is_new(f, name) || asprintf(&path, "%s/%s", f->path, name) < 0)
        return false;
    is = older(path, name);
    free(path);
    return is;
}

/* Lists the new files (older NULL), or the older ones. */
static int list(const struct folder_out *f, folder_older *older, struct names *out,
                struct mpj_err *err)
{
    DIR *const d = opendir(older != NULL ? f->path : f->temp.path);
    const struct dirent *e;
    bool ok = true;

    if (d == NULL)
        return mpj_err_errno(err, "cannot read %s", f->path);
    while (ok && (e = readdir(d)) != NULL) {
        if (older != NULL ? goes(f, e->d_name, older) : !is_dots(e->d_name))
            ok = names_add(out, e->d_name);
    }
    closedir(d);
    return ok ? MPJ_E_OK : mpj_err_nomem(err);
}

int folder_begin(struct folder_out *f, const char *path, struct mpj_err *err)
{
    struct stat st;
    sigset_t mask;

    *f = (struct folder_out){.path = path};
    mpj_undo_lock(&mask);
    f->made = mkdir(path, 0777) == 0;
    f->undo = f->made ? mpj_undo_add(path, -1) : NULL;
    mpj_undo_unlock(&mask);
    if (!f->made && errno != EEXIST)
        return mpj_err_errno(err, "cannot create the folder %s", path);
    if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
        return mpj_err_set(err, MPJ_E_IO, "cannot create the folder %s: it is a file", path);
    if (mpj_tempdir_make_in(&f->temp, path, err) == MPJ_E_OK)
        return MPJ_E_OK;
    return folder_end(f, err->code, NULL, err);
}

int folder_put(struct folder_out *f, const char *name, const void *data, size_t len,
               struct mpj_err *err)
{
    char *path = NULL;
    char *temp = NULL;
    FILE *out = NULL;
    struct stat st;
    int result;

    if (asprintf(&path, "%s/%s", f->path, name) < 0)
        path = NULL;
    if (asprintf(&temp, "%s/%s", f->temp.path, name) < 0)
        temp = NULL;
    if (path == NULL || temp == NULL) {
        result = mpj_err_nomem(err);
    } else if ((out = fopen(temp, "we")) == NULL) {
        result = mpj_err_errno(err, "cannot create %s", path);
    } else {
        if (stat(path, &st) == 0)
            (void)fchmod(fileno(out), st.st_mode & 07777U); /* its permissions are kept */
        result = fwrite(data, 1, len, out) == len ? MPJ_E_OK
                                                  : mpj_err_errno(err, "cannot write %s", path);
        if (fclose(out) != 0 && result == MPJ_E_OK)
            result = mpj_err_errno(err, "cannot write %s", path);
    }
    free(path);
    free(temp);
    return result;
}

/* Moves all of them; returns the first error. from NULL: they are removed. */
static int move(const struct folder_out *f, const struct names *n, const char *from,
                struct mpj_err *err)
{
    for (size_t i = 0; i < n->count; i++) {
        char *to = NULL;
        char *at = NULL;
        bool ok;

        if (asprintf(&to, "%s/%s", f->path, n->name[i]) < 0)
            return mpj_err_nomem(err);
        if (from != NULL && asprintf(&at, "%s/%s", from, n->name[i]) < 0) {
            free(to);
            return mpj_err_nomem(err);
        }
        ok = from != NULL ? rename(at, to) == 0 : unlink(to) == 0;
        if (!ok)
            mpj_err_errno(err, from != NULL ? "cannot replace %s" : "cannot remove the older %s",
                          to);
        free(at);
        free(to);
        if (!ok)
            return err->code;
    }
    return MPJ_E_OK;
}

/* Checks, before anything is moved, that nothing is in the way. */
static int check_places(const struct folder_out *f, const struct names *n, struct mpj_err *err)
{
    int result = MPJ_E_OK;

    for (size_t i = 0; i < n->count && result == MPJ_E_OK; i++) {
        char *to = NULL;
        struct stat st;

        if (asprintf(&to, "%s/%s", f->path, n->name[i]) < 0)
            return mpj_err_nomem(err);
        if (lstat(to, &st) == 0 && S_ISDIR(st.st_mode))
            result = mpj_err_set(err, MPJ_E_IO, "cannot replace %s: it is a folder", to);
        free(to);
    }
    return result;
}

static int take_places(const struct folder_out *f, folder_older *older, struct mpj_err *err)
{
    struct names come = {.name = NULL};
    struct names go = {.name = NULL};
    sigset_t mask;
    int result = list(f, NULL, &come, err);

    if (result == MPJ_E_OK)
        result = list(f, older, &go, err);
    if (result == MPJ_E_OK)
        result = check_places(f, &come, err);
    mpj_undo_lock(&mask); /* no signal leaves two reports mixed */
    if (result == MPJ_E_OK)
        result = move(f, &come, f->temp.path, err);
    if (result == MPJ_E_OK)
        result = move(f, &go, NULL, err);
    mpj_undo_unlock(&mask);
    names_free(&come);
    names_free(&go);
    return result;
}

int folder_end(struct folder_out *f, int result, folder_older *older, struct mpj_err *err)
{
    sigset_t mask;

    if (result == MPJ_E_OK)
        result = take_places(f, older, err);
    mpj_tempdir_remove(&f->temp);
    mpj_undo_lock(&mask);
    if (result != MPJ_E_OK && f->made)
        (void)rmdir(f->path);
    mpj_undo_drop(f->undo);
    mpj_undo_unlock(&mask);
    return result;
}
