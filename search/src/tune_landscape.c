/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Landscapes: all points of a space with the measurements, in one file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "base/file.h"
#include "base/json.h"
#include "tune_int.h"

#define SCHEMA       "mpjoule-landscape/1"
#define LEVEL        19           /* written once, read often */
#define UNPACKED_MAX (256U << 20) /* limit of the unpacked size given in a file */
#define DIGITS       9            /* of a figure; counts are whole */

/* ---- writing ----------------------------------------------------------------------------- */

static json_t *texts(const struct run_tune_list *l)
{
    json_t *const a = json_array();

    for (unsigned i = 0; i < l->n; i++)
        json_array_append_new(a, json_string(l->at[i].text));
    return a;
}

static json_t *pairs(const struct run_tune_list *l)
{
    json_t *const a = json_array();

    for (unsigned i = 0; i < l->n; i++)
        json_array_append_new(a, json_pack("[ss]", l->at[i].name, l->at[i].text));
    return a;
}

static json_t *number(const json_t *v)
{
    const double x = json_number_value(v);
    char text[40];

    if (v == NULL)
        return json_null();
    if (x == floor(x) && fabs(x) < 0x1p53)
        return json_integer((json_int_t)x);
    snprintf(text, sizeof(text), "%.*g", DIGITS, x);
    return json_real(strtod(text, NULL));
}

/* Collects the names of all figures that any point has. */
static json_t *names(const struct run_tune *t)
{
    json_t *const seen = json_object();
    json_t *const out = json_array();

    for (unsigned k = 0; k < t->points; k++) {
        const char *name;
        json_t *v;
        json_object_foreach(t->point[k].figures, name, v)
        {
            if (json_object_get(seen, name) != NULL)
                continue;
            json_object_set_new(seen, name, json_true());
            json_array_append_new(out, json_string(name));
        }
    }
    json_decref(seen);
    return out;
}

static json_t *row(const struct run_tune_point *p, const json_t *figures)
{
    json_t *a;
    size_t i;
    json_t *name;

    if (p->figures == NULL)
        return p->reason != NULL ? json_string(p->reason) : json_null();
    a = json_array();
    json_array_foreach(figures, i, name)
        json_array_append_new(a, number(json_object_get(p->figures, json_string_value(name))));
    return a;
}

static json_t *landscape(const struct run_tune *t)
{
    json_t *const o = json_object();
    json_t *const axes = json_array();
    json_t *const figures = names(t);
    json_t *const points = json_array();

    for (unsigned a = 0; a < t->axes; a++) {
        json_t *const values = json_array();
        for (unsigned v = 0; v < t->axis[a].values; v++)
            json_array_append_new(values, json_string(t->axis[a].value[v]));
        json_array_append_new(axes, json_pack("[so]", t->axis[a].name, values));
    }
    for (unsigned k = 0; k < t->points; k++)
        json_array_append_new(points, row(&t->point[k], figures));
    json_put_text(o, "schema", SCHEMA);
    json_object_set_new(o, "axes", axes);
    json_object_set_new(o, "constraints", texts(&t->constraint));
    json_object_set_new(o, "objectives", texts(&t->objective));
    json_object_set_new(o, "caps", texts(&t->cap));
    json_object_set_new(o, "roles", pairs(&t->role));
    json_object_set_new(o, "baseline", pairs(&t->baseline));
    json_object_set_new(o, "figures", figures);
    json_object_set_new(o, "points", points);
    return o;
}

struct bytes {
    const void *at;
    size_t n;
};

static int put_bytes(const void *what, FILE *f, struct mpj_err *err)
{
    const struct bytes *const b = what;

    return fwrite(b->at, 1, b->n, f) == b->n ? MPJ_E_OK
                                             : mpj_err_errno(err, "cannot write the landscape");
}

/* Returns the landscape as text. Allocated; NULL: out of memory. */
static char *as_text(const struct run_tune *t)
{
    json_t *const o = landscape(t);
    char *const text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));

    json_decref(o);
    return text;
}

int run_tune_landscape_put(const void *what, FILE *f, struct mpj_err *err)
{
    char *const text = as_text(what);
    const struct bytes b = {text, text != NULL ? strlen(text) : 0};
    const int result = text != NULL ? put_bytes(&b, f, err) : mpj_err_nomem(err);

    free(text);
    return result;
}

int run_tune_landscape_write(const struct run_tune *t, const char *file, struct mpj_err *err)
{
    const size_t len = strlen(file);
    char *text;
    struct bytes b = {NULL, 0};
    size_t room;
    void *packed;
    int result;

    if (len <= 4 || strcmp(file + len - 4, ".zst") != 0)
        return mpj_file_write(file, run_tune_landscape_put, t, err);
    text = as_text(t);
    room = text != NULL ? ZSTD_compressBound(strlen(text)) : 0;
    packed = text != NULL ? malloc(room) : NULL;
    b.n = packed != NULL ? ZSTD_compress(packed, room, text, strlen(text), LEVEL) : 0;
    b.at = packed;
    result = b.at == NULL || ZSTD_isError(b.n) ? mpj_err_nomem(err)
                                               : mpj_file_write(file, put_bytes, &b, err);
    free(packed);
    free(text);
    return result;
}

/* ---- reading -------------------------------------------------------------------------------- */

static int damaged(const char *file, const char *what, struct mpj_err *err)
{
    return mpj_err_set(err, MPJ_E_USAGE, "%s is not a landscape of `mpjoule tune`: %s", file, what);
}

/* Cleans texts, which are shown: none may control a terminal. False: out of memory. */
static bool clean_texts(json_t *v)
{
    const char *key;
    json_t *item;
    size_t i;
    bool ok = true;

    if (json_is_string(v)) {
        char *const text = strdup(json_string_value(v));
        if (text != NULL)
            mpj_text_clean(text);
        ok = text != NULL && json_string_set(v, text) == 0;
        free(text);
    }
    json_array_foreach(v, i, item) ok = ok && clean_texts(item);
    json_object_foreach(v, key, item) ok = ok && clean_texts(item);
    return ok;
}

static json_t *load(const char *file, struct mpj_err *err)
{
    size_t n;
    char *text = mpj_file_bytes(file, "landscape", UNPACKED_MAX, &n, err);
    const unsigned long long size = text != NULL ? ZSTD_getFrameContentSize(text, n) : 0;
    json_error_t where;
    json_t *o;

    if (text == NULL)
        return NULL;
    if (size != ZSTD_CONTENTSIZE_ERROR) {
        char *const plain =
            size != ZSTD_CONTENTSIZE_UNKNOWN && size <= UNPACKED_MAX ? malloc(size + 1U) : NULL;
        const size_t got = plain != NULL ? ZSTD_decompress(plain, size, text, n) : 0;
        free(text);
        if (plain == NULL || ZSTD_isError(got) || got != size) {
            free(plain);
            damaged(file, "it cannot be unpacked", err);
            return NULL;
        }
        text = plain;
        n = got;
    }
    o = json_loadb(text, n, 0, &where);
    free(text);
    if (o == NULL) {
        damaged(file, where.text, err);
    } else if (!clean_texts(o)) {
        json_decref(o);
        mpj_err_nomem(err);
        return NULL;
    }
    return o;
}

int run_tune_value_check(const char *name, const json_t *value, struct mpj_err *err)
{
    const double v = json_number_value(value);
    const bool above = strcmp(name, "time") == 0;

    if (!json_is_number(value))
        return mpj_err_set(err, MPJ_E_USAGE, "%s is not a number", name);
    if (v < 0 || (above && v == 0))
        return mpj_err_set(err, MPJ_E_USAGE, "%s is %g, not %s", name, v,
                           above ? "above 0" : "0 or more");
    return MPJ_E_OK;
}

/* Checks the figures of all points: null is a figure that a point lacks. */
static int check_points(const json_t *o, const char *file, struct mpj_err *err)
{
    const json_t *const names = json_object_get(o, "figures");
    size_t k;
    size_t i;
    json_t *row;
    json_t *v;
    struct mpj_err why;
    char text[sizeof(why.text) + 32];

    json_array_foreach(json_object_get(o, "points"), k, row)
    {
        json_array_foreach(row, i, v)
        {
            const char *const name = json_string_value(json_array_get(names, i));
            if (json_is_null(v) ||
                (name != NULL && run_tune_value_check(name, v, &why) == MPJ_E_OK))
                continue;
            snprintf(text, sizeof(text), "point %zu: %s", k,
                     name != NULL ? why.text : "more values than figures");
            return damaged(file, text, err);
        }
    }
    return MPJ_E_OK;
}

/* Takes texts, or pairs of texts, into a list that the user has not filled. MPJ_E_USAGE without a
 * text: they are something else. */
static int take_list(struct run_tune_list *l, const json_t *from, bool pair, struct mpj_err *err)
{
    size_t i;
    json_t *v;

    if (l->n > 0)
        return MPJ_E_OK;
    json_array_foreach(from, i, v)
    {
        const char *const name = json_string_value(json_array_get(v, 0));
        const char *const text = json_string_value(pair ? json_array_get(v, 1) : v);
        if (text == NULL || (name != NULL) != pair)
            return MPJ_E_USAGE;
        if (run_tune_put(l, name, text, err) != MPJ_E_OK)
            return err->code;
    }
    return MPJ_E_OK;
}

static int take_lists(struct run_tune *t, const char *file, struct mpj_err *err)
{
    const struct {
        const char *key;
        struct run_tune_list *list;
        bool pair;
    } lists[] = {{"constraints", &t->constraint, false},
                 {"objectives", &t->objective, false},
                 {"caps", &t->cap, false},
                 {"roles", &t->role, true},
                 {"baseline", &t->baseline, true}};

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        const json_t *const from = json_object_get(t->landscape, lists[i].key);
        char text[60];
        err->code = MPJ_E_OK;
        if (take_list(lists[i].list, from, lists[i].pair, err) == MPJ_E_OK)
            continue;
        if (err->code != MPJ_E_OK)
            return err->code;
        snprintf(text, sizeof(text), "%s are not %s", lists[i].key,
                 lists[i].pair ? "pairs of texts" : "texts");
        return damaged(file, text, err);
    }
    return MPJ_E_OK;
}

static int take_axes(struct run_tune *t, const json_t *axes, struct mpj_err *err)
{
    size_t i;
    json_t *axis;

    json_array_foreach(axes, i, axis)
    {
        const char *const name = json_string_value(json_array_get(axis, 0));
        size_t k;
        json_t *v;
        if (name == NULL || run_tune_new_axis(t, name, err) != MPJ_E_OK)
            return name == NULL ? MPJ_E_USAGE : err->code;
        json_array_foreach(json_array_get(axis, 1), k, v)
        {
            const char *const text = json_string_value(v);
            if (text == NULL || run_tune_add_value(t, text, err) != MPJ_E_OK)
                return text == NULL ? MPJ_E_USAGE : err->code;
        }
        if (k == 0)
            return MPJ_E_USAGE;
    }
    return i > 0 ? MPJ_E_OK : MPJ_E_USAGE;
}

int run_tune_landscape_read(struct run_tune *t, const char *file, struct mpj_err *err)
{
    json_t *const o = load(file, err);
    const char *const schema = json_string_value(json_object_get(o, "schema"));
    unsigned long points = 1;
    struct mpj_err why;

    if (o == NULL)
        return err->code;
    t->landscape = o;
    if (schema == NULL || strcmp(schema, SCHEMA) != 0)
        return damaged(file, "the schema is not " SCHEMA, err);
    why.code = MPJ_E_OK;
    if (take_axes(t, json_object_get(o, "axes"), &why) != MPJ_E_OK)
        return damaged(file, why.code == MPJ_E_OK ? "axes are missing" : why.text, err);
    for (unsigned a = 0; a < t->axes && points <= RUN_TUNE_POINTS_MAX; a++)
        points *= t->axis[a].values;
    if (json_array_size(json_object_get(o, "points")) != points ||
        !json_is_array(json_object_get(o, "figures")))
        return damaged(file, "the number of points differs from that of its axes", err);
    return check_points(o, file, err) == MPJ_E_OK ? take_lists(t, file, err) : err->code;
}

int run_tune_landscape_take(const struct run_tune *t, unsigned point, struct run_tune_point *p,
                            struct mpj_err *err)
{
    const json_t *const names = json_object_get(t->landscape, "figures");
    const json_t *const row = json_array_get(json_object_get(t->landscape, "points"), point);
    size_t i;
    json_t *v;

    if (!json_is_array(row)) {
        p->state = RUN_TUNE_FAILED;
        p->reason = strdup(json_is_string(row) ? json_string_value(row) : "not in the landscape");
        return p->reason != NULL ? MPJ_E_OK : mpj_err_nomem(err);
    }
    p->figures = json_object();
    json_array_foreach(row, i, v)
    {
        const char *const name = json_string_value(json_array_get(names, i));
        if (name != NULL && json_is_number(v))
            json_object_set(p->figures, name, v);
    }
    return run_tune_judge(t, p, err);
}

int run_tune_landscape_least(struct run_tune *t, struct mpj_err *err)
{
    for (unsigned i = 0; i < t->objective.n; i++)
        t->least[i] = INFINITY;
    for (unsigned k = 0; k < t->points; k++) {
        struct run_tune_point p = t->point[k];
        int result = MPJ_E_OK;
        if (p.state == RUN_TUNE_INFEASIBLE)
            continue;
        p.figures = NULL;
        p.reason = NULL;
        result = run_tune_landscape_take(t, k, &p, err);
        for (unsigned i = 0; p.state == RUN_TUNE_MEASURED && i < t->objective.n; i++)
            t->least[i] = fmin(t->least[i], p.objective[i]);
        json_decref(p.figures);
        free(p.reason);
        if (result != MPJ_E_OK)
            return result;
    }
    return MPJ_E_OK;
}
