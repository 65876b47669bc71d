/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layout of the resident loader's programs: distances in the RAM and in the NOR flash that the
 * board describes (tile_machine.h), the same for every board. The loader (firmware/loader) and the
 * host (hil/src/content.c) both check programs against it.
 *
 * Plain numbers of bytes, fit for assembler files and linker scripts.
 */
#ifndef MPJ_LOADER_MAP_H
#define MPJ_LOADER_MAP_H

/* In the RAM. Below the first: vectors, and the loop where the other cores wait. Programs are
 * copied to the lower half, what is uploaded waits in the upper one; their bss may reach to the
 * stacks. */
#define MPJ_LOADER_RAM_FIRST 0x8000   /* from its start */
#define MPJ_LOADER_RAM_LAST  0xb00000 /* from its end: mpj_layout.h, MPJ_HEAP_END */

/* In the first bank of the NOR flash: slot 0 from here to the bank's middle, slot 1 from there to
 * its end. Programs that run from the flash are linked for slot 0. */
#define MPJ_LOADER_SLOT0 0x200000

#endif
