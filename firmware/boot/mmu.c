/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Page table. mpj_mmu_build() runs before MMU and caches are on, and before .bss is zero. */
#include "mpj_mmu.h"

#include <stdbool.h>
#include <stddef.h>

#include "hal_cache.h"
#include "hal_cpu.h"
#include "hal_map.h"
#include "hal_mmu.h"
#include "mmu_bits.h"
#include "mpj_boot_word.h"
#include "mpj_layout.h"

#define LINE_ENTRIES 8U      /* of a cache line */
#define CORE_PAGE    0x2000U /* one for each core; a multiple of a way, so that none is an alias */
#define VECTORS_AT   ((uint32_t)BOARD_VECTORS) /* as set by start.S: no alias either */

extern char __text_end[], __data_start[];

/* Outside .bss: written before .bss is zeroed. */
__attribute__((section(".mmu"), aligned(16384))) uint32_t mpj_page_table[SECTIONS];
__attribute__((section(".mmu"), aligned(1024))) static uint32_t page_tables[MPJ_MMU_SPLITS][PAGES];
static unsigned page_tables_used;

/* The upper half of the address space is private to each core: one page, and the vectors. */
__attribute__((section(".mmu"), aligned(16384))) uint32_t mpj_core_table[HAL_CORES_MAX][SECTIONS];
__attribute__((section(".mmu"), aligned(1024))) static uint32_t core_pages[HAL_CORES_MAX][PAGES];
__attribute__((section(".mmu"),
               aligned(CORE_PAGE))) static char core_page[HAL_CORES_MAX][CORE_PAGE];
__attribute__((section(".mmu"), aligned(1024))) static uint32_t vector_pages[PAGES];
__attribute__((section(".mmu"))) uint32_t mpj_boot_word;

#define UPPER_HALF 0x80000000U
#define MEGABYTE   0xfffffU
_Static_assert(MPJ_RAM_END <= UPPER_HALF && (MPJ_RAM_END & MEGABYTE) == 0, "end of the RAM");
_Static_assert(BOARD_RAM_BYTES <= MPJ_MMU_SPLITS * MPJ_SECTION_BYTES, "tables for guards");
_Static_assert(BOARD_RAM_FIRST >= BOARD_RAM_BASE && (BOARD_RAM_FIRST & MEGABYTE) == 0, "image");
_Static_assert(BOARD_VECTORS >= BOARD_RAM_BASE && BOARD_VECTORS + 0x8000 <= BOARD_RAM_FIRST &&
                   BOARD_VECTORS % CORE_PAGE == 0,
               "vectors are in RAM below the image");

void mpj_mmu_build(void);

static uint32_t descriptor(uint32_t base, enum mpj_mmu_kind kind)
{
    switch (kind) {
    case MPJ_MMU_DATA:
        return base | SECTION | SECTION_NORMAL | SECTION_SHARED | SECTION_AP_RW | SECTION_XN;
    case MPJ_MMU_CODE:
        return base | SECTION | SECTION_NORMAL | SECTION_SHARED | SECTION_AP_RO;
    case MPJ_MMU_RWX:
        return base | SECTION | SECTION_NORMAL | SECTION_SHARED | SECTION_AP_RW;
    case MPJ_MMU_DEVICE:
        return base | SECTION | SECTION_DEVICE | SECTION_AP_RW | SECTION_XN;
    default:
        return 0;
    }
}

static void fill(uint32_t first, uint32_t end, enum mpj_mmu_kind kind)
{
    for (uint32_t a = first; a < end; a += MPJ_SECTION_BYTES)
        mpj_page_table[a / MPJ_SECTION_BYTES] = descriptor(a, kind);
}

/* Maps one range of BOARD_DEVICES. */
#define fill_devices(base, bytes)                                                                  \
    _Static_assert((base) < UPPER_HALF && (bytes) <= UPPER_HALF - (base) &&                        \
                       (((base) | (bytes)) & MEGABYTE) == 0,                                       \
                   "devices");                                                                     \
    fill((base), (base) + (bytes), MPJ_MMU_DEVICE);

void mpj_mmu_build(void)
{
    /* Volatile: the compiler must not turn this into a call of memset, which is not callable yet in
     * an image that is not set up. */
    for (volatile uint32_t *p = mpj_page_table; p < mpj_page_table + SECTIONS; p++)
        *p = 0;
    for (volatile uint32_t *p = vector_pages; p < vector_pages + PAGES; p++)
        *p = 0;
    vector_pages[MPJ_VECTORS / MPJ_PAGE_BYTES % PAGES] = VECTORS_AT | PAGE_NORMAL_RO;
    for (unsigned i = 0; i < HAL_CORES_MAX; i++) {
        for (volatile uint32_t *p = &mpj_core_table[i][SECTIONS / 2U];
             p < mpj_core_table[i] + SECTIONS; p++)
            *p = 0;
        for (volatile uint32_t *p = core_pages[i]; p < core_pages[i] + PAGES; p++)
            *p = 0;
        mpj_core_table[i][MPJ_CORE_PAGE / MPJ_SECTION_BYTES] = (uint32_t)core_pages[i] | COARSE;
        core_pages[i][0] = (uint32_t)core_page[i] | PAGE_NORMAL_RW;
        mpj_core_table[i][MPJ_VECTORS / MPJ_SECTION_BYTES] = (uint32_t)vector_pages | COARSE;
    }
    /* Nothing is mapped below: an access through a null pointer faults. */
    fill(MPJ_RAM_FIRST, MPJ_RAM_END, MPJ_MMU_DATA);
    /* The code of a RAM image. */
    fill(MPJ_RAM_FIRST, (uint32_t)__data_start & ~(MPJ_SECTION_BYTES - 1U), MPJ_MMU_CODE);
    fill(MPJ_MAIN_STACK_TOP, MPJ_CORE_STACKS, MPJ_MMU_NONE);
    fill(MPJ_HEAP_END, MPJ_MAIN_STACK_BASE, MPJ_MMU_NONE);
    BOARD_DEVICES(fill_devices)
#if BOARD_NOR_BANKS > 0
    fill(BOARD_NOR0_BASE, BOARD_NOR0_BASE + BOARD_NOR_BANKS * BOARD_NOR_BYTES, MPJ_MMU_CODE);
#endif
}

/* Writes an entry to memory, since table walks bypass the first-level data cache. Complete at the
 * next hal_dsb(). */
static void clean_entry(const uint32_t *entry)
{
    hal_cache_clean_line((uintptr_t)entry);
}

void mpj_mmu_flush(void)
{
    hal_dsb(); /* completes the cleaning of entries */
    hal_mmu_drop_tlb();
    hal_cache_drop_branches();
    hal_dsb();
    hal_isb();
}

void mpj_mmu_map(uint32_t first, uint32_t end, enum mpj_mmu_kind kind)
{
    for (uint32_t a = first; a < end; a += MPJ_SECTION_BYTES) {
        uint32_t *entry = &mpj_page_table[a / MPJ_SECTION_BYTES];

        *entry = descriptor(a, kind);
        clean_entry(entry);
    }
    mpj_mmu_flush();
}

/* Sets the entries of one large page, all equal, as the architecture requires. */
static void set_large(uint32_t *table, uint32_t page, uint32_t value)
{
    uint32_t *entry = table + page / MPJ_MMU_GUARD_BYTES % (PAGES / LARGE_ENTRIES) * LARGE_ENTRIES;

    for (uint32_t i = 0; i < LARGE_ENTRIES; i++)
        entry[i] = value;
    for (uint32_t i = 0; i < LARGE_ENTRIES; i += LINE_ENTRIES)
        clean_entry(&entry[i]);
}

static uint32_t large(uint32_t page)
{
    return (page & ~(MPJ_MMU_GUARD_BYTES - 1U)) | LARGE_NORMAL_RW;
}

/* Returns the second-level table of the section that contains an address, and creates it if
 * necessary. */
static uint32_t *table_of(uint32_t page)
{
    uint32_t *section = &mpj_page_table[page / MPJ_SECTION_BYTES];
    uint32_t *table;

    if ((*section & 3U) != COARSE) {
        uint32_t base = page & ~(MPJ_SECTION_BYTES - 1U);

        if (page_tables_used == MPJ_MMU_SPLITS)
            return NULL;
        table = page_tables[page_tables_used++];
        for (uint32_t at = 0; at < MPJ_SECTION_BYTES; at += MPJ_MMU_GUARD_BYTES)
            set_large(table, base + at, large(base + at));
        hal_dsb();
        *section = (uint32_t)table | COARSE;
        clean_entry(section);
    }
    return (uint32_t *)(*section & COARSE_MASK);
}

int mpj_mmu_guard(uint32_t page)
{
    uint32_t *table = table_of(page);

    if (table == NULL)
        return -1;
    set_large(table, page, 0);
    mpj_mmu_flush();
    return 0;
}

void mpj_mmu_unguard(uint32_t page)
{
    uint32_t *table = table_of(page);

    if (table == NULL)
        return;
    set_large(table, page, large(page));
    mpj_mmu_flush();
}
