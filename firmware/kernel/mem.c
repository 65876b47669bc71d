/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory that heap and stacks share, and the guards below the stacks. */
#include <stddef.h>

#include "core.h"
#include "mpj_fault.h"
#include "mpj_mmu.h"
#include "stacks.h"

extern char __heap_start[], __heap_end[];

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

static hal_irq_state enter(void)
{
    hal_irq_state s = hal_spin_lock_irq(&mpj_mem_lock);

    if (stacks.top == 0)
        mpj_stacks_init(&stacks, (uintptr_t)__heap_start, (uintptr_t)__heap_end, guard, unguard);
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

uintptr_t mpj_mem_stack_get(uint32_t *bytes)
{
    hal_irq_state s = enter();
    uintptr_t base = mpj_stacks_get(&stacks, bytes);

    hal_spin_unlock_irq(&mpj_mem_lock, s);
    return base;
}

void mpj_mem_stack_put(uintptr_t usable)
{
    hal_irq_state s = enter();

    mpj_stacks_put(&stacks, usable);
    hal_spin_unlock_irq(&mpj_mem_lock, s);
}

bool mpj_fault_is_guard(uint32_t addr)
{
    return mpj_stacks_is_guard(&stacks, addr);
}
