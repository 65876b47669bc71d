/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/json.h"

#define DIGITS 12 /* of a real: below what differs between compilers, above what is measured */

void json_put_text(json_t *o, const char *key, const char *text)
{
    if (text != NULL)
        json_object_set_new(o, key, json_string(text));
}

void json_put_count(json_t *o, const char *key, uint64_t v)
{
    json_object_set_new(o, key, json_integer((json_int_t)v));
}

void json_put_real(json_t *o, const char *key, double v)
{
    json_object_set_new(o, key, json_real(v));
}

int json_write(json_t *root, FILE *out, struct mpj_err *err)
{
    const size_t flags = JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(DIGITS);
    int result = 0;

    if (json_dumpf(root, out, flags) != 0 || fputc('\n', out) == EOF || fflush(out) != 0)
        result = mpj_err_errno(err, "cannot write the JSON");
    json_decref(root);
    return result;
}
