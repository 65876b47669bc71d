/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compiles the sources in a campaign's list as `mpjoule cc` does. */
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "campaign_int.h"

#define WORDS 32U /* compiler options */

int run_campaign_compile(const char *folder, const char *board, const char *source,
                         const char *options, const char *out, struct mpj_err *err)
{
    char *const words = strdup(options);
    const char *argv[WORDS + 11U] = {"mpjoule", "cc", "--board", board, "-O2", "-pthread"};
    const struct mpj_child cc = {.file = "/proc/self/exe", .argv = argv, .folder = folder};
    unsigned n = 6;
    char *rest = NULL;
    int status = 0;
    int result;

    if (words == NULL)
        return mpj_err_nomem(err);
    for (char *w = strtok_r(words, " \t", &rest); w != NULL; w = strtok_r(NULL, " \t", &rest)) {
        if (n == WORDS + 6U) {
            free(words);
            return mpj_err_set(err, MPJ_E_USAGE, "too many compiler options: at most %u", WORDS);
        }
        argv[n++] = w;
    }
    argv[n++] = source;
    argv[n++] = "-o";
    argv[n++] = out;
    argv[n] = "-lm";
    result = mpj_child_run(&cc, &status, err);
    if (result == MPJ_E_OK && status != 0)
        result = mpj_err_set(err, MPJ_E_USAGE, "%s does not compile", source);
    free(words);
    return result;
}
