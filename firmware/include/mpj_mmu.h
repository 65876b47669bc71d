/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Address map: flat, 1 MB sections, extended descriptors (SCTLR.XP). The first section is never
 * mapped: NULL points there. */
#ifndef MPJ_MMU_H
#define MPJ_MMU_H

#include <stdint.h>

#define MPJ_SECTION_BYTES 0x100000U
#define MPJ_PAGE_BYTES    0x1000U
#define MPJ_VECTORS       0xffff0000U /* mapped, read-only */

enum mpj_mmu_kind {
    MPJ_MMU_NONE,   /* every access faults */
    MPJ_MMU_DATA,   /* normal, write-back write-allocate, shareable, never execute */
    MPJ_MMU_CODE,   /* the same, read-only, executable */
    MPJ_MMU_RWX,    /* the same, writable and executable */
    MPJ_MMU_DEVICE, /* device memory, never execute */
};

/* Changes the map of whole sections [first, end), for every later access of this core. Other cores
 * must call mpj_mmu_flush(). Not from interrupt handlers. */
void mpj_mmu_map(uint32_t first, uint32_t end, enum mpj_mmu_kind kind);

/* Makes 64 KB of data memory, aligned, fault on any access (a stack guard). The section that
 * contains it is split into large pages; there are MPJ_MMU_SPLITS tables for that, one for every
 * megabyte of RAM. Returns 0, or -1 when no table is left. Other cores must call
 * mpj_mmu_flush(). */
#define MPJ_MMU_GUARD_BYTES 0x10000U
#define MPJ_MMU_SPLITS      256U
int mpj_mmu_guard(uint32_t page);
/* Removes such a guard. */
void mpj_mmu_unguard(uint32_t page);

/* Drops the cached translations of the calling core. */
void mpj_mmu_flush(void);

#endif
