/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads files of figures: calibrations, and the laws that change them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "explore_int.h"

#define INCLUDES_MAX 8U

static int read_file(json_t *out, const char *path, unsigned depth, struct mpj_err *err);

/* Includes a file, relative to the one that includes it. */
static int include(json_t *out, const char *path, const char *name, unsigned depth,
                   struct mpj_err *err)
{
    const char *const slash = name[0] != '/' ? strrchr(path, '/') : NULL;
    char *other;
    int result;

    if (depth == INCLUDES_MAX)
        return mpj_err_set(err, MPJ_E_USAGE, "%s includes itself", path);
    if (asprintf(&other, "%.*s%s", slash != NULL ? (int)(slash - path) + 1 : 0, path, name) < 0)
        return mpj_err_nomem(err);
    result = read_file(out, other, depth + 1, err);
    free(other);
    return result;
}

static bool number(const char *text, double *out)
{
    char *end;

    *out = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*out);
}

static int read_line(json_t *out, const char *path, unsigned n, char *line, unsigned depth,
                     struct mpj_err *err)
{
    char key[64];
    char value[256];
    double v;

    line[strcspn(line, "#\n")] = '\0';
    if (line[strspn(line, " \t\r")] == '\0')
        return MPJ_E_OK;
    if (sscanf(line, " include %255s", value) == 1)
        return include(out, path, value, depth, err);
    if (sscanf(line, " %63[a-z0-9_] = %255[^\r]", key, value) != 2)
        return mpj_err_set(err, MPJ_E_USAGE, "%s:%u: expected \"key = value\"", path, n);
    for (size_t len = strlen(value); len > 0 && strchr(" \t", value[len - 1]) != NULL; len--)
        value[len - 1] = '\0';
    if (strcmp(key, "name") == 0 || strcmp(key, "vary") == 0) {
        if (json_object_set_new(out, key, json_string(value)) != 0)
            return mpj_err_set(err, MPJ_E_USAGE, "%s:%u: %s is not UTF-8", path, n, key);
    } else if (!number(value, &v)) {
        return mpj_err_set(err, MPJ_E_USAGE, "%s:%u: %s: expected a number, got \"%s\"", path, n,
                           key, value);
    } else if (json_object_set_new(out, key, json_real(v)) != 0) {
        return mpj_err_nomem(err);
    }
    return MPJ_E_OK;
}

static int read_file(json_t *out, const char *path, unsigned depth, struct mpj_err *err)
{
    FILE *const f = mpj_file_text(path, err);
    char *line = NULL;
    size_t size = 0;
    unsigned n = 0;
    int result = MPJ_E_OK;

    if (f == NULL)
        return err->code;
    while (result == MPJ_E_OK && getline(&line, &size, f) > 0)
        result = read_line(out, path, ++n, line, depth, err);
    free(line);
    fclose(f);
    return result;
}

json_t *run_explore_read(const char *file, struct mpj_err *err)
{
    json_t *const out = json_object();

    if (out == NULL) {
        mpj_err_nomem(err);
    } else if (read_file(out, file, 0, err) != MPJ_E_OK) {
        json_decref(out);
        return NULL;
    }
    return out;
}
