/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A point of a tune: its dependencies, its run, and its kept results. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sha2.h>

#include "base/file.h"
#include "base/json.h"
#include "batch/orders.h"
#include "hil/target.h"
#include "run/cache.h"
#include "run/calibration.h"
#include "run/kinds.h"
#include "run/options.h"
#include "run/paths.h"
#include "tune_int.h"

#define SUM    "sum"
#define DIGITS 12 /* of figures in files: fewer than a double has, so reading changes none */

/* ---- what it depends on -------------------------------------------------------------- */

const char *run_tune_option(const struct run_tune *t, const char *name)
{
    for (unsigned i = 0; i < t->option.n; i++) {
        if (strcmp(t->option.at[i].name, name) == 0)
            return t->option.at[i].text;
    }
    return NULL;
}

bool run_tune_on_board(const struct run_tune *t)
{
    const char *const target = run_tune_option(t, "target");

    return target != NULL && strcmp(target, RUN_EMULATOR) != 0;
}

/* Returns the file of the point's calibration, before its keys are changed. Allocated. */
static char *calibration(const struct run_tune *t, const struct run_tune_point *p)
{
    const char *const given = run_tune_option(t, "calibration");
    char usual[TILE_NAME_SIZE];
    char *const name = run_tune_fill(
        t, p, given != NULL ? given : run_program_calibration(usual, t->build[p->build].elf));
    char *const path = name != NULL ? run_path_calibration(name) : NULL;

    free(name);
    return path;
}

static void put_list(const struct run_tune *t, const struct run_tune_point *p, FILE *f,
                     const char *what, const struct run_tune_list *l)
{
    for (unsigned i = 0; i < l->n; i++) {
        if (l == &t->option && strcmp(l->at[i].name, "wait") == 0)
            continue; /* nothing depends on it */
        char *const text = run_tune_fill(t, p, l->at[i].text);
        fprintf(f, "%s ", what);
        run_cache_key_text(f, l->at[i].name != NULL ? l->at[i].name : "");
        fputc('=', f);
        run_cache_key_text(f, text != NULL ? text : "");
        fputc('\n', f);
        free(text);
    }
}

/* Returns all keys of the calibration that the point changes, a line each. Allocated. */
static char *chip_text(const struct run_tune *t, const struct run_tune_point *p)
{
    char *const lines = t->chip_lines != NULL ? t->chip_lines(t->chip_ctx, t, p) : strdup("");
    char *out = NULL;
    size_t n = 0;
    FILE *const f = lines != NULL ? open_memstream(&out, &n) : NULL;

    if (f != NULL) {
        for (unsigned i = 0; i < t->chip.n; i++) {
            char *const value = run_tune_fill(t, p, t->chip.at[i].text);
            fprintf(f, "%s = %s\n", t->chip.at[i].name, value != NULL ? value : "");
            free(value);
        }
        fputs(lines, f);
        fclose(f);
    }
    free(lines);
    return out;
}

/* Writes the content of the run's stdin. */
static int put_input(const struct run_tune *t, const struct run_tune_point *p, FILE *f,
                     struct mpj_err *err)
{
    const char *const given = run_tune_option(t, "stdin");
    char *const path = given != NULL ? run_tune_fill(t, p, given) : NULL;
    char sum[SHA256_DIGEST_STRING_LENGTH];

    err->code = MPJ_E_OK;
    if (path != NULL && SHA256File(path, sum) == NULL)
        mpj_err_errno(err, "cannot read %s, which the runs read as stdin", path);
    else if (path != NULL)
        fprintf(f, "stdin %s\n", sum);
    free(path);
    return err->code;
}

int run_tune_name(const struct run_tune *t, struct run_tune_point *p, const char *version,
                  struct mpj_err *err)
{
    char *const chip = calibration(t, p);
    char *const keys = chip_text(t, p);
    char content[65];
    char sum[SHA256_DIGEST_STRING_LENGTH];
    size_t n = 0;
    FILE *const f = open_memstream(&p->key, &n);
    int result = MPJ_E_OK;

    if (f == NULL || chip == NULL || keys == NULL) {
        if (f != NULL)
            fclose(f);
        free(chip);
        free(keys);
        return mpj_err_nomem(err);
    }
    fprintf(f, "%s\nprogram %s\n", version, t->build[p->build].sha256);
    put_list(t, p, f, "argument", &t->argument);
    put_list(t, p, f, "environment", &t->environment);
    put_list(t, p, f, "run", &t->option);
    if (keys[0] != '\0')
        fprintf(f, "chip\n%s", keys);
    free(keys);
    if (t->compare)
        fputs("compare: functions, instructions, sample 2\n", f);
    if (!run_tune_on_board(t)) /* whose calibration is a name */
        result = run_calibration_sha256(chip, content, err);
    if (result == MPJ_E_OK && !run_tune_on_board(t))
        fprintf(f, "calibration %s\n", content);
    free(chip);
    if (result == MPJ_E_OK)
        result = put_input(t, p, f, err);
    if (fclose(f) != 0 && result == MPJ_E_OK)
        result = mpj_err_nomem(err);
    if (result != MPJ_E_OK)
        return result;
    SHA256Data((const uint8_t *)p->key, n, sum);
    return asprintf(&p->stem, "%s/points/%.24s", t->folder, sum) < 0 ? mpj_err_nomem(err)
                                                                     : MPJ_E_OK;
}

/* ---- its run --------------------------------------------------------------------------- */

/* Appends PREFIXtext with the point's values. */
static int add(const struct run_tune *t, const struct run_tune_point *p, json_t *words,
               const char *prefix, const char *text, struct mpj_err *err)
{
    char *const value = run_tune_fill(t, p, text);
    const int failed =
        value != NULL ? json_array_append_new(words, json_sprintf("%s%s", prefix, value)) : -1;

    free(value);
    return failed == 0 ? MPJ_E_OK
                       : mpj_err_set(err, MPJ_E_USAGE, "%s%s is not UTF-8", prefix, text);
}

/* Adds each of a list as PREFIX, its name, an equals sign, its text. */
static int add_list(const struct run_tune *t, const struct run_tune_point *p, json_t *words,
                    const char *prefix, const struct run_tune_list *l, struct mpj_err *err)
{
    int result = MPJ_E_OK;

    for (unsigned i = 0; i < l->n && result == MPJ_E_OK; i++) {
        char start[160] = "";
        if (l->at[i].name != NULL)
            snprintf(start, sizeof(start), "%s%s=", prefix, l->at[i].name);
        result = add(t, p, words, start, l->at[i].text, err);
    }
    return result;
}

static int add_options(const struct run_tune *t, const struct run_tune_point *p,
                       const struct mpj_emulator_bound *bound, unsigned bounds, json_t *words,
                       struct mpj_err *err)
{
    if (t->compare && !run_tune_on_board(t)) {
        json_array_append_new(words, json_string("--functions"));
        json_array_append_new(words,
                              json_string("--instructions")); /* of what is inlined as well */
    }
    if (add_list(t, p, words, "--", &t->option, err) != MPJ_E_OK ||
        add_list(t, p, words, "--env=", &t->environment, err) != MPJ_E_OK)
        return err->code;
    for (unsigned i = 0; i < bounds; i++) {
        char text[64]; /* jansson's formats know no precision */
        snprintf(text, sizeof(text), "--bound=%.9g:%.9g", bound[i].time_s, bound[i].energy_j);
        json_array_append_new(words, json_string(text));
    }
    return MPJ_E_OK;
}

static int add_files(const struct run_tune *t, const struct run_tune_point *p, json_t *o,
                     struct mpj_err *err)
{
    const char *const given = run_tune_option(t, "calibration");
    const char *const input = run_tune_option(t, "stdin");
    const struct run_tune_build *const b = &t->build[p->build];
    char usual[TILE_NAME_SIZE];
    char *const chip =
        run_tune_fill(t, p, given != NULL ? given : run_program_calibration(usual, b->elf));
    char *const read = input != NULL ? run_tune_fill(t, p, input) : NULL;

    err->code = MPJ_E_OK;
    json_put_text(o, "calibration", chip);
    run_order_file(o, b->elf, b->sha256, err);
    if (read != NULL && err->code == MPJ_E_OK)
        run_order_file(o, read, NULL, err);
    free(chip);
    free(read);
    return err->code;
}

/* Adds the lines of a calibration of the point's own, if it has any. */
static int add_chip(const struct run_tune *t, const struct run_tune_point *p, json_t *o,
                    struct mpj_err *err)
{
    char *const keys = chip_text(t, p);
    json_t *const lines = json_array();

    if (keys == NULL) {
        json_decref(lines);
        return mpj_err_nomem(err);
    }
    for (char *save = NULL, *line = strtok_r(keys, "\n", &save); line != NULL;
         line = strtok_r(NULL, "\n", &save))
        json_array_append_new(lines, json_string(line));
    if (json_array_size(lines) > 0)
        json_object_set(o, "chip", lines);
    json_decref(lines);
    free(keys);
    return MPJ_E_OK;
}

json_t *run_tune_order(const struct run_tune *t, const struct run_tune_point *p,
                       const struct mpj_emulator_bound *bound, unsigned bounds, struct mpj_err *err)
{
    json_t *const o = json_object();
    json_t *const options = json_array();
    json_t *const arguments = json_array();
    int result;

    json_put_text(o, "key", strrchr(p->stem, '/') + 1);
    json_put_text(o, "stem", p->stem);
    json_put_text(o, "elf", t->build[p->build].elf);
    json_object_set_new(o, "options", options);
    json_object_set_new(o, "arguments", arguments);
    json_object_set_new(o, "figures", json_true());
    json_object_set_new(o, "keep", json_boolean(t->keep));
    json_object_set_new(o, "store", json_boolean(t->compare));
    result = add_options(t, p, bound, bounds, options, err);
    if (result == MPJ_E_OK)
        result = add_list(t, p, arguments, "", &t->argument, err);
    if (result == MPJ_E_OK)
        result = add_chip(t, p, o, err);
    if (result == MPJ_E_OK)
        result = add_files(t, p, o, err);
    if (result == MPJ_E_OK)
        return o;
    json_decref(o);
    return NULL;
}

/* Returns a copy with a checksum of its other members, as "sum". NULL: out of memory. */
static json_t *with_sum(const json_t *point)
{
    json_t *const o = json_deep_copy(point);
    char sum[SHA256_DIGEST_STRING_LENGTH];
    char *text;

    json_object_del(o, SUM);
    text = json_dumps(o, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(DIGITS));
    if (text == NULL) {
        json_decref(o);
        return NULL;
    }
    SHA256Data((const uint8_t *)text, strlen(text), sum);
    free(text);
    json_put_text(o, SUM, sum);
    return o;
}

/* True if the file is whole and of this version, and no figure was changed by hand. */
static bool is_valid(const json_t *o)
{
    const char *const schema = json_string_value(json_object_get(o, "schema"));
    json_t *const summed = json_is_object(o) ? with_sum(o) : NULL;
    const bool same =
        schema != NULL && strcmp(schema, RUN_POINT_SCHEMA) == 0 && json_equal(summed, o);

    json_decref(summed);
    return same;
}

static int put_json(const void *what, FILE *f, struct mpj_err *err)
{
    json_t *const o = with_sum(what);

    return o != NULL ? json_write(o, f, err) : mpj_err_nomem(err);
}

int run_tune_keep(const struct run_tune_point *p, const json_t *result, struct mpj_err *err)
{
    const json_t *const point = json_object_get(result, "point");
    char *const file = run_cache_file(p->stem, ".json");
    char *const failed = run_cache_file(p->stem, RUN_TUNE_FAILURE);
    int code = MPJ_E_OK;

    if (file == NULL || failed == NULL) {
        code = mpj_err_nomem(err);
    } else if (!json_is_true(json_object_get(result, "same"))) {
        code = mpj_file_replace(failed, put_json, point, err); /* an older result stays */
    } else {
        run_cache_invalidate(p->stem);
        unlink(failed);
        code = mpj_file_replace(file, put_json, point, err);
        if (code == MPJ_E_OK)
            run_cache_put(p->stem, p->key);
    }
    if (code == MPJ_E_OK && json_is_true(json_object_get(result, "whole")))
        run_cache_forget(p->stem);
    free(failed);
    free(file);
    return code;
}

/* True if the point was measured by us, but ended before the ADC was read. */
static bool too_short(const struct run_tune *t, const struct run_tune_point *p)
{
    return t->talk != RUN_TUNE_ASK && t->landscape == NULL &&
           json_object_get(p->figures, "time") != NULL &&
           json_object_get(p->figures, "energy") == NULL;
}

int run_tune_judge(const struct run_tune *t, struct run_tune_point *p, struct mpj_err *err)
{
    const struct run_tune_exprs *const e = &t->work->exprs;
    double v;

    p->time_s = json_number_value(json_object_get(p->figures, "time"));
    p->energy_j = json_number_value(json_object_get(p->figures, "energy"));
    p->state = RUN_TUNE_MEASURED;
    for (unsigned i = 0; i < t->objective.n; i++) {
        if (run_tune_value(&e->objective[i], t, p, p->figures, &p->objective[i]) ||
            p->state != RUN_TUNE_MEASURED)
            continue;
        p->state = RUN_TUNE_FAILED;
        if (asprintf(&p->reason, "no value for %s%s", t->objective.at[i].text,
                     too_short(t, p) ? ": the run ended before the first sample of the ADC "
                                       "(shorter period: --sample-ms 1)"
                                     : "") < 0)
            return mpj_err_nomem(err);
    }
    for (unsigned i = 0; i < t->cap.n; i++) {
        const bool known = run_tune_value(&e->cap[i], t, p, p->figures, &v);
        if ((known && v != 0) || p->state != RUN_TUNE_MEASURED)
            continue;
        p->state = RUN_TUNE_OVER;
        if (asprintf(&p->reason, "not %s", t->cap.at[i].text) < 0)
            return mpj_err_nomem(err);
    }
    return MPJ_E_OK;
}

/* Takes a run that was ended: its values so far, in place of figures. */
static void take_stopped(struct run_tune_point *p, const json_t *stopped)
{
    p->state = RUN_TUNE_STOPPED;
    p->time_s = json_number_value(json_object_get(stopped, "time"));
    p->energy_j = json_number_value(json_object_get(stopped, "energy"));
    if (asprintf(&p->reason, "stopped by --stop after %.6g s, %.6g J", p->time_s, p->energy_j) < 0)
        p->reason = NULL;
}

static bool there(const struct run_tune_point *p, const char *end)
{
    char *const file = run_cache_file(p->stem, end);
    const bool is = file != NULL && access(file, R_OK) == 0;

    free(file);
    return is;
}

bool run_tune_is_cached(const struct run_tune_point *p)
{
    return !there(p, RUN_TUNE_FAILURE) && run_cache_has(p->stem, p->key);
}

bool run_tune_take(const struct run_tune *t, struct run_tune_point *p, struct mpj_err *err)
{
    char *const file =
        run_cache_file(p->stem, there(p, RUN_TUNE_FAILURE) ? RUN_TUNE_FAILURE : ".json");
    json_t *const o = file != NULL ? json_load_file(file, 0, NULL) : NULL;
    json_t *const figures = json_object_get(o, "figures");
    const json_t *const stopped = json_object_get(o, "stopped");
    const char *const failed = json_string_value(json_object_get(o, "failed"));

    err->code = MPJ_E_OK;
    if (figures != NULL && t->compare && !there(p, ".mpj") && !there(p, RUN_TUNE_SAMPLE)) {
        json_decref(o);
        free(file);
        return false;
    }
    free(p->reason);
    p->reason = NULL;
    json_decref(p->figures);
    p->figures = NULL;
    p->state = RUN_TUNE_NEW;
    if (!is_valid(o)) {
        /* of an older version, or changed: measured again */
    } else if (failed != NULL) {
        p->state = RUN_TUNE_FAILED;
        p->reason = strdup(failed);
        if (p->reason != NULL)
            mpj_text_clean(p->reason); /* it is shown */
    } else if (stopped != NULL) {
        take_stopped(p, stopped);
    } else if (figures != NULL) {
        p->figures = json_incref(figures);
        run_tune_judge(t, p, err);
    }
    json_decref(o);
    free(file);
    return err->code == MPJ_E_OK && p->state != RUN_TUNE_NEW;
}
