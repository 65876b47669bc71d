/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/boards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

int run_boards_load(struct mpj_boards **list, const char *given, struct mpj_err *err)
{
    char *const path = path_boards(given);
    int result;

    *list = NULL;
    if (path == NULL)
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    if (given == NULL && strcmp(path, SYSTEM_LIST) == 0 && access(path, F_OK) != 0)
        result =
            mpj_err_set(err, MPJ_E_BOARDS,
                        "no list of boards: neither ~/.config/mpjoule/boards.yaml nor " SYSTEM_LIST
                        " exists; see `mpjoule help boards`");
    else
        result = mpj_boards_load(list, path, err);
    free(path);
    return result;
}

int run_board_find(struct mpj_boards **list, struct mpj_board *port, const struct mpj_board **out,
                   const char *name, const char *file, struct mpj_err *err)
{
    *list = NULL;
    if (strchr(name, '/') != NULL) { /* a port: a board that no list describes */
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
