/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_GLOB_H
#define MPJ_LIBC_GLOB_H

#include <features.h>
#if defined(__USE_XOPEN) || defined(__USE_XOPEN2K8)
#include <bits/size_t.h>
#endif

#define GLOB_ERR      0x0001
#define GLOB_MARK     0x0002
#define GLOB_NOSORT   0x0004
#define GLOB_DOOFFS   0x0008
#define GLOB_NOCHECK  0x0010
#define GLOB_APPEND   0x0020
#define GLOB_NOESCAPE 0x0040
#define GLOB_PERIOD   0x0080

#if !defined(__USE_POSIX2) || defined(__USE_MISC)
#define GLOB_MAGCHAR     0x0100
#define GLOB_ALTDIRFUNC  0x0200
#define GLOB_BRACE       0x0400
#define GLOB_NOMAGIC     0x0800
#define GLOB_TILDE       0x1000
#define GLOB_ONLYDIR     0x2000
#define GLOB_TILDE_CHECK 0x4000
#endif

#define GLOB_NOSPACE 1
#define GLOB_ABORTED 2
#define GLOB_NOMATCH 3
#define GLOB_NOSYS   4
#ifdef __USE_GNU
#define GLOB_ABEND GLOB_ABORTED
struct stat;
#endif

typedef struct {
    __SIZE_TYPE__ gl_pathc;
    char **gl_pathv;
    __SIZE_TYPE__ gl_offs;
    int gl_flags;
    void (*gl_closedir)(void *);
    void *(*gl_readdir)(void *);
    void *(*gl_opendir)(const char *);
    int (*gl_lstat)(const char *, void *);
    int (*gl_stat)(const char *, void *);
} glob_t;

__MPJ_BEGIN

int glob(const char *__restrict, int, int (*)(const char *, int), glob_t *__restrict);
void globfree(glob_t *);
#ifdef __USE_GNU
int glob_pattern_p(const char *, int);
#endif

__MPJ_END

#endif
