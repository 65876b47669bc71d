/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "system.h"

#define SECTION_MEMORY                                                                             \
    0x1180eU /* shared, write-back, write-allocate, read-only in User mode; domain 0 */
#define SECTION_DEVICE 0x00416U /* privileged, no code */
#define PAGE_MEMORY    0x44eU   /* extended small page: shared, write-back, write-allocate */
#define NOT_GLOBAL     0x800U
#define TEST_DOMAIN    1U

static uint32_t sections[4][2][4096] __attribute__((aligned(16384)));
static uint32_t pages[4][2][256] __attribute__((aligned(1024)));
static uint8_t frames[4][FRAMES][PAGE] __attribute__((aligned(4096)));
static unsigned now[4];
static uint32_t common_pages[4][256] __attribute__((aligned(1024)));
static uint32_t shared_pages[256] __attribute__((aligned(1024)));
uint8_t common_memory[2][0x100000] __attribute__((aligned(0x100000)));

#define MCR(crn, crm, op2, value)                                                                  \
    __asm__ volatile("mcr p15, 0, %0, " #crn ", " #crm ", " #op2 : : "r"(value) : "memory")

static void barrier(void)
{
    MCR(c7, c10, 4, 0);
}

static void prefetch_flush(void)
{
    MCR(c7, c5, 4, 0);
}

unsigned space_now(void)
{
    return now[core_id()];
}

/* Numbers of the two address spaces, different ones on each core. */
static uint32_t context_of(unsigned core, unsigned space)
{
    return 1 + core * 2 + space;
}

uint32_t frame_at(unsigned n)
{
    return (uint32_t)(uintptr_t)frames[core_id()][n];
}

static void table_written(uint32_t *entry)
{
    MCR(c7, c10, 1, entry); /* the walk reads past the data cache */
    barrier();
}

static uint32_t context_word(unsigned core, unsigned space)
{
    return (uint32_t)(uintptr_t)sections[core][space] | 0x2a; /* shared, outer cacheable */
}

void space_begin(unsigned core)
{
    uint32_t v;

    for (unsigned space = 0; space < 2; space++) {
        uint32_t *s = sections[core][space];

        for (unsigned i = 0; i < 256; i++)
            s[i] = i << 20 | SECTION_MEMORY;
        for (unsigned i = 256; i < 258; i++)
            s[i] = i << 20 | SECTION_DEVICE;
        s[SHARED >> 20] = (uint32_t)(uintptr_t)shared_pages | 1;
        s[TEST_PAGES >> 20] = (uint32_t)(uintptr_t)pages[core][space] | TEST_DOMAIN << 5 | 1;
    }
    MCR(c7, c7, 0, 0);
    MCR(c8, c7, 0, 0);
    MCR(c2, c0, 2, 0);
    MCR(c2, c0, 0, context_word(core, 0));
    MCR(c13, c0, 1, context_of(core, 0));
    domain_set(1);
    __asm__ volatile("mrc p15, 0, %0, c1, c0, 1" : "=r"(v));
    MCR(c1, c0, 1, v | 0x2f);
    __asm__ volatile("mrc p15, 0, %0, c1, c0, 0" : "=r"(v));
    barrier();
    MCR(c1, c0, 0, v | 0xc01805U); /* XP, U, I, Z, C, M */
    prefetch_flush();
}

void domain_set(uint32_t access)
{
    MCR(c3, c0, 0, 1 | access << 2 * TEST_DOMAIN);
    prefetch_flush();
}

void space_switch(unsigned space)
{
    unsigned core = core_id();

    now[core] = space;
    MCR(c7, c5, 6, 0);
    barrier();
    MCR(c2, c0, 0, context_word(core, space));
    prefetch_flush();
    MCR(c13, c0, 1, context_of(core, space));
    prefetch_flush();
}

void page_map(unsigned space, unsigned page, unsigned frame, uint32_t how)
{
    uint32_t *entry = &pages[core_id()][space][page];

    *entry = frame_at(frame) | PAGE_MEMORY | (how & 0x230U) | (how & GLOBAL ? 0 : NOT_GLOBAL) |
             (how & NO_CODE ? 1 : 0);
    table_written(entry);
}

void page_unmap(unsigned space, unsigned page)
{
    uint32_t *entry = &pages[core_id()][space][page];

    *entry = 0;
    table_written(entry);
}

void tlb_drop_page(unsigned space, unsigned page)
{
    MCR(c8, c7, 1, page_at(page) | context_of(core_id(), space));
    barrier();
    prefetch_flush();
}

void tlb_drop_space(unsigned space)
{
    MCR(c8, c7, 2, context_of(core_id(), space));
    barrier();
    prefetch_flush();
}

void tlb_drop_all(void)
{
    MCR(c8, c7, 0, 0);
    barrier();
    prefetch_flush();
}

void code_written(uint32_t at, uint32_t bytes)
{
    for (uint32_t line = at & ~31U; line < at + bytes; line += 32)
        MCR(c7, c10, 1, line);
    barrier();
    for (uint32_t line = at & ~31U; line < at + bytes; line += 32)
        MCR(c7, c5, 1, line);
    MCR(c7, c5, 6, 0);
    barrier();
    prefetch_flush();
}

void common_section(void)
{
    uint32_t *entry = &sections[core_id()][0][COMMON >> 20];

    *entry = (uint32_t)(uintptr_t)common_memory[0] | SECTION_MEMORY;
    table_written(entry);
    tlb_drop_all();
}

void common_paged(unsigned page)
{
    const unsigned core = core_id();
    uint32_t *entry = &sections[core][0][COMMON >> 20];

    for (unsigned i = 0; i < 256; i++) {
        uint32_t *p = &common_pages[core][i];

        *p = (uint32_t)(uintptr_t)common_memory[i == page] + i * PAGE;
        *p |= PAGE_MEMORY | PRIVILEGED;
        table_written(p);
    }
    *entry = (uint32_t)(uintptr_t)common_pages[core] | 1;
    table_written(entry);
    tlb_drop_all();
}

void shared_map(unsigned page, uint32_t memory, uint32_t how)
{
    shared_pages[page] = memory | PAGE_MEMORY | (how & 0x230U) | NOT_GLOBAL;
    table_written(&shared_pages[page]);
}

void shared_drop(unsigned page)
{
    MCR(c8, c7, 1, (SHARED + page * PAGE) | context_of(core_id(), 0));
    MCR(c7, c5, 0, 0); /* instructions of what was there before */
    MCR(c7, c5, 6, 0);
    barrier();
    prefetch_flush();
}
