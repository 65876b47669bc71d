/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shows that all parts of the start work: arguments, environment, cores, floating point, TLS. */
#include <stdio.h>
#include <stdlib.h>

#include "mpj.h"

static _Thread_local int mine = 7;
static unsigned seen[4];

static void on_core(void *arg)
{
    unsigned core = mpj_core_id();

    (void)arg;
    mine += (int)core;
    seen[core] = (unsigned)mine;
}

int main(int argc, char **argv)
{
    const char *env = getenv("MPJ_HELLO");

    mpj_on_all_cores(on_core, NULL);
    for (unsigned i = 0; i < mpj_core_count(); i++) {
        if (seen[i] != 7U + i) {
            printf("hello: core %u did not run, or shares its thread-local storage\n", i);
            return 1;
        }
    }
    printf("hello: %u cores, pi %.6f, env %s", mpj_core_count(), 355.0 / 113.0,
           env != NULL ? env : "-");
    for (int i = 1; i < argc; i++)
        printf(", %s", argv[i]);
    printf("\n");
    return 0;
}
