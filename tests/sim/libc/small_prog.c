/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small functions of POSIX and C11; the same on Linux and on the target. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <complex.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void addresses(void)
{
    static const char *const texts[] = {"127.0.0.1",  "10.1",    "0x7f.1",   "256.1.1.1",
                                        "1.2.3.4.5",  "",        "1.2.3.",   "1.2.3.4 ",
                                        "4294967295", "1.65536", "1.2.3.04", "a.b.c.d"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct in_addr a = {0};
        struct in_addr b = {0};
        const int aton = inet_aton(texts[i], &a);
        const int pton = inet_pton(AF_INET, texts[i], &b);

        printf("'%s' %d %08x %d %08x %08x\n", texts[i], aton, aton ? ntohl(a.s_addr) : 0, pton,
               pton ? ntohl(b.s_addr) : 0, inet_addr(texts[i]));
    }
    struct in_addr a = {htonl(0xc0a80017)};
    char text[16];
    char *const said = inet_ntoa(a);
    printf("%s %s %d\n", said, inet_ntop(AF_INET, &a, text, sizeof(text)),
           inet_ntop(AF_INET, &a, text, 12) == NULL && errno == ENOSPC);
    printf("%d\n", inet_pton(77, "1", text) == -1 && errno == EAFNOSUPPORT);
}

static void files(void)
{
    struct stat st;
    const int fd = open("small.dat", O_CREAT | O_RDWR | O_TRUNC, 0644);

    printf("%d", posix_fallocate(fd, 100, 28));
    fstat(fd, &st);
    printf(" %d", (int)st.st_size);
    printf(" %d", posix_fallocate(fd, 0, 10));
    fstat(fd, &st);
    printf(" %d", (int)st.st_size);
    printf(" %d %d", posix_fallocate(fd, 0, 0) == EINVAL, posix_fallocate(77, 0, 1) == EBADF);
    printf(" %d %d\n", posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED),
           posix_fadvise(fd, 0, 0, 99) == EINVAL);
    close(fd);
    unlink("small.dat");
}

int main(void)
{
    void (*volatile jump)(sigjmp_buf, int) = (siglongjmp);
    sigjmp_buf env;
    volatile int times = 0;
    const long double complex z = cexpl(1.0L * I);

    addresses();
    files();
    if (sigsetjmp(env, 1) < 3) {
        times++;
        jump(env, times);
    }
    printf("jumped %d\n", times);
    printf("%.6f %.6f %.6f\n", (double)creall(z), (double)cimagl(z), (double)cimagl(conjl(z)));
    return 0;
}
