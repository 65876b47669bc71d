/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One end of the reliable link against a peer that says anything: the input is a series of calls
 * and frames, well-formed ones among them. Whatever comes, the end keeps to its memory, never takes
 * back an acknowledgement, and hands over frames in the order of their numbers.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "mpj_link.h"

#define SLOTS 16U
#define AHEAD 16U

static uint16_t expected;
static uint8_t tx[4096];
static struct mpj_link_slot slots[SLOTS];
static struct mpj_link_ahead ahead[AHEAD];

static size_t put(void *ctx, const uint8_t *p, size_t n)
{
    /* what is sent is made of memory that is ours */
    uint32_t *const room = ctx;
    volatile uint8_t sink;

    for (size_t i = 0; i < n; i++)
        sink = p[i];
    (void)sink;
    if (n > *room)
        n = *room;
    *room -= (uint32_t)n;
    return n;
}

static int deliver(void *ctx, const struct mpj_frame *f)
{
    (void)ctx;
    if (f->seq != expected++ || f->len > MPJ_FRAME_PAYLOAD_MAX || !mpj_frame_sequenced(f->type))
        abort();
    return 0;
}

static void session(bool active, bool in_order, const uint8_t *data, size_t size)
{
    static const uint8_t types[] = {MPJ_FRAME_ACK,   MPJ_FRAME_POLL, MPJ_FRAME_DATA,  MPJ_FRAME_END,
                                    MPJ_FRAME_START, MPJ_FRAME_RATE, MPJ_FRAME_HELLO, 0xc1,
                                    MPJ_FRAME_PART};
    static struct mpj_link l;
    uint32_t room = 0;
    uint32_t base = 0;
    const struct mpj_link_config cfg = {.active = active,
                                        .tx = tx,
                                        .tx_bytes = sizeof(tx),
                                        .reserve = 512,
                                        .slots = slots,
                                        .slot_count = SLOTS,
                                        .ahead = ahead,
                                        .ahead_count = in_order ? 1 : AHEAD,
                                        .put = put,
                                        .deliver = deliver,
                                        .ctx = &room};

    expected = 0;
    memset(slots, 0, sizeof(slots));
    mpj_link_init(&l, &cfg);
    mpj_link_reliable(&l);
    while (size >= 4) {
        const uint8_t what = data[0];
        const uint8_t arg = data[1];
        uint8_t wire[MPJ_FRAME_WIRE_MAX];
        size_t n;
        data += 2;
        size -= 2;
        switch (what % 8U) {
        case 0: /* we send */
            (void)mpj_link_send(&l, MPJ_FRAME_DATA, tx, arg * 4U, (what & 0x80U) != 0);
            break;
        case 1:
            room = arg * 8U;
            (void)mpj_link_pump(&l);
            break;
        case 2:
            mpj_link_ask(&l);
            break;
        case 3:
            (void)mpj_link_tick(&l, l.now + arg * 4U);
            break;
        case 4:
            if (arg < 8)
                mpj_link_seize(&l);
            else if (arg < 16)
                mpj_link_restart_line(&l);
            else if (arg < 24)
                mpj_link_parts(&l);
            break;
        default: /* a frame near the numbers that matter, or anywhere */
            n = data[0] % 16U < size - 1 ? data[0] % 16U : size - 1;
            {
                const uint8_t type = types[arg % sizeof(types)];
                const uint16_t near = (uint16_t)(type == MPJ_FRAME_ACK ? l.base : l.expected);
                const uint16_t seq = (uint16_t)(near + (what & 0x80U ? arg * 257U : arg / 8U) - 4U);
                n = mpj_frame_encode(type, seq, data + 1, n, wire, sizeof(wire));
                if (mpj_link_receive(&l, wire, n) != 0)
                    abort();
            }
            data++;
            size--;
            break;
        }
        if ((int32_t)(l.base - base) < 0 || (int32_t)(l.next - l.base) < 0 ||
            (int32_t)(l.scan - l.base) < 0 || (int32_t)(l.next - l.scan) < 0 ||
            l.next - l.base > SLOTS || (uint16_t)l.expected != expected)
            abort();
        base = l.base;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (unsigned kind = 0; kind < 4; kind++)
        session((kind & 1U) != 0, (kind & 2U) != 0, data, size);
    return 0;
}

size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    size_t n = 0;

    for (; n + 24 < cap; n += 2 + (size_t)(rng() % 3U)) { /* lines of calls, frames now and then */
        out[n] = (uint8_t)rng();
        out[n + 1] = (uint8_t)rng();
        out[n + 2] = (uint8_t)(rng() % 6U);
        for (unsigned i = 3; i < 8; i++)
            out[n + i] = (uint8_t)(rng() % 4U);
    }
    return n;
}
