/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the subcommands share. */
#ifndef CLI_H
#define CLI_H

#include "mpj_err.h"

/* Exit statuses that are not the program's own. */
#define CLI_TIMEOUT   124
#define CLI_FAILURE   125
#define CLI_CANCELLED 130

/* One line on stderr: "mpjoule: TEXT". Returns the exit status that belongs to the code. */
int cli_fail(const struct mpj_err *err);

/*
 * Files that belong to this command, found relative to its own executable (a build tree) or
 * named by the environment: MPJOULE_QEMU, MPJOULE_FIRMWARE, MPJOULE_CALIBRATIONS.
 * Allocated; NULL when out of memory. They need not exist.
 */
char *cli_path_qemu(void);
char *cli_path_firmware(void);
/* File of a calibration: by name, or a path as it is. */
char *cli_path_calibration(const char *name);

/* Subcommands: argv[0] is the subcommand's name; they return the exit status. */
int cmd_cc(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_help(int argc, char **argv);

#endif
