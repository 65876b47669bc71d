/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_PWD_H
#define MPJ_LIBC_PWD_H

#include <bits/size_t.h>
#include <features.h>
#if defined(__USE_XOPEN) || defined(__USE_XOPEN2K)
typedef unsigned int gid_t;
typedef unsigned int uid_t;
#endif

struct passwd {
    char *pw_name;
    char *pw_passwd;
    unsigned int pw_uid;
    unsigned int pw_gid;
    char *pw_gecos;
    char *pw_dir;
    char *pw_shell;
};

#ifdef __USE_MISC
#include <bits/stream.h>
#endif

__MPJ_BEGIN

struct passwd *getpwuid(unsigned int);
struct passwd *getpwnam(const char *);
#if defined(__USE_MISC) || defined(__USE_XOPEN_EXTENDED)
void setpwent(void);
void endpwent(void);
struct passwd *getpwent(void);
#endif
#if defined(__USE_POSIX)
int getpwuid_r(unsigned int, struct passwd *__restrict, char *__restrict, size_t,
               struct passwd **__restrict);
int getpwnam_r(const char *__restrict, struct passwd *__restrict, char *__restrict, size_t,
               struct passwd **__restrict);
#endif

__MPJ_END

#endif
