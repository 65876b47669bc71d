/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The GNU C library's header with the words that only it knows; gnulib-tool makes it with sed. */
#undef __always_inline
#define __always_inline inline __attribute__((__always_inline__))
#define libc_hidden_proto(name)
#define __glibc_likely(condition) __builtin_expect((condition), 1)
#include <malloc/scratch_buffer.h>
