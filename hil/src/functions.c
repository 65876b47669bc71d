/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "functions.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include <gelf.h>

#define THUMB 1U /* bit of a function's address */

/* Number of functions written. */
static size_t list(Elf_Data *data, size_t count, FILE *f)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++) {
        GElf_Sym sym;
        if (gelf_getsym(data, (int)i, &sym) == NULL || GELF_ST_TYPE(sym.st_info) != STT_FUNC ||
            sym.st_shndx == SHN_UNDEF)
            continue;
        /* of assembly, the size may be missing: up to the next one, as the emulator has it */
        const uint32_t start = (uint32_t)sym.st_value & ~THUMB;
        fprintf(f, "%08" PRIx32 " %08" PRIx32 "\n", start, start + (uint32_t)sym.st_size);
        n++;
    }
    return n;
}

static size_t list_tables(Elf *elf, FILE *f)
{
    Elf_Scn *section = NULL;
    size_t n = 0;

    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr sh;
        Elf_Data *data;
        if (gelf_getshdr(section, &sh) == NULL || sh.sh_type != SHT_SYMTAB || sh.sh_entsize == 0)
            continue;
        data = elf_getdata(section, NULL);
        if (data != NULL)
            n += list(data, sh.sh_size / sh.sh_entsize, f);
    }
    return n;
}

int mpj_functions_list(const char *elf, const char *path, struct mpj_err *err)
{
    const int fd = open(elf, O_RDONLY | O_CLOEXEC);
    FILE *f = NULL;
    Elf *e;
    bool failed;

    if (fd < 0)
        return mpj_err_errno(err, "cannot open %s", elf);
    err->code = MPJ_E_OK;
    elf_version(EV_CURRENT);
    e = elf_begin(fd, ELF_C_READ, NULL);
    if (e == NULL)
        mpj_err_set(err, MPJ_E_ELF, "%s is not an ELF program", elf);
    else if ((f = fopen(path, "we")) == NULL)
        mpj_err_errno(err, "cannot write %s", path);
    else if (list_tables(e, f) == 0)
        mpj_err_set(err, MPJ_E_ELF,
                    "%s has no symbols of functions: for --functions, use the program as it was "
                    "linked, without strip",
                    elf);
    failed = f != NULL && ferror(f) != 0;
    if (f != NULL && (fclose(f) != 0 || failed) && err->code == MPJ_E_OK)
        mpj_err_errno(err, "cannot write %s", path);
    elf_end(e);
    close(fd);
    return err->code;
}
