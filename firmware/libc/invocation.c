/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "mpj_at_start.h"
#include "mpj_host.h"

char *program_invocation_name;
char *program_invocation_short_name;

static void name(void)
{
    program_invocation_name = program_invocation_short_name = (char *)mpj_host_program();
}

MPJ_AT_START(name);
