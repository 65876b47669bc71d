/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of the controller of parallel regions. */
#include "mpj_adapt_records.h"

#include "records_int.h"

int mpj_adapt_put(struct mpj_writer *w, const struct mpj_adapt_rec *a)
{
    struct mpj_rec_mark mark = mpj_rec_begin(w, MPJ_REC_ADAPT);

    mpj_put_varint(w, a->region);
    mpj_put_varint(w, a->caller);
    mpj_put_varint(w, a->time);
    mpj_put_varint(w, a->ticks);
    mpj_put_varint(w, a->threads);
    mpj_put_varint(w, a->most);
    mpj_put_varint(w, a->why);
    mpj_put_varint(w, a->believed_ns);
    mpj_put_varint(w, a->believed_uw);
    mpj_put_varint(w, a->uw);
    mpj_put_varint(w, a->samples);
    mpj_put_varint(w, a->elapsed);
    mpj_put_varint(w, a->cycles);
    for (unsigned i = 0; i < MPJ_PMU_COUNTERS; i++)
        mpj_put_varint(w, a->event[i]);
    return mpj_rec_end(w, mark);
}

int mpj_adapt_get(const struct mpj_rec *rec, struct mpj_adapt_rec *out)
{
    struct mpj_reader r;

    open_body(&r, rec);
    out->region = get_u32(&r);
    out->caller = get_u32(&r);
    out->time = mpj_get_varint(&r);
    out->ticks = mpj_get_varint(&r);
    out->threads = get_u32(&r);
    out->most = get_u32(&r);
    out->why = get_u32(&r);
    out->believed_ns = mpj_get_varint(&r);
    out->believed_uw = get_u32(&r);
    out->uw = get_u32(&r);
    out->samples = get_u32(&r);
    out->elapsed = get_u32(&r);
    out->cycles = get_u32(&r);
    for (unsigned i = 0; i < MPJ_PMU_COUNTERS; i++)
        out->event[i] = get_u32(&r);
    return checked(&r);
}
