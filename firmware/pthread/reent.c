/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each thread's own state of the C library: errno, buffers of strtok and the like. The standard
 * streams are the program's: all threads write to the same. */
#include <reent.h>
#include <stdio.h>
#include <string.h>

#include "pt_int.h"

/* newlib's: opens the standard streams of a state, unless they are. */
void __sinit(struct _reent *r);

/* Closes no stream: the standard ones are not a thread's own. */
static void close_none(struct _reent *r)
{
    (void)r;
}

void pt_reent_init(struct _reent *r)
{
    struct _reent *global = _GLOBAL_REENT;

    __sinit(global);
    _REENT_INIT_PTR(r);
    __sinit(r); /* so that no stream function does it, which would replace these */
    r->_stdin = global->_stdin;
    r->_stdout = global->_stdout;
    r->_stderr = global->_stderr;
    r->__cleanup = close_none;
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
    _reclaim_reent(own);
}
