/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the functions of unsupported.txt are, which fail with ENOSYS. */
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

/* For those that are cancellation points all the same. */
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

/* For those that return the error instead of setting errno. */
int mpj_unsupported_number(void)
{
    return ENOSYS;
}

/* What newlib's towctrans() calls for encodings of Japanese, and does not have: those are not here.
 */
int mpj_same_letter(int c);

int mpj_same_letter(int c)
{
    return c;
}

/* Names that newlib calls; the linker need not know the types. */
#define AS(to, name)                                                                               \
    __asm__(".weak " #name "\n\t.type " #name ", %function\n\t.set " #name ", " #to);
AS(mpj_same_letter, _jp2uc_l)
AS(mpj_same_letter, _uc2jp_l)
AS(mpj_unsupported_wait, _wait)

/* There is no shell, which NULL asks for: so it does not always fail, and the linker is silent. */
__attribute__((weak)) int system(const char *command)
{
    mpj_cancel_point();
    if (command == NULL)
        return 0;
    errno = ENOSYS;
    return -1;
}
