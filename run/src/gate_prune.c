/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a gate keeps of runs, within bounds. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "gate_int.h"
#include "kept.h"

#define SUM_DIGITS 24 /* of the name of a run or program: run_tune_name(), run_tune_build() */
#define DAY_S      86400

/* A file of a kept run, later the run: its files have one stem. */
struct kept {
    char *stem;
    time_t used; /* the newest of its files */
    off_t bytes;
};

struct kepts {
    struct kept *at;
    size_t n;
    int *lock; /* of the programs' folders, until all is done */
    size_t locks;
};

/* Twenty-four digits and an ending are ours; whatever else is in the folder is not touched. */
static bool is_ours(const char *name)
{
    return strspn(name, "0123456789abcdef") == SUM_DIGITS && name[SUM_DIGITS] == '.';
}

static void add_file(struct kepts *k, const char *folder, const char *name, const struct stat *st)
{
    struct kept *const more = realloc(k->at, (k->n + 1) * sizeof(*more));
    struct kept *one;

    if (more == NULL)
        return;
    k->at = more;
    one = &more[k->n];
    *one = (struct kept){.used = st->st_mtime, .bytes = st->st_size};
    if (asprintf(&one->stem, "%s/%.*s", folder, SUM_DIGITS, name) >= 0)
        k->n++;
}

/* Files of a folder; programs are made again each time, and go. */
static void read_folder(struct kepts *k, const char *folder, bool programs)
{
    DIR *const d = opendir(folder);
    const struct dirent *e;

    while (d != NULL && (e = readdir(d)) != NULL) {
        struct stat st;
        if (!is_ours(e->d_name) || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(st.st_mode))
            continue;
        if (programs)
            unlinkat(dirfd(d), e->d_name, 0);
        else
            add_file(k, folder, e->d_name, &st);
    }
    if (d != NULL)
        closedir(d);
}

/* A program's folder, unless another gate is at work in it. */
static void read_program(struct kepts *k, const char *folder)
{
    char *const points = run_kept_file(folder, "/points");
    char *const programs = run_kept_file(folder, "/programs");
    char *const lock = run_kept_file(folder, "/lock");
    int *const more = realloc(k->lock, (k->locks + 1) * sizeof(*more));
    struct mpj_err ignored;
    int fd = -1;

    if (more != NULL)
        k->lock = more;
    if (points != NULL && programs != NULL && lock != NULL && more != NULL &&
        access(points, W_OK) == 0)
        fd = mpj_file_grow(lock, false, &ignored);
    if (fd >= 0) {
        k->lock[k->locks++] = fd;
        read_folder(k, points, false);
        read_folder(k, programs, true);
    }
    free(points);
    free(programs);
    free(lock);
}

static int by_stem(const void *a, const void *b)
{
    return strcmp(((const struct kept *)a)->stem, ((const struct kept *)b)->stem);
}

/* The one that was used last first. */
static int by_use(const void *a, const void *b)
{
    const struct kept *const x = a;
    const struct kept *const y = b;

    if (x->used != y->used)
        return x->used > y->used ? -1 : 1;
    return strcmp(x->stem, y->stem);
}

/* Files of one stem become one. */
static void join(struct kepts *k)
{
    size_t n = 0;

    if (k->n > 0)
        qsort(k->at, k->n, sizeof(*k->at), by_stem);
    for (size_t i = 0; i < k->n; i++) {
        struct kept *const last = n > 0 ? &k->at[n - 1] : NULL;
        if (last == NULL || strcmp(last->stem, k->at[i].stem) != 0) {
            k->at[n++] = k->at[i];
            continue;
        }
        last->bytes += k->at[i].bytes;
        last->used = k->at[i].used > last->used ? k->at[i].used : last->used;
        free(k->at[i].stem);
    }
    k->n = n;
    if (n > 0)
        qsort(k->at, n, sizeof(*k->at), by_use);
}

/* The key first: without it the others are not taken for a run. */
static void drop(const char *stem)
{
    static const char *const ends[] = {".key",      ".sample.json",  ".json", ".mpj", ".mplog",
                                       ".run.json", ".emulator.log", ".conf", ".out", ".err"};

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        char *const path = run_kept_file(stem, ends[i]);
        if (path != NULL)
            unlink(path);
        free(path);
    }
}

void run_gate_prune(const char *folder, off_t most)
{
    struct kepts k = {.n = 0};
    DIR *const d = opendir(folder);
    const time_t oldest = time(NULL) - (time_t)RUN_GATE_CACHE_DAYS * DAY_S;
    const struct dirent *e;
    off_t bytes = 0;

    while (d != NULL && (e = readdir(d)) != NULL) {
        char *path = NULL;
        if (e->d_name[0] != '.' && asprintf(&path, "%s/%s", folder, e->d_name) >= 0)
            read_program(&k, path);
        free(path);
    }
    if (d != NULL)
        closedir(d);
    join(&k);
    for (size_t i = 0; i < k.n; i++) {
        bytes += k.at[i].bytes;
        if (bytes > most || k.at[i].used < oldest)
            drop(k.at[i].stem);
        free(k.at[i].stem);
    }
    while (k.locks > 0)
        close(k.lock[--k.locks]);
    free(k.lock);
    free(k.at);
}
