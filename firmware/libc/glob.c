/* SPDX-License-Identifier: GPL-2.0-or-later */
/* glob() and its like: the GNU C library's, as gnulib has them (README.md). */
#define __GLOB_FLAGS     0x7fff /* all of <glob.h> */
#define __glob_pattern_p glob_pattern_p

/* NOLINTBEGIN(bugprone-suspicious-include) */
#include <gnulib/lib/glob.c>
#include <gnulib/lib/glob_pattern_p.c>
#include <gnulib/lib/globfree.c>
#include <gnulib/lib/malloc/scratch_buffer_grow.c>
#include <gnulib/lib/malloc/scratch_buffer_set_array_size.c>
/* NOLINTEND(bugprone-suspicious-include) */
