/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call chains are told of faults, by the host (`mpjoule run`): here they are empty. */
#ifndef MPJ_LIBC_EXECINFO_H
#define MPJ_LIBC_EXECINFO_H

#include <features.h>
__MPJ_BEGIN

int backtrace(void **, int);
char **backtrace_symbols(void *const *, int);
void backtrace_symbols_fd(void *const *, int, int);

__MPJ_END

#endif
