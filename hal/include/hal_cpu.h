/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The executing core: identity, interrupt mask, barriers, waiting, basic registers of CP15 (DDI
 * 0360, "Control Coprocessor CP15").
 *
 * Every function acts on the calling core and may be called from an interrupt handler. On the
 * target they are a few instructions, inline; on a host (unit tests) hal/fake supplies them.
 */
#ifndef HAL_CPU_H
#define HAL_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "tile_machine.h"

#define HAL_CORES_MAX ((unsigned)TILE_CORES_MAX)

/* Saved interrupt mask, as returned by hal_irq_save(). */
typedef uint32_t hal_irq_state;

#ifdef __arm__

/* Returns the number of this core, 0..HAL_CORES_MAX-1 (CPU ID Register, c0, bits [1:0]). */
static inline unsigned hal_cpu_id(void)
{
    uint32_t v;
    __asm__ volatile("mrc p15, 0, %0, c0, c0, 5" : "=r"(v));
    return v & 3U;
}

/* Masks IRQ on this core and returns the previous state. Nests. */
static inline hal_irq_state hal_irq_save(void)
{
    uint32_t v;
    __asm__ volatile("mrs %0, cpsr\n\tcpsid i" : "=r"(v) : : "memory");
    return v;
}

/* Restores the mask that hal_irq_save() returned. */
static inline void hal_irq_restore(hal_irq_state s)
{
    __asm__ volatile("msr cpsr_c, %0" : : "r"(s) : "memory");
}

/* Unmasks IRQ on this core. */
static inline void hal_irq_enable(void)
{
    __asm__ volatile("cpsie i" : : : "memory");
}

/* Masks IRQ on this core. */
static inline void hal_irq_disable(void)
{
    __asm__ volatile("cpsid i" : : : "memory");
}

/* Returns true when IRQ is masked on this core. */
static inline bool hal_irq_masked(void)
{
    uint32_t v;
    __asm__ volatile("mrs %0, cpsr" : "=r"(v));
    return (v & 0x80U) != 0;
}

/* Executes a data memory barrier (c7): accesses before it are observed before those after it. */
static inline void hal_dmb(void)
{
    __asm__ volatile("mcr p15, 0, %0, c7, c10, 5" : : "r"(0) : "memory");
}

/* Executes a data synchronisation barrier (c7): waits until accesses before it are complete. */
static inline void hal_dsb(void)
{
    __asm__ volatile("mcr p15, 0, %0, c7, c10, 4" : : "r"(0) : "memory");
}

/* Flushes the prefetch buffer (c7), so that a changed control register is in effect. */
static inline void hal_isb(void)
{
    __asm__ volatile("mcr p15, 0, %0, c7, c5, 4" : : "r"(0) : "memory");
}

/* Waits for an interrupt (WFI, c7) after completing earlier stores. A masked interrupt also ends
 * the wait, which may even end without one. */
static inline void hal_wfi(void)
{
    __asm__ volatile("mcr p15, 0, %0, c7, c10, 4\n\tmcr p15, 0, %0, c7, c0, 4"
                     :
                     : "r"(0)
                     : "memory");
}

/*
 * Switches branch prediction of this core on or off (Control Register, c1, bit Z) and returns
 * whether it was on. While it is off, branches do not update the predictor: code that runs seldom
 * (a sampler's interrupt) then evicts no entry of the program's branches, but each taken branch
 * costs a refill of the pipeline.
 */
static inline bool hal_cpu_predict(bool on)
{
    const uint32_t z = 1U << 11;
    uint32_t v;
    __asm__ volatile("mrc p15, 0, %0, c1, c0, 0" : "=r"(v));
    __asm__ volatile("mcr p15, 0, %0, c1, c0, 0\n\tmcr p15, 0, %1, c7, c5, 4"
                     :
                     : "r"(on ? v | z : v & ~z), "r"(0)
                     : "memory");
    return (v & z) != 0;
}

/* Returns the Main ID Register, c0. */
static inline uint32_t hal_cpu_midr(void)
{
    uint32_t v;
    __asm__ volatile("mrc p15, 0, %0, c0, c0, 0" : "=r"(v));
    return v;
}

/* Sets the software context for trace tools and the emulator's truth: Context ID Register, c13,
 * = id << 8, ASID 0.
 * id: 0 idle or kernel, 1.. a thread; 24 bits. */
static inline void hal_cpu_set_context(uint32_t id)
{
    __asm__ volatile("mcr p15, 0, %0, c13, c0, 1" : : "r"(id << 8) : "memory");
}

/* Returns the id last given to hal_cpu_set_context() on this core. */
static inline uint32_t hal_cpu_context(void)
{
    uint32_t v;
    __asm__ volatile("mrc p15, 0, %0, c13, c0, 1" : "=r"(v));
    return v >> 8;
}

/* Sets the thread register that user code may only read (c13, TPIDRURO): compiled code finds
 * thread-local storage there. */
static inline void hal_cpu_set_tls(const void *block)
{
    __asm__ volatile("mcr p15, 0, %0, c13, c0, 3" : : "r"(block) : "memory");
}

/* Returns the block last given to hal_cpu_set_tls() on this core. */
static inline void *hal_cpu_tls(void)
{
    void *v;
    __asm__ volatile("mrc p15, 0, %0, c13, c0, 3" : "=r"(v));
    return v;
}

/* Sets the thread register that only privileged code may access (c13, TPIDRPRW). */
static inline void hal_cpu_set_self(void *thread)
{
    __asm__ volatile("mcr p15, 0, %0, c13, c0, 4" : : "r"(thread) : "memory");
}

/* Returns the last value of hal_cpu_set_self() on this core. */
static inline void *hal_cpu_self(void)
{
    void *v;
    __asm__ volatile("mrc p15, 0, %0, c13, c0, 4" : "=r"(v));
    return v;
}

#else /* host: hal/fake */

unsigned hal_cpu_id(void);
hal_irq_state hal_irq_save(void);
void hal_irq_restore(hal_irq_state s);
void hal_irq_enable(void);
void hal_irq_disable(void);
bool hal_irq_masked(void);
void hal_dmb(void);
void hal_dsb(void);
void hal_isb(void);
void hal_wfi(void);
bool hal_cpu_predict(bool on);
uint32_t hal_cpu_midr(void);
void hal_cpu_set_context(uint32_t id);
uint32_t hal_cpu_context(void);
void hal_cpu_set_tls(const void *block);
void *hal_cpu_tls(void);
void hal_cpu_set_self(void *thread);
void *hal_cpu_self(void);

#endif

/* A spin lock between cores. Take it with IRQ masked if an interrupt handler also takes it. */
typedef struct hal_spinlock {
    volatile uint32_t taken;
} hal_spinlock;

#define HAL_SPINLOCK_INIT                                                                          \
    {                                                                                              \
        0                                                                                          \
    }

/* Takes the lock if it is free; returns true if it was. */
static inline bool hal_spin_try(hal_spinlock *l)
{
    if (__atomic_exchange_n(&l->taken, 1U, __ATOMIC_ACQUIRE) != 0)
        return false;
    return true;
}

/* Spins until the lock is taken. Not recursive. */
static inline void hal_spin_lock(hal_spinlock *l)
{
    while (!hal_spin_try(l)) {
        while (l->taken != 0) /* read-only while waiting: the line stays shared */
            ;
    }
}

/* Releases the lock. */
static inline void hal_spin_unlock(hal_spinlock *l)
{
    __atomic_store_n(&l->taken, 0U, __ATOMIC_RELEASE);
}

/* Masks IRQ, then takes the lock; give the result to hal_spin_unlock_irq(). */
static inline hal_irq_state hal_spin_lock_irq(hal_spinlock *l)
{
    hal_irq_state s = hal_irq_save();
    hal_spin_lock(l);
    return s;
}

/* Releases the lock and restores the interrupt mask. */
static inline void hal_spin_unlock_irq(hal_spinlock *l, hal_irq_state s)
{
    hal_spin_unlock(l);
    hal_irq_restore(s);
}

#endif
