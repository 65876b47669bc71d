/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "base/file.h"
#include "run/calibration.h"
#include "run/options.h"
#include "run/paths.h"

#define INCLUDES_MAX 8U /* depth of sources that include others */

int run_inputs_file(const struct run_inputs *r, const char *path, struct mpj_err *err)
{
    return path == NULL || path[0] == '\0' ? MPJ_E_OK : r->take(r->ctx, path, err);
}

/* ---- files that include others ------------------------------------------------------- */

/* Passes on the files that run_calibration_files() finds; an error of its own is not reported
 * here. */
struct found {
    const struct run_inputs *r;
    int result; /* of take() */
};

static int take_found(void *ctx, const char *path, struct mpj_err *err)
{
    struct found *const f = ctx;

    f->result = run_inputs_file(f->r, path, err);
    return f->result;
}

int run_inputs_lines(const struct run_inputs *r, const char *path, struct mpj_err *err)
{
    struct found f = {r, MPJ_E_OK};

    if (run_calibration_files(path, take_found, &f, err) == MPJ_E_NOMEM)
        return MPJ_E_NOMEM;
    return f.result;
}

int run_inputs_calibration(const struct run_inputs *r, const char *name, struct mpj_err *err)
{
    char *const path = name != NULL ? run_path_calibration(name) : NULL;
    int result = MPJ_E_OK;

    if (name != NULL && path == NULL)
        return mpj_err_nomem(err);
    if (path != NULL && strcmp(name, RUN_NO_MODEL) != 0)
        result = run_inputs_lines(r, path, err);
    free(path);
    return result;
}

/* Sources that were listed, by name. */
struct sources {
    const struct run_inputs *r;
    json_t *seen;
};

static int take_source(const struct sources *s, const char *path, unsigned depth,
                       struct mpj_err *err);

/* Takes the file that a line of a source includes. */
static int take_include(const struct sources *s, const char *path, const char *line, unsigned depth,
                        struct mpj_err *err)
{
    const char *const slash = strrchr(path, '/');
    char name[512];
    char *other;
    int result;

    if (sscanf(line, " # include \"%511[^\"\n]", name) != 1)
        return MPJ_E_OK;
    if (asprintf(&other, "%.*s%s", name[0] != '/' && slash != NULL ? (int)(slash - path) + 1 : 0,
                 path, name) < 0)
        return mpj_err_nomem(err);
    result = access(other, F_OK) == 0 ? take_source(s, other, depth + 1, err) : MPJ_E_OK;
    free(other);
    return result;
}

static int take_source(const struct sources *s, const char *path, unsigned depth,
                       struct mpj_err *err)
{
    int result = run_inputs_file(s->r, path, err);
    char *line = NULL;
    size_t size = 0;
    FILE *f;
    int fd;

    if (result != MPJ_E_OK || depth == INCLUDES_MAX || json_object_get(s->seen, path) != NULL)
        return result;
    json_object_set_new(s->seen, path, json_true());
    fd = mpj_file_open(path);
    f = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (f == NULL && fd >= 0)
        close(fd);
    while (f != NULL && result == MPJ_E_OK && getline(&line, &size, f) > 0)
        result = take_include(s, path, line, depth, err);
    if (f != NULL)
        fclose(f);
    free(line);
    return result;
}

/* Returns the word as the compiler finds it. Allocated; NULL: out of memory. */
static char *placed(const char *folder, const char *word)
{
    const bool here = folder == NULL || word[0] == '/';
    char *out;

    return asprintf(&out, "%s%s%s", here ? "" : folder, here ? "" : "/", word) < 0 ? NULL : out;
}

static int take_words(const struct run_inputs *r, const char *folder, char *words,
                      struct mpj_err *err)
{
    const char *word;
    int result = MPJ_E_OK;

    while (result == MPJ_E_OK && (word = strsep(&words, " \t\n")) != NULL) {
        char *const path = placed(folder, word);
        if (path == NULL)
            result = mpj_err_nomem(err);
        else if (word[0] != '\0' && word[0] != '-')
            result = run_inputs_file(r, path, err);
        free(path);
    }
    return result;
}

int run_inputs_source(const struct run_inputs *r, const char *folder, const char *source,
                      const char *options, struct mpj_err *err)
{
    const struct sources s = {r, json_object()};
    char *const words = strdup(options);
    char *const path = source != NULL ? placed(folder, source) : NULL;
    int result = MPJ_E_OK;

    if (s.seen == NULL || words == NULL || (source != NULL && path == NULL))
        result = mpj_err_nomem(err);
    if (result == MPJ_E_OK && path != NULL)
        result = take_source(&s, path, 0, err);
    if (result == MPJ_E_OK)
        result = take_words(r, folder, words, err);
    free(path);
    free(words);
    json_decref(s.seen);
    return result;
}

/* ---- a run ---------------------------------------------------------------------------- */

int run_inputs_options(const struct run_inputs *r, const struct run_options *o, struct mpj_err *err)
{
    const char *const file[] = {o->elf, o->input, o->model, o->predictor, o->boards};

    for (size_t i = 0; i < sizeof(file) / sizeof(file[0]); i++) {
        if (run_inputs_file(r, file[i], err) != MPJ_E_OK)
            return err->code;
    }
    return run_inputs_calibration(r, o->calibration, err);
}
