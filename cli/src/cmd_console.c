/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule console: the serial line of a board on the terminal, with the board's locks held. */
#include <argp.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "cli.h"
#include "cli_options.h"
#include "commands.h"
#include "mpj_rate.h"
#include "run/boards.h"

#define LEAVE     0x1d /* Ctrl-] */
#define TICK_MS   20
#define QUIET_S   1.0 /* of the line, after the end of an input that is not a terminal */
#define RATE_MOST 4000000U

enum { RATE = 0x200, RESET, FOR };

struct console_options {
    const char *board, *boards;
    uint32_t rate;
    unsigned wait_s;
    double for_s; /* 0: until the user leaves */
    bool reset;
};

/* State of a console. */
struct console {
    struct mpj_target *target;
    int fd;
    bool typed;  /* the input is a terminal, in raw mode: */
    bool over;   /* the input has ended, or the user leaves */
    double seen; /* when a byte last came, or the input ended */
    uint8_t in[256];
    size_t at, len; /* of the input, to be sent */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct console_options *const o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        o->rate = MPJ_RATE_BASE;
        return 0;
    case 'b':
        o->boards = arg;
        return 0;
    case 'w':
        o->wait_s = (unsigned)cli_whole(state, "--wait", arg, 0, CLI_WAIT_MAX);
        return 0;
    case RATE:
        o->rate = (uint32_t)cli_whole(state, "--rate", arg, 1200, RATE_MOST);
        return 0;
    case RESET:
        o->reset = true;
        return 0;
    case FOR:
        o->for_s = cli_number(state, "--for", arg, 0.001, 1e7);
        return 0;
    case ARGP_KEY_ARG:
        if (o->board != NULL)
            argp_error(state, "unexpected argument \"%s\"", arg);
        o->board = arg;
        return 0;
    case ARGP_KEY_END:
        if (o->board == NULL)
            argp_error(state, "name a board or the path of its port");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- bytes ------------------------------------------------------------------------- */

/* Shows what the line has; the bytes are the terminal's, as with any terminal program. */
static int show(struct console *c, struct mpj_err *err)
{
    uint8_t out[4096];
    const ssize_t n = c->target->ops->read(c->target, out, sizeof(out), err);
    int failed;

    if (n <= 0)
        return n < 0 ? err->code : MPJ_E_OK;
    c->seen = mpj_clock_s();
    failed = mpj_stop_write(STDOUT_FILENO, out, (size_t)n);
    if (failed == 0 || failed == EINTR)
        return MPJ_E_OK;
    if (failed == EPIPE) {
        c->over = c->typed = true; /* its reader has gone */
        return MPJ_E_OK;
    }
    errno = failed;
    return mpj_err_errno(err, "cannot write the output");
}

/* Takes more input, once all there was has been sent. */
static void listen_to_user(struct console *c)
{
    const ssize_t n = read(STDIN_FILENO, c->in, sizeof(c->in));
    const uint8_t *leave;

    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    c->at = 0;
    c->len = n > 0 ? (size_t)n : 0;
    leave = c->typed ? memchr(c->in, LEAVE, c->len) : NULL;
    if (leave != NULL)
        c->len = (size_t)(leave - c->in);
    c->over = n <= 0 || leave != NULL;
    c->seen = mpj_clock_s();
}

static int send_on(struct console *c, struct mpj_err *err)
{
    const ssize_t n = c->target->ops->write(c->target, c->in + c->at, c->len - c->at, err);

    if (n < 0)
        return err->code;
    c->at += (size_t)n;
    return MPJ_E_OK;
}

/* True while there is something to wait for. */
static bool goes_on(const struct console *c, double begun, double for_s)
{
    const double now = mpj_clock_s();

    if (mpj_stop_count() > 0 || (for_s > 0 && now - begun >= for_s))
        return false;
    if (!c->over || c->at < c->len)
        return true;
    return !c->typed && (for_s > 0 || now - c->seen < QUIET_S);
}

static int converse(struct console *c, double for_s, struct mpj_err *err)
{
    const double begun = mpj_clock_s();

    c->seen = begun;
    while (goes_on(c, begun, for_s)) {
        const bool more = c->at < c->len;
        struct pollfd p[2] = {{c->fd, (short)(POLLIN | (more ? POLLOUT : 0)), 0},
                              {c->over || more ? -1 : STDIN_FILENO, POLLIN, 0}};

        if (poll(p, 2, TICK_MS) <= 0)
            continue;
        if ((p[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0 && show(c, err) != MPJ_E_OK)
            return err->code;
        if ((p[0].revents & POLLHUP) != 0 && (p[0].revents & POLLIN) == 0)
            return c->target->ops->lost(c->target, err);
        if ((p[0].revents & POLLOUT) != 0 && send_on(c, err) != MPJ_E_OK)
            return err->code;
        if (p[1].revents != 0)
            listen_to_user(c);
    }
    return MPJ_E_OK;
}

/* ---- the terminal ------------------------------------------------------------------ */

/* Makes the terminal pass every key. False: the input is none. */
static bool make_raw(struct termios *before)
{
    struct termios t;

    if (tcgetattr(STDIN_FILENO, before) != 0)
        return false;
    t = *before;
    cfmakeraw(&t);
    t.c_oflag = before->c_oflag;
    return tcsetattr(STDIN_FILENO, TCSANOW, &t) == 0;
}

static int with_port(const struct console_options *o, struct console *c, struct mpj_err *err)
{
    struct termios before;
    struct mpj_err ignored;
    int result;

    c->fd = c->target->ops->open(c->target, err);
    if (c->fd < 0)
        return c->fd;
    result = o->rate == MPJ_RATE_BASE ? MPJ_E_OK : c->target->ops->rate(c->target, o->rate, err);
    c->typed = make_raw(&before);
    if (result == MPJ_E_OK && c->typed)
        cli_note("Ctrl-] leaves the console");
    if (result == MPJ_E_OK)
        result = converse(c, o->for_s, err);
    if (isatty(STDIN_FILENO))
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &before);
    (void)c->target->ops->close(c->target, false, &ignored);
    return result;
}

int cmd_console(int argc, char **argv)
{
    static char name[] = "mpjoule console";
    static const struct argp_option known[] = {
        {"boards", 'b', "FILE", 0, "List of boards (see `mpjoule help boards`)", 0},
        {"wait", 'w', "S", 0, "Wait up to S seconds for a busy board (default 0)", 0},
        {"rate", RATE, "BITS", 0, "Bits per second (default 115200)", 0},
        {"reset", RESET, NULL, 0, "Restart the board first, by power_cycle or reset_line", 0},
        {"for", FOR, "S", 0, "End after S seconds", 0},
        {0},
    };
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .args_doc = "BOARD",
        .doc = "Open a terminal on the serial line of a board. See `mpjoule help console`."};
    struct console_options o = {0};
    struct console c = {.fd = -1};
    struct mpj_boards *list = NULL;
    struct mpj_board port;
    const struct mpj_board *board = NULL;
    struct mpj_lock *lock = NULL;
    struct mpj_err err;
    int result;

    cli_arguments(&argp, argc, argv, name, &o);
    result = run_board_find(&list, &port, &board, o.board, o.boards, &err);
    if (result == MPJ_E_OK)
        result = run_board_take(&lock, board, "mpjoule console", o.wait_s, &err);
    mpj_stop_catch();
    mpj_pipe_ignore();
    if (result == MPJ_E_OK)
        result = run_board_line(&c.target, board, o.reset, &err);
    if (result == MPJ_E_OK)
        result = with_port(&o, &c, &err);
    mpj_target_free(c.target);
    mpj_lock_release(lock);
    mpj_boards_free(list);
    return result == MPJ_E_OK ? 0 : cli_fail_board(&err);
}
