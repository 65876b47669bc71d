/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An attempt at a kept run: its files are in a folder of their own until it has ended, so that
 * those of an older result stay until a whole one replaces them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/tempdir.h"
#include "run/cache.h"

#define FAILED "failed."

/* Steps of the end of an attempt: an empty file in its folder has the name of the one that is under
 * way. An end that was cut off is completed before the next attempt. */
enum step { STEP_DROP, STEP_MOVE }; /* files of an older attempt; its own files */
static const char *const mark[2][2] = {{".failed.drop", ".failed.move"},
                                       {".whole.drop", ".whole.move"}};

static const char *name_of(const char *stem)
{
    const char *const slash = strrchr(stem, '/');

    return slash != NULL ? slash + 1 : stem;
}

/* Returns what follows STEM's name and a dot; NULL: the file is not of it. */
static const char *end_of(const char *file, const char *name)
{
    const size_t len = strlen(name);

    return strncmp(file, name, len) == 0 && file[len] == '.' ? file + len + 1 : NULL;
}

/* Removes STEM.failed.*; its messages, which each attempt leaves, are the last. */
static void forget_failed(const char *stem)
{
    char *const last = run_cache_file(stem, RUN_FAILED_ERRORS);
    char *const folder = strndup(stem, (size_t)(name_of(stem) - stem));
    DIR *const d = last != NULL && folder != NULL && access(last, F_OK) == 0
                       ? opendir(folder[0] != '\0' ? folder : ".")
                       : NULL;
    const struct dirent *e;

    while (d != NULL && (e = readdir(d)) != NULL) {
        const char *const end = end_of(e->d_name, name_of(stem));
        if (end != NULL && strncmp(end, FAILED, strlen(FAILED)) == 0 &&
            strcmp(e->d_name, name_of(last)) != 0)
            unlinkat(dirfd(d), e->d_name, 0);
    }
    if (d != NULL) {
        closedir(d);
        unlink(last);
    }
    free(folder);
    free(last);
}

void run_cache_forget(const char *stem)
{
    char *const folder = run_cache_file(stem, RUN_ATTEMPT);

    if (folder != NULL)
        mpj_folder_remove(folder);
    free(folder);
    forget_failed(stem);
}

bool run_cache_failed(const char *stem)
{
    char *const path = run_cache_file(stem, RUN_FAILED_ERRORS);
    const bool is = path != NULL && access(path, F_OK) == 0;

    free(path);
    return is;
}

/* ---- its end ---------------------------------------------------------------------------- */

/* The messages of a failed attempt. */
struct messages {
    const char *file;
    const char *before, *after; /* what names of its files begin with */
};

/* Writes a line of ours with the names that the files get. */
static void put_line(const struct messages *m, const char *line, FILE *f)
{
    const char *at;

    while ((at = strstr(line, m->before)) != NULL) {
        fprintf(f, "%.*s%s", (int)(at - line), line, m->after);
        line = at + strlen(m->before);
        if (strncmp(line, FAILED, strlen(FAILED)) != 0)
            fputs(FAILED, f);
    }
    fputs(line, f);
}

static int put_messages(const void *what, FILE *f, struct mpj_err *err)
{
    const struct messages *const m = what;
    FILE *const from = fopen(m->file, "re");
    char *line = NULL;
    size_t size = 0;
    ssize_t n;

    if (from == NULL)
        return mpj_err_errno(err, "cannot read %s", m->file);
    while ((n = getline(&line, &size, from)) > 0) {
        if (strncmp(line, "mpjoule", 7) == 0)
            put_line(m, line, f);
        else
            fwrite(line, 1, (size_t)n, f);
    }
    free(line);
    fclose(from);
    return MPJ_E_OK;
}

static int move_messages(const char *stem, const char *from, const char *to, struct mpj_err *err)
{
    struct messages m = {.file = from};
    char *before = NULL;
    char *after = NULL;
    int result = MPJ_E_OK;

    if (asprintf(&before, "%s" RUN_ATTEMPT "/%s.", stem, name_of(stem)) < 0)
        before = NULL;
    if (asprintf(&after, "%s.", stem) < 0)
        after = NULL;
    m.before = before;
    m.after = after;
    result = before != NULL && after != NULL ? mpj_file_replace(to, put_messages, &m, err)
                                             : mpj_err_nomem(err);
    if (result == MPJ_E_OK)
        unlink(from);
    free(before);
    free(after);
    return result;
}

/* Moves a file of an attempt to its place. */
static int move(const char *stem, const char *folder, const char *file, bool whole,
                struct mpj_err *err)
{
    const char *const end = end_of(file, name_of(stem));
    const bool failed = end != NULL && strncmp(end, FAILED, strlen(FAILED)) == 0;
    char *from = NULL;
    char *to = NULL;
    int result = MPJ_E_OK;

    if (asprintf(&from, "%s/%s", folder, file) < 0)
        from = NULL;
    if (end != NULL && asprintf(&to, "%s.%s%s", stem, whole || failed ? "" : FAILED, end) < 0)
        to = NULL;
    if (from == NULL || (end != NULL && to == NULL))
        result = mpj_err_nomem(err);
    else if (to == NULL && file[0] == '.') /* a mark */
        result = MPJ_E_OK;
    else if (to == NULL || (whole && failed)) /* of a try before: --retries */
        unlink(from);
    else if (!whole && strcmp(end, "err") == 0)
        result = move_messages(stem, from, to, err);
    else if (rename(from, to) != 0)
        result = mpj_err_errno(err, "cannot replace %s", to);
    free(to);
    free(from);
    return result;
}

/* Removes those files of an older result that not every run leaves: they would be taken for the
 * newer one's. */
static void drop_older(const char *stem)
{
    static const char *const ends[] = {".emulator.log", ".meter"};

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        char *const path = run_cache_file(stem, ends[i]);
        if (path != NULL)
            unlink(path);
        free(path);
    }
}

static int move_all(const char *stem, const char *folder, bool whole, struct mpj_err *err)
{
    DIR *const d = opendir(folder);
    const struct dirent *e;
    int result = MPJ_E_OK;

    if (d == NULL)
        return mpj_err_errno(err, "cannot read %s", folder);
    while (result == MPJ_E_OK && (e = readdir(d)) != NULL) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            result = move(stem, folder, e->d_name, whole, err);
    }
    closedir(d);
    return result;
}

static char *mark_path(const char *folder, bool whole, enum step step)
{
    char *path = NULL;

    return asprintf(&path, "%s/%s", folder, mark[whole][step]) < 0 ? NULL : path;
}

/* Removes the files of an older attempt that are not replaced, and notes that. */
static int drop(const char *stem, const char *folder, bool whole, const char *moves,
                struct mpj_err *err)
{
    char *const noted = mark_path(folder, whole, STEP_DROP);
    int result = MPJ_E_OK;

    if (noted == NULL)
        return mpj_err_nomem(err);
    if (whole) { /* the key first: it is that of the older files */
        run_cache_invalidate(stem);
        drop_older(stem);
    } else {
        forget_failed(stem);
    }
    if (rename(noted, moves) != 0)
        result = mpj_err_errno(err, "cannot move the files of %s", folder);
    free(noted);
    return result;
}

/* Ends an attempt from a step on, whose mark is there. */
static int end_from(enum step step, const char *stem, const char *folder, bool whole,
                    struct mpj_err *err)
{
    char *const moves = mark_path(folder, whole, STEP_MOVE);
    int result = MPJ_E_OK;

    if (moves == NULL)
        return mpj_err_nomem(err);
    if (step == STEP_DROP)
        result = drop(stem, folder, whole, moves, err);
    if (result == MPJ_E_OK)
        result = move_all(stem, folder, whole, err);
    if (result == MPJ_E_OK && unlink(moves) == 0)
        rmdir(folder);
    free(moves);
    return result;
}

int run_cache_end(const char *stem, bool whole, struct mpj_err *err)
{
    char *const folder = run_cache_file(stem, RUN_ATTEMPT);
    char *const path = folder != NULL ? mark_path(folder, whole, STEP_DROP) : NULL;
    const int fd = path != NULL ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;
    int result;

    if (path == NULL)
        result = mpj_err_nomem(err);
    else if (fd < 0)
        result = mpj_err_errno(err, "cannot create %s", path);
    else
        result = end_from(STEP_DROP, stem, folder, whole, err);
    if (fd >= 0)
        close(fd);
    free(path);
    free(folder);
    return result;
}

/* ---- its beginning ----------------------------------------------------------------------- */

/* Completes what a killed process has left of an attempt, and removes its folder. */
static int clear(const char *stem, const char *folder, struct mpj_err *err)
{
    for (unsigned i = 0; i < 4; i++) {
        const bool whole = i >= 2;
        const enum step step = i % 2 == 0 ? STEP_DROP : STEP_MOVE;
        char *const path = mark_path(folder, whole, step);
        bool is;
        if (path == NULL)
            return mpj_err_nomem(err);
        is = access(path, F_OK) == 0;
        free(path);
        if (is)
            return end_from(step, stem, folder, whole, err);
    }
    mpj_folder_remove(folder);
    return MPJ_E_OK;
}

char *run_cache_begin(const char *stem, struct mpj_err *err)
{
    char *const folder = run_cache_file(stem, RUN_ATTEMPT);
    char *out = NULL;

    if (folder == NULL) {
        mpj_err_nomem(err);
        return NULL;
    }
    if (clear(stem, folder, err) == MPJ_E_OK) {
        if (mkdir(folder, 0777) != 0)
            mpj_err_errno(err, "cannot create the folder %s", folder);
        else if (asprintf(&out, "%s/%s", folder, name_of(stem)) < 0) {
            out = NULL;
            mpj_err_nomem(err);
        }
    }
    free(folder);
    return out;
}
