/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/symbols.h"

#include <stdlib.h>
#include <string.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include "base/names.h"
#include "call_frames.h"
#include "store/debug_functions.h"
#include "store/symbols_int.h"

/* A symbol with a size, or the first byte of a label. */
struct extent {
    GElf_Addr start, end; /* with a Thumb bit in both, where the symbol has it */
    GElf_Addr reach;      /* the maximum end of the symbols up to this one */
    int index;            /* of the symbol; 0: a label */
    const char *name;
};

struct mpj_symbols {
    Dwfl *dwfl;
    Dwfl_Module *module;
    struct extent *extent; /* by start; NULL: none */
    size_t extents;
    bool frames_known, frames_good; /* .debug_frame: checked; usable */
    bool functions_known;
    struct debug_functions *functions; /* NULL: no debugging information */
    Dwarf_Addr bias;                   /* of its addresses */
    char **name;                       /* texts that are in no file */
    size_t names;
};

static int by_start(const void *a, const void *b)
{
    const struct extent *const x = a;
    const struct extent *const y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* True if another symbol starts where that of index i does, and has this name. */
static bool has_twin(const struct mpj_symbols *s, size_t i, const char *name)
{
    while (i > 0 && s->extent[i - 1].start == s->extent[i].start)
        i--;
    for (size_t k = i; k < s->extents && s->extent[k].start == s->extent[i].start; k++) {
        if (s->extent[k].name != NULL && strcmp(s->extent[k].name, name) == 0)
            return true;
    }
    return false;
}

/* Drops the private one of the two names of a library's symbol. */
static void drop_private(struct mpj_symbols *s)
{
    size_t left = 0;

    for (size_t i = 0; i < s->extents; i++) {
        const char *const name = mpj_public_name(s->extent[i].name);
        if (name != s->extent[i].name && has_twin(s, i, name))
            s->extent[i].name = NULL;
    }
    for (size_t i = 0; i < s->extents; i++) {
        if (s->extent[i].name != NULL)
            s->extent[left++] = s->extent[i];
    }
    s->extents = left;
}

/* Reads the symbols' extents: libdwfl scans all symbols for each address; where only one matches,
 * this table finds it. */
static void read_extents(struct mpj_symbols *s)
{
    const int n = dwfl_module_getsymtab(s->module);
    GElf_Addr reach = 0;

    s->extent = n > 0 ? calloc((size_t)n, sizeof(*s->extent)) : NULL;
    for (int i = 1; s->extent != NULL && i < n; i++) {
        GElf_Sym sym;
        GElf_Addr at;
        const char *const name = dwfl_module_getsym_info(s->module, i, &sym, &at, NULL, NULL, NULL);
        const int type = GELF_ST_TYPE(sym.st_info);
        if (name == NULL || name[0] == '\0' || sym.st_shndx == SHN_UNDEF || type == STT_SECTION ||
            type == STT_FILE || type == STT_TLS)
            continue;
        if (sym.st_size > 0)
            s->extent[s->extents++] = (struct extent){at, at + sym.st_size, 0, i, name};
        else if (GELF_ST_BIND(sym.st_info) != STB_LOCAL) /* comes before local ones, there */
            s->extent[s->extents++] = (struct extent){at, at + 1, 0, 0, name};
    }
    if (s->extents > 0)
        qsort(s->extent, s->extents, sizeof(*s->extent), by_start);
    drop_private(s);
    for (size_t i = 0; i < s->extents; i++)
        s->extent[i].reach = reach = s->extent[i].end > reach ? s->extent[i].end : reach;
}

/* Returns the index of the first symbol that starts after an address. */
static size_t after(const struct mpj_symbols *s, GElf_Addr address)
{
    size_t low = 0;
    size_t high = s->extents;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->extent[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* True if a symbol of that name starts at an address, a Thumb bit aside. */
static bool has_symbol(const struct mpj_symbols *s, GElf_Addr address, const char *name)
{
    bool has = false;

    for (size_t i = after(s, address | 1U);
         !has && i-- > 0 && (s->extent[i].start | 1U) == (address | 1U);)
        has = strcmp(s->extent[i].name, name) == 0;
    return has;
}

/* Returns the only symbol that contains an address; NULL: no symbol does, or several do. */
static const struct extent *only_extent(const struct mpj_symbols *s, GElf_Addr address)
{
    const size_t low = after(s, address);

    return low > 0 && s->extent[low - 1].index > 0 && address < s->extent[low - 1].end &&
                   (low == 1 || s->extent[low - 2].reach <= address)
               ? &s->extent[low - 1]
               : NULL;
}

/* Returns the public name as dwfl_module_addrinfo() does. */
static const char *symbol_at(struct mpj_symbols *s, GElf_Addr address, GElf_Off *offset,
                             GElf_Sym *sym, GElf_Word *section)
{
    const struct extent *const only = only_extent(s, address);
    GElf_Addr start;
    const char *name;

    if (only == NULL) {
        name = dwfl_module_addrinfo(s->module, address, offset, sym, section, NULL, NULL);
    } else {
        *offset = address - only->start;
        name = dwfl_module_getsym_info(s->module, only->index, sym, &start, section, NULL, NULL);
    }
    return name != NULL ? mpj_public_name(name) : NULL;
}

int mpj_symbols_open(struct mpj_symbols **out, const char *elf, struct mpj_err *err)
{
    static const Dwfl_Callbacks callbacks = {
        .find_debuginfo = dwfl_standard_find_debuginfo,
        .section_address = dwfl_offline_section_address,
    };
    struct mpj_symbols *s = calloc(1, sizeof(*s));

    *out = NULL;
    if (s == NULL)
        return mpj_err_nomem(err);
    s->dwfl = dwfl_begin(&callbacks);
    if (s->dwfl != NULL)
        s->module = dwfl_report_elf(s->dwfl, "program", elf, -1, 0, false);
    if (s->module == NULL || dwfl_report_end(s->dwfl, NULL, NULL) != 0) {
        mpj_err_set(err, MPJ_E_ELF, "cannot read symbols of %s: %s", elf, dwfl_errmsg(-1));
        mpj_symbols_free(s);
        return err->code;
    }
    read_extents(s);
    *out = s;
    return MPJ_E_OK;
}

void mpj_symbols_free(struct mpj_symbols *s)
{
    if (s == NULL)
        return;
    debug_functions_free(s->functions);
    for (size_t i = 0; i < s->names; i++)
        free(s->name[i]);
    free(s->name);
    free(s->extent);
    if (s->dwfl != NULL)
        dwfl_end(s->dwfl);
    free(s);
}

/* Returns the functions of the debugging information; NULL: none. */
static struct debug_functions *described(struct mpj_symbols *s)
{
    if (!s->functions_known) {
        Dwarf *const dwarf = dwfl_module_getdwarf(s->module, &s->bias);
        s->functions = dwarf != NULL ? debug_functions_read(dwarf) : NULL;
        s->functions_known = true;
    }
    return s->functions;
}

/* Returns a text that lives as long as the symbols; NULL: out of memory. */
static const char *kept(struct mpj_symbols *s, const char *text, size_t length)
{
    char **more;

    for (size_t i = 0; i < s->names; i++) {
        if (strncmp(s->name[i], text, length) == 0 && s->name[i][length] == '\0')
            return s->name[i];
    }
    more = realloc(s->name, (s->names + 1) * sizeof(*more));
    if (more == NULL)
        return NULL;
    s->name = more;
    more[s->names] = strndup(text, length);
    return more[s->names] != NULL ? more[s->names++] : NULL;
}

/* Sets the function's name in the source, and the suffix of a copy. From several symbols at one
 * address the function's is that of the debugging information; unless it is a reserved one of the
 * library, which users know by the other. */
static void name_function(struct mpj_symbols *s, const char *symbol, struct mpj_place *out)
{
    struct debug_functions *const d = described(s);
    const Dwarf_Addr start = out->address - out->offset - s->bias;
    const struct debug_function *const f = d != NULL ? debug_functions_at(d, start) : NULL;
    const char *const suffix = mpj_copy_suffix(symbol);
    const bool declared = *suffix == '\0' && f != NULL && f->name != NULL && f->low == start &&
                          strncmp(f->name, "__", 2) != 0 && has_symbol(s, start + s->bias, f->name);
    const char *const name = declared ? f->name : symbol;
    const char *const end = mpj_copy_suffix(name);

    out->copy = *suffix != '\0' ? suffix : NULL;
    out->function = *end == '\0' ? name : kept(s, name, (size_t)(end - name));
}

/* True if an address is code of the section of its nearest symbol. */
static bool is_code(const struct mpj_symbols *s, uint32_t address, GElf_Word section)
{
    GElf_Addr bias;
    Elf *const elf = dwfl_module_getelf(s->module, &bias);
    Elf_Scn *const scn = elf == NULL ? NULL : elf_getscn(elf, section);
    GElf_Shdr sh;

    return scn != NULL && gelf_getshdr(scn, &sh) != NULL && (sh.sh_flags & SHF_EXECINSTR) &&
           address - bias >= sh.sh_addr && address - bias < sh.sh_addr + sh.sh_size;
}

void mpj_symbols_lookup(struct mpj_symbols *s, uint32_t address, struct mpj_place *out)
{
    GElf_Off offset = 0;
    GElf_Sym sym;
    GElf_Word section = SHN_UNDEF;
    const char *name;
    Dwfl_Line *line;

    memset(out, 0, sizeof(*out));
    out->address = address;
    /* the symbol of a Thumb function is one byte after its first */
    name = symbol_at(s, address | 1U, &offset, &sym, &section);
    offset = address - (((address | 1U) - offset) & ~(GElf_Off)1U);
    /* mapping symbols ($a, $d) are not names; an address past the end of a function is not in it */
    if (name == NULL || name[0] == '$' || !is_code(s, address, section) ||
        (sym.st_size > 0 && offset >= sym.st_size))
        return;
    out->thumb = (sym.st_value & 1U) != 0;
    out->offset = (uint32_t)offset;
    out->size = (uint32_t)sym.st_size;
    name_function(s, name, out);
    line = dwfl_module_getsrc(s->module, address);
    if (line != NULL)
        out->file = dwfl_lineinfo(line, NULL, &out->line, NULL, NULL, NULL);
}

bool mpj_symbols_word(struct mpj_symbols *s, uint32_t address, uint32_t *out)
{
    GElf_Addr bias;
    Elf *const elf = dwfl_module_getelf(s->module, &bias);
    Elf_Scn *scn = NULL;

    while (elf != NULL && (scn = elf_nextscn(elf, scn)) != NULL) {
        GElf_Shdr sh;
        Elf_Data *data;

        if (gelf_getshdr(scn, &sh) == NULL || sh.sh_type != SHT_PROGBITS ||
            !(sh.sh_flags & SHF_ALLOC) || address - bias < sh.sh_addr ||
            address - bias - sh.sh_addr + sizeof(*out) > sh.sh_size)
            continue;
        data = elf_getdata(scn, NULL);
        if (data == NULL || data->d_size < sh.sh_size)
            return false;
        memcpy(out, (const char *)data->d_buf + (address - bias - sh.sh_addr), sizeof(*out));
        return true;
    }
    return false;
}

/* A mapping symbol: the beginning of code ($a, $t) or of constants ($d). */
struct mapping {
    uint32_t address;
    bool is_constant;
};

static int by_address(const void *a, const void *b)
{
    const struct mapping *const x = a;
    const struct mapping *const y = b;

    return (x->address > y->address) - (x->address < y->address);
}

bool mpj_symbols_constants(struct mpj_symbols *s, uint32_t start, uint32_t size, bool *is_constant)
{
    const int n = dwfl_module_getsymtab(s->module);
    struct mapping *const list = calloc(n > 0 ? (size_t)n : 1U, sizeof(*list));
    size_t count = 0;

    if (list == NULL)
        return false;
    for (int i = 1; i < n; i++) {
        GElf_Sym sym;
        const char *const name = dwfl_module_getsym(s->module, i, &sym, NULL);

        if (name == NULL || name[0] != '$' || (name[2] != '\0' && name[2] != '.') ||
            sym.st_value < start || sym.st_value - start >= size)
            continue;
        list[count++] = (struct mapping){(uint32_t)sym.st_value, name[1] == 'd'};
    }
    qsort(list, count, sizeof(*list), by_address);
    for (size_t i = 0; i < count; i++) {
        const uint32_t end = i + 1U < count ? list[i + 1U].address - start : size;

        for (uint32_t at = list[i].address - start; at < end; at += 2U)
            is_constant[at / 2U] = list[i].is_constant;
    }
    free(list);
    return true;
}

uint32_t mpj_symbols_branch(struct mpj_symbols *s, uint32_t address, bool call)
{
    const uint32_t kind = call ? 0x0b000000U : 0x0a000000U;
    uint32_t insn;

    if (!mpj_symbols_word(s, address, &insn) || insn >= 0xf0000000U || (insn & 0x0f000000U) != kind)
        return 0;
    /* 24 bits of words, with sign, from two instructions ahead */
    return address + 8U + (uint32_t)((int32_t)(insn << 8) >> 6);
}

bool mpj_symbols_find(struct mpj_symbols *s, const char *name, uint32_t *out)
{
    const int n = dwfl_module_getsymtab(s->module);

    for (int i = 1; i < n; i++) {
        GElf_Sym sym;
        const char *const known = dwfl_module_getsym(s->module, i, &sym, NULL);
        if (known != NULL && sym.st_shndx != SHN_UNDEF && strcmp(known, name) == 0) {
            *out = (uint32_t)sym.st_value;
            return true;
        }
    }
    return false;
}

const char *mpj_symbols_start(struct mpj_symbols *s, uint32_t address)
{
    const int n = dwfl_module_getsymtab(s->module);

    for (int i = 1; i < n; i++) {
        GElf_Sym sym;
        const char *const name = dwfl_module_getsym(s->module, i, &sym, NULL);
        if (name != NULL && GELF_ST_TYPE(sym.st_info) == STT_FUNC &&
            ((uint32_t)sym.st_value & ~1U) == address)
            return mpj_public_name(name);
    }
    return NULL;
}

unsigned mpj_symbols_inlined(struct mpj_symbols *s, uint32_t address, struct mpj_inlined *out,
                             unsigned cap)
{
    struct debug_functions *const d = described(s);

    const unsigned n = d != NULL ? debug_functions_inlined(d, address - s->bias, out, cap) : 0;

    for (unsigned i = 0; i < n; i++)
        out[i].entry += out[i].entry != 0 ? (uint32_t)s->bias : 0;
    return n;
}

void mpj_symbols_entry(struct mpj_symbols *s, uint32_t address, struct mpj_place *out)
{
    Dwarf_Addr bias = 0;
    Dwarf_Die *cu;
    Dwfl_Line *line;
    Dwarf_Addr at;
    size_t low = 0;
    size_t high;

    mpj_symbols_lookup(s, address, out);
    cu = out->file != NULL ? dwfl_module_addrdie(s->module, address, &bias) : NULL;
    if (cu == NULL || dwfl_getsrclines(cu, &high) != 0)
        return;
    /* they are in the order of their addresses: find the first that is not before this one */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        line = dwfl_onesrcline(cu, middle);
        if (line == NULL || dwfl_lineinfo(line, &at, NULL, NULL, NULL, NULL) == NULL)
            return;
        if (at < address)
            low = middle + 1;
        else
            high = middle;
    }
    line = dwfl_onesrcline(cu, low);
    if (line != NULL && dwfl_lineinfo(line, &at, NULL, NULL, NULL, NULL) != NULL && at == address)
        out->file = dwfl_lineinfo(line, NULL, &out->line, NULL, NULL, NULL);
}

void mpj_symbols_function(struct mpj_symbols *s, uint32_t address, struct mpj_place *out)
{
    const struct debug_function *f = NULL;
    struct debug_functions *d;
    const char *file;
    int line;

    mpj_symbols_entry(s, address, out);
    if (out->function != NULL && out->file == NULL) { /* lines may begin after a NOP at the entry */
        struct mpj_place next;
        mpj_symbols_lookup(s, address + 4U, &next);
        out->file = next.file;
        out->line = next.line;
    }
    d = out->function != NULL ? described(s) : NULL;
    if (d != NULL)
        f = debug_functions_at(d, address - s->bias);
    file = f != NULL ? debug_functions_file(d, f, &line) : NULL;
    if (file == NULL)
        return;
    out->file = file;
    out->line = line;
}

const char *mpj_symbols_variable(struct mpj_symbols *s, uint32_t address, uint32_t *offset)
{
    GElf_Off at = 0;
    GElf_Sym sym;
    const char *const name = dwfl_module_addrinfo(s->module, address, &at, &sym, NULL, NULL, NULL);

    if (name == NULL || GELF_ST_TYPE(sym.st_info) != STT_OBJECT || at >= sym.st_size)
        return NULL;
    *offset = (uint32_t)at;
    return mpj_public_name(name);
}

Dwarf_CFI *symbols_frames(struct mpj_symbols *s, Dwarf_Addr *bias)
{
    if (!s->frames_known) {
        Dwarf *const dwarf = dwfl_module_getdwarf(s->module, bias);
        s->frames_good = dwarf != NULL && call_frames_good(dwarf);
        s->frames_known = true;
    }
    return s->frames_good ? dwfl_module_dwarf_cfi(s->module, bias) : NULL;
}
