/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory after a reset: the controller is not set up, and the flash is mapped at address 0. Usable
 * in assembler files, since it is called before there is a stack.
 */
#ifndef HAL_MEMORY_H
#define HAL_MEMORY_H

#define HAL_MEMORY_CONTROLLER 1 /* the controller does not become ready */
#define HAL_MEMORY_LOW        2 /* no RAM at its start: reads do not return what was written */
#define HAL_MEMORY_HIGH       3 /* no RAM at its end */

/*
 * hal_memory_on: sets the memory controller up, unless it is ready, ends the mapping of the flash
 * to 0, and tries the first 32 KB and the end of the RAM, some words of which it overwrites. Must
 * be called from the flash's own address, not from its image at 0. Uses registers only:
 *
 *     bl hal_memory_on     r0: 0, or one of the above; r1-r3 and r12 are lost
 */

#endif
