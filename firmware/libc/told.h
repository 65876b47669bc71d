/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct sigevent: how a program wants to be told. */
#ifndef MPJ_TOLD_H
#define MPJ_TOLD_H

#include <signal.h>

/* Sends the signal with this si_code, or calls the function in a thread of its own. Thread context,
 * no lock held. */
void mpj_event_tell(const struct sigevent *event, int code);

#endif
