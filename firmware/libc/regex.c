/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <regex.h>: the GNU C library's, as gnulib has it (README.md). Its lock is the library's own kind:
 * the profile shows the program's mutexes only. */
#include <pthread.h>

#include "rlock.h"

#define pthread_mutex_t              struct mpj_rlock
#define pthread_mutex_init(lock, at) (*(lock) = (struct mpj_rlock){0}, 0)
#define pthread_mutex_destroy(lock)  ((void)(lock))
#define pthread_mutex_lock(lock)     mpj_rlock_take(lock, __builtin_return_address(0))
#define pthread_mutex_unlock(lock)   mpj_rlock_give(lock)

/* NOLINTBEGIN(bugprone-suspicious-include) */
#include <gnulib/lib/regex.c>

#include <gnulib/lib/malloc/dynarray_resize.c>
/* NOLINTEND(bugprone-suspicious-include) */
