/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <limits.h>
#include <malloc.h>
#include <reent.h>

#include "heap.h"

/* newlib's: not in the headers. */
void *_pvalloc_r(struct _reent *r, size_t size);

/* newlib's rounds up to pages without a look at the result. */
void *pvalloc(size_t size)
{
    if (size > INT_MAX) {
        mpj_heap_failed(size);
        return NULL;
    }
    return _pvalloc_r(_REENT, size);
}
