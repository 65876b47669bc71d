/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The switch of threads, and what interrupts them. Kernel code: no VFP. */
#include "mpj_sched.h"

#include <errno.h>
#include <stddef.h>

#include "core.h"
#include "hal_gic.h"
#include "hal_hot.h"
#include "hal_sys.h"
#include "mpj_fault.h"
#include "mpj_hooks.h"
#include "mpj_layout.h"
#include "mpj_mmu.h"
#include "mpj_smp.h"
#include "sched_timer.h"

#define FPSCR_RUNFAST 0x03000000U
#define CPSR_I        0x80U

struct sched mpj_sched;
static struct mpj_thread main_thread;

extern char __core_stacks_top[], __main_stack_base[], __main_stack_top[];
/* Address of the instruction after the supervisor call by which a thread gives its core away. */
extern char mpj_sched_svc_done[];
/* Addresses of the branch that mpj_spin_us() spins on, and of the instruction after it. */
extern char mpj_spin_here[], mpj_spin_done[];

HAL_HOT hal_irq_state mpj_sched_lock(void)
{
    hal_irq_state s = hal_spin_lock_irq(&mpj_sched.lock);

    mpj_sched.now = 0;
    return s;
}

HAL_HOT void mpj_sched_unlock(hal_irq_state s)
{
    hal_spin_unlock_irq(&mpj_sched.lock, s);
}

struct mpj_waitq *mpj_sched_waitq(void)
{
    return &mpj_sched.waitq;
}

/* ---- the switch ---------------------------------------------------------------------- */

/* Reports to the profile that `to` runs on this core instead of `from`, which sets the core's
 * software context, too. NULL: none. */
static void switch_prof(unsigned core, struct mpj_thread *from, struct mpj_thread *to)
{
    if (from != NULL || to != NULL)
        mpj_hooks.switch_to(core, from != NULL ? &from->prof : NULL, to != NULL ? &to->prof : NULL);
}

/* Ends a thread that has left its stack for good: releases it or wakes its joiner. */
static void bury(struct mpj_thread *t)
{
    mpj_sched.live--;
    t->buried = true;
    if (t->detached)
        mpj_thread_reclaim_locked(t);
    else if (t->joiner != NULL)
        mpj_sched_wake_locked(t->joiner, 0);
}

/* Chooses the thread that runs next on this core, switches to it and returns its frame. share:
 * equals of the present thread go first. */
static struct mpj_context *reschedule(struct mpj_context *c, bool share)
{
    struct sched_core *me = mpj_sched_my_core();
    unsigned core = hal_cpu_id();
    struct mpj_thread *from = me->cur;
    struct mpj_thread *to = mpj_sched_choose_locked(from, share);
    bool busy = to->id != 0;

    if (me->called) {
        me->called = false;
        mpj_sched.called--;
    }
    me->resched = false;
    me->slice_over = false;
    me->want_slice = false;
    me->slice_end = MPJ_NEVER;
    if (busy)
        mpj_sched.idle &= ~(1U << core);
    else if (!mpj_sched.frozen)
        mpj_sched.idle |= 1U << core;
    if (to != from) {
        from->frame = c;
        c = to->frame;
        if (from->id != 0)
            mpj_vfp_save(&from->vfp);
        me->cur = to;
        to->core = (uint8_t)core;
        to->state = MPJ_THREAD_RUNNING;
        switch_prof(core, from->id != 0 ? from : NULL, busy ? to : NULL);
        hal_cpu_set_self(to);
        if (from->state == MPJ_THREAD_RUNNING && from->id != 0)
            mpj_sched_place_locked(from);
        else if (from->state == MPJ_THREAD_DEAD)
            bury(from);
    }
    mpj_sched.alone &= ~(1U << core);
    if (busy && to->slices) {
        if (mpj_sched_oversubscribed())
            mpj_sched_begin_slice_locked(me);
        else
            mpj_sched.alone |= 1U << core;
    }
    if (!busy && !mpj_sched.frozen && mpj_sched_all_wait_locked())
        me->deadlock = true; /* reported by the idle thread */
    if (to != from && busy) {
        if (me->mmu_epoch != mpj_sched.mmu_epoch) {
            me->mmu_epoch = mpj_sched.mmu_epoch;
            mpj_mmu_flush();
        }
        hal_cpu_set_tls(to->tls);
        *MPJ_PERCORE_REENT = to->reent;
        mpj_vfp_load(&to->vfp);
    }
    return c;
}

/* Ends mpj_spin_us() of a thread whose time is over: lets it resume after the branch. */
static void end_spin(struct mpj_thread *t, struct mpj_context *c)
{
    if (t->spin_over && c->pc == (uint32_t)mpj_spin_here)
        c->pc = (uint32_t)mpj_spin_done;
}

/* ---- interrupting a thread ------------------------------------------------------------ */

/* Saves what the frame does not, calls fn and resumes the frame (boot/start.S). */
void mpj_thread_interrupted(struct mpj_context *frame, void (*fn)(void));

/* Pushes a frame below that of a thread, on its stack, which calls the function that interrupts it,
 * and returns the frame to resume. */
static __attribute__((noinline)) struct mpj_context *interrupt(struct mpj_thread *t,
                                                               struct mpj_context *c)
{
    struct mpj_context *n;

    if (t->hold != 0 || mpj_sched.frozen)
        return c;
    if ((c->cpsr & CPSR_I) != 0) {
        hal_gic_send(MPJ_SGI_SCHED, 1U << hal_cpu_id()); /* when it unmasks IRQ */
        return c;
    }
    n = (struct mpj_context *)((uintptr_t)c & ~(uintptr_t)7U) - 1;
    n->r[0] = (uint32_t)c;
    n->r[1] = (uint32_t)t->interrupt;
    n->pc = (uint32_t)mpj_thread_interrupted;
    n->cpsr = MPJ_CPSR_THREAD;
    t->interrupt = NULL;
    return n;
}

void mpj_thread_interrupt_locked(struct mpj_thread *t, void (*fn)(void))
{
    t->interrupt = fn;
    if (t->hold != 0)
        return;
    if (t->state == MPJ_THREAD_BLOCKED)
        mpj_sched_wake_locked(t, -EINTR);
    if (t->state == MPJ_THREAD_RUNNING)
        hal_gic_send(MPJ_SGI_SCHED, 1U << t->core);
}

void mpj_thread_poll(void)
{
    struct mpj_thread *self = mpj_thread_self();
    void (*fn)(void);
    hal_irq_state s;

    if (self->hold != 0)
        return;
    s = hal_irq_save();
    fn = self->interrupt;
    self->interrupt = NULL;
    hal_irq_restore(s);
    if (fn != NULL)
        fn();
}

/* Returns the frame to resume, after what its thread has to do first. */
static inline struct mpj_context *resume(struct mpj_thread *t, struct mpj_context *c)
{
    end_spin(t, c);
    return __builtin_expect(t->interrupt != NULL, 0) ? interrupt(t, c) : c;
}

struct mpj_context *mpj_irq_leave(struct mpj_context *c)
{
    struct sched_core *me = mpj_sched_my_core();

    if (!mpj_sched.on)
        return c;
    if (me->resched) {
        mpj_sched_lock_masked();
        c = reschedule(c, me->slice_over);
        hal_spin_unlock(&mpj_sched.lock);
    }
    c = resume(me->cur, c);
    mpj_hooks.kernel_leave(hal_cpu_id());
    return c;
}

void mpj_irq_enter(void)
{
    if (mpj_sched.on)
        mpj_hooks.kernel_enter(hal_cpu_id());
}

/* Handles the supervisor call of mpj_sched_give_away(), whose caller holds the lock. */
struct mpj_context *mpj_svc(struct mpj_context *c)
{
    struct sched_core *me = mpj_sched_my_core();
    unsigned core = hal_cpu_id();

    if (c->pc != (uint32_t)mpj_sched_svc_done)
        mpj_fault_context(MPJ_FAULT_KIND_SVC, c);
    mpj_hooks.kernel_enter(core);
    c = reschedule(c, true);
    hal_spin_unlock(&mpj_sched.lock);
    c = resume(me->cur, c);
    mpj_hooks.kernel_leave(core);
    return c;
}

/* IRQ masked, lock held: returns masked, without the lock. */
__attribute__((noinline)) void mpj_sched_give_away(void)
{
    __asm__ volatile(".global mpj_sched_svc_done\n\t"
                     "svc #0\n"
                     "mpj_sched_svc_done:" ::
                         : "memory");
}

/* ---- start and end -------------------------------------------------------------------- */

_Noreturn void mpj_sched_idle(void)
{
    hal_cpu_set_self(&mpj_sched_my_core()->idle);
    for (;;) {
        hal_irq_disable();
        if (mpj_sched_my_core()->deadlock) {
            hal_irq_enable();
            mpj_sched_deadlock();
        }
        mpj_smp_idle();
        hal_irq_enable();
        __asm__ volatile("nop");
    }
}

static void idle_on_core0(struct mpj_thread *t)
{
    (void)t;
    mpj_sched_idle();
}

void mpj_thread_frame(struct mpj_thread *t, uintptr_t top, void (*fn)(struct mpj_thread *t))
{
    struct mpj_context *c = (struct mpj_context *)(top & ~7U) - 1;

    *c = (struct mpj_context){.pc = (uint32_t)fn, .cpsr = MPJ_CPSR_THREAD};
    c->r[0] = (uint32_t)t;
    t->frame = c;
    t->vfp = (struct mpj_vfp){.fpscr = FPSCR_RUNFAST};
}

void mpj_sched_init(uint32_t cores)
{
    mpj_runq_init(&mpj_sched.runq);
    mpj_waitq_init(&mpj_sched.waitq);
    mpj_sched.active = cores;
    mpj_sched.idle = cores & ~1U;
    mpj_sched.next_id = 1;
    for (unsigned i = 0; i < HAL_CORES_MAX; i++) {
        struct sched_core *c = &mpj_sched.core[i];

        c->idle.state = MPJ_THREAD_RUNNING;
        c->idle.core = (uint8_t)i;
        c->cur = &c->idle;
    }
    mpj_thread_frame(&mpj_sched.core[0].idle, (uintptr_t)__core_stacks_top - MPJ_STACK_IDLE,
                     idle_on_core0);
    main_thread.tls = hal_cpu_tls();
    main_thread.reent = *MPJ_PERCORE_REENT;
    main_thread.stack_low = (uintptr_t)__main_stack_base;
    main_thread.stack_high = (uintptr_t)__main_stack_top;
    (void)mpj_thread_register(&main_thread, NULL);
    mpj_mem_paint_main();
    mpj_sched.live = 1;
    main_thread.state = MPJ_THREAD_RUNNING;
    main_thread.alone = true;
    mpj_sched.core[0].cur = &main_thread;
    mpj_sched.alone = 1U;
    hal_cpu_set_self(&main_thread);
    mpj_sched_timer_init();
}

void mpj_sched_begin(void)
{
    hal_irq_state s = mpj_sched_lock();

    mpj_sched.on = true;
    mpj_hooks.switch_to(0, NULL, &main_thread.prof);
    mpj_sched_unlock(s);
}

static bool others_idle(void)
{
    for (unsigned i = 0; i < HAL_CORES_MAX; i++) {
        const struct mpj_thread *const volatile *cur =
            (const struct mpj_thread *const volatile *)&mpj_sched.core[i].cur;

        if (i != mpj_sched.keeper && (mpj_sched.active & (1U << i)) != 0 && (*cur)->id != 0)
            return false;
    }
    return true;
}

void mpj_sched_freeze(void)
{
    hal_irq_state s;

    if (!mpj_sched.on)
        return;
    s = mpj_sched_lock();
    if (mpj_sched.frozen && mpj_sched.keeper != hal_cpu_id()) {
        /* Another thread is ending the run. */
        mpj_sched_poke_locked(hal_cpu_id());
        mpj_sched_unlock(s);
        for (;;)
            ;
    }
    mpj_sched.keeper = (uint8_t)hal_cpu_id();
    mpj_sched.frozen = true;
    for (unsigned i = 0; i < HAL_CORES_MAX; i++) {
        if (i != mpj_sched.keeper && (mpj_sched.active & (1U << i)) != 0)
            mpj_sched_poke_locked(i);
    }
    const bool idle = others_idle();
    hal_spin_unlock(&mpj_sched.lock);
    if (!idle) {
        while (!others_idle()) {
        }
        hal_spin_lock(&mpj_sched.lock); /* with it they account for what they ran */
        hal_spin_unlock(&mpj_sched.lock);
    }
    hal_irq_restore(s);
}
