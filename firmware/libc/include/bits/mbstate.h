/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newlib's mbstate_t. */
#ifndef MPJ_LIBC_BITS_MBSTATE_H
#define MPJ_LIBC_BITS_MBSTATE_H

typedef struct {
    int __count;
    union {
        __WINT_TYPE__ __wch;
        unsigned char __wchb[4];
    } __value;
} mbstate_t;

#endif
