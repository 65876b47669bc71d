/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newlib's, and the result it has no name for. */
#ifndef MPJ_GLOB_H
#define MPJ_GLOB_H

#include_next <glob.h>

#define GLOB_NOMATCH (-3)
#define GLOB_ABORTED GLOB_ABEND
#define GLOB_NOSYS   (-4)

#endif
