/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_SYS_SYSINFO_H
#define MPJ_LIBC_SYS_SYSINFO_H

#include <features.h>
struct sysinfo {
    long uptime; /* seconds since the reset */
    unsigned long loads[3];
    unsigned long totalram;
    unsigned long freeram;
    unsigned long sharedram;
    unsigned long bufferram;
    unsigned long totalswap;
    unsigned long freeswap;
    unsigned short procs;
    unsigned short pad;
    unsigned long totalhigh;
    unsigned long freehigh;
    unsigned int mem_unit;
    char _f[8];
};

/* get_nprocs() returns the number of cores the program runs on (`mpjoule run --cores`). */
__MPJ_BEGIN

int sysinfo(struct sysinfo *);
int get_nprocs_conf(void);
int get_nprocs(void);

__MPJ_END

#endif
