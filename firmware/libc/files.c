/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files and stdin: each call is a request to the host and its reply (SPEC.md, "Host I/O"). The
 * calling thread waits for the reply and has the line to itself; in the emulator no time passes.
 */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cancel.h"
#include "hal_map.h"
#include "hal_uart.h"
#include "mpj_at_start.h"
#include "mpj_in.h"
#include "mpj_io_records.h"
#include "mpj_mmu.h"
#include "mpj_out.h"
#include "mpj_prof_thread.h"
#include "mpj_sched.h"
#include "mpj_text.h"
#include "newlib_io.h"
#include "objects.h"
#include "rlock.h"

#define FD_STDIN  0
#define FD_STDERR 2
#define BLOCK     4096 /* st_blksize, and the buffer of a stream */

/* newlib declares these for its own use only. */
int _open(const char *name, int flags, int mode);
off_t _lseek(int fd, off_t offset, int whence);
int _fstat(int fd, struct newlib_stat *st);
int _isatty(int fd);
int _unlink(const char *name);
void __real___smakebuf_r(struct _reent *r, FILE *f);
void __wrap___smakebuf_r(struct _reent *r, FILE *f);

struct mpj_rlock mpj_io_lock;
static unsigned transports; /* nested calls of the lock's holder that move data */

/*
 * The program's open descriptions. Several descriptors (dup()) may share one of the host's, which
 * keeps the position. host: 0 to 2 are the standard streams; users: 0 when the entry is free.
 */
struct opened {
    int host;
    int flags; /* set by open(), then by F_SETFL */
    unsigned users;
    bool appends; /* the host appends what is written */
};

static struct opened opened[MPJ_DESCRIPTORS] = {
    {0, O_RDONLY, 1, false}, {1, O_WRONLY | O_APPEND, 1, true}, {2, O_WRONLY | O_APPEND, 1, true}};
static struct opened *descriptor[MPJ_DESCRIPTORS] = {&opened[0], &opened[1], &opened[2]};
/* FD_CLOEXEC: stored only to be read back, since the program cannot start another one. */
static bool close_on_exec[MPJ_DESCRIPTORS];

static mode_t creation_mask = S_IWGRP | S_IWOTH;

/* The folder that relative paths begin in, without the leading slash; empty: the folder of
 * --dir. */
static char folder[MPJ_IO_PATH_MAX + 1];

/* Takes the first folder from PWD of the environment, an absolute path. Runs before the run begins,
 * so that the path's length costs the program nothing. */
static void begin_in_folder(void)
{
    static const char name[] = "PWD=/";

    for (char *const *e = environ; e != NULL && *e != NULL; e++) {
        if (strncmp(*e, name, sizeof(name) - 1U) == 0)
            (void)strncpy(folder, *e + sizeof(name) - 1U, sizeof(folder) - 1U);
    }
}
MPJ_AT_START(begin_in_folder);

static int fail(int error)
{
    errno = error;
    return -1;
}

/* Begins a request: from here on the thread's time counts as the host's, and no other request is
 * sent. */
void mpj_file_begin(const void *caller)
{
    mpj_thread_hold(); /* a handler's time would be the program's */
    mpj_prof_host_begin(&mpj_thread_self()->prof);
    mpj_rlock_take(&mpj_io_lock, caller);
    if (transports++ == 0)
        (void)hal_uart_transport(true);
}

void mpj_file_end(void)
{
    if (--transports == 0)
        (void)hal_uart_transport(false);
    mpj_rlock_give(&mpj_io_lock);
    mpj_prof_host_end(&mpj_thread_self()->prof);
    mpj_thread_release();
}

/* Returns the open description of a descriptor; NULL with EBADF. */
static struct opened *open_at(int fd)
{
    if (fd >= 0 && fd < MPJ_DESCRIPTORS && descriptor[fd] != NULL)
        return descriptor[fd];
    errno = EBADF;
    return NULL;
}

int mpj_file_host(int fd)
{
    const struct opened *const o = open_at(fd);

    return o != NULL ? o->host : -1;
}

bool mpj_file_memory(const void *data, size_t len, bool written)
{
    const uintptr_t at = (uintptr_t)data;
    const uintptr_t into = at - BOARD_RAM_BASE;
    const bool ram =
        at >= BOARD_RAM_FIRST && into < BOARD_RAM_BYTES && len <= BOARD_RAM_BYTES - into;
#if BOARD_NOR_BANKS > 0
    const bool flash = at - BOARD_NOR0_BASE < BOARD_NOR_BANKS * BOARD_NOR_BYTES;
#else
    const bool flash = false;
#endif

    if (len == 0 || ram || (flash && !written))
        return true;
    errno = EFAULT;
    return false;
}

/* Returns the lowest free descriptor from `least` on; -1 with errno. mpj_io_lock held. */
static int free_descriptor(int least)
{
    if (least < 0 || least >= MPJ_DESCRIPTORS)
        return fail(EINVAL);
    while (least < MPJ_DESCRIPTORS && descriptor[least] != NULL)
        least++;
    return least < MPJ_DESCRIPTORS ? least : fail(EMFILE);
}

/* Converts a path to the form the host uses: relative to the folder of `mpjoule run --dir`, which
 * is the root. */
struct mpj_bytes mpj_file_path(const char *name, char out[MPJ_IO_PATH_MAX + 2])
{
    const bool absolute = name[0] == '/';
    size_t n = absolute || name[0] == '\0' ? 0 : mpj_file_folder(out);

    while (*name == '/')
        name++;
    if (absolute && *name == '\0')
        name = ".";
    if (n != 0)
        out[n++] = '/';
    out[MPJ_IO_PATH_MAX + 1U] = '\0'; /* too long: the request will fail */
    n += strlen(strncpy(out + n, name, MPJ_IO_PATH_MAX + 1U - n));
    return (struct mpj_bytes){(const uint8_t *)out, n};
}

size_t mpj_file_folder(char out[MPJ_IO_PATH_MAX + 1])
{
    size_t n;

    mpj_rlock_take(&mpj_io_lock, __builtin_return_address(0));
    n = strlen(strcpy(out, folder));
    mpj_rlock_give(&mpj_io_lock);
    return n;
}

void mpj_file_set_folder(const char *path)
{
    mpj_rlock_take(&mpj_io_lock, __builtin_return_address(0));
    strcpy(folder, path);
    mpj_rlock_give(&mpj_io_lock);
}

/* Converts an error from the link, which has newlib's numbers, to Linux's numbers. */
static int linux_error(uint32_t error)
{
    switch (error) {
    case MPJ_IO_ENOSYS:
        return ENOSYS;
    case MPJ_IO_ENOTEMPTY:
        return ENOTEMPTY;
    case MPJ_IO_ENAMETOOLONG:
        return ENAMETOOLONG;
    case MPJ_IO_ELOOP:
        return ELOOP;
    default:
        return (int)error; /* numbers up to ERANGE are equal */
    }
}

/* Sends a request and returns the result; an error becomes errno. The reply's data is valid until
 * the caller, who must hold mpj_io_lock, releases it. */
static int64_t ask(const struct mpj_io_req *q, struct mpj_io_reply *reply)
{
    static uint8_t request[MPJ_FRAME_PAYLOAD_MAX];
    struct mpj_writer w;
    struct mpj_frame f;
    struct mpj_reader r;
    struct mpj_rec rec;

    if (mpj_text_on()) /* stdin is at its end, and there are no files */
        return q->op == MPJ_IO_READ && q->fd == FD_STDIN ? 0 : fail(ENOSYS);
    mpj_writer_init(&w, request, sizeof(request));
    if (mpj_io_req_put(&w, q) != MPJ_LINK_OK) {
        return fail(ENAMETOOLONG);
    }
    mpj_out_flush(); /* earlier output must appear first */
    mpj_out_frame(MPJ_FRAME_IO_REQ, request, (size_t)(w.at - request));
    do {
        mpj_in_wait(&f);
    } while (f.type != MPJ_FRAME_IO_REPLY);
    mpj_reader_init(&r, f.payload, f.len);
    if (mpj_rec_next(&r, &rec) != 1 || rec.kind != MPJ_REC_IO_REPLY ||
        mpj_io_reply_get(&rec, reply) != MPJ_LINK_OK) {
        return fail(EIO);
    }
    if (reply->result < 0)
        errno = linux_error(reply->error);
    return reply->result;
}

static int64_t ask_alone(const struct mpj_io_req *q, struct mpj_io_reply *reply)
{
    int64_t r;

    mpj_file_begin(__builtin_return_address(0));
    r = ask(q, reply);
    mpj_file_end();
    return r;
}

int64_t mpj_file_ask(const struct mpj_io_req *q, const char *name)
{
    char path[MPJ_IO_PATH_MAX + 2];
    struct mpj_io_req named = *q;
    struct mpj_io_reply reply;

    if (name != NULL)
        named.path = mpj_file_path(name, path);
    return ask_alone(&named, &reply);
}

int64_t mpj_file_data(const struct mpj_io_req *q, void *data, size_t size, size_t *n)
{
    struct mpj_io_reply reply;
    int64_t r;

    mpj_file_begin(__builtin_return_address(0));
    r = ask(q, &reply);
    if (r >= 0 && reply.data.len <= size) {
        memcpy(data, reply.data.p, reply.data.len);
        *n = reply.data.len;
    }
    mpj_file_end();
    return r;
}

int64_t mpj_file_list(int fd, size_t from, char *names, size_t size, size_t *bytes)
{
    const struct mpj_io_req q = {
        .op = MPJ_IO_LIST, .fd = mpj_file_host(fd), .offset = (int64_t)from};

    return q.fd < 0 ? -1 : mpj_file_data(&q, names, size, bytes);
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

mode_t umask(mode_t mask)
{
    return __atomic_exchange_n(&creation_mask, mask & 0777U, __ATOMIC_RELAXED);
}

static uint32_t masked(mode_t mode)
{
    return mode & 0777U & ~__atomic_load_n(&creation_mask, __ATOMIC_RELAXED);
}

/* True if the host's descriptor is a folder. mpj_io_lock held. */
static bool is_folder(int host)
{
    struct mpj_io_reply reply;

    return ask(&(struct mpj_io_req){.op = MPJ_IO_FSTAT, .fd = host}, &reply) == 0 &&
           reply.kind == MPJ_IO_FOLDER;
}

static int dup_from(int fd, int least, bool cloexec);

int mpj_file_open_own(int device, int flags)
{
    struct opened *o = opened;
    int fd;

    mpj_rlock_take(&mpj_io_lock, __builtin_return_address(0));
    fd = free_descriptor(0);
    if (fd >= 0) {
        while (o->users != 0) /* always ends: there are as many as descriptors */
            o++;
        *o = (struct opened){device, flags, 1, false};
        descriptor[fd] = o;
        close_on_exec[fd] = (flags & O_CLOEXEC) != 0;
    }
    mpj_rlock_give(&mpj_io_lock);
    return fd;
}

/* Opens /dev/null and its like, which always exist. */
static int open_device(int device, int flags)
{
    int fd;

    if ((flags & O_CREAT) != 0 && (flags & O_EXCL) != 0)
        return fail(EEXIST);
    if ((flags & O_DIRECTORY) != 0)
        return fail(ENOTDIR);
    if (!mpj_is_device(device)) {
        fd = dup_from(device, 0, (flags & O_CLOEXEC) != 0);
        return fd >= 0 || errno != EBADF ? fd : fail(ENOENT);
    }
    return mpj_file_open_own(device, flags);
}

int mpj_file_open(const char *name, int flags, int mode)
{
    struct mpj_io_req q = {.op = MPJ_IO_OPEN, .flags = open_flags(flags), .mode = masked(mode)};
    struct opened *o = opened;
    int fd;
    int64_t host = -1;

    if (!mpj_file_memory(name, 1, false))
        return -1;
    if (mpj_device_named(name) >= 0)
        return open_device(mpj_device_named(name), flags);
    mpj_file_begin(__builtin_return_address(0));
    fd = free_descriptor(0);
    if (fd >= 0) {
        while (o->users != 0) /* always ends: there are as many as descriptors */
            o++;
        host = mpj_file_ask(&q, name);
        if (host >= 0 && (flags & O_DIRECTORY) != 0 && !is_folder((int)host)) {
            (void)mpj_file_ask(&(struct mpj_io_req){.op = MPJ_IO_CLOSE, .fd = (int)host}, NULL);
            host = fail(ENOTDIR);
        }
    }
    if (host >= 0) {
        *o = (struct opened){(int)host, flags, 1, (flags & O_APPEND) != 0};
        descriptor[fd] = o;
        close_on_exec[fd] = (flags & O_CLOEXEC) != 0;
    }
    mpj_file_end();
    return host >= 0 ? fd : -1;
}

/* Opens a file for newlib's streams, which use newlib's own flags. */
int _open(const char *name, int flags, int mode)
{
    static const struct {
        int newlib, linux_flag;
    } known[] = {{0x0008, O_APPEND},
                 {0x0200, O_CREAT},
                 {0x0400, O_TRUNC},
                 {0x0800, O_EXCL},
                 {0x40000, O_CLOEXEC}};
    int ours = flags & O_ACCMODE;

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        ours |= (flags & known[i].newlib) != 0 ? known[i].linux_flag : 0;
    return mpj_file_open(name, ours, mode);
}

int _close(int fd)
{
    struct mpj_object *object = NULL;
    struct opened *o;
    int64_t r = 0;

    mpj_file_begin(__builtin_return_address(0));
    o = open_at(fd);
    if (o == NULL) {
        r = -1;
    } else {
        descriptor[fd] = NULL;
        if (--o->users == 0 && mpj_is_device(o->host))
            object = mpj_object_of(o->host);
        else if (o->users == 0 && o->host > FD_STDERR)
            r = mpj_file_ask(&(struct mpj_io_req){.op = MPJ_IO_CLOSE, .fd = o->host}, NULL);
    }
    mpj_file_end();
    if (object != NULL)
        mpj_object_drop(object);
    return (int)r;
}

/* Duplicates a descriptor. mpj_io_lock held. */
static int duplicate(int fd, int to, bool cloexec)
{
    descriptor[to] = descriptor[fd];
    descriptor[to]->users++;
    close_on_exec[to] = cloexec;
    return to;
}

static int dup_from(int fd, int least, bool cloexec)
{
    int to = -1;

    mpj_rlock_take(&mpj_io_lock, __builtin_return_address(0));
    if (open_at(fd) != NULL)
        to = free_descriptor(least);
    if (to >= 0)
        (void)duplicate(fd, to, cloexec);
    mpj_rlock_give(&mpj_io_lock);
    return to;
}

int dup(int fd)
{
    return dup_from(fd, 0, false);
}

static int dup_to(int fd, int to, bool cloexec)
{
    int r = to;

    mpj_file_begin(__builtin_return_address(0));
    if (open_at(fd) == NULL || to < 0 || to >= MPJ_DESCRIPTORS) {
        r = fail(EBADF);
    } else if (fd != to) {
        if (descriptor[to] != NULL)
            (void)_close(to);
        r = duplicate(fd, to, cloexec);
    }
    mpj_file_end();
    return r;
}

int dup2(int fd, int to)
{
    return dup_to(fd, to, false);
}

int dup3(int fd, int to, int flags)
{
    return fd == to || (flags & ~O_CLOEXEC) != 0 ? fail(EINVAL) : dup_to(fd, to, flags != 0);
}

/* Changes the flags of an open description. Appending: set on the host at open(), otherwise each
 * write() seeks to the end first. */
static int set_flags(struct opened *o, int flags)
{
    const int mine = O_APPEND | O_NONBLOCK;

    if (o->appends && o->host > FD_STDERR && (flags & O_APPEND) == 0)
        return fail(EINVAL);
    o->flags = (o->flags & ~mine) | (flags & mine);
    return 0;
}

/* Checks a record lock, which never conflicts: there is no other process that could hold one. */
static int lock_record(const struct opened *o, int command, struct flock *lock)
{
    const int access = o->flags & O_ACCMODE;

    if (!mpj_file_memory(lock, sizeof(*lock), true))
        return -1;
    if (lock->l_type != F_RDLCK && lock->l_type != F_WRLCK &&
        (lock->l_type != F_UNLCK || command == F_GETLK))
        return fail(EINVAL);
    if (lock->l_whence != SEEK_SET && lock->l_whence != SEEK_CUR && lock->l_whence != SEEK_END)
        return fail(EINVAL);
    if (command == F_GETLK)
        lock->l_type = F_UNLCK;
    else if ((lock->l_type == F_RDLCK && access == O_WRONLY) ||
             (lock->l_type == F_WRLCK && access == O_RDONLY))
        return fail(EBADF);
    return 0;
}

int fcntl(int fd, int command, ...)
{
    struct opened *const o = open_at(fd);
    va_list ap;
    int arg;

    if (command == F_SETLKW)
        mpj_cancel_point();
    va_start(ap, command);
    arg = va_arg(ap, int); /* or a pointer; unused by commands without an argument */
    va_end(ap);
    if (o == NULL)
        return -1;
    switch (command) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
        return dup_from(fd, arg, command == F_DUPFD_CLOEXEC);
    case F_GETFD:
        return close_on_exec[fd] ? FD_CLOEXEC : 0;
    case F_SETFD:
        close_on_exec[fd] = (arg & FD_CLOEXEC) != 0;
        return 0;
    case F_GETFL:
        return o->flags & (O_ACCMODE | O_APPEND | O_NONBLOCK | O_SYNC);
    case F_SETFL:
        return set_flags(o, arg);
    case F_GETLK:
    case F_SETLK:
    case F_SETLKW:
        return lock_record(o, command, (struct flock *)(uintptr_t)arg);
    default:
        return fail(EINVAL);
    }
}

/* Reads at most as much as one request can return. */
static int64_t read_some(int host, void *data, size_t len)
{
    struct mpj_io_req q = {.op = MPJ_IO_READ, .fd = host};
    struct mpj_io_reply reply;
    int64_t r;

    q.length = (uint32_t)(len < MPJ_IO_DATA_MAX ? len : MPJ_IO_DATA_MAX);
    r = ask(&q, &reply);
    if (r > 0) {
        r = (int64_t)(reply.data.len < q.length ? reply.data.len : q.length);
        memcpy(data, reply.data.p, (size_t)r);
    }
    return r;
}

/* True if another read may follow one of stdin that returned the full amount; a terminal or a pipe
 * returns what there is. mpj_io_lock held. */
static bool stdin_is_file(void)
{
    static enum { UNKNOWN, FILE_THERE, NO_FILE } known;
    struct mpj_io_reply reply;

    if (known == UNKNOWN)
        known = ask(&(struct mpj_io_req){.op = MPJ_IO_FSTAT, .fd = FD_STDIN}, &reply) == 0 &&
                        reply.kind == MPJ_IO_FILE
                    ? FILE_THERE
                    : NO_FILE;
    return known == FILE_THERE;
}

static bool stdin_seeks(void)
{
    bool is;

    mpj_file_begin(__builtin_return_address(0));
    is = stdin_is_file();
    mpj_file_end();
    return is;
}

/* Reads until the buffer is full or the file ends. */
int _read(int fd, void *data, size_t len)
{
    const struct opened *const o = open_at(fd);
    size_t done = 0;
    int64_t n;

    if (o == NULL || (o->flags & O_ACCMODE) == O_WRONLY)
        return fail(EBADF);
    if (mpj_object_of(o->host) != NULL)
        return mpj_object_move(fd, MPJ_IN, data, len, 0, false, __builtin_return_address(0));
    if (!mpj_file_memory(data, len, true))
        return -1;
    if (mpj_is_device(o->host))
        return mpj_device_read(o->host, data, len);
    mpj_file_begin(__builtin_return_address(0));
    do {
        n = read_some(o->host, (uint8_t *)data + done, len - done);
        if (n > 0)
            done += (size_t)n;
    } while (n == (int64_t)MPJ_IO_DATA_MAX && done < len &&
             (o->host != FD_STDIN || stdin_is_file()));
    mpj_file_end();
    return n < 0 && done == 0 ? -1 : (int)done;
}

static int64_t seek(int host, off_t offset, unsigned whence)
{
    return mpj_file_ask(
        &(struct mpj_io_req){.op = MPJ_IO_LSEEK, .fd = host, .offset = offset, .flags = whence},
        NULL);
}

int mpj_file_write(int fd, const void *data, size_t len)
{
    const struct opened *const o = open_at(fd);
    struct mpj_io_req q = {.op = MPJ_IO_WRITE};
    size_t done = 0;
    int64_t n;

    if (o == NULL || (o->flags & O_ACCMODE) == O_RDONLY)
        return fail(EBADF);
    if (mpj_object_of(o->host) != NULL)
        return mpj_object_move(fd, MPJ_OUT, (void *)(uintptr_t)data, len, 0, false,
                               __builtin_return_address(0));
    if (!mpj_file_memory(data, len, false))
        return -1;
    if (mpj_is_device(o->host))
        return (int)len;
    q.fd = o->host;
    mpj_file_begin(__builtin_return_address(0));
    if ((o->flags & O_APPEND) != 0 && !o->appends)
        (void)seek(o->host, 0, MPJ_IO_FROM_END);
    do {
        q.data.p = (const uint8_t *)data + done;
        q.data.len = len - done < MPJ_IO_DATA_MAX ? len - done : MPJ_IO_DATA_MAX;
        n = mpj_file_ask(&q, NULL);
        if (n > 0)
            done += (size_t)n;
    } while (n == (int64_t)MPJ_IO_DATA_MAX && done < len);
    mpj_file_end();
    return n < 0 && done == 0 ? -1 : (int)done;
}

off_t _lseek(int fd, off_t offset, int whence)
{
    const int host = mpj_file_host(fd);

    if (host < 0)
        return -1;
    if (mpj_object_of(host) != NULL || (host <= FD_STDERR && (host != FD_STDIN || !stdin_seeks())))
        return fail(ESPIPE);
    if (whence != SEEK_SET && whence != SEEK_CUR && whence != SEEK_END)
        return fail(EINVAL);
    if (mpj_is_device(host))
        return 0;
    return (off_t)seek(host, offset, (unsigned)whence);
}

static int device_status(int host, struct stat *st)
{
    const struct mpj_object *const o = mpj_object_of(host);

    *st = (struct stat){
        .st_mode = o != NULL ? o->ops->mode : S_IFCHR | 0666, .st_nlink = 1, .st_blksize = BLOCK};
    return 0;
}

static int status(const struct mpj_io_req *q, struct stat *st)
{
    struct mpj_io_reply reply;

    if (ask_alone(q, &reply) < 0)
        return -1;
    *st = (struct stat){.st_nlink = 1, .st_blksize = BLOCK};
    st->st_mode = reply.mode | (reply.kind == MPJ_IO_FILE     ? S_IFREG
                                : reply.kind == MPJ_IO_FOLDER ? S_IFDIR
                                                              : S_IFCHR);
    st->st_size = (off_t)reply.size;
    st->st_blocks = (st->st_size + 511) / 512;
    st->st_atime = st->st_ctime = st->st_mtime = (time_t)reply.mtime; /* no other is known */
    return 0;
}

int fstat(int fd, struct stat *st)
{
    const int host = mpj_file_host(fd);

    if (host < 0)
        return -1;
    if ((host > FD_STDERR && !mpj_is_device(host)) || (host == FD_STDIN && stdin_seeks()))
        return status(&(struct mpj_io_req){.op = MPJ_IO_FSTAT, .fd = host}, st);
    return device_status(host, st);
}

/* Returns the fields of the status that newlib's streams use when they seek. */
int _fstat(int fd, struct newlib_stat *at)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return -1;
    *at = (struct newlib_stat){.mode = st.st_mode, .size = st.st_size, .blksize = st.st_blksize};
    return 0;
}

int stat(const char *restrict name, struct stat *restrict st)
{
    char path[MPJ_IO_PATH_MAX + 2];

    if (mpj_device_named(name) >= 0)
        return device_status(0, st);
    return status(&(struct mpj_io_req){.op = MPJ_IO_STAT, .path = mpj_file_path(name, path)}, st);
}

/* True if newlib's streams should be line-buffered; reading from such a stream first flushes
 * line-buffered output, so that prompts appear. */
int _isatty(int fd)
{
    const int host = mpj_file_host(fd);

    return host >= FD_STDIN && host <= FD_STDERR;
}

/*
 * Allocates a stream's buffer of st_blksize. newlib always takes 1 KB, and every refill is a call
 * of the host; Linux has 4 KB.
 */
void __wrap___smakebuf_r(struct _reent *r, FILE *f)
{
    unsigned char *buffer = NULL;

    if (!(f->_flags & __SNBF) && f->_file >= 0 && mpj_file_host(f->_file) > FD_STDERR)
        buffer = malloc(BLOCK);
    if (!buffer) {
        __real___smakebuf_r(r, f);
        if (f->_file >= 0 && mpj_file_host(f->_file) == FD_STDIN)
            f->_flags |= __SLBF; /* for files, too: prompts appear before the input is read */
        return;
    }
    f->_p = f->_bf._base = buffer;
    f->_bf._size = BLOCK;
    f->_flags |= __SMBF | __SNPT;
}

/* True if the descriptor is a terminal, which the host decides. */
int isatty(int fd)
{
    const int host = mpj_file_host(fd);

    if (host < 0)
        return 0;
    if (host <= FD_STDERR &&
        mpj_file_ask(&(struct mpj_io_req){.op = MPJ_IO_ISATTY, .fd = host}, NULL) == 1)
        return 1;
    errno = ENOTTY;
    return 0;
}

int _unlink(const char *name)
{
    return (int)mpj_file_ask(&(struct mpj_io_req){.op = MPJ_IO_UNLINK, .flags = MPJ_IO_NO_FOLDER},
                             name);
}

/* Renames a file; newlib's rename() makes a link and removes the old name. */
int rename(const char *from, const char *to)
{
    char path[MPJ_IO_PATH_MAX + 2];
    struct mpj_io_req q = {.op = MPJ_IO_RENAME, .data = mpj_file_path(to, path)};

    return (int)mpj_file_ask(&q, from);
}

int mkdir(const char *name, mode_t mode)
{
    struct mpj_io_req q = {.op = MPJ_IO_MKDIR, .mode = masked(mode)};

    return (int)mpj_file_ask(&q, name);
}

void mpj_file_turn(void)
{
    (void)mpj_file_ask(&(struct mpj_io_req){.op = MPJ_IO_TURN}, NULL);
}
