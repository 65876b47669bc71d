/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_GRP_H
#define MPJ_LIBC_GRP_H

#include <bits/size_t.h>
#include <features.h>
#if defined(__USE_XOPEN) || defined(__USE_XOPEN2K)
typedef unsigned int gid_t;
#endif

struct group {
    char *gr_name;
    char *gr_passwd;
    unsigned int gr_gid;
    char **gr_mem;
};

#ifdef __USE_MISC
#include <bits/stream.h>
#endif

__MPJ_BEGIN

struct group *getgrgid(unsigned int);
struct group *getgrnam(const char *);
#if defined(__USE_MISC) || defined(__USE_XOPEN_EXTENDED)
void setgrent(void);
void endgrent(void);
struct group *getgrent(void);
#endif
#if defined(__USE_POSIX)
int getgrgid_r(unsigned int, struct group *__restrict, char *__restrict, size_t,
               struct group **__restrict);
int getgrnam_r(const char *__restrict, struct group *__restrict, char *__restrict, size_t,
               struct group **__restrict);
#endif
#if defined(__USE_MISC)
int setgroups(size_t, const unsigned int *);
int initgroups(const char *, unsigned int);
#endif

__MPJ_END

#endif
