/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of the host, which newlib's calls reach through the link. Thread context. */
#ifndef MPJ_FILES_H
#define MPJ_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpj_io_records.h"

/* newlib's calls, which it declares for its own use only: read() and the like without a
 * cancellation point, for functions that have something to give back. -1 with errno. */
int mpj_file_open(const char *name, int flags, int mode);
int _close(int fd);
int _read(int fd, void *data, size_t len);
int _write(int fd, const void *data, size_t len);

/* Descriptors the program can have. */
#define MPJ_DESCRIPTORS 64

/* Of the table of descriptors. */
struct mpj_rlock;
extern struct mpj_rlock mpj_io_lock;

/* Between these no other thread's call with a descriptor or path comes in between, but for output
 * to the console; they nest. Thread context. */
void mpj_file_begin(const void *caller);
void mpj_file_end(void);

/* write() on anything but stdout and stderr: bytes taken, or -1 with errno. */
int mpj_file_write(int fd, const void *data, size_t len);

/* The host's number of a descriptor, 0 to 2 for the standard streams; -1 with EBADF. */
int mpj_file_host(int fd);

/* A device of the target's own: has no number of the host's, but one from MPJ_DEVICE on; those from
 * MPJ_OBJECT on are objects in memory (objects.h). */
#define MPJ_DEVICE 0x40000000

/* What /dev/null and its like stand for: a device, or 0 to 2 for a standard stream; -1: a file of
 * the host's. */
int mpj_device_named(const char *name);
/* A descriptor of its own for such a number, or -1 with EMFILE. flags: of open(). */
int mpj_file_open_own(int device, int flags);
/* How many bytes the device gives. */
int mpj_device_read(int device, void *data, size_t len);

static inline bool mpj_is_device(int host)
{
    return host >= MPJ_DEVICE;
}

/* Whether memory that a program names is there (written: RAM); else errno is EFAULT. */
bool mpj_file_memory(const void *data, size_t len, bool written);

/* A path as the host wants it, in out where it is not longer than the protocol allows. */
struct mpj_bytes mpj_file_path(const char *name, char out[MPJ_IO_PATH_MAX + 2]);

/* Asks what *q says, of the path `name` unless that is NULL: the reply's result, or -1 with errno.
 */
int64_t mpj_file_ask(const struct mpj_io_req *q, const char *name);

/* The same without a path, and what the reply brings: in data, of `size` bytes, *n of them. */
int64_t mpj_file_data(const struct mpj_io_req *q, void *data, size_t size, size_t *n);

/* Entries of an open folder from number `from` on, each a byte (enum mpj_io_kind, 0: something
 * else) and its name with the zero at its end: how many; 0: no more; -1 with errno. */
int64_t mpj_file_list(int fd, size_t from, char *names, size_t size, size_t *bytes);

/* The path of an open folder, from the root, with a slash before it; false with errno. */
bool mpj_file_where(int fd, char path[MPJ_IO_PATH_MAX + 2]);

/* Where relative paths begin: without the first slash, empty for the root. */
const char *mpj_file_folder(void);
void mpj_file_set_folder(const char *path);

/* Asks the host for nothing: it sends what it has for the target before it replies. */
void mpj_file_turn(void);

#endif
