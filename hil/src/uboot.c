/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hil/uboot.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/tempdir.h"
#include "mpj_rate.h"
#include "uboot_send.h"
#include "uboot_text.h"

#define TICK_MS   10
#define QUIET_MS  60U    /* silence after which the unfinished line may be a prompt */
#define ALIVE_MS  1500U  /* for a prompt that is there already */
#define WAIT_S    60U    /* for one after a restart, unless the list says otherwise */
#define KNOCK_MS  1000U  /* silence after which the board is asked for a prompt */
#define KEYS_MS   100U   /* between two times that the autoboot is stopped */
#define KEYS      3U     /* times that its keys are sent: one may be lost */
#define PROBE_MS  1000U  /* for the answer to a probe */
#define ECHO_MS   500U   /* for the rest of an echo */
#define ANSWER_MS 20000U /* for a command */
#define TFTP_MS   120000U
#define AWAY_MS   15000U /* for a port that has gone */
#define GO_MS     3000U
#define TRIES     8U     /* of a command whose echo is damaged */
#define SILENT    2U     /* ... and from which on one that sends nothing is given up */
#define UPLOADS   3U     /* of a part whose checksum is another one */
#define KNOCKS    2U     /* after an upload that broke off: one may be lost */
#define KNOCKS_MS 10000U /* for the prompt: a receiver waits first until the line is silent */
#define REPLY     2048U

/* Ends what waits for input: transfers by CAN, all else by Ctrl-C. */
#define KNOCK     "\x18\x18\x18\x03"
#define INTERRUPT "\x03"

struct uboot {
    struct mpj_target *target;
    const struct mpj_uboot_start *s;
    const char *prompt, *stop_when, *stop_keys;
    int fd;
    char in[256];
    size_t at, n;
    size_t most; /* bytes to read at once: 1 when what follows is the program's */
    struct uboot_text text;
    bool echoes;
    unsigned probes;
    unsigned keys; /* times that keys are still to be sent */
    uint32_t keyed;
    char reply[REPLY]; /* lines of the last answer, each with its \n */
    size_t reply_len;
    struct mpj_tempdir dir;
    uint32_t done, total; /* bytes of the program: uploaded parts, all */
    uint32_t part;        /* bytes of the part under way */
};

static const char *name_of(const struct uboot *u)
{
    return u->target->name;
}

/* ---- bytes ------------------------------------------------------------------ */

/* Waits for a port that has gone: that of a board whose adapter it powers. */
static int reopen(struct uboot *u, struct mpj_err *err)
{
    const uint32_t since = mpj_clock_ms();
    int fd;

    while ((fd = u->target->ops->reopen(u->target, err)) < 0) {
        if (u->s->cancelled != NULL && u->s->cancelled(u->s->ctx))
            return mpj_err_set(err, MPJ_E_CANCELLED, "interrupted");
        if (mpj_clock_ms() - since > AWAY_MS)
            return mpj_err_set(err, MPJ_E_LINK,
                               "the serial port of %s did not come back within "
                               "%u s",
                               name_of(u), AWAY_MS / 1000U);
        (void)poll(NULL, 0, TICK_MS);
    }
    u->fd = fd;
    return MPJ_E_OK;
}

/* Reads a byte into the text, waiting a tick for it. Returns 1: there was one, and *ended is true
 * if it ended a line; 0: none; or an error. */
static int next(struct uboot *u, bool *ended, struct mpj_err *err)
{
    *ended = false;
    if (u->s->cancelled != NULL && u->s->cancelled(u->s->ctx))
        return mpj_err_set(err, MPJ_E_CANCELLED, "interrupted");
    if (u->at == u->n) {
        struct pollfd p = {.fd = u->fd, .events = POLLIN};
        ssize_t n;

        (void)poll(&p, 1, TICK_MS);
        n = u->target->ops->read(u->target, u->in, u->most, err);
        if (n < 0 && reopen(u, err) != MPJ_E_OK)
            return err->code;
        u->at = 0;
        u->n = n > 0 ? (size_t)n : 0;
        if (u->n == 0)
            return 0;
    }
    *ended = uboot_text_take(&u->text, (uint8_t)u->in[u->at++]);
    return 1;
}

static int say(struct uboot *u, const char *text, struct mpj_err *err)
{
    const uint32_t since = mpj_clock_ms();
    size_t n = strlen(text);

    while (n > 0) {
        const ssize_t put = u->target->ops->write(u->target, text, n, err);

        if (put < 0)
            return reopen(u, err); /* what was being said is said again */
        text += put;
        n -= (size_t)put;
        if (put == 0 && mpj_clock_ms() - since > AWAY_MS)
            return mpj_err_set(err, MPJ_E_LINK, "the serial port of %s accepts no more bytes",
                               name_of(u));
        if (put == 0)
            (void)poll(NULL, 0, TICK_MS);
    }
    return MPJ_E_OK;
}

static void keep(struct uboot *u)
{
    const size_t n = strlen(u->text.last);

    if (u->reply_len + n + 2 > sizeof(u->reply))
        return;
    memcpy(u->reply + u->reply_len, u->text.last, n);
    u->reply_len += n;
    u->reply[u->reply_len++] = '\n';
    u->reply[u->reply_len] = '\0';
}

/* Collects lines until the prompt is there and nothing follows, ms at most. Returns 1: it is; 0:
 * not. */
static int answer(struct uboot *u, uint32_t ms, struct mpj_err *err)
{
    const uint32_t since = mpj_clock_ms();
    uint32_t received = since;
    bool ended;

    u->reply_len = 0;
    u->reply[0] = '\0';
    while (mpj_clock_ms() - since < ms) {
        const int got = next(u, &ended, err);

        if (got < 0)
            return got;
        if (got > 0)
            received = mpj_clock_ms();
        if (ended)
            keep(u);
        if (got == 0 && uboot_text_prompts(&u->text, u->prompt) &&
            mpj_clock_ms() - received >= QUIET_MS)
            return 1;
    }
    return 0;
}

/* Returns the first line of the answer for which find() is true; NULL: none. */
static const char *line_of(struct uboot *u, bool (*find)(const char *line, void *ctx), void *ctx)
{
    static const char newline[] = "\n";
    char *save = NULL;
    char copy[REPLY];

    snprintf(copy, sizeof(copy), "%s", u->reply);
    for (char *line = strtok_r(copy, newline, &save); line != NULL;
         line = strtok_r(NULL, newline, &save)) {
        if (find(line, ctx)) {
            char *const at = strstr(u->reply, line);
            at[strlen(line)] = '\0';
            return at;
        }
    }
    return NULL;
}

static bool is_unknown(const char *line, void *ctx)
{
    (void)ctx;
    return uboot_text_unknown(line);
}

static bool is_crc(const char *line, void *ctx)
{
    return uboot_text_crc(line, ctx);
}

/* ---- the prompt ------------------------------------------------------------- */

static bool ends_with(const char *line, const char *end)
{
    const size_t n = strlen(line);

    return n >= strlen(end) && strcmp(line + n - strlen(end), end) == 0;
}

struct probe {
    char command[32], word[24];
    bool echoed;
};

/* True for the answer to a probe: its word, and not as a part of the echo; or the message that
 * there is no `echo`. */
static bool is_probe(const char *line, void *ctx)
{
    struct probe *const p = ctx;

    if (ends_with(line, p->command)) {
        p->echoed = true;
        return false;
    }
    return ends_with(line, p->word) || uboot_text_unknown(line);
}

/* Decides whether a text is the prompt: it executes a command whose output nothing else prints.
 * Returns 1: yes, and echoes is known; 0: no. */
static int probe(struct uboot *u, struct mpj_err *err)
{
    struct probe p = {.echoed = false};
    int got;

    if (say(u, INTERRUPT, err) != MPJ_E_OK)
        return err->code;
    uboot_text_clear(&u->text);
    got = answer(u, PROBE_MS, err);
    if (got <= 0)
        return got;
    snprintf(p.word, sizeof(p.word), "mpjoule-%u", ++u->probes);
    snprintf(p.command, sizeof(p.command), "echo %s", p.word);
    if (say(u, p.command, err) != MPJ_E_OK || say(u, "\r", err) != MPJ_E_OK)
        return err->code;
    got = answer(u, PROBE_MS, err);
    if (got <= 0)
        return got;
    got = line_of(u, is_probe, &p) != NULL;
    u->echoes = p.echoed;
    return got;
}

/* Sends the keys that stop the autoboot, when it is time. */
static int stop_autoboot(struct uboot *u, bool got, struct mpj_err *err)
{
    const uint32_t now = mpj_clock_ms();
    const bool always = strcmp(u->stop_when, MPJ_UBOOT_ALWAYS) == 0;

    if (got && !always && u->keys == 0 && ends_with(u->text.line, u->stop_when)) {
        u->keys = KEYS;
        u->keyed = now - KEYS_MS;
    }
    if ((u->keys == 0 && !always) || now - u->keyed < KEYS_MS)
        return MPJ_E_OK;
    u->keyed = now;
    if (strncmp(u->text.line, u->prompt, strlen(u->prompt)) == 0) { /* a prompt, it seems */
        u->keys = 0;
        return MPJ_E_OK;
    }
    u->keys -= u->keys > 0;
    return say(u, u->stop_keys, err);
}

/* Looks for the prompt for this long. Returns 1: it is there; 0: not. */
static int search(struct uboot *u, uint32_t ms, struct mpj_err *err)
{
    const uint32_t since = mpj_clock_ms();
    uint32_t received = since - KNOCK_MS; /* asks at once */
    bool ended;

    while (mpj_clock_ms() - since < ms) {
        int got = next(u, &ended, err);

        if (got < 0 || stop_autoboot(u, got > 0, err) != MPJ_E_OK)
            return err->code;
        if (got > 0) {
            received = mpj_clock_ms();
        } else if (uboot_text_prompts(&u->text, u->prompt) &&
                   mpj_clock_ms() - received >= QUIET_MS) {
            got = probe(u, err);
            if (got != 0)
                return got;
            received = mpj_clock_ms();
        } else if (mpj_clock_ms() - received >= KNOCK_MS) {
            if (say(u, KNOCK, err) != MPJ_E_OK)
                return err->code;
            received = mpj_clock_ms();
        }
    }
    return 0;
}

static int no_prompt(const struct uboot *u, uint32_t ms, bool restarted, struct mpj_err *err)
{
    const struct uboot_text *const t = &u->text;
    const char *const seen = t->len > 0 ? t->line : t->last;
    const char *const hint = restarted ? ""
                                       : " It has no power_cycle and no reset_line: press its "
                                         "reset button while a command waits.";

    if (t->bytes == 0)
        return mpj_err_set(err, MPJ_E_NO_ANSWER,
                           "%s sends nothing: no U-Boot prompt within %u s. Is it switched on, and "
                           "is the cable connected?%s",
                           name_of(u), ms / 1000U, hint);
    if (uboot_text_strange(t))
        return mpj_err_set(err, MPJ_E_NO_ANSWER,
                           "%s sends no text (%llu of %llu bytes): no U-Boot prompt within %u s. "
                           "Is the bit rate not %u, the line bad, or a program running?%s",
                           name_of(u), (unsigned long long)t->strange, (unsigned long long)t->bytes,
                           ms / 1000U, MPJ_RATE_BASE, hint);
    return mpj_err_set(err, MPJ_E_NO_ANSWER,
                       "no U-Boot prompt \"%s\" on %s within %u s; its last line is \"%.120s\". If "
                       "that is the prompt, set it in the list of boards (uboot: prompt); if the "
                       "board has booted something else, set stop_when and stop_keys.%s",
                       u->prompt, name_of(u), ms / 1000U, seen, hint);
}

static uint32_t patience_ms(const struct uboot *u)
{
    const uint32_t s = u->s->settings->wait_s;

    return (s > 0 ? s : WAIT_S) * 1000U;
}

/* Obtains the prompt: that of a board that waits there; otherwise after a restart of the board. */
static int call(struct uboot *u, struct mpj_err *err)
{
    bool restarted = true;
    int got = search(u, ALIVE_MS, err);

    if (got == 0) {
        if (u->target->ops->restart(u->target, err) != MPJ_E_OK) {
            if (err->code != MPJ_E_NO_ANSWER)
                return err->code;
            restarted = false; /* its button may be pressed */
        }
        got = search(u, patience_ms(u), err);
    }
    if (got == 0)
        return no_prompt(u, patience_ms(u), restarted, err);
    return got < 0 ? got : MPJ_E_OK;
}

/* ---- commands --------------------------------------------------------------- */

static int silent(const struct uboot *u, const char *command, struct mpj_err *err)
{
    return mpj_err_set(
        err, MPJ_E_LINK,
        "U-Boot of %s did not return to its prompt after `%s`; its last line is \"%.120s\"",
        name_of(u), command, u->text.len > 0 ? u->text.line : u->text.last);
}

/* Waits for the whole echo. Returns 1: it is right; 0: it is not, or has not come. */
static int echoed(struct uboot *u, const char *want, struct mpj_err *err)
{
    uint32_t received = mpj_clock_ms();
    bool ended;

    while (mpj_clock_ms() - received < ECHO_MS) {
        const int got = next(u, &ended, err);

        if (got < 0)
            return got;
        if (got > 0)
            received = mpj_clock_ms();
        if (strcmp(u->text.line, want) == 0)
            return 1;
    }
    return 0;
}

/* Types a command at the prompt and executes it; the echo of U-Boot, if any, is checked first. */
static int type(struct uboot *u, const char *command, struct mpj_err *err)
{
    const uint64_t before = u->text.bytes;
    char want[UBOOT_LINE_MAX + 1];
    int got;

    snprintf(want, sizeof(want), "%s%s", u->prompt, command);
    for (unsigned i = 0; i < TRIES; i++) {
        if (say(u, command, err) != MPJ_E_OK)
            return err->code;
        got = u->echoes ? echoed(u, want, err) : 1;
        if (got < 0)
            return got;
        if (got > 0) {
            uboot_text_clear(&u->text); /* the echo does not belong to the answer */
            return say(u, "\r", err);
        }
        if (say(u, INTERRUPT, err) != MPJ_E_OK)
            return err->code;
        got = answer(u, PROBE_MS, err);
        if (got < 0)
            return got;
        if (i >= SILENT && u->text.bytes == before)
            return silent(u, command, err);
    }
    return mpj_err_set(err, MPJ_E_LINK,
                       "U-Boot of %s echoed `%s` wrongly %u times, the last time as \"%.80s\": "
                       "check cable and ground, or it restarted",
                       name_of(u), command, TRIES, u->text.last);
}

/* Executes a command to its end; its lines are in reply. */
static int command(struct uboot *u, const char *text, uint32_t ms, struct mpj_err *err)
{
    int got;

    if (type(u, text, err) != MPJ_E_OK)
        return err->code;
    got = answer(u, ms, err);
    if (got == 0) { /* the prompt itself may be damaged */
        char lines[REPLY];

        memcpy(lines, u->reply, u->reply_len + 1);
        if (say(u, KNOCK, err) != MPJ_E_OK)
            return err->code;
        got = answer(u, PROBE_MS, err);
        memcpy(u->reply, lines, strlen(lines) + 1);
        if (got == 0)
            return silent(u, text, err);
    }
    return got < 0 ? got : MPJ_E_OK;
}

static int lacks(struct uboot *u, const char *text, const char *instead, struct mpj_err *err)
{
    return line_of(u, is_unknown, NULL) == NULL
               ? MPJ_E_OK
               : mpj_err_set(err, MPJ_E_TARGET, "U-Boot of %s does not know `%s`: %s", name_of(u),
                             text, instead);
}

/* ---- upload ----------------------------------------------------------------- */

static bool interrupted(void *ctx)
{
    const struct uboot *const u = ctx;

    return u->s->cancelled != NULL && u->s->cancelled(u->s->ctx);
}

static void sent(void *ctx, uint64_t bytes)
{
    const struct uboot *const u = ctx;
    const uint32_t part = bytes < u->part ? (uint32_t)bytes : u->part;

    if (u->s->progress != NULL && u->done + part < u->total)
        u->s->progress(u->s->progress_ctx, 'u', u->done + part, u->total, MPJ_RATE_BASE);
}

/* Writes the part as a file for the program that sends it. */
static int write_part(const char *path, const struct mpj_content *c, unsigned n,
                      struct mpj_err *err)
{
    FILE *const f = fopen(path, "wbe");
    const uint32_t bytes = c->image.segment[n].bytes;
    bool good;

    if (f == NULL)
        return mpj_err_errno(err, "cannot write %s", path);
    good = fwrite(c->data + c->image.segment[n].offset, 1, bytes, f) == bytes;
    good = fclose(f) == 0 && good;
    return good ? MPJ_E_OK : mpj_err_errno(err, "cannot write %s", path);
}

/* Waits until U-Boot is ready to receive: a line says so. */
static int await_ready(struct uboot *u, const char *text, struct mpj_err *err)
{
    const uint32_t since = mpj_clock_ms();
    bool ended;

    u->most = 1; /* the receiver's first call, which follows, is for the program that sends */
    while (mpj_clock_ms() - since < PROBE_MS) {
        const int got = next(u, &ended, err);

        if (got < 0)
            return got;
        if (ended && uboot_text_unknown(u->text.last))
            return mpj_err_set(err, MPJ_E_TARGET,
                               "U-Boot of %s does not know `%s`: name another transfer in the list "
                               "of boards (loady, loadb, tftp)",
                               name_of(u), text);
        if (ended && strstr(u->text.last, "download to") != NULL)
            break;
    }
    return MPJ_E_OK; /* a damaged line: the sender will detect it */
}

/* Sends a part over the serial line; MPJ_E_LINK when that broke off and may be tried again. */
static int send_part(struct uboot *u, const char *transfer, unsigned n, struct mpj_err *err)
{
    const struct mpj_content *const c = u->s->program;
    const bool kermit = strcmp(transfer, MPJ_UBOOT_LOADB) == 0;
    char text[64];
    char *file = NULL;
    char *messages = NULL;
    uint64_t bytes;
    int result;

    if (asprintf(&file, "%s/part", u->dir.path) < 0 ||
        asprintf(&messages, "%s/messages", u->dir.path) < 0) {
        free(file);
        return mpj_err_nomem(err);
    }
    const char *const ymodem_argv[] = {"sb", "-k", "-q", file, NULL};
    const char *const kermit_argv[] = {"gkermit", "-i", "-X", "-q", "-e", "1000", "-s", file, NULL};
    const struct uboot_send send = {
        .target = u->target,
        .fd = u->fd,
        .argv = kermit ? kermit_argv : ymodem_argv,
        .package = kermit ? "gkermit" : "lrzsz",
        .messages = messages,
        .cancelled = interrupted,
        .sent = sent,
        .ctx = u,
    };
    snprintf(text, sizeof(text), "%s %08x", transfer, c->image.segment[n].address);
    result = write_part(file, c, n, err);
    if (result == MPJ_E_OK)
        result = type(u, text, err);
    if (result == MPJ_E_OK)
        result = await_ready(u, text, err);
    if (result == MPJ_E_OK) {
        u->most = sizeof(u->in);
        result = uboot_send(&send, &bytes, err);
        uboot_text_clear(&u->text);
        if (result == MPJ_E_LINK) {
            char why[200];

            snprintf(why, sizeof(why), "%.199s", err->text);
            result =
                mpj_err_set(err, MPJ_E_LINK, "the upload to %s stopped after %llu of %u bytes (%s)",
                            name_of(u), (unsigned long long)u->done + bytes, u->total, why);
        }
    }
    free(file);
    free(messages);
    return result;
}

/* Has U-Boot fetch a part from the TFTP server whose folder this is. */
static int fetch_part(struct uboot *u, unsigned n, struct mpj_err *err)
{
    const char *const folder = u->s->settings->folder;
    const struct mpj_content *const c = u->s->program;
    char want[48];
    char text[160];
    char *file = NULL;
    int result;

    if (asprintf(&file, "%s/mpjoule-%s.bin", folder, name_of(u)) < 0)
        return mpj_err_nomem(err);
    snprintf(text, sizeof(text), "tftpboot %08x mpjoule-%s.bin", c->image.segment[n].address,
             name_of(u));
    snprintf(want, sizeof(want), "Bytes transferred = %u", c->image.segment[n].bytes);
    result = write_part(file, c, n, err);
    if (result == MPJ_E_OK)
        result = command(u, text, TFTP_MS, err);
    if (result == MPJ_E_OK)
        result = lacks(u, "tftpboot", "name another transfer in the list of boards (loady)", err);
    if (result == MPJ_E_OK && strstr(u->reply, want) == NULL)
        result = mpj_err_set(err, MPJ_E_LINK,
                             "U-Boot of %s did not fetch mpjoule-%s.bin; its last line is "
                             "\"%.120s\". The server must offer %s, and `before` set ipaddr and "
                             "serverip",
                             name_of(u), name_of(u), u->text.last, folder);
    (void)unlink(file);
    free(file);
    return result;
}

/* Compares the content of the board's RAM. Returns 1: the same; 0: another checksum, which is in
 * *crc. */
static int compare(struct uboot *u, unsigned n, uint32_t *crc, struct mpj_err *err)
{
    const struct mpj_content *const c = u->s->program;
    const uint32_t at = c->image.segment[n].address;
    const uint32_t bytes = c->image.segment[n].bytes;
    const uint32_t want = mpj_crc32(0, c->data + c->image.segment[n].offset, bytes);
    struct uboot_crc is = {0};
    char text[64];

    snprintf(text, sizeof(text), "crc32 %08x %x", at, bytes);
    for (unsigned i = 0; i < TRIES; i++) { /* an answer may be damaged as well */
        if (command(u, text, ANSWER_MS, err) != MPJ_E_OK ||
            lacks(u, "crc32", "`verify: off` in the list of boards (uboot) omits the comparison",
                  err) != MPJ_E_OK)
            return err->code;
        if (line_of(u, is_crc, &is) == NULL || is.first != at || is.last != at + bytes - 1U)
            continue;
        *crc = is.crc;
        if (is.crc == want)
            return 1;
        if (i > 0)
            return 0;
    }
    return mpj_err_set(
        err, MPJ_E_LINK,
        "U-Boot of %s did not answer `%s` with a checksum, %u times; its last line is \"%.120s\"",
        name_of(u), text, TRIES, u->text.last);
}

static const char *transfer_of(const struct uboot *u)
{
    const char *const transfer = u->s->settings->transfer;

    return transfer != NULL ? transfer : MPJ_UBOOT_LOADY;
}

/* Uploads a part once and waits for the prompt. MPJ_E_LINK: it may be tried again. */
static int upload_once(struct uboot *u, unsigned n, struct mpj_err *err)
{
    int result;

    if (strcmp(transfer_of(u), MPJ_UBOOT_TFTP) == 0)
        return fetch_part(u, n, err);
    result = send_part(u, transfer_of(u), n, err);
    if (result != MPJ_E_OK)
        return result;
    result = answer(u, ANSWER_MS, err);
    if (result == 0)
        return silent(u, transfer_of(u), err);
    return result > 0 ? MPJ_E_OK : result;
}

/* Brings U-Boot back to its prompt after an interrupted upload. Returns 1: it is there; 0: U-Boot
 * does not answer, and a further upload would not arrive either; or an error. */
static int recover(struct uboot *u, struct mpj_err *err)
{
    int got = 0;

    for (unsigned i = 0; i < KNOCKS && got == 0; i++) {
        if (say(u, KNOCK, err) != MPJ_E_OK)
            return err->code;
        got = answer(u, KNOCKS_MS, err);
    }
    return got;
}

static int upload(struct uboot *u, unsigned n, struct mpj_err *err)
{
    const uint32_t at = u->s->program->image.segment[n].address;
    struct mpj_err first = {0}; /* the cause of failures that follow */
    uint32_t crc = 0;
    int result = MPJ_E_OK;

    u->part = u->s->program->image.segment[n].bytes;
    for (unsigned i = 0; i < UPLOADS; i++) {
        result = upload_once(u, n, err);
        if (result == MPJ_E_LINK) {
            int back;

            if (first.code == MPJ_E_OK)
                first = *err;
            back = i + 1 < UPLOADS ? recover(u, err) : 0;
            if (back == MPJ_E_CANCELLED)
                return back;
            if (back <= 0)
                break;
            continue;
        }
        if (result != MPJ_E_OK || u->s->settings->unverified)
            return result;
        result = compare(u, n, &crc, err);
        if (result != 0)
            return result > 0 ? MPJ_E_OK : result;
        result =
            mpj_err_set(err, MPJ_E_LINK,
                        "the memory of %s at 0x%08x differs from the program: its crc32 is %08x, "
                        "after %u uploads. Is it RAM, and not used by U-Boot itself (`bdinfo`)?",
                        name_of(u), at, crc, UPLOADS);
    }
    if (first.code != MPJ_E_OK)
        *err = first;
    return result;
}

/* Starts the program. Reads no byte after the line in which U-Boot reports it: the rest is the
 * program's. */
static int go(struct uboot *u, struct mpj_err *err)
{
    uint32_t since;
    char text[32];
    bool ended;

    snprintf(text, sizeof(text), "go %08x", u->s->program->image.entry);
    u->most = 1;
    if (type(u, text, err) != MPJ_E_OK)
        return err->code;
    for (since = mpj_clock_ms(); mpj_clock_ms() - since < GO_MS;) {
        const int got = next(u, &ended, err);

        if (got < 0)
            return got;
        if (ended && strstr(u->text.last, "tarting application") != NULL)
            return MPJ_E_OK;
        if (ended && uboot_text_unknown(u->text.last))
            return mpj_err_set(err, MPJ_E_TARGET, "U-Boot of %s does not know `go`", name_of(u));
    }
    return MPJ_E_OK; /* a damaged line: the program speaks, or the session says that it does not */
}

/* ---- public functions ------------------------------------------------------- */

static int prepare(struct uboot *u, struct mpj_err *err)
{
    const struct mpj_uboot *const set = u->s->settings;
    int got;

    if (call(u, err) != MPJ_E_OK)
        return err->code;
    if (set->fresh) {
        if (type(u, "reset", err) != MPJ_E_OK)
            return err->code;
        got = search(u, patience_ms(u), err);
        if (got <= 0)
            return got == 0 ? no_prompt(u, patience_ms(u), true, err) : got;
    }
    if (set->before == NULL)
        return MPJ_E_OK;
    if (command(u, set->before, TFTP_MS, err) != MPJ_E_OK)
        return err->code;
    return lacks(u, set->before, "change `before` in the list of boards", err);
}

static int boot(struct uboot *u, struct mpj_err *err)
{
    const struct mpj_loader_image *const i = &u->s->program->image;

    if (mpj_tempdir_make(&u->dir, err) != MPJ_E_OK || prepare(u, err) != MPJ_E_OK)
        return err->code;
    for (unsigned n = 0; n < i->segments; n++)
        u->total += i->segment[n].bytes;
    for (unsigned n = 0; n < i->segments; n++) {
        if (upload(u, n, err) != MPJ_E_OK)
            return err->code;
        u->done += u->part;
        if (u->s->progress != NULL)
            u->s->progress(u->s->progress_ctx, 'u', u->done, u->total, MPJ_RATE_BASE);
    }
    return go(u, err);
}

static const char * or (const char *given, const char *otherwise)
{
    return given != NULL ? given : otherwise;
}

int mpj_uboot_boot(struct mpj_target *t, const struct mpj_uboot_start *s, struct mpj_err *err)
{
    struct uboot *const u = calloc(1, sizeof(*u));
    struct mpj_err ignored;
    int result;

    if (u == NULL)
        return mpj_err_nomem(err);
    u->target = t;
    u->s = s;
    u->prompt = or (s->settings->prompt, "=> ");
    u->stop_when = or (s->settings->stop_when, "autoboot");
    u->stop_keys = or (s->settings->stop_keys, " ");
    u->most = sizeof(u->in);
    u->fd = t->ops->open(t, err);
    result = u->fd < 0 ? err->code : boot(u, err);
    if (result != MPJ_E_OK) {
        if (u->fd >= 0)
            (void)say(u, KNOCK, &ignored); /* a receiver that waits, waits no longer */
        t->ops->close(t, false, &ignored);
    }
    mpj_tempdir_remove(&u->dir);
    free(u);
    return result;
}
