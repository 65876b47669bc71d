/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newlib's constants, since nl_langinfo() is newlib's. */
#ifndef MPJ_LANGINFO_H
#define MPJ_LANGINFO_H

#include_next <langinfo.h>
#include <nl_types.h>

#endif
