/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stack of a fault, as FAULT_STACK records: from the stack pointer upwards and, if that is too
 * much, also the end of the stack, which has the outermost frames.
 */
#include "mpj_fault.h"
#include "mpj_host.h"
#include "mpj_in.h"
#include "mpj_layout.h"
#include "mpj_out.h"
#include "mpj_stack_records.h"

#define INNER_RECORDS 16U /* 1.3 s at 115200 bit/s */
#define OUTER_RECORDS 4U
#define OUTER_WORDS   600U        /* pointers to code or stack: they fit those records */
#define UNKNOWN_BYTES (64U << 10) /* of a stack whose end is unknown */
#define FEED_BYTES    (1U << 18)  /* between two feedings of the watchdog */

extern char __text_start[], __text_end[];

static struct mpj_stack_coder coder;

struct bounds {
    uint32_t low, high;
};

static uint32_t word(uint32_t addr)
{
    return *(const volatile uint32_t *)addr;
}

/* Returns the enum mpj_stack_kind of a word; MPJ_STACK_AGAIN: a call chain does not need it. */
static uint32_t kind_of(const struct bounds *b, uint32_t value)
{
    if (value - (uint32_t)__text_start <= (uint32_t)__text_end - (uint32_t)__text_start)
        return MPJ_STACK_CODE;
    return value >= b->low && value <= b->high ? MPJ_STACK_POINTER : MPJ_STACK_AGAIN;
}

static int put_stack(struct mpj_writer *w, const void *rec)
{
    return mpj_stack_put(w, rec);
}

static void send(uint32_t to)
{
    struct mpj_stack_rec rec;

    mpj_stack_finish(&coder, to, &rec);
    (void)mpj_out_record(put_stack, &rec);
    mpj_stack_start(&coder, to);
}

/* Sends the words of [from, to) in at most that many records. Returns the address at which it
 * stopped. */
static uint32_t send_part(const struct bounds *b, uint32_t from, uint32_t to, unsigned records)
{
    uint32_t at = from;

    mpj_stack_start(&coder, from);
    while (at < to) {
        const uint32_t value = word(at);
        const uint32_t kind = kind_of(b, value);

        if (kind != MPJ_STACK_AGAIN && !mpj_stack_add(&coder, at, value, kind)) {
            send(at);
            if (--records == 0)
                return at;
            continue;
        }
        at += 4U;
        if (at % FEED_BYTES == 0)
            mpj_in_service();
    }
    send(to);
    return to;
}

/* Returns the first address of the last words of the stack, which are always sent, not below
 * `from`. */
static uint32_t outer(const struct bounds *b, uint32_t from)
{
    uint32_t at = b->high;

    for (unsigned n = 0; at > from && n < OUTER_WORDS;) {
        at -= 4U;
        n += kind_of(b, word(at)) != MPJ_STACK_AGAIN;
    }
    return at;
}

void mpj_host_stack(uint32_t sp)
{
    struct bounds b;
    uint32_t at;

    if (sp % 4U != 0)
        return;
    if (!mpj_fault_stack(sp, &b.low, &b.high)) {
        b.low = b.high = sp;
        while (b.high - b.low < UNKNOWN_BYTES && mpj_fault_readable(b.high))
            b.high += 4U;
    }
    at = send_part(&b, sp > b.low ? sp : b.low, b.high, INNER_RECORDS);
    if (at < b.high)
        (void)send_part(&b, outer(&b, at), b.high, OUTER_RECORDS);
}
