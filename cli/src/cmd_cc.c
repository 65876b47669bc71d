/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule cc: the GNU Arm compiler with the runtime's specs. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "commands.h"
#include "run/paths.h"

#define COMPILER "arm-none-eabi-gcc"
#define SPECS    "mpjoule.specs"

/* The specs have the one processor there is; makefiles name that of the machine they were written
 * on (-march=native), which the compiler would refuse before it comes to the specs. */
static bool names_processor(const char *arg)
{
    static const char *const options[] = {"-march=", "-mtune=", "-mcpu="};

    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        if (strncmp(arg, options[i], strlen(options[i])) == 0)
            return true;
    }
    return false;
}

int cmd_cc(int argc, char **argv)
{
    char *const firmware = run_path_firmware();
    const char **args = calloc((size_t)argc + 5, sizeof(*args));
    char *search = NULL;
    char *specs = NULL;
    char *map = NULL;
    char *cwd = getcwd(NULL, 0);
    struct mpj_err err;
    int n = 0;

    if (firmware == NULL || args == NULL || asprintf(&search, "-B%s/", firmware) < 0 ||
        asprintf(&specs, "%s/" SPECS, firmware) < 0 ||
        asprintf(&map, "-ffile-prefix-map=%s=.", cwd != NULL ? cwd : "") < 0) {
        mpj_err_set(&err, MPJ_E_NOMEM, "out of memory");
        goto error;
    }
    if (argc < 2) {
        mpj_err_set(&err, MPJ_E_USAGE, "nothing to compile: see `mpjoule help cc`");
        goto error;
    }
    if (access(specs, R_OK) != 0) {
        mpj_err_set(&err, MPJ_E_TARGET,
                    "the target's runtime is missing (%s): run ./demo.sh, or name its folder in "
                    "MPJOULE_FIRMWARE",
                    specs);
        goto error;
    }
    args[n++] = COMPILER;
    args[n++] = search;
    args[n++] = "-specs=" SPECS;
    if (cwd != NULL) /* the same source gives the same image and the same run in every folder */
        args[n++] = map;
    for (int i = 1; i < argc; i++) {
        if (!names_processor(argv[i]))
            args[n++] = argv[i];
    }
    execvp(COMPILER, (char *const *)args); /* POSIX: exec does not write to it */
    if (errno == ENOENT)
        mpj_err_set(&err, MPJ_E_TARGET,
                    "the compiler " COMPILER " is missing: install the package gcc-arm-none-eabi "
                    "(with libnewlib-arm-none-eabi)");
    else
        mpj_err_errno(&err, "cannot start " COMPILER);
error:
    free(firmware);
    free(args);
    free(search);
    free(specs);
    free(map);
    free(cwd);
    return cli_fail(&err);
}
