/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Common implementations of the functions of unsupported.txt, which fail with ENOSYS. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "cancel.h"

long mpj_unsupported(void);
long mpj_unsupported_wait(void);
void *mpj_unsupported_null(void);
int mpj_unsupported_number(void);

long mpj_unsupported(void)
{
    errno = ENOSYS;
    return -1;
}

/* Implements those that are cancellation points nevertheless. */
long mpj_unsupported_wait(void)
{
    mpj_cancel_point();
    return mpj_unsupported();
}

void *mpj_unsupported_null(void)
{
    errno = ENOSYS;
    return NULL;
}

/* Implements those that return the error instead of setting errno. */
int mpj_unsupported_number(void)
{
    return ENOSYS;
}

/* Implements what newlib's towctrans() calls for Japanese encodings, which newlib lacks: those are
 * not supported. */
int mpj_same_letter(int c);

int mpj_same_letter(int c)
{
    return c;
}

/* Names that newlib calls; the linker does not check the types. */
#define AS(to, name)                                                                               \
    __asm__(".weak " #name "\n\t.type " #name ", %function\n\t.set " #name ", " #to);
AS(mpj_same_letter, _jp2uc_l)
AS(mpj_same_letter, _uc2jp_l)
AS(mpj_unsupported_wait, _wait)

/* Reports that there is no shell. Not in unsupported.txt, because NULL asks for the shell: as it
 * does not always fail, the linker must not warn. */
__attribute__((weak)) int system(const char *command)
{
    mpj_cancel_point();
    if (command == NULL)
        return 0;
    errno = ENOSYS;
    return -1;
}
