/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The subcommands. A new one is a file cmd_NAME.c, its page docs/man/mpjoule-NAME.md and a line
 * here. argv[0] is the subcommand's name; they return the exit status. */
#ifndef COMMANDS_H
#define COMMANDS_H

/* COMMAND(name, takes words): one that takes words and no options has only its page to show for
 * --help. */
#define COMMANDS(COMMAND)                                                                          \
    COMMAND(annotate, false)                                                                       \
    COMMAND(binfmt, false)                                                                         \
    COMMAND(boards, false)                                                                         \
    COMMAND(build, false)                                                                          \
    COMMAND(cc, false)                                                                             \
    COMMAND(console, false)                                                                        \
    COMMAND(diff, false)                                                                           \
    COMMAND(doctor, false)                                                                         \
    COMMAND(exec, false)                                                                           \
    COMMAND(explore, false)                                                                        \
    COMMAND(flash, false)                                                                          \
    COMMAND(gate, false)                                                                           \
    COMMAND(groups, true)                                                                          \
    COMMAND(help, true)                                                                            \
    COMMAND(history, false)                                                                        \
    COMMAND(init, false)                                                                           \
    COMMAND(model, true)                                                                           \
    COMMAND(predictor, true)                                                                       \
    COMMAND(record, false)                                                                         \
    COMMAND(report, false)                                                                         \
    COMMAND(run, false)                                                                            \
    COMMAND(runs, false)                                                                           \
    COMMAND(selftest, false)                                                                       \
    COMMAND(sweep, false)                                                                          \
    COMMAND(tune, false)

#define DECLARE(name, words) int cmd_##name(int argc, char **argv);
COMMANDS(DECLARE)
DECLARE(task, true) /* not in the table: no command of users */
#undef DECLARE

#endif
