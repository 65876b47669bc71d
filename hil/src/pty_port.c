/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pty_port.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "hil/offered.h"

#define PTS "/dev/pts/"

bool pty_port_is(const char *path)
{
    char real[PATH_MAX];

    return realpath(path, real) != NULL && strncmp(real, PTS, strlen(PTS)) == 0;
}

int port_open_code(int number)
{
    return number == EBUSY || number == EACCES || number == EPERM ? MPJ_E_BUSY : MPJ_E_NO_PORT;
}

int pty_port_open(const char *path, struct mpj_err *err)
{
    struct termios t;
    int fd;

    if (mpj_offer_check(path, err) != MPJ_E_OK)
        return err->code;
    fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        const int code = port_open_code(errno);

        mpj_err_errno(err, "cannot open %s", path);
        return err->code = code;
    }
    if (tcgetattr(fd, &t) != 0) {
        mpj_err_errno(err, "cannot set up %s", path);
        err->code = MPJ_E_NO_PORT;
        close(fd);
        return err->code;
    }
    cfmakeraw(&t);
    (void)tcsetattr(fd, TCSANOW, &t);
    return fd;
}

static int lost(const char *path, struct mpj_err *err)
{
    return mpj_err_set(err, MPJ_E_LINK, "lost the serial port %s", path);
}

ssize_t pty_port_read(int fd, const char *path, void *buf, size_t n, struct mpj_err *err)
{
    const ssize_t got = read(fd, buf, n);

    if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR)))
        return got > 0 ? got : 0;
    return lost(path, err);
}

ssize_t pty_port_write(int fd, const char *path, const void *buf, size_t n, struct mpj_err *err)
{
    const ssize_t put = write(fd, buf, n);

    if (put >= 0 || errno == EAGAIN || errno == EINTR)
        return put > 0 ? put : 0;
    return lost(path, err);
}
