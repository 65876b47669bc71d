/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sources in a campaign's list: compiled as `mpjoule cc` does. */
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "campaign.h"

#define WORDS 32U

/* Starts this command again, in the folder, and waits. */
static int run_cc(const char *folder, char **argv, int *status)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int code = posix_spawn_file_actions_init(&actions);

    if (code != 0)
        return code;
    code = posix_spawn_file_actions_addchdir_np(&actions, folder);
    if (code == 0)
        code = posix_spawn(&child, "/proc/self/exe", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (code == 0 && waitpid(child, status, 0) < 0) {
        if (errno != EINTR)
            code = errno;
    }
    return code;
}

int campaign_compile(const char *folder, const char *source, const char *options, const char *out,
                     struct mpj_err *err)
{
    char *const words = strdup(options);
    char *const file = strdup(source);
    char *const to = strdup(out);
    char *argv[WORDS + 9U] = {(char[]){"mpjoule"}, (char[]){"cc"}, (char[]){"-O2"},
                              (char[]){"-pthread"}};
    unsigned n = 4;
    char *rest = NULL;
    int status = 0;
    int code;
    int result = MPJ_E_OK;

    if (words == NULL || file == NULL || to == NULL) {
        result = mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
        goto out;
    }
    for (char *w = strtok_r(words, " \t", &rest); w != NULL; w = strtok_r(NULL, " \t", &rest)) {
        if (n == WORDS + 4U) {
            result = mpj_err_set(err, MPJ_E_USAGE, "too many compiler options");
            goto out;
        }
        argv[n++] = w;
    }
    argv[n++] = file;
    argv[n++] = (char[]){"-o"};
    argv[n++] = to;
    argv[n] = (char[]){"-lm"};
    code = run_cc(folder, argv, &status);
    if (code != 0)
        result = mpj_err_set(err, MPJ_E_TARGET, "cannot start the compiler: %s", strerror(code));
    else if (status != 0)
        result = mpj_err_set(err, MPJ_E_USAGE, "%s does not compile", source);
out:
    free(words);
    free(file);
    free(to);
    return result;
}
