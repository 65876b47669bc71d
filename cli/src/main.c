/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "cli.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"boards", cmd_boards},     {"cc", cmd_cc},
    {"run", cmd_run},           {"model", cmd_model},
    {"groups", cmd_groups},     {"report", cmd_report},
    {"sweep", cmd_sweep},       {"help", cmd_help},
    {"flash", cmd_flash},       {"record", cmd_record},
    {"selftest", cmd_selftest},
};

int main(int argc, char **argv)
{
    struct mpj_err err;

    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return cmd_help(1, argv);
    if (strcmp(argv[1], "--version") == 0) {
        puts("mpjoule " MPJ_VERSION);
        return 0;
    }
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    }
    mpj_err_set(&err, MPJ_E_USAGE, "there is no subcommand \"%s\": see `mpjoule help`", argv[1]);
    return cli_fail(&err);
}
