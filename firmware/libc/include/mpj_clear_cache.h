/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Included before every source that `mpjoule cc` compiles: for a processor without an operating
 * system the compiler knows of nothing that __builtin___clear_cache() could do, and leaves the call
 * out.
 */
#ifndef MPJ_CLEAR_CACHE_H
#define MPJ_CLEAR_CACHE_H

#pragma GCC system_header

#ifndef __ASSEMBLER__
#define __clear_cache           mpj_clear_cache
#define __builtin___clear_cache mpj_clear_cache
/* (first, end): every core executes what has been written in between. Without a prototype, because
 * programs declare __clear_cache() in several ways. */
void mpj_clear_cache();
#endif

#endif
