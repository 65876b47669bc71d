/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expectations that are counted instead of ending the program. */
#ifndef WL_EXPECT_H
#define WL_EXPECT_H

#include "wl_common.h"

static int wl_failures;

/* Prints and counts an expectation that did not hold. Returns whether it held. */
static inline bool wl_expect(bool held, const char *what, const char *file, int line)
{
    if (!held && __atomic_fetch_add(&wl_failures, 1, __ATOMIC_RELAXED) < 20)
        fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
    return held;
}
#define WL_EXPECT(cond)      wl_expect((cond), #cond, __FILE__, __LINE__)
#define WL_HOLDS(cond, what) wl_expect((cond), what, __FILE__, __LINE__)

#endif
