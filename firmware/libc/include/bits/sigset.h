/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bit n is signal n. An integer, where the GNU C library has a struct of 128 bytes. */
#ifndef MPJ_LIBC_BITS_SIGSET_H
#define MPJ_LIBC_BITS_SIGSET_H

typedef unsigned long long sigset_t;

#endif
