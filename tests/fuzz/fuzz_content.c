/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any file as a program for the resident loader: what is accepted lies where the board has memory,
 * and within its own bytes. */
#include "fuzz.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_file.h"
#include "hil/loader.h"

#define CODE 64U

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct tile_machine board = {
        .rams = 1,
        .ram = {{0, 0x10000000U}},
        .nor = {0x40000000U, 2, 0x04000000U, .chips = 2, .chip_bits = 16}};
    struct mpj_content c;
    struct mpj_err err;

    if (mpj_content_read(&c, fuzz_file(data, size), &board, &err) == MPJ_E_OK) {
        const struct mpj_loader_image *const i = &c.image;
        bool entered = false;

        if (i->bytes == 0 || i->bytes % 4U != 0 || i->bytes > 0x1e00000U || i->segments == 0 ||
            i->segments > MPJ_LOADER_SEGMENTS || i->crc != mpj_crc32(0, c.data, i->bytes))
            abort();
        for (uint32_t n = 0; n < i->segments; n++) {
            const uint32_t first = i->segment[n].address;

            if (i->segment[n].offset > i->bytes ||
                i->segment[n].bytes > i->bytes - i->segment[n].offset ||
                i->segment[n].memory < i->segment[n].bytes ||
                (i->kind == MPJ_LOADER_RAM
                     ? first < 0x8000U || i->segment[n].memory > 0x0f500000U - first
                     : first < 0x40200000U || first >= 0x42000000U))
                abort();
            entered = entered || (i->entry >= first && i->entry - first < i->segment[n].bytes);
        }
        if (!entered)
            abort();
    }
    mpj_content_free(&c);
    return 0;
}

size_t fuzz_seed(uint8_t *to, size_t cap, uint32_t (*rng)(void))
{
    const bool in_place = rng() % 2U != 0;
    const uint32_t address = in_place ? 0x40200000U : 0x8000U;
    const struct {
        Elf32_Ehdr head;
        Elf32_Phdr part[2];
        Elf32_Shdr section[2];
        Elf32_Nhdr note;
        char owner[8];
        uint32_t abi;
        uint8_t code[CODE];
    } file = {
        .head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB,
                             EV_CURRENT},
                 .e_type = ET_EXEC,
                 .e_machine = EM_ARM,
                 .e_version = EV_CURRENT,
                 .e_entry = address,
                 .e_phoff = sizeof(Elf32_Ehdr),
                 .e_shoff = sizeof(Elf32_Ehdr) + 2U * sizeof(Elf32_Phdr),
                 .e_ehsize = sizeof(Elf32_Ehdr),
                 .e_phentsize = sizeof(Elf32_Phdr),
                 .e_phnum = 2,
                 .e_shentsize = sizeof(Elf32_Shdr),
                 .e_shnum = 2},
        .part = {{.p_type = PT_LOAD,
                  .p_offset = sizeof(file) - CODE,
                  .p_vaddr = address,
                  .p_paddr = address,
                  .p_filesz = CODE,
                  .p_memsz = CODE,
                  .p_align = 4},
                 {.p_type = PT_LOAD,
                  .p_offset = sizeof(file) - CODE,
                  .p_vaddr = 0x100000,
                  .p_paddr = address + 0x100U,
                  .p_filesz = rng() % CODE,
                  .p_memsz = CODE,
                  .p_align = 4}},
        .section = {{0},
                    {.sh_type = SHT_NOTE,
                     .sh_offset =
                         sizeof(Elf32_Ehdr) + 2U * (sizeof(Elf32_Phdr) + sizeof(Elf32_Shdr)),
                     .sh_size = sizeof(Elf32_Nhdr) + 12U,
                     .sh_addralign = 4}},
        .note = {.n_namesz = 8, .n_descsz = 4, .n_type = 1},
        .owner = "mpjoule",
        .abi = MPJ_ABI_VERSION,
    };

    if (cap < sizeof(file))
        return 0;
    memcpy(to, &file, sizeof(file));
    return sizeof(file);
}
