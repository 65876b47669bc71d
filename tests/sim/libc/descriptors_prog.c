/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files by their descriptors, folders by theirs, owners, and memory that grows. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#define SAY(call)                                                                                  \
    do {                                                                                           \
        const long r_ = (long)(call);                                                              \
        printf("%s: %ld %s\n", #call, r_, r_ < 0 ? strerror(errno) : "ok");                        \
    } while (0)

static void show(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0)
        printf("%s: %s\n", path, strerror(errno));
    else
        printf("%s: %o, %ld\n", path, (unsigned)st.st_mode,
               S_ISDIR(st.st_mode) ? 0L : (long)st.st_mtime);
}

static void by_file(void)
{
    const struct timespec times[2] = {{5, 0}, {1000, 0}};
    const struct timespec omit[2] = {{0, UTIME_OMIT}, {0, UTIME_OMIT}};
    const struct timespec wrong[2] = {{0, -1}, {0, 1000000000}};
    const struct timeval old[2] = {{7, 0}, {2000, 0}};
    const int fd = open("o.txt", O_CREAT | O_TRUNC | O_RDWR, 0600);
    struct stat st;
    int p[2];

    SAY(fchmod(fd, 0640));
    SAY(futimens(fd, times));
    show("o.txt");
    SAY(futimens(fd, omit));
    SAY(futimens(fd, wrong));
    SAY(futimes(fd, old));
    show("o.txt");
    SAY(fstat(fd, &st));
    SAY(fchown(fd, st.st_uid, st.st_gid));
    SAY(chown("o.txt", (uid_t)-1, (gid_t)-1));
    SAY(lchown("o.txt", getuid(), (gid_t)-1));
    SAY(chown("missing", (uid_t)-1, (gid_t)-1));
    SAY(fchown(77, (uid_t)-1, (gid_t)-1));
    SAY(fchmod(77, 0600));
    SAY(fchdir(77));
    SAY(fchdir(fd));
    SAY(pipe(p));
    SAY(fchdir(p[0]));
    (void)close(fd);
    SAY(link("o.txt", "p.txt"));
    SAY(link("o.txt", "p.txt"));
    show("p.txt");
    SAY(unlink("p.txt"));
}

static void by_folder(void)
{
    const struct timespec times[2] = {{5, 0}, {3000, 0}};
    char cwd[512];
    char *name;
    struct stat st;
    int folder;
    int fd;

    SAY(mkdir("box", 0700));
    folder = open("box", O_RDONLY | O_DIRECTORY);
    fd = openat(folder, "inner.txt", O_CREAT | O_WRONLY, 0600);
    SAY(write(fd, "abc", 3));
    (void)close(fd);
    SAY(fstatat(folder, "inner.txt", &st, 0));
    printf("size %ld\n", (long)st.st_size);
    SAY(fstatat(folder, "", &st, AT_EMPTY_PATH));
    printf("folder %d\n", S_ISDIR(st.st_mode));
    SAY(fstatat(folder, "", &st, 0));
    SAY(fstatat(folder, "none", &st, 0));
    SAY(fstatat(fd, "none", &st, 0));
    SAY(faccessat(folder, "inner.txt", R_OK, 0));
    SAY(fchmodat(folder, "inner.txt", 0604, 0));
    SAY(utimensat(folder, "inner.txt", times, 0));
    SAY(fchownat(folder, "inner.txt", (uid_t)-1, (gid_t)-1, 0));
    show("box/inner.txt");
    SAY(mkdirat(folder, "deep", 0700));
    SAY(renameat(folder, "inner.txt", folder, "deep/moved"));
    SAY(linkat(folder, "deep/moved", AT_FDCWD, "linked", 0));
    show("linked");
    SAY(rename("box", "crate")); /* the descriptor goes along */
    SAY(unlinkat(folder, "deep/moved", 0));
    SAY(unlinkat(folder, "deep", AT_REMOVEDIR));
    SAY(fchdir(folder));
    name = getcwd(cwd, sizeof(cwd));
    printf("in %s\n", name != NULL ? strrchr(name, '/') : "");
    SAY(access("../linked", F_OK));
    SAY(chdir(".."));
    SAY(unlink("linked"));
    SAY(rmdir("crate"));
    SAY(close(folder));
}

static void grow(void)
{
    char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    strcpy(p, "kept");
    p = mremap(p, 4096, 65536, MREMAP_MAYMOVE);
    printf("%s, then %d\n", p, p[60000]);
    p[60000] = 'x';
    p = mremap(p, 65536, 1000, MREMAP_MAYMOVE);
    printf("%s\n", p);
    printf("%d\n", mremap(p, 4096, 0, MREMAP_MAYMOVE) == MAP_FAILED && errno == EINVAL);
}

int main(void)
{
    (void)umask(022);
    (void)unlink("p.txt");
    by_file();
    by_folder();
    grow();
    SAY(setuid(getuid()));
    SAY(setgid(getgid()));
    SAY(setreuid((uid_t)-1, geteuid()));
    return 0;
}
