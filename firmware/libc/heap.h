/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is told of an allocation that fails. */
#ifndef MPJ_HEAP_H
#define MPJ_HEAP_H

#include <stdint.h>

/* The heap cannot grow by that much: said once a run, sets errno. Thread context. */
void mpj_heap_failed(uint64_t bytes);

#endif
