/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that the files of record types share. */
#ifndef MPJ_RECORDS_INT_H
#define MPJ_RECORDS_INT_H

#include "mpj_records.h"

/* Ends every get. Fields missing at the end are zero by rule; anything else is damage. */
static inline int checked(const struct mpj_reader *r)
{
    return r->malformed ? MPJ_LINK_ERR_FORMAT : MPJ_LINK_OK;
}

static inline void open_body(struct mpj_reader *r, const struct mpj_rec *rec)
{
    mpj_reader_init(r, rec->body, rec->len);
}

static inline uint32_t get_u32(struct mpj_reader *r)
{
    const uint64_t v = mpj_get_varint(r);

    if (v > UINT32_MAX)
        r->malformed = true;
    return (uint32_t)v;
}

static inline void put_events(struct mpj_writer *w, const struct mpj_event_value *ev,
                              uint32_t count)
{
    mpj_put_varint(w, count);
    for (uint32_t i = 0; i < count; i++) {
        mpj_put_varint(w, ev[i].event);
        mpj_put_varint(w, ev[i].value);
        mpj_put_varint(w, ev[i].active);
    }
}

static inline int get_events(struct mpj_reader *r, struct mpj_event_value *ev, uint32_t *count)
{
    const uint32_t n = get_u32(r);

    *count = 0;
    if (n > MPJ_REC_EVENTS_MAX)
        return MPJ_LINK_ERR_RANGE;
    for (uint32_t i = 0; i < n; i++) {
        ev[i].event = get_u32(r);
        ev[i].value = mpj_get_varint(r);
        ev[i].active = mpj_get_varint(r);
    }
    if (r->short_read)
        return MPJ_LINK_ERR_FORMAT;
    *count = n;
    return checked(r);
}

#endif
