/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a session with a board begins, against a board of a few lines in this process: what a port
 * kept from before the start, a line that carries one way only, a board left at another bit rate.
 * Time is made here: every look at the clock takes a while, and nothing waits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <poll.h>
#include <time.h>

#include "hil/loader.h"
#include "hil/session.h"
#include "mpj_rate.h"

static double clock_s, look_s;
static double every_s = 0.25; /* between two beats */
static uint32_t faster;       /* bit rate to negotiate; 0: none */

int clock_gettime(clockid_t which, struct timespec *out)
{
    (void)which;
    clock_s += look_s;
    out->tv_sec = (time_t)clock_s;
    out->tv_nsec = (long)((clock_s - (double)out->tv_sec) * 1e9);
    return 0;
}

/* ---- the board -------------------------------------------------------------------- */

static struct board {
    struct mpj_target target;
    struct mpj_frame_decoder ear;
    uint32_t port_rate; /* what the host's port is set to */
    uint32_t rate;      /* and the board */
    struct mpj_rate_target agrees;
    uint32_t next_rate; /* when all it says is out; 0: the same */
    bool unplugged;     /* the host's port is away from then on */
    bool deaf;
    unsigned asleep; /* looks at the line that it sleeps through; the first one takes ten seconds */
    bool called;     /* a HELLO of the host arrived */
    enum { ANSWERS, RESETS, RESETS_TO_PROGRAM } asked; /* as loader, with the request taken */
    bool configured;
    bool asking;    /* it asked a question that was lost ... */
    bool relieved;  /* ... and heard that there will be no answer */
    bool quiet;     /* it has nothing to say, but shows that it is there ... */
    unsigned beats; /* ... so many times so far ... */
    unsigned most;  /* ... and as many at most; then, in the middle of the run: */
    enum { GOES_ON, DIES, RESTARTS, UNPLUGGED } then;
    const char *again; /* build id and features of that HELLO */
    uint32_t as;
    uint16_t taken;      /* number of the next frame of the host */
    double heard_at;     /* when it took START, and when it was last heard */
    uint16_t number;     /* of the next frame it sends; the first is lost on the way */
    const char *repeats; /* build id of a HELLO said at every look, or NULL ... */
    uint32_t features;   /* ... and its features */
    uint8_t says[4096];  /* on the line to the host */
    size_t begin, end;
} board;

static void say_as(uint8_t type, uint16_t number, const uint8_t *payload, size_t len)
{
    if (board.begin == board.end)
        board.begin = board.end = 0;
    board.end += mpj_frame_encode(type, number, payload, len, board.says + board.end,
                                  sizeof(board.says) - board.end);
}

static void say(uint8_t type, const uint8_t *payload, size_t len)
{
    say_as(type, 0, payload, len);
}

static void say_hello(uint32_t features, const char *build_id)
{
    const struct mpj_hello h = {
        .protocol = MPJ_LINK_VERSION,
        .abi = MPJ_ABI_VERSION,
        .features = features,
        .cores = 4,
        .clock_hz = 210000000,
        .time_hz = 24000000,
        .build_id = {(const uint8_t *)build_id, strlen(build_id)},
    };
    uint8_t buf[200];
    struct mpj_writer w;

    mpj_writer_init(&w, buf, sizeof(buf));
    assert_int_equal(mpj_hello_put(&w, &h), MPJ_LINK_OK);
    say(MPJ_FRAME_HELLO, buf, (size_t)(w.at - buf));
}

static void beat(void)
{
    if (!board.quiet || !board.configured || clock_s - board.heard_at < every_s ||
        (board.then != GOES_ON && board.beats == board.most))
        return;
    board.beats++;
    board.heard_at = clock_s;
    say_as(MPJ_FRAME_ACK, board.taken, (const uint8_t[]){0}, 1);
    board.unplugged = board.then == UNPLUGGED && board.beats == board.most;
    if (board.then != RESTARTS || board.beats < board.most)
        return;
    board.next_rate = MPJ_RATE_BASE;
    board.repeats = board.again;
    board.features = board.as;
}

#define PAUSE   10U
#define PROGRAM (1U << MPJ_FEATURE_ACK | 1U << MPJ_FEATURE_BEAT)
#define LOADER                                                                                     \
    (1U << MPJ_FEATURE_ACK | 1U << MPJ_FEATURE_LOADER | (faster != 0 ? 1U << MPJ_FEATURE_RATE : 0U))

int poll(struct pollfd *fds, nfds_t n, int ms)
{
    (void)ms;
    if (board.asleep == PAUSE)
        clock_s += 10;
    if (board.asleep > 0)
        board.asleep--;
    beat();
    if (board.repeats != NULL && board.next_rate == 0)
        say_hello(board.features, board.repeats);
    if (board.asking && board.configured && board.number < 1000)
        say_as(MPJ_FRAME_DATA, ++board.number, NULL, 0);
    for (nfds_t i = 0; i < n; i++)
        fds[i].revents = fds[i].events;
    return (int)n;
}

static int board_open(struct mpj_target *t, struct mpj_err *err)
{
    (void)t;
    (void)err;
    return 0; /* of no file: what it says is always there */
}

static int board_reopen(struct mpj_target *t, struct mpj_err *err)
{
    (void)t;
    return mpj_err_set(err, MPJ_E_LINK, "no port");
}

static ssize_t board_read(struct mpj_target *t, void *buf, size_t n, struct mpj_err *err)
{
    size_t left = board.end - board.begin;

    (void)t;
    if (board.unplugged)
        return mpj_err_set(err, MPJ_E_LINK, "no port");
    if (board.port_rate != board.rate)
        return 0;
    left = left < n ? left : n;
    memcpy(buf, board.says + board.begin, left);
    board.begin += left;
    if (board.begin == board.end && board.next_rate != 0) {
        board.rate = board.next_rate;
        board.next_rate = 0;
    }
    return (ssize_t)left;
}

static void agree(const struct mpj_frame *f)
{
    struct mpj_rate_do todo;

    mpj_rate_target_frame(&board.agrees, f, true, (uint32_t)(clock_s * 1000), &todo);
    if (todo.type != 0)
        say(todo.type, todo.payload, todo.len);
    board.next_rate = todo.rate;
}

/* Takes a request as the loader does: answers it, or loses power before the answer. */
static void take_request(const struct mpj_frame *f)
{
    const struct mpj_loader_result done = {.code = MPJ_LOADER_OK};
    uint8_t buf[32];
    struct mpj_writer w;

    say_hello(LOADER, ""); /* on its way when the request came */
    say_as(MPJ_FRAME_ACK, (uint16_t)(f->seq + 1U), (const uint8_t[]){0}, 1);
    board.heard_at = clock_s;
    if (board.asked == ANSWERS) {
        mpj_writer_init(&w, buf, sizeof(buf));
        mpj_loader_result_put(&w, &done);
        say_as(MPJ_FRAME_LOADER_REPLY, 0, buf, (size_t)(w.at - buf));
        return;
    }
    board.next_rate = MPJ_RATE_BASE;
    board.repeats = board.asked == RESETS ? "" : "right";
    board.features = board.asked == RESETS ? LOADER : PROGRAM;
}

static ssize_t board_write(struct mpj_target *t, const void *buf, size_t n, struct mpj_err *err)
{
    const uint8_t *p = buf;
    size_t left = n;
    struct mpj_frame f;
    int found;

    (void)t;
    (void)err;
    if (board.deaf || board.asleep > 0 || board.port_rate != board.rate)
        return (ssize_t)n; /* heard as something else */
    while (left > 0) {
        const size_t used = mpj_frame_decode(&board.ear, p, left, &f, &found);
        p += used;
        left -= used;
        if (found == 1 && f.type == MPJ_FRAME_START) {
            board.configured = true;
            board.taken = (uint16_t)(f.seq + 1U);
            board.heard_at = clock_s;
            say_as(MPJ_FRAME_ACK, (uint16_t)(f.seq + 1U), (const uint8_t[]){0}, 1);
        }
        if (found == 1 && f.type == MPJ_FRAME_LOADER_REQ)
            take_request(&f);
        if (found == 1 && f.type == MPJ_FRAME_ACK && board.number > 0 && (f.payload[0] & 0x80U))
            board.relieved = true;
        if (found == 1 && (f.type == MPJ_FRAME_RATE || f.type == MPJ_FRAME_ECHO))
            agree(&f);
        if (found == 1 && f.type == MPJ_FRAME_HELLO) {
            board.called = true;
            board.rate = MPJ_RATE_BASE;
            say_hello(LOADER, "");
        }
    }
    return (ssize_t)n;
}

static int board_rate(struct mpj_target *t, uint32_t bits_per_s, struct mpj_err *err)
{
    (void)t;
    (void)err;
    board.port_rate = bits_per_s;
    return MPJ_E_OK;
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

static int board_restart(struct mpj_target *t, struct mpj_err *err)
{
    (void)t;
    return mpj_err_set(err, MPJ_E_NO_ANSWER, "no command");
}

static const struct mpj_target_ops ops = {
    .open = board_open,
    .reopen = board_reopen,
    .close = board_close,
    .truth = board_truth,
    .read = board_read,
    .write = board_write,
    .rate = board_rate,
    .restart = board_restart,
};

static int fresh(void **state)
{
    (void)state;
    memset(&board, 0, sizeof(board));
    mpj_frame_decoder_init(&board.ear);
    board.target.ops = &ops;
    board.target.name = "tile0";
    board.target.reliable = true;
    board.port_rate = board.rate = MPJ_RATE_BASE;
    board.target.rate = faster;
    mpj_rate_target_init(&board.agrees);
    clock_s = 1000.0;
    look_s = faster != 0 ? 0.01 : 0.1; /* a rate is agreed on in moments */
    return 0;
}

/* ---- a session -------------------------------------------------------------------- */

static double give_up_s;
static bool patient;
static unsigned timeout_s;

static bool cancelled(void *ctx)
{
    (void)ctx;
    return clock_s - 1000.0 > give_up_s ||
           (!board.quiet && (board.asking ? board.relieved : board.configured));
}

/* Until the board has its configuration, or for so long. */
static int session(double most_s, struct mpj_err *err)
{
    static const char *const argv[] = {"app", NULL};
    const struct mpj_image image = {.build_id = "right", .build_id_len = 5};
    struct mpj_session_opts opt = {.target = &board.target,
                                   .image = &image,
                                   .argv = argv,
                                   .patient = patient,
                                   .timeout_s = timeout_s,
                                   .cancelled = cancelled};
    struct mpj_session_result out;
    int result;

    give_up_s = most_s;
    assert_int_equal(mpj_log_create(&opt.log, "/dev/null", err), MPJ_E_OK);
    result = mpj_session_run(&opt, &out, err);
    mpj_log_abandon(opt.log);
    return result;
}

/* While the start command ran, what was on the board before said its HELLO. */
static void kept_by_the_port(void **state)
{
    struct mpj_err err;

    (void)state;
    say_hello(PROGRAM, "wrong");
    say_hello(LOADER, "");
    say_hello(PROGRAM, "wrong");
    say_hello(PROGRAM, "right");
    assert_int_equal(session(20, &err), MPJ_E_CANCELLED);
    assert_true(board.configured);
}

static void another(uint32_t features, const char *build_id, const char *words)
{
    struct mpj_err err;

    fresh(NULL);
    board.features = features;
    board.repeats = build_id;
    assert_int_equal(session(20, &err), MPJ_E_IDENTITY);
    assert_non_null(strstr(err.text, words));
    assert_false(board.configured);
    assert_true(clock_s - 1000.0 < 5);
}

/* What still says it a second later is what the board runs. */
static void another_program(void **state)
{
    (void)state;
    another(PROGRAM, "wrong", "another program");
    another(LOADER, "", "boot: loader");
}

/* Without a HELLO: the usual timeout, or none. */
static void never_answers(void **state)
{
    struct mpj_err err;

    (void)state;
    assert_int_equal(session(2000, &err), MPJ_E_NO_ANSWER);
    assert_non_null(strstr(err.text, "no HELLO from the target in 15 s"));
    fresh(NULL);
    patient = true;
    assert_int_equal(session(2000, &err), MPJ_E_CANCELLED);
    assert_true(clock_s - 1000.0 >= 2000);
    patient = false;
}

/* A cable without the wire to the board. */
static void one_way(void **state)
{
    struct mpj_err err;

    (void)state;
    board.deaf = true;
    board.features = PROGRAM;
    board.repeats = "right";
    assert_int_equal(session(200, &err), MPJ_E_NO_ANSWER);
    assert_non_null(strstr(err.text, "acknowledged none"));
    assert_true(clock_s - 1000.0 < 60);
}

/* A frame is missing, and so is the question what is: the host says it again, though others come.
 */
static void question_lost(void **state)
{
    struct mpj_err err;

    (void)state;
    board.asking = true;
    look_s = 0.01; /* frames come faster than silence is noticed */
    say_hello(PROGRAM, "right");
    assert_int_equal(session(20, &err), MPJ_E_CANCELLED);
    assert_true(board.relieved);
}

/* ---- a board that says nothing ----------------------------------------------------- */

/* A program that has nothing to say is there, for hours. */
static void quiet_for_long(void **state)
{
    struct mpj_err err;

    (void)state;
    fresh(NULL);
    board.quiet = true;
    say_hello(PROGRAM | (faster != 0 ? 1U << MPJ_FEATURE_RATE : 0), "right");
    assert_int_equal(session(7200, &err), MPJ_E_CANCELLED);
    assert_true(clock_s - 1000.0 >= 7200);
    assert_true(board.beats > 7200);
}

/* Until the board does something else than to beat; returns the seconds after its last beat. */
static double until(unsigned most, int then, const char *build_id, uint32_t features, int want,
                    const char *words)
{
    struct mpj_err err;

    fresh(NULL);
    board.quiet = true;
    board.most = most;
    board.then = then;
    board.again = build_id;
    board.as = features;
    say_hello(PROGRAM | (faster != 0 ? 1U << MPJ_FEATURE_RATE : 0), "right");
    patient = true; /* --timeout 0 */
    if (session(7200, &err) != want)
        fail_msg("%s", err.text);
    patient = false;
    if (strstr(err.text, words) == NULL)
        fail_msg("%s", err.text);
    return clock_s - board.heard_at;
}

/* Power, cable, or a server's other end: nothing comes any more, and the port is still there. */
static void dies(void **state)
{
    (void)state;
    assert_true(until(0, DIES, NULL, 0, MPJ_E_LINK, "the board is gone") < 30);
    assert_true(until(5, DIES, NULL, 0, MPJ_E_LINK, "the board is gone") < 30);
}

/* Shortly before --timeout is over, which is none of the program's doing. */
static void dies_late(void **state)
{
    (void)state;
    timeout_s = 20;
    assert_true(until(20, DIES, NULL, 0, MPJ_E_LINK, "nothing came from it for 1") < 20);
    (void)until(20, UNPLUGGED, NULL, 0, MPJ_E_LINK, "within 20 s (--timeout)");
    timeout_s = 8;
    (void)until(2, UNPLUGGED, NULL, 0, MPJ_E_LINK, "within 8 s (--timeout)");
    timeout_s = 60;
    (void)until(140, DIES, NULL, 0, MPJ_E_LINK, "the board is gone");
    /* a second or two are too few: they may be the line's */
    timeout_s = 8;
    (void)until(18, DIES, NULL, 0, MPJ_E_TIMEOUT, "did not end within 8 s (--timeout)");
    (void)until(0, GOES_ON, NULL, 0, MPJ_E_TIMEOUT, "did not end within 8 s (--timeout)");
    /* nor is it lost if it has been as slow all the time */
    every_s = 5;
    timeout_s = 20;
    (void)until(3, DIES, NULL, 0, MPJ_E_TIMEOUT, "did not end within 20 s (--timeout)");
    every_s = 0.25;
    timeout_s = 0;
}

/* A program of older firmware may be silent as long as it likes, one that reads as long as the
 * user. */
static void older(void **state)
{
    struct mpj_err err;

    (void)state;
    board.quiet = true;
    board.then = DIES;
    say_hello(1U << MPJ_FEATURE_ACK, "right");
    assert_int_equal(session(7200, &err), MPJ_E_CANCELLED);
}

static void restarts(void **state)
{
    const uint32_t cold = LOADER | 1U << MPJ_FEATURE_COLD;

    (void)state;
    assert_true(until(3, RESTARTS, "right", PROGRAM, MPJ_E_LINK, "restarted in the middle") < 5);
    assert_true(until(3, RESTARTS, "", LOADER, MPJ_E_PROGRAM, "hung with its interrupts off") < 5);
    assert_true(until(3, RESTARTS, "", cold, MPJ_E_LINK, "back in its loader") < 5);
    /* at a bit rate that was agreed on, which the board forgets */
    faster = 921600;
    assert_true(until(3, RESTARTS, "right", PROGRAM, MPJ_E_LINK, "restarted in the middle") < 16);
    assert_true(until(3, RESTARTS, "", cold, MPJ_E_LINK, "back in its loader") < 16);
    assert_true(until(3, RESTARTS, "", LOADER, MPJ_E_PROGRAM, "hung with its interrupts off") < 16);
    faster = 0;
}

static void quiet_at_its_rate(void **state)
{
    (void)state;
    faster = 921600;
    quiet_for_long(NULL);
    assert_int_equal(board.port_rate, faster);
    assert_true(until(5, DIES, NULL, 0, MPJ_E_LINK, "the board is gone") < 30);
    faster = 0;
}

/* ---- the loader ------------------------------------------------------------------- */

static void call(uint32_t boards_rate, int want)
{
    const struct mpj_loader_timeouts timeouts = {.alive_ms = 3000};
    struct mpj_loader *l = NULL;
    struct mpj_hello hello;
    struct mpj_err err;

    fresh(NULL);
    board.target.rate = 921600;
    board.rate = boards_rate;
    assert_int_equal(mpj_loader_open(&l, &board.target, &timeouts, &hello, &err), want);
    assert_int_equal(board.called, want == MPJ_E_OK);
    assert_int_equal(board.port_rate, MPJ_RATE_BASE);
    mpj_loader_close(l);
}

/* What stopped the host for a while has stopped the board, too: it still has some time to answer.
 */
static void paused(void **state)
{
    const struct mpj_loader_timeouts timeouts = {.alive_ms = 1500};
    struct mpj_loader *l = NULL;
    struct mpj_hello hello;
    struct mpj_err err;

    (void)state;
    board.asleep = PAUSE;
    assert_int_equal(mpj_loader_open(&l, &board.target, &timeouts, &hello, &err), MPJ_E_OK);
    assert_true(clock_s - 1000.0 > 10);
    mpj_loader_close(l);
}

/* A session died after the bit rate was agreed on: the board is still at it. */
static void left_at_its_rate(void **state)
{
    (void)state;
    call(MPJ_RATE_BASE, MPJ_E_OK);
    call(921600, MPJ_E_OK);
    call(230400, MPJ_E_NO_ANSWER); /* a rate the list does not offer */
}

/* Calls the loader, and asks it to forget its program. Returns the seconds after the request. */
static double ask(int asked, int want, const char *words)
{
    const struct mpj_loader_timeouts timeouts = {.alive_ms = 3000};
    struct mpj_loader *l = NULL;
    struct mpj_hello hello;
    struct mpj_err err = {.text = ""};
    double took;

    fresh(NULL);
    board.asked = asked;
    assert_int_equal(mpj_loader_open(&l, &board.target, &timeouts, &hello, &err), MPJ_E_OK);
    assert_int_equal(mpj_loader_forget(l, &err), want);
    took = clock_s - board.heard_at;
    if (strstr(err.text, words) == NULL)
        fail_msg("%s", err.text);
    mpj_loader_close(l);
    return took;
}

/* Its power fails for a moment while it works: it is back, and will not answer. */
static void loader_restarts(void **state)
{
    (void)state;
    (void)ask(ANSWERS, MPJ_E_OK, "");
    assert_true(ask(RESETS, MPJ_E_LINK, "tile0 restarted") < 5);
    assert_true(ask(RESETS_TO_PROGRAM, MPJ_E_LINK, "tile0 restarted") < 5);
}

/* At a bit rate that was agreed on, which it forgets. */
static void loader_restarts_at_its_rate(void **state)
{
    (void)state;
    faster = 921600;
    (void)ask(ANSWERS, MPJ_E_OK, "");
    assert_true(ask(RESETS, MPJ_E_LINK, "tile0 restarted") < 16);
    faster = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(kept_by_the_port, fresh),
        cmocka_unit_test(another_program),
        cmocka_unit_test_setup(never_answers, fresh),
        cmocka_unit_test_setup(one_way, fresh),
        cmocka_unit_test_setup(question_lost, fresh),
        cmocka_unit_test(quiet_for_long),
        cmocka_unit_test(quiet_at_its_rate),
        cmocka_unit_test(dies),
        cmocka_unit_test(dies_late),
        cmocka_unit_test_setup(older, fresh),
        cmocka_unit_test(restarts),
        cmocka_unit_test_setup(paused, fresh),
        cmocka_unit_test(left_at_its_rate),
        cmocka_unit_test(loader_restarts),
        cmocka_unit_test(loader_restarts_at_its_rate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
