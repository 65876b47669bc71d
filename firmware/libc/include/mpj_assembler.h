/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Included before every source that `mpjoule cc` compiles to an object: names an object of assembly
 * code after its source. Otherwise the linker would use the name of the compiler's temporary file,
 * and two builds of one program would differ.
 */
#ifdef __ASSEMBLER__
.file __BASE_FILE__
#endif
