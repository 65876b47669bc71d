/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As much of JSON Schema as docs/mpjoule-run.schema.json uses. */
#ifndef JSON_SCHEMA_H
#define JSON_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

/*
 * True when value obeys schema (a whole document: $ref looks into its $defs). Otherwise why
 * receives the place and the reason. A keyword it does not know is a failure too, so that
 * the schema cannot promise what is not checked.
 */
bool json_schema_valid(const json_t *schema, const json_t *value, char *why, size_t cap);

#endif
