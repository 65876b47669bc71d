/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Per-thread state of the C library: errno, buffers of strtok() and the like. The standard streams
 * are shared by all threads. */
#include <reent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h> /* _REENT_INIT_PTR() of newlib 4 calls memset() */

#include "pt_int.h"

/* newlib's: opens the standard streams of a state that is not marked as having opened them. */
void __sinit(struct _reent *r);

#ifdef _REENT_CLEANUP /* newlib 4.3 and later: this function closes a state's streams */
/* Closes no stream: the standard ones do not belong to one thread. */
static void close_none(struct _reent *r)
{
    (void)r;
}

static void mark_open(struct _reent *r, bool open)
{
    _REENT_CLEANUP(r) = open ? close_none : NULL;
}
#else
static void mark_open(struct _reent *r, bool open)
{
    r->__sdidinit = open;
}
#endif

void pt_reent_init(struct _reent *r)
{
    struct _reent *global = _GLOBAL_REENT;

    __sinit(global);
    _REENT_INIT_PTR(r);
    r->_stdin = global->_stdin;
    r->_stdout = global->_stdout;
    r->_stderr = global->_stderr;
    mark_open(r, true); /* else a stream function opens them and empties their buffers */
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
    mark_open(own, false); /* the standard streams are shared and stay open */
    _reclaim_reent(own);
}
