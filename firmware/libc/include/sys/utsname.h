/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_SYS_UTSNAME_H
#define MPJ_SYS_UTSNAME_H

struct utsname {
    char sysname[16], nodename[16], release[16], version[16], machine[16];
};

int uname(struct utsname *name);

#endif
