/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "uboot_send.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"

#define TICK_MS  20
#define QUIET_MS 15000U /* a receiver calls every 2 s, gkermit every 7 s */
#define CHUNK    1024U
#define ABSENT   127 /* its status when it cannot be executed */
#define LOST     255 /* ... and when it is unknown */

struct relay {
    const struct uboot_send *s;
    int child; /* our end of its stdin and stdout */
    pid_t pid;
    char out[CHUNK]; /* read from it, not yet taken by the line */
    size_t at, len;
    uint64_t bytes;
    bool closed; /* it has closed its end */
};

/* Executes the program in the child: never returns. */
static void become(const struct uboot_send *s, int line, int messages, pid_t parent,
                   const sigset_t *mask)
{
    mpj_stop_inherit(mask);
    setpgid(0, 0); /* Ctrl-C is for us, who then end it */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent &&
        dup2(line, STDIN_FILENO) >= 0 && dup2(line, STDOUT_FILENO) >= 0 &&
        dup2(messages, STDERR_FILENO) >= 0)
        execvp(s->argv[0], (char *const *)s->argv); /* POSIX: exec does not write to it */
    _exit(ABSENT);
}

static int spawn(struct relay *r, struct mpj_err *err)
{
    const pid_t self = getpid();
    const int messages =
        open(r->s->messages, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    sigset_t mask;
    int pair[2];

    if (messages < 0)
        return mpj_err_errno(err, "cannot write %s", r->s->messages);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        close(messages);
        return mpj_err_errno(err, "cannot create a pair of sockets");
    }
    mpj_stop_block(&mask);
    r->pid = fork();
    if (r->pid == 0)
        become(r->s, pair[1], messages, self, &mask);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    close(pair[1]);
    close(messages);
    if (r->pid < 0) {
        close(pair[0]);
        return mpj_err_errno(err, "cannot start a process for %s", r->s->argv[0]);
    }
    /* The child does the same: in either order, a signal to its group finds it. */
    (void)setpgid(r->pid, r->pid);
    (void)fcntl(pair[0], F_SETFL, O_NONBLOCK);
    r->child = pair[0];
    return MPJ_E_OK;
}

/* Moves the program's output to the line. Returns 1: something moved, 0: nothing, or an error. */
static int to_line(struct relay *r, struct mpj_err *err)
{
    ssize_t n;

    if (r->at == r->len && !r->closed) {
        n = read(r->child, r->out, sizeof(r->out));
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            r->closed = true;
        r->at = 0;
        r->len = n > 0 ? (size_t)n : 0;
    }
    if (r->at == r->len)
        return 0;
    n = r->s->target->ops->write(r->s->target, r->out + r->at, r->len - r->at, err);
    if (n < 0)
        return err->code;
    r->at += (size_t)n;
    r->bytes += (uint64_t)n;
    return n > 0;
}

/* Moves the board's bytes to the program, which may have ended. */
static int from_line(struct relay *r, struct mpj_err *err)
{
    char in[CHUNK];
    const ssize_t n = r->s->target->ops->read(r->s->target, in, sizeof(in), err);

    if (n < 0)
        return err->code;
    for (ssize_t at = 0; at < n && !r->closed;) {
        const ssize_t put = send(r->child, in + at, (size_t)(n - at), MSG_NOSIGNAL);
        struct pollfd p = {.fd = r->child, .events = POLLOUT};

        if (put > 0)
            at += put;
        else if (put < 0 && errno == EAGAIN && poll(&p, 1, TICK_MS) > 0)
            continue;
        else
            break;
    }
    return n > 0;
}

/* Moves bytes both ways until the program has closed its end. */
static int run(struct relay *r, struct mpj_err *err)
{
    uint32_t moved = mpj_clock_ms();

    while (!r->closed) {
        struct pollfd p[2] = {{r->child, POLLIN, 0}, {r->s->fd, POLLIN, 0}};
        int up;
        int down;

        if (r->s->cancelled != NULL && r->s->cancelled(r->s->ctx))
            return mpj_err_set(err, MPJ_E_CANCELLED, "interrupted");
        /* a line that takes nothing now is asked again after a tick */
        (void)poll(r->at < r->len ? p + 1 : p, r->at < r->len ? 1 : 2, TICK_MS);
        up = to_line(r, err);
        down = up >= 0 ? from_line(r, err) : 0;
        if (up < 0 || down < 0)
            return err->code;
        if (up > 0 && r->s->sent != NULL)
            r->s->sent(r->s->ctx, r->bytes);
        if (up > 0 || down > 0)
            moved = mpj_clock_ms();
        else if (mpj_clock_ms() - moved > QUIET_MS)
            return mpj_err_set(err, MPJ_E_LINK, "no progress for %u s", QUIET_MS / 1000U);
    }
    return MPJ_E_OK;
}

/* Ends the program if it has not ended, and returns its status; LOST if that is unknown. */
static int end(const struct relay *r, bool kills)
{
    int status = 0;
    pid_t got;

    if (kills)
        kill(-r->pid, SIGKILL);
    while ((got = waitpid(r->pid, &status, 0)) < 0 && errno == EINTR)
        ;
    if (got < 0)
        return LOST;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Finds the last line that the program has printed. */
static void last_message(const char *path, char *out, size_t cap)
{
    FILE *const f = fopen(path, "re");
    char text[512];
    size_t n;
    char *line = text;

    out[0] = '\0';
    if (f == NULL)
        return;
    n = fread(text, 1, sizeof(text) - 1, f);
    fclose(f);
    text[n] = '\0';
    while (n > 0 && strchr("\r\n \a", text[n - 1]) != NULL)
        text[--n] = '\0';
    for (char *p = text; *p != '\0'; p++) {
        if (*p == '\n' || *p == '\r')
            line = p + 1;
    }
    mpj_text_clean(line);
    snprintf(out, cap, "%.*s", (int)cap - 1, line);
}

int uboot_send(const struct uboot_send *s, uint64_t *bytes, struct mpj_err *err)
{
    struct relay r = {.s = s};
    char said[200];
    int status;
    int result;

    *bytes = 0;
    if (spawn(&r, err) != MPJ_E_OK)
        return err->code;
    result = run(&r, err);
    status = end(&r, result != MPJ_E_OK);
    close(r.child);
    *bytes = r.bytes;
    if (result != MPJ_E_OK || status == 0)
        return result;
    if (status == ABSENT)
        return mpj_err_set(err, MPJ_E_TARGET,
                           "uploads to %s need `%s`: sudo apt-get install %s (or name another "
                           "transfer in the list of boards)",
                           s->target->name, s->argv[0], s->package);
    last_message(s->messages, said, sizeof(said));
    return mpj_err_set(err, MPJ_E_LINK, "%s: %s", s->argv[0], said[0] != '\0' ? said : "failed");
}
