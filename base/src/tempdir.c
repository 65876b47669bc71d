/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's lock on the folder itself shows that its owner lives: it is released with the
 * process, however that ends.
 */
#include "base/tempdir.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/undo.h"

#define PREFIX   "mpjoule."
#define NAME_LEN (sizeof(PREFIX) - 1 + 6)
#define BASE_MAX 70U /* of the 107 bytes of a socket's name */
#define TRIES    10U

static const char *base_folder(void)
{
    const char *const base = getenv("TMPDIR");

    return base != NULL && base[0] == '/' && strlen(base) <= BASE_MAX ? base : "/tmp";
}

/* Removes a folder that is ours and whose owner is dead. */
static void sweep_one(int base, const char *name)
{
    const int fd = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;

    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 0777) == 0700 &&
        flock(fd, LOCK_EX | LOCK_NB) == 0) {
        mpj_undo_empty(fd);
        unlinkat(base, name, AT_REMOVEDIR);
    }
    close(fd);
}

static void sweep(const char *folder)
{
    DIR *const d = opendir(folder);
    const struct dirent *e;

    if (d == NULL)
        return;
    while ((e = readdir(d)) != NULL) {
        if (strncmp(e->d_name, PREFIX, sizeof(PREFIX) - 1) == 0 && strlen(e->d_name) == NAME_LEN)
            sweep_one(dirfd(d), e->d_name);
    }
    closedir(d);
}

/* Locks the new folder; false if another process has removed it before that. */
static bool lock(struct mpj_tempdir *t)
{
    struct stat st;

    t->lock = open(t->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (t->lock >= 0 && flock(t->lock, LOCK_EX) == 0 && fstat(t->lock, &st) == 0 &&
        st.st_nlink > 0 && access(t->path, W_OK) == 0)
        return true;
    if (t->lock >= 0)
        close(t->lock);
    return false;
}

static void note(struct mpj_tempdir *t, int folder)
{
    sigset_t mask;

    mpj_undo_lock(&mask);
    mpj_undo_drop(t->undo);
    t->undo = folder >= 0 ? mpj_undo_add(t->path, folder) : NULL;
    mpj_undo_unlock(&mask);
}

/* Creates a new folder, not locked yet. */
static bool make(struct mpj_tempdir *t)
{
    sigset_t mask;
    bool ok;

    mpj_undo_lock(&mask);
    ok = mkdtemp(t->path) != NULL;
    t->undo = ok ? mpj_undo_add(t->path, -1) : NULL;
    mpj_undo_unlock(&mask);
    return ok;
}

int mpj_tempdir_make_in(struct mpj_tempdir *t, const char *folder, struct mpj_err *err)
{
    t->path = NULL;
    sweep(folder);
    for (unsigned tries = 0; tries < TRIES; tries++) {
        free(t->path);
        if (asprintf(&t->path, "%s/" PREFIX "XXXXXX", folder) < 0) {
            t->path = NULL;
            return mpj_err_nomem(err);
        }
        if (!make(t))
            break;
        if (lock(t)) {
            note(t, t->lock);
            return MPJ_E_OK;
        }
        note(t, -1);
    }
    mpj_err_errno(err, "cannot create a directory in %s", folder);
    free(t->path);
    t->path = NULL;
    return err->code;
}

int mpj_tempdir_make(struct mpj_tempdir *t, struct mpj_err *err)
{
    return mpj_tempdir_make_in(t, base_folder(), err);
}

void mpj_tempdir_remove(struct mpj_tempdir *t)
{
    sigset_t mask;

    if (t->path == NULL)
        return;
    mpj_undo_empty(t->lock);
    mpj_undo_lock(&mask);
    rmdir(t->path);
    mpj_undo_drop(t->undo);
    close(t->lock);
    mpj_undo_unlock(&mask);
    free(t->path);
    t->path = NULL;
}

void mpj_folder_remove(const char *path)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0)
        return;
    mpj_undo_empty(fd);
    close(fd);
    rmdir(path);
}
