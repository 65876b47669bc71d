/* SPDX-License-Identifier: GPL-2.0-or-later */
/* getopt() and its like: the GNU C library's, as gnulib has them (README.md). Not for several
 * threads at once. */
#include <getopt.h>

/* gnulib's getopt() stops at the first operand, as POSIX requires; the GNU C library's permutes. */
#define getopt __posix_getopt
/* NOLINTBEGIN(bugprone-suspicious-include) */
#include <gnulib/lib/getopt.c>
#include <gnulib/lib/getopt1.c>
/* NOLINTEND(bugprone-suspicious-include) */
#undef getopt

int getopt(int count, char *const arg[], const char *letters)
{
    return _getopt_internal(count, (char **)arg, letters, NULL, NULL, 0, 0);
}
