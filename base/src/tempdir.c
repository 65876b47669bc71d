/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's lock on the folder itself says whether its owner lives: it goes with the process,
 * however that ends.
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

#define PREFIX   "mpjoule."
#define NAME_LEN (sizeof(PREFIX) - 1 + 6)
#define BASE_MAX 70U /* of the 107 bytes of a socket's name */
#define TRIES    10U

static const char *base_folder(void)
{
    const char *const base = getenv("TMPDIR");

    return base != NULL && base[0] == '/' && strlen(base) <= BASE_MAX ? base : "/tmp";
}

/* Removes the plain files in the folder fd, which is left open. */
static void empty(int fd)
{
    const int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *const d = again >= 0 ? fdopendir(again) : NULL;
    const struct dirent *e;

    if (d == NULL) {
        if (again >= 0)
            close(again);
        return;
    }
    while ((e = readdir(d)) != NULL) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            unlinkat(fd, e->d_name, 0);
    }
    closedir(d);
}

/* One that is ours and whose owner is dead. */
static void sweep_one(int base, const char *name)
{
    const int fd = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;

    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 0777) == 0700 &&
        flock(fd, LOCK_EX | LOCK_NB) == 0) {
        empty(fd);
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

/* Another process may sweep the new folder before it is locked. */
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

int mpj_tempdir_make(struct mpj_tempdir *t, struct mpj_err *err)
{
    const char *const base = base_folder();

    t->path = NULL;
    sweep(base);
    for (unsigned tries = 0; tries < TRIES; tries++) {
        free(t->path);
        if (asprintf(&t->path, "%s/" PREFIX "XXXXXX", base) < 0) {
            t->path = NULL;
            return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
        }
        if (mkdtemp(t->path) == NULL)
            break;
        if (lock(t))
            return MPJ_E_OK;
    }
    mpj_err_errno(err, "cannot make a directory in %s", base);
    free(t->path);
    t->path = NULL;
    return err->code;
}

void mpj_tempdir_remove(struct mpj_tempdir *t)
{
    if (t->path == NULL)
        return;
    empty(t->lock);
    rmdir(t->path);
    close(t->lock);
    free(t->path);
    t->path = NULL;
}
