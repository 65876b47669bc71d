/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits under the names that predate <limits.h> and <float.h>. */
#ifndef MPJ_VALUES_H
#define MPJ_VALUES_H

#include <float.h>
#include <limits.h>

#ifdef __USE_MISC
#define BITSPERBYTE CHAR_BIT
#endif
#define MAXSHORT  SHRT_MAX
#define MINSHORT  SHRT_MIN
#define MAXINT    INT_MAX
#define MININT    INT_MIN
#define MAXLONG   LONG_MAX
#define MINLONG   LONG_MIN
#define MAXFLOAT  FLT_MAX
#define MINFLOAT  FLT_MIN
#define MAXDOUBLE DBL_MAX
#define MINDOUBLE DBL_MIN

#endif
