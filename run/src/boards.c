/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/boards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/kinds.h"
#include "tile_limits.h"

#define SYSTEM_LIST "/etc/mpjoule/boards.yaml"

static char *own_list(void)
{
    const char *const config = getenv("XDG_CONFIG_HOME");
    const char *const home = getenv("HOME");
    char *out = NULL;
    int n = -1;

    if (config != NULL && config[0] == '/')
        n = asprintf(&out, "%s/mpjoule/boards.yaml", config);
    else if (home != NULL)
        n = asprintf(&out, "%s/.config/mpjoule/boards.yaml", home);
    return n < 0 ? NULL : out;
}

static char *path_boards(const char *given)
{
    const char *const named = getenv("MPJOULE_BOARDS");
    char *own;

    if (given != NULL)
        return strdup(given);
    if (named != NULL && named[0] != '\0')
        return strdup(named);
    own = own_list();
    if (own != NULL && access(own, R_OK) == 0)
        return own;
    free(own);
    return strdup(SYSTEM_LIST);
}

/* Checks a board's platform. A board without one is of the default kind; one of an unknown kind is
 * an error. An installation without a runtime has no kinds, and leaves the list as it is. */
static int check_platform(struct mpj_board *b, const char *file, const struct run_kinds *kinds,
                          struct mpj_err *err)
{
    for (size_t i = 0; i < kinds->count; i++) {
        const struct tile_machine *const m = &kinds->kind[i].machine;

        if (b->platform == NULL && strcmp(m->name, TILE_BOARD_DEFAULT) == 0) {
            b->platform = strdup(m->platform);
            return b->platform != NULL ? MPJ_E_OK : mpj_err_nomem(err);
        }
        if (b->platform != NULL && strcmp(m->platform, b->platform) == 0)
            return MPJ_E_OK;
    }
    return b->platform == NULL || kinds->count == 0
               ? MPJ_E_OK
               : mpj_err_set(
                     err, MPJ_E_BOARDS,
                     "%s:%zu: unknown platform %s (`mpjoule boards --kinds` lists them): %s", file,
                     b->line, b->platform, b->id);
}

static int check_platforms(struct mpj_boards *list, struct mpj_err *err)
{
    struct run_kinds kinds;
    int result = run_kinds_load(&kinds, err);

    for (size_t i = 0; list != NULL && i < list->count && result == MPJ_E_OK; i++)
        result = check_platform(&list->board[i], list->file, &kinds, err);
    run_kinds_free(&kinds);
    return result;
}

int run_boards_load(struct mpj_boards **list, const char *given, struct mpj_err *err)
{
    char *const path = path_boards(given);
    int result;

    *list = NULL;
    if (path == NULL)
        return mpj_err_nomem(err);
    if (given == NULL && strcmp(path, SYSTEM_LIST) == 0 && access(path, F_OK) != 0)
        result =
            mpj_err_set(err, MPJ_E_BOARDS,
                        "no list of boards: neither ~/.config/mpjoule/boards.yaml nor " SYSTEM_LIST
                        " exists; see `mpjoule help boards`");
    else
        result = mpj_boards_load(list, path, err);
    if (result == MPJ_E_OK && check_platforms(*list, err) != MPJ_E_OK) {
        mpj_boards_free(*list);
        *list = NULL;
        result = err->code;
    }
    free(path);
    return result;
}

int run_board_kind(char name[TILE_NAME_SIZE], const struct mpj_board *board, struct mpj_err *err)
{
    struct run_kinds kinds;
    const int result = run_kinds_load(&kinds, err);

    name[0] = '\0';
    for (size_t i = 0; i < kinds.count && board->platform != NULL; i++) {
        const char *const kind = kinds.kind[i].machine.name;

        if (strcmp(kinds.kind[i].machine.platform, board->platform) == 0 &&
            (name[0] == '\0' || strcmp(kind, TILE_BOARD_DEFAULT) == 0))
            memcpy(name, kind, TILE_NAME_SIZE);
    }
    run_kinds_free(&kinds);
    return result;
}

/* True if the kind has the platform. Several kinds may share one: a program for any of them can run
 * there. */
static bool has_platform(const char *kind, const char *platform)
{
    struct tile_machine m;
    struct mpj_err ignored;

    return run_kind_load(&m, kind, &ignored) == MPJ_E_OK && strcmp(m.platform, platform) == 0;
}

int run_board_fits(const struct mpj_board *board, const struct mpj_image *image, const char *elf,
                   struct mpj_err *err)
{
    char kind[TILE_NAME_SIZE];

    if (run_board_kind(kind, board, err) != MPJ_E_OK)
        return err->code;
    if (kind[0] != '\0' && strcmp(kind, image->board) != 0 &&
        !has_platform(image->board, board->platform))
        return mpj_err_set(err, MPJ_E_ELF,
                           "%s is for the board %s, and %s is a %s: build it with `mpjoule cc "
                           "--board %s`",
                           elf, image->board, board->id, kind, kind);
    return MPJ_E_OK;
}

int run_board_find(struct mpj_boards **list, struct mpj_board *port, const struct mpj_board **out,
                   const char *name, const char *file, struct mpj_err *err)
{
    *list = NULL;
    if (strchr(name, '/') != NULL) { /* a port: a board that is not in a list */
        memset(port, 0, sizeof(*port));
        port->id = port->port = (char *)name; /* read only */
        port->bit_rate = mpj_board_rate(name);
        *out = port;
        return MPJ_E_OK;
    }
    if (run_boards_load(list, file, err) != MPJ_E_OK || *list == NULL)
        return err->code;
    *out = mpj_boards_find(*list, name);
    if (*out == NULL)
        return mpj_err_set(err, MPJ_E_BOARDS, "no board is called \"%s\" in %s", name,
                           (*list)->file);
    return MPJ_E_OK;
}
