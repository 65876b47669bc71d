/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_frame.h"

#include <string.h>

#define COBS_BLOCK 254U /* data bytes a COBS block holds at most */

bool mpj_frame_sequenced(uint8_t type)
{
    switch (type & ~(uint32_t)MPJ_FRAME_OPTIONAL) {
    case MPJ_FRAME_HELLO:
    case MPJ_FRAME_ACK:
    case MPJ_FRAME_POLL:
    case MPJ_FRAME_RATE:
    case MPJ_FRAME_ECHO:
    case MPJ_FRAME_PART:
        return false;
    default:
        return true;
    }
}

const char *mpj_link_strerror(int code)
{
    switch (code) {
    case MPJ_LINK_OK:
        return "ok";
    case MPJ_LINK_ERR_SPACE:
        return "does not fit";
    case MPJ_LINK_ERR_FORMAT:
        return "malformed";
    case MPJ_LINK_ERR_CRC:
        return "checksum mismatch";
    case MPJ_LINK_ERR_LONG:
        return "frame too long";
    case MPJ_LINK_ERR_SHORT:
        return "frame too short";
    case MPJ_LINK_ERR_RANGE:
        return "value out of range";
    default:
        return "unknown link error";
    }
}

/* COBS output: code is where the length of the open block goes. */
struct stuffer {
    uint8_t *at;
    uint8_t *code;
    uint32_t run; /* data bytes in the open block */
};

static void stuff(struct stuffer *s, const uint8_t *p, size_t len)
{
    for (; len > 0; len--, p++) {
        if (*p != 0) {
            *s->at++ = *p;
            s->run++;
        }
        if (*p == 0 || s->run == COBS_BLOCK) {
            *s->code = (uint8_t)(s->run + 1U);
            s->code = s->at++;
            s->run = 0;
        }
    }
}

size_t mpj_frame_encode(uint8_t type, uint16_t seq, const void *payload, size_t len, uint8_t *out,
                        size_t cap)
{
    const size_t raw = MPJ_FRAME_HEAD + len + MPJ_FRAME_CHECK;
    const uint8_t head[MPJ_FRAME_HEAD] = {type, (uint8_t)seq, (uint8_t)(seq >> 8)};
    uint8_t check[MPJ_FRAME_CHECK];
    uint32_t crc;
    struct stuffer s;

    if (len > MPJ_FRAME_PAYLOAD_MAX || cap < raw + raw / COBS_BLOCK + 2U)
        return 0;
    crc = mpj_crc32(0, head, sizeof(head));
    crc = mpj_crc32(crc, payload, len);
    for (unsigned i = 0; i < MPJ_FRAME_CHECK; i++)
        check[i] = (uint8_t)(crc >> (8U * i));

    s.code = out;
    s.at = out + 1;
    s.run = 0;
    stuff(&s, head, sizeof(head));
    stuff(&s, payload, len);
    stuff(&s, check, sizeof(check));
    *s.code = (uint8_t)(s.run + 1U);
    *s.at++ = 0;
    return (size_t)(s.at - out);
}

static void group_reset(struct mpj_frame_decoder *d)
{
    d->len = 0;
    d->group = 0;
    d->left = 0;
    d->zero = false;
    d->bad = false;
}

void mpj_frame_decoder_init(struct mpj_frame_decoder *d)
{
    memset(&d->stats, 0, sizeof(d->stats));
    group_reset(d);
}

static uint32_t le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Judges the group that a delimiter has ended. */
static int group_end(struct mpj_frame_decoder *d, struct mpj_frame *out)
{
    const uint32_t group = d->group;
    int result = 1;

    if (group == 0)
        return 0; /* an extra delimiter: neither a frame nor an error */
    if (d->bad)
        result = MPJ_LINK_ERR_LONG;
    else if (d->left != 0)
        result = MPJ_LINK_ERR_FORMAT; /* cut inside a COBS block */
    else if (d->len < MPJ_FRAME_HEAD + MPJ_FRAME_CHECK)
        result = MPJ_LINK_ERR_SHORT;
    else if (mpj_crc32(0, d->raw, d->len - MPJ_FRAME_CHECK) !=
             le32(&d->raw[d->len - MPJ_FRAME_CHECK]))
        result = MPJ_LINK_ERR_CRC;

    if (result > 0) {
        out->type = d->raw[0];
        out->seq = (uint16_t)(d->raw[1] | (uint32_t)d->raw[2] << 8);
        out->payload = &d->raw[MPJ_FRAME_HEAD];
        out->len = d->len - MPJ_FRAME_HEAD - MPJ_FRAME_CHECK;
        d->stats.frames++;
    } else {
        d->stats.bad++;
        d->stats.junk += group;
    }
    group_reset(d);
    return result;
}

size_t mpj_frame_decode(struct mpj_frame_decoder *d, const uint8_t *data, size_t len,
                        struct mpj_frame *out, int *result)
{
    const uint8_t *p = data;
    const uint8_t *const end = data + len;

    *result = 0;
    while (p < end) {
        if (*p == 0) {
            p++;
            *result = group_end(d, out);
            if (*result != 0)
                break;
            continue;
        }
        if (d->bad) {
            const uint8_t *stop = memchr(p, 0, (size_t)(end - p));
            const size_t skip = (size_t)((stop != NULL ? stop : end) - p);
            d->group += (uint32_t)skip;
            p += skip;
            continue;
        }
        if (d->left == 0) { /* a code byte; first the zero that its predecessor implies */
            if (d->zero) {
                if (d->len == MPJ_FRAME_RAW_MAX) {
                    d->bad = true;
                    continue;
                }
                d->raw[d->len++] = 0;
            }
            d->left = (uint8_t)(*p - 1U);
            d->zero = *p != 0xff;
            d->group++;
            p++;
            continue;
        }
        /* data bytes of a block, as many as there are without a delimiter */
        size_t n = d->left;
        if (n > (size_t)(end - p))
            n = (size_t)(end - p);
        const uint8_t *stop = memchr(p, 0, n);
        if (stop != NULL)
            n = (size_t)(stop - p);
        if (n > MPJ_FRAME_RAW_MAX - d->len) {
            d->bad = true;
            continue;
        }
        memcpy(&d->raw[d->len], p, n);
        d->len += (uint32_t)n;
        d->left = (uint8_t)(d->left - n);
        d->group += (uint32_t)n;
        p += n;
    }
    d->stats.bytes += (uint64_t)(p - data);
    return (size_t)(p - data);
}
