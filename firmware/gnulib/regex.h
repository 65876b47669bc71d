/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Before newlib's; programs get gnulib's in include/. */
#include <gnulib/lib/regex.h>
