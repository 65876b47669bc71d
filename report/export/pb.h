/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Protocol buffers, written: fields into a message in memory (https://protobuf.dev, "Encoding"). */
#ifndef PB_H
#define PB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct pb {
    unsigned char *at;
    size_t len, room;
    bool failed; /* out of memory: fields put since then are lost */
};

/* Empties the message for reuse; frees it. */
void pb_clear(struct pb *m);
void pb_free(struct pb *m);
void pb_number(struct pb *m, unsigned field, uint64_t v);
void pb_fixed64(struct pb *m, unsigned field, uint64_t v);
void pb_real(struct pb *m, unsigned field, double v);
void pb_bytes(struct pb *m, unsigned field, const void *data, size_t len);
void pb_text(struct pb *m, unsigned field, const char *text);
void pb_message(struct pb *m, unsigned field, const struct pb *part);
/* Writes a number without a field: part of a packed one. */
void pb_varint(struct pb *m, uint64_t v);

#endif
