/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_stack_records.h"

#include "records_int.h"

#define KIND_BITS  2U
#define ENTRY_ROOM 32U /* bytes: a repetition, a word and another repetition */

int mpj_stack_put(struct mpj_writer *w, const struct mpj_stack_rec *s)
{
    const struct mpj_rec_mark mark = mpj_rec_begin(w, MPJ_REC_FAULT_STACK);

    mpj_put_varint(w, s->from);
    mpj_put_varint(w, s->to);
    mpj_put_bytes(w, s->words.p, s->words.len);
    return mpj_rec_end(w, mark);
}

int mpj_stack_get(const struct mpj_rec *rec, struct mpj_stack_rec *out)
{
    struct mpj_reader r;

    open_body(&r, rec);
    out->from = get_u32(&r);
    out->to = get_u32(&r);
    out->words = mpj_get_bytes(&r);
    if (r.short_read || out->from % 4U != 0 || out->to % 4U != 0 || out->to < out->from)
        return MPJ_LINK_ERR_FORMAT;
    return checked(&r);
}

static struct mpj_stack_entry *past(struct mpj_stack_coder *c, uint32_t back)
{
    return &c->past[(c->count - back) % MPJ_STACK_PAST];
}

static bool same(const struct mpj_stack_entry *a, const struct mpj_stack_entry *b)
{
    return a->gap == b->gap && a->kind == b->kind && a->value == b->value;
}

static void remember(struct mpj_stack_coder *c, const struct mpj_stack_entry *e)
{
    c->past[c->count++ % MPJ_STACK_PAST] = *e;
    c->next += 4U * (e->gap + 1U);
    if (e->kind == MPJ_STACK_CODE)
        c->code = e->value;
}

static bool begin_again(struct mpj_stack_coder *c, const struct mpj_stack_entry *e)
{
    for (uint32_t p = 1; p <= MPJ_STACK_PAST && p <= c->count; p++) {
        if (same(past(c, p), e)) {
            c->period = p;
            c->again = 1;
            return true;
        }
    }
    return false;
}

static void end_again(struct mpj_stack_coder *c)
{
    if (c->again == 0)
        return;
    mpj_put_varint(&c->w, (uint64_t)c->period << KIND_BITS | MPJ_STACK_AGAIN);
    mpj_put_varint(&c->w, c->again);
    c->again = 0;
}

void mpj_stack_start(struct mpj_stack_coder *c, uint32_t from)
{
    mpj_writer_init(&c->w, c->bytes, sizeof(c->bytes));
    c->from = c->next = from;
    c->code = c->count = c->period = c->again = 0;
}

bool mpj_stack_add(struct mpj_stack_coder *c, uint32_t address, uint32_t value, uint32_t kind)
{
    const struct mpj_stack_entry e = {
        .gap = (address - c->next) / 4U,
        .kind = kind,
        .value = kind == MPJ_STACK_POINTER ? value - address : value,
    };

    if (c->again != 0 && same(past(c, c->period), &e)) {
        c->again++;
    } else {
        if (c->w.end - c->w.at < (ptrdiff_t)ENTRY_ROOM)
            return false;
        end_again(c);
        if (!begin_again(c, &e)) {
            mpj_put_varint(&c->w, (uint64_t)e.gap << KIND_BITS | kind);
            mpj_put_signed(&c->w, kind == MPJ_STACK_CODE ? (int64_t)value - c->code
                                                         : (int64_t)(int32_t)e.value);
        }
    }
    remember(c, &e);
    return true;
}

void mpj_stack_finish(struct mpj_stack_coder *c, uint32_t to, struct mpj_stack_rec *out)
{
    end_again(c);
    *out = (struct mpj_stack_rec){
        .from = c->from, .to = to, .words = {c->bytes, (size_t)(c->w.at - c->bytes)}};
}

/* ---- reading ---------------------------------------------------------------- */

struct decoder {
    struct mpj_stack_coder c; /* what is known of the words so far */
    const struct mpj_stack_rec *s;
    bool (*fn)(void *ctx, uint32_t address, uint32_t value);
    void *ctx;
};

/* Returns 1: go on, 0: enough, or MPJ_LINK_ERR_FORMAT. */
static int take(struct decoder *d, const struct mpj_stack_entry *e)
{
    const uint64_t address = d->c.next + 4ULL * e->gap;

    if (address >= d->s->to)
        return MPJ_LINK_ERR_FORMAT;
    remember(&d->c, e);
    return d->fn(d->ctx, (uint32_t)address,
                 e->kind == MPJ_STACK_POINTER ? (uint32_t)address + e->value : e->value);
}

static int take_again(struct decoder *d, uint64_t period, uint64_t times)
{
    int r = 1;

    if (period == 0 || period > MPJ_STACK_PAST || period > d->c.count)
        return MPJ_LINK_ERR_FORMAT;
    for (; times > 0 && r == 1; times--) {
        const struct mpj_stack_entry e = *past(&d->c, (uint32_t)period);

        r = take(d, &e);
    }
    return r;
}

int mpj_stack_words(const struct mpj_stack_rec *s,
                    bool (*fn)(void *ctx, uint32_t address, uint32_t value), void *ctx)
{
    struct decoder d = {.c = {.next = s->from}, .s = s, .fn = fn, .ctx = ctx};
    struct mpj_reader r;
    int result = 1;

    mpj_reader_init(&r, s->words.p, s->words.len);
    while (result == 1 && r.at < r.end) {
        const uint64_t head = mpj_get_varint(&r);
        const uint64_t gap = head >> KIND_BITS;
        const uint32_t kind = head & ((1U << KIND_BITS) - 1U);
        struct mpj_stack_entry e = {.kind = kind};

        if (kind == MPJ_STACK_AGAIN) {
            result = take_again(&d, gap, mpj_get_varint(&r));
        } else {
            e.value = (uint32_t)mpj_get_signed(&r);
            if (kind == MPJ_STACK_CODE)
                e.value += d.c.code;
            e.gap = (uint32_t)gap;
            result = kind > MPJ_STACK_AGAIN || gap > UINT32_MAX / 4U ? MPJ_LINK_ERR_FORMAT
                                                                     : take(&d, &e);
        }
        if (r.short_read || r.malformed)
            return MPJ_LINK_ERR_FORMAT;
    }
    return result < 0 ? result : 0;
}
