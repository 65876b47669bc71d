/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule task FOLDER NUMBER: what an engine starts on other machines. Not for users. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "batch/engine.h"
#include "cli.h"
#include "commands.h"

int cmd_task(int argc, char **argv)
{
    struct mpj_err err;
    char *end = NULL;
    unsigned long number = 0;

    errno = 0;
    if (argc == 3)
        number = strtoul(argv[2], &end, 10);
    if (argc != 3 || end == argv[2] || *end != '\0' || errno != 0 || number > UINT_MAX) {
        mpj_err_set(&err, MPJ_E_USAGE, "task takes a folder and a number; --engine starts it");
        return cli_fail(&err);
    }
    return run_engine_task(argv[1], (unsigned)number, &err) == MPJ_E_OK ? 0 : cli_fail(&err);
}
