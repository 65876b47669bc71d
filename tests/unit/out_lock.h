/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lock of the records going out on the host, which has one thread. */
#ifndef MPJ_TEST_OUT_LOCK_H
#define MPJ_TEST_OUT_LOCK_H

/* How often mpj_out_lock() has found the lock taken, and would have waited. */
extern unsigned out_lock_waits;

#endif
