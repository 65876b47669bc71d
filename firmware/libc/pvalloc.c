/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <reent.h>
#include <stdint.h>
#include <stdlib.h>

#include "heap.h"

/* newlib's headers do not declare it. */
void *_pvalloc_r(struct _reent *r, size_t size);

/* Rounds up to pages; newlib's pvalloc() does not check the result for overflow. */
void *pvalloc(size_t size)
{
    if (size > INT_MAX) {
        mpj_heap_failed(size);
        return NULL;
    }
    return _pvalloc_r(_REENT, size);
}

/* Defined here because newlib's stdlib.h declares it and its aligned_alloc() calls it, but newlib
 * lacks it. */
int posix_memalign(void **out, size_t align, size_t size)
{
    void *p;

    if (align < sizeof(void *) || (align & (align - 1U)) != 0)
        return EINVAL;
    if (align > INT_MAX - size || size > INT_MAX) /* newlib adds them without a check */
        return ENOMEM;
    p = memalign(align, size);
    if (p == NULL)
        return ENOMEM;
    *out = p;
    return 0;
}
