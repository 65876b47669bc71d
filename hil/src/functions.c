/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "functions.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>

#include "base/names.h"
#include "hil/image.h"

#define THUMB 1U /* bit of a function's address */

/* Flags of a function's moments for the emulator (sim/chip/include/mpj_functions.h). */
#define WAITS(kind) ((uint32_t)(kind) << 8 | 1U)
#define REGION      2U
#define ENDS        4U
#define YIELDS      8U
#define INFO        16U

/* Kinds of waits as in link/SPEC.md, "Thread profile". */
enum {
    MUTEX = 1,
    CONDITION,
    BARRIER,
    JOIN,
    SEMAPHORE,
    RWLOCK,
    ONCE,
    SLEEP,
    HOST,
    OMP_BARRIER,
    OMP_CRITICAL,
    OMP_LOCK,
    OMP_ORDERED,
    OMP_TASK,
};

static const struct {
    const char *name;
    uint32_t watch;
} known[] = {
    {"pthread_mutex_lock", WAITS(MUTEX)},
    {"pthread_mutex_timedlock", WAITS(MUTEX)},
    {"mtx_lock", WAITS(MUTEX)},
    {"mtx_timedlock", WAITS(MUTEX)},
    {"pthread_cond_wait", WAITS(CONDITION)},
    {"pthread_cond_timedwait", WAITS(CONDITION)},
    {"cnd_wait", WAITS(CONDITION)},
    {"cnd_timedwait", WAITS(CONDITION)},
    {"pthread_barrier_wait", WAITS(BARRIER)},
    {"pthread_join", WAITS(JOIN)},
    {"thrd_join", WAITS(JOIN)},
    {"sem_wait", WAITS(SEMAPHORE)},
    {"sem_timedwait", WAITS(SEMAPHORE)},
    {"pthread_rwlock_rdlock", WAITS(RWLOCK)},
    {"pthread_rwlock_wrlock", WAITS(RWLOCK)},
    {"pthread_once", WAITS(ONCE)},
    {"nanosleep", WAITS(SLEEP)},
    {"clock_nanosleep", WAITS(SLEEP)},
    {"usleep", WAITS(SLEEP)},
    {"sleep", WAITS(SLEEP)},
    {"thrd_sleep", WAITS(SLEEP)},
    {"GOMP_barrier", WAITS(OMP_BARRIER)},
    {"GOMP_critical_start", WAITS(OMP_CRITICAL)},
    {"omp_set_lock", WAITS(OMP_LOCK)},
    {"omp_set_nest_lock", WAITS(OMP_LOCK)},
    {"GOMP_taskwait", WAITS(OMP_TASK)},
    {"mpj_thread_finish", ENDS},
    {"mpj_thread_end", ENDS},
    {"sched_yield", YIELDS},
    {"thrd_yield", YIELDS},
    {"mpj_sched_block_locked", INFO},
};

static uint32_t watch_of(const char *name)
{
    if (name == NULL)
        return 0;
    name = mpj_public_name(name);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(known[i].name, name) == 0)
            return known[i].watch;
    }
    return strstr(name, "._omp_fn.") != NULL ? REGION : 0;
}

/* Writes the functions. Returns their number. */
static size_t list(Elf *elf, Elf_Data *data, const GElf_Shdr *sh, FILE *f)
{
    size_t n = 0;

    for (size_t i = 0; i < sh->sh_size / sh->sh_entsize; i++) {
        GElf_Sym sym;
        if (gelf_getsym(data, (int)i, &sym) == NULL || GELF_ST_TYPE(sym.st_info) != STT_FUNC ||
            sym.st_shndx == SHN_UNDEF)
            continue;
        /* in assembly, the size may be missing: up to the next one, as the emulator has it */
        const uint32_t start = (uint32_t)sym.st_value & ~THUMB;
        fprintf(f, "%08" PRIx32 " %08" PRIx32 " %" PRIx32 "\n", start,
                start + (uint32_t)sym.st_size, watch_of(elf_strptr(elf, sh->sh_link, sym.st_name)));
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
            n += list(elf, data, &sh, f);
    }
    return n;
}

int mpj_functions_list(const char *elf, const char *path, struct mpj_err *err)
{
    const int fd = mpj_image_open(elf, err);
    FILE *f = NULL;
    Elf *e;
    bool failed;

    if (fd < 0)
        return err->code;
    err->code = MPJ_E_OK;
    elf_version(EV_CURRENT);
    e = elf_begin(fd, ELF_C_READ, NULL);
    if (e == NULL)
        mpj_err_set(err, MPJ_E_ELF, "%s is not an ELF program", elf);
    else if ((f = fopen(path, "we")) == NULL)
        mpj_err_errno(err, "cannot write %s", path);
    else if (list_tables(e, f) == 0)
        mpj_err_set(
            err, MPJ_E_ELF,
            "%s has no function symbols: for --functions, use the program as linked, not stripped",
            elf);
    failed = f != NULL && ferror(f) != 0;
    if (f != NULL && (fclose(f) != 0 || failed) && err->code == MPJ_E_OK)
        mpj_err_errno(err, "cannot write %s", path);
    elf_end(e);
    close(fd);
    return err->code;
}
