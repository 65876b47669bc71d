/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Costs that a run changes, for the emulator. */
#ifndef HIL_WHATIF_H
#define HIL_WHATIF_H

#include "base/errors.h"

/*
 * Writes these changes in the emulator's form: "function:NAME=F", "lock:NAME=free", "miss:LEVEL=F"
 * (docs/man/mpjoule-run.md). MPJ_E_USAGE: not one of them, a factor out of range, or a name that
 * the program does not have; MPJ_E_ELF: the program has no symbols; MPJ_E_IO.
 */
int mpj_what_if_write(const char *elf, const char *const *what, unsigned n, const char *path,
                      struct mpj_err *err);

#endif
