/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "whatif.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>

#include "hil/image.h"

#define THUMB      1U      /* bit of a function's address */
#define ONE        65536.0 /* factors are in parts of this */
#define FACTOR_MIN 0.01    /* of a function: in one for nothing a loop that waits would never end */
#define FACTOR_MAX 100.0

/* Functions that take a lock by its address, and what they return when it is free. */
static const struct {
    const char *name;
    unsigned result;
} lockers[] = {
    {"pthread_mutex_lock", 0},
    {"pthread_mutex_trylock", 0},
    {"pthread_mutex_timedlock", 0},
    {"pthread_mutex_clocklock", 0},
    {"pthread_mutex_unlock", 0},
    {"pthread_spin_lock", 0},
    {"pthread_spin_trylock", 0},
    {"pthread_spin_unlock", 0},
    {"mtx_lock", 0},
    {"mtx_trylock", 0},
    {"mtx_timedlock", 0},
    {"mtx_unlock", 0},
    {"pthread_rwlock_rdlock", 0},
    {"pthread_rwlock_wrlock", 0},
    {"pthread_rwlock_unlock", 0},
    {"omp_set_lock", 0},
    {"omp_unset_lock", 0},
    {"omp_test_lock", 1},
    {"GOMP_critical_name_start", 0},
    {"GOMP_critical_name_end", 0},
};

/* In the order of sim/chip/include/mpj_chip.h. */
static const char *const levels[] = {"l1i", "l1d", "l2", "tlb"};

struct change {
    const char *kind;
    int (*put)(const struct change *k, Elf *elf, const char *of, const char *to, FILE *f,
               struct mpj_err *err);
    const char *form;
    double least;
};

static int out_of_range(const struct change *k, const char *of, const char *to, struct mpj_err *err)
{
    return mpj_err_set(err, MPJ_E_USAGE, "--what-if %s:%s=%s: expected a factor from %g to %g",
                       k->kind, of, to, k->least, FACTOR_MAX);
}

static bool factor(const struct change *k, const char *text, uint32_t *out)
{
    char *end;
    const double v = strtod(text, &end);

    if (end == text || *end != '\0' || !(v >= k->least && v <= FACTOR_MAX))
        return false;
    *out = (uint32_t)(v * ONE + 0.5);
    return true;
}

/* True for f, and for the compiler's variants of it: f.part.0, f.constprop.1. */
static bool is(const char *symbol, const char *name, bool parts)
{
    const size_t len = strlen(name);

    return symbol != NULL && strncmp(symbol, name, len) == 0 &&
           (symbol[len] == '\0' || (parts && symbol[len] == '.'));
}

/* Calls found() for each defined symbol of this type and name; returns how many there are. */
static unsigned symbols(Elf *elf, unsigned type, const char *name, bool parts,
                        void (*found)(void *ctx, const GElf_Sym *sym), void *ctx)
{
    Elf_Scn *section = NULL;
    unsigned n = 0;

    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr sh;
        Elf_Data *data;
        if (gelf_getshdr(section, &sh) == NULL || sh.sh_type != SHT_SYMTAB || sh.sh_entsize == 0 ||
            (data = elf_getdata(section, NULL)) == NULL)
            continue;
        for (size_t i = 0; i < sh.sh_size / sh.sh_entsize; i++) {
            GElf_Sym sym;
            if (gelf_getsym(data, (int)i, &sym) == NULL || GELF_ST_TYPE(sym.st_info) != type ||
                sym.st_shndx == SHN_UNDEF ||
                !is(elf_strptr(elf, sh.sh_link, sym.st_name), name, parts))
                continue;
            found(ctx, &sym);
            n++;
        }
    }
    return n;
}

struct line {
    FILE *f;
    uint32_t a, b;
};

static void put_function(void *ctx, const GElf_Sym *sym)
{
    const struct line *const l = ctx;
    const uint32_t start = (uint32_t)sym->st_value & ~THUMB;

    fprintf(l->f, "function %" PRIx32 " %" PRIx32 " %" PRIx32 "\n", start,
            start + (uint32_t)sym->st_size, l->a);
}

static int function(const struct change *k, Elf *elf, const char *of, const char *to, FILE *f,
                    struct mpj_err *err)
{
    struct line l = {.f = f};

    if (!factor(k, to, &l.a))
        return out_of_range(k, of, to, err);
    if (symbols(elf, STT_FUNC, of, true, put_function, &l) == 0)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "--what-if function:%s: the program has no such function; a function "
                           "that is inlined everywhere does not exist (use noinline)",
                           of);
    return MPJ_E_OK;
}

static void put_locker(void *ctx, const GElf_Sym *sym)
{
    const struct line *const l = ctx;

    fprintf(l->f, "lock %" PRIx32 " %" PRIx32 " %" PRIx32 "\n", (uint32_t)sym->st_value & ~THUMB,
            l->a, l->b);
}

static void put_lock(void *ctx, const GElf_Sym *sym)
{
    *(uint32_t *)ctx = (uint32_t)sym->st_value;
}

static int lock(const struct change *k, Elf *elf, const char *of, const char *to, FILE *f,
                struct mpj_err *err)
{
    struct line l = {.f = f};
    char critical[160];
    unsigned found;

    if (strcmp(to, "free") != 0)
        return mpj_err_set(err, MPJ_E_USAGE, "--what-if lock:%s=%s: the only value is free", of,
                           to);
    snprintf(critical, sizeof(critical), ".gomp_critical_user_%s", of);
    found = symbols(elf, STT_OBJECT, of, false, put_lock, &l.a);
    if (found == 0)
        found = symbols(elf, STT_OBJECT, critical, false, put_lock, &l.a);
    if (found != 1)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "--what-if lock:%s: the program has %s variable of that name, and no "
                           "such critical section of OpenMP; in a structure or on a stack it has "
                           "no name",
                           of, found == 0 ? "no" : "more than one");
    found = 0;
    for (size_t i = 0; i < sizeof(lockers) / sizeof(lockers[0]); i++) {
        l.b = lockers[i].result;
        found += symbols(elf, STT_FUNC, lockers[i].name, false, put_locker, &l);
    }
    return found > 0
               ? MPJ_E_OK
               : mpj_err_set(err, MPJ_E_USAGE,
                             "--what-if %s:%s: the program calls no lock functions", k->kind, of);
}

static int miss(const struct change *k, Elf *elf, const char *of, const char *to, FILE *f,
                struct mpj_err *err)
{
    uint32_t by;

    (void)elf;
    if (!factor(k, to, &by))
        return out_of_range(k, of, to, err);
    for (unsigned i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        if (strcmp(levels[i], of) == 0) {
            fprintf(f, "miss %x %" PRIx32 " 0\n", i, by);
            return MPJ_E_OK;
        }
    }
    return mpj_err_set(err, MPJ_E_USAGE, "--what-if miss:%s: expected l1i, l1d, l2 or tlb", of);
}

static const struct change changes[] = {
    {"function", function, "function:NAME=FACTOR", FACTOR_MIN},
    {"lock", lock, "lock:NAME=free", 0},
    {"miss", miss, "miss:LEVEL=FACTOR", 0},
};

static int put(const char *what, Elf *elf, FILE *f, struct mpj_err *err)
{
    char of[128];
    char to[32];

    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        const size_t len = strlen(changes[i].kind);
        if (strncmp(what, changes[i].kind, len) == 0 && what[len] == ':' &&
            sscanf(what + len + 1, "%127[^=]=%31s", of, to) == 2)
            return changes[i].put(&changes[i], elf, of, to, f, err);
    }
    return mpj_err_set(err, MPJ_E_USAGE, "--what-if takes %s, %s or %s; not \"%s\"",
                       changes[0].form, changes[1].form, changes[2].form, what);
}

int mpj_what_if_write(const char *elf, const char *const *what, unsigned n, const char *path,
                      struct mpj_err *err)
{
    const int fd = mpj_image_open(elf, err);
    FILE *f = NULL;
    Elf *e;

    if (fd < 0)
        return err->code;
    err->code = MPJ_E_OK;
    elf_version(EV_CURRENT);
    e = elf_begin(fd, ELF_C_READ, NULL);
    if (e == NULL || elf_kind(e) != ELF_K_ELF)
        mpj_err_set(err, MPJ_E_ELF, "%s is not an ELF program", elf);
    else if ((f = fopen(path, "we")) == NULL)
        mpj_err_errno(err, "cannot write %s", path);
    for (unsigned i = 0; i < n && err->code == MPJ_E_OK; i++)
        put(what[i], e, f, err);
    if (f != NULL && fclose(f) != 0 && err->code == MPJ_E_OK)
        mpj_err_errno(err, "cannot write %s", path);
    elf_end(e);
    close(fd);
    return err->code;
}
