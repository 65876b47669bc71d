/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_SYS_SYSINFO_H
#define MPJ_SYS_SYSINFO_H

struct sysinfo {
    long uptime; /* seconds since the reset */
    unsigned long loads[3], totalram, freeram, sharedram, bufferram, totalswap, freeswap;
    unsigned short procs;
    unsigned long totalhigh, freehigh;
    unsigned mem_unit;
};

int sysinfo(struct sysinfo *info);
/* Cores the program runs on (`mpjoule run --cores`). */
int get_nprocs(void);
int get_nprocs_conf(void);

#endif
