/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of `mpjoule run` for options that run a program several times. */
#ifndef RUN_CHECK_H
#define RUN_CHECK_H

#include <argp.h>

#include "cli_options.h"

/* Checks the other options against --assumptions, --learned, --spread and --seeds. Errors end the
 * command. */
void run_check_repeated(struct argp_state *state, const struct cli_options *c);

#endif
