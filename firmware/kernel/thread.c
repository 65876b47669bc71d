/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads by slot: their beginning and end. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "core.h"
#include "mpj_fault.h"
#include "mpj_hooks.h"
#include "mpj_records.h"
#include "paint.h"

bool mpj_thread_register(struct mpj_thread *t, const void *entry)
{
    hal_irq_state s = mpj_sched_lock();
    const struct mpj_thread *parent = mpj_sched.on ? mpj_thread_self() : NULL;
    unsigned slot = mpj_sched.slot_hint;

    while (slot < MPJ_THREADS_MAX && mpj_sched.slot[slot] != NULL)
        slot++;
    if (slot == MPJ_THREADS_MAX) {
        mpj_sched_unlock(s);
        return false;
    }
    mpj_sched.slot_hint = slot + 1U;
    mpj_sched.slot[slot] = t;
    t->slot = (uint16_t)slot;
    t->generation = mpj_sched.generation[slot];
    t->id = mpj_sched.next_id++;
    if (t->id > 1)
        mpj_thread_self()->alone = false;
    t->slices = true;
    t->run.affinity = ~0U;
    t->core = (uint8_t)hal_cpu_id();
    if (parent != NULL)
        t->run.priority = parent->run.priority;
    mpj_list_init(&t->run.link);
    mpj_list_init(&t->wait.link);
    mpj_hooks.thread_init(&t->prof, t->id, parent != NULL ? parent->id : 0, entry);
    mpj_sched_unlock(s);
    return true;
}

void mpj_thread_unregister_locked(struct mpj_thread *t)
{
    mpj_sched.slot[t->slot] = NULL;
    mpj_sched.generation[t->slot]++;
    if (t->slot < mpj_sched.slot_hint)
        mpj_sched.slot_hint = t->slot;
    t->state = MPJ_THREAD_FREE;
}

void mpj_thread_start(struct mpj_thread *t)
{
    hal_irq_state s = mpj_sched_lock();

    mpj_sched.live++;
    mpj_sched_place_locked(t);
    mpj_sched_unlock(s);
}

static struct mpj_stack_note note_of(const struct mpj_thread *t)
{
    return (struct mpj_stack_note){.low = t->stack_low, .top = t->stack_high, .rec = t->prof.rec};
}

void mpj_thread_paint(struct mpj_thread *t, const struct mpj_stack_note *last)
{
    const uint32_t before = mpj_mem_stack_seen(last, true);
    uint32_t depth = UINT32_MAX;

    /* Below what the last thread used, the stack is still painted. */
    if (before != 0 && last->low == t->stack_low && last->top == t->stack_high)
        depth = before;
    if (t->prof.rec != NULL && !last->ready)
        mpj_paint(t->stack_low, t->stack_high, t->stack_high, depth);
}

void mpj_thread_stacks_seen(void)
{
    for (unsigned i = 0; i < MPJ_THREADS_MAX; i++) {
        const struct mpj_thread *const t = mpj_sched.slot[i];

        if (t != NULL && (t->stack != 0 || t->state != MPJ_THREAD_DEAD)) {
            const struct mpj_stack_note note = note_of(t);

            (void)mpj_mem_stack_seen(&note, false);
        }
    }
    mpj_mem_stacks_seen();
}

_Noreturn void mpj_thread_end(void)
{
    struct mpj_thread *self = mpj_thread_self();

    if (self->stack == 0) { /* the program's memory: it is painted over, or something else soon */
        const struct mpj_stack_note note = note_of(self);

        (void)mpj_mem_stack_seen(&note, false);
    }
    (void)mpj_sched_lock();
    mpj_hooks.thread_exit(&self->prof);
    self->state = MPJ_THREAD_DEAD;
    mpj_sched_give_away();
    mpj_fatal(MPJ_TERR_RUNTIME, self->id, "an ended thread ran again");
}

void mpj_thread_reclaim_locked(struct mpj_thread *t)
{
    mpj_thread_unregister_locked(t);
    if (t->stack != 0) {
        const struct mpj_stack_note note = note_of(t);

        mpj_mem_stack_put(t->stack, &note);
    }
    t->stack = 0;
    t->next_free = mpj_sched.recycled;
    mpj_sched.recycled = t;
}

/* Returns memory for a thread that has none from a released one: taken like a stack, in parts. Not
 * from malloc(): programs without it should not get it, and its lock may need a thread. Not from
 * the heap below it either: malloc() extends that in steps, between which nothing else may move the
 * end. */
static struct mpj_thread *new_memory(void)
{
    static struct mpj_thread *next;
    static unsigned left;

    if (left == 0) {
        struct mpj_stack_note last;
        uint32_t bytes = sizeof(struct mpj_thread);

        next = (struct mpj_thread *)mpj_mem_stack_get(&bytes, &last);
        (void)mpj_mem_stack_seen(&last, true);
        if (next == NULL)
            return NULL;
        left = bytes / sizeof(struct mpj_thread);
    }
    left--;
    return next++;
}

struct mpj_thread *mpj_thread_memory(void)
{
    hal_irq_state s = mpj_sched_lock();
    struct mpj_thread *t = mpj_sched.recycled;

    if (t != NULL)
        mpj_sched.recycled = t->next_free;
    else
        t = new_memory();
    mpj_sched_unlock(s);
    return t;
}

void mpj_thread_forget(struct mpj_thread *t)
{
    hal_irq_state s = mpj_sched_lock();

    t->next_free = mpj_sched.recycled;
    mpj_sched.recycled = t;
    mpj_sched_unlock(s);
}

struct mpj_thread *mpj_thread_by_slot(unsigned slot)
{
    return slot < MPJ_THREADS_MAX ? mpj_sched.slot[slot] : NULL;
}

uint32_t mpj_thread_owner_id(unsigned slot_plus_1)
{
    const struct mpj_thread *t = mpj_thread_by_slot(slot_plus_1 - 1U);

    return t != NULL ? t->id : 0;
}

void mpj_thread_set(struct mpj_thread *t, unsigned priority, uint32_t affinity, bool slices)
{
    hal_irq_state s = mpj_sched_lock();

    if (t->state == MPJ_THREAD_READY)
        mpj_runq_remove(&mpj_sched.runq, &t->run);
    if (priority != t->run.priority && !mpj_list_empty(&t->wait.link))
        mpj_waitq_rank(&mpj_sched.waitq, &t->wait, priority);
    t->run.priority = (uint8_t)priority;
    t->run.affinity = affinity;
    t->slices = slices;
    if (t->state == MPJ_THREAD_READY) {
        mpj_sched_place_locked(t);
    } else if (t->state == MPJ_THREAD_RUNNING || t->spins) {
        /* A thread that stays is poked, too: another one may now be more urgent. */
        mpj_sched_poke_locked(t->core);
    }
    mpj_sched_unlock(s);
}

/* ---- the interface of mpj_rt.h ------------------------------------------------------- */

uint32_t mpj_rt_self(void)
{
    return mpj_sched.on ? mpj_thread_self()->id : 0;
}

unsigned mpj_rt_cores(void)
{
    return (unsigned)__builtin_popcount(mpj_sched.active);
}

int mpj_rt_wait(const volatile uint32_t *addr, uint32_t expected, const struct mpj_wait_info *info,
                uint64_t deadline_ns)
{
    struct mpj_thread *self = mpj_thread_self();
    uint64_t deadline = mpj_sched_ticks(deadline_ns);
    hal_irq_state s;
    int r;

    do {
        if (!mpj_sched_can_wait())
            return -EAGAIN;
        s = mpj_sched_lock();
        mpj_waitq_announce(&mpj_sched.waitq, (uintptr_t)addr);
        if (*addr != expected) {
            mpj_waitq_retract(&mpj_sched.waitq, (uintptr_t)addr);
            mpj_sched_unlock(s);
            return -EAGAIN;
        }
        mpj_waitq_add(&mpj_sched.waitq, &self->wait, (uintptr_t)addr, self->run.priority);
        r = mpj_sched_block_locked(info, deadline, false);
        hal_irq_restore(s);
        if (r == -EINTR)
            mpj_thread_poll();
    } while (r == -EINTR);
    return r;
}

unsigned mpj_rt_wake(const volatile uint32_t *addr, unsigned n)
{
    unsigned woken = 0;
    hal_irq_state s;

    if (mpj_waitq_idle(&mpj_sched.waitq, (uintptr_t)addr))
        return 0;
    s = mpj_sched_lock();
    while (woken < n) {
        struct mpj_waitq_node *node = mpj_waitq_take(&mpj_sched.waitq, (uintptr_t)addr);

        if (node == NULL)
            break;
        mpj_sched_wake_locked(mpj_thread_of_wait(node), 0);
        woken++;
    }
    mpj_sched_unlock(s);
    return woken;
}
