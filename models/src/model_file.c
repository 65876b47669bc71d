/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "models/model.h"

#define FILE_MAX_BYTES   (1U << 20)
#define INTERVAL_VERSION 1 /* of the object "interval"; older readers do not look for it */

static const char *const shares[MPJ_INTERVALS] = {"program_share", "thread_share",
                                                  "function_share"};

/* ---- reading ---------------------------------------------------------------- */

struct reader {
    const char *name;
    struct mpj_err *err;
    int result; /* of the first failure */
};

static void fail(struct reader *r, const char *what, const char *field)
{
    if (r->result == MPJ_E_OK)
        r->result = mpj_err_set(r->err, MPJ_E_STORE, "%s: %s \"%s\"", r->name, what, field);
}

static double number(struct reader *r, const json_t *o, const char *field, bool needed)
{
    const json_t *const v = json_object_get(o, field);

    if (json_is_number(v))
        return json_number_value(v);
    if (needed || (v != NULL && !json_is_null(v)))
        fail(r, v == NULL ? "no field" : "not a number: field", field);
    return NAN;
}

static void string(struct reader *r, const json_t *o, const char *field, char *to, size_t size,
                   bool needed)
{
    const json_t *const v = json_object_get(o, field);

    to[0] = '\0';
    if (json_is_string(v) && json_string_length(v) < size)
        snprintf(to, size, "%s", json_string_value(v));
    else if (needed || v != NULL)
        fail(r, v == NULL ? "no field" : "not a short text: field", field);
    if (needed && to[0] == '\0')
        fail(r, "empty: field", field); /* it could not be written again */
    mpj_text_clean(to);
}

static void read_term(struct reader *r, struct mpj_model *m, const json_t *o)
{
    struct mpj_model_term *const t = &m->term[m->terms++];
    const json_t *const range = json_object_get(o, "range_per_s");
    char name[64];

    string(r, o, "predictor", name, sizeof(name), true);
    if (r->result != MPJ_E_OK)
        return;
    t->predictor = mpj_predictor_find(name);
    if (t->predictor < 0)
        fail(r, "unknown predictor", name);
    for (size_t i = 0; i + 1 < m->terms; i++) {
        if (m->term[i].predictor == t->predictor)
            fail(r, "duplicate predictor", name);
    }
    t->c = number(r, o, "coefficient_mw_s", true);
    t->se = number(r, o, "standard_error", false);
    t->p = number(r, o, "significance", false);
    t->vif = number(r, o, "vif", false);
    t->low = t->high = NAN;
    if (range != NULL &&
        (json_array_size(range) != 2 || !json_is_number(json_array_get(range, 0)) ||
         !json_is_number(json_array_get(range, 1))))
        fail(r, "not a pair of numbers:", "range_per_s");
    if (json_array_size(range) == 2) {
        t->low = json_number_value(json_array_get(range, 0));
        t->high = json_number_value(json_array_get(range, 1));
        if (t->low > t->high)
            fail(r, "from high to low:", "range_per_s");
    }
}

/* Reads the interval. One of another version than this mpjoule knows is none, as in an older file.
 */
static void read_interval(struct reader *r, struct mpj_model_interval *i, const json_t *o)
{
    if (o == NULL || json_integer_value(json_object_get(o, "version")) != INTERVAL_VERSION)
        return;
    i->level = number(r, o, "level", true);
    i->least_mw = number(r, o, "least_mw", true);
    for (unsigned of = 0; of < MPJ_INTERVALS; of++) {
        i->share[of] = number(r, o, shares[of], of == MPJ_OF_PROGRAM);
        if (i->share[of] < 0)
            fail(r, "negative:", shares[of]);
    }
    if (!(i->level > 0 && i->level < 1))
        fail(r, "not between 0 and 1:", "level");
    if (i->least_mw < 0)
        fail(r, "negative:", "least_mw");
}

static void read_model(struct reader *r, struct mpj_model *m, const json_t *root)
{
    const json_t *const terms = json_object_get(root, "terms");
    const json_t *const from = json_object_get(root, "provenance");
    const json_t *const stat = json_object_get(root, "statistics");
    char seed[32];

    string(r, root, "name", m->name, sizeof(m->name), true);
    string(r, root, "method", m->method, sizeof(m->method), true);
    string(r, root, "source", m->source, sizeof(m->source), false);
    m->per_core = json_is_true(json_object_get(root, "per_core"));
    m->constant_mw = number(r, root, "constant_mw", true);
    m->constant_se = number(r, root, "constant_standard_error", false);
    if (!json_is_array(terms) || json_array_size(terms) > MPJ_REGRESS_MAX)
        fail(r, "no list", "terms");
    for (size_t i = 0; r->result == MPJ_E_OK && i < json_array_size(terms); i++)
        read_term(r, m, json_array_get(terms, i));
    if (!json_is_object(from))
        fail(r, "no field", "provenance");
    string(r, from, "target", m->target, sizeof(m->target), false);
    string(r, from, "calibration", m->calibration, sizeof(m->calibration), false);
    string(r, from, "firmware_sha256", m->firmware_sha256, sizeof(m->firmware_sha256), false);
    string(r, from, "dataset_sha256", m->dataset_sha256, sizeof(m->dataset_sha256), false);
    string(r, from, "version", m->version, sizeof(m->version), false);
    m->metered = json_object_get(from, "meter") != NULL;
    string(r, from, "meter", m->meter, sizeof(m->meter), false);
    string(r, from, "seed", seed, sizeof(seed), false);
    m->seed = strtoull(seed, NULL, 10);
    if (json_integer_value(json_object_get(from, "programs")) < 0)
        fail(r, "negative:", "programs");
    else
        m->programs = (size_t)json_integer_value(json_object_get(from, "programs"));
    if (!json_is_object(stat))
        fail(r, "no field", "statistics");
    m->r2 = number(r, stat, "r2", false);
    m->r2_adjusted = number(r, stat, "r2_adjusted", false);
    m->rmse_mw = number(r, stat, "rmse_mw", false);
    m->cv_rmse_mw = number(r, stat, "cross_validated_rmse_mw", false);
    m->aic = number(r, stat, "aic", false);
    m->bic = number(r, stat, "bic", false);
    m->condition = number(r, stat, "condition", false);
    m->mean_error_percent = number(r, stat, "mean_error_percent", false);
    m->max_error_percent = number(r, stat, "max_error_percent", false);
    read_interval(r, &m->interval, json_object_get(root, "interval"));
}

int mpj_model_parse(struct mpj_model *out, const char *text, size_t len, const char *name,
                    struct mpj_err *err)
{
    struct reader r = {name, err, MPJ_E_OK};
    json_error_t why;
    json_t *const root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
    const char *const format = json_string_value(json_object_get(root, "format"));

    memset(out, 0, sizeof(*out));
    if (root == NULL)
        return mpj_err_set(err, MPJ_E_STORE, "%s: not a model file (line %d: %s)", name, why.line,
                           why.text);
    if (format == NULL)
        fail(&r, "not a model file: no field", "format");
    else if (strcmp(format, MPJ_MODEL_FORMAT) != 0)
        fail(&r, "this mpjoule reads " MPJ_MODEL_FORMAT ", not", format);
    if (r.result == MPJ_E_OK)
        read_model(&r, out, root);
    json_decref(root);
    return r.result;
}

int mpj_model_load(struct mpj_model *out, const char *path, struct mpj_err *err)
{
    FILE *const f = fopen(path, "re");
    char *const text = malloc(FILE_MAX_BYTES);
    size_t len;
    int result;

    if (f == NULL || text == NULL) {
        result = f == NULL ? mpj_err_errno(err, "cannot open %s", path) : mpj_err_nomem(err);
    } else {
        len = fread(text, 1, FILE_MAX_BYTES, f);
        result = ferror(f) ? mpj_err_errno(err, "cannot read %s", path)
                           : mpj_model_parse(out, text, len, path, err);
    }
    free(text);
    if (f != NULL)
        fclose(f);
    return result;
}

/* ---- writing ---------------------------------------------------------------- */

static void put(json_t *o, const char *field, double v)
{
    json_object_set_new(o, field, isfinite(v) ? json_real(v) : json_null());
}

static void put_string(json_t *o, const char *field, const char *s)
{
    if (s[0] != '\0')
        json_object_set_new(o, field, json_string(s));
}

static json_t *write_term(const struct mpj_model_term *t)
{
    json_t *const o = json_object();

    put_string(o, "predictor", mpj_predictor_name((size_t)t->predictor));
    put_string(o, "formula", mpj_predictor_formula((size_t)t->predictor));
    put(o, "coefficient_mw_s", t->c);
    put(o, "standard_error", t->se);
    put(o, "significance", t->p);
    put(o, "vif", t->vif);
    if (isfinite(t->low) && isfinite(t->high))
        json_object_set_new(o, "range_per_s", json_pack("[f,f]", t->low, t->high));
    return o;
}

static json_t *write_interval(const struct mpj_model_interval *i)
{
    json_t *const o = json_object();

    json_object_set_new(o, "version", json_integer(INTERVAL_VERSION));
    put_string(o, "formulation",
               "half = share * (what is above the constant + least_mw); of cases that the fit has "
               "not seen, the level is inside");
    put(o, "level", i->level);
    put(o, "least_mw", i->least_mw);
    for (unsigned of = 0; of < MPJ_INTERVALS; of++)
        put(o, shares[of], i->share[of]);
    return o;
}

/* Returns the whole file as JSON. */
static json_t *write_model(const struct mpj_model *m)
{
    json_t *const root = json_object();
    json_t *const terms = json_array();
    json_t *const from = json_object();
    json_t *const stat = json_object();
    char seed[32];

    put_string(root, "format", MPJ_MODEL_FORMAT);
    put_string(root, "name", m->name);
    put_string(root, "method", m->method);
    put_string(root, "source", m->source);
    put_string(root, "formulation",
               "power of the processor rail [mW] = constant + sum of coefficient [mW s] * rate "
               "[1/s]; rates are counts per second of all cores; a core has an equal part of "
               "the constant, and a thread for the time it holds one");
    if (m->per_core)
        json_object_set_new(root, "per_core", json_true());
    put(root, "constant_mw", m->constant_mw);
    put(root, "constant_standard_error", m->constant_se);
    for (size_t i = 0; i < m->terms; i++)
        json_array_append_new(terms, write_term(&m->term[i]));
    json_object_set_new(root, "terms", terms);
    put(stat, "r2", m->r2);
    put(stat, "r2_adjusted", m->r2_adjusted);
    put(stat, "rmse_mw", m->rmse_mw);
    put(stat, "cross_validated_rmse_mw", m->cv_rmse_mw);
    put(stat, "aic", m->aic);
    put(stat, "bic", m->bic);
    put(stat, "condition", m->condition);
    put(stat, "mean_error_percent", m->mean_error_percent);
    put(stat, "max_error_percent", m->max_error_percent);
    json_object_set_new(root, "statistics", stat);
    if (m->interval.level > 0)
        json_object_set_new(root, "interval", write_interval(&m->interval));
    put_string(from, "target", m->target);
    put_string(from, "calibration", m->calibration);
    put_string(from, "firmware_sha256", m->firmware_sha256);
    put_string(from, "dataset_sha256", m->dataset_sha256);
    put_string(from, "version", m->version);
    if (m->metered)
        json_object_set_new(from, "meter", json_string(m->meter));
    snprintf(seed, sizeof(seed), "%llu", (unsigned long long)m->seed);
    put_string(from, "seed", seed);
    json_object_set_new(from, "programs", json_integer((json_int_t)m->programs));
    json_object_set_new(root, "provenance", from);
    return root;
}

static int put_model(const void *what, FILE *f, struct mpj_err *err)
{
    json_t *const root = write_model(what);
    const int failed = json_dumpf(root, f, JSON_INDENT(2) | JSON_REAL_PRECISION(12));

    json_decref(root);
    return failed != 0 || fputc('\n', f) == EOF ? mpj_err_errno(err, "cannot write the model")
                                                : MPJ_E_OK;
}

int mpj_model_save(const struct mpj_model *m, const char *path, struct mpj_err *err)
{
    return mpj_file_write(path, put_model, m, err);
}
