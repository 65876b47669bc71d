/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cable of `mpjoule boards --emulate` (hil/cable.h) for an emulator that a test starts by
 * itself: a pseudo-terminal on one side, that emulator's Unix socket on the other.
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
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "hil/cable.h"

static struct {
    const char *socket;
    struct mpj_cable_options cable;
    unsigned long hold;
    bool stay;
} opt = {.cable = {.seed = 1, .faults = {.stall_ms = 200}, .unplug_ms = 500, .waits = true}};

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
            opt.cable.link = optarg;
            break;
        case 'S':
            opt.cable.seed = strtoull(optarg, NULL, 0);
            break;
        case 'b':
            opt.cable.faults.bit_error = strtod(optarg, NULL);
            break;
        case 'd':
            opt.cable.faults.drop = strtod(optarg, NULL);
            break;
        case 't':
            opt.cable.faults.twice = strtod(optarg, NULL);
            break;
        case 'h':
            opt.cable.faults.stall = strtod(optarg, NULL);
            break;
        case 'H':
            opt.cable.faults.stall_ms = (uint32_t)strtoul(optarg, NULL, 0);
            break;
        case 'n':
            opt.cable.noise = (uint32_t)strtoul(optarg, NULL, 0);
            break;
        case 'r':
            opt.cable.rate = (uint32_t)strtoul(optarg, NULL, 0);
            break;
        case 'u':
            opt.cable.unplug = strtoul(optarg, NULL, 0);
            break;
        case 'U':
            opt.cable.unplug_ms = (uint32_t)strtoul(optarg, NULL, 0);
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
    if (opt.socket == NULL || opt.cable.link == NULL) {
        fprintf(stderr, "lossy: --socket and --link are needed\n");
        exit(2);
    }
}

/* Nothing passes until somebody says so. */
static void hold(void)
{
    opt.hold = 0;
    puts("holding");
    fflush(stdout);
    while (!released && !ended)
        (void)poll(NULL, 0, 20);
}

/* The emulator has gone, and the host has read everything it sent, or will not (a terminal that
 * closes takes it along). */
static bool over(const struct mpj_cable *c, uint32_t gone_at)
{
    const uint32_t since = mpj_clock_ms() - gone_at;

    return (mpj_cable_read(c) && since > 300) || since > 20000;
}

int main(int argc, char **argv)
{
    struct sigaction on = {.sa_handler = on_signal};
    struct mpj_cable *cable;
    struct mpj_err err;
    uint32_t gone_at = 0;
    bool had = false;
    int door;
    int target = -1;

    options(argc, argv);
    sigaction(SIGTERM, &on, NULL);
    sigaction(SIGINT, &on, NULL);
    sigaction(SIGUSR1, &on, NULL);
    signal(SIGPIPE, SIG_IGN);
    door = listen_on(opt.socket);
    if (mpj_cable_new(&cable, &opt.cable, &err) != MPJ_E_OK)
        die(err.text);
    puts("ready");
    fflush(stdout);
    while (!ended) {
        int gone;

        if (opt.hold > 0 &&
            (mpj_cable_to_host(cable) >= opt.hold || mpj_cable_to_board(cable) >= opt.hold))
            hold();
        if (target < 0 && (target = accept4(door, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0)
            had = true;
        gone = mpj_cable_turn(cable, target, &err);
        if (gone < 0)
            die(err.text);
        if (gone > 0) {
            close(target);
            target = -1;
            gone_at = mpj_clock_ms();
        }
        if (!opt.stay && had && target < 0 && over(cable, gone_at))
            break;
    }
    mpj_cable_free(cable);
    unlink(opt.socket);
    return 0;
}
