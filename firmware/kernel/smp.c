/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_smp.h"

#include <stddef.h>

#include "hal_cpu.h"
#include "hal_gic.h"
#include "hal_machine.h"
#include "hal_power.h"
#include "hal_scu.h"
#include "hal_sys.h"
#include "mpj_fault.h"
#include "mpj_hooks.h"
#include "mpj_irq.h"
#include "mpj_layout.h"
#include "mpj_sched.h"
#include "mpj_tls.h"

#define START_TIMEOUT (HAL_SYS_TIME_HZ / 2U)
#define STOP_TIMEOUT  (HAL_SYS_TIME_HZ / 100U)
#define PARK_TIMEOUT  (HAL_SYS_TIME_HZ / 100U)

typedef void (*work_fn)(void *arg);

/* State of one core, a cache line each: cores that wait for different things do not disturb each
 * other. */
struct worker {
    volatile uint32_t online;
    volatile uint32_t parked; /* asked to park */
} __attribute__((aligned(32)));

static struct worker worker[HAL_CORES_MAX];
static uint32_t active = 1;
static uint32_t stopped;
static hal_spinlock interrupt_lock;
static struct {
    work_fn fn;
    void *arg;
    volatile uint32_t left;
} interrupt;

void mpj_secondary_start(void);
_Noreturn void mpj_secondary_main(unsigned core);

/* Opens and closes the mask, so that pending interrupts are served. */
static void serve(void)
{
    hal_irq_enable();
    __asm__ volatile("nop");
    hal_irq_disable();
}

static void on_call(unsigned id, void *arg)
{
    work_fn fn;

    (void)id;
    (void)arg;
    fn = __atomic_load_n(&interrupt.fn, __ATOMIC_ACQUIRE);
    if (fn == NULL)
        return;
    fn(interrupt.arg);
    __atomic_sub_fetch(&interrupt.left, 1U, __ATOMIC_RELEASE);
}

void mpj_smp_stopped(void)
{
    hal_irq_disable();
    __atomic_or_fetch(&stopped, 1U << hal_cpu_id(), __ATOMIC_RELEASE);
    for (;;)
        hal_wfi();
}

static void on_stop(unsigned id, void *arg)
{
    (void)id;
    (void)arg;
    mpj_smp_stopped();
}

void mpj_smp_stop_others(void)
{
    uint32_t others = active & ~(1U << hal_cpu_id());
    uint32_t begin = hal_sys_ticks32();

    if (others == 0)
        return;
    hal_gic_send(MPJ_SGI_STOP, others);
    while ((__atomic_load_n(&stopped, __ATOMIC_ACQUIRE) & others) != others &&
           hal_sys_ticks32() - begin < STOP_TIMEOUT)
        ;
}

/* Sleeps for good, as the core is asked to park. Called by the idle loop. */
static void park(struct worker *w)
{
    while (w->parked) {
        hal_power_park();
        serve();
    }
}

void mpj_smp_idle(void)
{
    struct worker *w = &worker[hal_cpu_id()];

    if (w->parked)
        park(w);
    else
        mpj_hooks.wfi();
}

_Noreturn void mpj_secondary_main(unsigned core)
{
    mpj_tls_core_init(core);
    hal_gic_cpu_init();
    hal_cpu_set_context(0);
    __atomic_store_n(&worker[core].online, 1U, __ATOMIC_RELEASE);
    hal_gic_send(MPJ_SGI_WAKE, 1U);
    mpj_sched_idle();
}

static bool all_online(unsigned cores)
{
    for (unsigned i = 1; i < cores; i++) {
        if (!__atomic_load_n(&worker[i].online, __ATOMIC_ACQUIRE))
            return false;
    }
    return true;
}

/* Waits until the cores are online, or for a time: a core that never starts must not block the
 * others. */
static void wait_online(unsigned cores)
{
    const uint32_t begin = hal_sys_ticks32();

    while (!all_online(cores) && hal_sys_ticks32() - begin <= START_TIMEOUT)
        ;
}

unsigned mpj_smp_cores(void)
{
    const unsigned there = hal_scu_cores();

    return there < BOARD_CORES ? there : BOARD_CORES;
}

unsigned mpj_smp_start(void)
{
    const unsigned cores = mpj_smp_cores();
    uint32_t others = ((1U << cores) - 1U) & ~1U;

    mpj_irq_attach(MPJ_SGI_CALL, on_call, NULL);
    mpj_irq_attach(MPJ_SGI_STOP, on_stop, NULL);
    hal_sys_start_none();
    for (unsigned i = 1; i < cores; i++) {
        hal_sys_start(i, (uint32_t)mpj_secondary_start);
        if (hal_machine.start.kind != TILE_START_PEN)
            continue;
        hal_gic_send(MPJ_SGI_WAKE, 1U << i);
        wait_online(i + 1U);
    }
    if (others != 0 && hal_machine.start.kind == TILE_START_FLAGS)
        hal_gic_send(MPJ_SGI_WAKE, others);
    wait_online(cores);
    hal_sys_start_none();
    for (unsigned i = 1; i < cores; i++) {
        if (worker[i].online)
            active |= 1U << i;
    }
    return all_online(cores) ? cores : 0;
}

void mpj_smp_park(uint32_t keep_mask)
{
    for (unsigned i = 1; i < HAL_CORES_MAX; i++) {
        uint32_t begin = hal_sys_ticks32();

        if ((active & (1U << i)) == 0 || (keep_mask & (1U << i)) != 0)
            continue;
        active &= ~(1U << i);
        __atomic_store_n(&worker[i].parked, 1U, __ATOMIC_RELEASE);
        hal_gic_send(MPJ_SGI_WAKE, 1U << i);
        /* One core at a time: they share the status register. */
        while (hal_scu_power(i) == HAL_SCU_NORMAL && hal_sys_ticks32() - begin < PARK_TIMEOUT)
            ;
    }
}

uint32_t mpj_smp_active(void)
{
    return active;
}

bool mpj_smp_interrupt_begin(uint32_t mask, void (*fn)(void *arg), void *arg)
{
    uint32_t others = mask & active & ~(1U << hal_cpu_id());

    if (others == 0)
        return false;
    /* Interrupts stay open while waiting for the lock: its holder may be waiting for us. A handler
     * of signals may want it, too. */
    mpj_thread_hold();
    hal_spin_lock(&interrupt_lock);
    interrupt.arg = arg;
    interrupt.left = (uint32_t)__builtin_popcount(others);
    __atomic_store_n(&interrupt.fn, fn, __ATOMIC_RELEASE);
    hal_gic_send(MPJ_SGI_CALL, others);
    return true;
}

void mpj_smp_interrupt_end(void)
{
    while (__atomic_load_n(&interrupt.left, __ATOMIC_ACQUIRE) != 0)
        ;
    __atomic_store_n(&interrupt.fn, NULL, __ATOMIC_RELEASE);
    hal_spin_unlock(&interrupt_lock);
    mpj_thread_release();
}

void mpj_smp_interrupt(uint32_t mask, void (*fn)(void *arg), void *arg)
{
    if (mpj_smp_interrupt_begin(mask, fn, arg))
        mpj_smp_interrupt_end();
}
