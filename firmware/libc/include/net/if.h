/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Network interfaces, of which there are none. */
#ifndef MPJ_NET_IF_H
#define MPJ_NET_IF_H

#include <sys/socket.h>

#define IF_NAMESIZE 16
#define IFNAMSIZ    IF_NAMESIZE

struct if_nameindex {
    unsigned int if_index;
    char *if_name;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Return 0 and NULL with ENOSYS. */
unsigned int if_nametoindex(const char *name);
char *if_indextoname(unsigned int index, char *name);
struct if_nameindex *if_nameindex(void);
void if_freenameindex(struct if_nameindex *list);

#ifdef __cplusplus
}
#endif

#endif
