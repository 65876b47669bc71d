/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loaded objects: the program is the only one and is not listed. */
#ifndef MPJ_LINK_H
#define MPJ_LINK_H

#include <dlfcn.h>
#include <elf.h>
#include <stddef.h>

#define ElfW(type) Elf32_##type

struct dl_phdr_info {
    Elf32_Addr dlpi_addr;
    const char *dlpi_name;
    const Elf32_Phdr *dlpi_phdr;
    Elf32_Half dlpi_phnum;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Returns 0 without calling fn. */
int dl_iterate_phdr(int (*fn)(struct dl_phdr_info *info, size_t size, void *arg), void *arg);

#ifdef __cplusplus
}
#endif

#endif
