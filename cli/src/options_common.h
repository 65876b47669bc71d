/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef OPTIONS_COMMON_H
#define OPTIONS_COMMON_H

#include <argp.h>

/* Returns the options of a command, "mpjoule run", with all but the common ones hidden from --help.
 * A command with few options: `all` itself. */
const struct argp *cli_common(const struct argp *all, const char *command);

#endif
