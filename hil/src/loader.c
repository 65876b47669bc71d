/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hil/loader.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/stop.h"
#include "hil/line.h"
#include "mpj_rate.h"

#define TURN_MS   20
#define TURNS     25U /* more when a time is over: what paused the host may have paused the board */
#define ANSWER_MS 25000 /* for a request that takes no time; a port may be gone for 15000 */
#define TAKE_MS   30000 /* for one more part of an upload; a port may be gone for 15000 */
#define INFO_MS   5000  /* for the first one */
#define QUIET_MS  60000 /* between two signs of life of a flash write: the longest block erase */
#define REPORT_MS 200
#define GREET_MS  500
#define SETTLE_MS 15000 /* for the bit rate of one that has answered */
#define AHEAD_MS                                                                                   \
    200U /* of line time an upload is ahead of its acknowledgements: the link takes                \
            silence for loss after 300 */

#define AHEAD_PARTS 4U /* frames of an upload under way in parts: the loader keeps eight */

struct mpj_loader {
    struct mpj_target *target;
    struct mpj_loader_timeouts timeouts;
    struct mpj_line *line; /* NULL once a program has it */
    bool hello, program, asked, booted;
    bool restarted; /* it says HELLO after it has taken a request */
    unsigned sent;  /* requests */
    struct mpj_hello says;
    uint8_t hello_bytes[256]; /* what strings of `says` point into */
    uint32_t kind;            /* of the last reply; 0: none */
    uint8_t reply[MPJ_FRAME_PAYLOAD_MAX];
    struct mpj_rec rec;
};

static void take_hello(struct mpj_loader *l, const struct mpj_frame *f)
{
    struct mpj_reader r;
    struct mpj_rec rec;

    if (f->len > sizeof(l->hello_bytes))
        return;
    memcpy(l->hello_bytes, f->payload, f->len);
    mpj_reader_init(&r, l->hello_bytes, f->len);
    if (mpj_rec_next(&r, &rec) != 1 || rec.kind != MPJ_REC_HELLO ||
        mpj_hello_get(&rec, &l->says) != MPJ_LINK_OK)
        return;
    if (l->says.features & 1U << MPJ_FEATURE_LOADER)
        l->hello = true;
    else
        l->program = true;
}

static int frame(void *ctx, const struct mpj_frame *f)
{
    struct mpj_loader *const l = ctx;
    struct mpj_reader r;

    if (f->type == MPJ_FRAME_HELLO) {
        if (!l->hello || l->booted)
            take_hello(l, f);
        else if (l->kind == 0 && mpj_line_unsettled(l->line) < l->sent)
            l->restarted = true;
        return l->restarted || (l->booted && l->program) ? MPJ_E_CANCELLED : 0;
    }
    if (f->type != MPJ_FRAME_LOADER_REPLY || f->len > sizeof(l->reply))
        return 0;
    memcpy(l->reply, f->payload, f->len);
    mpj_reader_init(&r, l->reply, f->len);
    if (mpj_rec_next(&r, &l->rec) == 1)
        l->kind = l->rec.kind;
    return 0;
}

/* Runs the line for a moment. A board that has taken a request says no HELLO until it has answered:
 * those from before have arrived by then. Power that failed for a moment is noticed here. */
static int turn(struct mpj_loader *l, struct mpj_err *err)
{
    int result;

    if (l->timeouts.cancelled != NULL && l->timeouts.cancelled(l->timeouts.ctx))
        return mpj_err_set(err, MPJ_E_CANCELLED, "interrupted");
    result = mpj_line_turn(l->line, TURN_MS, err);
    if (!l->restarted)
        return result;
    return mpj_err_set(err, MPJ_E_LINK,
                       "%s restarted before its loader had answered: check its supply and reset",
                       l->target->name);
}

/* Queues a request, once the line takes one more. */
static int ask(struct mpj_loader *l, const struct mpj_writer *w, const uint8_t *buf,
               struct mpj_err *err)
{
    const size_t len = (size_t)(w->at - buf);
    const uint32_t since = mpj_clock_ms();

    l->kind = 0;
    l->asked = true;
    while (mpj_line_send(l->line, MPJ_FRAME_LOADER_REQ, buf, len, err) != MPJ_E_OK) {
        if (turn(l, err) != MPJ_E_OK)
            return err->code;
        if (l->kind == MPJ_LOADER_RESULT)
            return MPJ_E_OK; /* it objects: the caller handles that */
        if (mpj_clock_ms() - since > ANSWER_MS)
            return mpj_err_set(err, MPJ_E_LINK, "the loader of %s stopped accepting data",
                               l->target->name);
    }
    l->sent++;
    return MPJ_E_OK;
}

static int wait_reply(struct mpj_loader *l, uint32_t most_ms, struct mpj_err *err)
{
    const uint32_t since = mpj_clock_ms();
    unsigned turns = 0;

    while (l->kind == 0) {
        if (turn(l, err) != MPJ_E_OK)
            return err->code;
        if (mpj_clock_ms() - since > most_ms && ++turns >= TURNS)
            return mpj_err_set(err, MPJ_E_LINK, "the loader of %s does not answer",
                               l->target->name);
    }
    return MPJ_E_OK;
}

static int unexpected(const struct mpj_loader *l, struct mpj_err *err)
{
    return mpj_err_set(err, MPJ_E_LINK, "the loader of %s sent an unexpected reply",
                       l->target->name);
}

/* Returns the verdict in a RESULT. */
static int verdict(struct mpj_loader *l, int code, const char *what, struct mpj_err *err)
{
    struct mpj_loader_result r;

    if (l->kind != MPJ_LOADER_RESULT || mpj_loader_result_get(&l->rec, &r) != MPJ_LINK_OK)
        return unexpected(l, err);
    if (r.code == MPJ_LOADER_OK)
        return MPJ_E_OK;
    return mpj_err_set(err, code, "%s on %s failed: %s (0x%x)", what, l->target->name,
                       mpj_loader_strerror(r.code), (unsigned)r.detail);
}

/* Handles a RESULT during an upload, which ends without one. */
static int early_result(struct mpj_loader *l, int code, struct mpj_err *err)
{
    return verdict(l, code, "upload", err) != MPJ_E_OK ? err->code : unexpected(l, err);
}

/* True if a board does not start because the caller has ended it. A command of the list that failed
 * (MPJ_E_TARGET) is the reason itself, unless a signal ended it. */
static bool was_cancelled(const struct mpj_loader_timeouts *t, const struct mpj_err *err)
{
    return t->cancelled != NULL && t->cancelled(t->ctx) &&
           (err->code != MPJ_E_TARGET || mpj_stop_count() > 0);
}

/* Calls the loader until it answers and the bit rate is settled; a board on which none does is
 * restarted once. */
static int call(struct mpj_loader *l, struct mpj_hello *hello, struct mpj_err *err)
{
    uint32_t since = mpj_clock_ms();
    uint32_t greeted = since - GREET_MS;
    int limit_ms = l->timeouts.alive_ms;
    unsigned turns = 0;
    bool restarted = false;
    bool again = false;

    while (!(l->hello && mpj_line_ready(l->line))) {
        if (!l->hello && mpj_clock_ms() - greeted >= GREET_MS) {
            if (again && l->target->rate != 0 && l->target->rate != MPJ_RATE_BASE)
                mpj_line_greet_at(l->line, l->target->rate);
            mpj_line_greet(l->line);
            greeted = mpj_clock_ms();
            again = true;
        }
        if (turn(l, err) != MPJ_E_OK)
            return err->code;
        if (l->hello && !mpj_line_begun(l->line)) {
            *hello = l->says;
            mpj_line_begin(l->line, l->says.features);
            since = mpj_clock_ms(); /* it is there: a bad line takes its time for the rate */
            limit_ms = SETTLE_MS;
            turns = 0;
        }
        if (mpj_clock_ms() - since <= (uint32_t)limit_ms || ++turns < TURNS)
            continue;
        if (l->hello || restarted)
            return mpj_err_set(err, MPJ_E_NO_ANSWER,
                               l->program ? "%s runs a program and does not return to its loader"
                                          : "the loader of %s does not answer",
                               l->target->name);
        restarted = true;
        if (l->target->ops->restart(l->target, err) != MPJ_E_OK) {
            if (was_cancelled(&l->timeouts, err))
                return mpj_err_set(err, MPJ_E_CANCELLED, "interrupted");
            if (err->code != MPJ_E_NO_ANSWER)
                return err->code;
        }
        limit_ms = l->timeouts.wait_ms;
        turns = 0;
        since = mpj_clock_ms();
    }
    return MPJ_E_OK;
}

int mpj_loader_open(struct mpj_loader **out, struct mpj_target *t,
                    const struct mpj_loader_timeouts *p, struct mpj_hello *hello,
                    struct mpj_err *err)
{
    struct mpj_loader *const l = calloc(1, sizeof(*l));
    int fd;

    *out = NULL;
    if (l == NULL)
        return mpj_err_nomem(err);
    l->target = t;
    l->timeouts = *p;
    fd = t->ops->open(t, err);
    if (fd < 0) {
        if (was_cancelled(p, err))
            mpj_err_set(err, MPJ_E_CANCELLED, "interrupted");
        free(l);
        return err->code;
    }
    l->line = mpj_line_new(t, fd, frame, l);
    if (l->line == NULL)
        mpj_err_nomem(err);
    else if (call(l, hello, err) == MPJ_E_OK) {
        *out = l;
        return MPJ_E_OK;
    }
    mpj_loader_close(l);
    return err->code;
}

void mpj_loader_close(struct mpj_loader *l)
{
    struct mpj_err ignored;

    if (l == NULL)
        return;
    if (l->line != NULL && l->asked)
        mpj_line_finish(l->line);
    mpj_line_free(l->line);
    if (!l->booted)
        l->target->ops->close(l->target, false, &ignored);
    free(l);
}

int mpj_loader_info(struct mpj_loader *l, struct mpj_loader_info *out, struct mpj_err *err)
{
    uint8_t buf[16];
    struct mpj_writer w;

    mpj_writer_init(&w, buf, sizeof(buf));
    mpj_loader_empty_put(&w, MPJ_LOADER_INFO_REQ);
    if (ask(l, &w, buf, err) != MPJ_E_OK || wait_reply(l, INFO_MS, err) != MPJ_E_OK)
        return err->code;
    if (l->kind != MPJ_LOADER_INFO || mpj_loader_info_get(&l->rec, out) != MPJ_LINK_OK)
        return unexpected(l, err);
    if (out->version != MPJ_LOADER_VERSION)
        return mpj_err_set(
            err, MPJ_E_TARGET,
            "the loader of %s has version %u, this mpjoule needs %u: install it again",
            l->target->name, (unsigned)out->version, MPJ_LOADER_VERSION);
    return MPJ_E_OK;
}

/* Returns the number of frames that an upload may have in transit. */
static unsigned under_way(const struct mpj_loader *l)
{
    if (mpj_line_in_parts(l->line))
        return AHEAD_PARTS;
    return 3U + mpj_line_rate(l->line) / 10U * AHEAD_MS / 1000U / MPJ_LOADER_DATA_MAX;
}

int mpj_loader_upload(struct mpj_loader *l, const struct mpj_content *c,
                      mpj_loader_progress_fn progress, void *ctx, struct mpj_loader_upload *out,
                      struct mpj_err *err)
{
    uint8_t buf[MPJ_FRAME_PAYLOAD_MAX];
    struct mpj_writer w;
    struct mpj_loader_progress state;
    const uint32_t begun = mpj_clock_ms();
    const uint64_t sent = mpj_line_sent(l->line);
    uint32_t reported = begun;
    uint32_t since = begun;
    uint32_t least = UINT32_MAX;
    uint32_t at;

    mpj_writer_init(&w, buf, sizeof(buf));
    mpj_loader_image_put(&w, &c->image);
    if (ask(l, &w, buf, err) != MPJ_E_OK || wait_reply(l, ANSWER_MS, err) != MPJ_E_OK)
        return err->code;
    if (l->kind != MPJ_LOADER_STATE)
        return early_result(l, MPJ_E_FLASH, err);
    if (mpj_loader_progress_get(&l->rec, &state) != MPJ_LINK_OK || state.done > c->image.bytes)
        return unexpected(l, err);
    memset(out, 0, sizeof(*out));
    out->resumed = state.done;
    out->rate = mpj_line_rate(l->line);
    for (at = state.done; at < c->image.bytes || mpj_line_unsettled(l->line) > 0;) {
        struct mpj_loader_data d = {.offset = at};
        const uint32_t unsettled = mpj_line_unsettled(l->line);
        const uint32_t left = c->image.bytes - at + unsettled * MPJ_LOADER_DATA_MAX;

        if (left < least) { /* the loader has more than before */
            least = left;
            since = mpj_clock_ms();
        }
        if (progress != NULL && mpj_clock_ms() - reported >= REPORT_MS && left < c->image.bytes) {
            progress(ctx, 'u', c->image.bytes - left, c->image.bytes, mpj_line_rate(l->line));
            reported = mpj_clock_ms();
        }
        if (mpj_clock_ms() - since > TAKE_MS)
            return mpj_err_set(err, MPJ_E_LINK, "the loader of %s stopped accepting data",
                               l->target->name);
        if (unsettled >= under_way(l) || at == c->image.bytes) {
            if (turn(l, err) != MPJ_E_OK)
                return err->code;
            if (l->kind == MPJ_LOADER_RESULT)
                return early_result(l, MPJ_E_LINK, err);
            continue;
        }

        d.data.p = c->data + at;
        d.data.len =
            c->image.bytes - at < MPJ_LOADER_DATA_MAX ? c->image.bytes - at : MPJ_LOADER_DATA_MAX;
        mpj_writer_init(&w, buf, sizeof(buf));
        mpj_loader_data_put(&w, &d);
        if (ask(l, &w, buf, err) != MPJ_E_OK)
            return err->code;
        if (l->kind == MPJ_LOADER_RESULT)
            return early_result(l, MPJ_E_LINK, err);
        at += (uint32_t)d.data.len;
    }
    if (progress != NULL)
        progress(ctx, 'u', at, c->image.bytes, mpj_line_rate(l->line));
    out->bytes = at - state.done;
    out->line = mpj_line_sent(l->line) - sent;
    out->seconds = (mpj_clock_ms() - begun) / 1000.0;
    return MPJ_E_OK;
}

bool mpj_loader_same(const struct mpj_loader_info *i, const struct mpj_content *c)
{
    return i->slot != MPJ_LOADER_NO_SLOT && i->bytes == c->image.bytes && i->crc == c->image.crc &&
           i->build_id.len >= c->image.build_id.len &&
           memcmp(i->build_id.p, c->image.build_id.p, c->image.build_id.len) == 0;
}

int mpj_loader_flash(struct mpj_loader *l, mpj_loader_progress_fn progress, void *ctx,
                     struct mpj_err *err)
{
    uint8_t buf[16];
    struct mpj_writer w;
    struct mpj_loader_progress p;

    mpj_writer_init(&w, buf, sizeof(buf));
    mpj_loader_empty_put(&w, MPJ_LOADER_FLASH);
    if (ask(l, &w, buf, err) != MPJ_E_OK)
        return err->code;
    for (;;) {
        const int result = wait_reply(l, QUIET_MS, err);

        if (result == MPJ_E_CANCELLED)
            return mpj_err_set(err, MPJ_E_CANCELLED,
                               "interrupted: the loader of %s continues writing; `mpjoule flash "
                               "--info` shows the result",
                               l->target->name);
        if (result != MPJ_E_OK)
            return result;
        if (l->kind != MPJ_LOADER_PROGRESS)
            return verdict(l, MPJ_E_FLASH, "writing the flash", err);
        if (progress != NULL && mpj_loader_progress_get(&l->rec, &p) == MPJ_LINK_OK &&
            p.total != 0 && p.done <= p.total)
            progress(ctx, (char)p.phase, p.done, p.total, 0);
        l->kind = 0;
    }
}

int mpj_loader_forget(struct mpj_loader *l, struct mpj_err *err)
{
    uint8_t buf[16];
    struct mpj_writer w;

    mpj_writer_init(&w, buf, sizeof(buf));
    mpj_loader_empty_put(&w, MPJ_LOADER_FORGET);
    if (ask(l, &w, buf, err) != MPJ_E_OK || wait_reply(l, QUIET_MS, err) != MPJ_E_OK)
        return err->code;
    return verdict(l, MPJ_E_FLASH, "writing the flash", err);
}

int mpj_loader_boot(struct mpj_loader *l, enum mpj_loader_source from, struct mpj_err *err)
{
    uint8_t buf[16];
    struct mpj_writer w;

    mpj_writer_init(&w, buf, sizeof(buf));
    mpj_loader_boot_put(&w, from);
    if (ask(l, &w, buf, err) != MPJ_E_OK || wait_reply(l, QUIET_MS, err) != MPJ_E_OK ||
        verdict(l, MPJ_E_TARGET, "starting the program", err) != MPJ_E_OK)
        return err->code;
    l->booted = true;
    l->program = false;
    mpj_line_finish(l->line); /* until the program speaks, if not before */
    mpj_line_free(l->line);
    l->line = NULL;
    return l->target->ops->rate(l->target, MPJ_RATE_BASE, err);
}
