/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols interface for following a call chain (unwind.c). */
#ifndef SYMBOLS_INT_H
#define SYMBOLS_INT_H

#include <elfutils/libdw.h>

#include "report/symbols.h"

/* Returns the call frame information; NULL: it does not exist, or is not plausible for a
 * program. */
Dwarf_CFI *symbols_frames(struct mpj_symbols *s, Dwarf_Addr *bias);

#endif
