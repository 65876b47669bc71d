/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of the measured run. */
#ifndef MPJ_TARGET_RUN_H
#define MPJ_TARGET_RUN_H

#include "mpj_records.h"

/* Stops monitors and sampling on every core and sends their totals; the second call does nothing.
 * Thread context, any core, IRQ unmasked. */
void mpj_run_end(void);

/* Ends the run like mpj_run_end(), then ends the session with the host with that exit status and
 * resets. */
_Noreturn void mpj_run_exit(int exit_status, enum mpj_end_reason reason);

#endif
