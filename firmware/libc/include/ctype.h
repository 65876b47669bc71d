/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_CTYPE_H
#define MPJ_LIBC_CTYPE_H

#include <features.h>
#ifdef __USE_XOPEN2K8
#include <bits/locale_t.h>
#endif

__MPJ_BEGIN

int isalnum(int);
int isalpha(int);
int iscntrl(int);
int isdigit(int);
int islower(int);
int isgraph(int);
int isprint(int);
int ispunct(int);
int isspace(int);
int isupper(int);
int isxdigit(int);
int tolower(int);
int toupper(int);
#if defined(__USE_ISOC99)
int isblank(int);
#endif
#if defined(__USE_MISC) || defined(__USE_XOPEN)
int isascii(int);
int toascii(int);
#endif
#if defined(__USE_XOPEN2K8)
int isalnum_l(int, locale_t);
int isalpha_l(int, locale_t);
int iscntrl_l(int, locale_t);
int isdigit_l(int, locale_t);
int islower_l(int, locale_t);
int isgraph_l(int, locale_t);
int isprint_l(int, locale_t);
int ispunct_l(int, locale_t);
int isspace_l(int, locale_t);
int isupper_l(int, locale_t);
int isxdigit_l(int, locale_t);
int isblank_l(int, locale_t);
int tolower_l(int, locale_t);
int toupper_l(int, locale_t);
#endif

__MPJ_END

#if defined(__USE_MISC) || defined(__USE_XOPEN)
#define _tolower(c) ((int)(c) - 'A' + 'a')
#define _toupper(c) ((int)(c) - 'a' + 'A')
#endif

#ifndef __cplusplus
/* newlib's table: the entry of EOF, then one for every byte. */
extern const char _ctype_[];

#define __MPJ_UPPER  0001
#define __MPJ_LOWER  0002
#define __MPJ_DIGIT  0004
#define __MPJ_SPACE  0010
#define __MPJ_PUNCT  0020
#define __MPJ_CNTRL  0040
#define __MPJ_XDIGIT 0100
#define __MPJ_BLANK  0200

/* sizeof makes the compiler warn of a char, whose value may be negative. */
#define __mpj_ctype(c) ((_ctype_ + sizeof(""[c]))[(int)(c)])

#define isalpha(c)     (__mpj_ctype(c) & (__MPJ_UPPER | __MPJ_LOWER))
#define isupper(c)     ((__mpj_ctype(c) & (__MPJ_UPPER | __MPJ_LOWER)) == __MPJ_UPPER)
#define islower(c)     ((__mpj_ctype(c) & (__MPJ_UPPER | __MPJ_LOWER)) == __MPJ_LOWER)
#define isdigit(c)     (__mpj_ctype(c) & __MPJ_DIGIT)
#define isxdigit(c)    (__mpj_ctype(c) & (__MPJ_XDIGIT | __MPJ_DIGIT))
#define isspace(c)     (__mpj_ctype(c) & __MPJ_SPACE)
#define ispunct(c)     (__mpj_ctype(c) & __MPJ_PUNCT)
#define isalnum(c)     (__mpj_ctype(c) & (__MPJ_UPPER | __MPJ_LOWER | __MPJ_DIGIT))
#define isprint(c)                                                                                 \
    (__mpj_ctype(c) & (__MPJ_PUNCT | __MPJ_UPPER | __MPJ_LOWER | __MPJ_DIGIT | __MPJ_BLANK))
#define isgraph(c) (__mpj_ctype(c) & (__MPJ_PUNCT | __MPJ_UPPER | __MPJ_LOWER | __MPJ_DIGIT))
#define iscntrl(c) (__mpj_ctype(c) & __MPJ_CNTRL)
#ifdef __USE_ISOC99
#define isblank(c)                                                                                 \
    __extension__({                                                                                \
        __typeof__(c) __c = (c);                                                                   \
        (__mpj_ctype(__c) & __MPJ_BLANK) || (int)__c == '\t';                                      \
    })
#endif
#define tolower(c)                                                                                 \
    __extension__({                                                                                \
        __typeof__(c) __c = (c);                                                                   \
        isupper(__c) ? (int)__c - 'A' + 'a' : (int)__c;                                            \
    })
#define toupper(c)                                                                                 \
    __extension__({                                                                                \
        __typeof__(c) __c = (c);                                                                   \
        islower(__c) ? (int)__c - 'a' + 'A' : (int)__c;                                            \
    })
#endif

#endif
