/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fnmatch(): the GNU C library's, as gnulib has it (README.md). */
/* NOLINTBEGIN(bugprone-suspicious-include) */
#include <gnulib/lib/fnmatch.c>
/* NOLINTEND(bugprone-suspicious-include) */
