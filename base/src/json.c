/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/json.h"

#include <string.h>

#define DIGITS 12 /* of a real: below what differs between compilers, above what is measured */
#define FORMAT (JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(DIGITS))

int json_check_text(const char *what, const char *text, struct mpj_err *err)
{
    json_t *const s = json_string(text);

    if (s == NULL)
        return mpj_err_set(err, MPJ_E_USAGE, "%s must be UTF-8: %s", what, text);
    json_decref(s);
    return MPJ_E_OK;
}

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

static int whole(json_t *root, FILE *out, size_t flags, struct mpj_err *err)
{
    int result = 0;

    if (json_dumpf(root, out, flags) != 0 || fputc('\n', out) == EOF || fflush(out) != 0)
        result = mpj_err_errno(err, "cannot write the JSON");
    json_decref(root);
    return result;
}

int json_write(json_t *root, FILE *out, struct mpj_err *err)
{
    return whole(root, out, FORMAT, err);
}

int json_line(json_t *root, FILE *out, struct mpj_err *err)
{
    return whole(root, out, FORMAT & ~(size_t)JSON_INDENT(31), err);
}

/* ---- in pieces -------------------------------------------------------------- */

static void line(struct json_out *o)
{
    fprintf(o->f, "\n%*s", (int)o->depth, "");
}

/* Writes a piece with its lines indented to the depth of the piece; jansson escapes a newline
 * within a text. */
static int indented(const char *text, size_t size, void *ctx)
{
    struct json_out *const o = ctx;
    const char *end;

    while ((end = memchr(text, '\n', size)) != NULL) {
        fwrite(text, 1, (size_t)(end - text), o->f);
        line(o);
        size -= (size_t)(end - text) + 1U;
        text = end + 1;
    }
    fwrite(text, 1, size, o->f);
    return 0;
}

static void dump(struct json_out *o, const json_t *v)
{
    if (json_dump_callback(v, indented, o, FORMAT | JSON_ENCODE_ANY) != 0)
        o->failed = true;
}

/* Writes everything up to where the value begins. */
static void next(struct json_out *o, const char *key)
{
    json_t *name;

    if (o->any[o->depth - 1U])
        fputc(',', o->f);
    o->any[o->depth - 1U] = true;
    line(o);
    if (key == NULL)
        return;
    name = json_string(key);
    if (name == NULL)
        o->failed = true;
    else
        dump(o, name);
    json_decref(name);
    fputs(": ", o->f);
}

static void push(struct json_out *o, char bracket)
{
    fputc(bracket, o->f);
    o->end[o->depth] = bracket == '{' ? '}' : ']';
    o->any[o->depth] = false;
    o->depth++;
}

void json_out_begin(struct json_out *o, FILE *f)
{
    *o = (struct json_out){.f = f};
    push(o, '{');
}

void json_out_open(struct json_out *o, const char *key, char bracket)
{
    next(o, key);
    push(o, bracket);
}

void json_out_put(struct json_out *o, const char *key, json_t *v)
{
    if (v == NULL)
        return;
    next(o, key);
    dump(o, v);
    json_decref(v);
}

void json_out_members(struct json_out *o, json_t *object)
{
    const char *key;
    json_t *v;

    json_object_foreach(object, key, v) json_out_put(o, key, json_incref(v));
    json_decref(object);
}

void json_out_close(struct json_out *o)
{
    o->depth--;
    if (o->any[o->depth])
        line(o);
    fputc(o->end[o->depth], o->f);
}

int json_out_end(struct json_out *o, struct mpj_err *err)
{
    json_out_close(o);
    if (o->failed || fputc('\n', o->f) == EOF || fflush(o->f) != 0 || ferror(o->f))
        return mpj_err_errno(err, "cannot write the JSON");
    return 0;
}
