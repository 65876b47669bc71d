/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "printed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli.h"
#include "run/recipe.h"

static struct printed {
    const char *path; /* NULL: to our stdout or stderr */
    FILE *file;       /* opened when there is something to write */
    char *place;      /* path with its links resolved, where `grows` is renamed to */
    char *grows;      /* NULL: path is written as it is */
} printed[2];

/* True if both streams go to one file, which is the first one's. */
static bool shared(void)
{
    return printed[0].path != NULL && printed[1].path != NULL &&
           strcmp(printed[0].path, printed[1].path) == 0;
}

static struct printed *of(int stream)
{
    return &printed[stream != 1 && !shared()];
}

void printed_set(int stream, const char *path)
{
    printed[stream != 1].path = path;
}

const char *printed_path(int stream)
{
    return printed[stream != 1].path;
}

/* Returns the name of what a failed attempt has printed: it grows where a link leads to, which may
 * be another file system. malloc()ed; NULL: out of memory. */
static char *failed_name(const char *path)
{
    struct stat st;
    char *const real = lstat(path, &st) == 0 && S_ISLNK(st.st_mode) ? realpath(path, NULL) : NULL;
    char *const failed = run_failed_name(real != NULL ? real : path);

    free(real);
    return failed;
}

int printed_files(struct cli_files *files, struct mpj_err *err)
{
    for (unsigned i = 0; i < 2U - shared(); i++) {
        char *const failed = printed[i].path != NULL ? failed_name(printed[i].path) : strdup("");

        if (failed == NULL)
            return mpj_err_nomem(err);
        cli_file(files, printed[i].path, CLI_WRITTEN | CLI_GROWS);
        if (failed[0] != '\0')
            cli_file(files, failed, CLI_MADE | CLI_OWN);
        free(failed);
    }
    return MPJ_E_OK;
}

static void forget(struct printed *p)
{
    free(p->place);
    free(p->grows);
    *p = (struct printed){.path = p->path};
}

/* Opens NAME.new; NULL and errno: it cannot be opened, or grows is NULL: what is at the path has to
 * be written as it is. */
static FILE *open_new(struct printed *p)
{
    struct mpj_err err;
    struct stat st;
    FILE *f = NULL;
    int fd;

    if (mpj_file_place(&p->place, p->path, "text", &err) != MPJ_E_OK)
        return NULL;
    if (asprintf(&p->grows, "%s.new", p->place) < 0) {
        p->grows = NULL;
        return NULL;
    }
    fd = mpj_file_grow(p->grows, false, &err);
    if (fd == MPJ_E_BUSY)
        errno = EBUSY;
    if (fd >= 0 && stat(p->place, &st) == 0)
        (void)fchmod(fd, st.st_mode & 0777U); /* permissions are kept */
    if (fd >= 0 && (f = fdopen(fd, "w")) == NULL)
        close(fd);
    return f;
}

/* Opens the file that a stream goes to; NULL and errno: it cannot be opened. */
static FILE *open_one(struct printed *p)
{
    if (p->file == NULL && p->grows == NULL)
        p->file = open_new(p);
    if (p->file == NULL && p->grows == NULL)
        p->file = fopen(p->path, "we");
    return p->file;
}

int printed_write(int stream, const void *data, size_t len)
{
    FILE *const f = open_one(of(stream));

    return f != NULL && fwrite(data, 1, len, f) == len && fflush(f) == 0 ? 0 : errno;
}

void printed_again(void)
{
    for (unsigned i = 0; i < 2; i++) {
        if (printed[i].file != NULL && ftruncate(fileno(printed[i].file), 0) == 0)
            rewind(printed[i].file);
    }
}

static int keep_it(struct printed *p, struct mpj_err *err)
{
    if (open_one(p) == NULL)
        return mpj_err_errno(err, "cannot write %s", p->path);
    if (p->grows != NULL && rename(p->grows, p->place) != 0)
        return mpj_err_errno(err, "cannot replace %s", p->path);
    return MPJ_E_OK;
}

/* Keeps what a failed attempt has printed, next to the older file. */
static void set_aside(const struct printed *p)
{
    char *const failed = p->file != NULL && p->grows != NULL ? failed_name(p->path) : NULL;

    if (failed == NULL)
        return;
    if (ftell(p->file) <= 0)
        unlink(p->grows);
    else
        cli_note("what the program printed is in %s",
                 rename(p->grows, failed) == 0 ? failed : p->grows);
    free(failed);
}

int printed_end(bool keep, struct mpj_err *err)
{
    int result = MPJ_E_OK;

    for (unsigned i = 0; i < 2U - shared(); i++) {
        struct printed *const p = &printed[i];

        if (p->path == NULL)
            continue;
        if (keep && keep_it(p, err) != MPJ_E_OK)
            result = err->code;
        else if (!keep)
            set_aside(p);
        if (p->file != NULL)
            fclose(p->file); /* flushed at each write */
        forget(p);
    }
    return result;
}
