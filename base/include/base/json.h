/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small helpers around jansson: members of objects, and writing a document, whole or in pieces. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "base/errors.h"

/* Checks that JSON can have a text. MPJ_E_USAGE: WHAT must be UTF-8. */
int json_check_text(const char *what, const char *text, struct mpj_err *err);
/* Adds a member to o; a text of NULL adds none. */
void json_put_text(json_t *o, const char *key, const char *text);
void json_put_count(json_t *o, const char *key, uint64_t v);
void json_put_real(json_t *o, const char *key, double v);

/* Writes the document with a newline, members in the order of their creation, and flushes; frees
 * root. MPJ_E_OK, or the code in err. */
int json_write(json_t *root, FILE *out, struct mpj_err *err);
/* Writes the document likewise, in one line. */
int json_line(json_t *root, FILE *out, struct mpj_err *err);

/*
 * Writes the same bytes without the whole tree in memory: an object whose members are written as
 * they are created. A value that is NULL, as jansson returns for text that is not UTF-8, is left
 * out. json_out_end() reports failures.
 */
#define JSON_OUT_DEPTH 8U

struct json_out {
    FILE *f;
    unsigned depth;           /* open objects and arrays */
    char end[JSON_OUT_DEPTH]; /* the bracket that closes each */
    bool any[JSON_OUT_DEPTH]; /* it has a member */
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
/* Ends the document; flushes and returns as json_write() does. */
int json_out_end(struct json_out *o, struct mpj_err *err);

#endif
