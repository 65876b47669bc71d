/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usage: make_profile STORE [MOMENTS] (profile_maker.h) */
#include <stdio.h>
#include <stdlib.h>

#include "profile_maker.h"

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: make_profile STORE [MOMENTS]\n");
        return 2;
    }
    profile_make(argv[1], argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0);
    return 0;
}
