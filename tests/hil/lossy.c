/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A serial cable that misbehaves on purpose: a pseudo-terminal on one side, the emulator's Unix
 * socket on the other, and between them damaged, lost and repeated bytes, stalls, another program's
 * noise, a limited rate, an unplugged port. All from a seed.
 *
 * usage: lossy --socket PATH --link PATH [faults]
 *   --socket PATH    listen here for the emulator (one connection after the other)
 *   --link PATH      symbolic link to the pseudo-terminal
 *   --seed N         of every fault (1)
 *   --bit-error P    per bit; --drop P, --twice P: per byte; --stall P: per millisecond
 *   --stall-ms MS    longest stall (200)
 *   --noise BYTES    of another program, before anything else
 *   --rate BITS      per second (no limit)
 *   --unplug BYTES   after so many bytes to the host the port vanishes for --unplug-ms (500)
 *   --hold BYTES     after so many bytes to one side it prints "holding", and nothing passes until
 *                    SIGUSR1
 *   --stay           wait for the next emulator when one has gone
 * Prints "ready" when both names exist; ends when the emulator has gone and everything it sent
 * was read, or on SIGTERM.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "../unit/lossy_line.h"

#define CHUNK    4096U
#define NO_LIMIT 400000000U /* bits per second */

static struct {
    const char *socket, *link;
    uint64_t seed;
    struct lossy_faults faults;
    unsigned long noise, rate, unplug, unplug_ms, hold;
    bool stay;
} opt = {.seed = 1, .faults = {.stall_ms = 200}, .rate = NO_LIMIT, .unplug_ms = 500};

static volatile sig_atomic_t ended, released;

static void on_signal(int sig)
{
    if (sig == SIGUSR1)
        released = 1;
    else
        ended = 1;
}

static void die(const char *what)
{
    fprintf(stderr, "lossy: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000U + (uint64_t)t.tv_nsec / 1000000U;
}

static int listen_on(const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    unlink(path);
    if (fd < 0 || strlen(path) >= sizeof(a.sun_path))
        die("socket");
    memcpy(a.sun_path, path, strlen(path) + 1);
    if (bind(fd, (struct sockaddr *)&a, sizeof(a)) != 0 || listen(fd, 4) != 0)
        die(path);
    return fd;
}

/* A new pseudo-terminal under the link's name. The host's end of it stays open here, too: it tells
 * what the host has not read yet. */
static int plug(int *slave_out)
{
    const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    char next[4096];
    struct termios t;
    int slave;

    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        die("pseudo-terminal");
    slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0 || tcgetattr(slave, &t) != 0)
        die(ptsname(master));
    cfmakeraw(&t); /* no echo before the host has opened it */
    tcsetattr(slave, TCSANOW, &t);
    *slave_out = slave;
    snprintf(next, sizeof(next), "%s.new", opt.link);
    unlink(next);
    if (symlink(ptsname(master), next) != 0 || rename(next, opt.link) != 0)
        die(opt.link);
    return master;
}

static void options(int argc, char **argv)
{
    static const struct option known[] = {
        {"socket", 1, NULL, 's'},    {"link", 1, NULL, 'l'},     {"seed", 1, NULL, 'S'},
        {"bit-error", 1, NULL, 'b'}, {"drop", 1, NULL, 'd'},     {"twice", 1, NULL, 't'},
        {"stall", 1, NULL, 'h'},     {"stall-ms", 1, NULL, 'H'}, {"noise", 1, NULL, 'n'},
        {"rate", 1, NULL, 'r'},      {"unplug", 1, NULL, 'u'},   {"unplug-ms", 1, NULL, 'U'},
        {"hold", 1, NULL, 'o'},      {"stay", 0, NULL, 'k'},     {0},
    };
    int c;

    while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
        switch (c) {
        case 's':
            opt.socket = optarg;
            break;
        case 'l':
            opt.link = optarg;
            break;
        case 'S':
            opt.seed = strtoull(optarg, NULL, 0);
            break;
        case 'b':
            opt.faults.bit_error = strtod(optarg, NULL);
            break;
        case 'd':
            opt.faults.drop = strtod(optarg, NULL);
            break;
        case 't':
            opt.faults.twice = strtod(optarg, NULL);
            break;
        case 'h':
            opt.faults.stall = strtod(optarg, NULL);
            break;
        case 'H':
            opt.faults.stall_ms = (uint32_t)strtoul(optarg, NULL, 0);
            break;
        case 'n':
            opt.noise = strtoul(optarg, NULL, 0);
            break;
        case 'r':
            opt.rate = strtoul(optarg, NULL, 0);
            break;
        case 'u':
            opt.unplug = strtoul(optarg, NULL, 0);
            break;
        case 'U':
            opt.unplug_ms = strtoul(optarg, NULL, 0);
            break;
        case 'o':
            opt.hold = strtoul(optarg, NULL, 0);
            break;
        case 'k':
            opt.stay = true;
            break;
        default:
            exit(2);
        }
    }
    if (opt.socket == NULL || opt.link == NULL) {
        fprintf(stderr, "lossy: --socket and --link are needed\n");
        exit(2);
    }
}

/* One direction: what the line carried and the receiver has not taken yet. */
struct way {
    struct lossy_line line;
    uint8_t out[2 * CHUNK + 2];
    size_t out_at, out_len;
};

/* Reads what there is into the line; false: the sender has gone. */
static bool take(struct way *w, int fd)
{
    uint8_t in[CHUNK];
    const uint32_t room = w->line.limit - (w->line.head - w->line.tail);
    ssize_t n;

    if (room == 0)
        return true;
    n = read(fd, in, room < sizeof(in) ? room : sizeof(in));
    if (n > 0)
        lossy_put(&w->line, in, (size_t)n);
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Bytes delivered, `most` at once. */
static size_t give(struct way *w, int fd, size_t most)
{
    ssize_t n;

    if (w->out_at == w->out_len) {
        w->out_at = 0;
        w->out_len = lossy_step(&w->line, w->out, sizeof(w->out));
    }
    if (w->out_at == w->out_len || fd < 0)
        return 0;
    if (most > w->out_len - w->out_at)
        most = w->out_len - w->out_at;
    n = write(fd, w->out + w->out_at, most);
    if (n <= 0)
        return 0;
    w->out_at += (size_t)n;
    return (size_t)n;
}

static bool empty(const struct way *w)
{
    return w->line.head == w->line.tail && w->out_at == w->out_len;
}

/* The next step is one of so many milliseconds: a busy machine makes no line slower than its rate.
 */
static void stretch(struct way *w, uint64_t ms)
{
    if (opt.rate != NO_LIMIT && !empty(w))
        w->line.credit += ((double)ms - 1) * (double)opt.rate / 10000.0;
}

int main(int argc, char **argv)
{
    static struct way up, down; /* to the host, to the target */
    struct sigaction on = {.sa_handler = on_signal};
    uint64_t delivered = 0; /* to the host, */
    uint64_t sent = 0;      /* to the target */
    uint64_t plug_at = 0;
    uint64_t stepped = now_ms();
    uint64_t gone_at = 0;
    bool had = false;
    bool unplugged = false;
    int door;
    int target = -1;
    int port;
    int slave;

    options(argc, argv);
    sigaction(SIGTERM, &on, NULL);
    sigaction(SIGINT, &on, NULL);
    sigaction(SIGUSR1, &on, NULL);
    signal(SIGPIPE, SIG_IGN);
    lossy_init(&up.line, opt.seed, 65536, &opt.faults);
    lossy_init(&down.line, opt.seed * 31 + 7, 65536, &opt.faults);
    up.line.sender_rate = up.line.receiver_rate = (uint32_t)opt.rate;
    down.line.sender_rate = down.line.receiver_rate = (uint32_t)opt.rate;
    for (unsigned long i = 0; i < opt.noise; i++) {
        const uint8_t b = (uint8_t)lossy_random(&up.line);
        lossy_put(&up.line, &b, 1);
    }
    door = listen_on(opt.socket);
    port = plug(&slave);
    puts("ready");
    fflush(stdout);

    while (!ended) {
        struct pollfd p[3] = {{door, POLLIN, 0}, {target, POLLIN, 0}, {port, POLLIN, 0}};
        const uint64_t now = now_ms();
        if (opt.hold > 0 && (delivered >= opt.hold || sent >= opt.hold)) {
            opt.hold = 0;
            puts("holding");
            fflush(stdout);
            while (!released && !ended)
                (void)poll(NULL, 0, 20);
            continue;
        }
        /* a step of the line is a millisecond */
        if (!empty(&up) || !empty(&down))
            (void)poll(p, 2, 1);
        else
            (void)poll(p, 3, 20);
        stretch(&up, now_ms() - stepped);
        stretch(&down, now_ms() - stepped);
        stepped = now_ms();
        if (target < 0 && (target = accept4(door, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0)
            had = true;
        if (target >= 0 && !take(&up, target)) {
            close(target);
            target = -1;
            gone_at = now;
        }
        if (port >= 0)
            (void)take(&down, port);
        else if (now >= plug_at)
            port = plug(&slave);
        /* not beyond the byte after which the port goes: a line that had to wait for a processor
         * would deliver a whole run at once */
        delivered +=
            give(&up, port, opt.unplug > 0 && !unplugged ? opt.unplug - delivered : SIZE_MAX);
        if (target >= 0)
            sent += give(&down, target, SIZE_MAX);
        else
            down.line.tail = down.line.head, down.out_at = down.out_len;
        if (opt.unplug > 0 && !unplugged && delivered >= opt.unplug) {
            unplugged = true;
            /* the name first: another test's line gets the terminal's number at once */
            unlink(opt.link);
            close(slave);
            close(port);
            port = -1;
            plug_at = now + opt.unplug_ms;
            /* what was on the way is gone */
            up.out_at = up.out_len;
        }
        if (!opt.stay && had && target < 0 && empty(&up) && port >= 0) {
            int left = 0;
            /* until the host has read it, or will not (a terminal that closes takes it along) */
            if ((ioctl(slave, FIONREAD, &left) == 0 && left == 0 && now - gone_at > 300) ||
                now - gone_at > 20000)
                break;
        }
    }
    unlink(opt.link);
    unlink(opt.socket);
    return 0;
}
