/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Thread-local storage as GCC for Arm lays it out: an 8-byte head, then the program's image. */
#ifndef MPJ_TLS_H
#define MPJ_TLS_H

#include <stddef.h>

/* Returns the bytes of one block. */
size_t mpj_tls_bytes(void);
/* Returns the alignment of a block. */
size_t mpj_tls_align(void);
/* Fills a block with the program's initial values; give it to hal_cpu_set_tls() afterwards. */
void mpj_tls_init(void *block);
/* Gives the calling core the block reserved for its own context, and the C library its first state.
 */
void mpj_tls_core_init(unsigned core);

#endif
