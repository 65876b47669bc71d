/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <reent.h>
#include <stdlib.h>

#include "heap.h"

/* newlib's multiplies without a look at the result. */
void *calloc(size_t n, size_t size)
{
    const uint64_t all = (uint64_t)n * size;

    if (all > SIZE_MAX) {
        mpj_heap_failed(all);
        return NULL;
    }
    return _calloc_r(_REENT, n, size);
}
