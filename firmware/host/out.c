/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_out.h"

#include <stdbool.h>
#include <string.h>

#include "hal_uart.h"
#include "mpj_in.h"
#include "mpj_text.h"

static struct {
    volatile uint32_t lock; /* 0: free */
    struct mpj_writer w;
    uint16_t seq;
    bool sending;    /* a frame is partly sent */
    bool editing;    /* the writer is between two consistent states */
    uint32_t frames; /* of DATA */
    uint64_t records;
    uint64_t dropped;
    struct mpj_dropped by_kind;
    uint8_t payload[MPJ_FRAME_PAYLOAD_MAX];
    uint8_t wire[MPJ_FRAME_WIRE_MAX];
} out;

static void empty(void)
{
    mpj_writer_init(&out.w, out.payload, sizeof(out.payload));
}

static void count_dropped(uint32_t kind, uint64_t n)
{
    uint32_t i = 0;

    out.dropped += n;
    while (i < out.by_kind.count && out.by_kind.d[i].kind != kind)
        i++;
    if (i == out.by_kind.count && i < MPJ_REC_EVENTS_MAX) {
        out.by_kind.count++;
        out.by_kind.d[i].kind = kind;
    }
    if (i < MPJ_REC_EVENTS_MAX)
        out.by_kind.d[i].records += n;
}

/* Counts the records of a frame for which there was no memory, by kind: they are lost. */
static void lose(const uint8_t *payload, size_t len)
{
    struct mpj_reader r;
    struct mpj_rec rec;

    mpj_reader_init(&r, payload, len);
    while (mpj_rec_next(&r, &rec) == 1) {
        out.records--;
        count_dropped(rec.kind, 1);
    }
}

static void send(uint8_t type, const void *payload, size_t len)
{
    uint16_t seq;
    size_t n;

    out.frames += type == MPJ_FRAME_DATA;
    if (mpj_text_on())
        return;
    if (mpj_in_is_reliable() && mpj_frame_sequenced(type)) {
        const bool data = type == MPJ_FRAME_DATA;

        if (mpj_in_send(type, payload, len, !data) != MPJ_LINK_OK && data)
            lose(payload, len);
        return;
    }
    seq = mpj_frame_sequenced(type) ? out.seq++ : 0;
    n = mpj_frame_encode(type, seq, payload, len, out.wire, sizeof(out.wire));
    out.sending = true;
    hal_uart_write(out.wire, n);
    out.sending = false;
}

static void flush(void)
{
    size_t len = (size_t)(out.w.at - out.payload);

    if (len == 0)
        return;
    send(MPJ_FRAME_DATA, out.payload, len);
    empty();
}

void mpj_out_init(void)
{
    memset(&out, 0, sizeof(out));
    empty();
}

int mpj_out_record(mpj_out_put put, const void *rec)
{
    int r;

    mpj_out_lock(&out.lock);
    out.editing = true;
    r = put(&out.w, rec);
    if (r == MPJ_LINK_ERR_SPACE) {
        flush();
        r = put(&out.w, rec);
    }
    out.editing = false;
    if (r == MPJ_LINK_OK)
        out.records++;
    else
        out.dropped++;
    mpj_out_unlock(&out.lock);
    return r;
}

static bool try_flush(void)
{
    const size_t len = (size_t)(out.w.at - out.payload);

    if (len == 0 || !mpj_in_is_reliable()) {
        flush();
        return true;
    }
    if (mpj_in_try_send(MPJ_FRAME_DATA, out.payload, len) != MPJ_LINK_OK)
        return false;
    out.frames++;
    empty();
    return true;
}

int mpj_out_try_record(mpj_out_put put, const void *rec)
{
    int r;

    if (!mpj_out_try_lock(&out.lock))
        return MPJ_LINK_ERR_SPACE;
    r = put(&out.w, rec);
    if (r == MPJ_LINK_ERR_SPACE && try_flush())
        r = put(&out.w, rec);
    if (r == MPJ_LINK_OK)
        out.records++;
    mpj_out_unlock_tried(&out.lock);
    return r;
}

bool mpj_out_try_flush(void)
{
    bool done;

    if (!mpj_out_try_lock(&out.lock))
        return false;
    done = try_flush();
    mpj_out_unlock_tried(&out.lock);
    return done;
}

uint32_t mpj_out_frames(void)
{
    return out.frames;
}

void mpj_out_console(uint32_t kind, const void *data, size_t len)
{
    const uint8_t *p = data;

    mpj_out_lock(&out.lock);
    (void)hal_uart_transport(true);
    if (mpj_text_on()) {
        mpj_text_write(p, len);
        len = 0;
    }
    while (len > 0) {
        size_t n;

        out.editing = true;
        n = mpj_blob_put_some(&out.w, kind, p, len);
        out.editing = false;
        if (n == 0) {
            flush();
            continue;
        }
        out.records++;
        p += n;
        len -= n;
    }
    flush();
    (void)hal_uart_transport(false);
    mpj_out_unlock(&out.lock);
}

void mpj_out_flush(void)
{
    mpj_out_lock(&out.lock);
    flush();
    mpj_out_unlock(&out.lock);
}

void mpj_out_between(void (*fn)(void))
{
    mpj_out_lock(&out.lock);
    fn();
    mpj_out_unlock(&out.lock);
}

void mpj_out_frame(uint8_t type, const void *payload, size_t len)
{
    mpj_out_lock(&out.lock);
    send(type, payload, len);
    mpj_out_unlock(&out.lock);
}

static int put_dropped(struct mpj_writer *w, const void *rec)
{
    return mpj_dropped_put(w, rec);
}

void mpj_out_dropped(uint32_t kind, uint64_t n)
{
    if (n == 0)
        return;
    mpj_out_lock(&out.lock);
    count_dropped(kind, n);
    mpj_out_unlock(&out.lock);
}

void mpj_out_end(struct mpj_end *end)
{
    uint8_t buf[96];
    struct mpj_writer w;

    if (out.by_kind.count > 0)
        (void)mpj_out_record(put_dropped, &out.by_kind);
    mpj_out_lock(&out.lock);
    flush();
    end->records = out.records;
    end->dropped = out.dropped;
    mpj_writer_init(&w, buf, sizeof(buf));
    if (mpj_end_put(&w, end) == MPJ_LINK_OK)
        send(MPJ_FRAME_END, buf, (size_t)(w.at - buf));
    hal_uart_drain();
    mpj_out_unlock(&out.lock);
}

void mpj_out_seize(void)
{
    static const uint8_t delimiter;

    out.lock = 0;
    mpj_in_seize();
    if (out.sending) {
        /* The receiver sees one damaged frame and a gap in the sequence. */
        hal_uart_write(&delimiter, 1);
        out.sending = false;
        empty();
    } else if (out.editing) {
        empty();
    }
    out.editing = false;
}
