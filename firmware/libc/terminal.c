/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Terminal settings: no descriptor has any. */
#include <errno.h>
#include <fcntl.h>
#include <termios.h>

#include "cancel.h"

/* Fails with EBADF or ENOTTY. */
static int none(int fd)
{
    if (fcntl(fd, F_GETFD) >= 0)
        errno = ENOTTY;
    return -1;
}

int tcgetattr(int fd, struct termios *settings)
{
    (void)settings;
    return none(fd);
}

int tcsetattr(int fd, int when, const struct termios *settings)
{
    (void)when;
    (void)settings;
    return none(fd);
}

int tcsendbreak(int fd, int time)
{
    (void)time;
    return none(fd);
}

int tcdrain(int fd)
{
    mpj_cancel_point();
    return none(fd);
}

int tcflush(int fd, int queue)
{
    (void)queue;
    return none(fd);
}

int tcflow(int fd, int action)
{
    (void)action;
    return none(fd);
}

pid_t tcgetsid(int fd)
{
    return none(fd);
}

speed_t cfgetispeed(const struct termios *settings)
{
    return settings->c_ispeed;
}

speed_t cfgetospeed(const struct termios *settings)
{
    return settings->c_ospeed;
}

int cfsetispeed(struct termios *settings, speed_t speed)
{
    settings->c_ispeed = speed;
    return 0;
}

int cfsetospeed(struct termios *settings, speed_t speed)
{
    settings->c_ospeed = speed;
    return 0;
}

int cfsetspeed(struct termios *settings, speed_t speed)
{
    settings->c_ispeed = settings->c_ospeed = speed;
    return 0;
}

void cfmakeraw(struct termios *settings)
{
    settings->c_iflag &=
        ~(tcflag_t)(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON);
    settings->c_oflag &= ~(tcflag_t)OPOST;
    settings->c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
    settings->c_cflag = (settings->c_cflag & ~(tcflag_t)(CSIZE | PARENB)) | CS8;
    settings->c_cc[VMIN] = 1;
    settings->c_cc[VTIME] = 0;
}
