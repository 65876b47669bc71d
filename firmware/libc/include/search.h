/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_SEARCH_H
#define MPJ_LIBC_SEARCH_H

#include <bits/size_t.h>
#include <features.h>

#ifdef __USE_GNU
struct qelem {
    struct qelem *q_forw;
    struct qelem *q_back;
    char q_data[1];
};
#endif

#ifdef __USE_GNU
typedef int (*comparison_fn_t)(const void *, const void *);
#endif

typedef enum { FIND, ENTER } ACTION;
typedef enum { preorder, postorder, endorder, leaf } VISIT;

typedef struct entry {
    char *key;
    void *data;
} ENTRY;

#ifdef __USE_GNU
struct hsearch_data {
    struct __mpj_table *table;
    unsigned int size;
    unsigned int filled;
};
#endif

__MPJ_BEGIN

ENTRY *hsearch(ENTRY, ACTION);
int hcreate(size_t);
void hdestroy(void);
void *tsearch(const void *, void **, int (*)(const void *, const void *));
void *tfind(const void *, void *const *, int (*)(const void *, const void *));
void *tdelete(const void *__restrict, void **__restrict, int (*)(const void *, const void *));
void twalk(const void *, void (*)(const void *, VISIT, int));
void *lfind(const void *, const void *, size_t *, size_t, int (*)(const void *, const void *));
void *lsearch(const void *, void *, size_t *, size_t, int (*)(const void *, const void *));
#if defined(__USE_MISC) || defined(__USE_XOPEN_EXTENDED)
void insque(void *, void *);
void remque(void *);
#endif
#if defined(__USE_GNU)
int hsearch_r(ENTRY, ACTION, ENTRY **, struct hsearch_data *);
int hcreate_r(size_t, struct hsearch_data *);
void hdestroy_r(struct hsearch_data *);
void tdestroy(void *, void (*)(void *));
#endif

__MPJ_END

#endif
