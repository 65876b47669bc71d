/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of AF_UNIX sockets, as Linux declares them. */
#ifndef MPJ_SYS_UN_H
#define MPJ_SYS_UN_H

#include <features.h>
#ifdef __USE_MISC
#include <string.h>
#endif

typedef unsigned short sa_family_t;

struct sockaddr_un {
    sa_family_t sun_family;
    char sun_path[108];
};

#ifdef __USE_MISC
#define SUN_LEN(p) ((size_t)((struct sockaddr_un *)0)->sun_path + strlen((p)->sun_path))
#endif

#endif
