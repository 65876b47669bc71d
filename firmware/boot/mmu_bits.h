/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptors of the page tables (ARMv6 format, SCTLR.XP). */
#ifndef MPJ_MMU_BITS_H
#define MPJ_MMU_BITS_H

#include <stdint.h>

#include "mpj_mmu.h"

#define SECTIONS       4096U
#define PAGES          256U
#define SECTION        0x2U
#define SECTION_XN     (1U << 4)
#define SECTION_AP_RW  (3U << 10)
#define SECTION_AP_RO  ((1U << 10) | (1U << 15))            /* privileged read-only */
#define SECTION_NORMAL ((1U << 12) | (1U << 3) | (1U << 2)) /* TEX 001, C, B: write-allocate */
#define SECTION_SHARED (1U << 16)
#define SECTION_DEVICE (1U << 2) /* TEX 000, B: shareable device */
#define COARSE         0x1U
#define COARSE_MASK    0xfffffc00U
#define PAGE_XN        0x1U
/* Pages of 4 KB and of 64 KB (sixteen equal entries), attributes as SECTION_NORMAL and SHARED. */
#define PAGE_NORMAL_RW (0x2U | PAGE_XN | (1U << 2) | (1U << 3) | (3U << 4) | (1U << 6) | (1U << 10))
#define PAGE_NORMAL_RO                                                                             \
    (0x2U | (1U << 2) | (1U << 3) | (1U << 4) | (1U << 6) | (1U << 9) | (1U << 10))
#define LARGE_NORMAL_RW                                                                            \
    (0x1U | (1U << 15) /* XN */ | (1U << 2) | (1U << 3) | (3U << 4) | (1U << 10) | (1U << 12))
#define LARGE_ENTRIES (MPJ_MMU_GUARD_BYTES / MPJ_PAGE_BYTES)

/* The flat map's first level (mmu.c). */
extern uint32_t mpj_page_table[SECTIONS];

#endif
