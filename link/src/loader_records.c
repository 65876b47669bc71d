/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_loader_records.h"

#include <string.h>

static int checked(const struct mpj_reader *r)
{
    return r->malformed ? MPJ_LINK_ERR_FORMAT : MPJ_LINK_OK;
}

static uint32_t get_u32(struct mpj_reader *r)
{
    const uint64_t v = mpj_get_varint(r);

    if (v > UINT32_MAX)
        r->malformed = true;
    return (uint32_t)v;
}

int mpj_loader_empty_put(struct mpj_writer *w, uint32_t kind)
{
    return mpj_rec_end(w, mpj_rec_begin(w, kind));
}

int mpj_loader_image_put(struct mpj_writer *w, const struct mpj_loader_image *i)
{
    struct mpj_rec_mark mark;

    if (i->segments > MPJ_LOADER_SEGMENTS || i->build_id.len > MPJ_LOADER_BUILD_ID_MAX ||
        i->name.len > MPJ_LOADER_NAME_MAX)
        return MPJ_LINK_ERR_RANGE;
    mark = mpj_rec_begin(w, MPJ_LOADER_BEGIN);
    mpj_put_varint(w, i->kind);
    mpj_put_varint(w, i->entry);
    mpj_put_varint(w, i->bytes);
    mpj_put_varint(w, i->crc);
    mpj_put_varint(w, i->segments);
    for (uint32_t n = 0; n < i->segments; n++) {
        mpj_put_varint(w, i->segment[n].address);
        mpj_put_varint(w, i->segment[n].offset);
        mpj_put_varint(w, i->segment[n].bytes);
        mpj_put_varint(w, i->segment[n].memory);
    }
    mpj_put_bytes(w, i->build_id.p, i->build_id.len);
    mpj_put_bytes(w, i->name.p, i->name.len);
    return mpj_rec_end(w, mark);
}

int mpj_loader_image_get(const struct mpj_rec *rec, struct mpj_loader_image *out)
{
    struct mpj_reader r;

    memset(out, 0, sizeof(*out));
    mpj_reader_init(&r, rec->body, rec->len);
    out->kind = get_u32(&r);
    out->entry = get_u32(&r);
    out->bytes = get_u32(&r);
    out->crc = get_u32(&r);
    out->segments = get_u32(&r);
    if (out->segments > MPJ_LOADER_SEGMENTS)
        return MPJ_LINK_ERR_RANGE;
    for (uint32_t n = 0; n < out->segments; n++) {
        out->segment[n].address = get_u32(&r);
        out->segment[n].offset = get_u32(&r);
        out->segment[n].bytes = get_u32(&r);
        out->segment[n].memory = get_u32(&r);
    }
    out->build_id = mpj_get_bytes(&r);
    out->name = mpj_get_bytes(&r);
    if (out->build_id.len > MPJ_LOADER_BUILD_ID_MAX || out->name.len > MPJ_LOADER_NAME_MAX)
        return MPJ_LINK_ERR_RANGE;
    return checked(&r);
}

int mpj_loader_info_put(struct mpj_writer *w, const struct mpj_loader_info *i)
{
    struct mpj_rec_mark mark = mpj_rec_begin(w, MPJ_LOADER_INFO);

    mpj_put_varint(w, i->version);
    mpj_put_varint(w, i->flash_bytes);
    mpj_put_varint(w, i->flash_id);
    mpj_put_varint(w, i->slot);
    mpj_put_varint(w, i->sequence);
    mpj_put_varint(w, i->bytes);
    mpj_put_varint(w, i->crc);
    mpj_put_varint(w, i->busy);
    mpj_put_varint(w, i->longest);
    mpj_put_bytes(w, i->build_id.p, i->build_id.len);
    mpj_put_bytes(w, i->name.p, i->name.len);
    return mpj_rec_end(w, mark);
}

int mpj_loader_info_get(const struct mpj_rec *rec, struct mpj_loader_info *out)
{
    struct mpj_reader r;

    mpj_reader_init(&r, rec->body, rec->len);
    out->version = get_u32(&r);
    out->flash_bytes = get_u32(&r);
    out->flash_id = get_u32(&r);
    out->slot = get_u32(&r);
    out->sequence = get_u32(&r);
    out->bytes = get_u32(&r);
    out->crc = get_u32(&r);
    out->busy = get_u32(&r);
    out->longest = get_u32(&r);
    out->build_id = mpj_get_bytes(&r);
    out->name = mpj_get_bytes(&r);
    return checked(&r);
}

int mpj_loader_data_put(struct mpj_writer *w, const struct mpj_loader_data *d)
{
    struct mpj_rec_mark mark;

    if (d->data.len > MPJ_LOADER_DATA_MAX)
        return MPJ_LINK_ERR_RANGE;
    mark = mpj_rec_begin(w, MPJ_LOADER_DATA);
    mpj_put_varint(w, d->offset);
    mpj_put_bytes(w, d->data.p, d->data.len);
    return mpj_rec_end(w, mark);
}

int mpj_loader_data_get(const struct mpj_rec *rec, struct mpj_loader_data *out)
{
    struct mpj_reader r;

    mpj_reader_init(&r, rec->body, rec->len);
    out->offset = get_u32(&r);
    out->data = mpj_get_bytes(&r);
    return checked(&r);
}

int mpj_loader_progress_put(struct mpj_writer *w, uint32_t kind,
                            const struct mpj_loader_progress *p)
{
    struct mpj_rec_mark mark = mpj_rec_begin(w, kind);

    mpj_put_varint(w, p->phase);
    mpj_put_varint(w, p->done);
    mpj_put_varint(w, p->total);
    return mpj_rec_end(w, mark);
}

int mpj_loader_progress_get(const struct mpj_rec *rec, struct mpj_loader_progress *out)
{
    struct mpj_reader r;

    mpj_reader_init(&r, rec->body, rec->len);
    out->phase = get_u32(&r);
    out->done = get_u32(&r);
    out->total = get_u32(&r);
    return checked(&r);
}

int mpj_loader_boot_put(struct mpj_writer *w, uint32_t source)
{
    struct mpj_rec_mark mark = mpj_rec_begin(w, MPJ_LOADER_BOOT);

    mpj_put_varint(w, source);
    return mpj_rec_end(w, mark);
}

int mpj_loader_boot_get(const struct mpj_rec *rec, uint32_t *source)
{
    struct mpj_reader r;

    mpj_reader_init(&r, rec->body, rec->len);
    *source = get_u32(&r);
    return checked(&r);
}

int mpj_loader_result_put(struct mpj_writer *w, const struct mpj_loader_result *r)
{
    struct mpj_rec_mark mark = mpj_rec_begin(w, MPJ_LOADER_RESULT);

    mpj_put_varint(w, r->code);
    mpj_put_varint(w, r->detail);
    return mpj_rec_end(w, mark);
}

int mpj_loader_result_get(const struct mpj_rec *rec, struct mpj_loader_result *out)
{
    struct mpj_reader r;

    mpj_reader_init(&r, rec->body, rec->len);
    out->code = get_u32(&r);
    out->detail = get_u32(&r);
    return checked(&r);
}

const char *mpj_loader_strerror(uint32_t code)
{
    static const char *const text[] = {
        [MPJ_LOADER_OK] = "ok",
        [MPJ_LOADER_BAD_IMAGE] = "the image does not fit the board's memory or the flash's slots",
        [MPJ_LOADER_BAD_DATA] = "the image arrived incomplete",
        [MPJ_LOADER_NO_IMAGE] = "there is no image to boot",
        [MPJ_LOADER_NO_FLASH] = "no supported flash chip was found",
        [MPJ_LOADER_FLASH_IO] = "the flash chips report an error",
        [MPJ_LOADER_REQUEST] = "this version of the loader does not support the request",
    };

    return code < sizeof(text) / sizeof(text[0]) ? text[code] : "unknown reply from the loader";
}
