/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/stop.h"
#include "hil/port.h"
#include "run/boards.h"
#include "run/paths.h"

#define LOOK_US  200000
#define ALIVE_MS 1500 /* for a loader that is there: it answers at once */
#define WAIT_MS  15000
#define CALLS    3 /* attempts with a loader that answers and then falls silent */

bool run_board_port_held(const struct mpj_board *board)
{
    char *const ports = run_path_port_locks();
    const struct mpj_port_id id = {board->port, board->usb_serial, ports};
    char holder[200] = "";

    if (ports != NULL)
        mpj_port_holder(&id, holder, sizeof(holder));
    free(ports);
    return holder[0] != '\0';
}

int run_board_take(struct mpj_lock **lock, const struct mpj_board *board, const char *purpose,
                   unsigned wait_s, struct mpj_err *err)
{
    const double begun = mpj_clock_s();
    char *const folder = run_path_locks();
    int result;

    *lock = NULL;
    if (folder == NULL)
        result = mpj_err_nomem(err);
    else if (mpj_lock_inherit(lock, folder, board, MPJ_CHILD_KEPT))
        result = MPJ_E_OK; /* of a sweep, for instance, that this run belongs to */
    else
        result = mpj_lock_take(lock, folder, board, purpose, wait_s, err);
    /* one that stays is an error when the port is opened */
    while (result == MPJ_E_OK && mpj_clock_s() - begun < wait_s && run_board_port_held(board)) {
        if (mpj_stop_count() > 0)
            result = mpj_err_set(err, MPJ_E_CANCELLED, "interrupted");
        usleep(LOOK_US);
    }
    if (result != MPJ_E_OK) {
        mpj_lock_release(*lock);
        *lock = NULL;
    }
    free(folder);
    return result;
}

static int take_one(struct mpj_lock **lock, const struct mpj_board *const *board, size_t n,
                    const char *purpose, unsigned wait_s, struct mpj_err *err)
{
    char *const folder = run_path_locks();
    char *const ports = run_path_port_locks();
    const int found = folder == NULL || ports == NULL
                          ? mpj_err_nomem(err)
                          : mpj_lock_take_any(lock, folder, board, n, ports, purpose, wait_s, err);

    free(folder);
    free(ports);
    return found;
}

bool run_board_several(const char *target)
{
    return strncmp(target, RUN_ANY, strlen(RUN_ANY)) == 0 ||
           (strchr(target, ',') != NULL && strchr(target, '/') == NULL); /* not a port */
}

/* Returns the tag of a target, or NULL: it names boards. */
static const char *tag_of(const char *target)
{
    const size_t any = strlen(RUN_ANY);

    return strncmp(target, RUN_ANY, any) == 0 ? target + any : NULL;
}

/* Returns true if a name is among those that commas separate. */
static bool is_among(const char *names, const char *name, size_t n)
{
    for (const char *p = names;; p++) {
        const size_t len = strcspn(p, ",");

        if (len == n && strncmp(p, name, n) == 0)
            return true;
        p += len;
        if (*p == '\0')
            return false;
    }
}

/* Checks one of the names, of n characters: that it is one of the list, and not repeated after it.
 */
static int check_name(const struct mpj_boards *list, const char *name, size_t n, const char *names,
                      struct mpj_err *err)
{
    size_t i = 0;

    if (n == 0)
        return mpj_err_set(err, MPJ_E_BOARDS, "the name of a board is missing in \"%s\"", names);
    while (i < list->count && !is_among(list->board[i].id, name, n))
        i++;
    if (i == list->count)
        return mpj_err_set(err, MPJ_E_BOARDS, "no board is called \"%.*s\" in %s", (int)n, name,
                           list->file);
    return name[n] == ',' && is_among(name + n + 1, name, n)
               ? mpj_err_set(err, MPJ_E_BOARDS, "%.*s is twice in \"%s\"", (int)n, name, names)
               : MPJ_E_OK;
}

static int check_names(const struct mpj_boards *list, const char *names, struct mpj_err *err)
{
    int result = MPJ_E_OK;
    const char *p = names;

    for (bool more = true; more && result == MPJ_E_OK; p++) {
        const size_t n = strcspn(p, ",");

        result = check_name(list, p, n, names, err);
        p += n;
        more = *p != '\0';
    }
    return result;
}

/* Lists the boards that the target means and that are not in quarantine; returns how many. reason:
 * of the first one that is. */
static size_t choose(const struct mpj_board **out, const struct mpj_boards *list,
                     const char *target, const char *locks, char *reason, size_t cap)
{
    const char *const tag = tag_of(target);
    size_t n = 0;

    reason[0] = '\0';
    for (size_t i = 0; i < list->count; i++) {
        const char *const id = list->board[i].id;
        char why[200];

        if (tag != NULL ? !mpj_board_tagged(&list->board[i], tag)
                        : !is_among(target, id, strlen(id)))
            continue;
        mpj_quarantine_get(locks, &list->board[i], why, sizeof(why));
        if (why[0] == '\0')
            out[n++] = &list->board[i];
        else if (reason[0] == '\0')
            snprintf(reason, cap, "%s", why);
    }
    return n;
}

/* Checks that there are boards, of one platform. */
static int check_chosen(const struct mpj_board *const *board, size_t n,
                        const struct mpj_boards *list, const char *target, const char *reason,
                        struct mpj_err *err)
{
    const char *const tag = tag_of(target);
    const char *const what = tag != NULL ? "with the tag" : "of";
    const char *const which = tag != NULL ? tag : target;

    if (n == 0 && reason[0] != '\0')
        return mpj_err_set(err, MPJ_E_BOARDS,
                           "every board %s \"%s\" is in quarantine (%s): `mpjoule boards "
                           "--lift BOARD` ends it",
                           what, which, reason);
    if (n == 0)
        return mpj_err_set(err, MPJ_E_BOARDS, "no board has the tag \"%s\" in %s", which,
                           list->file);
    for (size_t i = 1; i < n; i++) {
        if (board[i]->platform == NULL || board[0]->platform == NULL ||
            strcmp(board[i]->platform, board[0]->platform) == 0)
            continue;
        return tag != NULL
                   ? mpj_err_set(err, MPJ_E_BOARDS,
                                 "%s and %s have the tag \"%s\" and different platforms: a tag's "
                                 "boards are alike",
                                 board[0]->id, board[i]->id, tag)
                   : mpj_err_set(err, MPJ_E_BOARDS,
                                 "%s and %s have different platforms: boards that share runs are "
                                 "alike",
                                 board[0]->id, board[i]->id);
    }
    return MPJ_E_OK;
}

/* Copies the ids of boards into one piece of memory. */
static char **ids_of(const struct mpj_board *const *board, size_t n)
{
    size_t bytes = n * sizeof(char *);
    char **id;
    char *text;

    for (size_t i = 0; i < n; i++)
        bytes += strlen(board[i]->id) + 1;
    id = n > 0 ? malloc(bytes) : NULL;
    text = (char *)(id + n);
    for (size_t i = 0; id != NULL && i < n; i++) {
        id[i] = text;
        text = stpcpy(text, board[i]->id) + 1;
    }
    return id;
}

char **run_board_ids(const char *target, const char *file, unsigned *n)
{
    char *const locks = run_path_locks();
    const struct mpj_board **chosen = NULL;
    struct mpj_boards *list = NULL;
    struct mpj_err ignored;
    char reason[200];
    char **id = NULL;
    size_t found = 0;

    if (locks != NULL && run_board_several(target) &&
        run_boards_load(&list, file, &ignored) == MPJ_E_OK)
        chosen = calloc(list->count + 1, sizeof(const struct mpj_board *));
    if (chosen != NULL)
        found = choose(chosen, list, target, locks, reason, sizeof(reason));
    id = ids_of(chosen, found);
    *n = id != NULL ? (unsigned)found : 0;
    free(chosen);
    mpj_boards_free(list);
    free(locks);
    return id;
}

int run_board_take_any(struct mpj_lock **lock, const struct mpj_board **board,
                       const struct mpj_boards *list, const char *target, unsigned wait_s,
                       struct mpj_err *err)
{
    const struct mpj_board **const chosen =
        calloc(list->count + 1, sizeof(const struct mpj_board *));
    char *const locks = run_path_locks();
    char reason[200];
    size_t n;
    int found;

    *lock = NULL;
    if (chosen == NULL || locks == NULL) {
        free(chosen);
        free(locks);
        return mpj_err_nomem(err);
    }
    found = tag_of(target) == NULL ? check_names(list, target, err) : MPJ_E_OK;
    n = choose(chosen, list, target, locks, reason, sizeof(reason));
    if (found == MPJ_E_OK)
        found = check_chosen(chosen, n, list, target, reason, err);
    if (found == MPJ_E_OK)
        found = take_one(lock, chosen, n, "mpjoule " RUN_ANY, wait_s, err);
    *board = chosen[found >= 0 ? found : 0];
    free(chosen);
    free(locks);
    return found >= 0 ? MPJ_E_OK : found;
}

int run_board_serial(struct mpj_target **target, const struct mpj_board *board, const char *elf,
                     bool lost, unsigned timeout_s, struct mpj_err *err)
{
    const char *const command = board->start != NULL ? board->start : board->power_cycle;
    struct mpj_serial_options serial = {
        .name = board->id,
        .path = board->port,
        .usb_serial = board->usb_serial,
        .rate = board->bit_rate,
        .reset_line = board->reset_line,
        .elf = elf,
        .timeout_s = timeout_s,
        .power_cycle = lost ? board->power_cycle : NULL,
        .reset = board->power_cycle == NULL &&
                 (lost || (!run_board_has_loader(board) && !run_board_has_uboot(board) &&
                           board->start == NULL)),
        .whole = board->start == NULL,
    };
    char *const locks = run_path_port_locks();
    int result;

    if (locks == NULL)
        return mpj_err_nomem(err);
    serial.locks = locks;
    if (run_board_has_loader(board) || run_board_has_uboot(board))
        serial.restart = command;
    else if (board->start != NULL || !lost)
        serial.start = command;
    result = mpj_serial_new(target, &serial, err);
    free(locks);
    return result;
}

int run_board_line(struct mpj_target **target, const struct mpj_board *board, bool reset,
                   struct mpj_err *err)
{
    struct mpj_serial_options serial = {
        .name = board->id,
        .path = board->port,
        .usb_serial = board->usb_serial,
        .power_cycle = reset ? board->power_cycle : NULL,
        .reset_line = board->reset_line,
        .reset = reset && board->power_cycle == NULL,
    };
    char *locks;
    int result;

    if (reset && board->power_cycle == NULL && board->reset_line == NULL)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "%s has nothing that restarts it (power_cycle or reset_line in the list "
                           "of boards)",
                           board->id);
    locks = run_path_port_locks();
    if (locks == NULL)
        return mpj_err_nomem(err);
    serial.locks = locks;
    result = mpj_serial_new(target, &serial, err);
    free(locks);
    return result;
}

bool run_board_has_loader(const struct mpj_board *board)
{
    return board->boot != NULL &&
           strcmp(board->boot, MPJ_BOARD_LOADER) == 0; /* a bare port has none */
}

bool run_board_has_uboot(const struct mpj_board *board)
{
    return board->boot != NULL && strcmp(board->boot, MPJ_BOARD_UBOOT) == 0;
}

/* Checks, before anything is written, that the board is the one that the list describes. */
static int identify(struct mpj_loader *l, const struct mpj_board *board,
                    const struct mpj_hello *hello, struct mpj_loader_info *info,
                    struct mpj_err *err)
{
    struct mpj_identity seen;

    memset(&seen, 0, sizeof(seen));
    seen.sys_id = hello->sys_id;
    seen.proc_id = hello->proc_id;
    seen.midr = hello->midr;
    if (mpj_identity_check(&board->identity, &seen, board->id, err) != MPJ_E_OK ||
        mpj_loader_info(l, info, err) != MPJ_E_OK)
        return err->code;
    seen.flash_id = info->flash_id != 0 ? info->flash_id : UINT32_MAX;
    return mpj_identity_check(&board->identity, &seen, board->id, err);
}

int run_loader_open(struct mpj_loader **out, struct mpj_target *target,
                    const struct mpj_board *board, bool (*cancelled)(void *ctx), void *ctx,
                    struct mpj_loader_info *info, struct mpj_err *err)
{
    const bool resident = run_board_has_loader(board);
    const struct mpj_loader_timeouts timeouts = {
        .alive_ms = resident ? ALIVE_MS : WAIT_MS,
        .wait_ms = resident ? WAIT_MS : 0,
        .cancelled = cancelled,
        .ctx = ctx,
    };
    struct mpj_hello hello;

    for (unsigned calls = 1;; calls++) {
        if (mpj_loader_open(out, target, &timeouts, &hello, err) != MPJ_E_OK)
            return err->code;
        /* Until its first request the loader falls back from the negotiated bit rate when it
         * receives nothing for a while; the host cannot know, and starts over. */
        const int result = identify(*out, board, &hello, info, err);
        if (result != MPJ_E_LINK || calls == CALLS)
            return result;
        mpj_loader_close(*out);
        *out = NULL;
    }
}
