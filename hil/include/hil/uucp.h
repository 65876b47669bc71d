/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lock files of serial ports as terminal programs (minicom, picocom, cu) create and honour them:
 * the Filesystem Hierarchy Standard 3.0, 5.9: LCK..ttyUSB0 holds the process identifier as ten
 * characters and a newline. The locks are advisory; they also keep root out, which TIOCEXCL does
 * not.
 */
#ifndef HIL_UUCP_H
#define HIL_UUCP_H

#include <stddef.h>

#include "base/errors.h"

/*
 * Takes the lock of a port. folder: folder of the locks, "/var/lock". device: path of the port,
 * which need not exist; two names of one port have one lock. A lock whose process is dead is
 * removed. *lock: to be released; NULL when this process may not create a file in the folder: then
 * only others' locks count. MPJ_E_BUSY: a living process has it, or a lock that cannot be read;
 * MPJ_E_NOMEM.
 */
int mpj_uucp_take(char **lock, const char *folder, const char *device, struct mpj_err *err);
/* Writes one line on the holder of the port, "" when it is free or held only by this process. Takes
 * nothing. */
void mpj_uucp_holder(const char *folder, const char *device, char *out, size_t cap);
/* Removes the lock, if it is still this process's, and frees; NULL is allowed. */
void mpj_uucp_release(char *lock);

#endif
