/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_SYS_PRCTL_H
#define MPJ_SYS_PRCTL_H

#define PR_SET_NAME 15
#define PR_GET_NAME 16

/* Sets and reads the name of the calling thread, which is cut to 15 bytes; other options:
 * EINVAL. */
int prctl(int option, ...);

#endif
