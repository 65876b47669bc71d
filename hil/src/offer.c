/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hil/offered.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/file.h"
#include "base/tempdir.h"

#define NOR_BYTES  (64 << 20)
#define NOR_ERASED (2U << 20) /* bytes of a new flash that are written; the rest is a hole */
#define ASK_MS     1000       /* for the whole request to the switch */
#define DONE       "on\n"

struct mpj_offer {
    struct mpj_offer_options opt;
    struct mpj_tempdir dir;
    struct mpj_cable *cable;
    struct mpj_target *board; /* NULL: off */
    int line;                 /* the board's; -1: off */
    int flash;                /* nor, open and locked; -1 */
    char *nor, *elf;          /* what it starts with; one of them may be NULL */
    char *control;            /* path of the switch; NULL: none */
    int listener;             /* its socket; -1 */
    uint64_t on_at;           /* bytes on the line when it was switched on */
    unsigned cuts;
};

__attribute__((format(printf, 2, 3))) static void tell(const struct mpj_offer *o,
                                                       const char *format, ...)
{
    char text[PATH_MAX + 100];
    va_list args;

    if (o->opt.event == NULL)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    o->opt.event(o->opt.ctx, text);
}

/* ---- flash ------------------------------------------------------------------ */

/* Writes a flash like that of a board on which the loader was installed. */
static int put_nor(const void *what, FILE *f, struct mpj_err *err)
{
    const struct mpj_offer *const o = what;
    uint8_t *const erased = malloc(NOR_ERASED);
    FILE *const loader = fopen(o->opt.loader, "re");
    int result = MPJ_E_OK;

    if (erased == NULL || loader == NULL) {
        result = erased == NULL ? mpj_err_nomem(err)
                                : mpj_err_errno(err, "cannot read the loader %s", o->opt.loader);
    } else {
        memset(erased, 0xff, NOR_ERASED);
        (void)!fread(erased, 1, NOR_ERASED, loader);
        if (ferror(loader))
            result = mpj_err_errno(err, "cannot read the loader %s", o->opt.loader);
        else if (fwrite(erased, 1, NOR_ERASED, f) == NOR_ERASED && fflush(f) == 0 &&
                 ftruncate(fileno(f), NOR_BYTES) != 0)
            result = mpj_err_errno(err, "cannot write %s", o->nor);
    }
    if (loader != NULL)
        fclose(loader);
    free(erased);
    return result;
}

/* Opens the flash, which is created empty, and locks it. False: another process replaced it. */
static bool open_nor(struct mpj_offer *o, struct stat *st, struct mpj_err *err)
{
    struct stat now;

    err->code = MPJ_E_OK;
    o->flash = open(o->nor, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (o->flash < 0 || fstat(o->flash, st) != 0)
        mpj_err_errno(err, "cannot open the flash %s", o->nor);
    else if (!S_ISREG(st->st_mode))
        mpj_err_set(err, MPJ_E_USAGE, "the flash %s is not a file: name another one", o->nor);
    else if (flock(o->flash, LOCK_EX | LOCK_NB) != 0)
        mpj_err_set(err, MPJ_E_BUSY, "another emulated board uses the flash %s", o->nor);
    else
        return stat(o->nor, &now) == 0 && now.st_dev == st->st_dev && now.st_ino == st->st_ino;
    return true;
}

static int prepare_nor(struct mpj_offer *o, struct mpj_err *err)
{
    struct stat st = {.st_size = 0};

    if (o->opt.nor != NULL)
        o->nor = strdup(o->opt.nor);
    else if (asprintf(&o->nor, "%s/nor.bin", o->dir.path) < 0)
        o->nor = NULL;
    if (o->nor == NULL)
        return mpj_err_nomem(err);
    for (;;) {
        if (open_nor(o, &st, err)) {
            if (err->code != MPJ_E_OK)
                return err->code;
            if (st.st_size != 0)
                break;
            if (mpj_file_write(o->nor, put_nor, o, err) != MPJ_E_OK) /* whole or empty */
                return err->code;
        }
        close(o->flash);
    }
    return st.st_size == NOR_BYTES
               ? MPJ_E_OK
               : mpj_err_set(err, MPJ_E_USAGE,
                             "%s is not a flash of %d MB: it has %lld bytes; name another file",
                             o->nor, NOR_BYTES >> 20, (long long)st.st_size);
}

/* ---- supply ----------------------------------------------------------------- */

static uint64_t on_line(const struct mpj_offer *o)
{
    return mpj_cable_to_board(o->cable) + mpj_cable_to_host(o->cable);
}

static void power_off(struct mpj_offer *o)
{
    mpj_target_free(o->board);
    o->board = NULL;
    o->line = -1;
    mpj_cable_lose(o->cable);
}

static int power_on(struct mpj_offer *o, struct mpj_err *err)
{
    struct mpj_emulator_options e = o->opt.emulator;

    e.elf = o->elf;
    e.nor = o->elf == NULL ? o->nor : NULL;
    o->on_at = on_line(o);
    if (mpj_emulator_new(&o->board, &e, err) != MPJ_E_OK)
        return err->code;
    o->line = o->board->ops->open(o->board, err);
    if (o->line >= 0)
        return MPJ_E_OK;
    mpj_target_free(o->board);
    o->board = NULL;
    return err->code;
}

/* Handles the end of the board's line: a program in RAM has ended by a reset, which leaves nothing
 * there; all else is a failure of the emulator. */
static int hung_up(struct mpj_offer *o, struct mpj_err *err)
{
    const bool in_ram = o->elf != NULL;
    const int result = o->board->ops->close(o->board, true, err);

    mpj_target_free(o->board);
    o->board = NULL;
    o->line = -1;
    if (in_ram) {
        tell(o, "the program has ended%s%s: the board is off", result != MPJ_E_OK ? ", " : "",
             result != MPJ_E_OK ? err->text : "");
        return MPJ_E_OK;
    }
    return result != MPJ_E_OK ? result
                              : mpj_err_set(err, MPJ_E_TARGET, "the emulator ended by itself");
}

static int cut_power(struct mpj_offer *o, struct mpj_err *err)
{
    if (o->opt.power_cut == 0 || o->board == NULL || o->cuts >= o->opt.cuts ||
        on_line(o) - o->on_at < o->opt.power_cut)
        return MPJ_E_OK;
    o->cuts++;
    power_off(o);
    tell(o, "power cut %u of %u", o->cuts, o->opt.cuts);
    return power_on(o, err);
}

/* ---- the switch ------------------------------------------------------------- */

static int address(struct sockaddr_un *a, const char *path, struct mpj_err *err)
{
    memset(a, 0, sizeof(*a));
    a->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof(a->sun_path))
        return mpj_err_set(err, MPJ_E_USAGE, "%s is longer than %zu bytes: use a shorter link",
                           path, sizeof(a->sun_path) - 1);
    memcpy(a->sun_path, path, strlen(path) + 1);
    return MPJ_E_OK;
}

/* Connects to the switch of a living board; -1 and errno: there is none. flags: of the socket. */
static int call_switch(const struct sockaddr_un *a, int flags)
{
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
    int why;

    if (fd >= 0 && connect(fd, (const struct sockaddr *)a, sizeof(*a)) == 0)
        return fd;
    why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
    return -1;
}

static int no_board(const char *link, struct mpj_err *err)
{
    return mpj_err_set(err, MPJ_E_NO_PORT,
                       "no emulated board at %s: `mpjoule boards --emulate --link %s` starts one",
                       link, link);
}

int mpj_offer_check(const char *link, struct mpj_err *err)
{
    char path[PATH_MAX];
    struct sockaddr_un a;
    struct mpj_err ignored;
    struct stat st;
    int fd;

    if (snprintf(path, sizeof(path), "%s" MPJ_OFFER_SWITCH, link) >= (int)sizeof(path) ||
        lstat(path, &st) != 0 || !S_ISSOCK(st.st_mode) || address(&a, path, &ignored) != MPJ_E_OK)
        return MPJ_E_OK;
    fd = call_switch(&a, SOCK_NONBLOCK); /* one that is stopped lives */
    if (fd < 0)
        return errno == ECONNREFUSED ? no_board(link, err) : MPJ_E_OK;
    close(fd);
    return MPJ_E_OK;
}

static int make_switch(struct mpj_offer *o, struct mpj_err *err)
{
    struct sockaddr_un a;
    mode_t before;
    bool bound;
    int other;

    if (o->opt.cable.link == NULL)
        return MPJ_E_OK;
    if (asprintf(&o->control, "%s" MPJ_OFFER_SWITCH, o->opt.cable.link) < 0) {
        o->control = NULL;
        return mpj_err_nomem(err);
    }
    if (address(&a, o->control, err) != MPJ_E_OK) {
        free(o->control);
        o->control = NULL;
        return err->code;
    }
    other = call_switch(&a, 0);
    if (other >= 0) {
        close(other);
        free(o->control);
        o->control = NULL;
        return mpj_err_set(err, MPJ_E_BUSY, "another emulated board uses %s: name another link",
                           o->opt.cable.link);
    }
    (void)unlink(o->control); /* of a board that was killed */
    o->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    before = umask(077); /* others may not switch it, nor name the program that it runs */
    bound = o->listener >= 0 && bind(o->listener, (struct sockaddr *)&a, sizeof(a)) == 0;
    (void)umask(before);
    if (!bound || listen(o->listener, 4) != 0)
        return mpj_err_errno(err, "cannot create %s", o->control);
    return MPJ_E_OK;
}

/* Reads the request: a program's path, or nothing, and a newline. False: none came. */
static bool read_request(int fd, char *out, size_t cap)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    size_t n = 0;

    while (n + 1 < cap && poll(&p, 1, ASK_MS) > 0) {
        const ssize_t got = read(fd, out + n, cap - 1 - n);

        if (got <= 0)
            return false;
        n += (size_t)got;
        out[n] = '\0';
        if (out[n - 1] == '\n') {
            out[n - 1] = '\0';
            return true;
        }
    }
    return false;
}

static int restart(struct mpj_offer *o, const char *elf, struct mpj_err *err)
{
    char *const program = *elf != '\0' ? strdup(elf) : NULL;

    if (*elf != '\0' && program == NULL)
        return mpj_err_nomem(err);
    if (program == NULL && o->opt.in_ram && o->elf == NULL)
        return mpj_err_set(err, MPJ_E_USAGE, "the board has no flash: name a program for its RAM");
    power_off(o);
    if (program != NULL || !o->opt.in_ram) {
        free(o->elf);
        o->elf = program;
    }
    if (power_on(o, err) != MPJ_E_OK)
        return err->code;
    tell(o, "switched off and on%s%s", o->elf != NULL ? ", in its RAM: " : "",
         o->elf != NULL ? o->elf : "");
    return MPJ_E_OK;
}

static void answer_switch(struct mpj_offer *o)
{
    const int fd = o->listener >= 0 ? accept4(o->listener, NULL, NULL, SOCK_CLOEXEC) : -1;
    char elf[PATH_MAX + 1];
    struct mpj_err err = {0};

    if (fd < 0)
        return;
    if (read_request(fd, elf, sizeof(elf))) {
        const bool on = restart(o, elf, &err) == MPJ_E_OK;
        const char *const reply = on ? DONE : err.text;

        (void)send(fd, reply, strlen(reply), MSG_NOSIGNAL);
    }
    close(fd);
}

int mpj_offer_restart(const char *link, const char *elf, struct mpj_err *err)
{
    char request[PATH_MAX + 2] = "";
    char reply[PATH_MAX];
    char path[PATH_MAX];
    struct sockaddr_un a;
    size_t n = 0;
    ssize_t got;
    int fd;

    if (elf != NULL && realpath(elf, request) == NULL)
        return mpj_err_errno(err, "cannot open %s", elf);
    n = strlen(request);
    request[n] = '\n';
    request[n + 1] = '\0';
    n = 0;
    if (snprintf(path, sizeof(path), "%s" MPJ_OFFER_SWITCH, link) >= (int)sizeof(path))
        return mpj_err_set(err, MPJ_E_USAGE, "the name of the link is too long");
    if (address(&a, path, err) != MPJ_E_OK)
        return err->code;
    fd = call_switch(&a, 0);
    if (fd < 0)
        return no_board(link, err);
    if (send(fd, request, strlen(request), MSG_NOSIGNAL) < 0)
        mpj_err_errno(err, "cannot reach the board at %s", link);
    while (n + 1 < sizeof(reply) && (got = read(fd, reply + n, sizeof(reply) - 1 - n)) > 0)
        n += (size_t)got;
    close(fd);
    reply[n] = '\0';
    mpj_text_clean(reply);
    if (strncmp(reply, DONE, strlen(DONE) - 1) == 0)
        return MPJ_E_OK;
    return mpj_err_set(err, MPJ_E_TARGET, "the board at %s was not restarted: %.400s", link,
                       n > 0 ? reply : "it has ended");
}

/* ---- public functions ------------------------------------------------------- */

int mpj_offer_open(struct mpj_offer **out, const struct mpj_offer_options *opt, struct mpj_err *err)
{
    struct mpj_offer *const o = calloc(1, sizeof(*o));

    *out = NULL;
    if (o == NULL)
        return mpj_err_nomem(err);
    o->opt = *opt;
    o->line = o->listener = o->flash = -1;
    if (mpj_tempdir_make(&o->dir, err) != MPJ_E_OK || make_switch(o, err) != MPJ_E_OK ||
        (!opt->in_ram && prepare_nor(o, err) != MPJ_E_OK) ||
        mpj_cable_new(&o->cable, &opt->cable, err) != MPJ_E_OK ||
        (!opt->in_ram && power_on(o, err) != MPJ_E_OK)) {
        mpj_offer_close(o);
        return err->code;
    }
    *out = o;
    return MPJ_E_OK;
}

void mpj_offer_close(struct mpj_offer *o)
{
    if (o == NULL)
        return;
    mpj_target_free(o->board);
    mpj_cable_free(o->cable);
    if (o->listener >= 0)
        close(o->listener);
    if (o->flash >= 0)
        close(o->flash);
    if (o->control != NULL)
        (void)unlink(o->control);
    mpj_tempdir_remove(&o->dir);
    free(o->control);
    free(o->nor);
    free(o->elf);
    free(o);
}

const char *mpj_offer_port(const struct mpj_offer *o)
{
    return mpj_cable_name(o->cable);
}

const char *mpj_offer_folder(const struct mpj_offer *o)
{
    return o->dir.path;
}

int mpj_offer_turn(struct mpj_offer *o, struct mpj_err *err)
{
    const int gone = mpj_cable_turn(o->cable, o->line, err);

    if (gone < 0)
        return gone;
    if (gone > 0 && hung_up(o, err) != MPJ_E_OK)
        return err->code;
    answer_switch(o);
    return cut_power(o, err);
}
