/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json_schema.h"

#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct check {
    const json_t *root;
    char *why;
    size_t cap;
};

__attribute__((format(printf, 3, 4))) static bool fail(const struct check *c, const char *place,
                                                       const char *fmt, ...)
{
    va_list ap;
    int n = snprintf(c->why, c->cap, "%s: ", place);

    va_start(ap, fmt);
    if (n > 0 && (size_t)n < c->cap)
        vsnprintf(c->why + n, c->cap - (size_t)n, fmt, ap);
    va_end(ap);
    return false;
}

static bool valid(const struct check *c, const json_t *schema, const json_t *v, const char *place);

static bool has_type(const char *type, const json_t *v)
{
    return (strcmp(type, "object") == 0 && json_is_object(v)) ||
           (strcmp(type, "array") == 0 && json_is_array(v)) ||
           (strcmp(type, "string") == 0 && json_is_string(v)) ||
           (strcmp(type, "integer") == 0 && json_is_integer(v)) ||
           (strcmp(type, "number") == 0 && json_is_number(v)) ||
           (strcmp(type, "boolean") == 0 && json_is_boolean(v));
}

static bool matches(const char *pattern, const char *text)
{
    regex_t re;
    bool ok;

    if (regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    ok = regexec(&re, text, 0, NULL, 0) == 0;
    regfree(&re);
    return ok;
}

static bool valid_ref(const struct check *c, const char *ref, const json_t *v, const char *place)
{
    const json_t *target;

    if (strncmp(ref, "#/$defs/", 8) != 0)
        return fail(c, place, "reference %s is not supported", ref);
    target = json_object_get(json_object_get(c->root, "$defs"), ref + 8);
    if (target == NULL)
        return fail(c, place, "reference %s leads nowhere", ref);
    return valid(c, target, v, place);
}

static bool valid_members(const struct check *c, const json_t *schema, const json_t *v,
                          const char *place)
{
    const json_t *const properties = json_object_get(schema, "properties");
    const json_t *const rest = json_object_get(schema, "additionalProperties");
    const char *name;
    json_t *member;

    json_object_foreach((json_t *)v, name, member)
    {
        const json_t *rule = json_object_get(properties, name);
        char below[300];
        snprintf(below, sizeof(below), "%s.%s", place, name);
        if (rule == NULL && json_is_false(rest))
            return fail(c, below, "not allowed");
        if (rule == NULL)
            rule = json_is_object(rest) ? rest : NULL;
        if (rule != NULL && !valid(c, rule, member, below))
            return false;
    }
    return true;
}

static bool valid_keyword(const struct check *c, const json_t *schema, const char *key,
                          const json_t *arg, const json_t *v, const char *place)
{
    size_t i;
    const json_t *item;

    if (strcmp(key, "$ref") == 0)
        return valid_ref(c, json_string_value(arg), v, place);
    if (strcmp(key, "type") == 0)
        return has_type(json_string_value(arg), v) ||
               fail(c, place, "is not of type %s", json_string_value(arg));
    if (strcmp(key, "const") == 0)
        return json_equal(arg, v) || fail(c, place, "has another value than the schema's");
    if (strcmp(key, "minimum") == 0)
        return !json_is_number(v) || json_number_value(v) >= json_number_value(arg) ||
               fail(c, place, "is too small");
    if (strcmp(key, "maximum") == 0)
        return !json_is_number(v) || json_number_value(v) <= json_number_value(arg) ||
               fail(c, place, "is too large");
    if (strcmp(key, "pattern") == 0)
        return !json_is_string(v) || matches(json_string_value(arg), json_string_value(v)) ||
               fail(c, place, "does not match %s", json_string_value(arg));
    if (strcmp(key, "required") == 0) {
        json_array_foreach(arg, i, item)
        {
            if (json_is_object(v) && json_object_get(v, json_string_value(item)) == NULL)
                return fail(c, place, "lacks %s", json_string_value(item));
        }
        return true;
    }
    if (strcmp(key, "items") == 0) {
        json_array_foreach(v, i, item)
        {
            char below[300];
            snprintf(below, sizeof(below), "%s[%zu]", place, i);
            if (!valid(c, arg, item, below))
                return false;
        }
        return true;
    }
    if (strcmp(key, "properties") == 0)
        return valid_members(c, schema, v, place);
    if (strcmp(key, "additionalProperties") == 0) /* done with properties where there are any */
        return json_object_get(schema, "properties") != NULL || valid_members(c, schema, v, place);
    if (strcmp(key, "description") == 0 || strcmp(key, "title") == 0 ||
        strcmp(key, "$schema") == 0 || strcmp(key, "$defs") == 0)
        return true;
    return fail(c, place, "keyword %s is not supported", key);
}

static bool valid(const struct check *c, const json_t *schema, const json_t *v, const char *place)
{
    const char *key;
    json_t *arg;

    json_object_foreach((json_t *)schema, key, arg)
    {
        if (!valid_keyword(c, schema, key, arg, v, place))
            return false;
    }
    return true;
}

bool json_schema_valid(const json_t *schema, const json_t *value, char *why, size_t cap)
{
    const struct check c = {schema, why, cap};

    return valid(&c, schema, value, "$");
}
