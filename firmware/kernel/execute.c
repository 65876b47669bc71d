/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that a program writes itself: pages of data memory that may be executed, and the caches.
 *
 * The cores' data caches are coherent, their instruction caches are not, and CP15's cache
 * operations are for the core that does them: so each core does them, called by interrupts.
 */
#include <stddef.h>

#include "core.h"
#include "hal_cache.h"
#include "hal_cpu.h"
#include "mmu_bits.h"
#include "mpj_layout.h"
#include "mpj_smp.h"

#define LINE  32U
#define WHOLE 0x8000U /* from here on the whole cache is less work than its lines */

extern char __data_start[];
extern hal_spinlock mpj_mem_lock; /* mem.c: the page tables, too */

struct range {
    uintptr_t first, end;
    uint32_t done; /* cores */
};

/* Runs fn on every core. The calling thread may move meanwhile, so each core notes that it has run
 * it. */
static void on_every_core(void (*fn)(void *arg), struct range *r)
{
    r->done = 0;
    while ((mpj_smp_active() & ~__atomic_load_n(&r->done, __ATOMIC_ACQUIRE)) != 0) {
        hal_irq_state s = hal_irq_save();

        fn(r);
        hal_irq_restore(s);
        mpj_smp_interrupt(~r->done, fn, r);
    }
}

static void done(struct range *r)
{
    __atomic_or_fetch(&r->done, 1U << hal_cpu_id(), __ATOMIC_ACQ_REL);
}

/* ---- permission ------------------------------------------------------------------- */

static void flush(void *arg)
{
    mpj_mmu_flush();
    done(arg);
}

static uint32_t *entry_of(uintptr_t page)
{
    uint32_t *section = &mpj_page_table[page / MPJ_SECTION_BYTES];

    if ((*section & 3U) != COARSE)
        mpj_mmu_unguard(page); /* makes pages of the section, as accessible as it was */
    if ((*section & 3U) != COARSE)
        return NULL;
    return (uint32_t *)(*section & COARSE_MASK) + page / MPJ_PAGE_BYTES % PAGES;
}

/* Splits a large page into sixteen small ones, so that one can differ. Guards stay as they are. */
static void make_small(uint32_t *entry, uintptr_t page)
{
    const uintptr_t base = page & ~(MPJ_MMU_GUARD_BYTES - 1U);

    entry -= (page - base) / MPJ_PAGE_BYTES;
    for (uint32_t i = 0; i < LARGE_ENTRIES; i++)
        entry[i] = (base + i * MPJ_PAGE_BYTES) | PAGE_NORMAL_RW;
}

static void clean_entries(const uint32_t *entry)
{
    /* The line with the entry, and the rest of the large page's. */
    for (uintptr_t p = (uintptr_t)entry & ~(LARGE_ENTRIES * 4U - 1U), n = 0; n < LARGE_ENTRIES * 4U;
         n += LINE)
        hal_cache_clean_line(p + n);
    hal_dsb();
}

static bool set(uintptr_t page, bool allow)
{
    uint32_t *entry;

    if (!allow && (mpj_page_table[page / MPJ_SECTION_BYTES] & 3U) != COARSE)
        return true; /* nothing of the section ever was executable */
    entry = entry_of(page);
    if (entry == NULL)
        return false;
    if ((*entry & 3U) == 0)
        return false; /* a guard */
    if ((*entry & 3U) == 1U)
        make_small(entry, page);
    *entry = page | (allow ? PAGE_NORMAL_RW & ~PAGE_XN : PAGE_NORMAL_RW);
    clean_entries(entry);
    return true;
}

static bool is_data(uintptr_t first, uintptr_t end)
{
    const uintptr_t data = (uintptr_t)__data_start & ~(uintptr_t)(MPJ_SECTION_BYTES - 1U);

    return (first >= data && first <= end && end <= MPJ_HEAP_END) ||
           (first >= MPJ_MAIN_STACK_BASE && first <= end && end <= MPJ_MAIN_STACK_TOP);
}

bool mpj_mem_execute(uintptr_t first, uintptr_t end, bool allow)
{
    struct range r = {0};
    bool good = is_data(first, end);
    hal_irq_state s;

    if (!good)
        return false;
    s = hal_spin_lock_irq(&mpj_mem_lock);
    for (uintptr_t page = first & ~(uintptr_t)(MPJ_PAGE_BYTES - 1U); good && page < end;
         page += MPJ_PAGE_BYTES)
        good = set(page, allow);
    hal_spin_unlock_irq(&mpj_mem_lock, s);
    on_every_core(flush, &r);
    return good;
}

/* ---- caches ------------------------------------------------------------------------ */

static bool by_lines(const struct range *r)
{
    return r->end - r->first <= WHOLE && is_data(r->first, r->end);
}

/* Writes the range from the data caches to memory, where all cores fetch from. */
static void clean(void *arg)
{
    struct range *r = arg;

    if (by_lines(r)) {
        for (uintptr_t p = r->first & ~(uintptr_t)(LINE - 1U); p < r->end; p += LINE)
            hal_cache_clean_line(p);
    } else {
        hal_cache_clean();
    }
    hal_dsb();
    done(r);
}

/* Invalidates the range in the instruction cache, and the branch predictions. */
static void invalidate(void *arg)
{
    struct range *r = arg;

    if (by_lines(r)) {
        for (uintptr_t p = r->first & ~(uintptr_t)(LINE - 1U); p < r->end; p += LINE)
            hal_cache_drop_insn_line(p);
    } else {
        hal_cache_drop_insn();
    }
    hal_cache_drop_branches();
    hal_dsb();
    hal_isb();
    done(r);
}

void mpj_mem_code_written(uintptr_t first, uintptr_t end)
{
    struct range r = {.first = first, .end = end};

    on_every_core(clean, &r);
    on_every_core(invalidate, &r);
}
