/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From one descriptor to another. */
#ifndef MPJ_SYS_SENDFILE_H
#define MPJ_SYS_SENDFILE_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Copies up to `size` bytes, from *offset on, which goes on, or (NULL) from where `in` is. Bytes;
 * -1 with errno. */
ssize_t sendfile(int out, int in, off_t *offset, size_t size);

#ifdef __cplusplus
}
#endif

#endif
