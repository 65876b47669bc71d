/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several flows of control in one thread. */
#ifndef MPJ_UCONTEXT_H
#define MPJ_UCONTEXT_H

#include <sys/ucontext.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The caller's is kept, and comes back here when it is set; 0. */
int getcontext(ucontext_t *context);
/* Goes on there; -1 never. */
int setcontext(const ucontext_t *context);
/* Both. */
int swapcontext(ucontext_t *__restrict old, const ucontext_t *__restrict next);
/* One of getcontext(), with uc_stack and uc_link set: calls fn with `count` arguments of type int,
 * on that stack, and goes on at uc_link then; NULL: the program ends. */
void makecontext(ucontext_t *context, void (*fn)(void), int count, ...);

#ifdef __cplusplus
}
#endif

#endif
