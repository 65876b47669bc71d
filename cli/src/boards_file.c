/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the list of boards and the locks are, and the board a word on the command line means. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

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

char *cli_path_boards(const char *given)
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

char *cli_path_locks(void)
{
    const char *const named = getenv("MPJOULE_LOCKS");

    if (named != NULL && named[0] != '\0')
        return strdup(named);
    return strdup(access("/run/lock", W_OK) == 0 ? "/run/lock/mpjoule" : "/tmp/mpjoule-locks");
}

int cli_board_find(struct mpj_boards **list, struct mpj_board *port, const struct mpj_board **out,
                   const char *name, const char *file, struct mpj_err *err)
{
    char *path;
    int result;

    *list = NULL;
    if (strchr(name, '/') != NULL) { /* a port: a board nobody described */
        memset(port, 0, sizeof(*port));
        port->id = port->port = (char *)name; /* read only */
        port->bit_rate = MPJ_BOARD_RATE;
        *out = port;
        return MPJ_E_OK;
    }
    path = cli_path_boards(file);
    if (path == NULL)
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    result = mpj_boards_load(list, path, err);
    if (result == MPJ_E_OK && (*out = mpj_boards_find(*list, name)) == NULL)
        result = mpj_err_set(err, MPJ_E_BOARDS, "no board is called \"%s\" in %s", name, path);
    free(path);
    return result;
}
