/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small helpers around jansson: members of objects, and writing a document, whole or in pieces. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "base/errors.h"

/* A member of o; without a text (NULL) none. */
void json_put_text(json_t *o, const char *key, const char *text);
void json_put_count(json_t *o, const char *key, uint64_t v);
void json_put_real(json_t *o, const char *key, double v);

/* The document with a newline, in the order of its making, flushed; frees root. MPJ_E_OK, or what
 * stands in err. */
int json_write(json_t *root, FILE *out, struct mpj_err *err);
/* The same in one line. */
int json_line(json_t *root, FILE *out, struct mpj_err *err);

/*
 * The same bytes without the whole tree in memory: an object whose members are written as they are
 * made. A value that is NULL, as jansson returns for text that is not UTF-8, is left out. What
 * fails is told by json_out_end().
 */
#define JSON_OUT_DEPTH 8U

struct json_out {
    FILE *f;
    unsigned depth;           /* open objects and arrays */
    char end[JSON_OUT_DEPTH]; /* what closes each */
    bool any[JSON_OUT_DEPTH]; /* it has something */
    bool failed;
};

/* Begins a document. */
void json_out_begin(struct json_out *o, FILE *f);
/* Opens an object ('{') or array ('[') as a member of the open object; in an array key is NULL. At
 * most JSON_OUT_DEPTH are open, the document itself among them. */
void json_out_open(struct json_out *o, const char *key, char bracket);
/* Writes a member of the open object, or an element of the open array (key NULL); frees v. */
void json_out_put(struct json_out *o, const char *key, json_t *v);
/* Writes the members of an object as members of the open one; frees it. */
void json_out_members(struct json_out *o, json_t *object);
void json_out_close(struct json_out *o);
/* Ends the document as json_write() does. */
int json_out_end(struct json_out *o, struct mpj_err *err);

#endif
