/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In place of newlib's, whose sets have no room for real-time signals. Bit n: signal n. */
#ifndef _SYS__SIGSET_H_
#define _SYS__SIGSET_H_

typedef unsigned long long __sigset_t;

#endif
