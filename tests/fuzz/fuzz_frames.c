/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz_frames.h"

#include <string.h>

#include "mpj_frame.h"
#include "mpj_wire.h"

#define CHECKED (MPJ_FRAME_HEAD + MPJ_FRAME_CHECK)

size_t fuzz_fix_records(uint8_t *data, size_t size, size_t cap)
{
    static uint8_t out[65536];
    struct mpj_reader r;
    struct mpj_writer w;

    mpj_reader_init(&r, data, size);
    mpj_writer_init(&w, out, cap < sizeof(out) ? cap : sizeof(out));
    while (r.at < r.end && !r.malformed && !w.full) {
        const uint64_t kind = mpj_get_varint(&r);
        const uint64_t wanted = mpj_get_varint(&r);
        const size_t left = (size_t)(r.end - r.at);
        const size_t len = wanted < left ? (size_t)wanted : left;

        mpj_put_varint(&w, kind);
        mpj_put_bytes(&w, r.at, len);
        r.at += len;
    }
    memcpy(data, out, (size_t)(w.at - out));
    return (size_t)(w.at - out);
}

/* Reads a group as far as it goes; returns the length of what it stands for. */
static size_t unstuff(const uint8_t *p, size_t n, uint8_t raw[MPJ_FRAME_RAW_MAX])
{
    size_t len = 0;

    for (size_t i = 0; i < n && len < MPJ_FRAME_RAW_MAX;) {
        const uint8_t code = p[i++];

        for (unsigned k = 1; k < code && i < n && len < MPJ_FRAME_RAW_MAX; k++)
            raw[len++] = p[i++];
        if (code != 0xff && i < n && len < MPJ_FRAME_RAW_MAX)
            raw[len++] = 0;
    }
    return len;
}

static bool holds_records(uint8_t type)
{
    return type == MPJ_FRAME_HELLO || type == MPJ_FRAME_START || type == MPJ_FRAME_DATA ||
           type == MPJ_FRAME_END || type == MPJ_FRAME_IO_REQ || type == MPJ_FRAME_IO_REPLY ||
           (type >= MPJ_FRAME_LOADER_FIRST && type <= MPJ_FRAME_LOADER_LAST);
}

size_t fuzz_fix_frames(uint8_t *data, size_t size, size_t cap)
{
    static uint8_t out[131072];
    const size_t room = cap < sizeof(out) ? cap : sizeof(out);
    size_t n = 0;

    for (size_t at = 0; at < size;) {
        const uint8_t *const end = memchr(data + at, 0, size - at);
        const size_t group = end != NULL ? (size_t)(end - (data + at)) : size - at;
        uint8_t raw[MPJ_FRAME_RAW_MAX];
        size_t len = unstuff(data + at, group, raw);

        if (len > MPJ_FRAME_HEAD) {
            len = len > CHECKED ? len - CHECKED : 0;
            if (holds_records(raw[0]))
                len = fuzz_fix_records(raw + MPJ_FRAME_HEAD, len, MPJ_FRAME_PAYLOAD_MAX);
            n += mpj_frame_encode(raw[0], (uint16_t)(raw[1] | (unsigned)raw[2] << 8),
                                  raw + MPJ_FRAME_HEAD, len, out + n, room - n);
        }
        at += group + 1;
    }
    memcpy(data, out, n);
    return n;
}
