/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "turn.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define TICKET    ".turn." /* between the lock's name, and the time and the process */
#define FILE_MODE 0644     /* others only read and lock */

void turn_draw(struct turn *t, const char *lock, uint64_t time)
{
    char *draft = NULL;

    t->fd = -1;
    if (asprintf(&t->path, "%s" TICKET "%020" PRIu64 ".%ld", lock, time, (long)getpid()) < 0) {
        t->path = NULL;
        return;
    }
    if (asprintf(&draft, "%s.draft.%020" PRIu64 ".%ld", lock, time, (long)getpid()) < 0) {
        turn_drop(t);
        return;
    }
    t->fd = open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
    /* it gets its name when it is locked: it is not taken for a dead process's */
    if (t->fd < 0 || fchmod(t->fd, FILE_MODE) != 0 || flock(t->fd, LOCK_EX | LOCK_NB) != 0 ||
        rename(draft, t->path) != 0) {
        if (t->fd >= 0)
            (void)unlink(draft);
        turn_drop(t);
    }
    free(draft);
}

void turn_drop(struct turn *t)
{
    if (t->path != NULL)
        (void)unlink(t->path);
    if (t->fd >= 0)
        close(t->fd);
    free(t->path);
    *t = (struct turn){NULL, -1};
}

/* True if the ticket's process lives. One that has died leaves it unlocked: it is removed. */
static bool lives(int folder, const char *name)
{
    const int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool dead;

    if (fd < 0)
        return false;
    dead = flock(fd, LOCK_SH | LOCK_NB) == 0;
    if (dead)
        (void)unlinkat(folder, name, 0);
    close(fd);
    return !dead;
}

bool turn_has_come(const struct turn *t, const char *lock)
{
    const char *const name = strrchr(lock, '/') + 1;
    const char *const mine = t != NULL && t->path != NULL ? strrchr(t->path, '/') + 1 : NULL;
    const size_t n = strlen(name);
    char *const folder = strndup(lock, (size_t)(name - lock));
    DIR *const d = folder != NULL ? opendir(folder) : NULL;
    const struct dirent *e;
    bool come = true;

    while (d != NULL && come && (e = readdir(d)) != NULL) {
        if (strncmp(e->d_name, name, n) != 0 || strncmp(e->d_name + n, TICKET, strlen(TICKET)) != 0)
            continue;
        come = (mine != NULL && strcmp(e->d_name, mine) >= 0) || !lives(dirfd(d), e->d_name);
    }
    if (d != NULL)
        closedir(d);
    free(folder);
    return come;
}
