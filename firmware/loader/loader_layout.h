/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the resident loader is in memory: shared by its start code, linker script and C. */
#ifndef LOADER_LAYOUT_H
#define LOADER_LAYOUT_H

/* It copies itself from the flash to here, above every image (mpj_layout.h: MPJ_HEAP_END). */
#define LOADER_RAM       0x0f800000
#define LOADER_RAM_BYTES 0x00200000
#define LOADER_STACK_TOP 0x0fa00000

/* What is uploaded waits here until it is booted or in the flash. */
#define LOADER_STAGE     0x08000000
#define LOADER_STAGE_END 0x0f400000

/* Where the other cores wait until the image starts them: below every image, so that neither it nor
 * its stacks overwrite the loop. */
#define LOADER_PARK 0x00007f00

#endif
