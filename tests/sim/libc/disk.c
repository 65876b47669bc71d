/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files and folders as programs for Linux use them. Prints the same on Linux and on the target. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utime.h>

static char big[100000], back[100000];

static const char *why(int result)
{
    static const struct {
        int number;
        const char *name;
    } known[] = {{ENOTDIR, "ENOTDIR"}, {ENOENT, "ENOENT"}, {EBADF, "EBADF"},   {EINVAL, "EINVAL"},
                 {ESPIPE, "ESPIPE"},   {ENOTTY, "ENOTTY"}, {ERANGE, "ERANGE"}, {EISDIR, "EISDIR"},
                 {EFAULT, "EFAULT"},   {EEXIST, "EEXIST"}};

    for (size_t i = 0; result < 0 && i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i].number == errno)
            return known[i].name;
    }
    return result < 0 ? "other" : "ok";
}

static void whole_calls(void)
{
    int fd = open("whole", O_RDWR | O_CREAT | O_TRUNC, 0644);

    for (size_t i = 0; i < sizeof(big); i++)
        big[i] = (char)(i * 31 + i / 977);
    printf("write %ld\n", (long)write(fd, big, sizeof(big)));
    printf("at %ld\n", (long)lseek(fd, 0, SEEK_CUR));
    printf("back to %ld\n", (long)lseek(fd, 0, SEEK_SET));
    printf("read %ld\n", (long)read(fd, back, sizeof(back)));
    printf("same: %d\n", memcmp(big, back, sizeof(big)) == 0);
    printf("end %ld\n", (long)read(fd, back, sizeof(back)));
    lseek(fd, 99000, SEEK_SET);
    printf("rest %ld\n", (long)read(fd, back, sizeof(back)));
    printf("pread %ld\n", (long)pread(fd, back, 5000, 97000));
    printf("read nothing %ld\n", (long)read(fd, back, 0));
    printf("seek %s\n", why((int)lseek(fd, -1, SEEK_SET)));
    printf("whence %s\n", why((int)lseek(fd, 0, 77)));
    close(fd);
    fd = open("whole", O_RDONLY);
    printf("write to a reader: %s\n", why((int)write(fd, big, 1)));
    close(fd);
    printf("closed: %s\n", why((int)read(fd, big, 1)));
    fd = open("whole", O_WRONLY);
    printf("read from a writer: %s\n", why((int)read(fd, big, 1)));
    close(fd);
}

static void descriptors(void)
{
    int a = open("whole", O_RDWR), b = dup(a), c, saved;
    struct stat st;

    printf("dup is the next: %d\n", b == a + 1);
    lseek(a, 10, SEEK_SET);
    printf("positions are shared: %ld\n", (long)lseek(b, 0, SEEK_CUR));
    close(a);
    printf("still open: %ld\n", (long)read(b, back, 4));
    c = open("whole", O_RDONLY);
    printf("lowest free: %d\n", c == a);
    printf("dup2 %d\n", dup2(b, 20));
    printf("position of 20: %ld\n", (long)lseek(20, 0, SEEK_CUR));
    printf("dup2 of itself %d\n", dup2(b, b) == b);
    printf("dup2 of nothing: %s\n", why(dup2(40, 41)));
    printf("fcntl %d\n", fcntl(20, F_DUPFD, 30));
    printf("access mode %d %d\n", fcntl(c, F_GETFL) & O_ACCMODE, fcntl(b, F_GETFL) & O_ACCMODE);
    printf("fcntl of nothing: %s\n", why(fcntl(55, F_GETFD)));
    printf("ftruncate %s\n", why(ftruncate(30, 1234)));
    fstat(b, &st);
    printf("size %ld\n", (long)st.st_size);
    printf("longer %s\n", why(truncate("whole", 5000)));
    stat("whole", &st);
    printf("size %ld\n", (long)st.st_size);
    printf("no file: %s\n", why(truncate("no-such", 1)));
    close(b);
    close(c);
    close(20);
    close(30);

    /* stdout into a file and back */
    fflush(stdout);
    saved = dup(1);
    a = open("said", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(a, 1);
    close(a);
    printf("into the file\n");
    fflush(stdout);
    printf("");
    dup2(saved, 1);
    close(saved);
    a = open("said", O_RDONLY);
    memset(back, 0, 20);
    printf("%ld\n", (long)read(a, back, 100));
    printf("%s", back);
    close(a);
    a = isatty(open("said", O_RDONLY));
    printf("a file is no terminal: %d %s\n", a, why(-1));
    printf("stdout is none: %d\n", isatty(1));
}

static int visible(const struct dirent *d)
{
    return d->d_name[0] != '.';
}

static void folders(void)
{
    struct dirent **list;
    struct dirent *d;
    struct utimbuf times = {.actime = 1000000000, .modtime = 1000000000};
    struct stat st;
    char here[200], there[200], *p;
    int n, files = 0;
    long place;
    DIR *dir;

    mkdir("folder", 0755);
    mkdir("folder/inner", 0755);
    for (int i = 0; i < 120; i++) {
        char name[60];

        snprintf(name, sizeof(name), "folder/a-name-of-some-length-%03d", i);
        close(open(name, O_WRONLY | O_CREAT, 0644));
    }
    n = scandir("folder", &list, visible, alphasort);
    printf("%d entries, %s to %s\n", n, list[0]->d_name, list[n - 1]->d_name);
    for (int i = 0; i < n; i++) {
        files += list[i]->d_type == DT_REG;
        free(list[i]);
    }
    free(list);
    printf("%d files\n", files);
    dir = opendir("folder");
    n = 0;
    while ((d = readdir(dir)) != NULL)
        n++;
    printf("%d with the dots\n", n);
    rewinddir(dir);
    d = readdir(dir);
    place = telldir(dir);
    d = readdir(dir);
    strcpy(here, d->d_name);
    seekdir(dir, place);
    d = readdir(dir);
    printf("the same: %d\n", strcmp(here, d->d_name) == 0);
    fstat(dirfd(dir), &st);
    printf("folder: %d\n", S_ISDIR(st.st_mode) != 0);
    closedir(dir);
    printf("not there: %s\n", why(opendir("nowhere") != NULL ? 0 : -1));
    printf("no folder: %s\n", why(opendir("whole") != NULL ? 0 : -1));

    getcwd(here, sizeof(here));
    printf("chdir %s\n", why(chdir("folder/inner")));
    getcwd(there, sizeof(there));
    printf("%d %d\n", strncmp(here, there, strlen(here)),
           strcmp(there + strlen(there) - 13, "/folder/inner"));
    close(open("deep", O_WRONLY | O_CREAT, 0644));
    printf("up %s\n", why(chdir("../..")));
    getcwd(there, sizeof(there));
    printf("back: %d\n", strcmp(here, there));
    printf("deep: %s\n", why(access("folder/inner/deep", R_OK)));
    p = realpath("folder/./inner/../inner//deep", NULL);
    printf("%s, %s\n", p + strlen(p) - 18, why(access(p, F_OK)));
    free(p);
    printf("realpath of nothing: %s\n", why(realpath("folder/nothing", NULL) != NULL ? 0 : -1));
    printf("too small: %s\n", why(getcwd(there, 1) != NULL ? 0 : -1));
    printf("chdir to a file: %s\n", why(chdir("whole")));
    printf("chmod %s\n", why(chmod("whole", 0640)));
    printf("utime %s\n", why(utime("whole", &times)));
    stat("whole", &st);
    printf("%o %ld %ld\n", st.st_mode & 0777, (long)st.st_mtime, (long)st.st_atime);
    utimensat(AT_FDCWD, "whole",
              (struct timespec[2]){{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_OMIT}}, 0);
    stat("whole", &st);
    printf("omitted %d", st.st_mtime == 1000000000);
    printf(" %s\n", why(utimensat(AT_FDCWD, "whole", (struct timespec[2]){{.tv_nsec = -5}}, 0)));
    printf("rmdir of a file: %s\n", why(rmdir("whole")));
    printf("rmdir not empty: %d\n", rmdir("folder/inner") < 0 && errno == ENOTEMPTY);
    unlink("folder/inner/deep");
    printf("rmdir %s\n", why(rmdir("folder/inner")));
    printf("rmdir again: %s\n", why(rmdir("folder/inner")));
}

static void flags(void)
{
    int a = open("flags", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), b;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    printf("cloexec %d", fcntl(a, F_GETFD));
    b = dup(a);
    printf(" %d", fcntl(b, F_GETFD));
    printf(" %d", fcntl(b, F_SETFD, FD_CLOEXEC));
    printf(" %d", fcntl(b, F_GETFD));
    printf(" %d", dup3(a, 40, O_CLOEXEC));
    printf(" %d", fcntl(40, F_GETFD));
    dup2(a, 40);
    printf(" %d", fcntl(40, F_GETFD));
    close(40);
    printf(" %d", fcntl(fcntl(a, F_DUPFD_CLOEXEC, 40), F_GETFD));
    close(40);
    close(open("flags", O_RDONLY));
    printf(" %d\n", fcntl(open("flags", O_RDONLY), F_GETFD));

    write(a, "0123456789", 10);
    lseek(a, 0, SEEK_SET);
    printf("append %d", fcntl(a, F_SETFL, O_APPEND));
    printf(" %d", (fcntl(b, F_GETFL) & O_APPEND) != 0);
    write(a, "end", 3);
    printf(" %ld", (long)lseek(b, 0, SEEK_CUR));
    printf(" %d", fcntl(a, F_SETFL, O_NONBLOCK));
    printf(" %d", (fcntl(a, F_GETFL) & (O_APPEND | O_NONBLOCK)) == O_NONBLOCK);
    lseek(a, 2, SEEK_SET);
    write(a, "x", 1);
    printf(" %ld\n", (long)lseek(a, 0, SEEK_CUR));

    printf("lock %s", why(fcntl(a, F_SETLK, &lock)));
    printf(" %s", why(fcntl(a, F_SETLKW, &lock)));
    printf(" %s", why(fcntl(a, F_GETLK, &lock)));
    printf(" %d", lock.l_type == F_UNLCK);
    printf(" %s", why(fcntl(open("flags", O_RDONLY), F_SETLK,
                            &(struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET})));
    printf(" %s\n", why(fcntl(a, F_SETLK, &(struct flock){.l_type = 77})));
    printf("fsync %s %s\n", why(fsync(a)), why(fsync(99)));
    printf("fcntl %s\n", why(fcntl(a, 12345)));
    close(a);
    close(b);
}

static void bad_calls(void)
{
    char *volatile nowhere = NULL;
    volatile int few = -1, many = IOV_MAX + 1;
    int fd = open("flags", O_RDWR);
    struct iovec piece[2] = {{big, 3}, {big, 4}};
    struct pollfd p[3] = {{fd, POLLIN, 0}, {99, POLLIN, 0}, {-1, POLLIN, 0}};
    fd_set set;

    printf("no buffer: %s", why((int)write(fd, nowhere, 10)));
    printf(" %s", why((int)write(1, nowhere, 10)));
    printf(" %s", why((int)read(fd, nowhere, 3)));
    printf(" %ld", (long)write(fd, nowhere, 0));
    printf(" %s\n", why(open(nowhere, O_RDONLY)));
    printf("pieces: %s", why((int)writev(fd, piece, few)));
    printf(" %s", why((int)readv(fd, piece, many)));
    printf(" %ld", (long)pwritev(fd, piece, 2, 3));
    printf(" %ld", (long)preadv(fd, piece, 2, 4));
    printf(" %ld\n", (long)lseek(fd, 0, SEEK_CUR));
    printf("poll %d:", poll(p, 3, 0));
    printf(" %d %d %d\n", p[0].revents == POLLIN, p[1].revents == POLLNVAL, p[2].revents);
    printf("ppoll %d\n", ppoll(p, 2, &(struct timespec){0}, NULL));
    FD_ZERO(&set);
    FD_SET(50, &set);
    printf("select %s\n", why(select(51, &set, NULL, NULL, &(struct timeval){0})));
    printf("no folder: %s\n", why(open("flags", O_RDONLY | O_DIRECTORY)));
    printf("access %s\n", why(access("flags", 99)));
    close(fd);
}

static int mode_of(const char *name)
{
    struct stat st;

    return stat(name, &st) == 0 ? (int)(st.st_mode & 0777) : -1;
}

static void creation(void)
{
    char folder[] = "tXXXXXX", file[] = "fXXXXXX", other[] = "fXXXXXX.txt", bad[] = "fXXXXX";
    mode_t old = umask(077);
    int fd, fd2;

    close(creat("masked", 0666));
    mkdir("masked-folder", 0777);
    printf("umask %o: %o %o", (unsigned)umask(027), mode_of("masked"), mode_of("masked-folder"));
    close(open("masked2", O_WRONLY | O_CREAT, 0666));
    printf(" %o %o\n", mode_of("masked2"), (unsigned)umask(old));

    printf("unlink of a folder: %s\n", why(unlink("masked-folder")));
    printf("remove %s", why(remove("masked-folder")));
    printf(" %s", why(remove("masked")));
    printf(" %s\n", why(remove("masked")));

    printf("mkdtemp %d", mkdtemp(folder) == folder);
    printf(" %d %o\n", strcmp(folder, "tXXXXXX") != 0, mode_of(folder));
    fd = mkstemp(file);
    fd2 = mkostemps(other, 4, O_APPEND);
    printf("mkstemp %d %o, %d", fd >= 0, mode_of(file), fd2 > fd && strcmp(other + 7, ".txt") == 0);
    printf(" %d %s", (fcntl(fd2, F_GETFL) & O_APPEND) != 0, why(mkstemp(bad)));
    printf(" %s\n", why(mkstemp(file)));
    close(fd);
    close(fd2);
    rmdir(folder);
    unlink(file);
    unlink(other);
}

static void streams(void)
{
    FILE *f = fopen("both", "w");
    int c;

    fputs("hello", f);
    printf("nothing %d %d\n", (int)fwrite("abc", 0, 3, f), (int)fwrite("abc", 3, 0, f));
    fclose(f);
    f = fopen("both", "a+");
    c = fgetc(f);
    printf("first %c\n", c);
    rewind(f);
    fputs(" world", f);
    rewind(f);
    memset(back, 0, 20);
    printf("%d: %s\n", (int)fread(back, 1, 20, f), back);
    fclose(f);
    f = fopen("both", "w");
    c = fgetc(f);
    printf("%d: error %d", c, ferror(f) != 0);
    printf(" %d", fprintf(f, "%d", 12345));
    printf(" %d\n", ferror(f) != 0);
    fclose(f);
}

#define PLACES 32
#define PLACE  24

static int shared, wrong;

static void *at_places(void *arg)
{
    const int self = (int)(intptr_t)arg;

    for (int i = 0; i < 60; i++) {
        const int place = (i * 7 + self * 13) % PLACES;
        char want[PLACE], got[PLACE];
        const struct iovec piece[2] = {{got, 5}, {got + 5, PLACE - 5}};
        ssize_t n;

        memset(want, 'a' + place % 26, PLACE);
        if (i % 8 == self)
            pwrite(shared, want, PLACE, place * PLACE);
        n = i % 2 ? pread(shared, got, PLACE, place * PLACE)
                  : preadv(shared, piece, 2, place * PLACE);
        if (n != PLACE || memcmp(got, want, PLACE) != 0)
            __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

/* Threads read and write one descriptor, each at a place of its own. */
static void places(void)
{
    pthread_t t[4];
    char text[PLACE];

    shared = open("places", O_RDWR | O_CREAT | O_TRUNC, 0600);
    for (int i = 0; i < PLACES; i++) {
        memset(text, 'a' + i % 26, PLACE);
        write(shared, text, PLACE);
    }
    lseek(shared, 17, SEEK_SET);
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, at_places, (void *)(intptr_t)i);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("at places: %d wrong, at %d\n", wrong, (int)lseek(shared, 0, SEEK_CUR));
    close(shared);
}

/* The names of large files, with which many programs for Linux are written. */
static void large(void)
{
    char name[] = "large.XXXXXX";
    char text[8] = "";
    loff_t place = 3;
    off64_t size;
    struct stat64 st[3];
    struct dirent64 *entry = NULL;
    FILE *f = fopen64("large", "w+");
    DIR *dir;
    int fd;

    printf("large %d", fputs("0123456789", f) >= 0);
    printf(" %d", fseeko64(f, place, SEEK_SET));
    printf(" %d", (int)ftello64(f));
    f = freopen64("large", "r+", f);
    printf(" %d", fgetc(f));
    fclose(f);
    fd = open64("large", O_RDWR | O_LARGEFILE);
    size = lseek64(fd, 0, SEEK_END);
    printf(" %d %d", (int)size, (int)pwrite64(fd, "abc", 3, 4));
    printf(" %d", (int)pread64(fd, text, 6, 3));
    printf(" %s %d", text, ftruncate64(fd, 8));
    printf(" %d %d %d", fstat64(fd, &st[0]), stat64("large", &st[1]), lstat64("large", &st[2]));
    printf(" %d %d %d", (int)st[0].st_size, (int)st[1].st_size, (int)st[2].st_size);
    void *const p = mmap64(NULL, 8, PROT_READ, MAP_PRIVATE, fd, (off64_t)0);
    printf(" %d", p != MAP_FAILED && memcmp(p, "0123abc7", 8) == 0);
    munmap(p, 8);
    close(fd);
    printf(" %d", truncate64("large", 2));
    fd = mkstemp64(name);
    printf(" %d", fd >= 0);
    close(fd);
    unlink(name);
    f = tmpfile64();
    printf(" %d", f != NULL);
    fclose(f);
    unlink("large");
    mkdir("huge", 0755);
    close(creat64("huge/one", 0644));
    dir = opendir("huge");
    while ((entry = readdir64(dir)) != NULL) {
        if (entry->d_name[0] != '.')
            printf(" %s", entry->d_name);
    }
    closedir(dir);
    unlink("huge/one");
    rmdir("huge");
#ifdef __linux__
    printf(" ok\n");
#else /* off_t cannot hold such a place */
    fd = open64("large", O_RDWR | O_CREAT, 0600);
    size = (off64_t)1 << 40;
    const bool refused = lseek64(fd, size, SEEK_SET) == -1 && errno == EOVERFLOW &&
                         ftruncate64(fd, size) == -1 && truncate64("large", size) == -1 &&
                         pread64(fd, text, 1, size) == -1 && pwrite64(fd, text, 1, -size) == -1 &&
                         mmap64(NULL, 8, PROT_READ, MAP_PRIVATE, fd, size) == MAP_FAILED &&
                         fseeko64(stdin, size, SEEK_SET) == -1 && errno == EOVERFLOW;
    printf(refused ? " ok\n" : " too large a place is taken\n");
    close(fd);
    unlink("large");
#endif
}

int main(void)
{
    whole_calls();
    descriptors();
    folders();
    flags();
    bad_calls();
    creation();
    streams();
    places();
    large();
    return 0;
}
