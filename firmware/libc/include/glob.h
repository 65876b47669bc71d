/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newlib's, and the flags and results it has no name for. */
#ifndef MPJ_GLOB_H
#define MPJ_GLOB_H

#include_next <glob.h>

#define GLOB_NOESCAPE 0x2000 /* a backslash is one */
#define GLOB_PERIOD   0x4000 /* * and the like take a period at the beginning of a name, too */

#define GLOB_NOMATCH  (-3)
#define GLOB_ABORTED  GLOB_ABEND
#define GLOB_NOSYS    (-4)

#endif
