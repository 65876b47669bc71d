/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hil/line.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "mpj_rate.h"
#include "mpj_records.h"

#define TX_BYTES     (256U << 10)
#define TX_SLOTS     256U
#define READ_CHUNK   16384U
#define RECONNECT_MS 15000U
#define RETRY_MS     100U
#define LAST_WORDS   5U /* statuses after the last frame, unless the target asks on */
#define LAST_GAP_MS  60U
#define FINISH_MS    3000U
#define GAP_MS       300U   /* that a missing frame may take while others come */
#define QUEUED_S     0.1    /* of line time in the port: less than the link waits for an ACK */
#define LISTEN_MS    12000U /* silence after which ... */
#define LISTEN_FOR   700U   /* ... so much of every other second is spent at the rate of a HELLO */

struct mpj_line {
    struct mpj_target *target;
    int fd; /* -1: the port has gone */
    uint32_t gone_at;
    mpj_line_frame frame;
    void *ctx;
    struct mpj_err err; /* error of the port, within a turn */
    int failed;         /* result of a callback */
    bool begun, ready;
    bool listens; /* the port is at the base rate, the session is not */
    struct mpj_words words;
    uint32_t features;
    uint32_t now;
    uint64_t sent;
    double clear;            /* when the port has sent all that it was given, by its bit rate */
    uint32_t gap, gap_since; /* the frame that is missing, and since when */
    struct mpj_rate_host rate;
    struct mpj_link link;
    struct mpj_link_slot slots[TX_SLOTS];
    struct mpj_link_ahead *ahead;
    uint8_t tx[TX_BYTES];
};

/* Handles a port that went away: not the end yet. */
static void lose(struct mpj_line *r)
{
    if (r->fd >= 0)
        r->gone_at = r->now;
    r->fd = -1;
}

void mpj_words_take(struct mpj_words *w, const uint8_t *p, size_t n)
{
    const size_t begin = sizeof(MPJ_WORDS) - 1;

    for (; n > 0; n--, p++) {
        if (*p >= ' ' && *p < 0x7f) {
            if (w->len + 1 < sizeof(w->line))
                w->line[w->len++] = (char)*p;
            continue;
        }
        w->line[w->len] = '\0';
        if (w->len > begin && memcmp(w->line, MPJ_WORDS, begin) == 0)
            memcpy(w->kept, w->line + begin, w->len - begin + 1);
        w->len = 0;
    }
}

const char *mpj_line_words(const struct mpj_line *r)
{
    return r->words.kept;
}

/* Returns the line time in seconds that the port still has to send; 0: a target without a bit
 * rate. */
static double queued(const struct mpj_line *r)
{
    const double now = r->target->rate != 0 ? mpj_clock_s() : r->clear;

    return r->clear > now ? r->clear - now : 0;
}

/* Writes to the port, as much as the line needs for QUEUED_S. A driver takes far more, but bytes
 * waiting there would be taken for lost and sent again after themselves. */
static size_t put(void *ctx, const uint8_t *p, size_t n)
{
    struct mpj_line *const r = ctx;
    const double ahead = queued(r);
    const double byte = 10.0 / r->rate.rate;
    ssize_t done;

    if (r->fd < 0 || ahead >= QUEUED_S)
        return 0;
    if (r->target->rate != 0 && (double)n * byte > QUEUED_S - ahead)
        n = 1U + (size_t)((QUEUED_S - ahead) / byte);
    done = r->target->ops->write(r->target, p, n, &r->err);
    if (done >= 0) {
        r->sent += (uint64_t)done;
        if (r->target->rate != 0)
            r->clear = mpj_clock_s() + ahead + (double)done * byte;
        return (size_t)done;
    }
    lose(r);
    return 0;
}

static int deliver(void *ctx, const struct mpj_frame *f)
{
    struct mpj_line *const r = ctx;

    return r->frame(r->ctx, f);
}

static void apply_rate(struct mpj_line *r, const struct mpj_rate_do *todo)
{
    if (todo->rate != 0 && r->fd >= 0 &&
        r->target->ops->rate(r->target, todo->rate, &r->err) != MPJ_E_OK)
        lose(r);
    if (todo->type != 0)
        (void)mpj_link_control(&r->link, todo->type, 0, todo->payload, todo->len);
    if (todo->done)
        r->ready = true;
}

static int control(void *ctx, const struct mpj_frame *f)
{
    struct mpj_line *const r = ctx;
    struct mpj_rate_do todo;

    if (f->type == MPJ_FRAME_RATE || f->type == MPJ_FRAME_ECHO) {
        if (r->begun && !r->ready) {
            mpj_rate_host_frame(&r->rate, f, r->now, &todo);
            apply_rate(r, &todo);
        }
        return 0;
    }
    return r->frame(r->ctx, f);
}

struct mpj_line *mpj_line_new(struct mpj_target *t, int fd, mpj_line_frame frame, void *ctx)
{
    struct mpj_line *const r = calloc(1, sizeof(*r));
    struct mpj_link_config cfg = {.active = true,
                                  .tx_bytes = TX_BYTES,
                                  .slot_count = TX_SLOTS,
                                  .ahead_count = MPJ_LINK_SLOTS_MAX,
                                  .put = put,
                                  .deliver = deliver,
                                  .control = control,
                                  .ctx = r};

    if (r == NULL || (r->ahead = calloc(MPJ_LINK_SLOTS_MAX, sizeof(*r->ahead))) == NULL) {
        free(r);
        return NULL;
    }
    r->target = t;
    r->fd = fd;
    r->frame = frame;
    r->ctx = ctx;
    cfg.tx = r->tx;
    cfg.slots = r->slots;
    cfg.ahead = r->ahead;
    mpj_link_init(&r->link, &cfg);
    r->rate.rate = MPJ_RATE_BASE;
    return r;
}

void mpj_line_free(struct mpj_line *r)
{
    if (r != NULL)
        free(r->ahead);
    free(r);
}

void mpj_line_begin(struct mpj_line *r, uint32_t features)
{
    struct mpj_rate_do todo;
    const bool can = (features & 1U << MPJ_FEATURE_RATE) != 0;

    r->begun = true;
    r->features = features;
    mpj_link_reliable(&r->link);
    if ((features & 1U << MPJ_FEATURE_PARTS) != 0)
        mpj_link_parts(&r->link);
    mpj_rate_host_begin(&r->rate, can ? r->target->rate : 0, r->now, &todo);
    apply_rate(r, &todo);
}

bool mpj_line_begun(const struct mpj_line *r)
{
    return r->begun;
}

void mpj_line_greet(struct mpj_line *r)
{
    (void)mpj_link_control(&r->link, MPJ_FRAME_HELLO, 0, NULL, 0);
}

void mpj_line_greet_at(struct mpj_line *r, uint32_t rate)
{
    const struct mpj_target_ops *const ops = r->target->ops;
    uint8_t wire[1 + 16] = {0}; /* an empty frame; the unfinished group on the line is cut off */
    const size_t n = 1 + mpj_frame_encode(MPJ_FRAME_HELLO, 0, NULL, 0, wire + 1, sizeof(wire) - 1);
    const bool able = r->fd >= 0 && ops->rate(r->target, rate, &r->err) == MPJ_E_OK;

    if (able && ops->write(r->target, wire, n, &r->err) < 0)
        lose(r);
    if (r->fd >= 0 && ops->rate(r->target, MPJ_RATE_BASE, &r->err) != MPJ_E_OK)
        lose(r);
}

bool mpj_line_away(const struct mpj_line *r)
{
    return r->fd < 0;
}

bool mpj_line_ready(const struct mpj_line *r)
{
    return r->ready;
}

int mpj_line_send(struct mpj_line *r, uint8_t type, const void *payload, size_t len,
                  struct mpj_err *err)
{
    const int result = mpj_link_send(&r->link, type, payload, len, false);

    if (result != MPJ_LINK_OK)
        return mpj_err_set(err, MPJ_E_LINK, "cannot send to the target: %s",
                           mpj_link_strerror(result));
    return MPJ_E_OK;
}

unsigned mpj_line_unsettled(const struct mpj_line *r)
{
    return r->link.next - r->link.base;
}

void mpj_line_probe(struct mpj_line *r)
{
    const uint8_t number = 0; /* no answer is awaited */

    (void)mpj_link_control(&r->link, MPJ_FRAME_POLL, (uint16_t)r->link.scan, &number, 1);
}

bool mpj_line_in_parts(const struct mpj_line *r)
{
    return mpj_link_in_parts(&r->link);
}

static int try_reopen(struct mpj_line *r, struct mpj_err *err)
{
    const struct timespec pause = {0, RETRY_MS * 1000000L};

    nanosleep(&pause, NULL);
    r->now = mpj_clock_ms();
    r->fd = r->target->ops->reopen(r->target, &r->err);
    if (r->fd >= 0 && r->rate.rate != MPJ_RATE_BASE &&
        r->target->ops->rate(r->target, r->rate.rate, &r->err) != MPJ_E_OK)
        r->fd = -1;
    if (r->fd >= 0) {
        r->listens = false;
        mpj_link_restart_line(&r->link);
        return MPJ_E_OK;
    }
    if (r->now - r->gone_at < RECONNECT_MS)
        return MPJ_E_OK;
    return mpj_err_set(err, MPJ_E_LINK, "%s; it did not come back within %u s", r->err.text,
                       RECONNECT_MS / 1000U);
}

/* Reads all bytes that the port has now. */
static int receive(struct mpj_line *r)
{
    uint8_t chunk[READ_CHUNK];
    ssize_t n;

    do {
        n = r->target->ops->read(r->target, chunk, sizeof(chunk), &r->err);
        if (n < 0) {
            lose(r);
            return 0;
        }
        if (!r->begun)
            mpj_words_take(&r->words, chunk, (size_t)n);
        const int result = mpj_link_receive(&r->link, chunk, (size_t)n);
        if (result != 0)
            return result;
    } while ((size_t)n == sizeof(chunk));
    return 0;
}

/* Returns true if nothing is being sent and all that was sent is acknowledged. */
static bool idle(const struct mpj_line *r)
{
    const struct mpj_link *const l = &r->link;

    return mpj_link_settled(l) && l->ctl_len == 0 && l->cur_len == 0 && !l->cur_cut;
}

/* Listens at the base rate now and then when there is a long silence at a negotiated one: a board
 * that has restarted says HELLO there, four times a second. */
static void listen_below(struct mpj_line *r)
{
    const uint32_t silent = r->now - r->link.rx_at;
    const bool wanted = r->ready && r->rate.rate != MPJ_RATE_BASE && silent >= LISTEN_MS &&
                        (silent - LISTEN_MS) % 2000U < LISTEN_FOR && idle(r);

    if (wanted == r->listens || r->fd < 0)
        return;
    r->listens = wanted;
    if (r->target->ops->rate(r->target, wanted ? MPJ_RATE_BASE : r->rate.rate, &r->err) != MPJ_E_OK)
        lose(r);
}

/* Sends a status when a frame is missing for GAP_MS. A target whose question was lost ignores the
 * missing frame until a status reports, as in silence, that there will be no answer: also while it
 * continues sending. */
static void check_gap(struct mpj_line *r)
{
    if (r->link.expected != r->gap || r->link.newest == r->link.expected) {
        r->gap = r->link.expected;
        r->gap_since = r->now;
    } else if (r->begun && r->now - r->gap_since >= GAP_MS) {
        r->link.want_status = true;
        r->link.quiet_status = true;
        r->gap_since = r->now;
    }
}

int mpj_line_turn(struct mpj_line *r, int ms, struct mpj_err *err)
{
    struct mpj_rate_do todo;
    struct pollfd p = {.fd = r->fd, .events = POLLIN};
    uint32_t wait;
    double ahead;
    bool more;

    if (r->fd < 0)
        return try_reopen(r, err);
    r->now = mpj_clock_ms();
    wait = mpj_link_tick(&r->link, r->now);
    check_gap(r);
    listen_below(r);
    if (r->begun && !r->ready) {
        mpj_rate_host_tick(&r->rate, r->now, &todo);
        apply_rate(r, &todo);
    }
    more = mpj_link_pump(&r->link);
    if (r->fd < 0)
        return MPJ_E_OK;
    ahead = queued(r) - QUEUED_S / 2;
    if (more && ahead > 0 && wait > (uint32_t)(ahead * 1000))
        wait = 1U + (uint32_t)(ahead * 1000);
    p.events = (short)(POLLIN | (more && ahead <= 0 ? POLLOUT : 0));
    if (poll(&p, 1, (int)wait < ms ? (int)wait : ms) <= 0)
        return MPJ_E_OK;
    r->now = mpj_clock_ms();
    if (p.revents & (POLLIN | POLLHUP | POLLERR)) {
        const int result = receive(r);
        if (result != 0)
            return result;
        if ((p.revents & POLLHUP) && r->fd >= 0 && !(p.revents & POLLIN))
            lose(r); /* a pseudo-terminal reports it in this way */
    }
    (void)mpj_link_pump(&r->link);
    return MPJ_E_OK;
}

void mpj_line_finish(struct mpj_line *r)
{
    const uint32_t begun = mpj_clock_ms();
    struct mpj_err ignored;

    /* Repeats the last status. A target without acknowledgements answers each of them with
     * HELLO. */
    for (unsigned said = 0; said < LAST_WORDS && r->fd >= 0 && mpj_clock_ms() - begun < FINISH_MS;
         said++) {
        const uint64_t received = r->link.decoder.stats.frames;
        const uint32_t since = r->now;
        mpj_link_tell(&r->link);
        while (r->fd >= 0 && r->now - since < LAST_GAP_MS) {
            if (mpj_line_turn(r, (int)LAST_GAP_MS / 4, &ignored) != MPJ_E_OK)
                return;
        }
        if (r->link.decoder.stats.frames != received)
            said = 0; /* it is still asking */
    }
}

const struct mpj_link_stats *mpj_line_stats(const struct mpj_line *r)
{
    return &r->link.stats;
}

const struct mpj_frame_stats *mpj_line_frames(const struct mpj_line *r)
{
    return &r->link.decoder.stats;
}

uint64_t mpj_line_sent(const struct mpj_line *r)
{
    return r->sent;
}

uint32_t mpj_line_rate(const struct mpj_line *r)
{
    return r->rate.rate;
}
