/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Included before every source that `mpjoule cc` compiles to an object: an object of assembly code
 * gets the name of its source. Without one the linker names it after the compiler's temporary file,
 * so that two builds of one program differed.
 */
#ifdef __ASSEMBLER__
.file __BASE_FILE__
#endif
