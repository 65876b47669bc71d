/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hil/port.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libserialport.h>

#include "hil/uucp.h"
#include "holder.h"
#include "net_port.h"
#include "pty_port.h"

struct mpj_port {
    struct net_port *net; /* of another machine; then nothing else counts */
    char *terminal;       /* path of a pseudo-terminal; then sp does not count; NULL: none */
    struct sp_port *sp;
    int fd;
    char *lock; /* NULL: none */
};

static int failed(struct mpj_err *err, int code, const char *what, const char *path)
{
    char *const said = sp_last_error_message();

    mpj_err_set(err, code, "%s %s: %s", what, path, said != NULL ? said : "unknown");
    sp_free_error_message(said);
    return code;
}

bool mpj_port_fixed(const char *path)
{
    return net_port_fixed(path);
}

int mpj_port_path_check(const char *path, struct mpj_err *err)
{
    return net_port_check(path, err);
}

enum mpj_port_state mpj_port_state(const char *path)
{
    struct stat st;

    if (net_port_is(path))
        return MPJ_PORT_REMOTE;
    if (stat(path, &st) != 0)
        return MPJ_PORT_ABSENT;
    return S_ISCHR(st.st_mode) ? MPJ_PORT_ATTACHED : MPJ_PORT_OTHER;
}

int mpj_port_find(char **path, const struct mpj_port_id *id, struct mpj_err *err)
{
    struct sp_port **list = NULL;

    *path = NULL;
    if (id->path != NULL) {
        *path = strdup(id->path);
        return *path != NULL ? MPJ_E_OK : mpj_err_nomem(err);
    }
    if (id->usb_serial == NULL)
        return mpj_err_set(err, MPJ_E_USAGE, "neither a port nor a USB serial number is given");
    if (sp_list_ports(&list) != SP_OK)
        return failed(err, MPJ_E_NO_PORT, "cannot list", "the serial ports");
    for (unsigned i = 0; list[i] != NULL && *path == NULL; i++) {
        const char *const serial = sp_get_port_usb_serial(list[i]);
        if (serial != NULL && strcmp(serial, id->usb_serial) == 0)
            *path = strdup(sp_get_port_name(list[i]));
    }
    sp_free_port_list(list);
    if (*path == NULL)
        return mpj_err_set(err, MPJ_E_NO_PORT,
                           "no USB serial adapter with serial number %s is attached",
                           id->usb_serial);
    return MPJ_E_OK;
}

int mpj_port_check(const struct mpj_port_id *id, struct mpj_err *err)
{
    char *path;
    int result = mpj_port_find(&path, id, err);
    const enum mpj_port_state is = path != NULL ? mpj_port_state(path) : MPJ_PORT_REMOTE;

    if (is == MPJ_PORT_ABSENT)
        result =
            mpj_err_set(err, MPJ_E_NO_PORT, "no serial port %s: is the adapter attached?", path);
    if (is == MPJ_PORT_OTHER)
        result = mpj_err_set(err, MPJ_E_NO_PORT, "%s is not a serial port", path);
    free(path);
    return result;
}

/* Describes the process that has locked the port itself, as tio and picocom do. Does not open it,
 * which would move its modem lines. */
static void flocked_by(const char *path, char *out, size_t cap)
{
    struct stat st;
    const long pid = stat(path, &st) == 0 ? flock_holder(&st) : 0;

    out[0] = '\0';
    if (pid > 0 && pid != getpid())
        holder_describe(pid, out, cap);
    else if (pid < 0)
        snprintf(out, cap, "another process");
}

void mpj_port_holder(const struct mpj_port_id *id, char *out, size_t cap)
{
    struct mpj_err ignored;
    char *path;

    out[0] = '\0';
    if (mpj_port_find(&path, id, &ignored) == MPJ_E_OK && !net_port_is(path)) {
        if (id->locks != NULL)
            mpj_uucp_holder(id->locks, path, out, cap);
        if (out[0] == '\0')
            flocked_by(path, out, cap);
    }
    free(path);
}

/* Reports that another process has locked the port by flock(). */
static int held(const char *path, struct mpj_err *err)
{
    char holder[200];

    flocked_by(path, holder, sizeof(holder));
    return mpj_err_set(err, MPJ_E_BUSY, "%s is held by %s", path,
                       holder[0] != '\0' ? holder : "another process");
}

/* Makes an open port this process's: by flock() for programs that honour it, by TIOCEXCL for all
 * others but those of root. Commands that are started do not inherit it. */
static int claim(int fd, const char *path, struct mpj_err *err)
{
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return held(path, err);
    (void)ioctl(fd, TIOCEXCL);
    return MPJ_E_OK;
}

int mpj_port_list(void (*port)(void *ctx, const char *path, const char *adapter), void *ctx,
                  struct mpj_err *err)
{
    struct sp_port **list = NULL;
    int n = 0;

    if (sp_list_ports(&list) != SP_OK)
        return failed(err, MPJ_E_NO_PORT, "cannot list", "the serial ports");
    for (; list[n] != NULL; n++) {
        const char *const adapter = sp_get_port_description(list[n]);
        port(ctx, sp_get_port_name(list[n]), adapter != NULL ? adapter : "");
    }
    sp_free_port_list(list);
    return n;
}

static int configure(struct sp_port *sp, uint32_t bits_per_s)
{
    return sp_set_baudrate(sp, (int)bits_per_s) == SP_OK && sp_set_bits(sp, 8) == SP_OK &&
           sp_set_parity(sp, SP_PARITY_NONE) == SP_OK && sp_set_stopbits(sp, 1) == SP_OK &&
           sp_set_flowcontrol(sp, SP_FLOWCONTROL_NONE) == SP_OK;
}

static int open_terminal(struct mpj_port *p, const struct mpj_port_id *id, const char *path,
                         struct mpj_err *err)
{
    p->terminal = strdup(path);
    if (p->terminal == NULL)
        return mpj_err_nomem(err);
    if (id->locks != NULL && mpj_uucp_take(&p->lock, id->locks, path, err) != MPJ_E_OK)
        return err->code;
    p->fd = pty_port_open(path, err);
    if (p->fd < 0)
        return err->code;
    if (claim(p->fd, path, err) == MPJ_E_OK)
        return MPJ_E_OK;
    close(p->fd);
    return err->code;
}

int mpj_port_open(struct mpj_port **out, const struct mpj_port_id *id, uint32_t bits_per_s,
                  struct mpj_err *err)
{
    struct mpj_port *const p = calloc(1, sizeof(*p));
    char *path = NULL;

    *out = NULL;
    if (p == NULL)
        return mpj_err_nomem(err);
    if (mpj_port_find(&path, id, err) != MPJ_E_OK || path == NULL)
        goto error;
    if (net_port_is(path)) {
        if (net_port_open(&p->net, path, bits_per_s, err) != MPJ_E_OK)
            goto error;
        free(path);
        *out = p;
        return MPJ_E_OK;
    }
    if (pty_port_is(path)) {
        if (open_terminal(p, id, path, err) != MPJ_E_OK)
            goto error;
        free(path);
        *out = p;
        return MPJ_E_OK;
    }
    if (sp_get_port_by_name(path, &p->sp) != SP_OK) { /* libserialport gives no reason */
        if (mpj_port_check(id, err) == MPJ_E_OK)
            mpj_err_set(err, MPJ_E_NO_PORT, "%s is not a serial port", path);
        goto error;
    }
    if (id->locks != NULL && mpj_uucp_take(&p->lock, id->locks, path, err) != MPJ_E_OK)
        goto error;
    if (sp_open(p->sp, SP_MODE_READ_WRITE) != SP_OK) {
        const int code = sp_last_error_code();
        if (code == EWOULDBLOCK) /* Debian 13's library calls flock() itself */
            held(path, err);
        else
            failed(err, port_open_code(code), "cannot open", path);
        goto error;
    }
    if (!configure(p->sp, bits_per_s) || sp_get_port_handle(p->sp, &p->fd) != SP_OK) {
        failed(err, MPJ_E_NO_PORT, "cannot set up", path);
        sp_close(p->sp);
        goto error;
    }
    if (claim(p->fd, path, err) != MPJ_E_OK) {
        sp_close(p->sp);
        goto error;
    }
    free(path);
    *out = p;
    return MPJ_E_OK;

error:
    mpj_uucp_release(p->lock);
    if (p->sp != NULL)
        sp_free_port(p->sp);
    free(p->terminal);
    free(path);
    free(p);
    return err->code;
}

void mpj_port_close(struct mpj_port *p)
{
    if (p == NULL)
        return;
    if (p->net != NULL) {
        net_port_close(p->net);
    } else if (p->terminal != NULL) {
        (void)ioctl(p->fd, TIOCNXCL);
        close(p->fd);
        mpj_uucp_release(p->lock);
        free(p->terminal);
    } else {
        (void)ioctl(p->fd, TIOCNXCL);
        sp_close(p->sp);
        sp_free_port(p->sp);
        mpj_uucp_release(p->lock);
    }
    free(p);
}

const char *mpj_port_path(const struct mpj_port *p)
{
    if (p->terminal != NULL)
        return p->terminal;
    return p->net != NULL ? net_port_url(p->net) : sp_get_port_name(p->sp);
}

int mpj_port_fd(const struct mpj_port *p)
{
    return p->net != NULL ? net_port_fd(p->net) : p->fd;
}

ssize_t mpj_port_read(struct mpj_port *p, void *buf, size_t n, struct mpj_err *err)
{
    int got;

    if (p->net != NULL)
        return net_port_read(p->net, buf, n, err);
    if (p->terminal != NULL)
        return pty_port_read(p->fd, p->terminal, buf, n, err);
    got = sp_nonblocking_read(p->sp, buf, n);
    return got >= 0 ? got : failed(err, MPJ_E_LINK, "lost the serial port", mpj_port_path(p));
}

ssize_t mpj_port_write(struct mpj_port *p, const void *buf, size_t n, struct mpj_err *err)
{
    int put;

    if (p->net != NULL)
        return net_port_write(p->net, buf, n, err);
    if (p->terminal != NULL)
        return pty_port_write(p->fd, p->terminal, buf, n, err);
    put = sp_nonblocking_write(p->sp, buf, n);
    if (put == SP_ERR_FAIL && sp_last_error_code() == EAGAIN)
        return 0; /* the driver is full, which libserialport 0.1.1 has for a failure */
    return put >= 0 ? put : failed(err, MPJ_E_LINK, "lost the serial port", mpj_port_path(p));
}

int mpj_port_rate(struct mpj_port *p, uint32_t bits_per_s, struct mpj_err *err)
{
    if (p->net != NULL)
        return net_port_rate(p->net, bits_per_s, err);
    if (p->terminal != NULL)
        return MPJ_E_OK; /* it has none */
    if (sp_drain(p->sp) != SP_OK || sp_set_baudrate(p->sp, (int)bits_per_s) != SP_OK)
        return failed(err, MPJ_E_LINK, "cannot change the bit rate of", mpj_port_path(p));
    return MPJ_E_OK;
}

int mpj_port_line_of(const char *name)
{
    static const char *const names[] = {
        [MPJ_PORT_DTR] = "dtr", [MPJ_PORT_RTS] = "rts", [MPJ_PORT_BREAK] = "break"};

    for (unsigned i = 0; name != NULL && i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(name, names[i]) == 0)
            return (int)i;
    }
    return -1;
}

int mpj_port_set_line(struct mpj_port *p, enum mpj_port_line line, bool on, struct mpj_err *err)
{
    enum sp_return result;

    if (p->net != NULL)
        return net_port_set_line(p->net, line, on, err);
    if (p->terminal != NULL)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "%s has no modem lines: remove reset_line from the list of boards",
                           p->terminal);
    if (line == MPJ_PORT_BREAK)
        result = on ? sp_start_break(p->sp) : sp_end_break(p->sp);
    else
        result = line == MPJ_PORT_DTR ? sp_set_dtr(p->sp, on ? SP_DTR_ON : SP_DTR_OFF)
                                      : sp_set_rts(p->sp, on ? SP_RTS_ON : SP_RTS_OFF);
    return result == SP_OK
               ? MPJ_E_OK
               : failed(err, MPJ_E_LINK, "cannot set the reset line of", mpj_port_path(p));
}
