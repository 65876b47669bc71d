/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newlib's, which does not include what it needs. */
#ifndef MPJ_REGEX_H
#define MPJ_REGEX_H

#include <sys/types.h>

#include_next <regex.h>

#endif
