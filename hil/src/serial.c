/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The target for a board on a serial port. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/guard.h"
#include "base/stop.h"
#include "hil/port.h"
#include "hil/target.h"
#include "mpj_rate.h"

#define TICK_MS  20
#define LOST     (255 << 8) /* as waitpid() reports an exit status of 255 */
#define RESET_MS 100        /* that the reset line is asserted */
#define GRACE_S  1.0        /* for a command after SIGTERM */
#define CYCLE_S  10.0       /* for a power cycle that has begun */

struct serial {
    struct mpj_target base;
    char *name;
    char *path, *usb_serial; /* one of them may be NULL */
    char *locks;             /* of ports, NULL: none */
    char *start;             /* command that makes the board run, NULL: none */
    int reset_line;          /* enum mpj_port_line; -1: none */
    char *restart;           /* ... when its loader does not answer, NULL: none */
    char *power_cycle;       /* before all else, NULL: none */
    bool reset;              /* likewise by the reset line */
    bool cycled;             /* one of both has been, and nothing has restarted the board since */
    char *elf;
    bool whole;         /* start and restart are power cycles as well */
    unsigned timeout_s; /* of each of these; 0: none */
    struct mpj_port *port;
};

static struct mpj_port_id id_of(const struct serial *s)
{
    const struct mpj_port_id id = {s->path, s->usb_serial, s->locks};

    return id;
}

/* Waits a tick for the end of a process; true if it has ended. A status that is lost is one of a
 * failure. */
static bool waited(pid_t pid, int *status)
{
    const struct timespec tick = {0, TICK_MS * 1000000L};
    const pid_t got = waitpid(pid, status, WNOHANG);

    if (got == 0)
        nanosleep(&tick, NULL);
    if (got < 0)
        *status = LOST;
    return got != 0 && !(got < 0 && errno == EINTR);
}

/* Waits for the end of a power cycle, CYCLE_S at most or until one more signal: cut short, it would
 * leave the board off. True: it has ended. */
static bool finishes(pid_t pid, int *status)
{
    const double begin = mpj_clock_s();
    const unsigned stops = mpj_stop_count();
    bool ended;

    while (!(ended = waited(pid, status)) && mpj_clock_s() - begin < CYCLE_S &&
           mpj_stop_count() == stops)
        ;
    return ended;
}

static void end_group(pid_t pid, int *status)
{
    const double begin = mpj_clock_s();

    kill(-pid, SIGTERM);
    while (!waited(pid, status)) {
        if (mpj_clock_s() - begin >= GRACE_S)
            kill(-pid, SIGKILL);
    }
    kill(-pid, SIGKILL); /* remaining processes of its group */
}

/* Returns the key of the list of boards that a command has. */
static const char *key_of(bool whole)
{
    return whole ? "power_cycle" : "start";
}

/* Waits for its end, a signal to end or the time limit: then it and its children are ended. stops:
 * mpj_stop_count() before it was started, as a signal may come before the wait. */
static int wait_command(const struct serial *s, const char *command, bool whole, pid_t pid,
                        unsigned stops, int *status, struct mpj_err *err)
{
    const double begin = mpj_clock_s();

    while (!waited(pid, status)) {
        const bool late = s->timeout_s > 0 && mpj_clock_s() - begin >= s->timeout_s;
        if (!late && mpj_stop_count() == stops)
            continue;
        if (!whole || !finishes(pid, status))
            end_group(pid, status);
        /* the board's failure, as no program has run: not MPJ_E_TIMEOUT */
        return late ? mpj_err_set(err, MPJ_E_TARGET,
                                  "the %s command of %s did not end within %u s (--timeout): %s",
                                  key_of(whole), s->name, s->timeout_s, command)
                    : mpj_err_set(err, MPJ_E_CANCELLED, "interrupted");
    }
    return MPJ_E_OK;
}

/*
 * Executes the command in the child, with the board's data in its environment, as soon as a byte
 * has come through go. Before, the child ends when we are gone; a power cycle that has begun ends
 * in its own time. Never returns.
 */
static void become(const struct serial *s, const char *command, bool whole, const int *go,
                   pid_t parent, const sigset_t *mask)
{
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

    setpgid(0, 0); /* it is ended with all that it starts */
    mpj_stop_inherit(mask);
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent || !mpj_guard_wait(go))
        _exit(127);
    if (whole)
        (void)prctl(PR_SET_PDEATHSIG, 0);
    setenv("MPJOULE_BOARD", s->name, 1);
    setenv("MPJOULE_PORT", mpj_port_path(s->port), 1);
    setenv("MPJOULE_ELF", s->elf != NULL ? s->elf : "", 1);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);    /* our input is the program's, or marks */
    dup2(STDERR_FILENO, STDOUT_FILENO); /* our output is the program's */
    /* a port that another thread has just opened: libserialport does so without O_CLOEXEC */
    close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

/* Starts a command, and its guard unless it is a power cycle. Both numbers are -1 where there is
 * none. */
static int start_command(const struct serial *s, const char *command, bool whole, pid_t *pid,
                         pid_t *guard, struct mpj_err *err)
{
    const pid_t self = getpid();
    sigset_t mask;
    bool ready;
    int go[2];

    *pid = *guard = -1;
    if (pipe2(go, O_CLOEXEC) != 0)
        return mpj_err_errno(err, "cannot start a process");
    mpj_stop_block(&mask);
    *pid = fork();
    if (*pid == 0)
        become(s, command, whole, go, self, &mask);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    if (*pid > 0)
        (void)setpgid(*pid, *pid); /* parent and child both set it, so the order does not matter */
    if (*pid > 0 && !whole)
        *guard = mpj_guard_start(*pid, go, GRACE_S);
    ready = *pid > 0 && (whole ? write(go[1], "", 1) == 1 : *guard > 0);
    if (!ready)
        mpj_err_errno(err, "cannot start a process");
    close(go[0]);
    close(go[1]);
    return ready ? MPJ_E_OK : err->code;
}

/* Runs a command. whole: it is a power cycle. */
static int run_command(const struct serial *s, const char *command, bool whole, struct mpj_err *err)
{
    const unsigned stops = mpj_stop_count();
    int status = LOST;
    int result;
    pid_t guard;
    pid_t pid;

    result = start_command(s, command, whole, &pid, &guard, err);
    if (result == MPJ_E_OK)
        result = wait_command(s, command, whole, pid, stops, &status, err);
    else if (pid > 0)
        end_group(pid, &status);
    mpj_guard_end(guard);
    if (result != MPJ_E_OK)
        return result;
    if (status != 0)
        return mpj_err_set(err, MPJ_E_TARGET, "the %s command of %s failed with status %d: %s",
                           key_of(whole), s->name, WIFEXITED(status) ? WEXITSTATUS(status) : 128,
                           command);
    return MPJ_E_OK;
}

/* Resets the board by the modem line. */
static int pulse(const struct serial *s, struct mpj_err *err)
{
    const enum mpj_port_line line = (enum mpj_port_line)s->reset_line;

    if (mpj_port_set_line(s->port, line, true, err) != MPJ_E_OK)
        return err->code;
    (void)poll(NULL, 0, RESET_MS);
    return mpj_port_set_line(s->port, line, false, err);
}

/* Opens the port and releases the modem lines, which the kernel asserts: they would keep the board
 * in reset. */
static int open_port(struct serial *s, struct mpj_err *err)
{
    const struct mpj_port_id id = id_of(s);

    if (mpj_port_open(&s->port, &id, MPJ_RATE_BASE, err) != MPJ_E_OK)
        return err->code;
    return s->reset_line < 0
               ? MPJ_E_OK
               : mpj_port_set_line(s->port, (enum mpj_port_line)s->reset_line, false, err);
}

static int serial_open(struct mpj_target *t, struct mpj_err *err)
{
    struct serial *const s = (struct serial *)t;

    if (s->port != NULL)
        return mpj_port_fd(s->port);
    if (open_port(s, err) != MPJ_E_OK)
        return err->code;
    if (s->power_cycle != NULL && run_command(s, s->power_cycle, true, err) != MPJ_E_OK)
        return err->code;
    if (s->reset && pulse(s, err) != MPJ_E_OK)
        return err->code;
    s->cycled = s->power_cycle != NULL || s->reset;
    if (s->start != NULL && run_command(s, s->start, s->whole, err) != MPJ_E_OK)
        return err->code;
    return mpj_port_fd(s->port);
}

static int serial_reopen(struct mpj_target *t, struct mpj_err *err)
{
    struct serial *const s = (struct serial *)t;

    mpj_port_close(s->port);
    s->port = NULL;
    if (open_port(s, err) != MPJ_E_OK)
        return err->code;
    return mpj_port_fd(s->port);
}

static int serial_restart(struct mpj_target *t, struct mpj_err *err)
{
    struct serial *const s = (struct serial *)t;

    if (s->cycled) { /* it is starting */
        s->cycled = false;
        return MPJ_E_OK;
    }
    if (s->restart == NULL && s->reset_line >= 0)
        return pulse(s, err);
    if (s->restart == NULL)
        return mpj_err_set(
            err, MPJ_E_NO_ANSWER,
            "%s cannot be restarted: set start, power_cycle or reset_line in the list of boards",
            s->name);
    return run_command(s, s->restart, s->whole, err);
}

static ssize_t serial_read(struct mpj_target *t, void *buf, size_t n, struct mpj_err *err)
{
    return mpj_port_read(((struct serial *)t)->port, buf, n, err);
}

static ssize_t serial_write(struct mpj_target *t, const void *buf, size_t n, struct mpj_err *err)
{
    return mpj_port_write(((struct serial *)t)->port, buf, n, err);
}

static int serial_rate(struct mpj_target *t, uint32_t bits_per_s, struct mpj_err *err)
{
    return mpj_port_rate(((struct serial *)t)->port, bits_per_s, err);
}

static int serial_lost(struct mpj_target *t, struct mpj_err *err)
{
    return mpj_err_set(err, MPJ_E_LINK, "lost the serial port of %s", t->name);
}

static int serial_close(struct mpj_target *t, bool graceful, struct mpj_err *err)
{
    struct serial *const s = (struct serial *)t;

    (void)graceful;
    (void)err;
    mpj_port_close(s->port);
    s->port = NULL;
    return MPJ_E_OK;
}

static const char *serial_truth(struct mpj_target *t, size_t *len)
{
    (void)t;
    *len = 0;
    return NULL;
}

static void serial_free(struct mpj_target *t)
{
    struct serial *const s = (struct serial *)t;

    mpj_port_close(s->port);
    free(s->name);
    free(s->path);
    free(s->usb_serial);
    free(s->locks);
    free(s->start);
    free(s->restart);
    free(s->power_cycle);
    free(s->elf);
    free(s);
}

/* Copies a string. True when out of memory; NULL stays NULL. */
static bool copy(char **out, const char *s)
{
    *out = s != NULL ? strdup(s) : NULL;
    return s != NULL && *out == NULL;
}

int mpj_serial_new(struct mpj_target **out, const struct mpj_serial_options *opt,
                   struct mpj_err *err)
{
    static const struct mpj_target_ops ops = {
        .open = serial_open,
        .lost = serial_lost,
        .close = serial_close,
        .truth = serial_truth,
        .free = serial_free,
        .read = serial_read,
        .write = serial_write,
        .rate = serial_rate,
        .reopen = serial_reopen,
        .restart = serial_restart,
    };
    struct serial *const s = calloc(1, sizeof(*s));

    *out = NULL;
    if (s == NULL)
        return mpj_err_nomem(err);
    s->base.ops = &ops;
    s->base.reliable = true;
    s->base.rate = opt->rate;
    s->timeout_s = opt->timeout_s;
    s->whole = opt->whole;
    s->reset_line = mpj_port_line_of(opt->reset_line);
    s->reset = opt->reset && s->reset_line >= 0;
    if (copy(&s->name, opt->name) || copy(&s->path, opt->path) ||
        copy(&s->usb_serial, opt->usb_serial) || copy(&s->locks, opt->locks) ||
        copy(&s->start, opt->start) || copy(&s->restart, opt->restart) ||
        copy(&s->power_cycle, opt->power_cycle) || copy(&s->elf, opt->elf)) {
        serial_free(&s->base);
        return mpj_err_nomem(err);
    }
    s->base.name = s->name;
    *out = &s->base;
    return MPJ_E_OK;
}
