/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf_maker.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make(const char *path, uint16_t machine, uint16_t type, uint32_t abi, const char *name)
{
    static const char names[] = "\0.note.mpjoule\0.shstrtab";
    struct {
        Elf32_Ehdr head;
        Elf32_Nhdr note;
        char owner[8];
        uint32_t abi;
        Elf32_Nhdr board_note;
        char board_owner[8];
        char board[48];
        char names[28];
        Elf32_Shdr section[3];
    } file;
    FILE *f;

    memset(&file, 0, sizeof(file));
    memcpy(file.head.e_ident, ELFMAG, SELFMAG);
    file.head.e_ident[EI_CLASS] = ELFCLASS32;
    file.head.e_ident[EI_DATA] = ELFDATA2LSB;
    file.head.e_ident[EI_VERSION] = EV_CURRENT;
    file.head.e_type = type;
    file.head.e_machine = machine;
    file.head.e_version = EV_CURRENT;
    file.head.e_entry = 0x8000;
    file.head.e_ehsize = sizeof(file.head);
    file.head.e_shentsize = sizeof(file.section[0]);
    file.head.e_shnum = 3;
    file.head.e_shstrndx = 2;
    file.head.e_shoff = (Elf32_Off)((char *)&file.section - (char *)&file);
    file.note = (Elf32_Nhdr){8, 4, 1};
    memcpy(file.owner, "mpjoule", 8);
    file.abi = abi;
    file.board_note = (Elf32_Nhdr){8, sizeof(file.board), 2};
    memcpy(file.board_owner, "mpjoule", 8);
    snprintf(file.board, sizeof(file.board), "%s", name != NULL ? name : "");
    memcpy(file.names, names, sizeof(names));
    file.section[1] = (Elf32_Shdr){.sh_name = 1,
                                   .sh_type = abi != 0 ? SHT_NOTE : SHT_PROGBITS,
                                   .sh_offset = (Elf32_Off)((char *)&file.note - (char *)&file),
                                   .sh_size = name != NULL ? 24 + 20 + sizeof(file.board) : 24,
                                   .sh_addralign = 4};
    file.section[2] = (Elf32_Shdr){.sh_name = 15,
                                   .sh_type = SHT_STRTAB,
                                   .sh_offset = (Elf32_Off)((char *)&file.names - (char *)&file),
                                   .sh_size = sizeof(names),
                                   .sh_addralign = 1};
    f = fopen(path, "wb");
    if (f == NULL || fwrite(&file, sizeof(file), 1, f) != 1 || fclose(f) != 0) {
        perror(path);
        exit(2);
    }
}

void make_elf(const char *path, uint16_t machine, uint16_t type, uint32_t abi)
{
    make(path, machine, type, abi, NULL);
}

void make_elf_for(const char *path, const char *name)
{
    make(path, EM_ARM, ET_EXEC, 1, name);
}
