/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz_board.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "fuzz_frames.h"
#include "mpj_link.h"
#include "mpj_rate.h"

#define FD    4242 /* no file has it */
#define SLOTS 64U
#define BYTES 65536U
#define HASTE 4U /* a wait in vain takes longer than was asked for: there are many */
#define HEAD  3U /* of an operation: what, and its length in two bytes */

static struct {
    struct mpj_target target;
    struct mpj_link link;
    struct mpj_link_slot slots[SLOTS];
    uint8_t tx[BYTES];
    struct mpj_rate_target rate;
    uint8_t out[2 * BYTES]; /* to the host */
    size_t at, end;
    const uint8_t *data; /* what is still to be said */
    size_t left;
    const struct mpj_hello *hello;
    unsigned away; /* tries until the port is back; 0: it is there */
} b;

static uint64_t clock_ms = 1000;

double mpj_clock_s(void)
{
    return (double)clock_ms / 1000.0;
}

uint32_t mpj_clock_ms(void)
{
    return (uint32_t)clock_ms;
}

void fuzz_board_wait(uint32_t ms)
{
    clock_ms += ms;
}

int nanosleep(const struct timespec *wanted, struct timespec *rest)
{
    (void)rest;
    clock_ms += (uint64_t)wanted->tv_sec * 1000U + (uint64_t)wanted->tv_nsec / 1000000U;
    return 0;
}

/* ---- memory ------------------------------------------------------------------------------- */

/*
 * 17 MB of frames that came early, which each session allocates and marks as empty: two thirds of
 * an input's time were the page faults. All inputs share one block, with what was in it.
 */
static void *early;

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void __real_free(void *p);
void __wrap_free(void *p);

void *__wrap_calloc(size_t n, size_t size)
{
    if (n != MPJ_LINK_SLOTS_MAX || size != sizeof(struct mpj_link_ahead))
        return __real_calloc(n, size);
    if (early == NULL)
        early = __real_calloc(n, size);
    return early;
}

void __wrap_free(void *p)
{
    if (p == NULL || p != early)
        __real_free(p);
}

/* ---- the board's side of the link --------------------------------------------------------- */

static size_t put(void *ctx, const uint8_t *p, size_t n)
{
    const size_t room = sizeof(b.out) - b.end;

    (void)ctx;
    n = n < room ? n : room;
    memcpy(b.out + b.end, p, n);
    b.end += n;
    return n;
}

static void send_now(uint8_t type, const void *payload, size_t len)
{
    uint8_t wire[MPJ_FRAME_WIRE_MAX];

    (void)put(NULL, wire, mpj_frame_encode(type, 0, payload, len, wire, sizeof(wire)));
}

static void say_hello(void)
{
    uint8_t payload[256];
    struct mpj_writer w;

    if (b.hello == NULL)
        return;
    mpj_writer_init(&w, payload, sizeof(payload));
    mpj_hello_put(&w, b.hello);
    send_now(MPJ_FRAME_HELLO, payload, (size_t)(w.at - payload));
}

static int deliver(void *ctx, const struct mpj_frame *f)
{
    (void)ctx;
    (void)f;
    if (!b.link.reliable) {
        mpj_link_reliable(&b.link);
        b.link.want_status = true;
    }
    mpj_rate_target_confirm(&b.rate);
    return 0;
}

static int control(void *ctx, const struct mpj_frame *f)
{
    struct mpj_rate_do todo;

    (void)ctx;
    if (f->type == MPJ_FRAME_HELLO)
        say_hello();
    if (f->type != MPJ_FRAME_RATE && f->type != MPJ_FRAME_ECHO)
        return 0;
    if (b.left % 3U == 0)
        return 0; /* it has not heard that */
    mpj_rate_target_frame(&b.rate, f, b.left % 5U != 0, (uint32_t)clock_ms, &todo);
    if (todo.type != 0)
        send_now(todo.type, todo.payload, todo.len);
    return 0;
}

static void begin(void)
{
    const struct mpj_link_config cfg = {.tx = b.tx,
                                        .tx_bytes = BYTES,
                                        .slots = b.slots,
                                        .slot_count = SLOTS,
                                        .put = put,
                                        .deliver = deliver,
                                        .control = control};

    mpj_link_init(&b.link, &cfg);
    mpj_rate_target_init(&b.rate);
    say_hello();
}

/* Does the next operation of the input. */
static void go_on(void)
{
    static const uint8_t types[] = {
        MPJ_FRAME_LOADER_FIRST + 1U, MPJ_FRAME_DATA, MPJ_FRAME_IO_REQ, MPJ_FRAME_END, 0x3e, 0xc1};
    const unsigned op = b.data[0] % FUZZ_OPS;
    size_t len = b.data[1] | (size_t)b.data[2] << 8;
    const uint8_t *const p = b.data + HEAD;

    len = len < b.left - HEAD ? len : b.left - HEAD;
    b.data += HEAD + len;
    b.left -= HEAD + len;
    switch (op) {
    case FUZZ_BYTES:
        (void)put(NULL, p, len);
        break;
    case FUZZ_SILENCE:
        clock_ms += 100U * len;
        break;
    case FUZZ_AWAY:
        b.away = 1U + (unsigned)len;
        break;
    case FUZZ_HELLO:
        if (len > 0)
            send_now(MPJ_FRAME_HELLO, p, len < MPJ_FRAME_PAYLOAD_MAX ? len : MPJ_FRAME_PAYLOAD_MAX);
        else
            say_hello();
        break;
    case FUZZ_ANEW:
        begin();
        break;
    case FUZZ_ECHO:
        send_now(MPJ_FRAME_ECHO, p, len < MPJ_FRAME_PAYLOAD_MAX ? len : MPJ_FRAME_PAYLOAD_MAX);
        break;
    default:
        (void)mpj_link_send(&b.link, types[op], p, len, false);
        break;
    }
}

/* Something for the host to read, if there is anything left. */
static bool has_more(void)
{
    struct mpj_rate_do ignored; /* this line has no bits */

    mpj_rate_target_tick(&b.rate, (uint32_t)clock_ms, &ignored);
    while (mpj_link_pump(&b.link))
        ;
    while (b.at == b.end && b.left >= HEAD && b.away == 0) {
        b.at = b.end = 0;
        go_on();
        while (mpj_link_pump(&b.link))
            ;
    }
    if (b.at == b.end)
        b.at = b.end = 0;
    return b.at < b.end;
}

/* The linker's --wrap: what waits for the board's descriptor comes here. */
int __real_poll(struct pollfd *p, nfds_t n, int timeout);
int __wrap_poll(struct pollfd *p, nfds_t n, int timeout);
int __wrap_poll(struct pollfd *p, nfds_t n, int timeout)
{
    int ready = 0;

    if (n == 0 || p[0].fd != FD) {
        ready = __real_poll(p, n, 0);
    } else {
        p[0].revents = (short)(p[0].events & POLLOUT);
        if (b.away > 0)
            p[0].revents |= POLLHUP;
        else if (has_more())
            p[0].revents |= POLLIN;
        ready = p[0].revents != 0;
    }
    clock_ms += ready == 0 && timeout > 0 ? HASTE * (unsigned)timeout : 1U;
    return ready;
}

/* ---- the target --------------------------------------------------------------------------- */

static int board_open(struct mpj_target *t, struct mpj_err *err)
{
    (void)t;
    (void)err;
    return FD;
}

static int board_lost(struct mpj_target *t, struct mpj_err *err)
{
    return mpj_err_set(err, MPJ_E_LINK, "lost the port of %s", t->name);
}

static int board_close(struct mpj_target *t, bool graceful, struct mpj_err *err)
{
    (void)t;
    (void)graceful;
    (void)err;
    return MPJ_E_OK;
}

static const char *board_truth(struct mpj_target *t, size_t *len)
{
    (void)t;
    *len = 0;
    return NULL;
}

static ssize_t board_read(struct mpj_target *t, void *buf, size_t n, struct mpj_err *err)
{
    if (b.away > 0)
        return board_lost(t, err);
    (void)has_more();
    n = n < b.end - b.at ? n : b.end - b.at;
    memcpy(buf, b.out + b.at, n);
    b.at += n;
    return (ssize_t)n;
}

static ssize_t board_write(struct mpj_target *t, const void *buf, size_t n, struct mpj_err *err)
{
    if (b.away > 0)
        return board_lost(t, err);
    (void)mpj_link_receive(&b.link, buf, n);
    return (ssize_t)n;
}

static int board_rate(struct mpj_target *t, uint32_t bits_per_s, struct mpj_err *err)
{
    (void)bits_per_s;
    return b.away > 0 ? board_lost(t, err) : MPJ_E_OK;
}

static int board_reopen(struct mpj_target *t, struct mpj_err *err)
{
    if (b.away > 0 && --b.away > 0)
        return mpj_err_set(err, MPJ_E_NO_PORT, "the port of %s is not there", t->name);
    return FD;
}

static int board_restart(struct mpj_target *t, struct mpj_err *err)
{
    if (b.left % 2U == 0)
        return mpj_err_set(err, MPJ_E_NO_ANSWER, "%s cannot be restarted", t->name);
    begin();
    return MPJ_E_OK;
}

struct mpj_target *fuzz_board(const uint8_t *data, size_t size, const struct mpj_hello *hello,
                              uint32_t rate)
{
    static const struct mpj_target_ops ops = {.open = board_open,
                                              .lost = board_lost,
                                              .close = board_close,
                                              .truth = board_truth,
                                              .read = board_read,
                                              .write = board_write,
                                              .rate = board_rate,
                                              .reopen = board_reopen,
                                              .restart = board_restart};

    memset(&b, 0, sizeof(b));
    b.target = (struct mpj_target){&ops, "tile", true, rate};
    b.data = data;
    b.left = size;
    b.hello = hello;
    begin();
    return &b.target;
}

/* ---- inputs ------------------------------------------------------------------------------- */

size_t fuzz_board_say(uint8_t *out, size_t cap, size_t n, enum fuzz_board_op op, const void *data,
                      size_t len)
{
    if (len > UINT16_MAX || cap < n + HEAD + len)
        return n;
    out[n] = (uint8_t)op;
    out[n + 1] = (uint8_t)len;
    out[n + 2] = (uint8_t)(len >> 8);
    if (len > 0 && data != NULL)
        memcpy(out + n + HEAD, data, len);
    return n + HEAD + len;
}

size_t fuzz_board_fix(uint8_t *data, size_t size, size_t cap)
{
    static uint8_t out[BYTES];
    const size_t room = cap < sizeof(out) ? cap : sizeof(out);
    size_t n = 0;

    for (size_t at = 0; at + HEAD <= size;) {
        const unsigned op = data[at] % FUZZ_OPS;
        const size_t wanted = data[at + 1] | (size_t)data[at + 2] << 8;
        const size_t left = size - at - HEAD;
        const size_t len = wanted < left ? wanted : left;
        uint8_t payload[MPJ_FRAME_PAYLOAD_MAX];
        size_t bytes = len < sizeof(payload) ? len : sizeof(payload);

        memcpy(payload, data + at + HEAD, bytes);
        if (op <= FUZZ_END || op == FUZZ_HELLO)
            bytes = fuzz_fix_records(payload, bytes, sizeof(payload));
        n = fuzz_board_say(out, room, n, (enum fuzz_board_op)op, payload, bytes);
        at += HEAD + len;
    }
    memcpy(data, out, n);
    return n;
}
