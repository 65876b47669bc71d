/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli.h"

#define TESTED (CLI_WRITTEN & ~CLI_MADE)

struct cli_file {
    char *path;
    unsigned use;
};

void cli_file(struct cli_files *f, const char *path, unsigned use)
{
    struct cli_file *more;

    if (path == NULL || (use == CLI_READ && (path[0] == '\0' || cli_is_stdout(path))))
        return;
    more = realloc(f->file, (f->n + 1U) * sizeof(*more));
    if (more != NULL) {
        f->file = more;
        more[f->n] = (struct cli_file){strdup(path), use};
    }
    if (more == NULL || more[f->n].path == NULL)
        f->no_memory = true;
    else
        f->n++;
}

/* ---- looking ------------------------------------------------------------------------- */

/* Checks that a file that is written at the end can be written. */
static int writable(const char *path, struct mpj_err *err)
{
    struct stat st;
    char *folder;
    char *slash;
    bool ok;

    if (path[0] != '\0' && stat(path, &st) == 0) {
        errno = S_ISDIR(st.st_mode) ? EISDIR : EACCES;
        ok = !S_ISDIR(st.st_mode) && access(path, W_OK) == 0;
        return ok ? MPJ_E_OK : mpj_err_errno(err, "cannot write %s", path);
    }
    if (path[0] != '\0' && (errno == ENAMETOOLONG || errno == ELOOP))
        return mpj_err_errno(err, "cannot create %s", path);
    folder = strdup(path);
    if (folder == NULL)
        return mpj_err_nomem(err);
    slash = strrchr(folder, '/');
    if (slash != NULL)
        slash[1] = '\0';
    ok = path[0] != '\0' && access(slash != NULL ? folder : ".", W_OK | X_OK) == 0;
    if (path[0] == '\0')
        errno = ENOENT;
    free(folder);
    return ok ? MPJ_E_OK : mpj_err_errno(err, "cannot create %s", path[0] != '\0' ? path : "\"\"");
}

static bool is_output(const struct cli_file *file)
{
    return (file->use & CLI_MADE) != 0 && file->path[0] != '\0' && !cli_is_stdout(file->path);
}

static int overwritten(const char *in, struct mpj_err *err)
{
    return mpj_err_set(err, MPJ_E_USAGE,
                       "%s is an input and would be overwritten: name another output", in);
}

/* True if one of two outputs may be a link of the other. */
static bool may_be_same(const struct cli_file *a, const struct cli_file *b)
{
    return ((a->use & CLI_OWN) != 0 && (b->use & TESTED) == 0) ||
           ((b->use & CLI_OWN) != 0 && (a->use & TESTED) == 0);
}

/* Checks that an output is not among the files of a folder that the command itself fills. */
static int check_folders(const struct cli_files *f, const struct cli_file *output,
                         struct mpj_err *err)
{
    for (size_t k = 0; k < f->n && (output->use & TESTED) != 0; k++) {
        if ((f->file[k].use & CLI_FOLDER) != 0 && mpj_file_within(output->path, f->file[k].path))
            return mpj_err_set(err, MPJ_E_USAGE,
                               "%s is in the folder of the command's own files, %s: name one "
                               "elsewhere",
                               output->path, f->file[k].path);
    }
    return MPJ_E_OK;
}

/* Checks that the path of that output is not an input, nor one of the outputs before the end. */
static int check_path(const struct cli_files *f, size_t output, const char *path, size_t end,
                      struct mpj_err *err)
{
    for (size_t k = 0; k < f->n; k++) {
        const char *const in = f->file[k].path;
        if (f->file[k].use == CLI_READ && access(in, F_OK) == 0 && mpj_file_same(in, path))
            return overwritten(in, err);
    }
    for (size_t k = 0; k < end; k++) {
        if (k != output && is_output(&f->file[k]) && !may_be_same(&f->file[output], &f->file[k]) &&
            mpj_file_same(f->file[k].path, path))
            return mpj_err_set(err, MPJ_E_USAGE,
                               "two outputs would be written to %s: name another one", path);
    }
    return MPJ_E_OK;
}

/* Returns NAME.new of an output that grows in *out; NULL: it does not grow. */
static int growing(const struct cli_file *file, char **out, struct mpj_err *err)
{
    *out = NULL;
    if ((file->use & CLI_GROWS) == 0)
        return MPJ_E_OK;
    if (asprintf(out, "%s.new", file->path) >= 0)
        return MPJ_E_OK;
    *out = NULL;
    return mpj_err_nomem(err);
}

static int check_apart(const struct cli_files *f, struct mpj_err *err)
{
    for (size_t i = 0; i < f->n; i++) {
        char *grows = NULL;
        int result;

        if (!is_output(&f->file[i]))
            continue;
        result = check_folders(f, &f->file[i], err);
        if (result == MPJ_E_OK)
            result = check_path(f, i, f->file[i].path, i, err);
        if (result == MPJ_E_OK)
            result = growing(&f->file[i], &grows, err);
        if (result == MPJ_E_OK && grows != NULL)
            result = check_path(f, i, grows, f->n, err);
        free(grows);
        if (result != MPJ_E_OK)
            return result;
    }
    return MPJ_E_OK;
}

int cli_files_check(const struct cli_files *f, struct mpj_err *err)
{
    unsigned to_stdout = 0;

    if (f->no_memory)
        return mpj_err_nomem(err);
    for (size_t i = 0; i < f->n; i++) {
        const struct cli_file *const file = &f->file[i];
        if (cli_is_stdout(file->path))
            to_stdout++;
        else if ((file->use & TESTED) != 0 && writable(file->path, err) != MPJ_E_OK)
            return err->code;
    }
    if (to_stdout > 1)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "two outputs would be written to stdout (-): name a file for one");
    return check_apart(f, err);
}

int cli_files_take(void *files, const char *path, struct mpj_err *err)
{
    struct cli_files *const f = files;
    int result = MPJ_E_OK;

    cli_file(f, path, CLI_READ);
    if (f->no_memory)
        return mpj_err_nomem(err);
    for (size_t i = 0; i < f->n && result == MPJ_E_OK && access(path, F_OK) == 0; i++) {
        char *grows = NULL;
        if (!is_output(&f->file[i]))
            continue;
        result = growing(&f->file[i], &grows, err);
        if (mpj_file_same(path, f->file[i].path) || (grows != NULL && mpj_file_same(path, grows)))
            result = overwritten(path, err);
        free(grows);
    }
    return result;
}

struct run_inputs cli_files_inputs(struct cli_files *f)
{
    return (struct run_inputs){cli_files_take, f};
}

void cli_files_free(struct cli_files *f)
{
    for (size_t i = 0; i < f->n; i++)
        free(f->file[i].path);
    free(f->file);
    *f = (struct cli_files){.n = 0};
}
