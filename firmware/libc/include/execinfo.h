/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call chains are always empty here: the host (`mpjoule run`) prints those of faults. */
#ifndef MPJ_LIBC_EXECINFO_H
#define MPJ_LIBC_EXECINFO_H

#include <features.h>
__MPJ_BEGIN

int backtrace(void **, int);
char **backtrace_symbols(void *const *, int);
void backtrace_symbols_fd(void *const *, int, int);

__MPJ_END

#endif
