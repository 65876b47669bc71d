/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Included before every source that `mpjoule cc` compiles: makes __builtin___clear_cache() a call,
 * which the compiler leaves out for a processor without an operating system.
 */
#ifndef MPJ_CLEAR_CACHE_H
#define MPJ_CLEAR_CACHE_H

#pragma GCC system_header

#ifndef __ASSEMBLER__
#define __clear_cache           mpj_clear_cache
#define __builtin___clear_cache mpj_clear_cache
/* (first, end): makes every core execute the code that has been written in between. Declared
 * without a prototype, because programs declare __clear_cache() in several ways. */
void mpj_clear_cache();
#endif

#endif
