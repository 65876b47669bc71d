/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of what is looked at inside a program. */
#include "mpj_trace_records.h"

#include <string.h>

#include "records_int.h"

int mpj_trace_config_put(struct mpj_writer *w, const struct mpj_trace_config *c)
{
    struct mpj_rec_mark mark = mpj_rec_begin(w, MPJ_REC_TRACE);

    mpj_put_varint(w, c->flags);
    mpj_put_varint(w, c->event);
    mpj_put_varint(w, c->every);
    mpj_put_varint(w, c->warm_us);
    mpj_put_varint(w, c->period_us);
    mpj_put_varint(w, c->periods);
    mpj_put_varint(w, c->groups);
    mpj_put_varint(w, c->records);
    mpj_put_varint(w, c->brief);
    mpj_put_varint(w, c->least_ns);
    return mpj_rec_end(w, mark);
}

int mpj_trace_config_get(const struct mpj_rec *rec, struct mpj_trace_config *out)
{
    struct mpj_reader r;

    open_body(&r, rec);
    out->flags = get_u32(&r);
    out->event = get_u32(&r);
    out->every = get_u32(&r);
    out->warm_us = get_u32(&r);
    out->period_us = get_u32(&r);
    out->periods = get_u32(&r);
    out->groups = get_u32(&r);
    out->records = get_u32(&r);
    out->brief = get_u32(&r);
    out->least_ns = get_u32(&r);
    return checked(&r);
}

int mpj_func_choice_put(struct mpj_writer *w, const struct mpj_func_choice_rec *c)
{
    struct mpj_rec_mark mark;

    if (c->count > MPJ_FUNC_CHOICE_BYTES)
        return MPJ_LINK_ERR_RANGE;
    mark = mpj_rec_begin(w, MPJ_REC_FUNC_CHOICE);
    mpj_put_varint(w, c->first);
    mpj_put_bytes(w, c->bits, c->count);
    return mpj_rec_end(w, mark);
}

int mpj_func_choice_get(const struct mpj_rec *rec, struct mpj_func_choice_rec *out)
{
    struct mpj_bytes bytes;
    struct mpj_reader r;

    open_body(&r, rec);
    out->first = get_u32(&r);
    bytes = mpj_get_bytes(&r);
    if (bytes.len > MPJ_FUNC_CHOICE_BYTES || out->first > MPJ_FUNC_MAX / 8U - bytes.len)
        return MPJ_LINK_ERR_RANGE;
    out->count = (uint32_t)bytes.len;
    memcpy(out->bits, bytes.p, bytes.len);
    return checked(&r);
}

int mpj_moments_put(struct mpj_writer *w, const struct mpj_moments_rec *m)
{
    struct mpj_rec_mark mark;
    uint64_t time = 0;

    if (m->count > MPJ_MOMENTS_MAX)
        return MPJ_LINK_ERR_RANGE;
    mark = mpj_rec_begin(w, MPJ_REC_MOMENTS);
    mpj_put_varint(w, m->count);
    for (uint32_t i = 0; i < m->count; i++) {
        const struct mpj_moment_rec *const p = &m->m[i];
        uint32_t last = 0;

        mpj_put_signed(w, (int64_t)(p->time - time));
        time = p->time;
        mpj_put_varint(w, p->core);
        mpj_put_varint(w, p->thread);
        mpj_put_varint(w, p->kind);
        mpj_put_varint(w, p->n);
        for (uint32_t k = 0; k < p->n && k < MPJ_MOMENT_WORDS; k++) {
            mpj_put_signed(w, (int64_t)p->word[k] - (int64_t)last);
            last = p->word[k];
        }
    }
    return mpj_rec_end(w, mark);
}

static void get_words(struct mpj_reader *r, struct mpj_moment_rec *p)
{
    int64_t last = 0;

    p->n = get_u32(r);
    if (p->n > MPJ_MOMENT_WORDS) {
        r->malformed = true;
        p->n = 0;
    }
    for (uint32_t k = 0; k < p->n; k++) {
        const int64_t step = mpj_get_signed(r);

        if (step < -(int64_t)UINT32_MAX || step > (int64_t)UINT32_MAX || last + step < 0 ||
            last + step > (int64_t)UINT32_MAX) {
            r->malformed = true;
            return;
        }
        last += step;
        p->word[k] = (uint32_t)last;
    }
}

int mpj_moments_get(const struct mpj_rec *rec, struct mpj_moments_rec *out)
{
    struct mpj_reader r;
    uint64_t time = 0;
    uint32_t n;

    open_body(&r, rec);
    n = get_u32(&r);
    out->count = 0;
    if (n > MPJ_MOMENTS_MAX)
        return MPJ_LINK_ERR_RANGE;
    for (uint32_t i = 0; i < n && !r.malformed; i++) {
        struct mpj_moment_rec *const p = &out->m[i];

        *p = (struct mpj_moment_rec){0};
        time += (uint64_t)mpj_get_signed(&r);
        p->time = time;
        p->core = get_u32(&r);
        p->thread = get_u32(&r);
        p->kind = get_u32(&r);
        get_words(&r, p);
    }
    if (r.short_read)
        return MPJ_LINK_ERR_FORMAT;
    out->count = n;
    return checked(&r);
}

int mpj_function_put(struct mpj_writer *w, const struct mpj_function_rec *f)
{
    struct mpj_rec_mark mark;

    if (f->count > MPJ_PMU_COUNTERS)
        return MPJ_LINK_ERR_RANGE;
    mark = mpj_rec_begin(w, MPJ_REC_FUNCTION);
    mpj_put_varint(w, f->entry);
    mpj_put_varint(w, f->caller);
    mpj_put_varint(w, f->flags);
    mpj_put_varint(w, f->group);
    mpj_put_varint(w, f->calls);
    mpj_put_varint(w, f->measured);
    mpj_put_varint(w, f->here);
    mpj_put_varint(w, f->cycles);
    mpj_put_varint(w, f->count);
    for (uint32_t i = 0; i < f->count; i++) {
        mpj_put_varint(w, f->ev[i].event);
        mpj_put_varint(w, f->ev[i].value);
    }
    mpj_put_varint(w, f->records);
    mpj_put_varint(w, f->core);
    mpj_put_varint(w, f->squares);
    mpj_put_varint(w, f->above);
    mpj_put_varint(w, f->usual);
    return mpj_rec_end(w, mark);
}

int mpj_function_get(const struct mpj_rec *rec, struct mpj_function_rec *out)
{
    struct mpj_reader r;
    uint32_t n;

    *out = (struct mpj_function_rec){0};
    open_body(&r, rec);
    out->entry = get_u32(&r);
    out->caller = get_u32(&r);
    out->flags = get_u32(&r);
    out->group = get_u32(&r);
    out->calls = get_u32(&r);
    out->measured = get_u32(&r);
    out->here = get_u32(&r);
    out->cycles = mpj_get_varint(&r);
    n = get_u32(&r);
    if (n > MPJ_PMU_COUNTERS)
        return MPJ_LINK_ERR_RANGE;
    for (uint32_t i = 0; i < n; i++) {
        out->ev[i].event = get_u32(&r);
        out->ev[i].value = mpj_get_varint(&r);
    }
    if (r.short_read)
        return MPJ_LINK_ERR_FORMAT;
    out->count = n;
    out->records = get_u32(&r); /* these of no older target */
    out->core = get_u32(&r);
    out->squares = mpj_get_varint(&r);
    out->above = get_u32(&r);
    out->usual = get_u32(&r);
    return checked(&r);
}

int mpj_func_groups_put(struct mpj_writer *w, const struct mpj_func_groups_rec *g)
{
    struct mpj_rec_mark mark;

    if (g->count > MPJ_TRACE_GROUPS_MAX)
        return MPJ_LINK_ERR_RANGE;
    mark = mpj_rec_begin(w, MPJ_REC_FUNC_GROUPS);
    mpj_put_varint(w, g->functions);
    mpj_put_varint(w, g->periods);
    mpj_put_varint(w, g->ticks);
    mpj_put_varint(w, g->deep);
    mpj_put_varint(w, g->count);
    for (uint32_t i = 0; i < g->count; i++)
        mpj_put_varint(w, g->active[i]);
    for (uint32_t i = 0; i < MPJ_PMU_COUNTERS + 1U; i++)
        mpj_put_varint(w, g->passed[i]);
    mpj_put_varint(w, g->used);
    return mpj_rec_end(w, mark);
}

int mpj_func_groups_get(const struct mpj_rec *rec, struct mpj_func_groups_rec *out)
{
    struct mpj_reader r;
    uint32_t n;

    *out = (struct mpj_func_groups_rec){0};
    open_body(&r, rec);
    out->functions = get_u32(&r);
    out->periods = get_u32(&r);
    out->ticks = mpj_get_varint(&r);
    out->deep = get_u32(&r);
    n = get_u32(&r);
    if (n > MPJ_TRACE_GROUPS_MAX)
        return MPJ_LINK_ERR_RANGE;
    for (uint32_t i = 0; i < n; i++)
        out->active[i] = mpj_get_varint(&r);
    if (r.short_read)
        return MPJ_LINK_ERR_FORMAT;
    out->count = n;
    for (uint32_t i = 0; i < MPJ_PMU_COUNTERS + 1U; i++)
        out->passed[i] = get_u32(&r);
    out->used = mpj_get_varint(&r);
    return checked(&r);
}
