/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scheduler: picks the thread each core runs, and switches. Kernel code: no VFP. */
#include "mpj_sched.h"

#include <errno.h>
#include <stddef.h>

#include "core.h"
#include "hal_gic.h"
#include "hal_hot.h"
#include "hal_pmu.h"
#include "hal_sys.h"
#include "hal_timer.h"
#include "mpj_fault.h"
#include "mpj_hooks.h"
#include "mpj_layout.h"
#include "mpj_mmu.h"
#include "mpj_smp.h"

#define FPSCR_RUNFAST   0x03000000U
#define CPSR_I          0x80U
#define SPIN_POLLS      600U /* about 20 cycles each: 60 us */
#define SPIN_CHECK      64U  /* polls between two checks */
#define TIMER_TICKS_MAX (HAL_SYS_TIME_HZ * (BOARD_CORE_HZ <= 420000000U ? 20U : 8U)) /* 32 bits */
#define TIMER_RATIO_ONE 256U /* of timer_ratio */

struct sched mpj_sched;
static struct mpj_thread main_thread;

extern char __core_stacks_top[], __main_stack_base[], __main_stack_top[];
/* The instruction after the supervisor call by which a thread gives its core away. */
extern char mpj_sched_svc_done[];
/* The instruction that mpj_spin_us() executes, and the one after it. */
extern char mpj_spin_here[], mpj_spin_done[];

static struct sched_core *my_core(void)
{
    return &mpj_sched.core[hal_cpu_id()];
}

static void set_self(struct mpj_thread *t)
{
    hal_cpu_set_self(t);
}

HAL_HOT hal_irq_state mpj_sched_lock(void)
{
    hal_irq_state s = hal_spin_lock_irq(&mpj_sched.lock);

    mpj_sched.now = 0;
    return s;
}

/* Takes the scheduler's lock in an interrupt. */
static void lock(void)
{
    hal_spin_lock(&mpj_sched.lock);
    mpj_sched.now = 0;
}

uint64_t mpj_sched_now_locked(void)
{
    if (mpj_sched.now == 0)
        mpj_sched.now = hal_sys_ticks();
    return mpj_sched.now;
}

HAL_HOT void mpj_sched_unlock(hal_irq_state s)
{
    hal_spin_unlock_irq(&mpj_sched.lock, s);
}

struct mpj_waitq *mpj_sched_waitq(void)
{
    return &mpj_sched.waitq;
}

uint64_t mpj_sched_ticks(uint64_t ns)
{
    return ns > UINT64_MAX / 4U ? MPJ_NEVER : hal_time_of_ns(HAL_SYS_TIME_HZ, ns);
}

/* ---- timers ------------------------------------------------------------------------ */

/* The private timer of this core fires at `at` or earlier. Never later: an early one finds nothing
 * to do and sets the next. */
static void arm(struct sched_core *me, uint64_t at)
{
    uint64_t now, delta;

    if (at >= me->timer_at)
        return;
    now = mpj_sched_now_locked();
    delta = at > now ? at - now : 1U;
    if (delta > TIMER_TICKS_MAX)
        delta = TIMER_TICKS_MAX;
    me->timer_at = now + delta;
    if (!me->timer_on) {
        hal_gic_enable(HAL_IRQ_PRIVATE_TIMER);
        me->timer_on = true;
    }
    delta = (delta * mpj_sched.timer_ratio + TIMER_RATIO_ONE - 1U) / TIMER_RATIO_ONE;
    hal_timer_start(HAL_TIMER_PRIVATE, (uint32_t)delta, false);
}

void mpj_sched_need_timer_locked(uint64_t deadline)
{
    if (deadline == MPJ_NEVER)
        return;
    for (unsigned i = 0; i < HAL_CORES_MAX; i++) {
        if (mpj_sched.core[i].timer_at <= deadline)
            return;
    }
    arm(my_core(), deadline);
}

static void expire(struct mpj_thread *t)
{
    if (t->state == MPJ_THREAD_BLOCKED) {
        mpj_sched_wake_locked(t, -ETIMEDOUT);
        return;
    }
    /* mpj_spin_us(): the core that resumes it checks. */
    t->spin_over = true;
    if (t->state == MPJ_THREAD_RUNNING && t->core != hal_cpu_id())
        hal_gic_send(MPJ_SGI_SCHED, 1U << t->core);
}

static void on_timer(unsigned id, void *arg)
{
    struct sched_core *me = my_core();
    struct mpj_timeq_node *n;
    uint64_t now;

    (void)id;
    (void)arg;
    hal_timer_clear(HAL_TIMER_PRIVATE);
    lock();
    me->timer_at = MPJ_NEVER;
    now = mpj_sched_now_locked();
    while ((n = mpj_timeq_first(&mpj_sched.timeq)) != NULL && n->deadline <= now) {
        mpj_timeq_remove(&mpj_sched.timeq, n);
        expire(MPJ_LIST_ENTRY(n, struct mpj_thread, time));
    }
    mpj_sched_need_timer_locked(mpj_timeq_deadline(&mpj_sched.timeq));
    if (now >= me->slice_end)
        me->slice_over = me->resched = true;
    else if (me->slice_end != MPJ_NEVER)
        arm(me, me->slice_end);
    hal_spin_unlock(&mpj_sched.lock);
}

static void begin_slice(struct sched_core *me)
{
    mpj_sched.alone &= ~(1U << hal_cpu_id());
    if (mpj_sched.slice == 0)
        return;
    me->slice_end = mpj_sched_now_locked() + mpj_sched.slice;
    arm(me, me->slice_end);
}

/* Another core has work for this one, or company. */
static void on_sched(unsigned id, void *arg)
{
    struct sched_core *me = my_core();

    (void)id;
    (void)arg;
    if (!me->want_slice)
        return;
    lock();
    if (me->want_slice) {
        me->want_slice = false;
        begin_slice(me);
    }
    hal_spin_unlock(&mpj_sched.lock);
}

/* ---- the switch ---------------------------------------------------------------------- */

void mpj_sched_poke_locked(unsigned core)
{
    mpj_sched.core[core].resched = true;
    hal_gic_send(MPJ_SGI_SCHED, 1U << core);
}

static unsigned pick_idle(const struct mpj_thread *t, uint32_t idle)
{
    if ((idle & (1U << t->core)) != 0)
        return t->core;
    return (unsigned)__builtin_ctz(idle);
}

/* The core with the least urgent thread among those that t may preempt; HAL_CORES_MAX: none. */
static unsigned least_urgent(const struct mpj_thread *t, uint32_t may)
{
    unsigned lowest = HAL_CORES_MAX;

    for (; may != 0; may &= may - 1U) {
        unsigned i = (unsigned)__builtin_ctz(may);
        const struct sched_core *c = &mpj_sched.core[i];

        if (c->cur->id == 0 || c->resched || c->cur->run.priority >= t->run.priority)
            continue;
        if (lowest == HAL_CORES_MAX ||
            c->cur->run.priority < mpj_sched.core[lowest].cur->run.priority)
            lowest = i;
    }
    return lowest;
}

/* No core is idle: the thread preempts a less urgent one, or shares by slices. */
static void crowd(const struct mpj_thread *t, uint32_t may)
{
    if (t->run.priority != 0) {
        unsigned lowest = least_urgent(t, may);

        if (lowest < HAL_CORES_MAX) {
            mpj_sched_poke_locked(lowest);
            return;
        }
    }
    for (uint32_t left = may & mpj_sched.alone; left != 0; left &= left - 1U) {
        unsigned i = (unsigned)__builtin_ctz(left);
        struct sched_core *c = &mpj_sched.core[i];

        if (c->cur->run.priority != t->run.priority)
            continue;
        if (i == hal_cpu_id()) {
            begin_slice(c);
        } else {
            mpj_sched.alone &= ~(1U << i);
            c->want_slice = true;
            hal_gic_send(MPJ_SGI_SCHED, 1U << i);
        }
    }
}

void mpj_sched_place_locked(struct mpj_thread *t)
{
    uint32_t may = t->run.affinity & mpj_sched.active;
    uint32_t idle = may & mpj_sched.idle;

    t->state = MPJ_THREAD_READY;
    mpj_runq_put(&mpj_sched.runq, &t->run);
    if (idle != 0) {
        unsigned core = pick_idle(t, idle);

        mpj_sched.idle &= ~(1U << core);
        mpj_sched.core[core].called = true;
        mpj_sched.called++;
        mpj_sched_poke_locked(core);
        return;
    }
    crowd(t, may);
}

/* Accounting, and the core's software context: `to` runs on this core instead of `from`; NULL:
 * none. */
static void switch_prof(unsigned core, struct mpj_thread *from, struct mpj_thread *to)
{
    if (from != NULL || to != NULL)
        mpj_hooks.switch_to(core, from != NULL ? &from->prof : NULL, to != NULL ? &to->prof : NULL);
}

static struct mpj_thread *take(unsigned core, unsigned least)
{
    struct mpj_runq_node *n = mpj_runq_take(&mpj_sched.runq, core, least);

    return n == NULL ? NULL : MPJ_LIST_ENTRY(n, struct mpj_thread, run);
}

/* No thread runs or is ready, and no deadline is pending: nothing can ever happen. */
static bool all_wait(void)
{
    if (mpj_sched.live == 0 || mpj_sched.runq.count != 0 ||
        mpj_timeq_first(&mpj_sched.timeq) != NULL)
        return false;
    for (unsigned i = 0; i < HAL_CORES_MAX; i++) {
        if (mpj_sched.core[i].cur->id != 0)
            return false;
    }
    return true;
}

/* More threads are ready than idle cores have been called for. */
bool mpj_rt_oversubscribed(void)
{
    const volatile unsigned *ready = &mpj_sched.runq.count;

    return *ready > mpj_sched.called;
}

static struct mpj_thread *choose(struct sched_core *me, struct mpj_thread *from, bool share)
{
    unsigned core = hal_cpu_id();
    bool runs = from->state == MPJ_THREAD_RUNNING && from->id != 0;
    struct mpj_thread *to;

    if (mpj_sched.frozen)
        return core == mpj_sched.keeper ? from : &me->idle;
    if (runs && (from->run.affinity & (1U << core)) != 0)
        to = take(core, from->run.priority + (share ? 0U : 1U));
    else
        to = take(core, 0);
    if (to != NULL)
        return to;
    return runs && (from->run.affinity & (1U << core)) != 0 ? from : &me->idle;
}

/* The thread has left its stack for good. */
static void bury(struct mpj_thread *t)
{
    mpj_sched.live--;
    t->buried = true;
    if (t->detached)
        mpj_thread_release_locked(t);
    else if (t->joiner != NULL)
        mpj_sched_wake_locked(t->joiner, 0);
}

/* Frame to resume: of the thread that runs next on this core. share: the present one lets its
 * equals go first. */
static struct mpj_context *reschedule(struct mpj_context *c, bool share)
{
    struct sched_core *me = my_core();
    unsigned core = hal_cpu_id();
    struct mpj_thread *from = me->cur;
    struct mpj_thread *to = choose(me, from, share);
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
        set_self(to);
        if (from->state == MPJ_THREAD_RUNNING && from->id != 0)
            mpj_sched_place_locked(from);
        else if (from->state == MPJ_THREAD_DEAD)
            bury(from);
    }
    mpj_sched.alone &= ~(1U << core);
    if (busy && to->slices) {
        if (mpj_rt_oversubscribed())
            begin_slice(me);
        else
            mpj_sched.alone |= 1U << core;
    }
    if (!busy && !mpj_sched.frozen && all_wait())
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

/* Resumes a thread whose time in mpj_spin_us() is over after its branch. */
static void end_spin(struct mpj_thread *t, struct mpj_context *c)
{
    if (t->spin_over && c->pc == (uint32_t)mpj_spin_here)
        c->pc = (uint32_t)mpj_spin_done;
}

/* ---- interrupting a thread ------------------------------------------------------------ */

/* Saves what the frame does not, calls fn and resumes the frame (boot/start.S). */
void mpj_thread_interrupted(struct mpj_context *frame, void (*fn)(void));

/* Frame to resume for a thread that something is to be called in: on its stack, below the one of
 * what it does. */
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

/* Last before a frame is resumed: what its thread is to do first. */
static inline struct mpj_context *resume(struct mpj_thread *t, struct mpj_context *c)
{
    end_spin(t, c);
    return __builtin_expect(t->interrupt != NULL, 0) ? interrupt(t, c) : c;
}

struct mpj_context *mpj_irq_leave(struct mpj_context *c)
{
    struct sched_core *me = my_core();

    if (!mpj_sched.on)
        return c;
    if (me->resched) {
        lock();
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

/* The caller holds the lock. */
struct mpj_context *mpj_svc(struct mpj_context *c)
{
    struct sched_core *me = my_core();
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

/* True if others may change what the thread waits for, which is noted with the lock held. */
static bool may_change(const struct mpj_wait_info *info)
{
    return info->kind == MPJ_WAIT_COND;
}

/* A spin-waiting thread has time for its accounts. */
static void settle(struct mpj_thread *self, unsigned core, bool changes)
{
    if (changes) {
        lock();
        self->prof.settles = self->spins;
        hal_spin_unlock(&mpj_sched.lock);
        if (!self->prof.settles)
            return;
    }
    mpj_hooks.settle(core, &self->prof);
}

/*
 * Adaptive spinning: a thread that blocks polls for a while whether it is woken before it gives its
 * core away, if no other thread needs the core. Threads that wait for each other briefly save all
 * switches and interrupts between cores. Lock held; returns true without it when the thread was
 * woken, IRQ masked all the time. The wait is noted without the lock, which the thread it waits for
 * may need next.
 */
static bool spin_locked(struct mpj_thread *self, const struct mpj_wait_info *info)
{
    struct sched_core *me = my_core();
    unsigned core = hal_cpu_id();
    const bool changes = may_change(info);
    bool woken;

    if (info->kind == MPJ_WAIT_SLEEP || mpj_rt_oversubscribed() || mpj_sched.frozen ||
        me->resched) {
        mpj_hooks.wait_begin(&self->prof, info);
        return false;
    }
    self->spins = true;
    if (changes) {
        mpj_hooks.wait_begin(&self->prof, info);
        self->prof.settles = true;
    }
    hal_spin_unlock(&mpj_sched.lock);
    if (changes)
        mpj_hooks.stay(core, &self->prof);
    else
        mpj_hooks.spin(core, &self->prof, info, hal_pmu_cycles());
    for (unsigned n = 1; n < SPIN_POLLS && self->spins && !me->resched && !mpj_rt_oversubscribed();
         n++) {
        if (n % SPIN_CHECK != 0)
            continue;
        if (n == SPIN_CHECK)
            settle(self, core, changes);
        else if (hal_gic_pending())
            break;
        else
            mpj_hooks.more(core);
    }
    woken = !__atomic_load_n(&self->spins, __ATOMIC_ACQUIRE);
    if (!woken) {
        lock();
        woken = !self->spins;
        if (!woken) {
            self->spins = false;
            return false;
        }
        hal_spin_unlock(&mpj_sched.lock);
    }
    mpj_hooks.resume(core, &self->prof);
    return true;
}

/* Takes the thread out of its queues, except those of time. */
static void leave_queues(struct mpj_thread *t)
{
    if (!mpj_list_empty(&t->wait.link))
        mpj_waitq_remove(&mpj_sched.waitq, &t->wait);
    if (t->joining != NULL) {
        t->joining->joiner = NULL;
        t->joining = NULL;
    }
}

_Static_assert(offsetof(struct mpj_wait_info, owner) == 8, "as sim/chip/prof.c reads it");

int mpj_sched_block_locked(const struct mpj_wait_info *info, uint64_t deadline, bool cancel)
{
    struct mpj_thread *self = mpj_thread_self();

    /* Only here, with the lock held, can who cancels not miss who is about to wait. */
    if (cancel && self->cancel_pending && !self->cancel_off) {
        leave_queues(self);
        hal_spin_unlock(&mpj_sched.lock);
        return -ECANCELED;
    }
    if (self->interrupt != NULL && self->hold == 0) {
        leave_queues(self);
        hal_spin_unlock(&mpj_sched.lock);
        return -EINTR;
    }
    self->state = MPJ_THREAD_BLOCKED;
    self->info = *info;
    self->cancel_point = cancel;
    if (deadline != MPJ_NEVER) {
        mpj_timeq_put(&mpj_sched.timeq, &self->time, deadline);
        mpj_sched_need_timer_locked(deadline);
    }
    if (!spin_locked(self, info))
        mpj_sched_give_away();
    return self->result;
}

void mpj_rt_spin_enter(struct mpj_rt_spin *l)
{
    l->irq = hal_irq_save();
    l->since = hal_pmu_cycles();
    l->checks = 0;
}

bool mpj_rt_spin_on(struct mpj_rt_spin *l, const struct mpj_wait_info *info)
{
    struct sched_core *me = my_core();
    unsigned core = hal_cpu_id();

    if (me->resched || !mpj_sched_can_wait() || mpj_rt_oversubscribed() || hal_gic_pending())
        return false;
    if (l->checks == 0)
        mpj_hooks.spin(core, &mpj_thread_self()->prof, info, l->since);
    else if (l->checks == 1U)
        mpj_hooks.settle(core, &mpj_thread_self()->prof);
    else
        mpj_hooks.more(core);
    l->checks++;
    return true;
}

void mpj_rt_spin_leave(struct mpj_rt_spin *l)
{
    if (l->checks > 0)
        mpj_hooks.resume(hal_cpu_id(), &mpj_thread_self()->prof);
    hal_irq_restore(l->irq);
}

void mpj_sched_wake_locked(struct mpj_thread *t, int result)
{
    leave_queues(t);
    mpj_timeq_remove(&mpj_sched.timeq, &t->time);
    t->result = result;
    t->cancel_point = false;
    if (t->spins) {
        t->state = MPJ_THREAD_RUNNING;
        __atomic_store_n(&t->spins, false, __ATOMIC_RELEASE);
    } else {
        mpj_hooks.wait_end(&t->prof);
        mpj_sched_place_locked(t);
    }
}

void mpj_sched_rename_wait_locked(struct mpj_thread *t, const struct mpj_wait_info *info)
{
    mpj_timeq_remove(&mpj_sched.timeq, &t->time);
    t->cancel_point = false;
    t->info = *info;
    mpj_hooks.wait_end(&t->prof);
    mpj_hooks.wait_begin(&t->prof, info);
}

void mpj_rt_yield(void)
{
    hal_irq_state s;

    if (mpj_sched.runq.count == 0 || !mpj_sched_can_wait())
        return;
    s = mpj_sched_lock();
    mpj_sched_give_away();
    hal_irq_restore(s);
}

/* ---- start and end -------------------------------------------------------------------- */

_Noreturn void mpj_sched_idle(void)
{
    set_self(&my_core()->idle);
    for (;;) {
        hal_irq_disable();
        if (my_core()->deadlock) {
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
    mpj_timeq_init(&mpj_sched.timeq);
    mpj_sched.active = cores;
    mpj_sched.timer_ratio =
        (uint32_t)((uint64_t)hal_timer_hz() * TIMER_RATIO_ONE / HAL_SYS_TIME_HZ);
    mpj_sched.slice = MPJ_SLICE_TICKS;
    mpj_sched.idle = cores & ~1U;
    mpj_sched.next_id = 1;
    for (unsigned i = 0; i < HAL_CORES_MAX; i++) {
        struct sched_core *c = &mpj_sched.core[i];

        c->timer_at = MPJ_NEVER;
        c->slice_end = MPJ_NEVER;
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
    set_self(&main_thread);
    mpj_irq_attach(MPJ_SGI_SCHED, on_sched, NULL);
    mpj_irq_attach(HAL_IRQ_PRIVATE_TIMER, on_timer, NULL);
}

void mpj_sched_begin(void)
{
    hal_irq_state s = mpj_sched_lock();

    mpj_sched.on = true;
    mpj_hooks.switch_to(0, NULL, &main_thread.prof);
    mpj_sched_unlock(s);
}

bool mpj_sched_can_wait(void)
{
    return mpj_sched.on && !mpj_sched.frozen && mpj_thread_self()->id != 0;
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
