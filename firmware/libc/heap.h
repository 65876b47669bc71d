/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reporting of failed allocations. */
#ifndef MPJ_HEAP_H
#define MPJ_HEAP_H

#include <stdint.h>

/* Reports, once per run, that the heap cannot grow by that much; sets errno. Thread context. */
void mpj_heap_failed(uint64_t bytes);

#endif
