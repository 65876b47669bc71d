/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_WORDEXP_H
#define MPJ_LIBC_WORDEXP_H

#include <bits/size_t.h>
#include <features.h>

#define WRDE_DOOFFS  1
#define WRDE_NOSPACE 1
#define WRDE_APPEND  2
#define WRDE_BADCHAR 2
#define WRDE_BADVAL  3
#define WRDE_NOCMD   4
#define WRDE_CMDSUB  4
#define WRDE_SYNTAX  5
#define WRDE_REUSE   8
#define WRDE_SHOWERR 16
#define WRDE_UNDEF   32
#if defined(__USE_XOPEN)
#define WRDE_NOSYS (-1)
#endif

typedef struct {
    size_t we_wordc;
    char **we_wordv;
    size_t we_offs;
} wordexp_t;

/* Returns WRDE_NOSYS: there is no shell. */
__MPJ_BEGIN

int wordexp(const char *__restrict, wordexp_t *__restrict, int);
void wordfree(wordexp_t *);

__MPJ_END

#endif
