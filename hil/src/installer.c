/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hil/installer.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/* firmware/loader/install.c: the order to it, with the addresses of the parts in the board's
 * RAM. */
#define ORDER      "mpjoule-order\0\0"
#define ORDER_WAIT 1U
#define MOST       0x200000U
#define GO         "GGGG"
#define MESSAGES   "mpjoule installer: "

#define TURN_MS    20
#define GO_MS      200U
#define QUIET_MS   120000U /* the longest erase of a block, and more */
#define AWAY_MS    15000U

struct order {
    uint8_t magic[16];
    uint32_t flags;
    uint32_t address, bytes, crc; /* of the backup; the address is the installer's word */
    uint32_t own;                 /* and of the installer itself */
};

/* Appends the whole file to c->data, filled up with zeros to words. */
static int append(struct mpj_content *c, const char *path, size_t most, uint32_t *bytes,
                  struct mpj_err *err)
{
    FILE *const f = fopen(path, "rb");
    uint8_t *const more = f != NULL ? realloc(c->data, c->image.bytes + most + 4U) : NULL;
    size_t n;

    if (f == NULL)
        return mpj_err_errno(err, "cannot open %s", path);
    if (more != NULL) {
        c->data = more;
        n = fread(c->data + c->image.bytes, 1, most + 1U, f);
        memset(c->data + c->image.bytes + n, 0, most + 4U - n);
        *bytes = (uint32_t)(n + 3U) & ~3U;
    } else {
        mpj_err_nomem(err);
    }
    if (more != NULL && ferror(f))
        mpj_err_errno(err, "cannot read %s", path);
    else if (more != NULL && (n == 0 || n > most))
        mpj_err_set(err, MPJ_E_ELF, "%s has %s", path, n == 0 ? "no content" : "too many bytes");
    else if (more != NULL)
        err->code = MPJ_E_OK;
    fclose(f);
    return err->code;
}

static void segment(struct mpj_content *c, uint32_t address, uint32_t bytes)
{
    const uint32_t n = c->image.segments++;

    c->image.segment[n].address = address;
    c->image.segment[n].offset = c->image.bytes;
    c->image.segment[n].bytes = bytes;
    c->image.segment[n].memory = bytes;
    c->image.bytes += bytes;
}

int mpj_installer_content(struct mpj_content *out, const char *installer, const char *backup,
                          struct mpj_err *err)
{
    static const uint8_t magic[16] = ORDER;
    struct order order;
    uint8_t *at;
    uint32_t bytes = 0;

    memset(out, 0, sizeof(*out));
    if (append(out, installer, MOST, &bytes, err) != MPJ_E_OK)
        return err->code;
    at = memmem(out->data, bytes, magic, sizeof(magic));
    if (at == NULL || out->data + bytes - at < (ptrdiff_t)sizeof(order))
        return mpj_err_set(err, MPJ_E_ELF, "%s is not the installer: scripts/build.sh firmware",
                           installer);
    memcpy(&order, at, sizeof(order));
    order.flags = ORDER_WAIT;
    segment(out, order.own, bytes);
    if (backup != NULL) {
        const size_t offset = (size_t)(at - out->data);

        if (append(out, backup, MPJ_INSTALLER_BACKUP, &bytes, err) != MPJ_E_OK)
            return err->code;
        if (bytes != MPJ_INSTALLER_BACKUP)
            return mpj_err_set(err, MPJ_E_ELF,
                               "%s is not a backup of the flash's first megabyte: it has %u bytes",
                               backup, bytes);
        order.bytes = bytes;
        order.crc = mpj_crc32(0, out->data + out->image.bytes, bytes);
        segment(out, order.address, bytes);
        at = out->data + offset;
    }
    memcpy(at, &order, sizeof(order));
    out->image.kind = MPJ_LOADER_RAM;
    out->image.entry = order.own;
    out->image.crc = mpj_crc32(0, out->data, out->image.bytes);
    snprintf(out->name, sizeof(out->name), "%s", "installer");
    out->image.name.p = (const uint8_t *)out->name;
    out->image.name.len = strlen(out->name);
    out->image.build_id.p = out->build_id;
    return MPJ_E_OK;
}

struct follower {
    struct mpj_target *target;
    mpj_installer_say say;
    void *ctx;
    char line[256]; /* its result */
    size_t length;
    bool answered, done;
    bool asked; /* the installer asked whether to overwrite: answered no */
};

/* Takes one whole line. Returns 0, or the installer's failure. */
static int take_line(struct follower *f, struct mpj_err *err)
{
    const char *text;

    f->line[f->length] = '\0';
    f->length = 0;
    text = strstr(f->line, MESSAGES);
    if (text == NULL)
        return MPJ_E_OK;
    text += strlen(MESSAGES);
    f->answered = true;
    if (strncmp(text, "FAILED: ", 8) == 0 && f->asked)
        return mpj_err_set(
            err, MPJ_E_FLASH,
            "%s: its flash has other contents than mpjoule's loader: nothing was changed. Reset "
            "the board; scripts/first-install with --backup FILE --overwrite replaces them",
            f->target->name);
    if (strncmp(text, "FAILED: ", 8) == 0)
        return mpj_err_set(err, MPJ_E_FLASH, "%s: %s", f->target->name, text + 8);
    f->say(f->ctx, text);
    f->done = strncmp(text, "DONE", 4) == 0;
    return MPJ_E_OK;
}

static int take(struct follower *f, const char *buf, size_t n, struct mpj_err *err)
{
    static const char question[] = "y or n: ";

    for (size_t i = 0; i < n && !f->done; i++) {
        const unsigned char c = (unsigned char)buf[i];

        if (c == '\n' || f->length + 1U == sizeof(f->line)) {
            if (take_line(f, err) != MPJ_E_OK)
                return err->code;
        } else if (c >= ' ' && c < 0x7f) {
            f->line[f->length++] = (char)c;
        }
        if (f->length < sizeof(question) - 1U ||
            memcmp(f->line + f->length - (sizeof(question) - 1U), question,
                   sizeof(question) - 1U) != 0)
            continue;
        f->asked = true;
        f->length = 0; /* its next text is on the same line */
        if (f->target->ops->write(f->target, "n", 1, err) < 0)
            return err->code;
    }
    return MPJ_E_OK;
}

/* Waits for a port that has gone, and perhaps comes back. */
static int wait_port(struct follower *f, bool (*cancelled)(void *ctx), struct mpj_err *err)
{
    const uint32_t since = mpj_clock_ms();

    while (f->target->ops->reopen(f->target, err) < 0) {
        if (cancelled != NULL && cancelled(f->ctx))
            return mpj_err_set(err, MPJ_E_CANCELLED, "interrupted");
        if (mpj_clock_ms() - since > AWAY_MS)
            return mpj_err_set(err, MPJ_E_LINK,
                               "lost the serial port of %s; the installer continues without it",
                               f->target->name);
        poll(NULL, 0, TURN_MS);
    }
    return MPJ_E_OK;
}

int mpj_installer_follow(struct mpj_target *t, mpj_installer_say say, bool (*cancelled)(void *ctx),
                         void *ctx, struct mpj_err *err)
{
    struct follower f = {.target = t, .say = say, .ctx = ctx};
    uint32_t since = mpj_clock_ms();
    uint32_t asked = since - GO_MS;

    while (!f.done) {
        char buf[512];
        ssize_t n;

        if (cancelled != NULL && cancelled(ctx))
            return mpj_err_set(err, MPJ_E_CANCELLED,
                               "interrupted: the installer of %s continues; do not switch it off",
                               t->name);
        n = !f.answered && mpj_clock_ms() - asked >= GO_MS ? t->ops->write(t, GO, strlen(GO), err)
                                                           : 0;
        if (mpj_clock_ms() - asked >= GO_MS)
            asked = mpj_clock_ms();
        if (n >= 0)
            n = t->ops->read(t, buf, sizeof(buf), err);
        if (n < 0 && wait_port(&f, cancelled, err) != MPJ_E_OK)
            return err->code;
        if (n > 0) {
            since = mpj_clock_ms();
            if (take(&f, buf, (size_t)n, err) != MPJ_E_OK)
                return err->code;
            continue;
        }
        if (mpj_clock_ms() - since > QUIET_MS)
            return mpj_err_set(err, MPJ_E_LINK, "the installer of %s stopped responding", t->name);
        poll(NULL, 0, TURN_MS);
    }
    return MPJ_E_OK;
}
