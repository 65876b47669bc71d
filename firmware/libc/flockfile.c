/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "rlock.h"

#ifdef flockfile
#undef flockfile
#undef funlockfile
#endif

/* newlib declares these functions only for systems whose streams have locks. */
void flockfile(FILE *f);
int ftrylockfile(FILE *f);
void funlockfile(FILE *f);

void flockfile(FILE *f)
{
    (void)f;
    mpj_rlock_take(&mpj_stdio_lock, __builtin_return_address(0));
}

int ftrylockfile(FILE *f)
{
    (void)f;
    return mpj_rlock_try(&mpj_stdio_lock) ? 0 : -1;
}

void funlockfile(FILE *f)
{
    (void)f;
    mpj_rlock_give(&mpj_stdio_lock);
}
