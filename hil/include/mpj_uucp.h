/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lock files of serial ports as terminal programs (minicom, picocom, cu) make and honour them: the
 * Filesystem Hierarchy Standard 3.0, 5.9: LCK..ttyUSB0 holds the process identifier as ten
 * characters and a newline. They bind who looks at them; root, too, whom TIOCEXCL does not.
 */
#ifndef MPJ_UUCP_H
#define MPJ_UUCP_H

#include <stddef.h>

#include "base/errors.h"

/*
 * Takes the lock of a port. folder: where locks are, "/var/lock". device: path of the port, which
 * need not exist; two names of one port have one lock. A lock whose process is dead is removed.
 * *lock: to be released; NULL when the folder takes no file from us: then only others' locks count.
 * MPJ_E_BUSY: a process that lives has it, or a lock that cannot be read; MPJ_E_NOMEM.
 */
int mpj_uucp_take(char **lock, const char *folder, const char *device, struct mpj_err *err);
/* One line on who has the port, "" when it is free or only ours. Takes nothing. */
void mpj_uucp_holder(const char *folder, const char *device, char *out, size_t cap);
/* Removes the lock, if it is still ours, and frees; NULL is fine. */
void mpj_uucp_release(char *lock);

#endif
