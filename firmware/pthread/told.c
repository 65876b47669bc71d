/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Delivers the notification of a struct sigevent. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "sigs.h"

static void *call(void *arg)
{
    const struct sigevent event = *(struct sigevent *)arg;

    free(arg);
    event.sigev_notify_function(event.sigev_value);
    return NULL;
}

static void in_thread(const struct sigevent *event)
{
    struct sigevent *const copy = malloc(sizeof(*copy));
    pthread_t thread;

    if (copy == NULL)
        return;
    *copy = *event;
    if (pthread_create(&thread, event->sigev_notify_attributes, call, copy) == 0)
        (void)pthread_detach(thread);
    else
        free(copy);
}

void mpj_thread_tell(const struct sigevent *event, int code)
{
    siginfo_t info;

    if (event->sigev_notify == SIGEV_THREAD)
        in_thread(event);
    if (event->sigev_notify != SIGEV_SIGNAL || !mpj_sig_valid(event->sigev_signo))
        return;
    info = mpj_sig_info(event->sigev_signo, code);
    info.si_value = event->sigev_value;
    (void)mpj_sig_send(NULL, &info, NULL);
}
