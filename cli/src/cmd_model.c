/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule model: energy models, from the measurements to the prediction. */
#include <stddef.h>
#include <string.h>

#include "cli.h"
#include "commands.h"
#include "model_commands.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"generate", model_generate}, {"campaign", model_campaign}, {"coverage", model_coverage},
    {"fit", model_fit},           {"show", model_show},         {"verify", model_verify},
    {"predict", model_predict},
};

int cmd_model(int argc, char **argv)
{
    struct mpj_err err;

    for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    }
    if (argc > 1)
        mpj_err_set(&err, MPJ_E_USAGE,
                    "unknown subcommand of model \"%s\": see `mpjoule help model`", argv[1]);
    else
        mpj_err_set(&err, MPJ_E_USAGE, "model needs a subcommand: see `mpjoule help model`");
    return cli_fail(&err);
}
