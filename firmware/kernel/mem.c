/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory that heap and stacks share, and the guards below the stacks. */
#include <stddef.h>

#include "core.h"
#include "hal_cache.h"
#include "mpj_fault.h"
#include "mpj_hooks.h"
#include "mpj_mmu.h"
#include "paint.h"
#include "stacks.h"

extern char __heap_start[], __heap_end[], __main_stack_base[], __main_stack_top[];

hal_spinlock mpj_mem_lock;
static struct mpj_stacks stacks;

_Static_assert(MPJ_STACKS_PAGE == MPJ_MMU_GUARD_BYTES, "a guard is a page of the stacks");

static bool guard(uintptr_t page)
{
    if (mpj_mmu_guard(page) != 0)
        return false;
    /* The other cores may remember the page as it was: they forget before they run a thread. */
    __atomic_add_fetch(&mpj_sched.mmu_epoch, 1U, __ATOMIC_RELEASE);
    return true;
}

static void unguard(uintptr_t page)
{
    mpj_mmu_unguard(page);
}

static void forget(const struct mpj_stack_note *last)
{
    (void)mpj_mem_stack_seen(last, false);
}

static uintptr_t ready = UINTPTR_MAX;

static hal_irq_state enter(void)
{
    hal_irq_state s = hal_spin_lock_irq(&mpj_mem_lock);

    if (stacks.top == 0) {
        mpj_stacks_init(&stacks, (uintptr_t)__heap_start, (uintptr_t)__heap_end, guard, unguard);
        stacks.forget = forget;
        stacks.ready = ready;
    }
    return s;
}

void *mpj_mem_sbrk(intptr_t by)
{
    hal_irq_state s = enter();
    uintptr_t old = mpj_stacks_sbrk(&stacks, by, (uintptr_t)__heap_start);

    hal_spin_unlock_irq(&mpj_mem_lock, s);
    return old == 0 ? (void *)-1 : (void *)old;
}

void mpj_mem_use(size_t *used, size_t *limit)
{
    hal_irq_state s = enter();

    *used = stacks.brk - (uintptr_t)__heap_start;
    *limit = stacks.floor - (uintptr_t)__heap_start;
    hal_spin_unlock_irq(&mpj_mem_lock, s);
}

void mpj_mem_open(void)
{
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    if ((uintptr_t)__heap_end - (uintptr_t)__heap_start > 2U * MPJ_PAINT_READY) {
        ready = (uintptr_t)__heap_end - MPJ_PAINT_READY;
        mpj_paint_ready(ready, (uintptr_t)__heap_end);
    }
    mpj_paint((uintptr_t)__main_stack_base, (uintptr_t)__main_stack_top, here - MPJ_PAINT_FINE,
              UINT32_MAX);
    hal_cache_clean_invalidate(); /* what follows finds it as empty as without paint */
}

/* Paints no more than what was used: lines that come into the cache evict others, and the SCU's
 * tags survive the defined start. */
void mpj_mem_paint_main(void)
{
    const uintptr_t low = (uintptr_t)__main_stack_base, top = (uintptr_t)__main_stack_top;
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    mpj_paint(low, top, here - MPJ_PAINT_FINE, mpj_paint_depth(low, top, true));
}

void mpj_mem_heap(uint32_t *now, uint32_t *peak, uint32_t *room)
{
    const bool any = stacks.top != 0;

    *now = any ? (uint32_t)(stacks.brk - (uintptr_t)__heap_start) : 0U;
    *peak = any ? (uint32_t)(stacks.peak - (uintptr_t)__heap_start) : 0U;
    *room = (uint32_t)((any ? stacks.floor : (uintptr_t)__heap_end) - (uintptr_t)__heap_start);
}

uint32_t mpj_mem_stack_seen(const struct mpj_stack_note *note, bool quick)
{
    uint32_t depth;

    if (note->rec == NULL || note->top == 0)
        return 0;
    depth = mpj_paint_depth(note->low, note->top, quick);
    mpj_hooks.stack_used(note->rec, (uint32_t)(note->top - note->low), depth);
    return depth;
}

void mpj_mem_stacks_seen(void)
{
    hal_irq_state s = enter();

    mpj_stacks_forget(&stacks);
    hal_spin_unlock_irq(&mpj_mem_lock, s);
}

uintptr_t mpj_mem_stack_get(uint32_t *bytes, struct mpj_stack_note *last)
{
    hal_irq_state s = enter();
    uintptr_t base = mpj_stacks_get(&stacks, bytes, last);

    hal_spin_unlock_irq(&mpj_mem_lock, s);
    return base;
}

void mpj_mem_stack_put(uintptr_t usable, const struct mpj_stack_note *last)
{
    hal_irq_state s = enter();

    mpj_stacks_put(&stacks, usable, last);
    hal_spin_unlock_irq(&mpj_mem_lock, s);
}

/* Largest distance below a stack of a pointer that left it: a frame that was never touched. */
#define BELOW (16U << 20)

bool mpj_fault_stack(uint32_t addr, uint32_t *low, uint32_t *high)
{
    uint32_t nearest = UINT32_MAX;

    for (unsigned i = 0; i < MPJ_THREADS_MAX; i++) {
        const struct mpj_thread *const t = mpj_sched.slot[i];

        if (t == NULL || addr >= t->stack_high || addr + BELOW < t->stack_low ||
            t->stack_high > nearest)
            continue;
        *low = (uint32_t)t->stack_low;
        *high = nearest = (uint32_t)t->stack_high;
    }
    return nearest != UINT32_MAX;
}

bool mpj_fault_is_guard(uint32_t addr)
{
    return mpj_stacks_is_guard(&stacks, addr);
}
