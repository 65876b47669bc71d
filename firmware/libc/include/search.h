/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newlib's, and what it leaves out. */
#ifndef MPJ_SEARCH_H
#define MPJ_SEARCH_H

#include_next <search.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In an array of *count elements; lsearch() adds one that is not there. */
void *lfind(const void *key, const void *base, size_t *count, size_t size,
            int (*compare)(const void *, const void *));
void *lsearch(const void *key, void *base, size_t *count, size_t size,
              int (*compare)(const void *, const void *));

/* Of lists whose elements begin with two pointers: the next one and the one before. */
void insque(void *element, void *before);
void remque(void *element);

#ifdef __cplusplus
}
#endif
#endif
