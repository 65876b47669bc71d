/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hil/board.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/yaml.h"
#include "hil/port.h"
#include "mpj_rate.h"

#define BOARDS_MAX 256U
#define RATE_LEAST 1200U /* bits per second that some UART or adapter has */
#define RATE_MOST  4000000U
#define WAIT_MOST  3600U
#define NO_LIST    "expected a list \"boards:\""
#define NO_RATE    UINT32_MAX /* the list gives none */

enum kind { TEXT, PORT, NUMBER, SWITCH, SWITCH_OFF, IDENTITY, UBOOT, TAGS };

struct field {
    const char *key;
    enum kind kind;
    size_t at;
};

static const struct field board_fields[] = {
    {"id", TEXT, offsetof(struct mpj_board, id)},
    {"platform", TEXT, offsetof(struct mpj_board, platform)},
    {"port", PORT, offsetof(struct mpj_board, port)},
    {"usb_serial", TEXT, offsetof(struct mpj_board, usb_serial)},
    {"bit_rate", NUMBER, offsetof(struct mpj_board, bit_rate)},
    {"boot", TEXT, offsetof(struct mpj_board, boot)},
    {"start", TEXT, offsetof(struct mpj_board, start)},
    {"power_cycle", TEXT, offsetof(struct mpj_board, power_cycle)},
    {"reset_line", TEXT, offsetof(struct mpj_board, reset_line)},
    {"meter", TEXT, offsetof(struct mpj_board, meter)},
    {"calibration", TEXT, offsetof(struct mpj_board, calibration)},
    {"notes", TEXT, offsetof(struct mpj_board, notes)},
    {"tags", TAGS, offsetof(struct mpj_board, tags)},
    {"identity", IDENTITY, offsetof(struct mpj_board, identity)},
    {"uboot", UBOOT, offsetof(struct mpj_board, uboot)},
};

static const struct field uboot_fields[] = {
    {"prompt", TEXT, offsetof(struct mpj_uboot, prompt)},
    {"stop_when", TEXT, offsetof(struct mpj_uboot, stop_when)},
    {"stop_keys", TEXT, offsetof(struct mpj_uboot, stop_keys)},
    {"transfer", TEXT, offsetof(struct mpj_uboot, transfer)},
    {"folder", TEXT, offsetof(struct mpj_uboot, folder)},
    {"before", TEXT, offsetof(struct mpj_uboot, before)},
    {"wait", NUMBER, offsetof(struct mpj_uboot, wait_s)},
    {"fresh", SWITCH, offsetof(struct mpj_uboot, fresh)},
    {"verify", SWITCH_OFF, offsetof(struct mpj_uboot, unverified)},
};

static const struct field identity_fields[] = {
    {"sys_id", NUMBER, offsetof(struct mpj_identity, sys_id)},
    {"proc_id", NUMBER, offsetof(struct mpj_identity, proc_id)},
    {"midr", NUMBER, offsetof(struct mpj_identity, midr)},
    {"flash_id", NUMBER, offsetof(struct mpj_identity, flash_id)},
};

/* Fields of a structure. */
struct mapping {
    const struct field *field;
    size_t count;
    void *out;
};
#define MAPPING(fields, out)                                                                       \
    (&(struct mapping){(fields), sizeof(fields) / sizeof((fields)[0]), (out)})

static mpj_yaml_take read_field;

static bool good_word(const char *s)
{
    return s[0] != '\0' && s[0] != '-' && strlen(s) < 64 &&
           strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
               strlen(s);
}

/* Reads a switch; off: the field's value when the switch is off. */
static int read_switch(struct mpj_yaml *r, const yaml_node_t *value, const char *text, bool off,
                       bool *out)
{
    static const char *const words[2][3] = {{"off", "no", "false"}, {"on", "yes", "true"}};

    for (unsigned on = 0; on < 2; on++) {
        for (unsigned i = 0; i < 3; i++) {
            if (strcmp(text, words[on][i]) != 0)
                continue;
            *out = (on == 1) != off;
            return MPJ_E_OK;
        }
    }
    return mpj_yaml_wrong(r, value, "expected on or off, not", text);
}

/* Adds a tag, which has the characters of an id: `--target any:TAG`. */
static int read_tag(struct mpj_yaml *r, const yaml_node_t *n, const yaml_node_t *same, void *out)
{
    char **const tags = out;
    const char *const text = mpj_yaml_text(n);
    char *joined = NULL;

    (void)same;
    if (text == NULL || !good_word(text))
        return mpj_yaml_wrong(r, n, "a tag has letters, digits, dot, dash, underscore, not",
                              text != NULL ? text : "a list or mapping");
    if (asprintf(&joined, "%s%s%s", *tags != NULL ? *tags : "", *tags != NULL ? " " : "", text) < 0)
        return mpj_err_nomem(r->err);
    free(*tags);
    *tags = joined;
    return MPJ_E_OK;
}

static int read_value(struct mpj_yaml *r, const yaml_node_t *value, const struct field *f,
                      void *out)
{
    char *const place = (char *)out + f->at;
    const char *const text = mpj_yaml_text(value);
    struct mpj_err inner;
    char *end;
    bool hex;
    unsigned long long v;

    if (f->kind == IDENTITY)
        return mpj_yaml_pairs(r, value, read_field, MAPPING(identity_fields, place));
    if (f->kind == UBOOT)
        return mpj_yaml_pairs(r, value, read_field, MAPPING(uboot_fields, place));
    if (f->kind == TAGS)
        return value->type == YAML_SEQUENCE_NODE ? mpj_yaml_items(r, value, read_tag, place)
                                                 : read_tag(r, value, value, place);
    if (text == NULL)
        return mpj_yaml_wrong(r, value, "expected one value, not a list or mapping", f->key);
    if (*text == '\0' && strcmp(f->key, "notes") != 0)
        return mpj_yaml_wrong(r, value, "a key without a value", f->key);
    if (f->kind == PORT && mpj_port_path_check(text, &inner) != MPJ_E_OK)
        return mpj_yaml_wrong(r, value, inner.text, "");
    if (f->kind == TEXT || f->kind == PORT) {
        char *const copy = strdup(text);
        if (copy == NULL)
            return mpj_err_nomem(r->err);
        if (strcmp(f->key, "notes") == 0)
            mpj_text_clean(copy);
        *(char **)(void *)place = copy;
        return MPJ_E_OK;
    }
    if (f->kind == SWITCH || f->kind == SWITCH_OFF)
        return read_switch(r, value, text, f->kind == SWITCH_OFF, (bool *)(void *)place);
    errno = 0;
    hex = strncasecmp(text, "0x", 2) == 0;
    v = strtoull(text, &end, hex ? 16 : 10); /* 0115200 is decimal */
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || v > UINT32_MAX)
        return mpj_yaml_wrong(r, value, "not a whole number of 32 bits", text);
    *(uint32_t *)(void *)place = (uint32_t)v;
    return MPJ_E_OK;
}

static int read_field(struct mpj_yaml *r, const yaml_node_t *key, const yaml_node_t *value,
                      void *out)
{
    const struct mapping *const m = out;
    const char *const name = mpj_yaml_text(key);

    for (size_t i = 0; i < m->count; i++) {
        if (strcmp(name, m->field[i].key) == 0)
            return read_value(r, value, &m->field[i], m->out);
    }
    return mpj_yaml_wrong(r, key, "unknown key", name);
}

/* True for a valid id, which is a file name and a command's argument. */
static bool good_id(const char *id)
{
    return good_word(id) && strcmp(id, "sim") != 0;
}

/* True for text of printable characters: they are compared with what a terminal shows. */
static bool printable(const char *s)
{
    for (; s != NULL && *s != '\0'; s++) {
        if (*s < ' ' || *s > '~')
            return false;
    }
    return true;
}

/* Checks `start: uboot`, and the values of the key `uboot`. */
static int check_uboot(struct mpj_yaml *r, const yaml_node_t *at, bool prompted,
                       struct mpj_board *b)
{
    const struct mpj_uboot *const u = &b->uboot;
    const bool said = u->prompt != NULL || u->stop_when != NULL || u->stop_keys != NULL ||
                      u->transfer != NULL || u->folder != NULL || u->before != NULL ||
                      u->wait_s != 0 || u->fresh || u->unverified;

    if (!prompted)
        return said ? mpj_yaml_wrong(r, at, "the key uboot needs `start: uboot`", b->id) : MPJ_E_OK;
    if (b->boot != NULL)
        return mpj_yaml_wrong(r, at, "boot and `start: uboot` exclude each other", b->id);
    b->boot = b->start;
    b->start = NULL;
    if (!printable(u->prompt) || !printable(u->stop_when) || !printable(u->before))
        return mpj_yaml_wrong(r, at, "prompt, stop_when and before must be printable ASCII", b->id);
    if (u->transfer != NULL && strcmp(u->transfer, MPJ_UBOOT_LOADY) != 0 &&
        strcmp(u->transfer, MPJ_UBOOT_LOADB) != 0 && strcmp(u->transfer, MPJ_UBOOT_TFTP) != 0)
        return mpj_yaml_wrong(r, at, "transfer must be loady, loadb or tftp, not", u->transfer);
    if ((u->folder != NULL) != (u->transfer != NULL && strcmp(u->transfer, MPJ_UBOOT_TFTP) == 0))
        return mpj_yaml_wrong(r, at, "folder goes with `transfer: tftp`, and only with it", b->id);
    if (u->wait_s > WAIT_MOST)
        return mpj_yaml_wrong(r, at, "wait must be from 1 to 3600 seconds", b->id);
    return MPJ_E_OK;
}

static int check_board(struct mpj_yaml *r, const yaml_node_t *at, struct mpj_boards *list,
                       struct mpj_board *b)
{
    if (b->id == NULL)
        return mpj_yaml_wrong(r, at, "a board without an id", "");
    if (!good_id(b->id))
        return mpj_yaml_wrong(
            r, at, "an id has letters, digits, dot, dash, underscore, and is not \"sim\"", b->id);
    for (size_t i = 0; i + 1 < list->count; i++) {
        if (strcmp(list->board[i].id, b->id) == 0)
            return mpj_yaml_wrong(r, at, "duplicate id", b->id);
    }
    if ((b->port == NULL) == (b->usb_serial == NULL))
        return mpj_yaml_wrong(r, at, "a board needs either port or usb_serial", b->id);
    const bool prompted = b->start != NULL && strcmp(b->start, MPJ_BOARD_UBOOT) == 0;
    if (check_uboot(r, at, prompted, b) != MPJ_E_OK)
        return r->err->code;
    if (b->boot == NULL)
        b->boot = strdup(b->start != NULL ? "command" : "self");
    if (b->boot == NULL)
        return mpj_err_nomem(r->err);
    if (strcmp(b->boot, MPJ_BOARD_UBOOT) == 0 && !prompted)
        return mpj_yaml_wrong(r, at, "U-Boot is `start: uboot`, not `boot: uboot`", b->id);
    if (!prompted && strcmp(b->boot, "self") != 0 && strcmp(b->boot, "command") != 0 &&
        strcmp(b->boot, MPJ_BOARD_LOADER) != 0)
        return mpj_yaml_wrong(
            r, at, "boot must be self, command or loader (U-Boot: `start: uboot`), not", b->boot);
    if (strcmp(b->boot, "command") == 0 && b->start == NULL)
        return mpj_yaml_wrong(r, at, "`boot: command` needs a start command", b->id);
    if (b->reset_line != NULL && mpj_port_line_of(b->reset_line) < 0)
        return mpj_yaml_wrong(r, at, "reset_line must be dtr, rts or break, not", b->reset_line);
    if (b->reset_line != NULL && b->port != NULL && mpj_port_fixed(b->port))
        return mpj_yaml_wrong(
            r, at, "a tcp:// port has no reset_line (rfc2217:// has): reset_line of", b->id);
    if (b->bit_rate == NO_RATE)
        b->bit_rate = mpj_board_rate(b->port);
    if (b->port != NULL && mpj_port_fixed(b->port) && b->bit_rate != MPJ_RATE_BASE)
        return mpj_yaml_wrong(
            r, at, "a tcp:// port stays at 115200 bit/s (rfc2217:// does not): bit_rate of", b->id);
    if (b->bit_rate < RATE_LEAST || b->bit_rate > RATE_MOST)
        return mpj_yaml_wrong(r, at, "bit_rate must be from 1200 to 4000000", b->id);
    return MPJ_E_OK;
}

uint32_t mpj_board_rate(const char *port)
{
    return port != NULL && mpj_port_fixed(port) ? MPJ_RATE_BASE : MPJ_BOARD_RATE;
}

static int read_board(struct mpj_yaml *r, const yaml_node_t *n, const yaml_node_t *same, void *out)
{
    struct mpj_boards *const list = out;
    struct mpj_board *const b = &list->board[list->count];

    (void)same;
    if (list->count == BOARDS_MAX)
        return mpj_yaml_wrong(r, n, "too many boards", "");
    list->count++;
    b->bit_rate = NO_RATE;
    b->line = n->start_mark.line + 1;
    return mpj_yaml_pairs(r, n, read_field, MAPPING(board_fields, b)) == MPJ_E_OK
               ? check_board(r, n, list, b)
               : r->err->code;
}

static int read_list(struct mpj_yaml *r, const yaml_node_t *key, const yaml_node_t *value,
                     void *out)
{
    if (strcmp(mpj_yaml_text(key), "boards") != 0)
        return mpj_yaml_wrong(r, key, "unknown key", mpj_yaml_text(key));
    if (value->type != YAML_SEQUENCE_NODE)
        return mpj_yaml_wrong(r, value, NO_LIST, "");
    return mpj_yaml_items(r, value, read_board, out);
}

static int read_root(struct mpj_yaml *r, const yaml_node_t *root, const yaml_node_t *same,
                     void *out)
{
    (void)same;
    if (root->type != YAML_MAPPING_NODE ||
        root->data.mapping.pairs.start == root->data.mapping.pairs.top)
        return mpj_yaml_wrong(r, root, NO_LIST, "");
    return mpj_yaml_pairs(r, root, read_list, out);
}

int mpj_boards_load(struct mpj_boards **out, const char *file, struct mpj_err *err)
{
    struct mpj_yaml r = {.file = file, .err = err};
    struct mpj_boards *const b = calloc(1, sizeof(*b));

    *out = NULL;
    if (b == NULL || (b->board = calloc(BOARDS_MAX, sizeof(*b->board))) == NULL ||
        (b->file = strdup(file)) == NULL) {
        mpj_boards_free(b);
        return mpj_err_nomem(err);
    }
    if (mpj_yaml_read(&r, "the list of boards", "it needs a list \"boards:\"", read_root, b) ==
        MPJ_E_OK) {
        *out = b;
        return MPJ_E_OK;
    }
    mpj_boards_free(b);
    if (err->code != MPJ_E_NOMEM)
        err->code = MPJ_E_BOARDS;
    return err->code;
}

void mpj_boards_free(struct mpj_boards *b)
{
    if (b == NULL)
        return;
    for (size_t i = 0; b->board != NULL && i < b->count; i++) {
        struct mpj_board *const x = &b->board[i];
        free(x->id);
        free(x->platform);
        free(x->port);
        free(x->usb_serial);
        free(x->boot);
        free(x->start);
        free(x->power_cycle);
        free(x->calibration);
        free(x->meter);
        free(x->reset_line);
        free(x->notes);
        free(x->tags);
        free(x->uboot.prompt);
        free(x->uboot.stop_when);
        free(x->uboot.stop_keys);
        free(x->uboot.transfer);
        free(x->uboot.folder);
        free(x->uboot.before);
    }
    free(b->board);
    free(b->file);
    free(b);
}

const struct mpj_board *mpj_boards_find(const struct mpj_boards *b, const char *id)
{
    for (size_t i = 0; i < b->count; i++) {
        if (strcmp(b->board[i].id, id) == 0)
            return &b->board[i];
    }
    return NULL;
}

bool mpj_board_tagged(const struct mpj_board *b, const char *tag)
{
    const size_t n = strlen(tag);

    for (const char *p = b->tags; p != NULL && n > 0; p = strchr(p, ' ')) {
        p += *p == ' ';
        if (strncmp(p, tag, n) == 0 && (p[n] == ' ' || p[n] == '\0'))
            return true;
    }
    return false;
}

int mpj_identity_check(const struct mpj_identity *want, const struct mpj_identity *seen,
                       const char *board, struct mpj_err *err)
{
    const struct {
        const char *name;
        uint32_t want, seen;
    } part[] = {
        {"SYS_ID", want->sys_id, seen->sys_id},
        {"SYS_PROCID", want->proc_id, seen->proc_id},
        {"MIDR", want->midr, seen->midr},
        {"flash id", seen->flash_id != 0 ? want->flash_id : 0, seen->flash_id},
    };

    for (unsigned i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
        if (part[i].want != 0 && part[i].want != part[i].seen)
            return mpj_err_set(err, MPJ_E_IDENTITY,
                               "this is not %s: its %s is 0x%08x, the list of boards says 0x%08x",
                               board, part[i].name, part[i].seen, part[i].want);
    }
    return MPJ_E_OK;
}
