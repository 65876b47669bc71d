/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hil/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/openat2.h>
#include <sha2.h>

#define FIRST_FILE 3 /* 0 to 2 are the program's standard streams */

struct mpj_io {
    int dir;   /* -1: none */
    int input; /* -1: empty */
    bool terminal[FIRST_FILE];
    int file[MPJ_IO_FILES_MAX];
    struct dirent **entry[MPJ_IO_FILES_MAX]; /* of a folder that is being read, sorted */
    int entries[MPJ_IO_FILES_MAX];
    uint8_t data[MPJ_IO_DATA_MAX];
    SHA2_CTX taken; /* of descriptor 0 */
    uint64_t taken_bytes;
};

/* ---- errors ------------------------------------------------------------------- */

static uint32_t error_of(int number)
{
    static const struct {
        int host;
        uint32_t target;
    } known[] = {
        {EPERM, MPJ_IO_EPERM},
        {ENOENT, MPJ_IO_ENOENT},
        {EBADF, MPJ_IO_EBADF},
        {ENOMEM, MPJ_IO_ENOMEM},
        {EACCES, MPJ_IO_EACCES},
        {EXDEV, MPJ_IO_EACCES}, /* result of openat2 for a path that leaves the folder */
        {EBUSY, MPJ_IO_EBUSY},
        {EEXIST, MPJ_IO_EEXIST},
        {ENOTDIR, MPJ_IO_ENOTDIR},
        {EISDIR, MPJ_IO_EISDIR},
        {EINVAL, MPJ_IO_EINVAL},
        {EMFILE, MPJ_IO_EMFILE},
        {ENFILE, MPJ_IO_EMFILE},
        {EFBIG, MPJ_IO_EFBIG},
        {ENOSPC, MPJ_IO_ENOSPC},
        {EDQUOT, MPJ_IO_ENOSPC},
        {ESPIPE, MPJ_IO_ESPIPE},
        {EROFS, MPJ_IO_EROFS},
        {ENOSYS, MPJ_IO_ENOSYS},
        {ENOTEMPTY, MPJ_IO_ENOTEMPTY},
        {ENAMETOOLONG, MPJ_IO_ENAMETOOLONG},
        {ELOOP, MPJ_IO_ELOOP},
        {ENXIO, MPJ_IO_EACCES}, /* a pipe without a reader */
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i].host == number)
            return known[i].target;
    }
    return MPJ_IO_EIO;
}

static void fail(struct mpj_io_reply *reply, int number)
{
    reply->result = -1;
    reply->error = error_of(number);
}

/* Writes a system call's outcome. */
static void outcome(struct mpj_io_reply *reply, int64_t result)
{
    reply->result = result;
    if (result < 0)
        fail(reply, errno);
}

/* ---- paths -------------------------------------------------------------------- */

/* Copies a path of a request to a string. Returns 0, or an errno. */
static int text_of(const struct mpj_bytes *b, char out[MPJ_IO_PATH_MAX + 1])
{
    if (b->len == 0)
        return ENOENT;
    if (b->len > MPJ_IO_PATH_MAX)
        return ENAMETOOLONG;
    if (memchr(b->p, 0, b->len) != NULL)
        return EINVAL;
    memcpy(out, b->p, b->len);
    out[b->len] = '\0';
    return 0;
}

/*
 * Opens a path for kernels without openat2: one component at a time, no symbolic link and no `..`
 * at all. The last component is opened with the flags requested. Returns a descriptor, or -1 and
 * errno.
 */
static int walk(int dir, const char *path, int flags, mode_t mode)
{
    char copy[MPJ_IO_PATH_MAX + 1];
    int at = fcntl(dir, F_DUPFD_CLOEXEC, 0);
    char *part = copy;

    if (path[0] == '/' || strlen(path) > MPJ_IO_PATH_MAX) {
        close(at);
        errno = EXDEV;
        return -1;
    }
    memcpy(copy, path, strlen(path) + 1);
    while (at >= 0) {
        char *const slash = strchr(part, '/');
        const bool last = slash == NULL || slash[strspn(slash, "/")] == '\0';
        int next;
        if (slash != NULL)
            *slash = '\0';
        if (strcmp(part, "..") == 0) {
            close(at);
            errno = EXDEV;
            return -1;
        }
        next =
            openat(at, part[0] != '\0' ? part : ".",
                   (last ? flags : O_PATH | O_DIRECTORY | O_CLOEXEC) | O_NOFOLLOW, last ? mode : 0);
        if (next < 0) {
            const int why = errno == ELOOP ? EXDEV : errno;
            close(at);
            errno = why;
            return -1;
        }
        close(at);
        at = next;
        if (last)
            return at;
        part = slash + 1;
    }
    return -1;
}

/* Opens inside the folder. Returns a descriptor, or -1 and errno. */
static int open_inside(const struct mpj_io *io, const char *path, int flags, mode_t mode)
{
    struct open_how how = {.flags = (uint64_t)(flags | O_CLOEXEC),
                           .mode = flags & O_CREAT ? mode & 0777U : 0,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    long fd;

    if (io->dir < 0) {
        errno = ENOENT;
        return -1;
    }
    do {
        fd = syscall(SYS_openat2, io->dir, path, &how, sizeof(how));
    } while (fd < 0 && (errno == EAGAIN || errno == EINTR)); /* a concurrent rename */
    if (fd < 0 && (errno == ENOSYS || errno == EPERM))
        return walk(io->dir, path, flags | O_CLOEXEC, mode & 0777U);
    return (int)fd;
}

/* Opens the folder of a path's last component, and finds that component. Returns a descriptor, or
 * -1 and errno. */
static int open_parent(const struct mpj_io *io, const struct mpj_bytes *path,
                       char text[MPJ_IO_PATH_MAX + 1], const char **name)
{
    const int bad = text_of(path, text);
    char *slash;
    size_t n;

    if (bad != 0) {
        errno = bad;
        return -1;
    }
    n = strlen(text);
    while (n > 1 && text[n - 1] == '/')
        text[--n] = '\0';
    slash = strrchr(text, '/');
    *name = slash != NULL ? slash + 1 : text;
    if (slash == text) { /* absolute */
        errno = EXDEV;
        return -1;
    }
    if (strcmp(*name, "..") == 0 || strcmp(*name, ".") == 0) {
        errno = EACCES;
        return -1;
    }
    if (slash != NULL)
        *slash = '\0';
    return open_inside(io, slash != NULL ? text : ".", O_PATH | O_DIRECTORY, 0);
}

/* ---- operations --------------------------------------------------------------- */

/* Returns the host's descriptor for the program's; -1: it has none of that number. */
static int file_of(const struct mpj_io *io, int32_t fd)
{
    if (fd == 0)
        return io->input;
    if (fd < FIRST_FILE || fd >= FIRST_FILE + (int32_t)MPJ_IO_FILES_MAX)
        return -1;
    return io->file[fd - FIRST_FILE];
}

static bool has(const struct mpj_io *io, int32_t fd)
{
    return fd == 0 || file_of(io, fd) >= 0;
}

static int flags_of(uint32_t flags)
{
    int out = O_NONBLOCK | O_NOCTTY;

    out |= flags & MPJ_IO_FOR_WRITE ? (flags & MPJ_IO_FOR_READ ? O_RDWR : O_WRONLY) : O_RDONLY;
    out |= flags & MPJ_IO_APPEND ? O_APPEND : 0;
    out |= flags & MPJ_IO_CREATE ? O_CREAT : 0;
    out |= flags & MPJ_IO_TRUNCATE ? O_TRUNC : 0;
    out |= flags & MPJ_IO_EXCLUSIVE ? O_EXCL : 0;
    return out;
}

static void do_open(struct mpj_io *io, const struct mpj_io_req *q, struct mpj_io_reply *reply)
{
    char path[MPJ_IO_PATH_MAX + 1];
    const int bad = text_of(&q->path, path);
    struct stat st;
    unsigned slot = 0;
    int fd;

    if (bad != 0) {
        fail(reply, bad);
        return;
    }
    while (slot < MPJ_IO_FILES_MAX && io->file[slot] >= 0)
        slot++;
    if (slot == MPJ_IO_FILES_MAX) {
        fail(reply, EMFILE);
        return;
    }
    fd = open_inside(io, path, flags_of(q->flags), q->mode);
    if (fd < 0) {
        fail(reply, errno);
        return;
    }
    if (fstat(fd, &st) != 0 || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))) {
        close(fd);
        fail(reply, EACCES);
        return;
    }
    io->file[slot] = fd;
    reply->result = FIRST_FILE + (int)slot;
}

static void forget_entries(struct mpj_io *io, unsigned slot)
{
    for (int i = 0; io->entry[slot] != NULL && i < io->entries[slot]; i++)
        free(io->entry[slot][i]);
    free(io->entry[slot]);
    io->entry[slot] = NULL;
    io->entries[slot] = 0;
}

static void do_close(struct mpj_io *io, const struct mpj_io_req *q, struct mpj_io_reply *reply)
{
    const int fd = file_of(io, q->fd);

    if (q->fd == 0) {
        reply->result = 0; /* the next run's stdin must not be closed */
        return;
    }
    if (fd < 0) {
        fail(reply, EBADF);
        return;
    }
    forget_entries(io, (unsigned)(q->fd - FIRST_FILE));
    io->file[q->fd - FIRST_FILE] = -1;
    outcome(reply, close(fd));
}

static void do_read(struct mpj_io *io, const struct mpj_io_req *q, struct mpj_io_reply *reply)
{
    const int fd = file_of(io, q->fd);
    ssize_t n;

    if (fd < 0) {
        reply->result = 0; /* an empty stdin */
        return;
    }
    do {
        n = read(fd, io->data, q->length < MPJ_IO_DATA_MAX ? q->length : MPJ_IO_DATA_MAX);
    } while (n < 0 && errno == EINTR);
    outcome(reply, n);
    if (n > 0)
        reply->data = (struct mpj_bytes){io->data, (size_t)n};
    if (n > 0 && q->fd == 0) {
        SHA256Update(&io->taken, io->data, (size_t)n);
        io->taken_bytes += (uint64_t)n;
    }
}

static void do_write(struct mpj_io *io, const struct mpj_io_req *q, struct mpj_io_reply *reply)
{
    const int fd = file_of(io, q->fd);
    ssize_t n;

    if (q->fd == 0 || fd < 0) {
        fail(reply, EBADF);
        return;
    }
    do {
        n = write(fd, q->data.p, q->data.len);
    } while (n < 0 && errno == EINTR);
    outcome(reply, n);
}

static void do_lseek(struct mpj_io *io, const struct mpj_io_req *q, struct mpj_io_reply *reply)
{
    const int fd = file_of(io, q->fd);

    if (fd < 0)
        fail(reply, ESPIPE);
    else if (q->flags > MPJ_IO_FROM_END)
        fail(reply, EINVAL);
    else
        outcome(reply, lseek(fd, q->offset,
                             q->flags == MPJ_IO_FROM_START  ? SEEK_SET
                             : q->flags == MPJ_IO_FROM_HERE ? SEEK_CUR
                                                            : SEEK_END));
}

static void describe(struct mpj_io_reply *reply, const struct stat *st)
{
    reply->kind = S_ISREG(st->st_mode)   ? MPJ_IO_FILE
                  : S_ISDIR(st->st_mode) ? MPJ_IO_FOLDER
                                         : MPJ_IO_DEVICE;
    reply->mode = st->st_mode & 0777U;
    reply->size = (uint64_t)st->st_size;
    reply->mtime = st->st_mtim.tv_sec;
}

static void do_stat(struct mpj_io *io, const struct mpj_io_req *q, struct mpj_io_reply *reply)
{
    char path[MPJ_IO_PATH_MAX + 1];
    struct stat st;
    int fd;

    if (q->op == MPJ_IO_FSTAT) {
        fd = file_of(io, q->fd);
        if (fd < 0) /* stdin that is empty */
            reply->kind = MPJ_IO_DEVICE;
        else if (fstat(fd, &st) == 0)
            describe(reply, &st);
        else
            fail(reply, errno);
        return;
    }
    const int bad = text_of(&q->path, path);
    if (bad != 0) {
        fail(reply, bad);
        return;
    }
    fd = open_inside(io, path, O_PATH, 0);
    if (fd >= 0 && fstat(fd, &st) == 0)
        describe(reply, &st);
    else
        fail(reply, errno);
    if (fd >= 0)
        close(fd);
}

/* Removes a name. Without flags, which older firmware does not send: a file or an empty folder. */
static int remove_at(int dir, const char *name, uint32_t flags)
{
    if ((flags & MPJ_IO_ONLY_FOLDER) == 0) {
        if (unlinkat(dir, name, 0) == 0)
            return 0;
        if (errno != EISDIR || (flags & MPJ_IO_NO_FOLDER) != 0)
            return -1;
    }
    return unlinkat(dir, name, AT_REMOVEDIR);
}

static void do_name(struct mpj_io *io, const struct mpj_io_req *q, struct mpj_io_reply *reply)
{
    char path[MPJ_IO_PATH_MAX + 1];
    char path2[MPJ_IO_PATH_MAX + 1];
    const char *name;
    const char *name2;
    const int dir = open_parent(io, &q->path, path, &name);
    int dir2 = -1;
    int result = dir;

    if (dir >= 0 && q->op == MPJ_IO_UNLINK) {
        result = remove_at(dir, name, q->flags);
    } else if (dir >= 0 && q->op == MPJ_IO_MKDIR) {
        result = mkdirat(dir, name, q->mode & 0777U);
    } else if (dir >= 0) {
        result = dir2 = open_parent(io, &q->data, path2, &name2);
        if (dir2 >= 0)
            result = q->op == MPJ_IO_LINK ? linkat(dir, name, dir2, name2, 0)
                                          : renameat(dir, name, dir2, name2);
    }
    outcome(reply, result);
    if (dir >= 0)
        close(dir);
    if (dir2 >= 0)
        close(dir2);
}

static void do_resize(struct mpj_io *io, const struct mpj_io_req *q, struct mpj_io_reply *reply)
{
    if (q->fd == 0 || q->offset < 0)
        fail(reply, EINVAL);
    else
        outcome(reply, ftruncate(file_of(io, q->fd), q->offset));
}

static int in_order(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static uint8_t kind_of(const struct dirent *d)
{
    return d->d_type == DT_REG ? MPJ_IO_FILE : d->d_type == DT_DIR ? MPJ_IO_FOLDER : 0;
}

/* Lists in the order of the names, which is the same on every file system. */
static void do_list(struct mpj_io *io, const struct mpj_io_req *q, struct mpj_io_reply *reply)
{
    const unsigned slot = (unsigned)(q->fd - FIRST_FILE);
    size_t used = 0;

    if (q->fd == 0 || q->offset < 0) {
        fail(reply, q->fd == 0 ? ENOTDIR : EINVAL);
        return;
    }
    if (q->offset == 0 || io->entry[slot] == NULL) {
        forget_entries(io, slot);
        io->entries[slot] = scandirat(io->file[slot], ".", &io->entry[slot], NULL, in_order);
        if (io->entries[slot] < 0) {
            const int why = errno;
            io->entry[slot] = NULL;
            io->entries[slot] = 0;
            fail(reply, why);
            return;
        }
    }
    for (int64_t i = q->offset; i < io->entries[slot]; i++) {
        const struct dirent *const d = io->entry[slot][i];
        const size_t n = strlen(d->d_name) + 1;
        if (used + 1 + n > sizeof(io->data))
            break;
        io->data[used] = kind_of(d);
        memcpy(io->data + used + 1, d->d_name, n);
        used += 1 + n;
        reply->result++;
    }
    reply->data = (struct mpj_bytes){io->data, used};
}

/* True if the open file has lost its name: Linux appends " (deleted)" to the former one. */
static bool removed(const char *path, int fd)
{
    static const char mark[] = " (deleted)";
    const size_t n = strlen(path);
    struct stat named;
    struct stat open;

    if (n < sizeof(mark) || strcmp(path + n - (sizeof(mark) - 1U), mark) != 0)
        return false;
    return lstat(path, &named) != 0 || fstat(fd, &open) != 0 || named.st_dev != open.st_dev ||
           named.st_ino != open.st_ino;
}

/* Returns a file's present path, relative to the folder that the program sees. */
static void do_where(struct mpj_io *io, const struct mpj_io_req *q, struct mpj_io_reply *reply)
{
    char link[32];
    char root[PATH_MAX + 1];
    char path[PATH_MAX + 1];
    ssize_t all;
    ssize_t n;

    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", io->dir);
    n = readlink(link, root, PATH_MAX);
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", file_of(io, q->fd));
    all = readlink(link, path, PATH_MAX);
    if (n < 0 || all < 0) {
        fail(reply, q->fd == 0 ? ENOTDIR : errno);
        return;
    }
    path[all] = '\0';
    if (q->fd != 0 && removed(path, file_of(io, q->fd))) {
        fail(reply, ENOENT);
        return;
    }
    n -= n == 1; /* all of the machine */
    if (q->fd == 0 || all < n || memcmp(path, root, (size_t)n) != 0 ||
        (all > n && path[n] != '/')) {
        fail(reply, q->fd == 0 ? ENOTDIR : EACCES);
        return;
    }
    n += all > n;
    if (all - n > (ssize_t)MPJ_IO_PATH_MAX) {
        fail(reply, ENAMETOOLONG);
        return;
    }
    memcpy(io->data, path + n, (size_t)(all - n));
    reply->data = (struct mpj_bytes){io->data, (size_t)(all - n)};
}

static int change(const char *path, const struct mpj_io_req *q)
{
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = (time_t)q->offset}};

    return q->op == MPJ_IO_MODE ? chmod(path, q->mode & 0777U)
                                : utimensat(AT_FDCWD, path, times, 0);
}

/* Sets permission bits or the time of the last change. */
static void do_set(struct mpj_io *io, const struct mpj_io_req *q, struct mpj_io_reply *reply)
{
    char path[MPJ_IO_PATH_MAX + 1];
    const int bad = text_of(&q->path, path);
    char link[32];
    int fd;

    const bool named = q->path.len != 0 || q->fd == 0;
    if (named && bad != 0) {
        fail(reply, bad);
        return;
    }
    fd = named ? open_inside(io, path, O_PATH, 0) : file_of(io, q->fd);
    if (fd < 0) {
        fail(reply, named ? errno : EBADF);
        return;
    }
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d",
                   fd); /* O_PATH cannot be changed itself */
    outcome(reply, change(link, q));
    if (named)
        close(fd);
}

void mpj_io_serve(struct mpj_io *io, const struct mpj_io_req *q, struct mpj_io_reply *reply)
{
    memset(reply, 0, sizeof(*reply));
    switch (q->op) {
    case MPJ_IO_OPEN:
        do_open(io, q, reply);
        return;
    case MPJ_IO_STAT:
        do_stat(io, q, reply);
        return;
    case MPJ_IO_UNLINK:
    case MPJ_IO_RENAME:
    case MPJ_IO_LINK:
    case MPJ_IO_MKDIR:
        do_name(io, q, reply);
        return;
    case MPJ_IO_MODE:
    case MPJ_IO_TOUCH:
        do_set(io, q, reply);
        return;
    case MPJ_IO_ISATTY:
        if (q->fd >= 0 && q->fd < FIRST_FILE) {
            reply->result = io->terminal[q->fd];
            return;
        }
        break;
    default:
        break;
    }
    if (!has(io, q->fd)) {
        fail(reply, EBADF);
        return;
    }
    switch (q->op) {
    case MPJ_IO_CLOSE:
        do_close(io, q, reply);
        return;
    case MPJ_IO_READ:
        do_read(io, q, reply);
        return;
    case MPJ_IO_WRITE:
        do_write(io, q, reply);
        return;
    case MPJ_IO_LSEEK:
        do_lseek(io, q, reply);
        return;
    case MPJ_IO_FSTAT:
        do_stat(io, q, reply);
        return;
    case MPJ_IO_RESIZE:
        do_resize(io, q, reply);
        return;
    case MPJ_IO_LIST:
        do_list(io, q, reply);
        return;
    case MPJ_IO_WHERE:
        do_where(io, q, reply);
        return;
    case MPJ_IO_ISATTY:
    case MPJ_IO_TURN:
        reply->result = 0;
        return;
    default:
        fail(reply, ENOSYS);
    }
}

/* ---- */

bool mpj_io_ready(const struct mpj_io *io, const struct mpj_io_req *q)
{
    struct pollfd p = {.fd = io->input, .events = POLLIN};

    return q->op != MPJ_IO_READ || q->fd != 0 || io->input < 0 || poll(&p, 1, 0) > 0;
}

void mpj_io_terminal(struct mpj_io *io, bool out, bool err)
{
    io->terminal[1] = out;
    io->terminal[2] = err;
}

int mpj_io_input(const struct mpj_io *io)
{
    return io->input;
}

void mpj_io_taken(const struct mpj_io *io, char sha256[65], uint64_t *bytes)
{
    SHA2_CTX sum = io->taken;

    SHA256End(&sum, sha256);
    *bytes = io->taken_bytes;
}

static int open_input(struct mpj_io *io, const char *path, struct mpj_err *err)
{
    struct stat st;

    io->input = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (io->input >= 0 && fstat(io->input, &st) == 0 && S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return mpj_err_errno(err, "cannot read %s (--stdin)", path);
    }
    /* a pipe without a writer does not hold up the opening, but reads wait as usual */
    if (io->input < 0 || fcntl(io->input, F_SETFL, 0) != 0)
        return mpj_err_errno(err, "cannot open %s (--stdin)", path[0] != '\0' ? path : "\"\"");
    io->terminal[0] = isatty(io->input) == 1;
    return MPJ_E_OK;
}

int mpj_io_new(struct mpj_io **out, const char *dir, const char *input, struct mpj_err *err)
{
    struct mpj_io *const io = calloc(1, sizeof(*io));
    int result = MPJ_E_OK;

    *out = NULL;
    if (io == NULL)
        return mpj_err_nomem(err);
    SHA256Init(&io->taken);
    io->dir = -1;
    io->input = -1;
    for (unsigned i = 0; i < MPJ_IO_FILES_MAX; i++)
        io->file[i] = -1;
    if (dir != NULL && (io->dir = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0)
        result =
            mpj_err_errno(err, "cannot open the folder %s (--dir)", dir[0] != '\0' ? dir : "\"\"");
    else if (input != NULL)
        result = open_input(io, input, err);
    if (result != MPJ_E_OK) {
        mpj_io_free(io);
        return result;
    }
    *out = io;
    return MPJ_E_OK;
}

void mpj_io_free(struct mpj_io *io)
{
    if (io == NULL)
        return;
    for (unsigned i = 0; i < MPJ_IO_FILES_MAX; i++) {
        forget_entries(io, i);
        if (io->file[i] >= 0)
            close(io->file[i]);
    }
    if (io->input >= 0)
        close(io->input);
    if (io->dir >= 0)
        close(io->dir);
    free(io);
}
