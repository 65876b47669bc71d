/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contexts: several flows of control in one thread. */
#ifndef MPJ_UCONTEXT_H
#define MPJ_UCONTEXT_H

#include <sys/ucontext.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Saves the caller's context; returns 0, and again when the context is set. */
int getcontext(ucontext_t *context);
/* Continues at the context; returns -1 only on failure. */
int setcontext(const ucontext_t *context);
/* Saves the caller's context and continues at the other one. */
int swapcontext(ucontext_t *__restrict old, const ucontext_t *__restrict next);
/* Prepares a context of getcontext(), whose uc_stack and uc_link are set: it calls fn with `count`
 * arguments of type int on that stack, then continues at uc_link; NULL: the program ends. */
void makecontext(ucontext_t *context, void (*fn)(void), int count, ...);

#ifdef __cplusplus
}
#endif

#endif
