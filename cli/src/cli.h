/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the subcommands share. */
#ifndef CLI_H
#define CLI_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/errors.h"
#include "mpj_board.h"
#include "mpj_groups.h"

/* Exit statuses that are not the program's own. */
#define CLI_NO_PORT   117 /* no such board or port, or somebody else has it */
#define CLI_NO_ANSWER 118
#define CLI_IDENTITY  119
#define CLI_LINK      120 /* link lost */
#define CLI_FLASH     121
#define CLI_PROGRAM   122 /* the program faulted, or its runtime gave up */
#define CLI_TIMEOUT   124
#define CLI_FAILURE   125
#define CLI_CANCELLED 130

/* One line on stderr: "mpjoule: TEXT". Returns the exit status that belongs to the code. */
int cli_fail(const struct mpj_err *err);
/* The same where a board is concerned: its outcomes are told apart. */
int cli_fail_board(const struct mpj_err *err);

/* Where argp writes usage errors (state->err_stream, from ARGP_KEY_INIT on): one line of it reaches
 * stderr, the advice to ask for help does not. */
FILE *cli_usage_stream(void);

/* Does this argument for a file (NULL: not given) mean stdout? */
bool cli_is_stdout(const char *path);

/* SIGINT, SIGTERM and SIGHUP (a terminal that closes) as `on`; SIGHUP only unless it is ignored:
 * who starts a command with nohup means it. */
struct sigaction;
void cli_end_signals(const struct sigaction *on);

/* A line on stderr, a terminal, in place of the one before: cut where the terminal ends, since one
 * that wraps could not be replaced. ASCII. */
void cli_live_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Looks whether a file that is to be written in the end (NULL, stdout: none) can be, before
 * anything takes its time. Makes and changes nothing. MPJ_E_IO. */
int cli_check_output(const char *path, struct mpj_err *err);

/* The number an option's argument is, from low to high; anything else is a usage error. name: the
 * option's, as it is to be shown. */
double cli_number(struct argp_state *state, const char *name, const char *arg, double low,
                  double high);
uint64_t cli_whole(struct argp_state *state, const char *name, const char *arg, uint64_t low,
                   uint64_t high);

/*
 * Files that belong to this command, found relative to its own executable (a build tree) or
 * named by the environment: MPJOULE_QEMU, MPJOULE_FIRMWARE, MPJOULE_CALIBRATIONS.
 * Allocated; NULL when out of memory. They need not exist.
 */
char *cli_path_qemu(void);
char *cli_path_firmware(void);
/* File of a calibration: by name, or a path as it is. */
char *cli_path_calibration(const char *name);

/* Folder of the counter groups: MPJOULE_GROUPS, or that of the source tree. Allocated. */
char *cli_path_groups(void);
/* A counter group by name. Free with mpj_group_free. */
int cli_group(struct mpj_group **out, const char *name, struct mpj_err *err);

/* Folder of the energy models (in it: fitted, published): MPJOULE_MODELS, or that of the source
 * tree. Allocated. */
char *cli_path_models(void);

/* The list of boards: the given one, or that of the environment (MPJOULE_BOARDS), the user, the
 * machine. An enum mpj_code. */
int cli_boards_load(struct mpj_boards **list, const char *given, struct mpj_err *err);
/* The folder of locks: MPJOULE_LOCKS, or a common one. Allocated; NULL: out of memory. */
char *cli_path_locks(void);
/* The board a word means: an id of the list (*list, to be freed), or a port's path, which *port
 * then describes; name must outlive it. */
int cli_board_find(struct mpj_boards **list, struct mpj_board *port, const struct mpj_board **out,
                   const char *name, const char *file, struct mpj_err *err);

/* Subcommands: argv[0] is the subcommand's name; they return the exit status. */
int cmd_boards(int argc, char **argv);
int cmd_groups(int argc, char **argv);
int cmd_model(int argc, char **argv);
int cmd_cc(int argc, char **argv);
int cmd_flash(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_selftest(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_help(int argc, char **argv);

#endif
