/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_stream.h"

#include "hal_sys.h"
#include "mpj_in.h"
#include "mpj_out.h"

static struct {
    uint64_t looked; /* time of the last check that something had been sent */
    uint32_t frames; /* sent by then */
} stream;

uint32_t mpj_stream_parts(uint32_t period_us, uint32_t look_us)
{
    uint32_t parts = (period_us + look_us - 1U) / look_us;

    while (parts > 1U && parts <= period_us / 1000U && period_us % parts != 0)
        parts++;
    /* One part if there are no equal parts of whole microseconds: the host waits longer. */
    return parts > 1U && parts > period_us / 1000U ? 1U : parts;
}

void mpj_stream_begin(uint64_t now)
{
    stream.looked = now;
    stream.frames = mpj_out_frames();
}

void mpj_stream_turn(uint64_t now, uint32_t waiting, bool (*relieve)(void))
{
    if (waiting >= MPJ_ADC_BLOCK_MAX && relieve())
        waiting -= MPJ_ADC_BLOCK_MAX;
    if (now - stream.looked < HAL_SYS_TIME_HZ)
        return;
    /* A frame that filled up in that second has shown enough progress. */
    if (mpj_out_frames() == stream.frames && ((waiting > 0 && !relieve()) || !mpj_out_try_flush()))
        return; /* another core is sending: try again next time */
    mpj_stream_begin(now);
}

static int put_mark(struct mpj_writer *w, const void *rec)
{
    return mpj_mark_put(w, rec);
}

void mpj_stream_notes(void)
{
    struct mpj_in_note n;

    while (mpj_in_note(&n)) {
        const struct mpj_mark m = {
            .time = n.time, .value = (int64_t)n.number, .origin = MPJ_MARK_HOST};

        if (mpj_out_try_record(put_mark, &m) != MPJ_LINK_OK)
            return;
        mpj_in_note_done();
    }
}
