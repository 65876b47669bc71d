/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/guard.h"
#include "base/stop.h"

#define TICK_MS 100
#define GRACE_S 10.0 /* for those whose parent has ended */
#define FAILED  127  /* the child's status when it cannot execute the command */

static bool redirect(int fd, int to)
{
    if (fd == to)
        return true;
    return fd >= 0 && dup2(fd, to) >= 0 && close(fd) == 0;
}

/* Redirects a descriptor to a new file: the existing one may be a link to a file that is not ours
 * to truncate. */
static bool redirect_to(const char *path, int to)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL;
    struct stat st;
    int fd;

    if (path == NULL)
        return true;
    fd = open(path, flags, 0666);
    if (fd < 0 && errno == EEXIST && lstat(path, &st) == 0 &&
        (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode) || S_ISFIFO(st.st_mode)) && unlink(path) == 0)
        fd = open(path, flags, 0666);
    return redirect(fd, to);
}

/* Hands a descriptor on, which otherwise would be closed. */
static bool keep(int fd)
{
    return fd == 0 ||
           (fd == MPJ_CHILD_KEPT ? fcntl(fd, F_SETFD, 0) == 0 : dup2(fd, MPJ_CHILD_KEPT) >= 0);
}

/* Executes the command in the child, with only calls that may follow a fork of several threads.
 * Never returns. */
static void become(const struct mpj_child *c, const int *go, pid_t parent, const sigset_t *mask)
{
    mpj_stop_inherit(mask);
    if (c->group)
        setpgid(0, 0);
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent ||
        (c->group && !mpj_guard_wait(go)))
        _exit(FAILED);
    if (!redirect(open("/dev/null", O_RDONLY), STDIN_FILENO) ||
        !redirect_to(c->out, STDOUT_FILENO) || !redirect_to(c->err, STDERR_FILENO) ||
        !keep(c->kept) || (c->folder != NULL && chdir(c->folder) != 0))
        _exit(FAILED);
    execv(c->file, (char *const *)c->argv); /* POSIX: exec does not write to it */
    _exit(FAILED);
}

/* Waits for the child's end, a tick at most. Returns 1 if it ended, 0, or -1 and errno: its status
 * is lost. pidfd is readable then; -1 on a kernel without, which takes a tick longer. */
static int has_exited(pid_t pid, int pidfd, int *raw)
{
    struct pollfd p = {.fd = pidfd, .events = POLLIN};
    pid_t got;

    poll(&p, 1, TICK_MS);
    got = waitpid(pid, raw, WNOHANG);
    return got > 0 ? 1 : got < 0 && errno != EINTR ? -1 : 0;
}

/* Waits for the rest of the group, whose parents have ended: we are their parent then. */
static void reap(pid_t group)
{
    const double begin = mpj_clock_s();
    bool killed = false;

    for (;;) {
        const pid_t pid = waitpid(-group, NULL, WNOHANG);

        if (pid < 0 && errno != EINTR)
            return;
        if (pid != 0)
            continue;
        if (!killed && mpj_clock_s() - begin >= GRACE_S) {
            kill(-group, SIGKILL);
            killed = true;
        }
        poll(NULL, 0, TICK_MS);
    }
}

/* Starts the command, and the guard of its group if it has one. Returns its process, or -1 and
 * errno. */
static pid_t start(const struct mpj_child *c, pid_t *guard)
{
    const pid_t self = getpid();
    int go[2] = {-1, -1};
    sigset_t mask;
    pid_t pid;

    *guard = -1;
    if (c->group && (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 || pipe2(go, O_CLOEXEC) != 0))
        return -1;
    /* a signal between fork and exec must not be lost in the child */
    mpj_stop_block(&mask);
    pid = fork();
    if (pid == 0)
        become(c, go, self, &mask);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    if (!c->group)
        return pid;
    if (pid > 0) {
        setpgid(pid, pid); /* both do it, so the order does not matter */
        *guard = mpj_guard_start(pid, go, GRACE_S);
    }
    close(go[0]);
    close(go[1]);
    return pid;
}

int mpj_child_run(const struct mpj_child *c, int *status, struct mpj_err *err)
{
    const double begin = mpj_clock_s();
    bool signalled = false;
    bool late = false;
    int raw = 0;
    int ended;
    int pidfd;
    pid_t guard;
    pid_t pid;

    pid = start(c, &guard);
    if (pid < 0)
        return mpj_err_set(err, MPJ_E_TARGET, "cannot start a process for %s", c->argv[0]);
    pidfd = (int)syscall(SYS_pidfd_open, pid, 0U);
    while ((ended = has_exited(pid, pidfd, &raw)) == 0) {
        late = late || (c->timeout_s > 0 && mpj_clock_s() - begin >= c->timeout_s);
        if (!signalled && (late || (c->stopping != NULL && c->stopping(c->ctx)))) {
            kill(c->group ? -pid : pid, SIGTERM);
            signalled = true;
        }
    }
    if (ended < 0)
        mpj_err_errno(err, "cannot read the exit status of %s", c->argv[0]);
    if (c->group && signalled)
        reap(pid);
    mpj_guard_end(guard);
    if (pidfd >= 0)
        close(pidfd);
    if (ended < 0)
        return err->code = MPJ_E_TARGET;
    if (c->group && guard < 0)
        return mpj_err_set(err, MPJ_E_TARGET, "cannot start a process for %s", c->argv[0]);
    *status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
    return late ? mpj_err_set(err, MPJ_E_TIMEOUT, "%s did not end within %u s", c->argv[0],
                              c->timeout_s)
                : MPJ_E_OK;
}
