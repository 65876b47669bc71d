/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tune_protocol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/stop.h"
#include "tune_show.h"

/* Reads the next line as an object; NULL with err->code MPJ_E_OK: the other side has ended. Answers
 * a line that is not one with an error and skips it. */
static json_t *line(struct mpj_err *err)
{
    char *text = NULL;
    size_t size = 0;
    json_t *o = NULL;

    err->code = MPJ_E_OK;
    while (o == NULL && getline(&text, &size, stdin) > 0) {
        json_error_t where;
        if (text[strspn(text, " \t\r\n")] == '\0')
            continue;
        o = json_loads(text, 0, &where);
        if (json_is_object(o))
            continue;
        json_decref(o);
        o = NULL;
        if (json_line(json_pack("{ss}", "error", "not an object of JSON in one line"), stdout,
                      err) != MPJ_E_OK)
            break;
    }
    free(text);
    return o;
}

int tune_ask(const struct run_tune *t, unsigned point, json_t **answer, struct mpj_err *err)
{
    const json_t *figures;
    struct mpj_err wrong;

    *answer = NULL;
    if (json_line(json_pack("{sisoso}", "ask", (int)point, "at", tune_at_json(t, &t->point[point]),
                            "objectives", tune_list_json(&t->objective)),
                  stdout, err) != MPJ_E_OK)
        return err->code;
    for (;;) {
        json_t *const o = line(err);
        if (o == NULL && err->code == MPJ_E_OK && mpj_stop_count() > 0)
            return mpj_err_set(err, MPJ_E_CANCELLED, "interrupted before the answer for point %u",
                               point);
        if (o == NULL)
            return err->code;
        figures = json_object_get(o, "figures");
        wrong.code = MPJ_E_OK;
        if (json_integer_value(json_object_get(o, "tell")) == (json_int_t)point &&
            json_is_integer(json_object_get(o, "tell")) &&
            (json_is_object(figures) || json_is_string(json_object_get(o, "failed"))) &&
            run_tune_figures_check(figures, &wrong) == MPJ_E_OK) {
            *answer = o;
            return MPJ_E_OK;
        }
        json_decref(o);
        if (json_line(json_pack("{ss}", "error",
                                wrong.code != MPJ_E_OK
                                    ? wrong.text
                                    : "expected {\"tell\": POINT, \"figures\": {...}} or "
                                      "{\"tell\": POINT, \"failed\": REASON} for the requested "
                                      "point"),
                      stdout, err) != MPJ_E_OK)
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

/* Returns the number of the point with these values; -1: *wrong is the axis that has no such
 * value. */
static int number(const struct run_tune *t, const json_t *at, const char **wrong)
{
    unsigned k = 0;

    for (unsigned a = 0; a < t->axes; a++) {
        const json_t *const v = json_object_get(at, t->axis[a].name);
        unsigned value = 0;
        while (value < t->axis[a].values && !is_value(v, t->axis[a].value[value]))
            value++;
        *wrong = t->axis[a].name;
        if (value == t->axis[a].values)
            return -1;
        k = k * t->axis[a].values + value;
    }
    return (int)k;
}

int tune_next(const struct run_tune *t, int *point, struct mpj_err *err)
{
    for (;;) {
        json_t *const o = line(err);
        const char *wrong = "";
        char said[160];
        *point = -1;
        if (o == NULL)
            return err->code;
        *point = number(t, json_object_get(o, "at"), &wrong);
        json_decref(o);
        if (*point >= 0)
            return MPJ_E_OK;
        snprintf(said, sizeof(said),
                 "expected {\"at\": {AXIS: VALUE, ...}}; no value of the axis %s", wrong);
        if (json_line(json_pack("{ss}", "error", said), stdout, err) != MPJ_E_OK)
            return err->code;
    }
}

int tune_tell(const struct run_tune *t, unsigned point, struct mpj_err *err)
{
    json_t *const o = tune_point_json(t, &t->point[point]);

    json_object_set_new(o, "tell", json_integer(point));
    return json_line(o, stdout, err);
}
