/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host I/O: the one record of an IO_REQ frame and the one of its IO_REPLY (SPEC.md, "Host I/O").
 * The target waits for the reply before it asks anything else.
 *
 * put and get as in mpj_records.h: put returns 0, MPJ_LINK_ERR_SPACE or MPJ_LINK_ERR_RANGE with
 * the writer unchanged; get returns 0, MPJ_LINK_ERR_FORMAT or MPJ_LINK_ERR_RANGE, and byte strings
 * point into the record. Freestanding, re-entrant, usable in an interrupt.
 */
#ifndef MPJ_IO_RECORDS_H
#define MPJ_IO_RECORDS_H

#include "mpj_records.h"

#define MPJ_IO_DATA_MAX 960U /* bytes read or written by one request */
#define MPJ_IO_PATH_MAX 480U /* bytes of a path; two of them fit a request */

enum mpj_io_op {
    MPJ_IO_OPEN = 1,    /* path, flags, mode; result: descriptor, 3 or more */
    MPJ_IO_CLOSE = 2,   /* fd */
    MPJ_IO_READ = 3,    /* fd, length; result: bytes, which are in data; 0: end of file */
    MPJ_IO_WRITE = 4,   /* fd, data; result: bytes taken */
    MPJ_IO_LSEEK = 5,   /* fd, offset, flags: enum mpj_io_whence; result: position */
    MPJ_IO_FSTAT = 6,   /* fd; reply has kind, mode, size, mtime */
    MPJ_IO_STAT = 7,    /* path; the same */
    MPJ_IO_UNLINK = 8,  /* path, flags: enum mpj_io_unlink */
    MPJ_IO_RENAME = 9,  /* path to data, which is the new path */
    MPJ_IO_MKDIR = 10,  /* path, mode */
    MPJ_IO_ISATTY = 11, /* fd, which may be 1 or 2; result 1 or 0 */
    MPJ_IO_TURN = 12,   /* nothing: the host may send what it has before it replies; result 0 */
    /* Added later: a host that does not know them replies ENOSYS. */
    MPJ_IO_RESIZE = 13, /* fd, offset: the new size */
    MPJ_IO_LIST = 14,   /* fd of a folder, offset: number of the first entry wanted; result: entries
                           in data, 0: no more; each a byte (enum mpj_io_kind or 0), name, zero */
    MPJ_IO_MODE = 15,   /* path, or none and fd, mode: permission bits */
    MPJ_IO_TOUCH = 16,  /* the same, offset: time of the last change, in seconds since 1970 */
    MPJ_IO_WHERE = 17,  /* fd; its path is in data, empty for the folder the host offers */
    MPJ_IO_LINK = 18,   /* path to data, which is the new path of the same file */
};

/* flags of MPJ_IO_OPEN */
enum mpj_io_open {
    MPJ_IO_FOR_READ = 1U << 0,
    MPJ_IO_FOR_WRITE = 1U << 1,
    MPJ_IO_APPEND = 1U << 2,
    MPJ_IO_CREATE = 1U << 3,
    MPJ_IO_TRUNCATE = 1U << 4,
    MPJ_IO_EXCLUSIVE = 1U << 5,
};

/* flags of MPJ_IO_UNLINK; none: a file or an empty folder, and so does a host that is older. */
enum mpj_io_unlink { MPJ_IO_NO_FOLDER = 1U << 0, MPJ_IO_ONLY_FOLDER = 1U << 1 };

enum mpj_io_whence { MPJ_IO_FROM_START = 0, MPJ_IO_FROM_HERE = 1, MPJ_IO_FROM_END = 2 };

enum mpj_io_kind { MPJ_IO_FILE = 1, MPJ_IO_FOLDER = 2, MPJ_IO_DEVICE = 3 };

/* Errors: the numbers of newlib's errno, which the target makes Linux's of. */
enum mpj_io_error {
    MPJ_IO_EPERM = 1,
    MPJ_IO_ENOENT = 2,
    MPJ_IO_EIO = 5,
    MPJ_IO_EBADF = 9,
    MPJ_IO_ENOMEM = 12,
    MPJ_IO_EACCES = 13,
    MPJ_IO_EBUSY = 16,
    MPJ_IO_EEXIST = 17,
    MPJ_IO_ENOTDIR = 20,
    MPJ_IO_EISDIR = 21,
    MPJ_IO_EINVAL = 22,
    MPJ_IO_EMFILE = 24,
    MPJ_IO_EFBIG = 27,
    MPJ_IO_ENOSPC = 28,
    MPJ_IO_ESPIPE = 29,
    MPJ_IO_EROFS = 30,
    MPJ_IO_ENOSYS = 88,
    MPJ_IO_ENOTEMPTY = 90,
    MPJ_IO_ENAMETOOLONG = 91,
    MPJ_IO_ELOOP = 92,
};

struct mpj_io_req {
    uint32_t op;           /* enum mpj_io_op */
    int32_t fd;            /* 0: the program's stdin */
    uint32_t flags;        /* OPEN: enum mpj_io_open; LSEEK: mpj_io_whence; UNLINK: mpj_io_unlink */
    uint32_t mode;         /* permission bits of a new file */
    int64_t offset;        /* LSEEK */
    uint32_t length;       /* READ: at most MPJ_IO_DATA_MAX */
    struct mpj_bytes path; /* at most MPJ_IO_PATH_MAX bytes, not terminated */
    struct mpj_bytes data; /* WRITE, RENAME, LINK: at most MPJ_IO_DATA_MAX bytes */
};
int mpj_io_req_put(struct mpj_writer *w, const struct mpj_io_req *q);
int mpj_io_req_get(const struct mpj_rec *rec, struct mpj_io_req *out);

struct mpj_io_reply {
    int64_t result; /* as the operation says; -1: failed */
    uint32_t error; /* enum mpj_io_error; 0: none */
    uint32_t kind;  /* FSTAT, STAT: enum mpj_io_kind */
    uint32_t mode;  /* permission bits */
    uint64_t size;  /* bytes */
    int64_t mtime;  /* seconds since 1970 */
    struct mpj_bytes data;
};
int mpj_io_reply_put(struct mpj_writer *w, const struct mpj_io_reply *r);
int mpj_io_reply_get(const struct mpj_rec *rec, struct mpj_io_reply *out);

#endif
