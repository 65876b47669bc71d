/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/assumptions.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpj_chip.h"
#include "run/calibration.h"
#include "run/paths.h"
#include "tile_limits.h"

#define END ".conf"

static int is_member(const struct dirent *entry)
{
    const size_t n = strlen(entry->d_name);

    return entry->d_name[0] != '.' && n > sizeof(END) - 1 &&
           strcmp(entry->d_name + n - (sizeof(END) - 1), END) == 0;
}

static int count(void *ctx, const char *path, struct mpj_err *err)
{
    (void)path;
    (void)err;
    ++*(unsigned *)ctx;
    return MPJ_E_OK;
}

/* Checks a calibration as the chip model reads it, whose name is that of its file. */
static int check_chip(const char *name, const char *path, struct mpj_err *err)
{
    const struct mpj_config config = {
        .calibration = path, .seed = TILE_SEED_DEFAULT, .ram_bytes = 4096};
    struct mpj_chip *chip = NULL;
    char text[sizeof(err->text)];
    int result = MPJ_E_OK;

    if (mpj_chip_new(&chip, &config, text, sizeof(text)) != MPJ_OK)
        return mpj_err_set(err, MPJ_E_USAGE, "%s", text);
    if (name == NULL || strcmp(mpj_chip_calibration(chip), name) != 0)
        result = mpj_err_set(err, MPJ_E_USAGE, "%s: name: expected the file's name %s, not %s",
                             path, name != NULL ? name : "?", mpj_chip_calibration(chip));
    mpj_chip_free(chip);
    return result;
}

static int check_base(const char *path, struct mpj_err *err)
{
    unsigned files = 0;

    if (run_calibration_files(path, count, &files, err) != MPJ_E_OK)
        return err->code;
    return files > 1
               ? MPJ_E_OK
               : mpj_err_set(err, MPJ_E_USAGE,
                             "%s: no base: expected a line 'include' with a calibration", path);
}

/* Adds a member. folder: of the members; NULL: the default calibration, which is not one of them.
 * Takes the name. */
static int add(struct run_assumptions *a, char *name, const char *folder, struct mpj_err *err)
{
    char *const path = name != NULL ? run_path_calibration(name) : NULL;
    int result = MPJ_E_OK;

    if (path == NULL)
        result = mpj_err_nomem(err);
    else if (folder != NULL && strncmp(path, folder, strlen(folder)) != 0)
        result = mpj_err_set(err, MPJ_E_USAGE, "%s/%s" END ": %s is the name of %s", folder, name,
                             name, path);
    else if (a->names == RUN_ASSUMPTIONS_MAX)
        result = mpj_err_set(err, MPJ_E_USAGE, "more than %u calibrations in %s",
                             RUN_ASSUMPTIONS_MAX - 1U, folder);
    if (result == MPJ_E_OK)
        result = check_chip(name, path, err);
    if (result == MPJ_E_OK && folder != NULL)
        result = check_base(path, err);
    free(path);
    if (result == MPJ_E_OK)
        a->name[a->names++] = name;
    else
        free(name);
    return result;
}

static int read_folder(struct run_assumptions *a, const char *folder, struct mpj_err *err)
{
    struct dirent **entry = NULL;
    const int n = folder != NULL ? scandir(folder, &entry, is_member, alphasort) : -1;
    int result = MPJ_E_OK;

    if (n < 0)
        return mpj_err_errno(err, "cannot read the assumptions in %s", folder);
    for (int i = 0; i < n; i++) {
        if (result == MPJ_E_OK)
            result = add(a, strndup(entry[i]->d_name, strlen(entry[i]->d_name) - (sizeof(END) - 1)),
                         folder, err);
        free(entry[i]);
    }
    free(entry);
    if (result == MPJ_E_OK && n == 0)
        result = mpj_err_set(err, MPJ_E_USAGE, "no calibrations (*" END ") in %s", folder);
    return result;
}

int run_assumptions_find(struct run_assumptions *a, struct mpj_err *err)
{
    char *const folder = run_path_assumptions();
    int result = add(a, strdup(TILE_CALIBRATION_DEFAULT), NULL, err);

    if (result == MPJ_E_OK && folder == NULL)
        result = mpj_err_nomem(err);
    if (result == MPJ_E_OK)
        result = read_folder(a, folder, err);
    free(folder);
    return result;
}

void run_assumptions_free(struct run_assumptions *a)
{
    for (unsigned i = 0; i < a->names; i++)
        free(a->name[i]);
    a->names = 0;
}
