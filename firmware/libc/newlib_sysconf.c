/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysconf() as newlib calls it: malloc() of newlib 4 asks for the size of a page, by the number
 * that newlib's own <sys/unistd.h> gives it. Programs have the GNU C library's numbers (unistd.h).
 */
#include <errno.h>

#include "mpj_mmu.h"

#define NEWLIB_SC_PAGESIZE 8

/* private_names.py renames newlib's references to sysconf to this one. */
long __for_newlib_sysconf(int name);

/* Returns the size of a page in bytes; for any other name -1, errno EINVAL. */
long __for_newlib_sysconf(int name)
{
    if (name == NEWLIB_SC_PAGESIZE)
        return (long)MPJ_PAGE_BYTES;
    errno = EINVAL;
    return -1;
}
