/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "net_port.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <libtelnet.h>

#include "base/clock.h"
#include "net_address.h"

#define PATIENCE_S  5.0
#define REFUSAL_MS  150 /* a server that has no port for us closes at once */
#define CHUNK       4096
#define BITS_A_BYTE 10.0 /* 8N1 */

/* RFC 2217, section 3: the option, and its requests. The server's answers are 100 more. */
enum { COM_PORT = 44, SET_BAUDRATE = 1, SET_DATASIZE, SET_PARITY, SET_STOPSIZE, SET_CONTROL };
#define ANSWER       100
#define PARITY_NONE  1
#define STOP_ONE     1
#define CONTROL_NONE 1
enum { CONTROL_BREAK_ON = 5, CONTROL_DTR_ON = 8, CONTROL_RTS_ON = 11 }; /* off: the next one */

struct net_port {
    char *url;
    int fd;
    telnet_t *telnet; /* NULL: the bytes as they are */
    uint32_t rate;
    double busy_until; /* estimated time at which the port has sent all its data */
    bool agreed, refused;
    uint32_t answered; /* rate */
    char *into;        /* where data goes while telnet_recv() runs; NULL: nowhere */
    size_t in, room;   /* in it: used, and all */
    bool lost;
    const char *breach; /* what the server did, for which the connection was given up; or NULL */
};

bool net_port_fixed(const char *path)
{
    return strncmp(path, NET_TCP, strlen(NET_TCP)) == 0;
}

bool net_port_is(const char *path)
{
    const size_t n = strcspn(path, ":/");

    return n > 0 && strncmp(path + n, "://", 3) == 0;
}

int net_port_check(const char *path, struct mpj_err *err)
{
    struct net_address at;

    return net_port_is(path) ? net_address_of_url(&at, path, err) : MPJ_E_OK;
}

const char *net_port_url(const struct net_port *p)
{
    return p->url;
}

int net_port_fd(const struct net_port *p)
{
    return p->fd;
}

static bool ready(const struct net_port *p, short events, int ms)
{
    struct pollfd at = {.fd = p->fd, .events = events};

    return poll(&at, 1, ms) > 0;
}

/* Sends all of it: telnet cannot continue a partial write. */
static void send_all(struct net_port *p, const char *data, size_t n)
{
    const double begin = mpj_clock_s();

    while (n > 0 && !p->lost) {
        const ssize_t put = send(p->fd, data, n, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (put > 0) {
            data += put;
            n -= (size_t)put;
        } else if (put < 0 && (errno == EAGAIN || errno == EINTR) &&
                   mpj_clock_s() - begin < PATIENCE_S) {
            ready(p, POLLOUT, 100);
        } else {
            p->lost = true;
        }
    }
}

static void subnegotiated(struct net_port *p, const unsigned char *data, size_t n)
{
    if (n == 5 && data[0] == ANSWER + SET_BAUDRATE)
        p->answered = (uint32_t)data[1] << 24 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 8 |
                      (uint32_t)data[4];
}

static void give_up(struct net_port *p, const char *breach)
{
    p->lost = true;
    if (p->breach == NULL)
        p->breach = breach;
}

/* Takes data of the target. What came decompressed is as long as the server likes. */
static void take_data(struct net_port *p, const char *data, size_t n)
{
    if (p->into == NULL || p->lost)
        return;
    if (n > p->room - p->in) {
        give_up(p, "sends more data than arrived");
        return;
    }
    memcpy(p->into + p->in, data, n);
    p->in += n;
}

static void on_event(telnet_t *telnet, telnet_event_t *event, void *ctx)
{
    struct net_port *const p = ctx;

    (void)telnet;
    switch (event->type) {
    case TELNET_EV_DATA:
        take_data(p, event->data.buffer, event->data.size);
        break;
    case TELNET_EV_COMPRESS: /* libtelnet decompresses whether or not it was agreed, and goes on */
        give_up(p, "compresses what it sends, which was not agreed");
        break;
    case TELNET_EV_SEND:
        send_all(p, event->data.buffer, event->data.size);
        break;
    case TELNET_EV_DO:
        p->agreed |= event->neg.telopt == COM_PORT;
        break;
    case TELNET_EV_DONT:
        p->refused |= event->neg.telopt == COM_PORT;
        break;
    case TELNET_EV_SUBNEGOTIATION:
        if (event->sub.telopt == COM_PORT)
            subnegotiated(p, (const unsigned char *)event->sub.buffer, event->sub.size);
        break;
    case TELNET_EV_ERROR:
        p->lost = true;
        break;
    default:
        break;
    }
}

static int lost(const struct net_port *p, struct mpj_err *err)
{
    if (p->breach != NULL)
        return mpj_err_set(err, MPJ_E_LINK, "ended the connection to %s: the server %s", p->url,
                           p->breach);
    return mpj_err_set(err, MPJ_E_LINK, "lost the connection to %s", p->url);
}

ssize_t net_port_read(struct net_port *p, void *buf, size_t n, struct mpj_err *err)
{
    char raw[CHUNK];
    const ssize_t got =
        recv(p->fd, p->telnet != NULL ? raw : buf, n < sizeof(raw) ? n : sizeof(raw), MSG_DONTWAIT);

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (got <= 0 || p->lost)
        return lost(p, err);
    if (p->telnet == NULL)
        return got;
    p->into = buf;
    p->room = n;
    p->in = 0;
    telnet_recv(p->telnet, raw, (size_t)got);
    p->into = NULL;
    return p->lost ? lost(p, err) : (ssize_t)p->in;
}

/* Records a write. The port sends slower than the network takes it: computes when it will be
 * done. */
static void given(struct net_port *p, size_t n)
{
    const double now = mpj_clock_s();

    if (p->busy_until < now)
        p->busy_until = now;
    p->busy_until += (double)n * BITS_A_BYTE / p->rate;
}

ssize_t net_port_write(struct net_port *p, const void *buf, size_t n, struct mpj_err *err)
{
    ssize_t put;

    if (p->telnet != NULL) {
        put = (ssize_t)(n < CHUNK ? n : CHUNK);
        telnet_send(p->telnet, buf, (size_t)put);
    } else {
        put = send(p->fd, buf, n, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (put < 0 && (errno == EAGAIN || errno == EINTR))
            put = 0;
        p->lost |= put < 0;
    }
    if (p->lost)
        return lost(p, err);
    given(p, (size_t)put);
    return put;
}

/* ---- RFC 2217 ---------------------------------------------------------------------- */

static void ask_byte(struct net_port *p, char what, char value)
{
    const char sub[] = {what, value};

    telnet_subnegotiation(p->telnet, COM_PORT, sub, sizeof(sub));
}

static void ask_rate(struct net_port *p, uint32_t rate)
{
    const char sub[] = {SET_BAUDRATE, (char)(rate >> 24), (char)(rate >> 16), (char)(rate >> 8),
                        (char)rate};

    p->answered = 0;
    telnet_subnegotiation(p->telnet, COM_PORT, sub, sizeof(sub));
}

/* Waits until `done` returns true or PATIENCE_S are over; said: the server's text instead, one
 * line. Bytes of the target are lost until then, as those before. */
static bool answered(struct net_port *p, bool (*done)(const struct net_port *p), char *said,
                     size_t size)
{
    const double begin = mpj_clock_s();
    char text[CHUNK];
    struct mpj_err err;
    ssize_t n;

    while (!done(p) && !p->refused && mpj_clock_s() - begin < PATIENCE_S) {
        if (!ready(p, POLLIN, 100))
            continue;
        n = net_port_read(p, text, sizeof(text) - 1, &err);
        if (n < 0)
            return false;
        text[n] = '\0';
        if (n > 0)
            snprintf(said, size, "%.*s", (int)strcspn(text, "\r\n"), text);
    }
    return done(p);
}

static bool has_agreed(const struct net_port *p)
{
    return p->agreed;
}

static bool has_rate(const struct net_port *p)
{
    return p->answered != 0;
}

/* Reports a failed set-up. A server whose port is taken may agree first, and then close with a line
 * of text. */
static int not_set_up(struct net_port *p, char *said, struct mpj_err *err, const char *otherwise)
{
    if (p->breach != NULL)
        return lost(p, err);
    if (!p->lost && recv(p->fd, &(char){0}, 1, MSG_DONTWAIT | MSG_PEEK) != 0)
        return mpj_err_set(err, MPJ_E_NO_PORT, "%s: the server %s", p->url, otherwise);
    mpj_text_clean(said);
    return mpj_err_set(err, MPJ_E_BUSY, "%s: the server closed the connection%s%s", p->url,
                       said[0] != '\0' ? ": " : "", said);
}

static int set_up(struct net_port *p, struct mpj_err *err)
{
    static const telnet_telopt_t options[] = {{TELNET_TELOPT_BINARY, TELNET_WILL, TELNET_DO},
                                              {TELNET_TELOPT_SGA, TELNET_WILL, TELNET_DO},
                                              {COM_PORT, TELNET_WILL, TELNET_DONT},
                                              {-1, 0, 0}};
    char said[128] = "";
    char rate[40];

    p->telnet = telnet_init(options, on_event, 0, p);
    if (p->telnet == NULL)
        return mpj_err_nomem(err);
    telnet_negotiate(p->telnet, TELNET_WILL, COM_PORT);
    telnet_negotiate(p->telnet, TELNET_WILL, TELNET_TELOPT_BINARY);
    telnet_negotiate(p->telnet, TELNET_DO, TELNET_TELOPT_BINARY);
    if (!answered(p, has_agreed, said, sizeof(said)))
        return not_set_up(p, said, err,
                          "does not support RFC 2217; for a plain byte stream, write " NET_TCP);
    ask_byte(p, SET_DATASIZE, 8);
    ask_byte(p, SET_PARITY, PARITY_NONE);
    ask_byte(p, SET_STOPSIZE, STOP_ONE);
    ask_byte(p, SET_CONTROL, CONTROL_NONE);
    ask_rate(p, p->rate);
    if (!answered(p, has_rate, said, sizeof(said)) || p->answered != p->rate) {
        snprintf(rate, sizeof(rate), "does not set %u bit/s", p->rate);
        return not_set_up(p, said, err, rate);
    }
    return MPJ_E_OK;
}

int net_port_set_line(struct net_port *p, enum mpj_port_line line, bool on, struct mpj_err *err)
{
    static const char control[] = {[MPJ_PORT_DTR] = CONTROL_DTR_ON,
                                   [MPJ_PORT_RTS] = CONTROL_RTS_ON,
                                   [MPJ_PORT_BREAK] = CONTROL_BREAK_ON};

    if (p->telnet == NULL)
        return mpj_err_set(err, MPJ_E_USAGE, "%s cannot set a reset_line: use " NET_RFC2217,
                           p->url);
    ask_byte(p, SET_CONTROL, (char)(control[line] + (on ? 0 : 1)));
    return p->lost ? lost(p, err) : MPJ_E_OK;
}

/* Detects a refusal without any protocol: a server whose port is taken closes at once, most with a
 * line of text. */
static int refused(struct net_port *p, struct mpj_err *err)
{
    char text[128];
    ssize_t n;

    if (!ready(p, POLLRDHUP, REFUSAL_MS))
        return MPJ_E_OK;
    n = recv(p->fd, text, sizeof(text) - 1, MSG_DONTWAIT);
    text[n > 0 ? n : 0] = '\0';
    text[strcspn(text, "\r\n")] = '\0';
    mpj_text_clean(text);
    return mpj_err_set(err, MPJ_E_BUSY, "%s: the server closed the connection%s%s", p->url,
                       text[0] != '\0' ? ": " : "", text);
}

int net_port_rate(struct net_port *p, uint32_t bits_per_s, struct mpj_err *err)
{
    const double left = p->busy_until - mpj_clock_s();
    char said[128] = "";

    if (bits_per_s == p->rate)
        return MPJ_E_OK;
    if (p->telnet == NULL)
        return mpj_err_set(err, MPJ_E_LINK,
                           "%s cannot change the bit rate: write bit_rate: %u for the board, or "
                           "use " NET_RFC2217,
                           p->url, p->rate);
    if (left > 0)
        nanosleep(&(struct timespec){(time_t)left, (long)((left - (double)(time_t)left) * 1e9)},
                  NULL);
    ask_rate(p, bits_per_s);
    if (!answered(p, has_rate, said, sizeof(said)) || p->answered != bits_per_s)
        return p->breach != NULL
                   ? lost(p, err)
                   : mpj_err_set(err, MPJ_E_LINK, "cannot change the bit rate of %s", p->url);
    p->rate = bits_per_s;
    return MPJ_E_OK;
}

/* ---- connecting -------------------------------------------------------------------- */

static int connect_to(const struct addrinfo *a)
{
    const int on = 1;
    const int fd =
        socket(a->ai_family, a->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, a->ai_protocol);
    struct pollfd at = {.fd = fd, .events = POLLOUT};
    int error = 0;
    socklen_t size = sizeof(error);

    if (fd < 0)
        return -1;
    if (connect(fd, a->ai_addr, a->ai_addrlen) != 0)
        error = errno;
    if (error == EINPROGRESS && poll(&at, 1, (int)(PATIENCE_S * 1e3)) <= 0)
        error = ETIMEDOUT;
    if (error == EINPROGRESS && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
        error = errno;
    if (error != 0) {
        close(fd);
        errno = error;
        return -1;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on,
               sizeof(on)); /* short frames, and answers to them */
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    return fd;
}

static int reach(struct net_port *p, struct mpj_err *err)
{
    const struct addrinfo want = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *all = NULL;
    struct net_address at;
    int found;

    if (net_address_of_url(&at, p->url, err) != MPJ_E_OK)
        return err->code;
    found = getaddrinfo(at.host, at.port, &want, &all);
    if (found != 0)
        return mpj_err_set(err, MPJ_E_NO_PORT, "%s: %s", p->url, gai_strerror(found));
    for (const struct addrinfo *a = all; a != NULL && p->fd < 0; a = a->ai_next)
        p->fd = connect_to(a);
    freeaddrinfo(all);
    if (p->fd < 0)
        return mpj_err_set(err, MPJ_E_NO_PORT, "cannot connect to %s: %s", p->url, strerror(errno));
    return MPJ_E_OK;
}

int net_port_open(struct net_port **out, const char *url, uint32_t bits_per_s, struct mpj_err *err)
{
    struct net_port *const p = calloc(1, sizeof(*p));

    *out = NULL;
    if (p == NULL)
        return mpj_err_nomem(err);
    p->fd = -1;
    p->rate = bits_per_s;
    p->url = strdup(url);
    if (p->url == NULL) {
        mpj_err_nomem(err);
        goto error;
    }
    if (reach(p, err) != MPJ_E_OK)
        goto error;
    if ((strncmp(url, NET_RFC2217, strlen(NET_RFC2217)) == 0 ? set_up(p, err) : refused(p, err)) !=
        MPJ_E_OK)
        goto error;
    *out = p;
    return MPJ_E_OK;

error:
    net_port_close(p);
    return err->code;
}

void net_port_close(struct net_port *p)
{
    if (p == NULL)
        return;
    if (p->telnet != NULL)
        telnet_free(p->telnet);
    if (p->fd >= 0)
        close(p->fd);
    free(p->url);
    free(p);
}
