/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_wire.h"

#include <string.h>

#define VARINT_MAX 10U /* bytes of a 64-bit varint */

void mpj_writer_init(struct mpj_writer *w, void *buf, size_t cap)
{
    w->at = buf;
    w->end = w->at + cap;
    w->full = false;
}

void mpj_put_u8(struct mpj_writer *w, uint8_t v)
{
    if (w->full || w->at == w->end) {
        w->full = true;
        return;
    }
    *w->at++ = v;
}

void mpj_put_varint(struct mpj_writer *w, uint64_t v)
{
    while (v >= 0x80U) {
        mpj_put_u8(w, (uint8_t)(v | 0x80U));
        v >>= 7;
    }
    mpj_put_u8(w, (uint8_t)v);
}

void mpj_put_signed(struct mpj_writer *w, int64_t v)
{
    mpj_put_varint(w, ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0));
}

void mpj_put_raw(struct mpj_writer *w, const void *data, size_t len)
{
    if (w->full || len > (size_t)(w->end - w->at)) {
        w->full = true;
        return;
    }
    if (len > 0)
        memcpy(w->at, data, len);
    w->at += len;
}

void mpj_put_bytes(struct mpj_writer *w, const void *data, size_t len)
{
    mpj_put_varint(w, len);
    mpj_put_raw(w, data, len);
}

void mpj_reader_init(struct mpj_reader *r, const void *data, size_t len)
{
    r->at = data;
    r->end = r->at + len;
    r->short_read = false;
    r->malformed = false;
}

uint8_t mpj_get_u8(struct mpj_reader *r)
{
    if (r->at == r->end) {
        r->short_read = true;
        return 0;
    }
    return *r->at++;
}

uint64_t mpj_get_varint(struct mpj_reader *r)
{
    uint64_t v = 0;

    for (unsigned i = 0; i < VARINT_MAX; i++) {
        if (r->at == r->end) {
            /* no byte at all is an absent field, half a number is damage */
            if (i > 0)
                r->malformed = true;
            r->short_read = true;
            return 0;
        }
        const uint8_t b = *r->at++;
        if (i == VARINT_MAX - 1U && b > 1U)
            break;
        v |= (uint64_t)(b & 0x7fU) << (7U * i);
        if (!(b & 0x80U))
            return v;
    }
    r->malformed = true;
    r->at = r->end;
    return 0;
}

int64_t mpj_get_signed(struct mpj_reader *r)
{
    const uint64_t v = mpj_get_varint(r);

    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1U);
}

struct mpj_bytes mpj_get_bytes(struct mpj_reader *r)
{
    const uint64_t len = mpj_get_varint(r);
    struct mpj_bytes b = {r->at, 0};

    if (len > (uint64_t)(r->end - r->at)) {
        r->malformed = true;
        return b;
    }
    b.len = (size_t)len;
    r->at += len;
    return b;
}

int mpj_rec_next(struct mpj_reader *r, struct mpj_rec *rec)
{
    uint64_t kind;
    struct mpj_bytes body;

    if (r->at == r->end)
        return 0;
    kind = mpj_get_varint(r);
    if (r->at == r->end)
        return MPJ_LINK_ERR_FORMAT; /* a kind without a length */
    body = mpj_get_bytes(r);
    if (r->malformed || r->short_read || kind > UINT32_MAX)
        return MPJ_LINK_ERR_FORMAT;
    rec->kind = (uint32_t)kind;
    rec->body = body.p;
    rec->len = body.len;
    return 1;
}

struct mpj_rec_mark mpj_rec_begin(struct mpj_writer *w, uint32_t kind)
{
    struct mpj_rec_mark mark = {w->at, NULL};

    mpj_put_varint(w, kind);
    mpj_put_u8(w, 0); /* room for a length below 128 */
    mark.body = w->at;
    return mark;
}

int mpj_rec_end(struct mpj_writer *w, struct mpj_rec_mark mark)
{
    const size_t len = (size_t)(w->at - mark.body);
    size_t extra = 0;

    for (size_t v = len; v >= 0x80U; v >>= 7)
        extra++;
    if (w->full || extra > (size_t)(w->end - w->at)) {
        w->at = mark.start;
        w->full = false;
        return MPJ_LINK_ERR_SPACE;
    }
    if (extra > 0)
        memmove(mark.body + extra, mark.body, len);
    w->at = mark.body - 1;
    mpj_put_varint(w, len);
    w->at += len;
    return MPJ_LINK_OK;
}
