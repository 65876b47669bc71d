/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The host's monotonic clock: for progress and timeouts, never for results. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

/* Returns seconds since an arbitrary moment. */
double mpj_clock_s(void);
/* Returns milliseconds since the same moment; wraps around. */
uint32_t mpj_clock_ms(void);

#endif
