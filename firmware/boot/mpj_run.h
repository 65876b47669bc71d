/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of the measured run. */
#ifndef MPJ_RUN_H
#define MPJ_RUN_H

/* Stops monitors and sampling on every core and sends their totals; does nothing the second time.
 * Thread context, any core, IRQ unmasked. */
void mpj_run_end(void);

#endif
