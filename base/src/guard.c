/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/guard.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t mpj_guard_start(pid_t group, const int go[2], double grace_s)
{
    const pid_t self = getpid();
    const pid_t pid = fork();
    sigset_t death;
    bool there;
    int sig;

    if (pid != 0)
        return pid;
    setsid(); /* the terminal's signals are not for it */
    sigemptyset(&death);
    sigaddset(&death, SIGTERM);
    sigprocmask(SIG_BLOCK, &death, NULL);
    there = prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == self && write(go[1], "", 1) == 1;
    close_range(0, ~0U, 0);
    if (there)
        (void)sigwait(&death, &sig);
    kill(-group, SIGTERM);
    poll(NULL, 0, (int)(grace_s * 1000));
    kill(-group, SIGKILL);
    _exit(0);
}

bool mpj_guard_wait(const int go[2])
{
    char byte;

    close(go[1]); /* its end is that of the others */
    return read(go[0], &byte, 1) == 1;
}

void mpj_guard_end(pid_t guard)
{
    if (guard <= 0)
        return;
    kill(guard, SIGKILL);
    while (waitpid(guard, NULL, 0) < 0 && errno == EINTR)
        ;
}
