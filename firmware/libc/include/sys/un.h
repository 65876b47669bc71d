/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of sockets of AF_UNIX, as Linux declares them. */
#ifndef MPJ_SYS_UN_H
#define MPJ_SYS_UN_H

#include <string.h>
#include <sys/socket.h>

struct sockaddr_un {
    sa_family_t sun_family;
    char sun_path[108];
};

#define SUN_LEN(p) (offsetof(struct sockaddr_un, sun_path) + strlen((p)->sun_path))

#endif
