/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_SYS_UTSNAME_H
#define MPJ_LIBC_SYS_UTSNAME_H

#include <features.h>
struct utsname {
    char sysname[65];
    char nodename[65];
    char release[65];
    char version[65];
    char machine[65];
#ifdef __USE_GNU
    char domainname[65];
#else
    char __domainname[65];
#endif
};

__MPJ_BEGIN

int uname(struct utsname *);

__MPJ_END

#endif
