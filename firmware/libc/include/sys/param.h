/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newlib's, but for the unit of times(), which its own HZ is not. */
#ifndef MPJ_SYS_PARAM_H
#define MPJ_SYS_PARAM_H

#include_next <sys/param.h>

#undef HZ
#define HZ 100

#endif
