/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call chains are told of faults, by the host (`mpjoule run`): here they are empty. */
#ifndef MPJ_EXECINFO_H
#define MPJ_EXECINFO_H

int backtrace(void **address, int size);
char **backtrace_symbols(void *const *address, int size);
void backtrace_symbols_fd(void *const *address, int size, int fd);

#endif
