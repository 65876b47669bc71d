/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usage: make_profile STORE [MOMENTS | entries | samples | moments] (profile_maker.h) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile_maker.h"

int main(int argc, char **argv)
{
    int source;

    if (argc < 2) {
        fprintf(stderr, "usage: make_profile STORE [MOMENTS | entries | samples | moments]\n");
        return 2;
    }
    source = argc > 2 ? mpj_profile_source_find(argv[2]) : -1;
    if (source > MPJ_PROF_TRUTH)
        profile_make_on_target(argv[1], (enum mpj_prof_source)source, false);
    else if (argc > 2 && strcmp(argv[2], "moments") == 0)
        profile_make_on_target(argv[1], MPJ_PROF_ENTRIES, true);
    else
        profile_make(argv[1], argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0);
    return 0;
}
