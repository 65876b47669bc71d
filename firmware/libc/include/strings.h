/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_STRINGS_H
#define MPJ_LIBC_STRINGS_H

#include <bits/size_t.h>
#include <features.h>
#ifdef __USE_XOPEN2K8
#include <bits/locale_t.h>
#endif

__MPJ_BEGIN

int strcasecmp(const char *, const char *);
int strncasecmp(const char *, const char *, size_t);
#if defined(__USE_MISC) || !defined(__USE_XOPEN2K8)
int bcmp(const void *, const void *, size_t);
void bcopy(const void *, void *, size_t);
void bzero(void *, size_t);
char *index(const char *, int);
char *rindex(const char *, int);
#endif
#if defined(__USE_MISC) || defined(__USE_XOPEN) || !defined(__USE_XOPEN2K8)
int ffs(int);
#endif
#if defined(__USE_MISC)
int ffsl(long);
int ffsll(long long);
#endif
#if defined(__USE_XOPEN2K8)
int strcasecmp_l(const char *, const char *, locale_t);
int strncasecmp_l(const char *, const char *, size_t, locale_t);
#endif

__MPJ_END

#endif
