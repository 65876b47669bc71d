/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The points of a sweep: their axes, their files, and the results of measured ones. */
#include "sweep_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <jansson.h>
#include <sha2.h>

#include "base/json.h"
#include "hil/image.h"
#include "run/assumptions.h"
#include "run/cache.h"
#include "run/calibration.h"
#include "run/kinds.h"
#include "run/options.h"
#include "run/paths.h"
#include "tile_limits.h"

#define NAME_MOST  160 /* letters of a run; the endings of created files follow */
#define SUM_DIGITS 24

/* ---- what varies -------------------------------------------------------------- */

const char *run_sweep_axis_name(const struct run_sweep_axis *a)
{
    return a->calibrations ? "calibration" : a->name != NULL ? a->name : "cores";
}

static int add_value(void *ctx, const char *text, size_t len, struct mpj_err *err)
{
    struct run_sweep_axis *const a = ctx;

    if (a->values == RUN_SWEEP_VALUES_MAX)
        return mpj_err_set(err, MPJ_E_USAGE, "more than %u values", RUN_SWEEP_VALUES_MAX);
    if (a->name == NULL && (len != 1 || text[0] < '1' || text[0] > '4'))
        return mpj_err_set(err, MPJ_E_USAGE, "--cores takes numbers from 1 to 4, not \"%.*s\"",
                           (int)len, text);
    for (unsigned i = 0; i < a->values; i++) {
        if (strlen(a->value[i]) == len && strncmp(a->value[i], text, len) == 0)
            return mpj_err_set(err, MPJ_E_USAGE, "axis %s: duplicate value %s",
                               run_sweep_axis_name(a), a->value[i]);
    }
    a->value[a->values] = strndup(text, len);
    if (a->value[a->values] == NULL)
        return mpj_err_nomem(err);
    a->values++;
    return MPJ_E_OK;
}

int run_sweep_axis(struct run_sweep *s, const char *name, const char *values, struct mpj_err *err)
{
    struct run_sweep_axis *const a = &s->axis[s->axes];

    if (s->axes == RUN_SWEEP_AXES_MAX)
        return mpj_err_set(err, MPJ_E_USAGE, "more than %u options vary", RUN_SWEEP_AXES_MAX);
    if (name != NULL && name[0] == '\0')
        return mpj_err_set(err, MPJ_E_USAGE, "an environment variable has no name");
    s->axes++;
    if (name != NULL && (a->name = strdup(name)) == NULL)
        return mpj_err_nomem(err);
    for (unsigned i = 0; i + 1 < s->axes; i++) {
        if (strcmp(run_sweep_axis_name(&s->axis[i]), run_sweep_axis_name(a)) == 0)
            return mpj_err_set(err, MPJ_E_USAGE, "duplicate axis %s", run_sweep_axis_name(a));
    }
    return run_values_each(values, add_value, a, err);
}

int run_sweep_assume(struct run_sweep *s, struct mpj_err *err)
{
    struct run_assumptions set = {0};
    struct run_sweep_axis *const a = &s->axis[0];

    if (s->axes == RUN_SWEEP_AXES_MAX)
        return mpj_err_set(err, MPJ_E_USAGE, "more than %u options vary", RUN_SWEEP_AXES_MAX);
    if (run_assumptions_find(&set, err) != MPJ_E_OK) {
        run_assumptions_free(&set);
        return err->code;
    }
    memmove(a + 1, a, s->axes * sizeof(*a));
    s->axes++;
    *a = (struct run_sweep_axis){.calibrations = true, .values = set.names};
    memcpy(a->value, set.name, set.names * sizeof(*set.name)); /* they are the axis's now */
    for (unsigned i = 1; i < s->axes; i++) {
        if (strcmp(run_sweep_axis_name(&s->axis[i]), run_sweep_axis_name(a)) == 0)
            return mpj_err_set(err, MPJ_E_USAGE, "duplicate axis %s", run_sweep_axis_name(a));
    }
    return MPJ_E_OK;
}

/* ---- points ------------------------------------------------------------------- */

/* Writes a part of a file's name, from which the text can be recovered: characters with a meaning
 * for a folder, a shell or mpjoule are a percent sign and two digits. A full stop is a comma: the
 * endings of a run's files follow one, so that value 1.1 would have the second log of value 1. */
static void put_name(FILE *f, const char *text)
{
    static const char plain[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "_:+-";

    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '.')
            fputc(',', f);
        else if (strchr(plain, *c) != NULL)
            fputc(*c, f);
        else
            fprintf(f, "%%%02X", (unsigned char)*c);
    }
}

/* Builds a name with the values, so that a user finds the run; a long one ends in its sum instead.
 * Allocated; NULL: out of memory. */
static char *name_of(const struct run_sweep *s, const struct run_sweep_point *p)
{
    char sum[SHA256_DIGEST_STRING_LENGTH];
    char *name = NULL;
    size_t n = 0;
    FILE *const f = open_memstream(&name, &n);

    if (f == NULL)
        return NULL;
    fputs("/run", f);
    for (unsigned i = 0; i < s->axes; i++) {
        fputc('-', f);
        put_name(f, run_sweep_axis_name(&s->axis[i]));
        fputc('=', f);
        put_name(f, s->axis[i].value[p->index[i]]);
    }
    if (fclose(f) != 0) {
        free(name);
        return NULL;
    }
    if (n > NAME_MOST) {
        SHA256Data((const uint8_t *)name, n, sum);
        snprintf(name + NAME_MOST - SUM_DIGITS - 1, SUM_DIGITS + 2, "~%.*s", SUM_DIGITS, sum);
    }
    return name;
}

/* Writes the content of the calibration of the point's chip. */
static int put_chip(const struct run_sweep *s, const struct run_sweep_point *p, FILE *f,
                    struct mpj_err *err)
{
    char usual[TILE_NAME_SIZE];
    char *chip;
    char sum[SHA256_DIGEST_STRING_LENGTH];
    int result = MPJ_E_OK;

    if (run_sweep_on_board(s)) /* whose calibration is a name */
        return MPJ_E_OK;
    chip = run_path_calibration(run_sweep_calibration(s, p, usual));
    if (chip == NULL)
        result = mpj_err_nomem(err);
    else
        result = run_calibration_sha256(chip, sum, err);
    if (result == MPJ_E_OK)
        fprintf(f, "calibration %s\n", sum);
    free(chip);
    return result;
}

static int name_point(const struct run_sweep *s, struct run_sweep_point *p, const char *all,
                      struct mpj_err *err)
{
    size_t n = 0;
    int result;
    char *const name = name_of(s, p);
    FILE *const f = name != NULL ? open_memstream(&p->key, &n) : NULL;

    p->stem = name != NULL ? run_cache_file(s->folder, name) : NULL;
    if (f == NULL || p->stem == NULL) {
        if (f != NULL)
            fclose(f);
        free(name);
        return mpj_err_nomem(err);
    }
    free(name);
    fputs(all, f);
    for (unsigned i = 0; i < s->axes; i++) {
        if (s->axis[i].calibrations) /* put_chip() has their content */
            continue;
        fputs(s->axis[i].name != NULL ? "environment " : "cores ", f);
        run_cache_key_text(f, s->axis[i].name != NULL ? s->axis[i].name : "");
        fputc('=', f);
        run_cache_key_text(f, s->axis[i].value[p->index[i]]);
        fputc('\n', f);
    }
    result = put_chip(s, p, f, err);
    if (fclose(f) != 0 && result == MPJ_E_OK)
        result = mpj_err_nomem(err);
    return result;
}

static void put_words(FILE *f, const char *what, char *const *word, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (strncmp(word[i], "--wait=", 7) == 0)
            continue; /* nothing depends on it */
        fprintf(f, "%s ", what);
        run_cache_key_text(f, word[i]);
        fputc('\n', f);
    }
}

/* Writes the dependencies that all points share; files by their content. */
static int put_all(const struct run_sweep *s, FILE *f, struct mpj_err *err)
{
    char *const version = run_cache_version(err);
    char sum[SHA256_DIGEST_STRING_LENGTH];
    int result = version != NULL ? MPJ_E_OK : err->code;

    if (version != NULL)
        fprintf(f, "%s\nprogram %s\n", version, s->sha256);
    put_words(f, "argument", s->argv + 1, s->argc - 1);
    put_words(f, "run", s->option, s->options);
    if (result == MPJ_E_OK && s->input != NULL && SHA256File(s->input, sum) == NULL)
        result = mpj_err_errno(err, "cannot read %s, which the runs read as stdin", s->input);
    else if (result == MPJ_E_OK && s->input != NULL)
        fprintf(f, "stdin %s\n", sum);
    free(version);
    return result;
}

/* Sets stems and keys of all points. */
static int name_points(struct run_sweep *s, struct mpj_err *err)
{
    char *all = NULL;
    size_t n = 0;
    FILE *const f = open_memstream(&all, &n);
    int result = f != NULL ? put_all(s, f, err) : mpj_err_nomem(err);

    if (f != NULL && fclose(f) != 0)
        result = mpj_err_nomem(err);
    for (unsigned k = 0; k < s->points && result == MPJ_E_OK; k++)
        result = name_point(s, &s->point[k], all, err);
    free(all);
    return result;
}

/* Checks what only the emulator can do. */
static int check_target(const struct run_sweep *s, struct mpj_err *err)
{
    if (!run_sweep_on_board(s))
        return MPJ_E_OK;
    if (s->engine.kind != RUN_ENGINE_LOCAL)
        return mpj_err_set(err, MPJ_E_USAGE, "boards are used from one machine: --engine local");
    if (s->axes > 0 && s->axis[0].calibrations)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "--assumptions are those of the emulator, not of boards");
    return MPJ_E_OK;
}

/* Checks the texts that the orders of the runs have. */
static int check_texts(const struct run_sweep *s, struct mpj_err *err)
{
    int result = json_check_text("the name of the folder", s->folder, err);

    for (unsigned i = 0; i < s->argc && result == MPJ_E_OK; i++)
        result =
            json_check_text(i == 0 ? "the name of the program" : "an argument", s->argv[i], err);
    for (unsigned i = 0; i < s->options && result == MPJ_E_OK; i++)
        result = json_check_text("an option", s->option[i], err);
    for (unsigned i = 0; i < s->axes && result == MPJ_E_OK; i++) {
        result = json_check_text("an environment variable", run_sweep_axis_name(&s->axis[i]), err);
        for (unsigned v = 0; v < s->axis[i].values && result == MPJ_E_OK; v++)
            result = json_check_text("a value", s->axis[i].value[v], err);
    }
    return result;
}

int run_sweep_plan(struct run_sweep *s, struct mpj_err *err)
{
    struct mpj_image image;
    struct stat st;

    if (check_target(s, err) != MPJ_E_OK || check_texts(s, err) != MPJ_E_OK)
        return err->code;
    if (mpj_image_check(&image, s->argv[0], err) != MPJ_E_OK)
        return err->code;
    memcpy(s->sha256, image.sha256, sizeof(s->sha256));
    if (s->input != NULL && (stat(s->input, &st) != 0 || !S_ISREG(st.st_mode)))
        return mpj_err_set(err, MPJ_E_USAGE,
                           "--stdin must be a regular file, as each run reads it: %s", s->input);
    s->points = 1;
    for (unsigned i = 0; i < s->axes; i++) {
        s->points *= s->axis[i].values;
        if (s->points > RUN_SWEEP_POINTS_MAX)
            return mpj_err_set(err, MPJ_E_USAGE, "more than %u combinations", RUN_SWEEP_POINTS_MAX);
    }
    s->point = calloc(s->points, sizeof(*s->point));
    if (s->point == NULL)
        return mpj_err_nomem(err);
    for (unsigned k = 0; k < s->points; k++) {
        unsigned rest = k;
        for (unsigned i = s->axes; i-- > 0;) {
            s->point[k].index[i] = rest % s->axis[i].values;
            rest /= s->axis[i].values;
        }
    }
    return name_points(s, err);
}

const char *run_sweep_option(const struct run_sweep *s, const char *name)
{
    const size_t n = strlen(name);
    const char *found = NULL;

    for (unsigned i = 0; i < s->options; i++) {
        if (strncmp(s->option[i] + 2, name, n) == 0 && s->option[i][2 + n] == '=')
            found = s->option[i] + 2 + n + 1;
    }
    return found;
}

bool run_sweep_on_board(const struct run_sweep *s)
{
    const char *const target = run_sweep_option(s, "target");

    return target != NULL && strcmp(target, RUN_EMULATOR) != 0;
}

const char *run_sweep_calibration(const struct run_sweep *s, const struct run_sweep_point *p,
                                  char usual[TILE_NAME_SIZE])
{
    const char *const found = run_sweep_option(s, "calibration");

    if (p != NULL && s->axes > 0 && s->axis[0].calibrations)
        return s->axis[0].value[p->index[0]];
    return found != NULL ? found : run_program_calibration(usual, s->argv[0]);
}

bool run_sweep_read(struct run_sweep_point *p)
{
    char *const path = run_cache_file(p->stem, ".json");
    json_t *const root = path != NULL ? json_load_file(path, 0, NULL) : NULL;
    const json_t *const time = json_object_get(root, "time_s");
    const json_t *const energy =
        json_object_get(json_object_get(json_object_get(root, "adc"), "processor"), "energy_uj");
    const bool ok = time != NULL;

    p->time_s = json_number_value(time);
    p->have_energy = energy != NULL;
    p->has_power = json_array_size(json_object_get(json_object_get(root, "machine"), "power")) > 0;
    p->energy_uj = json_number_value(energy);
    json_decref(root);
    free(path);
    return ok;
}

void run_sweep_free(struct run_sweep *s)
{
    for (unsigned k = 0; s->point != NULL && k < s->points; k++) {
        free(s->point[k].stem);
        free(s->point[k].key);
    }
    free(s->point);
    for (unsigned i = 0; i < s->axes; i++) {
        free(s->axis[i].name);
        for (unsigned v = 0; v < s->axis[i].values; v++)
            free(s->axis[i].value[v]);
    }
    for (unsigned i = 0; i < s->options; i++)
        free(s->option[i]);
}
