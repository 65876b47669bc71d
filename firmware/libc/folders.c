/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folders: reading them, and the current one, in which relative paths begin. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

#include "files.h"

struct __mpj_dir {
    int fd;
    size_t next;  /* number of the entry that readdir() gives next */
    size_t first; /* number of the first entry in names */
    size_t count; /* entries in names */
    size_t at;    /* offset of the next entry */
    size_t bytes;
    struct dirent entry;
    char names[MPJ_IO_DATA_MAX];
};

DIR *fdopendir(int fd)
{
    struct stat st;
    DIR *dir;

    if (fstat(fd, &st) != 0)
        return NULL;
    if (!S_ISDIR(st.st_mode)) {
        errno = ENOTDIR;
        return NULL;
    }
    dir = calloc(1, sizeof(*dir));
    if (dir != NULL)
        dir->fd = fd;
    return dir;
}

DIR *opendir(const char *path)
{
    const int fd = mpj_file_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    DIR *const dir = fd >= 0 ? fdopendir(fd) : NULL;

    if (fd >= 0 && dir == NULL) {
        const int why = errno;

        (void)_close(fd);
        errno = why;
    }
    return dir;
}

/* Steps over one entry; false when there is none. */
static bool step(DIR *dir)
{
    const size_t left = dir->bytes - dir->at;
    const char *const end = left > 1U ? memchr(dir->names + dir->at + 1U, 0, left - 1U) : NULL;

    if (end == NULL)
        return false;
    dir->at = (size_t)(end + 1 - dir->names);
    return true;
}

/* Makes dir->at the offset of the next entry, reading more entries if necessary. */
static bool reach(DIR *dir)
{
    if (dir->next < dir->first || dir->next >= dir->first + dir->count || dir->next == 0) {
        const int64_t n =
            mpj_file_list(dir->fd, dir->next, dir->names, sizeof(dir->names), &dir->bytes);

        dir->first = dir->next;
        dir->count = n > 0 ? (size_t)n : 0;
        dir->at = 0;
    }
    return dir->count != 0;
}

struct dirent *readdir(DIR *dir)
{
    static const unsigned char type[] = {
        [MPJ_IO_FILE] = DT_REG, [MPJ_IO_FOLDER] = DT_DIR, [MPJ_IO_DEVICE] = DT_UNKNOWN};
    size_t was;
    unsigned char kind;

    if (!reach(dir))
        return NULL;
    was = dir->at;
    if (!step(dir))
        return NULL;
    kind = (unsigned char)dir->names[was];
    dir->entry.d_type = kind < sizeof(type) ? type[kind] : DT_UNKNOWN;
    dir->entry.d_ino = (ino_t)dir->next + 1U;
    dir->entry.d_off = (long)dir->next + 1;
    dir->entry.d_reclen = sizeof(dir->entry);
    (void)snprintf(dir->entry.d_name, sizeof(dir->entry.d_name), "%s", dir->names + was + 1U);
    dir->next++;
    return &dir->entry;
}

int readdir_r(DIR *dir, struct dirent *entry, struct dirent **result)
{
    const struct dirent *const found = readdir(dir);

    if (found != NULL)
        *entry = *found;
    *result = found != NULL ? entry : NULL;
    return 0;
}

void seekdir(DIR *dir, long place)
{
    dir->next = (size_t)place;
    dir->count = 0;
}

void rewinddir(DIR *dir)
{
    seekdir(dir, 0);
}

long telldir(DIR *dir)
{
    return (long)dir->next;
}

int dirfd(DIR *dir)
{
    return dir->fd;
}

int closedir(DIR *dir)
{
    const int r = _close(dir->fd);

    free(dir);
    return r;
}

int alphasort(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int failed_scan(DIR *dir, struct dirent **list, int n)
{
    while (n > 0)
        free(list[--n]);
    free(list);
    (void)closedir(dir);
    errno = ENOMEM;
    return -1;
}

int scandir(const char *path, struct dirent ***list, int (*wanted)(const struct dirent *),
            int (*compare)(const struct dirent **, const struct dirent **))
{
    DIR *const dir = opendir(path);
    const struct dirent *d;
    struct dirent **all = NULL;
    int n = 0;

    if (dir == NULL)
        return -1;
    while ((d = readdir(dir)) != NULL) {
        struct dirent **more;

        if (wanted != NULL && wanted(d) == 0)
            continue;
        more = realloc(all, ((size_t)n + 1U) * sizeof(struct dirent *));
        if (more == NULL)
            return failed_scan(dir, all, n);
        all = more;
        all[n] = malloc(sizeof(*d));
        if (all[n] == NULL)
            return failed_scan(dir, all, n);
        *all[n++] = *d;
    }
    (void)closedir(dir);
    if (compare != NULL && n > 1)
        qsort(all, (size_t)n, sizeof(struct dirent *),
              (int (*)(const void *, const void *))compare);
    *list = all;
    return n;
}

/* ---- paths -------------------------------------------------------------------- */

/* Resolves a path lexically, without the leading slash of the result: symbolic links are left to
 * the host. Returns 0 or an errno number. */
static int plain(const char *path, char out[MPJ_IO_PATH_MAX + 1])
{
    const char *part = path;
    size_t n = 0;

    out[0] = '\0';
    if (path[0] != '/')
        n = mpj_file_folder(out);
    while (*part != '\0') {
        const size_t len = strcspn(part, "/");

        if (len == 2U && memcmp(part, "..", 2) == 0) {
            while (n > 0 && out[--n] != '/')
                ;
        } else if (len > 0 && !(len == 1U && part[0] == '.')) {
            if (n + 1U + len > MPJ_IO_PATH_MAX)
                return ENAMETOOLONG;
            if (n > 0)
                out[n++] = '/';
            memcpy(out + n, part, len);
            n += len;
        }
        out[n] = '\0';
        part += len + (part[len] == '/');
    }
    return 0;
}

/* Resolves the path of an existing folder or file. Returns 0, or -1 with errno. */
static int existing(const char *path, char out[MPJ_IO_PATH_MAX + 1], struct stat *st)
{
    const int bad = path[0] == '\0' ? ENOENT : plain(path, out);

    if (bad != 0) {
        errno = bad;
        return -1;
    }
    return stat(path, st);
}

int chdir(const char *path)
{
    char to[MPJ_IO_PATH_MAX + 1];
    struct stat st;

    if (existing(path, to, &st) != 0)
        return -1;
    if (!S_ISDIR(st.st_mode)) {
        errno = ENOTDIR;
        return -1;
    }
    mpj_file_set_folder(to);
    return 0;
}

char *getcwd(char *buf, size_t size)
{
    char at[MPJ_IO_PATH_MAX + 1];
    const size_t needed = mpj_file_folder(at) + 2U;
    char *out = buf;

    if (buf != NULL && size == 0) {
        errno = EINVAL;
        return NULL;
    }
    if (size != 0 && size < needed) {
        errno = ERANGE;
        return NULL;
    }
    if (out == NULL && (out = malloc(size != 0 ? size : needed)) == NULL)
        return NULL;
    out[0] = '/';
    return strcpy(out + 1, at) - 1;
}

char *realpath(const char *restrict path, char *restrict resolved)
{
    char to[MPJ_IO_PATH_MAX + 1];
    struct stat st;
    char *out;

    if (path == NULL) {
        errno = EINVAL;
        return NULL;
    }
    if (existing(path, to, &st) != 0)
        return NULL;
    out = resolved != NULL ? resolved : malloc(strlen(to) + 2U);
    if (out == NULL)
        return NULL;
    out[0] = '/';
    return strcpy(out + 1, to) - 1;
}

/* Removes a folder. Checks that it is one first: a host too old for the flag would remove a
 * file. */
int rmdir(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return -1;
    if (!S_ISDIR(st.st_mode)) {
        errno = ENOTDIR;
        return -1;
    }
    return (int)mpj_file_ask(&(struct mpj_io_req){.op = MPJ_IO_UNLINK, .flags = MPJ_IO_ONLY_FOLDER},
                             path);
}

/* Removes a file or folder; newlib's remove() only calls unlink(). */
int remove(const char *path)
{
    const int r = unlink(path);

    return r != 0 && errno == EISDIR ? rmdir(path) : r;
}

int access(const char *path, int mode)
{
    struct stat st;

    if ((mode & ~(R_OK | W_OK | X_OK)) != 0) {
        errno = EINVAL;
        return -1;
    }
    if (stat(path, &st) != 0)
        return -1;
    if ((mode & W_OK) != 0 && (st.st_mode & 0222U) == 0) {
        errno = EACCES;
        return -1;
    }
    if ((mode & X_OK) != 0 && (st.st_mode & 0111U) == 0) {
        errno = EACCES;
        return -1;
    }
    return 0;
}

/* ---- size, mode and time ---------------------------------------------------- */

int ftruncate(int fd, off_t size)
{
    struct mpj_io_req q = {.op = MPJ_IO_RESIZE, .fd = mpj_file_host(fd), .offset = size};

    if (q.fd < 0)
        return -1;
    if (size < 0 || q.fd <= STDERR_FILENO || mpj_is_device(q.fd)) {
        errno = EINVAL;
        return -1;
    }
    return (int)mpj_file_ask(&q, NULL);
}

int truncate(const char *path, off_t size)
{
    int why;
    int fd;
    int r;

    if (size < 0) {
        errno = EINVAL;
        return -1;
    }
    fd = mpj_file_open(path, O_WRONLY, 0);
    if (fd < 0)
        return -1;
    r = ftruncate(fd, size);
    why = errno;
    (void)_close(fd);
    errno = why;
    return r;
}

int chmod(const char *path, mode_t mode)
{
    return (int)mpj_file_ask(
        &(struct mpj_io_req){.op = MPJ_IO_MODE, .mode = (uint32_t)mode & 0777U}, path);
}

static int touch(const char *path, const struct timespec *when)
{
    struct timespec now;

    if (when == NULL) {
        if (clock_gettime(CLOCK_REALTIME, &now) != 0)
            return -1;
        when = &now;
    }
    return (int)mpj_file_ask(&(struct mpj_io_req){.op = MPJ_IO_TOUCH, .offset = when->tv_sec},
                             path);
}

int utime(const char *path, const struct utimbuf *times)
{
    const struct timespec when = {.tv_sec = times != NULL ? times->modtime : 0};

    return touch(path, times != NULL ? &when : NULL);
}

int utimes(const char *path, const struct timeval times[2])
{
    const struct timespec when = {.tv_sec = times != NULL ? times[1].tv_sec : 0};

    return touch(path, times != NULL ? &when : NULL);
}
