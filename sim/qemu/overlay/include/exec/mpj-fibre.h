/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread of control with a stack of its own, inside of one thread. */
#ifndef EXEC_MPJ_FIBRE_H
#define EXEC_MPJ_FIBRE_H

#include <setjmp.h>

typedef struct MpjFibre {
    sigjmp_buf place; /* where it goes on */
    void (*run)(void *opaque);
    void *opaque;
} MpjFibre;

/* Runs run(opaque), which must not return, at the first switch to it. */
void mpj_fibre_new(MpjFibre *f, void (*run)(void *), void *opaque);
/* Leaves @from, which must be the running one, until something switches to it. */
void mpj_fibre_switch(MpjFibre *from, MpjFibre *to);

#endif
