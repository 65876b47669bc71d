/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the process that has a file locked by flock(). */
#ifndef HOLDER_H
#define HOLDER_H

#include <stddef.h>
#include <sys/stat.h>

/* Returns the process that holds flock() on a file exclusively, by the kernel's list, without
 * opening it; 0: none; -1: one that this process cannot see. */
long flock_holder(const struct stat *file);
/* Writes one line on a process by the system's data on it: "alice, process 123 (tio)". */
void holder_describe(long pid, char *out, size_t cap);

#endif
