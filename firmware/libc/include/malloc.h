/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_MALLOC_H
#define MPJ_LIBC_MALLOC_H

#include <bits/ptrdiff_t.h>
#include <bits/size_t.h>
#include <features.h>
#include <stdio.h>

struct mallinfo {
    int arena;
    int ordblks;
    int smblks;
    int hblks;
    int hblkhd;
    int usmblks;
    int fsmblks;
    int uordblks;
    int fordblks;
    int keepcost;
};

#define M_TRIM_THRESHOLD (-1)
#define M_TOP_PAD        (-2)
#define M_MMAP_THRESHOLD (-3)
#define M_MMAP_MAX       (-4)

__MPJ_BEGIN

void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void *reallocarray(void *, size_t, size_t);
void free(void *);
void *memalign(size_t, size_t);
void *valloc(size_t);
void *pvalloc(size_t);
struct mallinfo mallinfo(void);
int mallopt(int, int);
int malloc_trim(size_t);
size_t malloc_usable_size(void *);
void malloc_stats(void);

__MPJ_END

#endif
