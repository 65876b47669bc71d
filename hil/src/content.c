/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts a program to the form that the resident loader takes. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>

#include "hil/image.h"
#include "hil/loader.h"
#include "mpj_loader_map.h"

/* Memory where programs may be. */
struct place {
    uint64_t first, end;       /* of what is copied to the RAM */
    uint64_t last;             /* ... with its bss */
    uint64_t flash, flash_end; /* a program with its entry there runs from the flash */
    uint32_t slot;             /* where its content begins */
    uint32_t most;             /* bytes of a content */
};

/* Returns the memory that the resident loader of a board allows. */
static struct place place_of(const struct tile_machine *m)
{
    const struct tile_ram *const ram = &m->ram[0];

    return (struct place){
        .first = (uint64_t)ram->base + MPJ_LOADER_RAM_FIRST,
        .end = (uint64_t)ram->base + ram->bytes / 2U,
        .last = (uint64_t)ram->base + ram->bytes - MPJ_LOADER_RAM_LAST,
        .flash = m->nor.base,
        .flash_end = (uint64_t)m->nor.base + m->nor.bank_bytes,
        .slot = m->nor.base + MPJ_LOADER_SLOT0,
        .most = m->nor.banks > 0 ? m->nor.bank_bytes / 2U - MPJ_LOADER_SLOT0 : 0,
    };
}

/* Memory for U-Boot, which knows the board's RAM. */
static const struct place anywhere = {
    .end = UINT64_C(1) << 32, .last = UINT64_C(1) << 32, .most = 64U << 20};

static uint32_t aligned(uint32_t v)
{
    return (v + 3U) & ~3U;
}

/* True if the part belongs into the board's RAM. */
static bool in_ram(const GElf_Phdr *p, const struct place *to)
{
    return p->p_paddr >= to->first && p->p_paddr < to->end && p->p_filesz <= to->end - p->p_paddr &&
           p->p_memsz >= p->p_filesz && p->p_memsz <= to->last - p->p_paddr;
}

/* Computes the position of each part in the content; 0 or MPJ_E_ELF. */
static int lay_out(struct mpj_content *c, Elf *elf, const char *path, const struct place *to,
                   struct mpj_err *err)
{
    struct mpj_loader_image *const i = &c->image;
    size_t count = 0;
    bool entered = false;

    i->kind =
        i->entry >= to->flash && i->entry < to->flash_end ? MPJ_LOADER_IN_PLACE : MPJ_LOADER_RAM;
    elf_getphdrnum(elf, &count);
    for (size_t n = 0; n < count; n++) {
        GElf_Phdr p;
        uint32_t at;

        if (gelf_getphdr(elf, (int)n, &p) == NULL || p.p_type != PT_LOAD || p.p_filesz == 0)
            continue;
        at = i->kind == MPJ_LOADER_RAM ? i->bytes : (uint32_t)p.p_paddr - to->slot;
        if (i->segments == MPJ_LOADER_SEGMENTS || p.p_filesz > to->most || at > to->most ||
            p.p_filesz > to->most - at || at % 4U != 0 ||
            (i->kind == MPJ_LOADER_RAM && !in_ram(&p, to)))
            return mpj_err_set(err, MPJ_E_ELF,
                               "%s cannot be loaded: %u bytes at 0x%08x do not fit the board", path,
                               (unsigned)p.p_filesz, (unsigned)p.p_paddr);
        i->segment[i->segments].address = (uint32_t)p.p_paddr;
        i->segment[i->segments].offset = at;
        i->segment[i->segments].bytes = (uint32_t)p.p_filesz;
        i->segment[i->segments].memory =
            (uint32_t)(i->kind == MPJ_LOADER_RAM ? p.p_memsz : p.p_filesz);
        entered = entered || (i->entry >= i->segment[i->segments].address &&
                              i->entry - i->segment[i->segments].address < (uint32_t)p.p_filesz);
        i->segments++;
        if (aligned(at + (uint32_t)p.p_filesz) > i->bytes)
            i->bytes = aligned(at + (uint32_t)p.p_filesz);
    }
    if (i->segments == 0)
        return mpj_err_set(err, MPJ_E_ELF, "%s has no loadable segments", path);
    if (!entered)
        return mpj_err_set(err, MPJ_E_ELF,
                           "%s cannot be started: it has nothing at its entry 0x%08x", path,
                           (unsigned)i->entry);
    return MPJ_E_OK;
}

static int fill(struct mpj_content *c, Elf *elf, const char *path, struct mpj_err *err)
{
    size_t count = 0;
    size_t size = 0;
    uint32_t segment = 0;
    const char *const raw = elf_rawfile(elf, &size);

    c->data = calloc(1, c->image.bytes);
    if (c->data == NULL)
        return mpj_err_nomem(err);
    elf_getphdrnum(elf, &count);
    for (size_t n = 0; n < count; n++) {
        GElf_Phdr p;

        if (gelf_getphdr(elf, (int)n, &p) == NULL || p.p_type != PT_LOAD || p.p_filesz == 0)
            continue;
        if (raw == NULL || p.p_offset > size || p.p_filesz > size - p.p_offset)
            return mpj_err_set(err, MPJ_E_ELF, "%s is truncated", path);
        memcpy(c->data + c->image.segment[segment++].offset, raw + p.p_offset, p.p_filesz);
    }
    c->image.crc = mpj_crc32(0, c->data, c->image.bytes);
    return MPJ_E_OK;
}

static int content_read(struct mpj_content *out, const char *path, const struct place *to,
                        struct mpj_err *err)
{
    const char *const slash = strrchr(path, '/');
    const char *const base = slash != NULL ? slash + 1 : path;
    struct mpj_image checked;
    Elf *elf;
    int fd;
    int result;

    memset(out, 0, sizeof(*out));
    if (mpj_image_check(&checked, path, err) != MPJ_E_OK)
        return err->code;
    out->image.entry = checked.entry;
    out->image.build_id.len = checked.build_id_len < MPJ_LOADER_BUILD_ID_MAX
                                  ? checked.build_id_len
                                  : MPJ_LOADER_BUILD_ID_MAX;
    memcpy(out->build_id, checked.build_id, out->image.build_id.len);
    out->image.build_id.p = out->build_id;
    out->image.name.len = strnlen(base, MPJ_LOADER_NAME_MAX);
    memcpy(out->name, base, out->image.name.len);
    out->image.name.p = (const uint8_t *)out->name;
    fd = mpj_image_open(path, err);
    if (fd < 0)
        return err->code;
    elf = elf_begin(fd, ELF_C_READ, NULL);
    result = elf == NULL ? mpj_err_set(err, MPJ_E_ELF, "%s is not an ELF program", path)
                         : lay_out(out, elf, path, to, err);
    if (result == MPJ_E_OK)
        result = fill(out, elf, path, err);
    elf_end(elf);
    close(fd);
    return result;
}

int mpj_content_read(struct mpj_content *out, const char *path, const struct tile_machine *board,
                     struct mpj_err *err)
{
    const struct place to = place_of(board);

    return content_read(out, path, &to, err);
}

int mpj_content_read_ram(struct mpj_content *out, const char *path, struct mpj_err *err)
{
    return content_read(out, path, &anywhere, err);
}

void mpj_content_free(struct mpj_content *c)
{
    free(c->data);
    c->data = NULL;
}
