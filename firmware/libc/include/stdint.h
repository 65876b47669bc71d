/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The compiler's header has the types, but not the marks by which newlib's <inttypes.h> sees that
 * they are there: without these PRIx64 and its like would be missing.
 */
#ifndef MPJ_STDINT_H
#define MPJ_STDINT_H

#include_next <stdint.h>
#include <sys/_stdint.h>

#define __int_least8_t_defined  1
#define __int_least16_t_defined 1
#define __int_least32_t_defined 1
#define __int_least64_t_defined 1
#define __int_fast8_t_defined   1
#define __int_fast16_t_defined  1
#define __int_fast32_t_defined  1
#define __int_fast64_t_defined  1

#endif
