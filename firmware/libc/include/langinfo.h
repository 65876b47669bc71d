/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newlib's, whose function nl_langinfo() is, and with it its numbers. */
#ifndef MPJ_LANGINFO_H
#define MPJ_LANGINFO_H

#include_next <langinfo.h>
#include <nl_types.h>

#endif
