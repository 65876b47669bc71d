/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "project/init.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "run/paths.h"

#define FILE_MOST 65536U /* bytes of one */

struct skeleton_file {
    char *(*where)(void); /* the folder it comes from */
    const char *from, *to;
    bool program; /* of those that belong together */
};

static const struct skeleton_file files[] = {
    {run_path_skeleton, "CMakeLists.txt", "CMakeLists.txt", true},
    {run_path_skeleton, "main.c", "main.c", true},
    {run_path_skeleton, "heat.c", "heat.c", true},
    {run_path_skeleton, "heat.h", "heat.h", true},
    {run_path_skeleton, "gate.yaml", "gate.yaml", true},
    {run_path_skeleton, "gitignore", ".gitignore", false},
    {run_path_ci, "github.yml", ".github/workflows/energy.yml", false},
    {run_path_ci, "gitlab.yml", ".gitlab-ci.yml", false},
};

#define FILES (sizeof(files) / sizeof(files[0]))

struct content {
    char bytes[FILE_MOST];
    size_t size;
};

/* Reads a file, FILE_MOST bytes at most; false and errno. */
static bool get(struct content *c, const char *path)
{
    FILE *const f = fopen(path, "r");
    bool ok;

    if (f == NULL)
        return false;
    c->size = fread(c->bytes, 1, sizeof(c->bytes), f);
    ok = !ferror(f);
    fclose(f);
    return ok;
}

static int put(const void *what, FILE *f, struct mpj_err *err)
{
    const struct content *const c = what;

    return fwrite(c->bytes, 1, c->size, f) == c->size ? MPJ_E_OK
                                                      : mpj_err_errno(err, "cannot write");
}

/* Creates the folders above a file, or with the file itself as one. */
static int make_folders(char *path, bool itself, struct mpj_err *err)
{
    for (char *p = path + 1; *p != '\0' || itself; p++) {
        const char was = *p;
        struct stat st;
        if (was != '/' && was != '\0')
            continue;
        *p = '\0';
        if (mkdir(path, 0777) != 0 && (errno != EEXIST || stat(path, &st) != 0 ||
                                       (!S_ISDIR(st.st_mode) && (errno = ENOTDIR) != 0)))
            return mpj_err_errno(err, "cannot create the folder %s", path);
        *p = was;
        if (was == '\0')
            break;
    }
    return MPJ_E_OK;
}

/* Decides the outcome for a file. from: its content; there: buffer for that of an existing one. */
static enum run_init_file look(const char *path, const struct content *from, struct content *there)
{
    struct stat st;

    if (lstat(path, &st) != 0)
        return RUN_INIT_MADE; /* a fault is reported when it cannot be created */
    return S_ISREG(st.st_mode) && get(there, path) && there->size == from->size &&
                   memcmp(there->bytes, from->bytes, from->size) == 0
               ? RUN_INIT_SAME
               : RUN_INIT_KEPT;
}

static int read_skeleton(const struct skeleton_file *f, struct content *c, struct mpj_err *err)
{
    char *const folder = f->where();
    char *path = NULL;
    int result = MPJ_E_OK;

    if (folder == NULL || asprintf(&path, "%s/%s", folder, f->from) < 0) {
        path = NULL;
        result = mpj_err_nomem(err);
    } else if (!get(c, path)) {
        result = mpj_err_set(err, MPJ_E_TARGET,
                             "%s is missing: incomplete installation, `mpjoule doctor` "
                             "prints a fix",
                             path);
    }
    free(folder);
    free(path);
    return result;
}

/* Creates one file of the skeleton in the folder. */
static int make(const struct skeleton_file *f, const char *folder, const struct content *c,
                enum run_init_file *what, struct mpj_err *err)
{
    char *path = NULL;
    int result;

    if (*what != RUN_INIT_MADE)
        return MPJ_E_OK;
    if (asprintf(&path, "%s/%s", folder, f->to) < 0)
        return mpj_err_nomem(err);
    result = make_folders(path, false, err);
    if (result == MPJ_E_OK)
        result = mpj_file_new(path, put, c, err);
    if (result == MPJ_E_BUSY) { /* created by another process at this moment */
        *what = RUN_INIT_KEPT;
        result = MPJ_E_OK;
    }
    free(path);
    return result;
}

static int make_all(struct run_init *init, const char *folder, struct content *content,
                    enum run_init_file *what, struct mpj_err *err)
{
    bool whole = true;

    for (unsigned i = 0; i < FILES; i++)
        whole &= !files[i].program || what[i] != RUN_INIT_KEPT;
    for (unsigned i = 0; i < FILES; i++) {
        if (files[i].program && !whole && what[i] == RUN_INIT_MADE)
            what[i] = RUN_INIT_LEFT;
        if (make(&files[i], folder, &content[i], &what[i], err) != MPJ_E_OK)
            return err->code;
        whole &= !files[i].program || what[i] != RUN_INIT_KEPT;
        init->row(init->ctx, files[i].to, what[i]);
    }
    init->gate = whole;
    return MPJ_E_OK;
}

int run_init(struct run_init *init, const char *folder, struct mpj_err *err)
{
    struct content *const content = calloc(FILES + 1, sizeof(*content));
    enum run_init_file what[FILES];
    char *const top = strdup(folder);
    int result = MPJ_E_OK;

    init->gate = false;
    if (content == NULL || top == NULL)
        result = mpj_err_nomem(err);
    for (unsigned i = 0; i < FILES && result == MPJ_E_OK; i++)
        result = read_skeleton(&files[i], &content[i], err);
    if (result == MPJ_E_OK)
        result = top[0] == '\0' ? mpj_err_set(err, MPJ_E_USAGE, "a folder without a name")
                                : make_folders(top, true, err);
    for (unsigned i = 0; i < FILES && result == MPJ_E_OK; i++) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s", folder, files[i].to) < 0)
            result = mpj_err_nomem(err);
        else
            what[i] = look(path, &content[i], &content[FILES]);
        if (result == MPJ_E_OK)
            free(path);
    }
    if (result == MPJ_E_OK)
        result = make_all(init, folder, content, what, err);
    free(content);
    free(top);
    return result;
}
