/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Minimal ELF files for tests of what the host accepts. */
#ifndef ELF_MAKER_H
#define ELF_MAKER_H

#include <stdint.h>

/* Writes a 32-bit little-endian ELF executable with one section .note.mpjoule (abi; 0: no such
 * section). Ends the process on failure: a test without its input is no test. */
void make_elf(const char *path, uint16_t machine, uint16_t type, uint32_t abi);
/* A good one with the note of the board it is for: name is up to 47 bytes as they are. */
void make_elf_for(const char *path, const char *name);

#endif
