/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The emulator as a target. It is started as a child with one Unix socket in a private directory as
 * its serial line: no network, no display, no monitor. A pipe that only the child holds open
 * signals its end, however it ended.
 */
#include "hil/target.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "base/tempdir.h"
#include "functions.h"
#include "tile_limits.h"
#include "whatif.h"

#define CONNECT_S  60U   /* from start to the open line; a loaded machine is slow */
#define GRACE_MS   60000 /* from END to its own exit */
#define PLAIN_MS   300   /* for a QEMU without the reset register: it may never exit */
#define TERM_MS    5000  /* from SIGTERM to the exit, writing its truth */
#define KILL_MS    1000 /* from SIGKILL to the end: a process that waits for a disk may outlast it */
#define ARGS_MAX   64
#define TICK_MS    50
#define EXIT_MS    2 /* from the closed pipe to the end of the process, usually less */
#define FILE_LIMIT (256U << 20)
/* Denies what the emulator does not do: a guest that broke out of it could not do it either. */
#define SANDBOX "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"

struct emulator {
    struct mpj_target base;
    char *qemu, *elf, *calibration, *errors, *machine, *extra; /* all but qemu may be NULL, errors
                                                                  until open */
    char *nor; /* NULL, or it starts from there and not with elf */
    bool cold_ram;
    char platform[TILE_NAME_SIZE];
    char cores[12], ram_mib[12]; /* of the machine, as QEMU's arguments */
    uint32_t quantum;
    uint64_t seed;
    char *gdb;          /* socket for a debugger, NULL: none */
    bool gdb_made;      /* it may exist */
    unsigned timeout_s; /* until its line is open; 0: CONNECT_S */
    bool (*cancelled)(void *ctx);
    void *ctx;
    struct mpj_emulator_profile profile_of;
    char *bound; /* property of the machine; "": none */
    const char *const *what_if;
    unsigned what_ifs;
    bool sandbox;

    struct mpj_tempdir dir; /* path NULL: not made yet */
    char *socket;           /* paths inside it */
    char *truth_path, *profile_path, *symbols_path, *what_if_path;
    pid_t pid;  /* 0: not running */
    int status; /* of waitpid, once pid is 0 again */
    int lost;   /* errno of a wait that failed: the status is unknown; 0 */
    int line;   /* the serial line, -1: closed */
    int alive;  /* read end of the liveness pipe */
    char *truth, *profile;
    size_t truth_len, profile_len;
};

/* ---- small helpers ---------------------------------------------------------- */

/* Doubles each comma, as QEMU's option strings need it within a value. */
static char *escape_commas(const char *s)
{
    char *const out = malloc(2 * strlen(s) + 1);
    char *p = out;

    if (out == NULL)
        return NULL;
    for (; *s != '\0'; s++) {
        *p++ = *s;
        if (*s == ',')
            *p++ = ',';
    }
    *p = '\0';
    return out;
}

/* True if the process has ended. Ends the remaining processes of its group: a wrapper's
 * children. */
static bool collect(struct emulator *s)
{
    siginfo_t info = {0};

    if (waitid(P_PID, (id_t)s->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0) {
        if (info.si_pid == 0)
            return false;
        kill(-s->pid, SIGKILL); /* before its number is free for another process */
        if (waitpid(s->pid, &s->status, 0) < 0)
            s->lost = errno;
    } else {
        s->lost = errno;
    }
    s->pid = 0;
    return true;
}

/* Waits until the child is gone, ms at most. The pipe signals at once; a child that has closed it
 * may live. */
static bool wait_gone(struct emulator *s, uint32_t ms)
{
    const uint32_t since = mpj_clock_ms();
    struct pollfd p = {.fd = s->alive, .events = 0};

    while (s->pid != 0) {
        const uint32_t spent = mpj_clock_ms() - since;
        const int left = spent < ms ? (int)(ms - spent) : 0;
        const bool closed = poll(&p, 1, left) > 0;

        if (closed && collect(s))
            break;
        if (left == 0)
            return false;
        if (closed)
            (void)poll(NULL, 0, EXIT_MS);
    }
    return true;
}

/* Finds the first line of the emulator's output, "" when there is none. */
static void first_complaint(const struct emulator *s, char *out, size_t cap)
{
    FILE *const f = fopen(s->errors, "re");

    out[0] = '\0';
    if (f == NULL)
        return;
    while (fgets(out, (int)cap, f) != NULL) {
        out[strcspn(out, "\r\n")] = '\0';
        /* a warning explains nothing when an error follows */
        if (out[0] != '\0' && strstr(out, "warning:") == NULL)
            break;
    }
    fclose(f);
}

/* ---- start ------------------------------------------------------------------ */

static bool profiles(const struct emulator *s)
{
    const struct mpj_emulator_profile *const p = &s->profile_of;

    return s->calibration != NULL && (p->functions || p->instructions || p->wave_us > 0);
}

static int make_dir(struct emulator *s, struct mpj_err *err)
{
    if (mpj_tempdir_make(&s->dir, err) != MPJ_E_OK)
        return err->code;
    if (asprintf(&s->socket, "%s/line", s->dir.path) < 0 ||
        asprintf(&s->truth_path, "%s/truth.json", s->dir.path) < 0 ||
        asprintf(&s->profile_path, "%s/profile", s->dir.path) < 0 ||
        asprintf(&s->symbols_path, "%s/symbols", s->dir.path) < 0 ||
        asprintf(&s->what_if_path, "%s/what-if", s->dir.path) < 0 ||
        (s->errors == NULL && asprintf(&s->errors, "%s/errors", s->dir.path) < 0))
        return mpj_err_nomem(err);
    if (s->what_ifs > 0 &&
        mpj_what_if_write(s->elf, s->what_if, s->what_ifs, s->what_if_path, err) != MPJ_E_OK)
        return err->code;
    return s->profile_of.functions && profiles(s) ? mpj_functions_list(s->elf, s->symbols_path, err)
                                                  : MPJ_E_OK;
}

static int listen_on(const char *path, struct mpj_err *err)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return mpj_err_errno(err, "cannot create a socket");
    memcpy(addr.sun_path, path, strlen(path) + 1);
    if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) != 0 || listen(fd, 1) != 0) {
        mpj_err_errno(err, "cannot listen on %s", path);
        close(fd);
        return err->code;
    }
    return fd;
}

/* Connects to a socket; -1: no process listens. */
static int connect_to(const char *path)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    memcpy(addr.sun_path, path, strlen(path) + 1);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&addr, sizeof(addr)) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

int mpj_emulator_gdb(const char *path, struct mpj_err *err)
{
    const struct sockaddr_un addr;
    struct stat st;
    int other;

    if (strlen(path) >= sizeof(addr.sun_path))
        return mpj_err_set(err, MPJ_E_USAGE,
                           "%s is longer than %zu bytes: take a shorter path (--gdb)", path,
                           sizeof(addr.sun_path) - 1);
    if (lstat(path, &st) != 0)
        return MPJ_E_OK;
    if (!S_ISSOCK(st.st_mode))
        return mpj_err_set(err, MPJ_E_USAGE,
                           "%s is there already, and no socket: name another path (--gdb)", path);
    other = connect_to(path);
    if (other < 0)
        return MPJ_E_OK;
    close(other);
    return mpj_err_set(err, MPJ_E_BUSY, "another program waits at %s: name another path (--gdb)",
                       path);
}

/* Removes the debugger's socket, which an emulator that was killed leaves. */
static void remove_gdb(struct emulator *s)
{
    struct stat st;

    if (s->gdb_made && lstat(s->gdb, &st) == 0 && S_ISSOCK(st.st_mode))
        (void)unlink(s->gdb);
    s->gdb_made = false;
}

/* Executes the emulator in the child: never returns. errors: a file for its messages. */
static void become(const struct emulator *s, const char *const *argv, int errors, pid_t parent)
{
    const int null = open("/dev/null", O_RDWR);

    (void)umask(077); /* for the socket of a debugger, which may do what this user may */
    /* a group of its own: Ctrl-C reaches only us, and we end it gracefully; it never outlives us */
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGXFSZ, SIG_IGN); /* a full disk is a failed write for it, as it is for us */
    if (getppid() != parent || null < 0)
        _exit(127);
    dup2(null, STDIN_FILENO);
    dup2(errors, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    execv(s->qemu, (char *const *)argv); /* POSIX: exec does not write to it */
    dprintf(STDERR_FILENO, "%s: %s\n", s->qemu, strerror(errno));
    _exit(127);
}

/* Returns the option that selects the content of the profile; NULL when out of memory. */
static char *profile_option(const struct emulator *s, const char *path, const char *symbols)
{
    const struct mpj_emulator_profile *const p = &s->profile_of;
    char wave[40] = "";
    char *out = NULL;

    if (!profiles(s))
        return strdup("");
    if (p->wave_us > 0)
        snprintf(wave, sizeof(wave), ",waveform=%u", p->wave_us);
    if (asprintf(&out, ",profile=%s%s%s%s%s%s", path, p->functions ? ",functions=on,symbols=" : "",
                 p->functions ? symbols : "", p->functions && p->moments ? ",moments=on" : "",
                 p->instructions ? ",instructions=on" : "", wave) < 0)
        return NULL;
    return out;
}

/* Returns the -M option; NULL when out of memory. */
static char *machine_option(const struct emulator *s)
{
    char *calibration = escape_commas(s->calibration != NULL ? s->calibration : "");
    char *truth = escape_commas(s->truth_path);
    char *profile = escape_commas(s->profile_path);
    char *symbols = escape_commas(s->symbols_path);
    char *what_if = escape_commas(s->what_ifs > 0 ? s->what_if_path : "");
    char *functions = NULL;
    const char *const start = s->nor == NULL ? ""
                              : s->cold_ram  ? ",start=nor,cold-ram=on"
                                             : ",start=nor";
    char quantum[40] = "";
    char *out = NULL;

    if (s->quantum != 0)
        snprintf(quantum, sizeof(quantum), ",quantum=%u", s->quantum);
    functions = profile != NULL && symbols != NULL ? profile_option(s, profile, symbols) : NULL;
    if (s->calibration == NULL)
        out = asprintf(&out, "%s%s", s->platform, start) < 0 ? NULL : out;
    else if (calibration != NULL && truth != NULL && functions != NULL && what_if != NULL &&
             asprintf(&out, "%s%s,calibration=%s%s,seed=%llu,truth=%s%s%s%s%s%s%s%s", s->platform,
                      start, calibration, quantum, (unsigned long long)s->seed, truth, functions,
                      s->bound, s->gdb != NULL ? ",debug=on" : "",
                      s->what_ifs > 0 ? ",what-if=" : "", what_if, s->machine != NULL ? "," : "",
                      s->machine != NULL ? s->machine : "") < 0)
        out = NULL;
    free(calibration);
    free(truth);
    free(profile);
    free(symbols);
    free(what_if);
    free(functions);
    return out;
}

static int spawn(struct emulator *s, struct mpj_err *err)
{
    const char *argv[ARGS_MAX];
    char *machine = machine_option(s);
    char *chardev = NULL;
    char *extra = s->extra != NULL ? strdup(s->extra) : NULL;
    char *line = escape_commas(s->socket);
    char *nor = s->nor != NULL ? escape_commas(s->nor) : NULL;
    char *drive = NULL;
    char *save = NULL;
    char *gdb_path = s->gdb != NULL ? escape_commas(s->gdb) : NULL;
    char *gdb = NULL;
    int alive[2] = {-1, -1};
    int errors = -1;
    const pid_t self = getpid();
    unsigned n = 0;
    int result = MPJ_E_OK;

    if (machine == NULL || line == NULL || (s->extra != NULL && extra == NULL) ||
        (s->nor != NULL &&
         (nor == NULL || asprintf(&drive, "if=pflash,format=raw,file=%s", nor) < 0)) ||
        (s->gdb != NULL &&
         (gdb_path == NULL || asprintf(&gdb, "unix:%s,server=on,wait=off", gdb_path) < 0)) ||
        asprintf(&chardev, "socket,id=line,path=%s,server=off", line) < 0) {
        chardev = NULL;
        result = mpj_err_nomem(err);
        goto out;
    }
    argv[n++] = s->qemu;
    argv[n++] = "-M";
    argv[n++] = machine;
    argv[n++] = "-smp";
    argv[n++] = s->cores;
    argv[n++] = "-m";
    argv[n++] = s->ram_mib;
    if (drive != NULL) {
        argv[n++] = "-drive";
        argv[n++] = drive;
    } else {
        argv[n++] = "-kernel";
        argv[n++] = s->elf;
        argv[n++] = "-no-reboot";
    }
    if (s->calibration != NULL) {
        argv[n++] = "-icount";
        argv[n++] = "shift=0,sleep=off";
    }
    argv[n++] = "-display";
    argv[n++] = "none";
    argv[n++] = "-monitor";
    argv[n++] = "none";
    argv[n++] = "-nodefaults";
    argv[n++] = "-no-user-config";
    if (s->sandbox) {
        argv[n++] = "-sandbox";
        argv[n++] = SANDBOX;
    }
    argv[n++] = "-chardev";
    argv[n++] = chardev;
    argv[n++] = "-serial";
    argv[n++] = "chardev:line";
    if (gdb != NULL) {
        argv[n++] = "-gdb";
        argv[n++] = gdb;
        argv[n++] = "-S";
    }
    if (extra != NULL) {
        for (char *word = strtok_r(extra, " ", &save); word != NULL && n < ARGS_MAX - 1;
             word = strtok_r(NULL, " ", &save))
            argv[n++] = word;
    }
    argv[n] = NULL;

    errors = mpj_file_grow(s->errors, false, err);
    if (errors < 0) {
        result = err->code;
        goto out;
    }
    if (pipe2(alive, O_CLOEXEC) != 0) {
        result = mpj_err_errno(err, "cannot create a pipe");
        goto out;
    }
    s->pid = fork();
    if (s->pid < 0) {
        s->pid = 0;
        close(alive[0]);
        result = mpj_err_errno(err, "cannot start a process");
        goto out;
    }
    if (s->pid == 0) {
        fcntl(alive[1], F_SETFD, 0); /* this end lives as long as the emulator */
        become(s, argv, errors, self);
    }
    (void)setpgid(s->pid, s->pid); /* parent and child both set it, so the order does not matter */
    s->alive = alive[0];
out:
    if (alive[1] >= 0)
        close(alive[1]);
    if (errors >= 0)
        close(errors);
    free(machine);
    free(chardev);
    free(extra);
    free(line);
    free(nor);
    free(drive);
    free(gdb_path);
    free(gdb);
    return result;
}

static int emulator_lost(struct mpj_target *t, struct mpj_err *err)
{
    struct emulator *const s = (struct emulator *)t;
    char said[300];

    if (!wait_gone(s, 2000))
        return mpj_err_set(err, MPJ_E_LINK, "the emulator closed its serial line");
    first_complaint(s, said, sizeof(said));
    if (strstr(said, TILE_BOUND_PASSED) != NULL)
        return mpj_err_set(err, MPJ_E_BOUND, "%s (--bound)", said);
    if (s->gdb != NULL && strstr(said, "GDBstub") != NULL)
        return mpj_err_set(err, MPJ_E_PROGRAM,
                           "the debugger has killed the program (`detach` lets it go on)");
    if (strstr(said, "Property '") != NULL && strstr(said, "not found") != NULL)
        return mpj_err_set(err, MPJ_E_TARGET,
                           "%s is a QEMU without mpjoule's chip model (%s): build ours, or unset "
                           "MPJOULE_QEMU",
                           s->qemu, said);
    if (s->sandbox && strstr(said, "sandbox") != NULL)
        return mpj_err_set(err, MPJ_E_TARGET,
                           "%s has no sandbox here (%s): build ours, or set MPJOULE_SANDBOX=off",
                           s->qemu, said);
    if (strstr(said, "no default audio driver") != NULL) /* QEMU 8.2 and later */
        return mpj_err_set(err, MPJ_E_TARGET,
                           "%s wants an audio driver: set MPJOULE_QEMU_ARGS=\"-audio driver=none\"",
                           s->qemu);
    if (said[0] != '\0')
        return mpj_err_set(err, MPJ_E_TARGET, "the emulator ended early: %s", said);
    if (s->lost != 0)
        return mpj_err_set(err, MPJ_E_TARGET, "cannot read the emulator's exit status: %s",
                           strerror(s->lost));
    if (WIFSIGNALED(s->status))
        return mpj_err_set(err, MPJ_E_TARGET, "the emulator was ended by signal %d (%s)",
                           WTERMSIG(s->status), strsignal(WTERMSIG(s->status)));
    return mpj_err_set(err, MPJ_E_LINK, "the emulator ended early with status %d",
                       WEXITSTATUS(s->status));
}

/* Accepts the emulator's connection: the line; or the reason why there is none. */
static int await_line(struct emulator *s, int listener, struct mpj_err *err)
{
    const unsigned limit_s =
        s->timeout_s > 0 && s->timeout_s < CONNECT_S ? s->timeout_s : CONNECT_S;
    const uint32_t since = mpj_clock_ms();
    struct pollfd p[2] = {{.fd = listener, .events = POLLIN}, {.fd = s->alive, .events = 0}};

    while (poll(p, 2, TICK_MS) <= 0) {
        if (s->cancelled != NULL && s->cancelled(s->ctx))
            return mpj_err_set(err, MPJ_E_CANCELLED, "interrupted");
        if (mpj_clock_ms() - since >= limit_s * 1000U)
            return mpj_err_set(err, limit_s == s->timeout_s ? MPJ_E_TIMEOUT : MPJ_E_NO_ANSWER,
                               "the emulator did not open its serial line within %u s%s", limit_s,
                               limit_s == s->timeout_s ? " (--timeout)" : "");
    }
    if (!(p[0].revents & POLLIN))
        return emulator_lost(&s->base, err);
    s->line = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    return s->line >= 0 ? s->line : mpj_err_errno(err, "cannot connect to the emulator");
}

static int emulator_open(struct mpj_target *t, struct mpj_err *err)
{
    struct emulator *const s = (struct emulator *)t;
    int listener;
    int result;

    if (access(s->qemu, X_OK) != 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? mpj_err_set(err, MPJ_E_TARGET,
                                 "the emulator %s is missing: `mpjoule doctor` prints a fix",
                                 s->qemu)
                   : mpj_err_set(err, MPJ_E_TARGET,
                                 "the emulator %s cannot be run by this user: %s", s->qemu,
                                 strerror(errno));
    if (s->calibration != NULL && access(s->calibration, R_OK) != 0)
        return mpj_err_errno(err, "cannot read the calibration %s", s->calibration);
    if (s->gdb != NULL && mpj_emulator_gdb(s->gdb, err) != MPJ_E_OK)
        return err->code;
    s->gdb_made = s->gdb != NULL;
    if (make_dir(s, err) != MPJ_E_OK)
        return err->code;
    listener = listen_on(s->socket, err);
    if (listener < 0)
        return err->code;
    result = spawn(s, err);
    if (result == MPJ_E_OK)
        result = await_line(s, listener, err);
    close(listener);
    return result;
}

/* ---- end -------------------------------------------------------------------- */

/* Reads a file that the emulator has written; *out stays NULL where there is none: a reader that
 * needs it reports that. The bytes are followed by a 0. */
static int read_file(char **out, size_t *len, const char *path, const char *name,
                     struct mpj_err *err)
{
    FILE *const f = path != NULL ? fopen(path, "re") : NULL;
    struct stat st;
    int result = MPJ_E_OK;

    if (f == NULL || *out != NULL) {
        if (f != NULL)
            fclose(f);
        return MPJ_E_OK;
    }
    if (fstat(fileno(f), &st) != 0 || (uint64_t)st.st_size > FILE_LIMIT) {
        result = mpj_err_set(err, MPJ_E_TARGET, "the emulator's %s file cannot be read", name);
    } else if ((*out = malloc((size_t)st.st_size + 1)) == NULL) {
        result = mpj_err_nomem(err);
    } else {
        *len = fread(*out, 1, (size_t)st.st_size, f);
        (*out)[*len] = '\0';
    }
    fclose(f);
    return result;
}

/* Closes the line: an emulator that sends what is no longer read would not end. */
static void hang_up(struct emulator *s)
{
    if (s->line >= 0)
        close(s->line);
    s->line = -1;
}

/* Waits as wait_gone() until one more signal to end demands haste. */
static bool wait_end(struct emulator *s, int ms)
{
    const unsigned stops = mpj_stop_count();
    bool gone = wait_gone(s, TICK_MS);

    for (; !gone && ms > 0 && mpj_stop_count() == stops; ms -= TICK_MS)
        gone = wait_gone(s, TICK_MS);
    return gone;
}

/* Ends the emulator and its children. */
static void end_group(struct emulator *s)
{
    uint32_t since;

    kill(-s->pid, SIGTERM);
    kill(-s->pid, SIGCONT); /* a stopped process reacts only to SIGKILL */
    if (wait_end(s, TERM_MS))
        return;
    kill(-s->pid, SIGKILL);
    for (since = mpj_clock_ms(); !collect(s) && mpj_clock_ms() - since < KILL_MS;)
        (void)poll(NULL, 0, EXIT_MS);
    s->pid = 0;
}

static int emulator_close(struct mpj_target *t, bool graceful, struct mpj_err *err)
{
    struct emulator *const s = (struct emulator *)t;
    const bool plain = s->calibration == NULL;
    const unsigned stops = mpj_stop_count();
    struct mpj_err late;
    int result = MPJ_E_OK;

    if (!graceful)
        hang_up(s);
    if (s->pid != 0 && !(graceful && wait_end(s, plain ? PLAIN_MS : GRACE_MS))) {
        const bool interrupted = mpj_stop_count() != stops;

        end_group(s);
        if (graceful && !plain)
            result = interrupted
                         ? mpj_err_set(err, MPJ_E_CANCELLED, "interrupted")
                         : mpj_err_set(err, MPJ_E_TARGET,
                                       "the emulator did not exit within %d s of the program's "
                                       "end",
                                       GRACE_MS / 1000);
    } else if (graceful && (s->status != 0 || s->lost != 0)) {
        result = emulator_lost(t, err);
    }
    hang_up(s);
    if (read_file(&s->truth, &s->truth_len, s->truth_path, "truth",
                  result == MPJ_E_OK ? err : &late) != MPJ_E_OK ||
        read_file(&s->profile, &s->profile_len, s->profile_path, "profile",
                  result == MPJ_E_OK ? err : &late) != MPJ_E_OK)
        result = result == MPJ_E_OK ? err->code : result;
    return result;
}

static const char *emulator_truth(struct mpj_target *t, size_t *len)
{
    const struct emulator *const s = (const struct emulator *)t;

    *len = s->truth_len;
    return s->truth;
}

static const char *emulator_profile(struct mpj_target *t, size_t *len)
{
    const struct emulator *const s = (const struct emulator *)t;

    *len = s->profile_len;
    return s->profile;
}

static void emulator_free(struct mpj_target *t)
{
    struct emulator *const s = (struct emulator *)t;
    struct mpj_err ignored;

    emulator_close(t, false, &ignored);
    remove_gdb(s);
    if (s->alive >= 0)
        close(s->alive);
    mpj_tempdir_remove(&s->dir);
    free(s->qemu);
    free(s->elf);
    free(s->calibration);
    free(s->errors);
    free(s->machine);
    free(s->extra);
    free(s->nor);
    free(s->gdb);
    free(s->bound);
    free(s->socket);
    free(s->truth_path);
    free(s->profile_path);
    free(s->symbols_path);
    free(s->what_if_path);
    free(s->truth);
    free(s->profile);
    free(s);
}

/* Returns the property that ends the run; NULL when out of memory. */
static char *bound_option(const struct mpj_emulator_options *opt)
{
    char *out = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&out, &size);

    if (f == NULL)
        return NULL;
    for (unsigned i = 0; i < opt->bounds; i++)
        fprintf(f, "%s%.0f:%.0f", i == 0 ? ",bound=" : "/", ceil(opt->bound[i].time_s * 1e9),
                ceil(opt->bound[i].energy_j * 1e9));
    return fclose(f) == 0 ? out : NULL;
}

/* Copies a string. True when out of memory; NULL stays NULL. */
static bool copy(char **out, const char *s)
{
    *out = s != NULL ? strdup(s) : NULL;
    return s != NULL && *out == NULL;
}

#define RAM_ALIGN_MIB 256U /* where the RAM of a board begins */

/* Takes cores and RAM of a board. Programs may not have all of the RAM: the machine's reaches from
 * where a board's begins to the end of theirs. */
static void take_board(struct emulator *s, const struct tile_machine *m)
{
    uint32_t first = UINT32_MAX;
    uint32_t end = 0;
    uint32_t mib;

    for (uint32_t i = 0; i < m->rams; i++) {
        const uint32_t base = m->ram[i].base >> 20;
        const uint32_t behind = base + (m->ram[i].bytes >> 20);

        first = base < first ? base : first;
        end = behind > end ? behind : end;
    }
    mib = end - first / RAM_ALIGN_MIB * RAM_ALIGN_MIB;
    snprintf(s->platform, sizeof(s->platform), "%s", m->platform);
    snprintf(s->cores, sizeof(s->cores), "%u", m->cores);
    snprintf(s->ram_mib, sizeof(s->ram_mib), "%u", mib);
}

int mpj_emulator_new(struct mpj_target **out, const struct mpj_emulator_options *opt,
                     struct mpj_err *err)
{
    static const struct mpj_target_ops ops = {.open = emulator_open,
                                              .lost = emulator_lost,
                                              .close = emulator_close,
                                              .truth = emulator_truth,
                                              .profile = emulator_profile,
                                              .free = emulator_free};
    struct emulator *const s = calloc(1, sizeof(*s));

    *out = NULL;
    if (s == NULL)
        return mpj_err_nomem(err);
    s->base.ops = &ops;
    s->base.name = "sim";
    take_board(s, opt->board);
    s->line = -1;
    s->alive = -1;
    s->quantum = opt->quantum;
    s->seed = opt->seed;
    s->profile_of = opt->profile;
    s->timeout_s = opt->timeout_s;
    s->cancelled = opt->cancelled;
    s->ctx = opt->ctx;
    s->sandbox = !opt->open;
    s->cold_ram = opt->cold_ram;
    s->what_if = opt->what_if;
    s->what_ifs = opt->what_ifs;
    s->bound = bound_option(opt);
    if (s->bound == NULL || copy(&s->qemu, opt->qemu) || copy(&s->elf, opt->elf) ||
        copy(&s->calibration, opt->calibration) || copy(&s->errors, opt->errors) ||
        copy(&s->machine, opt->machine) || copy(&s->extra, opt->extra) || copy(&s->nor, opt->nor) ||
        copy(&s->gdb, opt->gdb)) {
        emulator_free(&s->base);
        return mpj_err_nomem(err);
    }
    *out = &s->base;
    return MPJ_E_OK;
}
