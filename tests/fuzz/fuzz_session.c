/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session of the host with a program that says anything. The first byte says how: 1 over a line
 * that loses (the rest is what fuzz_board.h reads), else over the emulator's socket (the rest is
 * its bytes); 2 with files; 4 with marks and a wish to end; 8 with an identity; 16 with limits;
 * from 32 on, over the line, the board is silent at first, in its loader, or acknowledges nothing.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz_board.h"
#include "fuzz_file.h"
#include "fuzz_frames.h"
#include "hil/line.h"
#include "hil/session.h"

enum how { LINE = 1, FILES = 2, WISHES = 4, IDENTITY = 8, LIMITS = 16 };

static int ends[2]; /* of the socket: ours, the emulator's */
static unsigned looks;

static int socket_open(struct mpj_target *t, struct mpj_err *err)
{
    (void)t;
    (void)err;
    return ends[0];
}

static int socket_lost(struct mpj_target *t, struct mpj_err *err)
{
    return mpj_err_set(err, MPJ_E_LINK, "%s went away", t->name);
}

static int socket_close(struct mpj_target *t, bool graceful, struct mpj_err *err)
{
    (void)t;
    (void)graceful;
    (void)err;
    return MPJ_E_OK;
}

static const char *socket_truth(struct mpj_target *t, size_t *len)
{
    static const char truth[] = "{}";

    (void)t;
    *len = sizeof(truth) - 1;
    return truth;
}

static struct mpj_target *emulator(const uint8_t *data, size_t size)
{
    static const struct mpj_target_ops ops = {.open = socket_open,
                                              .lost = socket_lost,
                                              .close = socket_close,
                                              .truth = socket_truth,
                                              .profile = socket_truth};
    static struct mpj_target target = {.ops = &ops, .name = "sim"};

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0 ||
        write(ends[1], data, size) < 0 || shutdown(ends[1], SHUT_WR) != 0)
        abort();
    return &target;
}

static void console(void *ctx, int stream, const void *data, size_t len)
{
    (void)ctx;
    if ((stream != 1 && stream != 2) || (len > 0 && data == NULL))
        abort();
}

static void progress(void *ctx, const struct mpj_progress *p)
{
    (void)ctx;
    if (p->host_s < 0)
        abort();
}

static bool cancelled(void *ctx)
{
    (void)ctx;
    return ++looks > 3000;
}

static bool note(void *ctx, char text[MPJ_NOTE_MAX + 1])
{
    (void)ctx;
    snprintf(text, MPJ_NOTE_MAX + 1, "mark %u", looks);
    return looks % 3U == 0 && ++looks > 0;
}

static bool finish(void *ctx)
{
    (void)ctx;
    return looks > 40;
}

static const struct mpj_hello hello = {.protocol = MPJ_LINK_VERSION,
                                       .abi = MPJ_ABI_VERSION,
                                       .features = 0x2f,
                                       .cores = 4,
                                       .clock_hz = 210000000,
                                       .time_hz = 1000000};

static void run(unsigned how, const uint8_t *data, size_t size, struct mpj_io *io)
{
    static const char *const argv[] = {"p.elf", "-n", "1", NULL};
    static const char *const envp[] = {"A=b", NULL};
    const struct mpj_identity identity = {.midr = 0x410fb024};
    const unsigned kind = how / 32U % 4U;
    struct mpj_hello first = hello;
    struct mpj_session_opts opt = {
        .identity = how & IDENTITY ? &identity : NULL,
        .io = io,
        .config = {.features = 0x2f, .session = 1, .cores_mask = 15},
        .trace = {.flags = how & LIMITS ? MPJ_TRACE_SAMPLES : 0},
        .rotation = {.period_ms = 20, .count = how & LIMITS ? 1 : 0},
        .argv = argv,
        .envp = how & FILES ? envp : NULL,
        .timeout_s = how & LIMITS ? 20 : 0,
        .console = console,
        .progress = progress,
        .cancelled = cancelled,
        .note = how & WISHES ? note : NULL,
        .finish = how & WISHES ? finish : NULL,
    };
    struct mpj_session_result out;
    struct mpj_err err = {.code = MPJ_E_OK};
    int result;

    if (kind == 2)
        first.features |= 1U << MPJ_FEATURE_LOADER;
    if (kind == 3)
        first.features = 0;
    opt.target =
        how & LINE ? fuzz_board(data, size, kind == 1 ? NULL : &first, how & IDENTITY ? 921600 : 0)
                   : emulator(data, size);
    if (mpj_log_create(&opt.log, "/dev/null", &err) != MPJ_E_OK)
        abort();
    result = mpj_session_run(&opt, &out, &err);
    if (result != MPJ_E_OK && (result != err.code || err.text[0] == '\0'))
        abort();
    if (result == MPJ_E_OK && (!out.have_hello || !out.have_end))
        abort();
    mpj_log_abandon(opt.log);
    if ((how & LINE) == 0) {
        close(ends[0]);
        close(ends[1]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpj_io *io = NULL;
    struct mpj_err err;

    if (size < 1)
        return 0;
    looks = 0;
    if ((data[0] & FILES) != 0 &&
        mpj_io_new(&io, NULL, fuzz_file((const uint8_t *)"input\n", 6), &err) != MPJ_E_OK)
        abort();
    run(data[0], data + 1, size - 1, io);
    mpj_io_free(io);
    return 0;
}

/* ---- what a program says ------------------------------------------------------------------ */

struct maker {
    uint8_t *out;
    size_t n, cap;
    bool line;
    uint16_t seq;
    uint32_t (*rng)(void);
    uint8_t payload[MPJ_FRAME_PAYLOAD_MAX];
    struct mpj_writer w;
};

static struct mpj_writer *begin(struct maker *m)
{
    mpj_writer_init(&m->w, m->payload, sizeof(m->payload));
    return &m->w;
}

static void put(struct maker *m, enum fuzz_board_op op, uint8_t type)
{
    const size_t len = (size_t)(m->w.at - m->payload);

    if (m->rng() % 32U == 0)
        return;
    if (m->line)
        m->n = fuzz_board_say(m->out, m->cap, m->n, op, m->payload, len);
    else
        m->n += mpj_frame_encode(type, mpj_frame_sequenced(type) ? m->seq++ : 0, m->payload, len,
                                 m->out + m->n, m->cap - m->n);
}

static void put_request(struct maker *m)
{
    const struct mpj_io_req q = {
        .op = m->rng() % 4U ? MPJ_IO_READ : m->rng() % 18U, .fd = 0, .length = 100};

    mpj_io_req_put(begin(m), &q);
    put(m, FUZZ_IO, MPJ_FRAME_IO_REQ);
}

static void put_record(struct maker *m)
{
    const struct mpj_fault fault = {.kind = 1 + m->rng() % 6U, .time = 5};
    const struct mpj_error_rec error = {.code = m->rng() % 12U,
                                        .text = {(const uint8_t *)"why\nso", m->rng() % 7U}};
    const struct mpj_mark mark = {.time = 7, .origin = m->rng() % 2U};
    const struct mpj_dropped dropped = {1, {{MPJ_REC_MARK, 2}}};
    static struct mpj_adc_rec adc = {.period = 9, .count = 1};

    begin(m);
    switch (m->rng() % 8U) {
    case 0:
        mpj_fault_put(&m->w, &fault);
        break;
    case 1:
        mpj_error_put(&m->w, &error);
        break;
    case 2:
        mpj_mark_put(&m->w, &mark);
        break;
    case 3:
        mpj_dropped_put(&m->w, &dropped);
        break;
    case 4:
        mpj_adc_put(&m->w, &adc);
        break;
    default:
        mpj_blob_put(&m->w, MPJ_REC_CONSOLE_OUT + m->rng() % 2U, "text\n", 5);
    }
    put(m, FUZZ_DATA, MPJ_FRAME_DATA);
}

size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    static const char words[] = "\n" MPJ_WORDS "data abort\n";
    static struct maker m;
    struct mpj_hello h = hello;
    struct mpj_end end = {.session = 1};
    const uint32_t records = rng() % 6U;

    if (cap < 1)
        return 0;
    m = (struct maker){.out = out, .n = 1, .cap = cap, .rng = rng};
    out[0] = (uint8_t)(rng() % 4U ? rng() % 32U : rng() % 128U);
    m.line = (out[0] & LINE) != 0;
    if (rng() % 8U == 0 && m.line)
        m.n = fuzz_board_say(out, cap, m.n, FUZZ_BYTES, words, sizeof(words) - 1);
    else if (rng() % 8U == 0 && cap > 1 + sizeof(words)) {
        memcpy(out + 1, words, sizeof(words)); /* with a delimiter */
        m.n += sizeof(words);
    }
    if (rng() % 8U == 0)
        h.protocol = rng() % 3U;
    if (rng() % 8U == 0)
        h.cores = rng() % 7U;
    if (rng() % 8U == 0)
        h.features = rng() % 64U;
    h.midr = rng() % 4U ? 0x410fb024 : 1;
    mpj_hello_put(begin(&m), &h);
    put(&m, FUZZ_HELLO, MPJ_FRAME_HELLO);
    for (uint32_t i = 0; i < records; i++)
        put_record(&m);
    if (rng() % 2U)
        put_request(&m);
    if (m.line && rng() % 2U == 0)
        m.n = fuzz_board_say(out, cap, m.n, rng() % 2U ? FUZZ_SILENCE : FUZZ_AWAY, m.payload,
                             rng() % 300U);
    if (m.line && rng() % 8U == 0)
        m.n = fuzz_board_say(out, cap, m.n, FUZZ_HELLO, NULL, 0);
    if (rng() % 16U == 0) {
        begin(&m);
        put(&m, FUZZ_UNKNOWN, 0x3e);
    }
    end.records = rng() % 4U ? records : 99;
    mpj_end_put(begin(&m), &end);
    if (rng() % 4U)
        put(&m, FUZZ_END, MPJ_FRAME_END);
    return m.n;
}

size_t fuzz_fix(uint8_t *data, size_t size, size_t cap)
{
    if (size < 2)
        return size;
    return 1 + ((data[0] & LINE) != 0 ? fuzz_board_fix(data + 1, size - 1, cap - 1)
                                      : fuzz_fix_frames(data + 1, size - 1, cap - 1));
}
