/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link_int.h"

#include <string.h>

#define RESERVED_SLOTS 64U
#define NUMBER_MASK    0x7fU
#define NUMBER_QUIET   0x80U /* not an answer to a POLL: sent after a silence */

static const uint8_t delimiter;

/* Loads what crosses between mpj_link_send() and the rest: `next` one way and `base` the other. */
static uint32_t load(const uint32_t *p)
{
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

static void store(uint32_t *p, uint32_t v)
{
    __atomic_store_n(p, v, __ATOMIC_RELEASE);
}

static struct mpj_link_slot *slot(const struct mpj_link *l, uint32_t seq)
{
    return &l->cfg.slots[seq & (l->cfg.slot_count - 1U)];
}

/* Returns the full number of a frame whose low 16 bits were received: the one closest to `near`. */
static uint32_t full(uint16_t seq, uint32_t near)
{
    return near + (uint32_t)(int32_t)(int16_t)(seq - (uint16_t)near);
}

void mpj_link_init(struct mpj_link *l, const struct mpj_link_config *cfg)
{
    memset(l, 0, sizeof(*l));
    l->cfg = *cfg;
    mpj_frame_decoder_init(&l->decoder);
    l->quiet = MPJ_LINK_QUIET_MS;
    l->rto = MPJ_LINK_RTO_MS;
    for (uint32_t i = 0; i < cfg->ahead_count; i++)
        mpj_part_forget(&cfg->ahead[i]);
}

void mpj_link_reliable(struct mpj_link *l)
{
    l->reliable = true;
}

/* ---- sending ------------------------------------------------------------------ */

/* Returns the place of len bytes in one piece, or UINT32_MAX. keep: bytes that must stay free. */
static uint32_t place(const struct mpj_link *l, uint32_t base, uint32_t len, uint32_t keep)
{
    const uint32_t cap = l->cfg.tx_bytes;
    const uint32_t head = l->head;
    uint32_t tail;

    if (base == l->next)
        return len + keep <= cap ? 0 : UINT32_MAX;
    tail = slot(l, base)->at;
    if (head > tail) {
        if (len <= cap - head && len + keep <= cap - head + tail)
            return head;
        return len < tail && len + keep <= tail ? 0 : UINT32_MAX;
    }
    return len < tail - head && len + keep <= tail - head ? head : UINT32_MAX;
}

int mpj_link_send(struct mpj_link *l, uint8_t type, const void *payload, size_t len, bool urgent)
{
    const uint32_t base = load(&l->base);
    const uint32_t raw = MPJ_FRAME_HEAD + (uint32_t)len + MPJ_FRAME_CHECK;
    const uint32_t most = raw + raw / 254U + 2U;
    uint32_t spare =
        l->cfg.slot_count / 4U < RESERVED_SLOTS ? l->cfg.slot_count / 4U : RESERVED_SLOTS;
    struct mpj_link_slot *s;
    uint32_t at;

    if (len > MPJ_FRAME_PAYLOAD_MAX)
        return MPJ_LINK_ERR_LONG;
    if (urgent)
        spare = 0;
    if (l->next - base + spare >= l->cfg.slot_count)
        return MPJ_LINK_ERR_SPACE;
    at = place(l, base, most, urgent ? 0 : l->cfg.reserve);
    if (at == UINT32_MAX)
        return MPJ_LINK_ERR_SPACE;
    s = slot(l, l->next);
    s->at = at;
    s->len =
        (uint16_t)mpj_frame_encode(type, (uint16_t)l->next, payload, len, l->cfg.tx + at, most);
    s->due = 1;
    l->head = at + s->len;
    store(&l->next, l->next + 1U);
    return MPJ_LINK_OK;
}

int mpj_link_control(struct mpj_link *l, uint8_t type, uint16_t seq, const void *payload,
                     size_t len)
{
    size_t n;

    if (l->ctl_len > 0)
        return MPJ_LINK_ERR_SPACE;
    n = mpj_frame_encode(type, seq, payload, len, l->ctl, sizeof(l->ctl));
    if (n == 0)
        return MPJ_LINK_ERR_LONG;
    l->ctl_len = (uint32_t)n;
    l->ctl_at = 0;
    return MPJ_LINK_OK;
}

/* Writes the body of an ACK: the number of the POLL it answers, the runs of missing frames (how
 * many are present before each, how many missing), then the state of parts. A short one has the
 * first run only: it fits the 16 bytes of a receiver that is not emptied for a while. */
static size_t status_body(struct mpj_link *l, uint8_t *out)
{
    const uint32_t end = (int32_t)(l->newest - l->told) > 0 ? l->newest : l->told;
    const bool brief = mpj_part_brief(l);
    struct mpj_writer w;
    uint32_t seq = l->expected;
    uint32_t mark = seq;
    uint32_t most = mpj_part_most(l, brief); /* frames in the runs */

    mpj_writer_init(&w, out, MPJ_FRAME_PAYLOAD_MAX - MPJ_PART_LIST);
    mpj_put_u8(&w, l->number | (l->quiet_status ? NUMBER_QUIET : 0U));
    while (seq != end && most > 0 && w.end - w.at >= 8) {
        uint32_t from;

        while (seq != end && seq - l->expected < l->cfg.ahead_count && mpj_ahead(l, seq)->have)
            seq++;
        from = seq;
        while (seq != end && seq - l->expected < l->cfg.ahead_count && !mpj_ahead(l, seq)->have)
            seq++;
        if (seq - l->expected >= l->cfg.ahead_count)
            seq = end; /* nothing from there on was kept */
        if (seq == from)
            break;
        if (seq - from > most)
            seq = from + most;
        most -= seq - from;
        mpj_put_varint(&w, from - mark);
        mpj_put_varint(&w, seq - from);
        mark = seq;
        if (brief)
            break;
    }
    w.end = out + MPJ_FRAME_PAYLOAD_MAX;
    mpj_part_status(l, &w, mark, brief);
    return (size_t)(w.at - out);
}

/* Queues the link's own frames; false if there are none. */
static bool own_control(struct mpj_link *l)
{
    uint8_t body[MPJ_FRAME_PAYLOAD_MAX];

    if (l->want_status) {
        const size_t n = status_body(l, body);
        l->want_status = false;
        l->full_status = false;
        l->quiet_status = false;
        l->streamed = false;
        l->status_at = l->now;
        l->stats.statuses++;
        return mpj_link_control(l, MPJ_FRAME_ACK, (uint16_t)l->expected, body, n) == MPJ_LINK_OK;
    }
    /* only when all it asks about is on the line before it */
    if (l->want_poll && l->todo == 0 && l->scan == load(&l->next)) {
        l->want_poll = false;
        l->stats.polls++;
        return mpj_link_control(l, MPJ_FRAME_POLL, (uint16_t)l->scan, &l->asked, 1) == MPJ_LINK_OK;
    }
    return false;
}

/* Chooses the next numbered frame that is due, or the next part of this one. */
static bool choose(struct mpj_link *l)
{
    const uint32_t next = load(&l->next);

    if (l->todo != 0) {
        mpj_part_next(l);
        return true;
    }
    for (; l->scan != next; l->scan++) {
        struct mpj_link_slot *const s = slot(l, l->scan);
        if (!s->due)
            continue;
        s->due = 0;
        l->cur = l->scan;
        l->cur_from = l->cfg.tx + s->at;
        l->cur_len = s->len;
        if (l->scan == l->first_time) {
            l->first_time++;
            l->stats.sent++;
        } else {
            l->stats.resent++;
        }
        l->tx_at = l->now;
        l->scan++;
        if (l->split)
            mpj_part_begin(l);
        return true;
    }
    return false;
}

bool mpj_link_pump(struct mpj_link *l)
{
    for (;;) {
        if (l->cur_cut) {
            if (l->cfg.put(l->cfg.ctx, &delimiter, 1) == 0)
                return true;
            l->cur_cut = false;
            l->cur_len = 0;
        }
        if (l->cur_len > 0) {
            const size_t n = l->cfg.put(l->cfg.ctx, l->cur_from, l->cur_len);
            l->cur_from += n;
            l->cur_len -= (uint32_t)n;
            if (l->cur_len > 0)
                return true;
            l->tx_at = l->now; /* a slow port takes long for a frame */
        }
        if (l->ctl_len > 0) { /* between two frames */
            const uint32_t rest = l->ctl_len - l->ctl_at;
            l->ctl_at += (uint32_t)l->cfg.put(l->cfg.ctx, l->ctl + l->ctl_at, rest);
            if (l->ctl_at < l->ctl_len)
                return true;
            l->ctl_len = 0;
            l->ctl_at = 0;
        }
        if (!own_control(l) && !choose(l))
            return false;
    }
}

void mpj_link_ask(struct mpj_link *l)
{
    if (l->want_poll || (l->asked != 0 && !l->answered))
        return;
    l->asked = l->asked == NUMBER_MASK ? 1U : (uint8_t)(l->asked + 1U);
    l->answered = false;
    l->want_poll = true;
}

bool mpj_link_due(const struct mpj_link *l)
{
    return l->scan != load(&l->next);
}

bool mpj_link_settled(const struct mpj_link *l)
{
    return l->base == load(&l->next);
}

void mpj_link_seize(struct mpj_link *l)
{
    if (l->cur_len > 0 || l->todo != 0) {
        if ((int32_t)(l->cur - l->base) >= 0) {
            slot(l, l->cur)->due = 1;
            if ((int32_t)(l->cur - l->scan) < 0)
                l->scan = l->cur;
        }
        l->cur_cut = true;
        l->todo = 0;
    }
    if (l->ctl_at > 0)
        l->cur_cut = true;
    l->ctl_len = 0;
    l->ctl_at = 0;
}

/* ---- receiving ---------------------------------------------------------------- */

static void make_due(struct mpj_link *l, uint32_t from, uint32_t end)
{
    for (uint32_t seq = from; seq != end; seq++)
        slot(l, seq)->due = 1;
    if (from != end && (int32_t)(from - l->scan) < 0)
        l->scan = from;
}

/* Releases the frames before seq, which have arrived at the other side. */
static void acknowledged(struct mpj_link *l, uint32_t seq)
{
    if ((int32_t)(l->cur - seq) < 0 && (int32_t)(l->cur - l->base) >= 0) {
        l->cur_cut = l->cur_cut || l->cur_len > 0; /* its memory is given back */
        l->todo = 0;
    }
    if ((int32_t)(l->scan - seq) < 0)
        l->scan = seq;
    l->rto = MPJ_LINK_RTO_MS;
    l->tx_at = l->now;
    store(&l->base, seq);
}

static void on_status(struct mpj_link *l, const struct mpj_frame *f)
{
    const uint32_t seq = full(f->seq, l->base);
    struct mpj_reader r;
    uint8_t number;
    uint32_t at = seq;
    uint32_t missing;
    bool heed;

    if (f->len == 0 || !l->reliable)
        return;
    if ((int32_t)(seq - l->base) < 0 || (int32_t)(l->first_time - seq) < 0)
        return; /* older than one received before, or never sent */
    if (seq != l->base)
        acknowledged(l, seq);
    mpj_reader_init(&r, f->payload, f->len);
    number = mpj_get_u8(&r);
    heed = mpj_part_heard(l, seq, &r);
    if ((number & NUMBER_MASK) != l->asked) {
        /* sent before our last poll arrived; after a silence: the poll was lost */
        if ((number & NUMBER_QUIET) && !l->answered)
            l->want_poll = true;
        return;
    }
    if (l->asked != 0)
        l->answered = true;
    while (heed && mpj_run_next(l, &r, &at, &missing)) {
        make_due(l, at, at + missing);
        at += missing;
    }
    if (l->todo != 0)
        slot(l, l->cur)->due = 0; /* it is under way */
}

static int hand_over(struct mpj_link *l, const struct mpj_frame *f)
{
    if (l->cfg.ahead_count > 0)
        mpj_part_forget(mpj_ahead(l, l->expected));
    l->expected++;
    l->stats.delivered++;
    return l->cfg.deliver(l->cfg.ctx, f);
}

/* Delivers the frames that came early and whose turn it is now. */
static int hand_over_kept(struct mpj_link *l)
{
    int result = 0;

    while (result == 0 && l->cfg.ahead_count > 0 && mpj_ahead(l, l->expected)->have) {
        struct mpj_link_ahead *const a = mpj_ahead(l, l->expected);
        const struct mpj_frame kept = {a->type, (uint16_t)l->expected, a->payload, a->len};

        result = hand_over(l, &kept);
    }
    return result;
}

/* Accounts for a numbered frame or a part of one that came; returns how far ahead of the expected
 * one it is. A number that no peer sends that keeps to the rules is far more ahead than can be. */
static int32_t arrived(struct mpj_link *l, uint32_t seq, bool whole)
{
    const int32_t distance = (int32_t)(seq - l->expected);
    const uint32_t past = whole ? seq + 1U : seq;

    if (distance > (int32_t)MPJ_LINK_SLOTS_MAX)
        return distance;
    if (distance >= 0 && (int32_t)(past - l->newest) > 0)
        l->newest = past;
    if (l->cfg.active)
        l->streamed = true;
    else if (l->reliable)
        l->want_status = true;
    if (distance < 0)
        l->stats.repeated++;
    return distance;
}

static int on_part(struct mpj_link *l, const struct mpj_frame *f)
{
    const uint32_t seq = full(f->seq, l->expected);
    const bool round = f->len > 0 && (f->payload[0] & MPJ_PART_ROUND) != 0;
    const int32_t distance = arrived(l, seq, round);
    struct mpj_link_ahead *a;

    l->stats.parts_in++;
    if (distance < 0 || (uint32_t)distance >= l->cfg.ahead_count)
        return 0;
    a = mpj_ahead(l, seq);
    if (a->have) {
        l->stats.repeated++;
        return 0;
    }
    if (!mpj_part_gather(a, f))
        return 0;
    a->have = 1;
    (void)arrived(l, seq, true);
    if (distance > 0) {
        l->stats.early++;
        return 0;
    }
    return hand_over_kept(l);
}

static int on_numbered(struct mpj_link *l, const struct mpj_frame *f)
{
    const uint32_t seq = full(f->seq, l->expected);
    const int32_t distance = arrived(l, seq, true);
    int result;

    if (distance < 0)
        return 0;
    if (distance == 0) {
        result = hand_over(l, f);
        return result != 0 ? result : hand_over_kept(l);
    }
    if ((uint32_t)distance < l->cfg.ahead_count) { /* else it will come again */
        struct mpj_link_ahead *const a = mpj_ahead(l, seq);

        if (a->have) {
            l->stats.repeated++;
            return 0;
        }
        l->stats.early++;
        a->have = 1;
        a->type = f->type;
        a->len = (uint16_t)f->len;
        memcpy(a->payload, f->payload, f->len);
    }
    return 0;
}

static int on_frame(struct mpj_link *l, const struct mpj_frame *f)
{
    l->rx_at = l->now;
    l->quiet = MPJ_LINK_QUIET_MS;
    if (mpj_frame_sequenced(f->type))
        return on_numbered(l, f);
    if (f->type == MPJ_FRAME_PART)
        return on_part(l, f);
    if (f->type == MPJ_FRAME_ACK && l->reliable) {
        on_status(l, f);
        return 0;
    }
    if (f->type == MPJ_FRAME_POLL && l->reliable) {
        if (f->len > 0)
            l->number = f->payload[0] & NUMBER_MASK;
        l->told = full(f->seq, l->expected);
        if (l->told - l->expected > MPJ_LINK_SLOTS_MAX)
            l->told = l->expected; /* older, or no number of a peer that keeps to the rules */
        l->want_status = true;
        l->full_status = true;
        return 0;
    }
    return l->cfg.control != NULL ? l->cfg.control(l->cfg.ctx, f) : 0;
}

int mpj_link_receive(struct mpj_link *l, const void *data, size_t len)
{
    const uint8_t *p = data;
    struct mpj_frame f;
    int found;

    while (len > 0) {
        const size_t used = mpj_frame_decode(&l->decoder, p, len, &f, &found);
        p += used;
        len -= used;
        if (found == 1) {
            const int result = on_frame(l, &f);
            if (result != 0)
                return result;
        }
    }
    return hand_over_kept(l);
}

/* ---- the active side's clock ------------------------------------------------------ */

static uint32_t left(uint32_t now, uint32_t since, uint32_t period)
{
    const uint32_t gone = now - since;

    return gone >= period ? 0 : period - gone;
}

uint32_t mpj_link_tick(struct mpj_link *l, uint32_t now)
{
    uint32_t soonest;

    l->now = now;
    if (!l->ticking) {
        l->ticking = true;
        l->rx_at = l->status_at = l->tx_at = now;
    }
    if (left(now, (int32_t)(l->rx_at - l->status_at) > 0 ? l->rx_at : l->status_at, l->quiet) ==
        0) {
        l->want_status = true;
        l->full_status = true;
        l->quiet_status = true;
        l->status_at = now;
        if (l->quiet < MPJ_LINK_QUIET_MAX)
            l->quiet *= 2U;
    }
    if (l->reliable && l->streamed && left(now, l->status_at, MPJ_LINK_STREAM_MS) == 0)
        l->want_status = true;
    if (l->reliable && !mpj_link_settled(l) && l->cur_len == 0 && l->todo == 0 &&
        l->scan == load(&l->next) && left(now, l->tx_at, l->rto) == 0) {
        make_due(l, l->base, l->scan);
        mpj_part_unheard(l);
        l->tx_at = now;
        if (l->rto < MPJ_LINK_RTO_MAX)
            l->rto *= 2U;
    }
    soonest = l->quiet;
    if (l->streamed && soonest > MPJ_LINK_STREAM_MS)
        soonest = MPJ_LINK_STREAM_MS;
    if (!mpj_link_settled(l) && soonest > l->rto)
        soonest = l->rto;
    return soonest < 20U ? soonest : 20U;
}

void mpj_link_tell(struct mpj_link *l)
{
    l->want_status = true;
    l->full_status = true;
}

void mpj_link_restart_line(struct mpj_link *l)
{
    mpj_link_seize(l);
    l->cur_cut = false;
    l->cur_len = 0;
    /* our first byte terminates a partial frame of the other side */
    l->ctl[0] = 0;
    l->ctl_len = 1;
    l->ctl_at = 0;
    l->want_status = true;
    l->full_status = true;
    l->quiet_status = true;
    make_due(l, l->base, l->first_time);
}
