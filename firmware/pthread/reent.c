/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each thread's own state of the C library: errno, buffers of strtok and the like. The standard
 * streams are the program's: all threads write to the same. */
#include <reent.h>
#include <stdio.h>

#include "pt_int.h"

/* newlib's: opens the standard streams of a state. */
void __sinit(struct _reent *r);

void pt_reent_init(struct _reent *r)
{
    struct _reent *global = _GLOBAL_REENT;

    if (!global->__sdidinit)
        __sinit(global);
    _REENT_INIT_PTR(r);
    r->_stdin = global->_stdin;
    r->_stdout = global->_stdout;
    r->_stderr = global->_stderr;
    r->__sdidinit = 1;
}

void pt_reent_exit(struct mpj_thread *t)
{
    struct _reent *own = t->reent;
    hal_irq_state s;

    if (own == _GLOBAL_REENT)
        return;
    s = hal_irq_save();
    t->reent = _GLOBAL_REENT;
    *MPJ_PERCORE_REENT = _GLOBAL_REENT;
    hal_irq_restore(s);
    own->__sdidinit = 0; /* the streams are not its own to close */
    _reclaim_reent(own);
}
