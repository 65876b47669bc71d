/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/stop.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

static atomic_uint count; /* lock-free: written by a signal handler, read by any thread */

static void on_signal(int sig)
{
    (void)sig;
    atomic_fetch_add(&count, 1);
}

/* Sets the action of each signal, except for a SIGHUP that is ignored. */
static void set_actions(void (*handler)(int))
{
    const struct sigaction on = {.sa_handler = handler};

    for (size_t i = 0; i < SIGNALS; i++) {
        struct sigaction before;
        if (signals[i] == SIGHUP && sigaction(SIGHUP, NULL, &before) == 0 &&
            before.sa_handler == SIG_IGN)
            continue;
        sigaction(signals[i], &on, NULL);
    }
}

void mpj_stop_catch(void)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};

    set_actions(on_signal);
    sigaction(SIGXFSZ, &ignore, NULL);
}

unsigned mpj_stop_count(void)
{
    return atomic_load(&count);
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
    set_actions(SIG_DFL);
    sigprocmask(SIG_SETMASK, before, NULL);
}

static struct sigaction pipe_before; /* SIGPIPE as the process found it */

void mpj_pipe_ignore(void)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};

    sigaction(SIGPIPE, &ignore, &pipe_before);
}

void mpj_pipe_restore(void)
{
    sigaction(SIGPIPE, &pipe_before, NULL);
}
