/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "records_int.h"

#include <string.h>

static uint16_t get_u16(struct mpj_reader *r)
{
    const uint64_t v = mpj_get_varint(r);

    if (v > UINT16_MAX)
        r->malformed = true;
    return (uint16_t)v;
}

static void put_le32(struct mpj_writer *w, uint32_t v)
{
    const uint8_t b[4] = {(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)};

    mpj_put_raw(w, b, sizeof(b));
}

static uint32_t get_le32(struct mpj_reader *r)
{
    uint32_t v = 0;

    for (unsigned i = 0; i < 4; i++)
        v |= (uint32_t)mpj_get_u8(r) << (8U * i);
    return v;
}

/* ---- session ------------------------------------------------------------ */

int mpj_hello_put(struct mpj_writer *w, const struct mpj_hello *h)
{
    struct mpj_rec_mark mark = mpj_rec_begin(w, MPJ_REC_HELLO);

    mpj_put_varint(w, h->protocol);
    mpj_put_varint(w, h->abi);
    mpj_put_varint(w, h->features);
    mpj_put_varint(w, h->sys_id);
    mpj_put_varint(w, h->proc_id);
    mpj_put_varint(w, h->midr);
    mpj_put_varint(w, h->scu_config);
    mpj_put_varint(w, h->l2_id);
    mpj_put_varint(w, h->cores);
    mpj_put_varint(w, h->clock_hz);
    mpj_put_varint(w, h->time_hz);
    mpj_put_bytes(w, h->build_id.p, h->build_id.len);
    mpj_put_bytes(w, h->name.p, h->name.len);
    return mpj_rec_end(w, mark);
}

int mpj_hello_get(const struct mpj_rec *rec, struct mpj_hello *out)
{
    struct mpj_reader r;

    open_body(&r, rec);
    out->protocol = get_u32(&r);
    out->abi = get_u32(&r);
    out->features = get_u32(&r);
    out->sys_id = get_u32(&r);
    out->proc_id = get_u32(&r);
    out->midr = get_u32(&r);
    out->scu_config = get_u32(&r);
    out->l2_id = get_u32(&r);
    out->cores = get_u32(&r);
    out->clock_hz = get_u32(&r);
    out->time_hz = get_u32(&r);
    out->build_id = mpj_get_bytes(&r);
    out->name = mpj_get_bytes(&r);
    return checked(&r);
}

#define PUT(kind, option, field, ...) mpj_put_varint(w, c->field);
#define GET(kind, option, field, ...) out->field = get_u32(&r);

int mpj_config_put(struct mpj_writer *w, const struct mpj_config_rec *c)
{
    struct mpj_rec_mark mark = mpj_rec_begin(w, MPJ_REC_CONFIG);

    mpj_put_varint(w, c->features);
    mpj_put_varint(w, c->session);
    mpj_put_varint(w, c->cores_mask);
    mpj_put_varint(w, c->flags);
    MPJ_SETTINGS(PUT)
    mpj_put_varint(w, MPJ_CORES_MAX);
    for (unsigned i = 0; i < MPJ_CORES_MAX; i++) {
        for (unsigned k = 0; k < MPJ_PMU_COUNTERS; k++)
            mpj_put_varint(w, c->pmu[i][k]);
    }
    for (unsigned i = 0; i < MPJ_SCU_COUNTERS; i++)
        mpj_put_varint(w, c->scu[i]);
    for (unsigned i = 0; i < MPJ_L2_COUNTERS; i++)
        mpj_put_varint(w, c->l2[i]);
    MPJ_SETTINGS_LATER(PUT)
    return mpj_rec_end(w, mark);
}

int mpj_config_get(const struct mpj_rec *rec, struct mpj_config_rec *out)
{
    struct mpj_reader r;

    open_body(&r, rec);
    out->features = get_u32(&r);
    out->session = get_u32(&r);
    out->cores_mask = get_u32(&r);
    out->flags = get_u32(&r);
    MPJ_SETTINGS(GET)
    if (get_u32(&r) != MPJ_CORES_MAX)
        return MPJ_LINK_ERR_RANGE;
    for (unsigned i = 0; i < MPJ_CORES_MAX; i++) {
        for (unsigned k = 0; k < MPJ_PMU_COUNTERS; k++)
            out->pmu[i][k] = get_u16(&r);
    }
    for (unsigned i = 0; i < MPJ_SCU_COUNTERS; i++)
        out->scu[i] = get_u16(&r);
    for (unsigned i = 0; i < MPJ_L2_COUNTERS; i++)
        out->l2[i] = get_u16(&r);
    /* selectors are not an optional tail: event 0 is an event */
    if (r.short_read)
        return MPJ_LINK_ERR_FORMAT;
    MPJ_SETTINGS_LATER(GET)
    return checked(&r);
}

int mpj_go_put(struct mpj_writer *w, const struct mpj_go *g)
{
    struct mpj_rec_mark mark = mpj_rec_begin(w, MPJ_REC_GO);

    mpj_put_varint(w, g->argc);
    mpj_put_varint(w, g->envc);
    return mpj_rec_end(w, mark);
}

int mpj_go_get(const struct mpj_rec *rec, struct mpj_go *out)
{
    struct mpj_reader r;

    open_body(&r, rec);
    out->argc = get_u32(&r);
    out->envc = get_u32(&r);
    return checked(&r);
}

int mpj_blob_put(struct mpj_writer *w, uint32_t kind, const void *data, size_t len)
{
    struct mpj_rec_mark mark = mpj_rec_begin(w, kind);

    mpj_put_raw(w, data, len);
    return mpj_rec_end(w, mark);
}

size_t mpj_blob_put_some(struct mpj_writer *w, uint32_t kind, const void *data, size_t len)
{
    const size_t room = (size_t)(w->end - w->at);
    const size_t head = 5U + 2U; /* kind and length at their longest (a frame is below 2^14) */

    if (w->full || room <= head || len == 0)
        return 0;
    if (len > room - head)
        len = room - head;
    return mpj_blob_put(w, kind, data, len) == MPJ_LINK_OK ? len : 0;
}

int mpj_end_put(struct mpj_writer *w, const struct mpj_end *e)
{
    struct mpj_rec_mark mark = mpj_rec_begin(w, MPJ_REC_END);

    mpj_put_signed(w, e->exit_status);
    mpj_put_varint(w, e->reason);
    mpj_put_varint(w, e->session);
    mpj_put_varint(w, e->time);
    mpj_put_varint(w, e->records);
    mpj_put_varint(w, e->dropped);
    return mpj_rec_end(w, mark);
}

int mpj_end_get(const struct mpj_rec *rec, struct mpj_end *out)
{
    struct mpj_reader r;
    int64_t status;

    open_body(&r, rec);
    status = mpj_get_signed(&r);
    out->exit_status = (int32_t)status;
    out->reason = get_u32(&r);
    out->session = get_u32(&r);
    out->time = mpj_get_varint(&r);
    out->records = mpj_get_varint(&r);
    out->dropped = mpj_get_varint(&r);
    if (status < INT32_MIN || status > INT32_MAX)
        return MPJ_LINK_ERR_RANGE;
    return checked(&r);
}

/* ---- counters ----------------------------------------------------------- */

int mpj_core_put(struct mpj_writer *w, const struct mpj_core_rec *c)
{
    struct mpj_rec_mark mark;

    if (c->count > MPJ_REC_EVENTS_MAX)
        return MPJ_LINK_ERR_RANGE;
    mark = mpj_rec_begin(w, MPJ_REC_CORE);
    mpj_put_varint(w, c->core);
    mpj_put_varint(w, c->flags);
    mpj_put_varint(w, c->time);
    mpj_put_varint(w, c->cycles);
    mpj_put_varint(w, c->wfi_cycles);
    put_events(w, c->ev, c->count);
    return mpj_rec_end(w, mark);
}

int mpj_core_get(const struct mpj_rec *rec, struct mpj_core_rec *out)
{
    struct mpj_reader r;

    open_body(&r, rec);
    out->core = get_u32(&r);
    out->flags = get_u32(&r);
    out->time = mpj_get_varint(&r);
    out->cycles = mpj_get_varint(&r);
    out->wfi_cycles = mpj_get_varint(&r);
    return get_events(&r, out->ev, &out->count);
}

int mpj_chip_put(struct mpj_writer *w, uint32_t kind, const struct mpj_chip_rec *c)
{
    struct mpj_rec_mark mark;

    if (c->count > MPJ_REC_EVENTS_MAX)
        return MPJ_LINK_ERR_RANGE;
    mark = mpj_rec_begin(w, kind);
    mpj_put_varint(w, c->flags);
    mpj_put_varint(w, c->time);
    put_events(w, c->ev, c->count);
    return mpj_rec_end(w, mark);
}

int mpj_chip_get(const struct mpj_rec *rec, struct mpj_chip_rec *out)
{
    struct mpj_reader r;

    open_body(&r, rec);
    out->flags = get_u32(&r);
    out->time = mpj_get_varint(&r);
    return get_events(&r, out->ev, &out->count);
}

/* Reads a small difference: most are one byte, which take no call. */
static inline int64_t get_small(struct mpj_reader *r)
{
    if (r->at != r->end && *r->at < 0x80U) {
        const uint32_t v = *r->at++;
        return (int64_t)(v >> 1) ^ -(int64_t)(v & 1U);
    }
    return mpj_get_signed(r);
}

/* ---- ADC ---------------------------------------------------------------- */

/*
 * Appends a block. Body: first, period, count, time of the first sample; then per sample the
 * deviation of its time from (previous + period) (absent for the first) and per channel the
 * difference to the previous code (the first sample's to 0), all zigzag.
 */
int mpj_adc_put(struct mpj_writer *w, const struct mpj_adc_rec *a)
{
    struct mpj_rec_mark mark;
    uint16_t last[MPJ_ADC_CHANNELS] = {0};

    if (a->count > MPJ_ADC_BLOCK_MAX)
        return MPJ_LINK_ERR_RANGE;
    mark = mpj_rec_begin(w, MPJ_REC_ADC);
    mpj_put_varint(w, a->first);
    mpj_put_varint(w, a->period);
    mpj_put_varint(w, a->count);
    if (a->count > 0)
        mpj_put_varint(w, a->s[0].time);
    for (uint32_t i = 0; i < a->count; i++) {
        if (i > 0) {
            const int64_t late = (int64_t)(a->s[i].time - a->s[i - 1].time - a->period);
            if (late > INT32_MAX || late < INT32_MIN)
                goto range;
            mpj_put_signed(w, late);
        }
        for (unsigned k = 0; k < MPJ_ADC_CHANNELS; k++) {
            if (a->s[i].code[k] > 0xfffU)
                goto range;
            mpj_put_signed(w, (int32_t)a->s[i].code[k] - (int32_t)last[k]);
            last[k] = a->s[i].code[k];
        }
    }
    return mpj_rec_end(w, mark);

range:
    w->at = mark.start;
    w->full = false;
    return MPJ_LINK_ERR_RANGE;
}

int mpj_adc_get(const struct mpj_rec *rec, struct mpj_adc_rec *out)
{
    struct mpj_reader r;
    int32_t code[MPJ_ADC_CHANNELS] = {0};
    uint32_t count;

    open_body(&r, rec);
    out->count = 0;
    out->first = mpj_get_varint(&r);
    out->period = mpj_get_varint(&r);
    count = get_u32(&r);
    if (count > MPJ_ADC_BLOCK_MAX)
        return MPJ_LINK_ERR_RANGE;
    for (uint32_t i = 0; i < count; i++) {
        struct mpj_adc_sample *s = &out->s[i];

        s->time = i == 0 ? mpj_get_varint(&r) : s[-1].time + out->period + (uint64_t)get_small(&r);
        for (unsigned k = 0; k < MPJ_ADC_CHANNELS; k++) {
            const int64_t delta = get_small(&r);
            if (delta > UINT16_MAX || delta < -(int64_t)UINT16_MAX)
                return MPJ_LINK_ERR_RANGE;
            code[k] += (int32_t)delta;
            if (code[k] < 0 || code[k] > UINT16_MAX)
                return MPJ_LINK_ERR_RANGE;
            s->code[k] = (uint16_t)code[k];
        }
    }
    if (r.short_read)
        return MPJ_LINK_ERR_FORMAT;
    out->count = count;
    return checked(&r);
}

/* ---- faults, errors, marks ------------------------------------------------ */

const char *mpj_fault_name(uint32_t kind)
{
    switch (kind) {
    case MPJ_FAULT_UNDEF:
        return "undefined instruction";
    case MPJ_FAULT_SVC:
        return "unknown supervisor call";
    case MPJ_FAULT_PREFETCH:
        return "prefetch abort";
    case MPJ_FAULT_DATA:
        return "data abort";
    case MPJ_FAULT_FIQ:
        return "unexpected FIQ";
    case MPJ_FAULT_STACK:
        return "stack overflow";
    default:
        return "fault";
    }
}

int mpj_fault_put(struct mpj_writer *w, const struct mpj_fault *f)
{
    struct mpj_rec_mark mark;

    if (f->count > MPJ_FAULT_STACK_MAX)
        return MPJ_LINK_ERR_RANGE;
    mark = mpj_rec_begin(w, MPJ_REC_FAULT);
    mpj_put_varint(w, f->kind);
    mpj_put_varint(w, f->core);
    mpj_put_varint(w, f->thread);
    mpj_put_varint(w, f->time);
    for (unsigned i = 0; i < 16; i++)
        put_le32(w, f->r[i]);
    put_le32(w, f->cpsr);
    put_le32(w, f->dfsr);
    put_le32(w, f->dfar);
    put_le32(w, f->ifsr);
    put_le32(w, f->ifar);
    mpj_put_varint(w, f->count);
    for (uint32_t i = 0; i < f->count; i++)
        put_le32(w, f->stack[i]);
    return mpj_rec_end(w, mark);
}

int mpj_fault_get(const struct mpj_rec *rec, struct mpj_fault *out)
{
    struct mpj_reader r;
    uint32_t count;

    open_body(&r, rec);
    out->count = 0;
    out->kind = get_u32(&r);
    out->core = get_u32(&r);
    out->thread = get_u32(&r);
    out->time = mpj_get_varint(&r);
    for (unsigned i = 0; i < 16; i++)
        out->r[i] = get_le32(&r);
    out->cpsr = get_le32(&r);
    out->dfsr = get_le32(&r);
    out->dfar = get_le32(&r);
    out->ifsr = get_le32(&r);
    out->ifar = get_le32(&r);
    count = get_u32(&r);
    if (count > MPJ_FAULT_STACK_MAX)
        return MPJ_LINK_ERR_RANGE;
    for (uint32_t i = 0; i < count; i++)
        out->stack[i] = get_le32(&r);
    if (r.short_read)
        return MPJ_LINK_ERR_FORMAT;
    out->count = count;
    return checked(&r);
}

const char *mpj_target_strerror(uint32_t code)
{
    switch (code) {
    case MPJ_TERR_NO_CCNT:
        return "the cycle counter (CP15 c15) does not count";
    case MPJ_TERR_NO_PMU:
        return "the event counters (CP15 c15) do not count";
    case MPJ_TERR_NO_SCU:
        return "the SCU event monitor does not answer";
    case MPJ_TERR_NO_L2:
        return "the L220 event counters do not answer";
    case MPJ_TERR_NO_ADC:
        return "the power ADC does not answer";
    case MPJ_TERR_CONFIG:
        return "the target rejected the run's configuration";
    case MPJ_TERR_MEMORY:
        return "the target is out of memory";
    case MPJ_TERR_RUNTIME:
        return "a check in the target's runtime failed";
    case MPJ_TERR_CORES:
        return "a core did not start";
    case MPJ_TERR_DEADLOCK:
        return "every thread is blocked";
    default:
        return "unknown error of the target";
    }
}

int mpj_error_put(struct mpj_writer *w, const struct mpj_error_rec *e)
{
    struct mpj_rec_mark mark = mpj_rec_begin(w, MPJ_REC_ERROR);

    mpj_put_varint(w, e->code);
    mpj_put_varint(w, e->core);
    mpj_put_varint(w, e->time);
    mpj_put_varint(w, e->detail);
    mpj_put_bytes(w, e->text.p, e->text.len);
    return mpj_rec_end(w, mark);
}

int mpj_error_get(const struct mpj_rec *rec, struct mpj_error_rec *out)
{
    struct mpj_reader r;

    open_body(&r, rec);
    out->code = get_u32(&r);
    out->core = get_u32(&r);
    out->time = mpj_get_varint(&r);
    out->detail = mpj_get_varint(&r);
    out->text = mpj_get_bytes(&r);
    return checked(&r);
}

int mpj_mark_put(struct mpj_writer *w, const struct mpj_mark *m)
{
    struct mpj_rec_mark mark = mpj_rec_begin(w, MPJ_REC_MARK);

    mpj_put_varint(w, m->time);
    mpj_put_varint(w, m->core);
    mpj_put_varint(w, m->thread);
    mpj_put_bytes(w, m->name.p, m->name.len);
    mpj_put_signed(w, m->value);
    if (m->origin != MPJ_MARK_PROGRAM)
        mpj_put_varint(w, m->origin);
    return mpj_rec_end(w, mark);
}

int mpj_mark_get(const struct mpj_rec *rec, struct mpj_mark *out)
{
    struct mpj_reader r;

    open_body(&r, rec);
    out->time = mpj_get_varint(&r);
    out->core = get_u32(&r);
    out->thread = get_u32(&r);
    out->name = mpj_get_bytes(&r);
    out->value = mpj_get_signed(&r);
    out->origin = get_u32(&r);
    return checked(&r);
}

int mpj_run_put(struct mpj_writer *w, uint32_t kind, const struct mpj_run_rec *c)
{
    struct mpj_rec_mark mark = mpj_rec_begin(w, kind);

    mpj_put_varint(w, c->time);
    mpj_put_varint(w, c->cores_mask);
    MPJ_SETTINGS_ALL(PUT)
    return mpj_rec_end(w, mark);
}

int mpj_run_get(const struct mpj_rec *rec, struct mpj_run_rec *out)
{
    struct mpj_reader r;

    open_body(&r, rec);
    out->time = mpj_get_varint(&r);
    out->cores_mask = get_u32(&r);
    MPJ_SETTINGS_ALL(GET)
    return checked(&r);
}

int mpj_dropped_put(struct mpj_writer *w, const struct mpj_dropped *d)
{
    struct mpj_rec_mark mark;

    if (d->count > MPJ_REC_EVENTS_MAX)
        return MPJ_LINK_ERR_RANGE;
    mark = mpj_rec_begin(w, MPJ_REC_DROPPED);
    mpj_put_varint(w, d->count);
    for (uint32_t i = 0; i < d->count; i++) {
        mpj_put_varint(w, d->d[i].kind);
        mpj_put_varint(w, d->d[i].records);
    }
    return mpj_rec_end(w, mark);
}

int mpj_dropped_get(const struct mpj_rec *rec, struct mpj_dropped *out)
{
    struct mpj_reader r;
    uint32_t count;

    open_body(&r, rec);
    out->count = 0;
    count = get_u32(&r);
    if (count > MPJ_REC_EVENTS_MAX)
        return MPJ_LINK_ERR_RANGE;
    for (uint32_t i = 0; i < count; i++) {
        out->d[i].kind = get_u32(&r);
        out->d[i].records = mpj_get_varint(&r);
    }
    if (r.short_read)
        return MPJ_LINK_ERR_FORMAT;
    out->count = count;
    return checked(&r);
}
