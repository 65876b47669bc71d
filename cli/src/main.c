/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* Commands that take words, not options, have only their pages to show. */
static char *page_wanted(int argc, char **argv)
{
    static char help[] = "help";
    static char model[] = "model";
    static char groups[] = "groups";
    char *const paged[] = {help, model, groups};
    const char *const last = argc > 2 ? argv[argc - 1] : "";
    const bool first = argc == 3;
    const bool words_only = argc == 4 && strcmp(argv[1], model) == 0 &&
                            (strcmp(argv[2], "show") == 0 || strcmp(argv[2], "predict") == 0);

    if (strcmp(last, "--help") != 0 || !(first || words_only))
        return NULL;
    for (size_t i = 0; i < sizeof(paged) / sizeof(paged[0]); i++) {
        if (strcmp(argv[1], paged[i]) == 0)
            return paged[i];
    }
    return NULL;
}

/* A standard stream that is closed must not become the next file that is opened: what a program
 * prints would go into its log. Opened the other way round, using it is still the error it was. */
static bool occupy_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return false;
    }
    return true;
}

static int command(int argc, char **argv)
{
    char *page;
    struct mpj_err err;

    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return cmd_help(1, argv);
    if (strcmp(argv[1], "--version") == 0) {
        puts("mpjoule " MPJ_VERSION);
        return 0;
    }
    page = page_wanted(argc, argv);
    if (page != NULL)
        return cmd_help(2, (char *[]){argv[0], page});
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    }
    mpj_err_set(&err, MPJ_E_USAGE, "there is no subcommand \"%s\": see `mpjoule help`", argv[1]);
    return cli_fail(&err);
}

int main(int argc, char **argv)
{
    const int status = occupy_standard_streams() ? command(argc, argv) : CLI_FAILURE;
    struct mpj_err err;

    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    if (status != 0)
        return status; /* has been told */
    mpj_err_errno(&err, "cannot write to stdout");
    return cli_fail(&err);
}
