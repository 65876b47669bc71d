/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Becomes a command that does not outlive a process: however that one ends, the command is killed.
 * For what a test's script starts in the background, also behind another process that does not
 * wait.
 *
 * usage: leash PID COMMAND [ARGUMENTS]
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Until one of them ends. Holds nothing of what the command has open: locks, pipes. */
static void watch(int owner, int command, pid_t pid)
{
    struct pollfd p[2] = {{.fd = 0, .events = POLLIN}, {.fd = 1, .events = POLLIN}};

    if (dup2(owner, 0) < 0 || dup2(command, 1) < 0 || close_range(2, ~0U, 0) != 0)
        _exit(1);
    while (poll(p, 2, -1) < 0 && errno == EINTR)
        ;
    if (p[1].revents == 0)
        kill(pid, SIGKILL);
    _exit(0);
}

static int handle(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0U);
}

int main(int argc, char **argv)
{
    const pid_t self = getpid();
    const int owner = argc > 2 ? handle((pid_t)strtol(argv[1], NULL, 10)) : -1;
    const int command = handle(self);
    pid_t child;

    if (owner < 3 || command < 3) {
        fprintf(stderr, "leash: no process %s: %s\n", argc > 2 ? argv[1] : "", strerror(errno));
        return 127;
    }
    child = fork();
    if (child == 0) {
        setsid(); /* the terminal's signals are for the command */
        watch(owner, command, self);
    }
    close(owner);
    close(command);
    if (child > 0)
        execvp(argv[2], argv + 2);
    fprintf(stderr, "leash: cannot start %s: %s\n", argv[2], strerror(errno));
    return 127;
}
