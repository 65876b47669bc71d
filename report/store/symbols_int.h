/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What following a call chain (unwind.c) needs of a program's symbols. */
#ifndef SYMBOLS_INT_H
#define SYMBOLS_INT_H

#include <elfutils/libdw.h>

#include "mpj_symbols.h"

/* The call frame information; NULL: there is none, or it cannot be that of a program. */
Dwarf_CFI *symbols_frames(struct mpj_symbols *s, Dwarf_Addr *bias);

#endif
