/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "call_frames.h"

#include <string.h>

#include <dwarf.h>
#include <gelf.h>

#define REGISTERS 512U /* DWARF for the ARM Architecture, 3.1: D31, the last one, is 287 */
#define STATES    8U   /* kept at a time; compilers keep one */

/* Operands after the code of an instruction: r a register, u another number, b a block after its
 * size, a digit the number of bytes. NULL: unknown code. */
static const char *operands(uint8_t op)
{
    static const char *const extended[] = {
        [DW_CFA_nop] = "",
        [DW_CFA_set_loc] = "4",
        [DW_CFA_advance_loc1] = "1",
        [DW_CFA_advance_loc2] = "2",
        [DW_CFA_advance_loc4] = "4",
        [DW_CFA_offset_extended] = "ru",
        [DW_CFA_restore_extended] = "r",
        [DW_CFA_undefined] = "r",
        [DW_CFA_same_value] = "r",
        [DW_CFA_register] = "rr",
        [DW_CFA_remember_state] = "",
        [DW_CFA_restore_state] = "",
        [DW_CFA_def_cfa] = "ru",
        [DW_CFA_def_cfa_register] = "r",
        [DW_CFA_def_cfa_offset] = "u",
        [DW_CFA_def_cfa_expression] = "b",
        [DW_CFA_expression] = "rb",
        [DW_CFA_offset_extended_sf] = "ru",
        [DW_CFA_def_cfa_sf] = "ru",
        [DW_CFA_def_cfa_offset_sf] = "u",
        [DW_CFA_val_offset] = "ru",
        [DW_CFA_val_offset_sf] = "ru",
        [DW_CFA_val_expression] = "rb",
        [DW_CFA_GNU_args_size] = "u",
    };

    switch (op & 0xc0) {
    case DW_CFA_advance_loc:
    case DW_CFA_restore:
        return "";
    case DW_CFA_offset:
        return "u";
    default:
        return op < sizeof(extended) / sizeof(extended[0]) ? extended[op] : NULL;
    }
}

/* Reads a number in LEB128, signed ones as bits. False: it does not end, or is too large. */
static bool take_number(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; *at < end && shift < 63; shift += 7) {
        const uint8_t byte = *(*at)++;
        *out |= (uint64_t)(byte & 0x7fU) << shift;
        if (!(byte & 0x80U))
            return true;
    }
    return false;
}

static bool take(const uint8_t **at, const uint8_t *end, char what)
{
    uint64_t n = (uint64_t)(what - '0');

    if (what >= 'a' && !take_number(at, end, &n))
        return false;
    if (what == 'r')
        return n < REGISTERS;
    if (what == 'u')
        return true;
    if (n > (uint64_t)(end - *at))
        return false;
    *at += n;
    return true;
}

bool call_frames_fit(const uint8_t *at, const uint8_t *end)
{
    unsigned states = 0;

    while (at < end) {
        const uint8_t op = *at++;
        const char *what = operands(op);
        if (what == NULL)
            return false;
        for (; *what != '\0'; what++) {
            if (!take(&at, end, *what))
                return false;
        }
        if (op == DW_CFA_remember_state && ++states > STATES)
            return false;
        if (op == DW_CFA_restore_state && states-- == 0)
            return false;
    }
    return true;
}

/* Returns the section, unpacked by libdw; NULL: no such section. */
static Elf_Data *section(Elf *elf)
{
    Elf_Scn *scn = NULL;
    size_t names;

    if (elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    while ((scn = elf_nextscn(elf, scn)) != NULL) {
        GElf_Shdr sh;
        const char *const name =
            gelf_getshdr(scn, &sh) == NULL ? NULL : elf_strptr(elf, names, sh.sh_name);
        if (name != NULL && sh.sh_type != SHT_NOBITS &&
            (strcmp(name, ".debug_frame") == 0 || strcmp(name, ".zdebug_frame") == 0))
            return elf_getdata(scn, NULL);
    }
    return NULL;
}

bool call_frames_good(Dwarf *dwarf)
{
    Elf *const elf = dwarf_getelf(dwarf);
    const unsigned char *const ident =
        elf == NULL ? NULL : (unsigned char *)elf_getident(elf, NULL);
    Elf_Data *const data = elf == NULL ? NULL : section(elf);
    Dwarf_Off next = 0;
    Dwarf_CFI_Entry entry;
    int result;

    if (ident == NULL || data == NULL)
        return true;
    while ((result = dwarf_next_cfi(ident, data, false, next, &next, &entry)) == 0) {
        const Dwarf_CIE *const c = &entry.cie;
        if (!dwarf_cfi_cie_p(&entry)) {
            const Dwarf_FDE *const f = &entry.fde; /* start and size of the function are first */
            if (f->end - f->start < 8 || !call_frames_fit(f->start + 8, f->end))
                return false;
        } else if (c->augmentation[0] != '\0' || c->return_address_register >= REGISTERS ||
                   !call_frames_fit(c->initial_instructions, c->initial_instructions_end)) {
            return false; /* .debug_frame needs no augmentation */
        }
    }
    return result > 0;
}
