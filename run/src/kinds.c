/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/kinds.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hil/image.h"
#include "run/paths.h"
#include "tile_limits.h"

/* Returns the path of the description in a board's folder, if there is one. */
static char *description(const char *folder)
{
    char *out = NULL;

    return asprintf(&out, "%s/" MPJ_KIND_FILE, folder) < 0 ? NULL : out;
}

static int read_kind(struct tile_machine *out, const char *name, const char *path,
                     struct mpj_err *err)
{
    if (mpj_kind_read(out, path, err) != MPJ_E_OK)
        return err->code;
    if (strcmp(out->name, name) != 0)
        return mpj_err_set(err, MPJ_E_TARGET,
                           "%s describes the board %s, in the folder of %s: build or install the "
                           "runtime again",
                           path, out->name, name);
    return MPJ_E_OK;
}

static int add(struct run_kinds *out, const char *name, struct mpj_err *err)
{
    char *const folder = run_path_runtime(name);
    char *const path = folder != NULL ? description(folder) : NULL;
    struct run_kind *more;
    int result = MPJ_E_OK;

    if (path == NULL) {
        free(folder);
        return mpj_err_nomem(err);
    }
    if (access(path, F_OK) == 0) {
        more = realloc(out->kind, (out->count + 1) * sizeof(*more));
        if (more == NULL) {
            result = mpj_err_nomem(err);
        } else {
            out->kind = more;
            result = read_kind(&more[out->count].machine, name, path, err);
        }
        if (result == MPJ_E_OK && out->kind != NULL) {
            out->kind[out->count++].folder = folder;
            free(path);
            return MPJ_E_OK;
        }
    }
    free(path);
    free(folder);
    return result;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct run_kind *)a)->machine.name,
                  ((const struct run_kind *)b)->machine.name);
}

int run_kinds_load(struct run_kinds *out, struct mpj_err *err)
{
    char *const all = run_path_firmware();
    char *folder = NULL;
    const struct dirent *entry;
    DIR *dir;
    int result;

    memset(out, 0, sizeof(*out));
    if (all == NULL || asprintf(&folder, "%s/" RUN_BOARDS_FOLDER, all) < 0) {
        free(all);
        return mpj_err_nomem(err);
    }
    dir = opendir(folder);
    free(folder);
    free(all);
    result = add(out, TILE_BOARD_DEFAULT, err);
    while (dir != NULL && result == MPJ_E_OK && (entry = readdir(dir)) != NULL) {
        if (mpj_kind_is_name(entry->d_name) && strcmp(entry->d_name, TILE_BOARD_DEFAULT) != 0)
            result = add(out, entry->d_name, err);
    }
    if (dir != NULL)
        closedir(dir);
    if (out->count > 1)
        qsort(out->kind, out->count, sizeof(out->kind[0]), by_name);
    return result;
}

void run_kinds_free(struct run_kinds *kinds)
{
    for (size_t i = 0; i < kinds->count; i++)
        free(kinds->kind[i].folder);
    free(kinds->kind);
    memset(kinds, 0, sizeof(*kinds));
}

char *run_kinds_names(void)
{
    struct run_kinds kinds;
    struct mpj_err ignored;
    char *out = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&out, &size);

    if (f == NULL)
        return NULL;
    (void)run_kinds_load(&kinds, &ignored);
    for (size_t i = 0; i < kinds.count; i++)
        fprintf(f, "%s%s", i > 0 ? ", " : "", kinds.kind[i].machine.name);
    if (kinds.count == 0)
        fputs("none", f);
    run_kinds_free(&kinds);
    return fclose(f) == 0 ? out : NULL;
}

int run_kind_load(struct tile_machine *out, const char *name, struct mpj_err *err)
{
    char *const folder = mpj_kind_is_name(name) ? run_path_runtime(name) : NULL;
    char *const path = folder != NULL ? description(folder) : NULL;
    char *known;
    int result;

    if (path != NULL && access(path, F_OK) == 0) {
        result = read_kind(out, name, path, err);
    } else {
        known = run_kinds_names();
        result = mpj_err_set(err, MPJ_E_USAGE,
                             "no board is called \"%.40s\" in this installation; it has: %s", name,
                             known != NULL ? known : "?");
        free(known);
    }
    free(path);
    free(folder);
    return result;
}

int run_kind_load_resident(struct tile_machine *out, const char *name, struct mpj_err *err)
{
    char *installer;

    if (run_kind_load(out, name, err) != MPJ_E_OK)
        return err->code;
    if (out->nor.banks == 0)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "the board %s has no NOR flash, and thus no resident loader: programs "
                           "are uploaded into RAM by `mpjoule run --target`",
                           name);
    installer = run_path_installer(name);
    if (installer == NULL)
        return mpj_err_nomem(err);
    if (access(installer, F_OK) != 0)
        mpj_err_set(err, MPJ_E_USAGE,
                    "the resident loader does not support the board %s: its memory set-up is "
                    "missing (hal/board/%s/memory.S)",
                    name, name);
    else
        err->code = MPJ_E_OK;
    free(installer);
    return err->code;
}

const char *run_kind_calibration(const char *board)
{
    char *const own = strcmp(board, TILE_BOARD_DEFAULT) != 0 ? run_path_calibration(board) : NULL;
    const bool has = own != NULL && access(own, F_OK) == 0;

    free(own);
    return has ? board : TILE_CALIBRATION_DEFAULT;
}

const char *run_program_calibration(char board[TILE_NAME_SIZE], const char *elf)
{
    struct mpj_err ignored;

    return elf != NULL && mpj_image_board(board, elf, &ignored) == MPJ_E_OK
               ? run_kind_calibration(board)
               : TILE_CALIBRATION_DEFAULT;
}
