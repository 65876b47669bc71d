/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Labels of a log that say what a run was given (report/given.h). */
#ifndef GIVEN_INT_H
#define GIVEN_INT_H

#include "hil/io.h"
#include "log/log.h"
#include "run/options.h"

/* Writes what is known before the run begins. */
int given_write(struct mpj_log *log, const struct run_options *o, struct mpj_err *err);
/* Writes what the program took of a pipe or a terminal as its stdin, which is known at the end. */
int given_write_input(struct mpj_log *log, const struct run_options *o, const struct mpj_io *io,
                      struct mpj_err *err);

#endif
