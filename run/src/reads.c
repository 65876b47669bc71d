/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reads_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "base/file.h"
#include "run/calibration.h"
#include "run/explore.h"
#include "run/gate.h"
#include "run/options.h"
#include "run/paths.h"
#include "run/sweep.h"
#include "sweep_int.h"
#include "tune_int.h"

#define INCLUDES_MAX 8U /* depth of sources that include others */

static int no_memory(struct mpj_err *err)
{
    return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
}

static int take(const struct run_reads *r, const char *path, struct mpj_err *err)
{
    return path == NULL || path[0] == '\0' ? MPJ_E_OK : r->take(r->ctx, path, err);
}

/* ---- files that include others ------------------------------------------------------- */

/* Passes on the files that run_calibration_files() finds; an error of its own is not reported
 * here. */
struct found {
    const struct run_reads *r;
    int result; /* of take() */
};

static int take_found(void *ctx, const char *path, struct mpj_err *err)
{
    struct found *const f = ctx;

    f->result = take(f->r, path, err);
    return f->result;
}

static int take_lines(const struct run_reads *r, const char *path, struct mpj_err *err)
{
    struct found f = {r, MPJ_E_OK};

    if (run_calibration_files(path, take_found, &f, err) == MPJ_E_NOMEM)
        return MPJ_E_NOMEM;
    return f.result;
}

/* Takes a calibration by name or path. */
static int take_calibration(const struct run_reads *r, const char *name, struct mpj_err *err)
{
    char *const path = name != NULL ? run_path_calibration(name) : NULL;
    int result = MPJ_E_OK;

    if (name != NULL && path == NULL)
        return no_memory(err);
    if (path != NULL && strcmp(name, RUN_NO_MODEL) != 0)
        result = take_lines(r, path, err);
    free(path);
    return result;
}

/* Sources that were listed, by name. */
struct sources {
    const struct run_reads *r;
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
        return no_memory(err);
    result = access(other, F_OK) == 0 ? take_source(s, other, depth + 1, err) : MPJ_E_OK;
    free(other);
    return result;
}

static int take_source(const struct sources *s, const char *path, unsigned depth,
                       struct mpj_err *err)
{
    int result = take(s->r, path, err);
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

static int take_words(const struct run_reads *r, const char *folder, char *words,
                      struct mpj_err *err)
{
    const char *word;
    int result = MPJ_E_OK;

    while (result == MPJ_E_OK && (word = strsep(&words, " \t\n")) != NULL) {
        char *const path = placed(folder, word);
        if (path == NULL)
            result = no_memory(err);
        else if (word[0] != '\0' && word[0] != '-')
            result = take(r, path, err);
        free(path);
    }
    return result;
}

int run_reads_source(const struct run_reads *r, const char *folder, const char *source,
                     const char *options, struct mpj_err *err)
{
    const struct sources s = {r, json_object()};
    char *const words = strdup(options);
    char *const path = source != NULL ? placed(folder, source) : NULL;
    int result = MPJ_E_OK;

    if (s.seen == NULL || words == NULL || (source != NULL && path == NULL))
        result = no_memory(err);
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

int run_reads_options(const struct run_reads *r, const struct run_options *o, struct mpj_err *err)
{
    const char *const file[] = {o->elf, o->input, o->model, o->predictor, o->boards};

    for (size_t i = 0; i < sizeof(file) / sizeof(file[0]); i++) {
        if (take(r, file[i], err) != MPJ_E_OK)
            return err->code;
    }
    return take_calibration(r, o->calibration, err);
}

int run_reads_sweep(const struct run_reads *r, const struct run_sweep *s, struct mpj_err *err)
{
    char usual[TILE_NAME_SIZE];

    if (take(r, s->argv[0], err) != MPJ_E_OK || take(r, s->input, err) != MPJ_E_OK)
        return err->code;
    for (unsigned i = 0; s->axes > 0 && s->axis[0].calibrations && i < s->axis[0].values; i++) {
        if (take_calibration(r, s->axis[0].value[i], err) != MPJ_E_OK)
            return err->code;
    }
    return take_calibration(r, run_sweep_calibration(s, NULL, usual), err);
}

/* ---- a tune --------------------------------------------------------------------------- */

/* Takes a text whose {AXIS} are replaced. */
typedef int take_text(const struct run_reads *r, const char *text, struct mpj_err *err);

/* Advances to the next values of the axes that the text names; false: there are none. */
static bool next(const struct run_tune *t, const char *text, struct run_tune_point *p)
{
    for (unsigned a = 0; a < t->axes; a++) {
        const size_t len = strlen(t->axis[a].name);
        const char *at = text;
        while ((at = strchr(at, '{')) != NULL &&
               (strncmp(at + 1, t->axis[a].name, len) != 0 || at[len + 1] != '}'))
            at++;
        if (at == NULL)
            continue;
        if (++p->index[a] < t->axis[a].values)
            return true;
        p->index[a] = 0;
    }
    return false;
}

/* Takes the text with each value that its axes have. */
static int take_filled(const struct run_reads *r, const struct run_tune *t, const char *text,
                       take_text *how, struct mpj_err *err)
{
    struct run_tune_point p = {.index = {0}};
    int result = MPJ_E_OK;
    unsigned n = 0;

    if (text == NULL)
        return MPJ_E_OK;
    do {
        char *const whole = run_tune_fill(t, &p, text);
        result = whole != NULL ? how(r, whole, err) : no_memory(err);
        free(whole);
    } while (result == MPJ_E_OK && ++n < RUN_TUNE_POINTS_MAX && next(t, text, &p));
    return result;
}

static int take_options(const struct run_reads *r, const char *words, struct mpj_err *err)
{
    return run_reads_source(r, NULL, NULL, words, err);
}

static int take_sources(const struct run_reads *r, const struct run_tune *t, struct mpj_err *err)
{
    int result = take_filled(r, t, t->compiler, take_options, err);

    for (unsigned i = 0; i < t->source.n && result == MPJ_E_OK; i++) {
        result = run_reads_source(r, NULL, t->source.at[i].name, "", err);
        if (result == MPJ_E_OK)
            result = take_filled(r, t, t->source.at[i].text, take_options, err);
    }
    return result;
}

int run_reads_tune(const struct run_reads *r, const struct run_tune *t, struct mpj_err *err)
{
    int result = take(r, t->program, err);
    bool chip = false;

    if (result == MPJ_E_OK)
        result = take_sources(r, t, err);
    for (unsigned i = 0; i < t->option.n && result == MPJ_E_OK; i++) {
        const char *const name = t->option.at[i].name;
        if (strcmp(name, "stdin") == 0 || strcmp(name, "boards") == 0)
            result = take_filled(r, t, t->option.at[i].text, take, err);
        if (strcmp(name, "calibration") != 0)
            continue;
        chip = true;
        result = take_filled(r, t, t->option.at[i].text, take_calibration, err);
    }
    return result == MPJ_E_OK && !chip ? take_calibration(r, TILE_CALIBRATION_DEFAULT, err)
                                       : result;
}

int run_reads_explore(const struct run_reads *r, const struct run_explore *x, struct mpj_err *err)
{
    char *const usual = x->laws == NULL ? run_path_laws() : NULL;
    const char *const laws = x->laws != NULL ? x->laws : usual;
    int result = laws != NULL ? take_lines(r, laws, err) : no_memory(err);

    if (result == MPJ_E_OK)
        result = run_reads_tune(r, &x->tune, err);
    free(usual);
    return result;
}

int run_reads_gate(const struct run_reads *r, const struct run_gate *g, struct mpj_err *err)
{
    int result = take(r, g->file, err);

    if (result == MPJ_E_OK && !g->update)
        result = take(r, g->baseline != NULL ? g->baseline : RUN_GATE_BASELINE, err);
    if (result == MPJ_E_OK)
        result = take(r, g->boards, err);
    for (unsigned i = 0; i < g->programs && result == MPJ_E_OK; i++)
        result = run_reads_tune(r, &g->program[i].tune, err);
    return result;
}
