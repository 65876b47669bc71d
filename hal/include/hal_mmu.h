/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TLB and fault registers of the executing core (DDI 0360, "Control Coprocessor CP15": c5, c6, c8).
 * Callable from interrupt and exception handlers. On the target only.
 */
#ifndef HAL_MMU_H
#define HAL_MMU_H

#include <stdint.h>

#ifdef __arm__

/* Drops all entries of the core's TLBs; hal_dsb() and hal_isb() complete it. */
static inline void hal_mmu_drop_tlb(void)
{
    __asm__ volatile("mcr p15, 0, %0, c8, c7, 0" : : "r"(0) : "memory");
}

/* Access of domain 0, for Domain Access Control Register, c3: as the page tables say, or
 * everything, until it is set back. */
#define HAL_MMU_CLIENT  1U
#define HAL_MMU_MANAGER 3U
static inline void hal_mmu_set_domains(uint32_t access)
{
    __asm__ volatile("mcr p15, 0, %0, c3, c0, 0\n\tmcr p15, 0, %1, c7, c5, 4"
                     :
                     : "r"(access), "r"(0)
                     : "memory");
}

/* Returns the status of the last data abort: Data Fault Status Register, c5. */
static inline uint32_t hal_mmu_dfsr(void)
{
    uint32_t v;
    __asm__ volatile("mrc p15, 0, %0, c5, c0, 0" : "=r"(v) : : "memory");
    return v;
}

/* Returns the status of the last prefetch abort: Instruction Fault Status Register, c5. */
static inline uint32_t hal_mmu_ifsr(void)
{
    uint32_t v;
    __asm__ volatile("mrc p15, 0, %0, c5, c0, 1" : "=r"(v) : : "memory");
    return v;
}

/* Returns the address of the access of the last data abort, meaningless when it was imprecise:
 * Fault Address Register, c6. */
static inline uint32_t hal_mmu_dfar(void)
{
    uint32_t v;
    __asm__ volatile("mrc p15, 0, %0, c6, c0, 0" : "=r"(v) : : "memory");
    return v;
}

/* Returns the address register of instruction faults, c6 with op2 2. Inferred: ARMv6 names it
 * IFAR. */
static inline uint32_t hal_mmu_ifar(void)
{
    uint32_t v;
    __asm__ volatile("mrc p15, 0, %0, c6, c0, 2" : "=r"(v) : : "memory");
    return v;
}

#endif

#endif
