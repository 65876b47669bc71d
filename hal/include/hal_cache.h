/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * First-level caches of the executing core (DDI 0360, "c7, Cache Operations Register").
 *
 * Every function acts on the calling core only; to act on all cores, call it on each. Callable from
 * interrupt handlers. The inline ones are single operations without a barrier: hal_dsb() completes
 * them, hal_isb() makes them effective for the instructions that follow. They exist on the target
 * only.
 */
#ifndef HAL_CACHE_H
#define HAL_CACHE_H

#include <stdint.h>

#define HAL_CACHE_LINE 32U /* bytes; instruction and data cache */

/* Writes the core's dirty lines back and empties its data cache, barrier included. IRQ masked. */
void hal_cache_clean_invalidate(void);

/* Empties the instruction cache and the branch predictor, barriers included. To be called after
 * code was written. */
void hal_cache_invalidate_insn(void);

#ifdef __arm__

/* Writes the line of data at an address back; it stays in the cache. */
static inline void hal_cache_clean_line(uintptr_t address)
{
    __asm__ volatile("mcr p15, 0, %0, c7, c10, 1" : : "r"(address) : "memory");
}

/* Writes all dirty lines back; they stay in the cache. */
static inline void hal_cache_clean(void)
{
    __asm__ volatile("mcr p15, 0, %0, c7, c10, 0" : : "r"(0) : "memory");
}

/* Drops the instruction line at an address. */
static inline void hal_cache_drop_insn_line(uintptr_t address)
{
    __asm__ volatile("mcr p15, 0, %0, c7, c5, 1" : : "r"(address) : "memory");
}

/* Drops all instruction lines; the branch predictor keeps its entries. */
static inline void hal_cache_drop_insn(void)
{
    __asm__ volatile("mcr p15, 0, %0, c7, c5, 0" : : "r"(0) : "memory");
}

/* Drops all entries of the branch predictor (BTAC). */
static inline void hal_cache_drop_branches(void)
{
    __asm__ volatile("mcr p15, 0, %0, c7, c5, 6" : : "r"(0) : "memory");
}

#endif

#endif
