/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_io_records.h"

int mpj_io_req_put(struct mpj_writer *w, const struct mpj_io_req *q)
{
    struct mpj_rec_mark mark;

    if (q->path.len > MPJ_IO_PATH_MAX || q->data.len > MPJ_IO_DATA_MAX ||
        q->length > MPJ_IO_DATA_MAX)
        return MPJ_LINK_ERR_RANGE;
    mark = mpj_rec_begin(w, MPJ_REC_IO_REQ);
    mpj_put_varint(w, q->op);
    mpj_put_signed(w, q->fd);
    mpj_put_varint(w, q->flags);
    mpj_put_varint(w, q->mode);
    mpj_put_signed(w, q->offset);
    mpj_put_varint(w, q->length);
    mpj_put_bytes(w, q->path.p, q->path.len);
    mpj_put_bytes(w, q->data.p, q->data.len);
    return mpj_rec_end(w, mark);
}

int mpj_io_req_get(const struct mpj_rec *rec, struct mpj_io_req *out)
{
    struct mpj_reader r;

    if (rec->kind != MPJ_REC_IO_REQ)
        return MPJ_LINK_ERR_FORMAT;
    mpj_reader_init(&r, rec->body, rec->len);
    out->op = (uint32_t)mpj_get_varint(&r);
    out->fd = (int32_t)mpj_get_signed(&r);
    out->flags = (uint32_t)mpj_get_varint(&r);
    out->mode = (uint32_t)mpj_get_varint(&r);
    out->offset = mpj_get_signed(&r);
    out->length = (uint32_t)mpj_get_varint(&r);
    out->path = mpj_get_bytes(&r);
    out->data = mpj_get_bytes(&r);
    if (r.malformed)
        return MPJ_LINK_ERR_FORMAT;
    if (out->path.len > MPJ_IO_PATH_MAX || out->data.len > MPJ_IO_DATA_MAX ||
        out->length > MPJ_IO_DATA_MAX)
        return MPJ_LINK_ERR_RANGE;
    return MPJ_LINK_OK;
}

int mpj_io_reply_put(struct mpj_writer *w, const struct mpj_io_reply *r)
{
    struct mpj_rec_mark mark;

    if (r->data.len > MPJ_IO_DATA_MAX)
        return MPJ_LINK_ERR_RANGE;
    mark = mpj_rec_begin(w, MPJ_REC_IO_REPLY);
    mpj_put_signed(w, r->result);
    mpj_put_varint(w, r->error);
    mpj_put_varint(w, r->kind);
    mpj_put_varint(w, r->mode);
    mpj_put_varint(w, r->size);
    mpj_put_signed(w, r->mtime);
    mpj_put_bytes(w, r->data.p, r->data.len);
    return mpj_rec_end(w, mark);
}

int mpj_io_reply_get(const struct mpj_rec *rec, struct mpj_io_reply *out)
{
    struct mpj_reader r;

    if (rec->kind != MPJ_REC_IO_REPLY)
        return MPJ_LINK_ERR_FORMAT;
    mpj_reader_init(&r, rec->body, rec->len);
    out->result = mpj_get_signed(&r);
    out->error = (uint32_t)mpj_get_varint(&r);
    out->kind = (uint32_t)mpj_get_varint(&r);
    out->mode = (uint32_t)mpj_get_varint(&r);
    out->size = mpj_get_varint(&r);
    out->mtime = mpj_get_signed(&r);
    out->data = mpj_get_bytes(&r);
    if (r.malformed)
        return MPJ_LINK_ERR_FORMAT;
    return out->data.len > MPJ_IO_DATA_MAX ? MPJ_LINK_ERR_RANGE : MPJ_LINK_OK;
}
