/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/stop.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/undo.h"

#define TICK_MS 100

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

static struct sigaction pipe_before; /* SIGPIPE as the process found it, while it is ignored */
static bool pipe_ignored;
static atomic_uint count; /* lock-free: written by a signal handler, read by any thread */
static atomic_bool sent;

static void on_signal(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    (void)context;
    if (info->si_code != SI_KERNEL)
        atomic_store(&sent, true);
    atomic_fetch_add(&count, 1);
}

/* Ends the process as the signal would have, after removing incomplete files. */
static void on_end(int sig)
{
    const struct sigaction end = {.sa_handler = SIG_DFL};
    sigset_t only;

    mpj_undo_all();
    sigaction(sig, &end, NULL);
    raise(sig);
    sigemptyset(&only);
    sigaddset(&only, sig);
    pthread_sigmask(SIG_UNBLOCK, &only, NULL);
}

/* Does nothing. A handler, not SIG_IGN: programs that we execute have the signal as we found it. */
static void on_size(int sig)
{
    (void)sig;
}

/* Sets the action of a signal unless it is ignored: the process that started us wants that. */
static void handle(int sig, const struct sigaction *on)
{
    struct sigaction before;

    if (sigaction(sig, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(sig, on, NULL);
}

void mpj_stop_begin(void)
{
    const struct sigaction size = {.sa_handler = on_size, .sa_flags = SA_RESTART};
    const struct sigaction child = {.sa_handler = SIG_DFL};
    struct sigaction end = {.sa_handler = on_end};

    sigaction(SIGCHLD, &child, NULL);
    handle(SIGXFSZ, &size);
    mpj_undo_signals(&end.sa_mask);
    for (int sig = 1; sig < NSIG; sig++) {
        if (sigismember(&end.sa_mask, sig) == 1)
            handle(sig, &end);
    }
}

/* Sets the action of each signal, except for a SIGHUP that is ignored. */
static void set_actions(const struct sigaction *on)
{
    for (size_t i = 0; i < SIGNALS; i++) {
        struct sigaction before;
        if (signals[i] == SIGHUP && sigaction(SIGHUP, NULL, &before) == 0 &&
            before.sa_handler == SIG_IGN)
            continue;
        sigaction(signals[i], on, NULL);
    }
}

void mpj_stop_catch(void)
{
    const struct sigaction on = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};

    set_actions(&on);
}

unsigned mpj_stop_count(void)
{
    return atomic_load(&count);
}

bool mpj_stop_sent(void)
{
    return atomic_load(&sent);
}

void mpj_stop_block(sigset_t *before)
{
    sigset_t blocked;

    sigemptyset(&blocked);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaddset(&blocked, signals[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, before);
}

void mpj_stop_inherit(const sigset_t *before)
{
    const struct sigaction end = {.sa_handler = SIG_DFL};

    set_actions(&end);
    mpj_pipe_restore();
    sigprocmask(SIG_SETMASK, before, NULL);
}

int mpj_stop_write(int fd, const void *data, size_t len)
{
    const char *p = data;

    while (len > 0) {
        struct pollfd w = {.fd = fd, .events = POLLOUT};
        const int ready = poll(&w, 1, mpj_stop_count() > 0 ? 0 : TICK_MS);
        ssize_t n;
        if (ready <= 0 && mpj_stop_count() > 0)
            return EINTR;
        if (ready <= 0)
            continue;
        n = write(fd, p, len < PIPE_BUF ? len : PIPE_BUF); /* a ready pipe has that much space */
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return errno;
        p += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

void mpj_pipe_ignore(void)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;

    sigaction(SIGPIPE, &ignore, &before);
    if (!pipe_ignored)
        pipe_before = before;
    pipe_ignored = true;
}

void mpj_pipe_restore(void)
{
    if (pipe_ignored)
        sigaction(SIGPIPE, &pipe_before, NULL);
    pipe_ignored = false;
}
