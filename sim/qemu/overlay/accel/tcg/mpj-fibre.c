/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stack for each core, so that a core can stop in the middle of a block.
 *
 * Not QEMU's coroutines: what runs here is a core with all its devices, which
 * must not take itself for one (block layer and channels would yield).
 */
/* Checked jumps take another stack for an error. */
#ifdef _FORTIFY_SOURCE
#undef _FORTIFY_SOURCE
#define _FORTIFY_SOURCE 0
#endif
#include "qemu/osdep.h"
#ifndef __x86_64__
#include <ucontext.h>
#endif
#include "qemu/units.h"
#include "exec/mpj-fibre.h"

#ifdef __x86_64__
static void fibre_entry(MpjFibre *from, MpjFibre *to)
{
    to->run(to->opaque);
    g_assert_not_reached();
}

void mpj_fibre_new(MpjFibre *f, void (*run)(void *), void *opaque)
{
    size_t bytes = 1 * MiB;
    uint8_t *stack = qemu_alloc_stack(&bytes);
    void **top = (void **)(stack + bytes - 64);

    f->run = run;
    f->opaque = opaque;
    top[0] = fibre_entry; /* taken off, the stack is aligned as after a call */
    f->place = top;
}
#else
static struct {
    MpjFibre *fibre;
    sigjmp_buf starter;
} starting;

static void fibre_entry(void)
{
    MpjFibre *f = starting.fibre;

    if (sigsetjmp(f->place, 0) == 0) {
        siglongjmp(starting.starter, 1);
    }
    f->run(f->opaque);
    g_assert_not_reached();
}

void mpj_fibre_new(MpjFibre *f, void (*run)(void *), void *opaque)
{
    size_t bytes = 1 * MiB;
    void *stack = qemu_alloc_stack(&bytes);
    ucontext_t own, uc;

    f->run = run;
    f->opaque = opaque;
    starting.fibre = f;
    if (getcontext(&uc) != 0) {
        abort();
    }
    uc.uc_link = &own;
    uc.uc_stack.ss_sp = stack;
    uc.uc_stack.ss_size = bytes;
    uc.uc_stack.ss_flags = 0;
    makecontext(&uc, fibre_entry, 0);
    if (sigsetjmp(starting.starter, 0) == 0) {
        swapcontext(&own, &uc);
    }
}

void mpj_fibre_switch(MpjFibre *from, MpjFibre *to)
{
    if (sigsetjmp(from->place, 0) == 0) {
        siglongjmp(to->place, 1);
    }
}
#endif
