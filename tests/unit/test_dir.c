/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test_dir.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char dir[] = "/tmp/mpjoule-test-XXXXXX";

int test_dir_enter(void **state)
{
    (void)state;
    return mkdtemp(dir) == NULL || chdir(dir) != 0;
}

int test_dir_leave(void **state)
{
    char line[64];

    (void)state;
    snprintf(line, sizeof(line), "rm -rf %s", dir);
    return system(line);
}
