/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Link frames: how bytes travel over the serial line (SPEC.md, "Frames").
 *
 *   frame = COBS( type u8, sequence u16 LE, payload, CRC-32 u32 LE ) 0x00
 *
 * Freestanding and without allocation; all state is in the caller's structures.
 * The functions are re-entrant; none blocks, so all may be called from an
 * interrupt handler as long as one structure is used by one context at a time.
 */
#ifndef MPJ_FRAME_H
#define MPJ_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MPJ_FRAME_PAYLOAD_MAX 1024U
#define MPJ_FRAME_HEAD        3U /* type, sequence */
#define MPJ_FRAME_CHECK       4U /* CRC-32 */
#define MPJ_FRAME_RAW_MAX     (MPJ_FRAME_HEAD + MPJ_FRAME_PAYLOAD_MAX + MPJ_FRAME_CHECK)
/* COBS adds one byte per 254 begun, then the delimiter. */
#define MPJ_FRAME_WIRE_MAX (MPJ_FRAME_RAW_MAX + MPJ_FRAME_RAW_MAX / 254U + 1U + 1U)

/* Frame types. Bit 7: a receiver that does not know the type ignores the frame;
 * without it an unknown type ends the session. */
enum mpj_frame_type {
    /* target to host */
    MPJ_FRAME_HELLO = 0x01,  /* unsequenced, repeated until START */
    MPJ_FRAME_DATA = 0x02,   /* records of the run */
    MPJ_FRAME_END = 0x03,    /* last frame of a session */
    MPJ_FRAME_IO_REQ = 0x04, /* host I/O: one request record; the target waits for the reply */
    /* host to target */
    MPJ_FRAME_START = 0x11,    /* configuration, arguments; several frames, the last has GO */
    MPJ_FRAME_IO_REPLY = 0x12, /* one reply record */
    MPJ_FRAME_STOP = 0x13,     /* end the run early */
    MPJ_FRAME_NOTE = 0x14,     /* set a mark now: its number, varint */
    MPJ_FRAME_FINISH = 0x15,   /* the program is asked to end gracefully */
    /* both ways, unsequenced (flow control; features say whether they are used) */
    MPJ_FRAME_ACK = 0x20,  /* sequence = next expected; body: missing frames */
    MPJ_FRAME_POLL = 0x21, /* sequence = next new frame; body: number of the poll */
    MPJ_FRAME_RATE = 0x22, /* bit-rate proposal or answer */
    MPJ_FRAME_ECHO = 0x23, /* line test: returned as sent */
    MPJ_FRAME_PART = 0x24, /* a part of a numbered frame, whose number it has */
    /* 0x40..0x5f: resident loader */
    MPJ_FRAME_LOADER_FIRST = 0x40,
    MPJ_FRAME_LOADER_LAST = 0x5f,
    MPJ_FRAME_OPTIONAL = 0x80,
};

/* True when frames of this type are numbered (modulo 65536, from 0, per direction and session);
 * the others carry sequence 0, or what SPEC.md says for ACK and POLL. */
bool mpj_frame_sequenced(uint8_t type);

enum mpj_link_error {
    MPJ_LINK_OK = 0,
    MPJ_LINK_ERR_SPACE = -1,  /* does not fit: output unchanged */
    MPJ_LINK_ERR_FORMAT = -2, /* bytes that no encoder of this version writes */
    MPJ_LINK_ERR_CRC = -3,    /* frame damaged */
    MPJ_LINK_ERR_LONG = -4,   /* frame longer than any valid one */
    MPJ_LINK_ERR_SHORT = -5,  /* frame shorter than any valid one */
    MPJ_LINK_ERR_RANGE = -6,  /* a value or count outside its range */
};

/* Returns one line for a negative code of link/, "ok" for 0. Static storage. */
const char *mpj_link_strerror(int code);

/* Computes CRC-32/ISO-HDLC (polynomial 0x04c11db7 reflected). Start with crc = 0 and feed the
 * pieces in order. */
uint32_t mpj_crc32(uint32_t crc, const void *data, size_t len);

/*
 * Encodes one frame into out (cap bytes; MPJ_FRAME_WIRE_MAX is always enough).
 * Returns the bytes written including the delimiter, or 0 when the payload is longer
 * than MPJ_FRAME_PAYLOAD_MAX or cap is too small. payload may be NULL when len is 0;
 * it must not overlap out.
 */
size_t mpj_frame_encode(uint8_t type, uint16_t seq, const void *payload, size_t len, uint8_t *out,
                        size_t cap);

struct mpj_frame {
    uint8_t type;
    uint16_t seq;
    const uint8_t *payload; /* inside the decoder; valid until its next call */
    size_t len;
};

struct mpj_frame_stats {
    uint64_t bytes;  /* seen */
    uint64_t frames; /* valid */
    uint64_t bad;    /* delimited byte groups that were not a valid frame */
    uint64_t junk;   /* bytes in those */
};

/* Incremental decoder. Treat as opaque except for stats. About 1.1 KB. */
struct mpj_frame_decoder {
    uint8_t raw[MPJ_FRAME_RAW_MAX];
    uint32_t len;   /* bytes in raw */
    uint32_t group; /* bytes of the present delimited group, coded */
    uint8_t left;   /* bytes left in the present COBS block */
    bool zero;      /* a zero follows the present block */
    bool bad;       /* skip to the next delimiter */
    struct mpj_frame_stats stats;
};

/* Initialises an empty decoder. It accepts a frame from the first byte on; garbage before it costs
 * at most the frame it touches (a sender opens its session with a delimiter of its own). */
void mpj_frame_decoder_init(struct mpj_frame_decoder *d);

/*
 * Feeds bytes until one frame ends or the data does. Returns how many bytes were consumed;
 * call again with the rest. *result: 1 a valid frame is in *out, 0 more bytes are needed,
 * negative enum mpj_link_error: one damaged group was dropped, the decoder is at the start of
 * the next.
 */
size_t mpj_frame_decode(struct mpj_frame_decoder *d, const uint8_t *data, size_t len,
                        struct mpj_frame *out, int *result);

#endif
