/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing and reading the parts of a record: LEB128 varints, zigzag, byte strings
 * (SPEC.md, "Records"). Freestanding, no allocation, never past the given bounds.
 */
#ifndef MPJ_WIRE_H
#define MPJ_WIRE_H

#include "mpj_frame.h"

/* A cursor over the caller's output buffer. */
struct mpj_writer {
    uint8_t *at;
    uint8_t *end;
    bool full; /* something did not fit; everything after it is ignored */
};

void mpj_writer_init(struct mpj_writer *w, void *buf, size_t cap);
void mpj_put_u8(struct mpj_writer *w, uint8_t v);
void mpj_put_varint(struct mpj_writer *w, uint64_t v);
/* Writes a signed number: zigzag, then varint. */
void mpj_put_signed(struct mpj_writer *w, int64_t v);
/* Writes bytes without a length. data may be NULL when len is 0. */
void mpj_put_raw(struct mpj_writer *w, const void *data, size_t len);
/* Writes the length as varint, then the bytes. */
void mpj_put_bytes(struct mpj_writer *w, const void *data, size_t len);

/* A cursor over received bytes. Reading past the end yields zero and sets short_read: fields
 * that an older sender did not write are thereby zero. */
struct mpj_reader {
    const uint8_t *at;
    const uint8_t *end;
    bool short_read;
    bool malformed; /* a varint of more than 64 bits or a string longer than its record */
};

/* Byte string inside a received record; not terminated. */
struct mpj_bytes {
    const uint8_t *p;
    size_t len;
};

void mpj_reader_init(struct mpj_reader *r, const void *data, size_t len);
uint8_t mpj_get_u8(struct mpj_reader *r);
uint64_t mpj_get_varint(struct mpj_reader *r);
int64_t mpj_get_signed(struct mpj_reader *r);
struct mpj_bytes mpj_get_bytes(struct mpj_reader *r);

/* One record: kind, length and body as in the stream. */
struct mpj_rec {
    uint32_t kind;
    const uint8_t *body;
    size_t len;
};

/* Reads the next record of a frame's payload: 1 and *rec, 0 at the end, MPJ_LINK_ERR_FORMAT when
 * the payload is cut inside a record. */
int mpj_rec_next(struct mpj_reader *r, struct mpj_rec *rec);

/*
 * Writes a record around a body: begin, put the fields, end. On overflow end() returns
 * MPJ_LINK_ERR_SPACE and the writer is where begin() found it, usable for the next record.
 */
struct mpj_rec_mark {
    uint8_t *start;
    uint8_t *body;
};
struct mpj_rec_mark mpj_rec_begin(struct mpj_writer *w, uint32_t kind);
int mpj_rec_end(struct mpj_writer *w, struct mpj_rec_mark mark);

#endif
