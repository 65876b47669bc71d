/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small helpers around jansson: members of objects, and writing a document. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

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

#endif
