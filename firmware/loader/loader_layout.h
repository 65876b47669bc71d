/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory of the resident loader: shared by its start code, linker scripts, C and hil/openocd. */
#ifndef LOADER_LAYOUT_H
#define LOADER_LAYOUT_H

#include "mpj_layout.h"
#include "mpj_loader_map.h"

#if BOARD_VECTORS != BOARD_RAM_BASE
#error "the resident loader takes the board's RAM to begin with the vectors"
#endif

/* Address to which it copies itself from the flash, above every image (mpj_layout.h:
 * MPJ_HEAP_END). */
#define LOADER_RAM       (MPJ_RAM_END - 0x800000)
#define LOADER_RAM_BYTES 0x200000
#define LOADER_STACK_TOP (LOADER_RAM + LOADER_RAM_BYTES)

/* Buffer for uploads, until they are booted or in the flash. */
#define LOADER_STAGE     (MPJ_RAM_END - BOARD_RAM_BYTES / 2)
#define LOADER_STAGE_END (MPJ_RAM_END - 0xc00000)

/* Bounds of images, with their bss. */
#define LOADER_IMAGES     (BOARD_RAM_BASE + MPJ_LOADER_RAM_FIRST)
#define LOADER_IMAGES_END (MPJ_RAM_END - MPJ_LOADER_RAM_LAST)

/* Loop of the other cores until the image starts them: below every image, so that neither it nor
 * its stacks overwrite the loop. */
#define LOADER_PARK (BOARD_VECTORS + 0x7f00)

/* Buffer for contents that the installer restores: above the installer, which is at
 * MPJ_RAM_FIRST. */
#define LOADER_RESTORE (MPJ_RAM_FIRST + 0x300000)

#endif
