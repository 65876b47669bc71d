/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "heap.h"

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

/* Allocates zeroed memory; newlib's calloc() does not check the product for overflow. */
void *__wrap_calloc(size_t n, size_t size)
{
    const uint64_t all = (uint64_t)n * size;

    if (all > SIZE_MAX) {
        mpj_heap_failed(all);
        return NULL;
    }
    return __real_calloc(n, size);
}
