/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newlib's, which has a meaning each time it is included; configure steps look here for
 * gnu/stubs.h. */
#ifndef MPJ_ASSERT_H
#define MPJ_ASSERT_H

#include <gnu/stubs.h>

#endif

#include_next <assert.h>
