/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies from one descriptor to another. */
#ifndef MPJ_SYS_SENDFILE_H
#define MPJ_SYS_SENDFILE_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Copies up to `size` bytes, from *offset on, which is advanced, or (NULL) from the position of
 * `in`. Returns the bytes copied; -1 with errno. */
ssize_t sendfile(int out, int in, off_t *offset, size_t size);

#ifdef __cplusplus
}
#endif

#endif
