/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tune_protocol.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/stop.h"
#include "tune_show.h"

#define LINE_MOST (1U << 20) /* bytes */

static int refuse(const char *why, struct mpj_err *err)
{
    return json_line(json_pack("{ss}", "error", why), stdout, err);
}

static bool blank(const char *text, size_t length)
{
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    return length == 0;
}

/* Reads a line, which may have any bytes, or its first LINE_MOST. Returns how many; 0: the end. */
static size_t bytes(char *text)
{
    size_t n = 0;
    int c = 0;

    while (n < LINE_MOST && c != '\n' && (c = getc(stdin)) != EOF)
        text[n++] = (char)c;
    return n;
}

/* Reads the next line as an object; NULL with err->code MPJ_E_OK: the other side has ended. Answers
 * a line that is not one with an error and skips it. */
static json_t *line(struct mpj_err *err)
{
    char *const text = malloc(LINE_MOST);
    json_t *o = NULL;
    size_t length;

    err->code = MPJ_E_OK;
    if (text == NULL) {
        mpj_err_nomem(err);
        return NULL;
    }
    while (o == NULL && err->code == MPJ_E_OK && (length = bytes(text)) > 0) {
        json_error_t where;
        if (length == LINE_MOST && text[length - 1] != '\n') {
            mpj_err_set(err, MPJ_E_USAGE, "a line on stdin has more than %u bytes", LINE_MOST);
            break;
        }
        if (blank(text, length))
            continue;
        o = json_loadb(text, length, JSON_REJECT_DUPLICATES, &where);
        if (json_is_object(o))
            continue;
        refuse(o == NULL && json_error_code(&where) == json_error_duplicate_key
                   ? "a name is in the line twice"
                   : "not an object of JSON in one line",
               err);
        json_decref(o);
        o = NULL;
    }
    free(text);
    return o;
}

int tune_ask(const struct run_tune *t, unsigned point, json_t **answer, struct mpj_err *err)
{
    struct mpj_err wrong;

    *answer = NULL;
    if (json_line(json_pack("{sisoso}", "ask", (int)point, "at", tune_at_json(t, &t->point[point]),
                            "objectives", tune_list_json(&t->objective)),
                  stdout, err) != MPJ_E_OK)
        return err->code;
    for (;;) {
        json_t *const o = line(err);
        const json_t *const figures = json_object_get(o, "figures");
        const json_t *const failed = json_object_get(o, "failed");
        if (o == NULL && err->code == MPJ_E_OK && mpj_stop_count() > 0)
            return mpj_err_set(err, MPJ_E_CANCELLED, "interrupted before the answer for point %u",
                               point);
        if (o == NULL)
            return err->code;
        wrong.code = MPJ_E_OK;
        if (json_integer_value(json_object_get(o, "tell")) == (json_int_t)point &&
            json_is_integer(json_object_get(o, "tell")) &&
            (figures == NULL ? json_is_string(failed)
                             : json_is_object(figures) && failed == NULL) &&
            run_tune_figures_check(figures, &wrong) == MPJ_E_OK) {
            *answer = o;
            return MPJ_E_OK;
        }
        json_decref(o);
        if (refuse(wrong.code != MPJ_E_OK ? wrong.text
                                          : "expected {\"tell\": POINT, \"figures\": {...}} or "
                                            "{\"tell\": POINT, \"failed\": REASON} for the "
                                            "requested point",
                   err) != MPJ_E_OK)
            return err->code;
    }
}

/* True if it is this value of an axis: the text, or a number that is the same. */
static bool is_value(const json_t *v, const char *value)
{
    char *end = NULL;
    const double number = strtod(value, &end);

    return json_is_number(v) ? end != value && *end == '\0' && json_number_value(v) == number
                             : json_is_string(v) && strcmp(value, json_string_value(v)) == 0;
}

static bool has_axis(const struct run_tune *t, const char *name)
{
    for (unsigned a = 0; a < t->axes; a++) {
        if (strcmp(t->axis[a].name, name) == 0)
            return true;
    }
    return false;
}

/* Returns the number of the point with these values; -1: `wrong` says why there is none. */
static int number(const struct run_tune *t, json_t *at, struct mpj_err *wrong)
{
    unsigned k = 0;

    for (unsigned a = 0; a < t->axes; a++) {
        const json_t *const v = json_object_get(at, t->axis[a].name);
        unsigned value = 0;
        while (value < t->axis[a].values && !is_value(v, t->axis[a].value[value]))
            value++;
        if (value == t->axis[a].values) {
            mpj_err_set(wrong, MPJ_E_USAGE,
                        "expected {\"at\": {AXIS: VALUE, ...}}; no value of the axis %s",
                        t->axis[a].name);
            return -1;
        }
        k = k * t->axis[a].values + value;
    }
    for (void *i = json_object_iter(at); i != NULL; i = json_object_iter_next(at, i)) {
        if (!has_axis(t, json_object_iter_key(i))) {
            mpj_err_set(wrong, MPJ_E_USAGE, "unknown axis \"%.60s\"", json_object_iter_key(i));
            return -1;
        }
    }
    return (int)k;
}

int tune_next(const struct run_tune *t, int *point, struct mpj_err *err)
{
    for (;;) {
        json_t *const o = line(err);
        struct mpj_err wrong;
        *point = -1;
        if (o == NULL)
            return err->code;
        *point = number(t, json_object_get(o, "at"), &wrong);
        json_decref(o);
        if (*point >= 0)
            return MPJ_E_OK;
        if (refuse(wrong.text, err) != MPJ_E_OK)
            return err->code;
    }
}

int tune_tell(const struct run_tune *t, unsigned point, struct mpj_err *err)
{
    json_t *const o = tune_point_json(t, &t->point[point]);

    json_object_set_new(o, "tell", json_integer(point));
    return json_line(o, stdout, err);
}
