/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models by name, and the model of a target and a calibration. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "models/model.h"

static const char *const folders[] = {"fitted", "published"};

static int is_model(const struct dirent *e)
{
    const size_t n = strlen(e->d_name);

    return n > 5 && e->d_name[0] != '.' && strcmp(e->d_name + n - 5, ".json") == 0;
}

/* Lists the names of the available models, separated by commas. */
static void names(char *out, size_t size, const char *root)
{
    size_t at = 0;

    out[0] = '\0';
    for (size_t f = 0; f < sizeof(folders) / sizeof(folders[0]); f++) {
        char path[PATH_MAX];
        struct dirent **e;
        int n;
        snprintf(path, sizeof(path), "%s/%s", root, folders[f]);
        n = scandir(path, &e, is_model, alphasort);
        for (int i = 0; i < n; i++) {
            const int len = (int)strlen(e[i]->d_name) - 5;
            if (at < size)
                at += (size_t)snprintf(out + at, size - at, "%s%.*s", at > 0 ? ", " : "", len,
                                       e[i]->d_name);
            free(e[i]);
        }
        if (n >= 0)
            free(e);
    }
}

int mpj_model_find(struct mpj_model *out, const char *root, const char *name, struct mpj_err *err)
{
    char there[300];

    if (strchr(name, '/') != NULL || strstr(name, ".json") != NULL)
        return mpj_model_load(out, name, err);
    for (size_t f = 0; f < sizeof(folders) / sizeof(folders[0]); f++) {
        char path[PATH_MAX];
        snprintf(path, sizeof(path), "%s/%s/%s.json", root, folders[f], name);
        if (access(path, F_OK) == 0)
            return mpj_model_load(out, path, err);
    }
    names(there, sizeof(there), root);
    return mpj_err_set(err, MPJ_E_USAGE, "unknown model \"%s\" (known: %s)", name,
                       there[0] != '\0' ? there : "none");
}

int mpj_model_default(struct mpj_model *out, bool *found, const char *root, const char *target,
                      const char *calibration, struct mpj_err *err)
{
    char path[PATH_MAX];
    struct dirent **e;
    int result = MPJ_E_OK;
    int n;

    *found = false;
    if (target == NULL || calibration == NULL)
        return MPJ_E_OK;
    snprintf(path, sizeof(path), "%s/%s", root, folders[0]);
    n = scandir(path, &e, is_model, alphasort);
    for (int i = 0; i < n; i++) {
        if (!*found && result == MPJ_E_OK) {
            snprintf(path, sizeof(path), "%s/%s/%s", root, folders[0], e[i]->d_name);
            result = mpj_model_load(out, path, err);
            *found = result == MPJ_E_OK && strcmp(out->target, target) == 0 &&
                     strcmp(out->calibration, calibration) == 0;
        }
        free(e[i]);
    }
    if (n >= 0)
        free(e);
    return result;
}

int mpj_model_published(struct mpj_model **out, size_t *count, const char *root,
                        struct mpj_err *err)
{
    char path[PATH_MAX];
    struct dirent **e;
    int result = MPJ_E_OK;
    int n;

    *count = 0;
    snprintf(path, sizeof(path), "%s/%s", root, folders[1]);
    n = scandir(path, &e, is_model, alphasort);
    *out = calloc(n > 0 ? (size_t)n : 1, sizeof(**out));
    if (*out == NULL)
        result = mpj_err_nomem(err);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof(path), "%s/%s/%s", root, folders[1], e[i]->d_name);
        if (result == MPJ_E_OK)
            result = mpj_model_load(&(*out)[(*count)++], path, err);
        free(e[i]);
    }
    if (n >= 0)
        free(e);
    if (result != MPJ_E_OK) {
        free(*out);
        *out = NULL;
    }
    return result;
}
