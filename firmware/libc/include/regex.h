/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_REGEX_H
#define MPJ_LIBC_REGEX_H

#include <features.h>
#include <sys/types.h>

typedef int regoff_t;

typedef struct {
    int __magic;
    struct __mpj_regex *__guts;
    size_t re_nsub; /* groups in the expression */
} regex_t;

typedef struct {
    regoff_t rm_so;
    regoff_t rm_eo;
} regmatch_t;

#define REG_EXTENDED 1
#define REG_ICASE    2
#define REG_NEWLINE  4
#define REG_NOSUB    8
#define REG_NOTBOL   1
#define REG_NOTEOL   2
#define REG_STARTEND 4

#if defined(__USE_XOPEN) || defined(__USE_XOPEN2K)
#define REG_ENOSYS (-1)
#endif
#define REG_NOERROR  0
#define REG_NOMATCH  1
#define REG_BADPAT   2
#define REG_ECOLLATE 3
#define REG_ECTYPE   4
#define REG_EESCAPE  5
#define REG_ESUBREG  6
#define REG_EBRACK   7
#define REG_EPAREN   8
#define REG_EBRACE   9
#define REG_BADBR    10
#define REG_ERANGE   11
#define REG_ESPACE   12
#define REG_BADRPT   13
#define REG_EEND     14
#define REG_ESIZE    15
#define REG_ERPAREN  16

__MPJ_BEGIN

int regcomp(regex_t *__restrict, const char *__restrict, int);
int regexec(const regex_t *__restrict, const char *__restrict, size_t, regmatch_t[__restrict], int);
size_t regerror(int, const regex_t *__restrict, char *__restrict, size_t);
void regfree(regex_t *);

__MPJ_END

#endif
