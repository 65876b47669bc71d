/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames in parts (SPEC.md, "Parts"): on a line that damages one byte in some hundred no long frame
 * arrives, but short ones do. The receiver judges the line by what arrives damaged and says in its
 * ACKs how large parts should be, and which it has; the sender cuts what it kept whole.
 */
#include "link_int.h"

#include <string.h>

/*
 * On a line that damages a share q of all bytes, about (1 - h / n) (1 - q n) of n bytes in a frame
 * of n + h arrive: n and n / 2 are worth the same where q n^2 = 2 h.
 */
#define HEAD     (MPJ_FRAME_HEAD + 1U + MPJ_FRAME_CHECK + 2U + 2U)
#define GOOD     (4U << 10)  /* bytes without damage that a line begins with in our judgement */
#define SPAN     (32U << 10) /* what lies further back counts half, and so on */
#define ONE      16U         /* a damaged group in `damage` */

#define UNLISTED 2U /* every other ACK has a list; so many in a row without one: none arrive */

static uint32_t bits(uint32_t n)
{
    return n < 32U ? (1U << n) - 1U : UINT32_MAX;
}

static uint32_t units_of(uint32_t bytes)
{
    return (bytes + MPJ_LINK_UNIT - 1U) / MPJ_LINK_UNIT;
}

void mpj_link_parts(struct mpj_link *l)
{
    l->sized = true;
    l->judged = GOOD;
    l->damage = 0;
    l->judged_bytes = l->decoder.stats.bytes;
    l->judged_bad = l->decoder.stats.bad;
}

bool mpj_link_in_parts(const struct mpj_link *l)
{
    return l->size != 0;
}

/* ---- receiving -------------------------------------------------------------------- */

void mpj_part_forget(struct mpj_link_ahead *a)
{
    a->have = 0;
    a->end = 0;
    a->units = 0;
}

bool mpj_part_gather(struct mpj_link_ahead *a, const struct mpj_frame *f)
{
    const uint8_t *p = f->payload + 1;
    uint32_t n = (uint32_t)f->len;
    uint32_t first, end;
    bool last;

    if (n < 2U)
        return false;
    n--;
    first = f->payload[0] & MPJ_PART_UNIT;
    last = (f->payload[0] & MPJ_PART_LAST) != 0;
    end = first + units_of(n);
    if (first * MPJ_LINK_UNIT + n > 1U + MPJ_FRAME_PAYLOAD_MAX ||
        (!last && n % MPJ_LINK_UNIT != 0) || (first == 0 && !mpj_frame_sequenced(p[0])))
        return false; /* no sender of this version cuts it so */
    if (a->end != 0 && (last ? end != a->end : end >= a->end))
        return false;
    if (last && (a->units & ~bits(end)) != 0)
        return false;
    if (last) {
        a->end = (uint8_t)end;
        a->len = (uint16_t)(first * MPJ_LINK_UNIT + n - 1U);
    }
    if (first == 0) {
        a->type = p[0];
        memcpy(a->payload, p + 1, n - 1U);
    } else {
        memcpy(a->payload + (size_t)first * MPJ_LINK_UNIT - 1U, p, n);
    }
    a->units |= bits(end) & ~bits(first);
    return a->end != 0 && a->units == bits(a->end);
}

/* Sets the size of parts for a line like this. */
static void judge(struct mpj_link *l)
{
    const struct mpj_frame_stats *const s = &l->decoder.stats;
    uint32_t size = MPJ_LINK_PART_MAX;

    l->judged += (uint32_t)(s->bytes - l->judged_bytes);
    l->damage += ONE * (uint32_t)(s->bad - l->judged_bad);
    l->judged_bytes = s->bytes;
    l->judged_bad = s->bad;
    for (; l->judged > SPAN; l->judged /= 2U)
        l->damage /= 2U;
    l->wish = 0;
    if ((uint64_t)MPJ_FRAME_PAYLOAD_MAX * MPJ_FRAME_PAYLOAD_MAX * l->damage <=
        2ULL * HEAD * ONE * l->judged)
        return;
    while (size > 1U && (uint64_t)size * MPJ_LINK_UNIT * size * MPJ_LINK_UNIT * l->damage >
                            2ULL * HEAD * ONE * l->judged)
        size /= 2U;
    l->wish = (uint8_t)size;
}

bool mpj_part_brief(struct mpj_link *l)
{
    if (!l->sized)
        return !l->full_status;
    judge(l);
    l->odd = !l->odd;
    if (!l->cfg.active) /* the host receives all */
        return false;
    if (l->quiet_status) /* the target may run, or wait and its POLL be lost */
        return l->odd;
    return !l->full_status && (l->wish == 0 || l->odd);
}

uint32_t mpj_part_most(const struct mpj_link *l, bool brief)
{
    if (!l->sized)
        return UINT32_MAX;
    /* that many in two bytes: with the size it still fits sixteen */
    return l->wish == 0 || brief ? MPJ_LINK_SLOTS_MAX - 1U : MPJ_LINK_LISTED;
}

void mpj_part_status(const struct mpj_link *l, struct mpj_writer *w, uint32_t mark, bool brief)
{
    uint32_t listed = 0;

    if (!l->sized)
        return;
    mpj_put_varint(w, 0);
    mpj_put_varint(w, 0);
    mpj_put_u8(w, l->wish);
    if (brief || l->cfg.ahead_count == 0)
        return;
    if (mark == l->expected && mpj_ahead(l, mark)->units != 0)
        mark++; /* it may be under way yet: no run */
    for (uint32_t seq = l->expected; seq != mark && listed < MPJ_LINK_LISTED; seq++) {
        const uint32_t ahead = seq - l->expected;

        if (ahead < l->cfg.ahead_count && mpj_ahead(l, seq)->have)
            continue;
        mpj_put_varint(w, ahead < l->cfg.ahead_count ? mpj_ahead(l, seq)->units : 0);
        listed++;
    }
}

/* ---- sending ---------------------------------------------------------------------- */

bool mpj_run_next(const struct mpj_link *l, struct mpj_reader *r, uint32_t *at, uint32_t *missing)
{
    uint64_t there;
    uint64_t gone;

    if (r->at == r->end)
        return false;
    there = mpj_get_varint(r);
    gone = mpj_get_varint(r);
    if (r->malformed || r->short_read || gone == 0 || there > UINT16_MAX || gone > UINT16_MAX ||
        there + gone > l->first_time - *at)
        return false;
    *at += (uint32_t)there;
    *missing = (uint32_t)gone;
    return true;
}

static void is_there(struct mpj_link *l, uint32_t seq, uint32_t units)
{
    struct mpj_link_there *const t = &l->there[seq % MPJ_LINK_LISTED];

    if (t->seq != seq)
        t->units = 0;
    t->seq = seq;
    if ((units & ~t->units) == 0)
        return;
    t->units |= units;
    l->split = true;
    l->rto = MPJ_LINK_RTO_MS;
    l->tx_at = l->now;
    if (seq == l->cur)
        l->todo &= ~units;
}

/* Reads up to after the size of parts; false: there is none. */
static bool take_size(struct mpj_link *l, struct mpj_reader *r)
{
    uint64_t there, gone;
    uint8_t size;

    do {
        if (r->at == r->end)
            return false;
        there = mpj_get_varint(r);
        gone = mpj_get_varint(r);
    } while (gone != 0 && !r->malformed && !r->short_read);
    size = mpj_get_u8(r);
    if (there != 0 || gone != 0 || r->malformed || r->short_read)
        return false;
    if (!l->sized)
        mpj_link_parts(l);
    l->size = size > MPJ_LINK_PART_MAX ? 0 : size;
    l->split = l->split || l->size != 0;
    return true;
}

bool mpj_part_heard(struct mpj_link *l, uint32_t seq, const struct mpj_reader *r)
{
    struct mpj_reader runs = *r;
    struct mpj_reader list = *r;
    uint32_t at = seq;
    uint32_t missing = 0;
    bool any = false;

    if (!take_size(l, &list))
        return true;
    any = list.at != list.end;
    while (list.at != list.end) {
        if (missing == 0) {
            if (!mpj_run_next(l, &runs, &at, &missing)) {
                if (at != seq || seq == l->first_time)
                    break;
                missing = 1; /* no run: the frame that is expected */
            }
        }
        is_there(l, at, (uint32_t)mpj_get_varint(&list));
        at++;
        missing--;
    }
    if (any || l->size == 0) {
        l->unlisted = 0;
        return true;
    }
    /* a list of units is worth waiting for, unless the receiver is too shallow for it */
    return ++l->unlisted > UNLISTED;
}

void mpj_part_unheard(struct mpj_link *l)
{
    if (!l->sized || l->size == 1U)
        return;
    l->size = l->size == 0 ? MPJ_LINK_PART_MAX : l->size / 2U;
    l->split = true;
}

void mpj_part_begin(struct mpj_link *l)
{
    const struct mpj_link_there *const t = &l->there[l->cur % MPJ_LINK_LISTED];
    const uint32_t there = t->seq == l->cur ? t->units : 0;
    int found;

    if (there == 0 && (l->size == 0 || l->cur_len <= l->size * MPJ_LINK_UNIT + HEAD))
        return;
    mpj_frame_decoder_init(&l->unpacked);
    (void)mpj_frame_decode(&l->unpacked, l->cur_from, l->cur_len, &l->whole, &found);
    l->todo = bits(units_of(1U + (uint32_t)l->whole.len)) & ~there;
    if (found == 1 && l->todo != 0)
        mpj_part_next(l);
    else
        l->todo = 0;
}

void mpj_part_next(struct mpj_link *l)
{
    const uint32_t most = l->size != 0 ? l->size : MPJ_LINK_PART_MAX;
    const uint32_t all = 1U + (uint32_t)l->whole.len;
    uint8_t body[1U + MPJ_LINK_PART_MAX * MPJ_LINK_UNIT];
    uint32_t first = 0, end, from, len;

    while ((l->todo >> first & 1U) == 0)
        first++;
    for (end = first; end - first < most && (l->todo >> end & 1U) != 0;)
        end++;
    l->todo &= ~(bits(end) & ~bits(first));
    from = first * MPJ_LINK_UNIT;
    len = (end * MPJ_LINK_UNIT < all ? end * MPJ_LINK_UNIT : all) - from;
    body[0] = (uint8_t)(first | (from + len == all ? MPJ_PART_LAST : 0U) |
                        (l->todo == 0 ? MPJ_PART_ROUND : 0U));
    if (first == 0) {
        body[1] = l->whole.type;
        memcpy(body + 2, l->whole.payload, len - 1U);
    } else {
        memcpy(body + 1, l->whole.payload + from - 1U, len);
    }
    l->cur_from = l->part;
    l->cur_len = (uint32_t)mpj_frame_encode(MPJ_FRAME_PART, (uint16_t)l->cur, body, 1U + len,
                                            l->part, sizeof(l->part));
    l->stats.parts_out++;
    l->tx_at = l->now;
}
