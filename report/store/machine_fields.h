/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members of struct tile_machine by name: items of the table `machine`, members in JSON. Private to
 * report/. */
#ifndef MACHINE_FIELDS_H
#define MACHINE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "tile_machine.h"

struct machine_field {
    const char *name;         /* "start.entry"; of an element of a list, that within the element */
    size_t at;                /* in the structure, or in the element */
    size_t size;              /* of a text's array; 0: a number */
    const char *const *words; /* of a kind, from 0 on, ended by NULL; NULL: a plain number */
};

extern const struct machine_field machine_fields[];
extern const size_t machine_field_count;

/* Lists of the description: regions of RAM and power channels. */
struct machine_list {
    const char *name;
    size_t count_at; /* number of elements */
    size_t at, size; /* the first element, and the distance to the next */
    unsigned most;
    const struct machine_field *field;
    size_t fields;
};

extern const struct machine_list machine_lists[];
#define MACHINE_LISTS 2U

/* Return a number or text of a field, in the structure or element at `of`. */
const uint32_t *machine_number(const struct machine_field *f, const void *of);
const char *machine_text(const struct machine_field *f, const void *of);
/* Returns the number of elements of a list. */
uint32_t machine_count(const struct machine_list *l, const struct tile_machine *m);
const void *machine_element(const struct machine_list *l, const struct tile_machine *m, unsigned i);

#endif
