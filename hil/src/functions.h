/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of a program, for the emulator. */
#ifndef HIL_FUNCTIONS_H
#define HIL_FUNCTIONS_H

#include "base/errors.h"

/*
 * Writes a line for each function of the program into a file, in the emulator's format
 * (docs/profile-file.md). MPJ_E_ELF: the program has no symbols; MPJ_E_IO.
 */
int mpj_functions_list(const char *elf, const char *path, struct mpj_err *err);

#endif
