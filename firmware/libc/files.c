/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files and stdin: each call is a request to the host and its reply (SPEC.md, "Host I/O"). The
 * thread that asks waits for the reply with the line to itself; in the emulator no time passes.
 */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mpj_in.h"
#include "mpj_io_records.h"
#include "mpj_out.h"
#include "rlock.h"

#define FD_STDIN  0
#define FD_STDERR 2

/* newlib declares these for its own use only. */
int _read(int fd, void *data, size_t len);
int _open(const char *name, int flags, int mode);
int _close(int fd);
off_t _lseek(int fd, off_t offset, int whence);
int _fstat(int fd, struct stat *st);
int _stat(const char *name, struct stat *st);
int _isatty(int fd);
int _unlink(const char *name);
int _link(const char *from, const char *to);

static struct mpj_rlock io_lock;

static struct mpj_bytes text(const char *s)
{
    return (struct mpj_bytes){(const uint8_t *)s, strlen(s)};
}

/* Asks, and hands the reply's error on. The reply's data is valid until io_lock is given back,
 * which is the caller's to hold. */
static int64_t ask(const struct mpj_io_req *q, struct mpj_io_reply *reply)
{
    static uint8_t request[MPJ_FRAME_PAYLOAD_MAX];
    struct mpj_writer w;
    struct mpj_frame f;
    struct mpj_reader r;
    struct mpj_rec rec;

    mpj_writer_init(&w, request, sizeof(request));
    if (mpj_io_req_put(&w, q) != MPJ_LINK_OK) {
        errno = ENAMETOOLONG;
        return -1;
    }
    mpj_out_flush(); /* what was printed before is seen before */
    mpj_out_frame(MPJ_FRAME_IO_REQ, request, (size_t)(w.at - request));
    do {
        mpj_in_wait(&f);
    } while (f.type != MPJ_FRAME_IO_REPLY);
    mpj_reader_init(&r, f.payload, f.len);
    if (mpj_rec_next(&r, &rec) != 1 || rec.kind != MPJ_REC_IO_REPLY ||
        mpj_io_reply_get(&rec, reply) != MPJ_LINK_OK) {
        errno = EIO;
        return -1;
    }
    if (reply->result < 0)
        errno = (int)reply->error;
    return reply->result;
}

static int64_t ask_alone(const struct mpj_io_req *q)
{
    struct mpj_io_reply reply;
    int64_t r;

    mpj_rlock_take(&io_lock, __builtin_return_address(0));
    r = ask(q, &reply);
    mpj_rlock_give(&io_lock);
    return r;
}

static uint32_t open_flags(int flags)
{
    const int access = flags & O_ACCMODE;
    uint32_t out = access == O_WRONLY ? MPJ_IO_FOR_WRITE : MPJ_IO_FOR_READ;

    if (access == O_RDWR)
        out |= MPJ_IO_FOR_WRITE;
    out |= (flags & O_APPEND) != 0 ? MPJ_IO_APPEND : 0U;
    out |= (flags & O_CREAT) != 0 ? MPJ_IO_CREATE : 0U;
    out |= (flags & O_TRUNC) != 0 ? MPJ_IO_TRUNCATE : 0U;
    out |= (flags & O_EXCL) != 0 ? MPJ_IO_EXCLUSIVE : 0U;
    return out;
}

int _open(const char *name, int flags, int mode)
{
    return (int)ask_alone(&(struct mpj_io_req){.op = MPJ_IO_OPEN,
                                               .path = text(name),
                                               .flags = open_flags(flags),
                                               .mode = (uint32_t)mode & 0777U});
}

int _close(int fd)
{
    if (fd >= FD_STDIN && fd <= FD_STDERR)
        return 0;
    return (int)ask_alone(&(struct mpj_io_req){.op = MPJ_IO_CLOSE, .fd = fd});
}

int _read(int fd, void *data, size_t len)
{
    struct mpj_io_req q = {.op = MPJ_IO_READ, .fd = fd};
    struct mpj_io_reply reply;
    int64_t r;

    if (fd > FD_STDIN && fd <= FD_STDERR) {
        errno = EBADF;
        return -1;
    }
    q.length = (uint32_t)(len < MPJ_IO_DATA_MAX ? len : MPJ_IO_DATA_MAX);
    mpj_rlock_take(&io_lock, __builtin_return_address(0));
    r = ask(&q, &reply);
    if (r > 0) {
        r = (int64_t)(reply.data.len < q.length ? reply.data.len : q.length);
        memcpy(data, reply.data.p, (size_t)r);
    }
    mpj_rlock_give(&io_lock);
    return (int)r;
}

int mpj_file_write(int fd, const void *data, size_t len)
{
    struct mpj_io_req q = {.op = MPJ_IO_WRITE, .fd = fd};

    if (fd == FD_STDIN) {
        errno = EBADF;
        return -1;
    }
    q.data.p = data;
    q.data.len = len < MPJ_IO_DATA_MAX ? len : MPJ_IO_DATA_MAX;
    return (int)ask_alone(&q);
}

off_t _lseek(int fd, off_t offset, int whence)
{
    if (fd >= FD_STDIN && fd <= FD_STDERR) {
        errno = ESPIPE;
        return -1;
    }
    return (off_t)ask_alone(&(struct mpj_io_req){
        .op = MPJ_IO_LSEEK, .fd = fd, .offset = offset, .flags = (uint32_t)whence});
}

static int status(const struct mpj_io_req *q, struct stat *st)
{
    struct mpj_io_reply reply;
    int64_t r;

    mpj_rlock_take(&io_lock, __builtin_return_address(0));
    r = ask(q, &reply);
    mpj_rlock_give(&io_lock);
    if (r < 0)
        return -1;
    *st = (struct stat){.st_nlink = 1, .st_blksize = 1024};
    st->st_mode = reply.mode | (reply.kind == MPJ_IO_FILE     ? S_IFREG
                                : reply.kind == MPJ_IO_FOLDER ? S_IFDIR
                                                              : S_IFCHR);
    st->st_size = (off_t)reply.size;
    st->st_mtime = (time_t)reply.mtime;
    return 0;
}

int _fstat(int fd, struct stat *st)
{
    if (fd < FD_STDIN || fd > FD_STDERR)
        return status(&(struct mpj_io_req){.op = MPJ_IO_FSTAT, .fd = fd}, st);
    *st = (struct stat){.st_mode = S_IFCHR | 0666, .st_nlink = 1, .st_blksize = 1024};
    return 0;
}

int _stat(const char *name, struct stat *st)
{
    return status(&(struct mpj_io_req){.op = MPJ_IO_STAT, .path = text(name)}, st);
}

int _isatty(int fd)
{
    if (fd > FD_STDIN && fd <= FD_STDERR)
        return 1; /* seen line by line */
    if (fd > FD_STDERR)
        return 0;
    return ask_alone(&(struct mpj_io_req){.op = MPJ_IO_ISATTY, .fd = fd}) == 1;
}

int _unlink(const char *name)
{
    return (int)ask_alone(&(struct mpj_io_req){.op = MPJ_IO_UNLINK, .path = text(name)});
}

int _link(const char *from, const char *to)
{
    (void)from;
    (void)to;
    errno = EMLINK;
    return -1;
}

/* newlib's makes a link and removes the old name. */
int rename(const char *from, const char *to)
{
    return (int)ask_alone(
        &(struct mpj_io_req){.op = MPJ_IO_RENAME, .path = text(from), .data = text(to)});
}

int mkdir(const char *name, mode_t mode)
{
    return (int)ask_alone(&(struct mpj_io_req){
        .op = MPJ_IO_MKDIR, .path = text(name), .mode = (uint32_t)mode & 0777U});
}

void mpj_file_turn(void)
{
    (void)ask_alone(&(struct mpj_io_req){.op = MPJ_IO_TURN});
}
