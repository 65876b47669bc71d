/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What programs for the GNU C library include first; newlib's own is elsewhere. */
#ifndef MPJ_FEATURES_H
#define MPJ_FEATURES_H

#include <sys/features.h>

#endif
