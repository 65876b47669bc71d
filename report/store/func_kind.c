/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owners of functions: one answer for all profiles. */
#include <stdbool.h>
#include <string.h>

#include "report/symbols.h"
#include "store/profile_put.h"

static bool begins(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

/* True for libraries of the firmware, by the location of their sources; functions without lines
 * (libgcc, the compiler's start files, the vector of interrupts), by name. */
static bool is_runtime(const struct mpj_place *p)
{
    static const char *const known[] = {"irq_entry", "deregister_tm_clones", "register_tm_clones",
                                        "frame_dummy", "call_weak_fn"};
    const char *file = p->file;

    for (size_t i = 0; file == NULL && i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(p->function, known[i]) == 0)
            return true;
    }
    if (file == NULL)
        return p->function[0] == '_';
    if (begins(file, "build/"))
        file += strlen("build/");
    return begins(file, "./firmware/") || begins(file, "./hal/") || begins(file, "./link/") ||
           strstr(file, "/newlib/") != NULL || strstr(file, "/libgcc/") != NULL;
}

enum mpj_prof_kind store_func_kind(const struct mpj_place *p)
{
    static const char *const idle[] = {"mpj_sched_idle", "mpj_smp_idle", "mpj_prof_wfi"};

    for (size_t i = 0; i < sizeof(idle) / sizeof(idle[0]); i++) {
        if (strcmp(p->function, idle[i]) == 0)
            return MPJ_FUNC_IDLE;
    }
    return is_runtime(p) ? MPJ_FUNC_RUNTIME : MPJ_FUNC_PROGRAM;
}
