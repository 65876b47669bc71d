/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_SYS_SYSINFO_H
#define MPJ_SYS_SYSINFO_H

/* Cores the program runs on (`mpjoule run --cores`). */
int get_nprocs(void);
int get_nprocs_conf(void);

#endif
