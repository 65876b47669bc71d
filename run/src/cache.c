/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sha2.h>

#include "base/child.h"
#include "base/file.h"
#include "run/paths.h"

#define ROOM 32U /* words: by this many a command line grows */

void run_words_add(struct run_words *w, const char *format, ...)
{
    va_list ap;

    if (w->n + 1 >= w->room) {
        char **const more = realloc(w->word, (w->room + ROOM) * sizeof(*more));
        w->no_memory = w->no_memory || more == NULL;
        if (more == NULL)
            return;
        w->word = more;
        w->room += ROOM;
    }
    va_start(ap, format);
    if (vasprintf(&w->word[w->n], format, ap) < 0)
        w->no_memory = true;
    else
        w->n++;
    va_end(ap);
    w->word[w->n] = NULL;
}

void run_words_free(struct run_words *w)
{
    while (w->n > 0)
        free(w->word[--w->n]);
    free(w->word);
    *w = (struct run_words){.n = 0};
}

/* Sets the sum that was noted for just this file. */
static bool noted_sum(const char *qemu, char sum[RUN_SUM_SIZE])
{
    char *const real = realpath(qemu, NULL);
    char *name = NULL;
    FILE *f = NULL;
    struct stat st;
    long long size = -1, time = -1;
    bool valid = false;

    if (real != NULL && asprintf(&name, "%s.sum", real) < 0)
        name = NULL;
    if (name != NULL && stat(real, &st) == 0)
        f = fopen(name, "re");
    if (f != NULL) {
        valid = fscanf(f, "%lld %lld %64[0-9a-f]", &size, &time, sum) == 3 &&
                size == (long long)st.st_size && time == (long long)st.st_mtime &&
                strlen(sum) == RUN_SUM_SIZE - 1;
        fclose(f);
    }
    free(name);
    free(real);
    return valid;
}

bool run_emulator_sum(const char *qemu, char sum[RUN_SUM_SIZE])
{
    return noted_sum(qemu, sum) || SHA256File(qemu, sum) != NULL;
}

char *run_cache_version(struct mpj_err *err)
{
    char *const qemu = run_path_qemu();
    char sum[RUN_SUM_SIZE];
    char *out = NULL;

    mpj_err_nomem(err);
    if (qemu != NULL && !run_emulator_sum(qemu, sum))
        mpj_err_errno(err, "cannot read the emulator %s", qemu);
    else if (qemu != NULL && asprintf(&out, "%s %s", MPJ_VERSION, sum) < 0)
        out = NULL;
    free(qemu);
    return out;
}

void run_cache_key_text(FILE *f, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '\\' || *c == '\n')
            fputc('\\', f);
        fputc(*c == '\n' ? 'n' : *c, f);
    }
}

char *run_cache_file(const char *stem, const char *end)
{
    char *path;

    return asprintf(&path, "%s%s", stem, end) < 0 ? NULL : path;
}

int run_cache_lock(const char *folder, struct mpj_err *err)
{
    char *const lock = run_cache_file(folder, "/lock");
    const int fd = lock != NULL ? mpj_file_lock(lock, false, err) : mpj_err_nomem(err);

    if (fd == MPJ_E_BUSY)
        mpj_err_set(err, MPJ_E_BUSY, "another command is using %s; name another folder", folder);
    free(lock);
    return fd;
}

bool run_cache_has(const char *stem, const char *key)
{
    char *const path = run_cache_file(stem, ".key");
    FILE *const f = path != NULL ? fopen(path, "re") : NULL;
    const size_t len = strlen(key);
    char *text = malloc(len + 2);
    bool same = false;

    if (f != NULL && text != NULL)
        same = fread(text, 1, len + 1, f) == len && memcmp(text, key, len) == 0;
    if (f != NULL)
        fclose(f);
    free(text);
    free(path);
    return same;
}

void run_cache_invalidate(const char *stem)
{
    char *const path = run_cache_file(stem, ".key");

    if (path != NULL)
        unlink(path);
    free(path);
}

static int put_key(const void *what, FILE *f, struct mpj_err *err)
{
    return fputs(what, f) < 0 ? mpj_err_errno(err, "cannot write a key") : MPJ_E_OK;
}

void run_cache_put(const char *stem, const char *key)
{
    char *const path = run_cache_file(stem, ".key");
    struct mpj_err ignored; /* without a key the run is repeated, that is all */

    if (path != NULL)
        mpj_file_replace(path, put_key, key, &ignored);
    free(path);
}

void run_cache_touch(const char *stem)
{
    char *const path = run_cache_file(stem, ".key");

    if (path != NULL)
        utimensat(AT_FDCWD, path, NULL, 0);
    free(path);
}

int run_cache_execute(const char *stem, const struct run_words *w, int kept,
                      bool (*stopping)(void *ctx), void *ctx, int *status, struct mpj_err *err)
{
    char *const out = run_cache_file(stem, ".out");
    char *const errors = run_cache_file(stem, ".err");
    int result;

    if (out == NULL || errors == NULL || w->no_memory) {
        result = mpj_err_nomem(err);
    } else {
        const struct mpj_child child = {.file = "/proc/self/exe",
                                        .argv = (const char *const *)w->word,
                                        .out = out,
                                        .err = errors,
                                        .kept = kept > 0 ? kept : 0,
                                        .stopping = stopping,
                                        .ctx = ctx};
        result = mpj_child_run(&child, status, err);
    }
    free(out);
    free(errors);
    return result;
}

/* Reads one item of a list: a range of whole numbers or a word. */
static int item(const char *text, size_t len,
                int (*add)(void *ctx, const char *text, size_t len, struct mpj_err *err), void *ctx,
                struct mpj_err *err)
{
    char *end;
    long low;
    long high;

    errno = 0;
    low = strtol(text, &end, 10);
    if (end == text || strncmp(end, "..", 2) != 0 || end + 2 > text + len)
        return len > 0 ? add(ctx, text, len, err)
                       : mpj_err_set(err, MPJ_E_USAGE, "a value is empty");
    high = strtol(end + 2, &end, 10);
    if (end != text + len || high < low || errno != 0)
        return mpj_err_set(err, MPJ_E_USAGE, "invalid range \"%.*s\"", (int)len, text);
    for (long v = low;; v++) {
        char number[24];
        const int n = snprintf(number, sizeof(number), "%ld", v);
        const int result = add(ctx, number, (size_t)n, err);
        if (result != MPJ_E_OK || v == high) /* which may be the last there is */
            return result;
    }
}

int run_values_each(const char *values,
                    int (*add)(void *ctx, const char *text, size_t len, struct mpj_err *err),
                    void *ctx, struct mpj_err *err)
{
    for (;;) {
        const size_t len = strcspn(values, ",");
        if (item(values, len, add, ctx, err) != MPJ_E_OK)
            return err->code;
        if (values[len] == '\0')
            return MPJ_E_OK;
        values += len + 1;
    }
}
