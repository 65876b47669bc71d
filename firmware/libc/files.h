/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of the host, which newlib reaches through the link. Thread context. */
#ifndef MPJ_FILES_H
#define MPJ_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpj_io_records.h"

/* Calls that newlib declares for its own use only: read() and the like without a cancellation
 * point, for functions that have resources to release. -1 with errno. */
int mpj_file_open(const char *name, int flags, int mode);
int _close(int fd);
int _read(int fd, void *data, size_t len);
int _write(int fd, const void *data, size_t len);

/* Number of descriptors that the program can have. */
#define MPJ_DESCRIPTORS 64

/* The lock of the table of descriptors. */
struct mpj_rlock;
extern struct mpj_rlock mpj_io_lock;

/* Begin and end a section during which no other thread's call on a descriptor or path is executed,
 * except output to the console; sections nest. Thread context. */
void mpj_file_begin(const void *caller);
void mpj_file_end(void);

/* write() to descriptors other than stdout and stderr: returns the bytes written, or -1 with
 * errno. */
int mpj_file_write(int fd, const void *data, size_t len);

/* Returns the host's number of a descriptor, 0 to 2 for the standard streams; -1 with EBADF. */
int mpj_file_host(int fd);

/* Numbers of the target's own devices, from MPJ_DEVICE on: the host has no number for them; those
 * from MPJ_OBJECT on are objects in memory (objects.h). */
#define MPJ_DEVICE 0x40000000

/* Looks up a name like /dev/null. Returns a device, or 0 to 2 for a standard stream; -1: a file of
 * the host's. */
int mpj_device_named(const char *name);
/* Opens a descriptor of such a number; -1 with EMFILE. flags: as of open(). */
int mpj_file_open_own(int device, int flags);
/* Reads from a device; returns the number of bytes. */
int mpj_device_read(int device, void *data, size_t len);

static inline bool mpj_is_device(int host)
{
    return host >= MPJ_DEVICE;
}

/* True if the memory that a program passes exists (written: is RAM); else errno is EFAULT. */
bool mpj_file_memory(const void *data, size_t len, bool written);

/* Converts a path to the form the host uses, in `out` unless it is longer than the protocol
 * allows. */
struct mpj_bytes mpj_file_path(const char *name, char out[MPJ_IO_PATH_MAX + 2]);

/* Sends *q, for the path `name` unless that is NULL: returns the reply's result, or -1 with
 * errno. */
int64_t mpj_file_ask(const struct mpj_io_req *q, const char *name);

/* Sends *q without a path, and copies the reply's data to `data` of `size` bytes: *n of them. */
int64_t mpj_file_data(const struct mpj_io_req *q, void *data, size_t size, size_t *n);

/* Lists entries of an open folder from number `from` on, each a byte (enum mpj_io_kind, 0:
 * something else) and its name, terminated by a zero. Returns their number; 0: no more; -1 with
 * errno. */
int64_t mpj_file_list(int fd, size_t from, char *names, size_t size, size_t *bytes);

/* Writes the path of an open folder, from the root, with a leading slash; false with errno. */
bool mpj_file_where(int fd, char path[MPJ_IO_PATH_MAX + 2]);

/* Copies the path of the folder that relative paths begin in: without the leading slash, empty for
 * the root. Returns its length. Takes mpj_io_lock, as other threads may change the folder. */
size_t mpj_file_folder(char out[MPJ_IO_PATH_MAX + 1]);
void mpj_file_set_folder(const char *path);

/* Sends an empty request: the host sends pending data to the target before it replies. */
void mpj_file_turn(void);

#endif
