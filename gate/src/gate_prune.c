/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bounds what a gate keeps of runs. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "gate_int.h"
#include "run/cache.h"

#define SUM_DIGITS 24 /* of the name of a run or program: run_tune_name(), run_tune_build() */
#define DAY_S      86400
#define MARK       "/gate" /* in the folder of a program: a gate made it */

/* A file of a kept run, later the run: its files have one stem. */
struct kept {
    char *stem;
    time_t used; /* the newest of its files */
    off_t bytes;
    bool sampled; /* one of them is the sample that only a gate makes */
};

struct kepts {
    struct kept *at;
    size_t n;
    int *lock; /* of the programs' folders, until all is done */
    size_t locks;
};

static int put_mark(const void *what, FILE *f, struct mpj_err *err)
{
    return fputs(what, f) < 0 ? mpj_err_errno(err, "cannot write a mark") : MPJ_E_OK;
}

int run_gate_enter(const char *folder, struct mpj_err *err)
{
    char *const mark = run_cache_file(folder, MARK);
    int result = MPJ_E_OK;

    if (mark == NULL)
        result = mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    else if (mkdir(folder, 0777) == 0)
        result = mpj_file_replace(mark, put_mark, "runs that mpjoule gate keeps\n", err);
    else if (errno != EEXIST)
        result = mpj_err_errno(err, "cannot create the folder %s", folder);
    free(mark);
    return result;
}

/* Twenty-four digits and an ending are those of a run or program. */
static bool is_kept(const char *name)
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
    *one = (struct kept){.used = st->st_mtime,
                         .bytes = st->st_size,
                         .sampled = strcmp(name + SUM_DIGITS, RUN_TUNE_SAMPLE) == 0};
    if (asprintf(&one->stem, "%s/%.*s", folder, SUM_DIGITS, name) >= 0)
        k->n++;
}

/* Files of a folder; programs are built again each time, and removed. */
static void read_folder(struct kepts *k, const char *folder, bool programs)
{
    DIR *const d = opendir(folder);
    const struct dirent *e;

    while (d != NULL && (e = readdir(d)) != NULL) {
        struct stat st;
        if (!is_kept(e->d_name) || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
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

/* Files of one stem become one, from the first-th on. */
static void join(struct kepts *k, size_t first)
{
    size_t n = first;

    if (k->n > first)
        qsort(k->at + first, k->n - first, sizeof(*k->at), by_stem);
    for (size_t i = first; i < k->n; i++) {
        struct kept *const last = n > first ? &k->at[n - 1] : NULL;
        if (last == NULL || strcmp(last->stem, k->at[i].stem) != 0) {
            k->at[n++] = k->at[i];
            continue;
        }
        last->bytes += k->at[i].bytes;
        last->used = k->at[i].used > last->used ? k->at[i].used : last->used;
        last->sampled = last->sampled || k->at[i].sampled;
        free(k->at[i].stem);
    }
    k->n = n;
}

/* Leaves those that a gate sampled, from the first-th on; whether all are, and there is one. */
static bool keep_sampled(struct kepts *k, size_t first)
{
    const size_t all = k->n;
    size_t n = first;

    for (size_t i = first; i < all; i++) {
        if (k->at[i].sampled)
            k->at[n++] = k->at[i];
        else
            free(k->at[i].stem);
    }
    k->n = n;
    return n == all && n > first;
}

static bool has_sample(const char *points)
{
    DIR *const d = opendir(points);
    const struct dirent *e;
    bool has = false;

    while (d != NULL && !has && (e = readdir(d)) != NULL)
        has = is_kept(e->d_name) && strcmp(e->d_name + SUM_DIGITS, RUN_TUNE_SAMPLE) == 0;
    if (d != NULL)
        closedir(d);
    return has;
}

/*
 * A program's folder, unless another gate is running in it. One without a mark is of an older gate
 * when each run has a sample, which only a gate makes; otherwise a tune or another program made it:
 * runs with samples count, the others stay, and where there are none not even a lock is made.
 */
static void read_program(struct kepts *k, const char *folder)
{
    char *const mark = run_cache_file(folder, MARK);
    char *const points = run_cache_file(folder, "/points");
    char *const programs = run_cache_file(folder, "/programs");
    char *const lock = run_cache_file(folder, "/lock");
    int *const more = realloc(k->lock, (k->locks + 1) * sizeof(*more));
    const size_t first = k->n;
    struct mpj_err ignored;
    bool gates = mark != NULL && access(mark, F_OK) == 0;
    int fd = -1;

    if (more != NULL)
        k->lock = more;
    if (points != NULL && programs != NULL && lock != NULL && more != NULL &&
        access(points, W_OK) == 0 && (gates || has_sample(points)))
        fd = mpj_file_lock(lock, false, &ignored);
    if (fd >= 0) {
        k->lock[k->locks++] = fd;
        read_folder(k, points, false);
        join(k, first);
        gates = gates || keep_sampled(k, first);
    }
    if (fd >= 0 && gates)
        read_folder(k, programs, true);
    free(mark);
    free(points);
    free(programs);
    free(lock);
}

/* The key first: without it the others are not taken for a run. */
static void drop(const char *stem)
{
    static const char *const ends[] = {".key", RUN_TUNE_SAMPLE, ".json",        RUN_TUNE_FAILURE,
                                       ".mpj", ".mplog",        ".conf",        ".run.json",
                                       ".out", ".err",          ".emulator.log"};

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        char *const path = run_cache_file(stem, ends[i]);
        if (path != NULL)
            unlink(path);
        free(path);
    }
    run_cache_forget(stem);
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
    if (k.n > 0)
        qsort(k.at, k.n, sizeof(*k.at), by_use);
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
