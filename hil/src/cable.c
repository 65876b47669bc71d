/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hil/cable.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "net_address.h"

#define CHUNK    4096U
#define LIMIT    65536U     /* bytes on the way before the sender has to wait */
#define NO_LIMIT 400000000U /* bits per second */
#define IDLE_MS  20
#define TAKEN    "another host uses this board\r\n"
#define PTS      "/dev/pts/"

/* One direction: bytes on the line that the receiver has not taken yet. */
struct direction {
    struct lossy_line line;
    uint8_t out[2 * CHUNK + 2];
    size_t at, len;
};

struct mpj_cable {
    struct mpj_cable_options opt;
    char *link, *name;
    char terminal[64];         /* path of the pseudo-terminal */
    struct direction up, down; /* to the host, to the board */
    int host;                  /* the pseudo-terminal's master, or a connection; -1: none */
    int slave;                 /* the host's end, kept open if the cable waits; -1 */
    int listener;              /* where hosts connect; -1 */
    uint64_t to_host, to_board;
    bool unplugged;
    bool linked; /* the link is ours */
    uint32_t plug_at, stepped;
};

/* ---- the host's end --------------------------------------------------------- */

/* True for a link that may be replaced: one into /dev/pts. */
static bool replaceable(const char *link)
{
    char target[PATH_MAX];
    const ssize_t n = readlink(link, target, sizeof(target) - 1);

    if (n < 0)
        return errno == ENOENT;
    target[n] = '\0';
    return strncmp(target, PTS, strlen(PTS)) == 0;
}

static int make_link(struct mpj_cable *c, struct mpj_err *err)
{
    char *next = NULL;

    if (c->link == NULL)
        return MPJ_E_OK;
    if (!replaceable(c->link))
        return mpj_err_set(
            err, MPJ_E_BUSY,
            "%s exists and is not a link to a terminal: name another one, or remove it", c->link);
    if (asprintf(&next, "%s.new", c->link) < 0)
        return mpj_err_nomem(err);
    (void)unlink(next);
    if (symlink(c->terminal, next) != 0 || rename(next, c->link) != 0) {
        mpj_err_errno(err, "cannot create the link %s", c->link);
        (void)unlink(next);
        free(next);
        return err->code;
    }
    free(next);
    c->linked = true;
    return MPJ_E_OK;
}

/* Removes the link, unless another file has its name by now. */
static void remove_link(struct mpj_cable *c)
{
    char target[sizeof(c->terminal) + 1];
    const ssize_t n =
        c->linked && c->link != NULL ? readlink(c->link, target, sizeof(target) - 1) : -1;

    c->linked = false;
    if (n < 0)
        return;
    target[n] = '\0';
    if (strcmp(target, c->terminal) == 0)
        unlink(c->link);
}

/* Creates a new pseudo-terminal under the link's name. */
static int plug_terminal(struct mpj_cable *c, struct mpj_err *err)
{
    struct termios t;
    int slave;

    c->host = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (c->host < 0 || grantpt(c->host) != 0 || unlockpt(c->host) != 0 ||
        ptsname_r(c->host, c->terminal, sizeof(c->terminal)) != 0)
        return mpj_err_errno(err, "cannot create a pseudo-terminal");
    slave = open(c->terminal, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0 || tcgetattr(slave, &t) != 0) {
        mpj_err_errno(err, "cannot open %s", c->terminal);
        if (slave >= 0)
            close(slave);
        return err->code;
    }
    cfmakeraw(&t); /* no echo before the host has opened it */
    tcsetattr(slave, TCSANOW, &t);
    if (c->opt.waits)
        c->slave = slave;
    else
        close(slave); /* from now on the kernel reports whether a host has it open */
    return make_link(c, err);
}

static void unplug(struct mpj_cable *c)
{
    /* the name first: the terminal's number is given to others at once */
    remove_link(c);
    if (c->slave >= 0)
        close(c->slave);
    if (c->host >= 0)
        close(c->host);
    c->slave = c->host = -1;
}

static int listen_at(struct mpj_cable *c, const char *where, struct mpj_err *err)
{
    const struct addrinfo want = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct net_address to;
    struct sockaddr_storage at;
    socklen_t size = sizeof(at);
    struct addrinfo *a = NULL;
    char number[16];
    const int on = 1;
    bool six;
    int found;

    if (!net_address_split(&to, where, "127.0.0.1", 0))
        return mpj_err_set(err, MPJ_E_USAGE,
                           "\"%s\" is not [HOST:]PORT with a PORT from 0 to 65535", where);
    six = strchr(to.host, ':') != NULL;
    found = getaddrinfo(to.host, to.port, &want, &a);
    if (found != 0)
        return mpj_err_set(err, MPJ_E_USAGE, "%s: %s", where, gai_strerror(found));
    c->listener = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (c->listener < 0 ||
        setsockopt(c->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
        bind(c->listener, a->ai_addr, a->ai_addrlen) != 0 || listen(c->listener, 4) != 0 ||
        getsockname(c->listener, (struct sockaddr *)&at, &size) != 0 ||
        getnameinfo((struct sockaddr *)&at, size, NULL, 0, number, sizeof(number),
                    NI_NUMERICSERV) != 0) {
        const bool taken = errno == EADDRINUSE;

        mpj_err_errno(err, "cannot listen at %s", where);
        if (taken)
            err->code = MPJ_E_BUSY;
    } else if (asprintf(&c->name, NET_TCP "%s%s%s:%s", six ? "[" : "", to.host, six ? "]" : "",
                        number) < 0) {
        c->name = NULL;
        mpj_err_nomem(err);
    }
    freeaddrinfo(a);
    return c->name != NULL ? MPJ_E_OK : err->code;
}

/* True if the host has closed its connection; what it sent last may still be to be taken. */
static bool leaves(const struct mpj_cable *c)
{
    struct pollfd p = {.fd = c->host, .events = POLLRDHUP};

    return c->host >= 0 && poll(&p, 1, 0) > 0 && (p.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

/* Accepts a host, or refuses it while another one is there. One that comes while that one leaves
 * waits for a turn. */
static void answer_door(struct mpj_cable *c)
{
    const int on = 1;
    int fd;

    if (c->listener < 0 || leaves(c))
        return;
    fd = accept4(c->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0)
        return;
    if (c->host >= 0 || c->plug_at != 0) {
        (void)send(fd, TAKEN, strlen(TAKEN), MSG_NOSIGNAL);
        close(fd);
        return;
    }
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    c->host = fd;
}

/* True if a host is at the other end. */
static bool has_host(const struct mpj_cable *c)
{
    struct pollfd p = {.fd = c->host};

    if (c->host < 0)
        return false;
    return c->listener >= 0 || c->slave >= 0 || poll(&p, 1, 0) <= 0 || (p.revents & POLLHUP) == 0;
}

/* ---- bytes ------------------------------------------------------------------ */

static bool empty(const struct direction *w)
{
    return w->line.head == w->line.tail && w->at == w->len;
}

static void drop_bytes(struct direction *w)
{
    w->line.tail = w->line.head;
    w->at = w->len;
}

/* Reads the available bytes into the line; false: the sender has gone. */
static bool take(struct direction *w, int fd)
{
    uint8_t in[CHUNK];
    const uint32_t space = w->line.limit - (w->line.head - w->line.tail);
    ssize_t n;

    if (space == 0)
        return true;
    n = read(fd, in, space < sizeof(in) ? space : sizeof(in));
    if (n > 0)
        lossy_put(&w->line, in, (size_t)n);
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Delivers bytes, `most` at once; fd -1: none yet. Returns how many. */
static size_t deliver_bytes(struct direction *w, int fd, uint64_t most)
{
    ssize_t n;

    if (w->at == w->len) {
        w->at = 0;
        w->len = lossy_step(&w->line, w->out, sizeof(w->out));
    }
    if (w->at == w->len || fd < 0)
        return 0;
    if (most > w->len - w->at)
        most = w->len - w->at;
    n = write(fd, w->out + w->at, most);
    if (n <= 0)
        return 0;
    w->at += (size_t)n;
    return (size_t)n;
}

/* Extends the next step to this many milliseconds, so that a busy machine does not slow the line
 * down. */
static void stretch(const struct mpj_cable *c, struct direction *w, uint32_t ms)
{
    if (c->opt.rate != 0 && !empty(w) && ms > 1)
        w->line.credit += ((double)ms - 1) * (double)c->opt.rate / 10000.0;
}

/* Waits for bytes; a step of the line is a millisecond. */
static void wait_bytes(const struct mpj_cable *c, int board)
{
    const bool busy = !empty(&c->up) || !empty(&c->down);
    struct pollfd p[3] = {{board, POLLIN, 0}, {c->listener, POLLIN, 0}, {-1, POLLIN, 0}};

    if (has_host(c)) /* one that has hung up would wake us again and again */
        p[2].fd = c->host;
    (void)poll(p, busy ? 1 : 3, busy ? 1 : IDLE_MS);
}

static void to_host(struct mpj_cable *c)
{
    const bool limited = c->opt.unplug > 0 && !c->unplugged;

    if (!has_host(c) && !c->opt.waits && c->plug_at == 0) {
        drop_bytes(&c->up);
        return;
    }
    /* not beyond the byte after which the end goes: a line that had to wait for a processor would
     * deliver a whole run at once */
    c->to_host += deliver_bytes(&c->up, c->host, limited ? c->opt.unplug - c->to_host : UINT64_MAX);
    if (!limited || c->to_host < c->opt.unplug)
        return;
    c->unplugged = true;
    unplug(c);
    c->plug_at = mpj_clock_ms() + c->opt.unplug_ms;
    c->plug_at += c->plug_at == 0;
    c->up.at = c->up.len; /* what was on the way is gone */
}

/* Plugs the end in again when its time has come. */
static int plug_in(struct mpj_cable *c, struct mpj_err *err)
{
    if (c->plug_at == 0 || (int32_t)(mpj_clock_ms() - c->plug_at) < 0)
        return MPJ_E_OK;
    c->plug_at = 0;
    return c->listener >= 0 ? MPJ_E_OK : plug_terminal(c, err);
}

int mpj_cable_turn(struct mpj_cable *c, int board, struct mpj_err *err)
{
    uint32_t passed;
    bool gone;

    wait_bytes(c, board);
    passed = mpj_clock_ms() - c->stepped;
    c->stepped += passed;
    stretch(c, &c->up, passed);
    stretch(c, &c->down, passed);
    if (plug_in(c, err) != MPJ_E_OK)
        return err->code;
    answer_door(c);
    gone = board >= 0 && !take(&c->up, board);
    if (c->host >= 0 && !take(&c->down, c->host) && c->listener >= 0) {
        close(c->host); /* that connection; a terminal may be without a host */
        c->host = -1;
    }
    to_host(c);
    if (board >= 0 && !gone)
        c->to_board += deliver_bytes(&c->down, board, UINT64_MAX);
    else
        drop_bytes(&c->down);
    return gone;
}

void mpj_cable_lose(struct mpj_cable *c)
{
    drop_bytes(&c->up);
    drop_bytes(&c->down);
    if (c->host >= 0 && c->listener < 0)
        (void)ioctl(c->host, TCFLSH, TCIOFLUSH);
}

uint64_t mpj_cable_to_board(const struct mpj_cable *c)
{
    return c->to_board;
}

uint64_t mpj_cable_to_host(const struct mpj_cable *c)
{
    return c->to_host;
}

bool mpj_cable_read(const struct mpj_cable *c)
{
    int left = 0;

    return empty(&c->up) && c->host >= 0 &&
           (c->slave < 0 || (ioctl(c->slave, FIONREAD, &left) == 0 && left == 0));
}

const char *mpj_cable_name(const struct mpj_cable *c)
{
    return c->name != NULL ? c->name : c->terminal;
}

/* ---- making ----------------------------------------------------------------- */

static bool direction_init(struct direction *w, const struct mpj_cable_options *o, uint64_t seed)
{
    lossy_init(&w->line, seed, LIMIT, &o->faults);
    w->line.sender_rate = w->line.receiver_rate = o->rate != 0 ? o->rate : NO_LIMIT;
    return w->line.queue != NULL;
}

int mpj_cable_new(struct mpj_cable **out, const struct mpj_cable_options *opt, struct mpj_err *err)
{
    struct mpj_cable *const c = calloc(1, sizeof(*c));
    int result = MPJ_E_OK;

    *out = NULL;
    if (c == NULL)
        return mpj_err_nomem(err);
    c->opt = *opt;
    c->host = c->slave = c->listener = -1;
    c->stepped = mpj_clock_ms();
    if (!direction_init(&c->up, opt, opt->seed) ||
        !direction_init(&c->down, opt, opt->seed * 31 + 7) ||
        (opt->link != NULL &&
         ((c->link = strdup(opt->link)) == NULL || (c->name = strdup(opt->link)) == NULL)))
        result = mpj_err_nomem(err);
    for (uint32_t i = 0; result == MPJ_E_OK && i < opt->noise; i++) {
        const uint8_t b = (uint8_t)lossy_random(&c->up.line);
        lossy_put(&c->up.line, &b, 1);
    }
    if (result == MPJ_E_OK)
        result = opt->listen != NULL ? listen_at(c, opt->listen, err) : plug_terminal(c, err);
    if (result == MPJ_E_OK) {
        *out = c;
        return MPJ_E_OK;
    }
    mpj_cable_free(c);
    return result;
}

void mpj_cable_free(struct mpj_cable *c)
{
    if (c == NULL)
        return;
    unplug(c);
    if (c->listener >= 0)
        close(c->listener);
    lossy_free(&c->up.line);
    lossy_free(&c->down.line);
    free(c->link);
    free(c->name);
    free(c);
}
