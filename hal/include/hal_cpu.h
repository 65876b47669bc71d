/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The executing core: identity, interrupt mask, barriers, waiting, CP15 basics.
 *
 * Every function acts on the core that calls it and may be called from an
 * interrupt handler. On the target they are a few instructions, inline; on a
 * host (unit tests) hal/fake supplies them.
 */
#ifndef HAL_CPU_H
#define HAL_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "tile_board.h"

#define HAL_CORES_MAX ((unsigned)TILE_CORES)

/* Saved interrupt mask, as returned by hal_irq_save(). */
typedef uint32_t hal_irq_state;

#ifdef __arm__

/* Number of this core, 0..3 (MPIDR[1:0]). */
static inline unsigned hal_cpu_id(void)
{
    uint32_t v;
    __asm__ volatile("mrc p15, 0, %0, c0, c0, 5" : "=r"(v));
    return v & 3U;
}

/* Masks IRQ on this core and returns the state before. Nests. */
static inline hal_irq_state hal_irq_save(void)
{
    uint32_t v;
    __asm__ volatile("mrs %0, cpsr\n\tcpsid i" : "=r"(v) : : "memory");
    return v;
}

/* Puts the mask back to what hal_irq_save() returned. */
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

/* True when IRQ is masked on this core. */
static inline bool hal_irq_masked(void)
{
    uint32_t v;
    __asm__ volatile("mrs %0, cpsr" : "=r"(v));
    return (v & 0x80U) != 0;
}

/* Data memory barrier: accesses before it are seen before those after it. */
static inline void hal_dmb(void)
{
    __asm__ volatile("mcr p15, 0, %0, c7, c10, 5" : : "r"(0) : "memory");
}

/* Data synchronisation barrier: waits until accesses before it are complete. */
static inline void hal_dsb(void)
{
    __asm__ volatile("mcr p15, 0, %0, c7, c10, 4" : : "r"(0) : "memory");
}

/* Flushes the prefetch buffer, so that a changed control register is in effect. */
static inline void hal_isb(void)
{
    __asm__ volatile("mcr p15, 0, %0, c7, c5, 4" : : "r"(0) : "memory");
}

/* Waits for an interrupt; returns also when the interrupt is masked, and possibly
 * without one. Stores before it are complete first. */
static inline void hal_wfi(void)
{
    __asm__ volatile("mcr p15, 0, %0, c7, c10, 4\n\tmcr p15, 0, %0, c7, c0, 4"
                     :
                     : "r"(0)
                     : "memory");
}

/*
 * Switches branch prediction of this core (CP15 control register, bit Z) and returns whether it was
 * on. While it is off, branches leave the predictor as it is: code that runs seldom (a sampler's
 * interrupt) then takes nothing of what the program's branches have taught it. A taken branch costs
 * the refill of the pipeline meanwhile.
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

/* Main ID register. */
static inline uint32_t hal_cpu_midr(void)
{
    uint32_t v;
    __asm__ volatile("mrc p15, 0, %0, c0, c0, 0" : "=r"(v));
    return v;
}

/* Software context for trace tools and the emulator's truth: CONTEXTIDR = id << 8, ASID 0.
 * id: 0 idle or kernel, 1.. a thread; 24 bits. */
static inline void hal_cpu_set_context(uint32_t id)
{
    __asm__ volatile("mcr p15, 0, %0, c13, c0, 1" : : "r"(id << 8) : "memory");
}

/* The id last given to hal_cpu_set_context() on this core. */
static inline uint32_t hal_cpu_context(void)
{
    uint32_t v;
    __asm__ volatile("mrc p15, 0, %0, c13, c0, 1" : "=r"(v));
    return v >> 8;
}

/* Read-only thread register (TPIDRURO): where compiled code finds thread-local storage. */
static inline void hal_cpu_set_tls(const void *block)
{
    __asm__ volatile("mcr p15, 0, %0, c13, c0, 3" : : "r"(block) : "memory");
}

static inline void *hal_cpu_tls(void)
{
    void *v;
    __asm__ volatile("mrc p15, 0, %0, c13, c0, 3" : "=r"(v));
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

#endif

/* A spin lock between cores. Take it with IRQ masked when a handler may take it too. */
typedef struct hal_spinlock {
    volatile uint32_t taken;
} hal_spinlock;

#define HAL_SPINLOCK_INIT                                                                          \
    {                                                                                              \
        0                                                                                          \
    }

/* Takes the lock if it is free; true when taken. */
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

/* Releases the lock and puts the interrupt mask back. */
static inline void hal_spin_unlock_irq(hal_spinlock *l, hal_irq_state s)
{
    hal_spin_unlock(l);
    hal_irq_restore(s);
}

#endif
