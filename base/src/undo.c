/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A signal handler may wait for the lock: the thread that holds it takes none of these signals, so
 * it is another one, which continues.
 */
#include "base/undo.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mpj_undo {
    struct mpj_undo *next;
    int folder;
    char path[];
};

static atomic_flag held = ATOMIC_FLAG_INIT;
static struct mpj_undo *all;
static volatile pid_t owner; /* the process that has added them */

void mpj_undo_signals(sigset_t *set)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGXCPU};

    sigemptyset(set);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        sigaddset(set, signals[i]);
}

static void take(void)
{
    while (atomic_flag_test_and_set(&held))
        (void)poll(NULL, 0, 1);
}

void mpj_undo_lock(sigset_t *before)
{
    sigset_t blocked;

    mpj_undo_signals(&blocked);
    pthread_sigmask(SIG_BLOCK, &blocked, before);
    take();
}

void mpj_undo_unlock(const sigset_t *before)
{
    atomic_flag_clear(&held);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

struct mpj_undo *mpj_undo_add(const char *path, int folder)
{
    const size_t size = strlen(path) + 1;
    struct mpj_undo *const u = malloc(sizeof(*u) + size);

    if (u == NULL)
        return NULL;
    if (owner != getpid())
        all = NULL; /* of the parent process */
    owner = getpid();
    memcpy(u->path, path, size);
    u->folder = folder;
    u->next = all;
    all = u;
    return u;
}

void mpj_undo_drop(struct mpj_undo *u)
{
    struct mpj_undo **at = &all;

    while (*at != NULL && *at != u)
        at = &(*at)->next;
    if (*at != NULL)
        *at = u->next;
    free(u);
}

void mpj_undo_empty(int fd)
{
    char entries[4096] __attribute__((aligned(__alignof__(struct dirent64))));
    const int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ssize_t n;

    while (again >= 0 && (n = getdents64(again, entries, sizeof(entries))) > 0) {
        for (ssize_t at = 0; at < n;) {
            const struct dirent64 *const e = (const struct dirent64 *)(entries + at);
            if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
                unlinkat(fd, e->d_name, 0);
            at += e->d_reclen;
        }
    }
    if (again >= 0)
        close(again);
}

void mpj_undo_all(void)
{
    if (owner != getpid())
        return;
    take();
    for (const struct mpj_undo *u = all; u != NULL; u = u->next) {
        if (u->folder >= 0)
            mpj_undo_empty(u->folder);
        if (unlink(u->path) != 0)
            (void)rmdir(u->path);
    }
}
