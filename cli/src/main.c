/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/stop.h"
#include "cli.h"
#include "commands.h"

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    bool words;
} commands[] = {
#define ROW(name, words) {#name, cmd_##name, words},
    COMMANDS(ROW)
#undef ROW
};

static const struct command *find(const char *name)
{
    if (strcmp(name, "board") == 0)
        name = "boards"; /* reads better before --emulate */
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(name, commands[i].name) == 0)
            return &commands[i];
    }
    return NULL;
}

/* True if a command takes words, and no options of its own. */
static bool words_only(const struct command *c, char **argv)
{
    if (!c->words || strcmp(c->name, "model") != 0)
        return c->words;
    return argv[2] == NULL || strcmp(argv[2], "show") == 0 || strcmp(argv[2], "predict") == 0;
}

static bool is_help(const char *arg)
{
    return strcmp(arg, "--help") == 0 || strcmp(arg, "--help-all") == 0;
}

/* True if the page of a command is to be shown: commands that take words, not options, have only
 * their pages for --help and --help-all. */
static bool page_wanted(const struct command *c, int argc, char **argv)
{
    return c->words && is_help(argv[argc - 1]) &&
           (argc == 3 || (argc == 4 && strcmp(c->name, "model") == 0 && words_only(c, argv)));
}

/* Opens standard streams that are closed, lest one becomes the next file that is opened: output of
 * a program would go into its log. They are opened in the wrong direction, so that using them is
 * still the error it was. */
static bool occupy_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return false;
    }
    return true;
}

static int run_command(int argc, char **argv)
{
    const struct command *c;
    struct mpj_err err;

    if (argc < 2 || is_help(argv[1]) || strcmp(argv[1], "-h") == 0)
        return cmd_help(1, argv);
    if (strcmp(argv[1], "--version") == 0) {
        puts("mpjoule " MPJ_VERSION);
        return 0;
    }
    if (strcmp(argv[1], "task") == 0)
        return cmd_task(argc - 1, argv + 1);
    c = find(argv[1]);
    if (c == NULL) {
        mpj_err_set(&err, MPJ_E_USAGE, "unknown subcommand \"%s\": see `mpjoule help`", argv[1]);
        return cli_fail(&err);
    }
    if (page_wanted(c, argc, argv))
        return cmd_help(2, argv);
    if (words_only(c, argv))
        argc = cli_words(argc, argv);
    return c->run(argc - 1, argv + 1);
}

/* Checks at the end of the process, wherever that is, that stdout took all output: success means
 * that. */
static void check_stdout(int status, void *unused)
{
    const bool flushed = fflush(stdout) == 0;
    struct mpj_err err;

    (void)unused;
    if (status != 0 || (flushed && !ferror(stdout)))
        return;  /* the reason of another status is on stderr */
    if (flushed) /* errno was of the write that failed, and has changed since */
        mpj_err_set(&err, MPJ_E_IO, "cannot write all output to stdout");
    else
        mpj_err_errno(&err, "cannot write to stdout");
    _exit(cli_fail(&err));
}

int main(int argc, char **argv)
{
    mpj_stop_begin();
    if (!occupy_standard_streams() || on_exit(check_stdout, NULL) != 0)
        return CLI_FAILURE;
    return run_command(argc, argv);
}
