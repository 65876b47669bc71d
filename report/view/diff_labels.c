/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Labels of two runs: the programs, what they were given, and the tools. */
#include <stdlib.h>
#include <string.h>

#include "report/diff.h"
#include "view/diff_out.h"

#define NOT_GIVEN "(not given)"

/* Appends a label; takes ownership of the values, not of the name. */
static int add(struct mpj_diff *d, const char *name, bool tool, char *a, char *b,
               struct mpj_err *err)
{
    struct mpj_diff_label *const longer = realloc(d->label, (d->labels + 1U) * sizeof(*d->label));
    char *const copy = strdup(name);

    if (longer != NULL)
        d->label = longer;
    if (longer == NULL || copy == NULL) {
        free(copy);
        free(a);
        free(b);
        return mpj_err_nomem(err);
    }
    longer[d->labels++] = (struct mpj_diff_label){
        .name = copy,
        .tool = tool,
        .value = {a, b},
        .differs = a != NULL && b != NULL && strcmp(a, b) != 0,
    };
    return MPJ_E_OK;
}

static char *copy_of(const char *text)
{
    return text != NULL ? strdup(text) : NULL;
}

/* Adds an item of either run that has another value in the other one, or none. */
static int add_item(struct mpj_diff *d, struct mpj_run *const run[2], const char *name, bool option,
                    struct mpj_err *err)
{
    const char *value[2] = {NULL, NULL};
    char *label = NULL;
    int result;

    for (int s = 0; s < 2; s++) {
        const struct mpj_given *const g = &run[s]->given;
        const struct mpj_given_item *const item = option ? g->option : g->environment;
        const unsigned n = option ? g->options : g->environments;
        for (unsigned i = 0; i < n && value[s] == NULL; i++)
            value[s] = strcmp(item[i].name, name) == 0 ? item[i].value : NULL;
        if (value[s] == NULL && g->known)
            value[s] = NOT_GIVEN;
    }
    if (asprintf(&label, option ? (name[1] == '\0' ? "-%s" : "--%s") : "--env %s", name) < 0)
        return mpj_err_nomem(err);
    result = add(d, label, option, copy_of(value[0]), copy_of(value[1]), err);
    free(label);
    return result;
}

/* True for options that have a label of their own. */
static bool has_label(const char *option)
{
    static const char *const known[] = {"target", "calibration", "quantum", "seed", "stdin"};

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(option, known[i]) == 0)
            return true;
    }
    return false;
}

/* Adds environment or options: those of A, then those that only B has. */
static int add_items(struct mpj_diff *d, struct mpj_run *const run[2], bool option,
                     struct mpj_err *err)
{
    int result = MPJ_E_OK;

    for (int s = 0; s < 2; s++) {
        const struct mpj_given *const g = &run[s]->given;
        const struct mpj_given_item *const item = option ? g->option : g->environment;
        const unsigned n = option ? g->options : g->environments;
        for (unsigned i = 0; i < n && result == MPJ_E_OK; i++) {
            const struct mpj_given *const a = &run[0]->given;
            const struct mpj_given_item *const other = option ? a->option : a->environment;
            const unsigned others = s == 0 ? 0 : option ? a->options : a->environments;
            bool seen = option && has_label(item[i].name);
            for (unsigned k = 0; k < others && !seen; k++)
                seen = strcmp(other[k].name, item[i].name) == 0;
            if (!seen)
                result = add_item(d, run, item[i].name, option, err);
        }
    }
    return result;
}

/* Adds arguments word by word if both runs say them, otherwise as they were joined. */
static int add_arguments(struct mpj_diff *d, struct mpj_run *const run[2], struct mpj_err *err)
{
    const bool exact = run[0]->given.known && run[1]->given.known;
    char *value[2];

    for (int s = 0; s < 2; s++) {
        value[s] = exact ? mpj_given_arguments(&run[s]->given) : copy_of(run[s]->arguments);
    }
    return add(d, "arguments", false, value[0], value[1], err);
}

int diff_labels(struct mpj_diff *d, struct mpj_run *const run[2], struct mpj_err *err)
{
    const struct mpj_run *const a = run[0];
    const struct mpj_run *const b = run[1];
    const struct {
        const char *name, *value[2];
    } program[] =
        {
            {"program", {a->program, b->program}},
            {"sha256", {a->firmware_sha256, b->firmware_sha256}},
        },
      tool[] = {
          {"target", {a->target, b->target}},
          {"calibration", {a->calibration, b->calibration}},
          {"quantum", {a->quantum, b->quantum}},
          {"seed", {a->seed, b->seed}},
          {"mpjoule", {a->version, b->version}},
          {"compiler", {a->compiler, b->compiler}},
          {"runtime", {a->runtime_sha256, b->runtime_sha256}},
          {"emulator", {a->emulator_sha256, b->emulator_sha256}},
          {"content of the calibration", {a->calibration_sha256, b->calibration_sha256}},
          {"content of the predictor", {a->predictor_sha256, b->predictor_sha256}},
      };
    int result = MPJ_E_OK;

    for (size_t i = 0; i < sizeof(program) / sizeof(program[0]) && result == MPJ_E_OK; i++)
        result = add(d, program[i].name, false, copy_of(program[i].value[0]),
                     copy_of(program[i].value[1]), err);
    if (result == MPJ_E_OK)
        result = add_arguments(d, run, err);
    if (result == MPJ_E_OK)
        result = add_items(d, run, false, err);
    if (result == MPJ_E_OK)
        result =
            add(d, "stdin", false, mpj_given_stdin(&a->given), mpj_given_stdin(&b->given), err);
    if (result == MPJ_E_OK && (a->given.terminal != NULL || b->given.terminal != NULL))
        result = add(d, "terminal", false,
                     copy_of(a->given.terminal != NULL ? a->given.terminal : NOT_GIVEN),
                     copy_of(b->given.terminal != NULL ? b->given.terminal : NOT_GIVEN), err);
    for (size_t i = 0; i < sizeof(tool) / sizeof(tool[0]) && result == MPJ_E_OK; i++)
        result =
            add(d, tool[i].name, true, copy_of(tool[i].value[0]), copy_of(tool[i].value[1]), err);
    return result == MPJ_E_OK ? add_items(d, run, true, err) : result;
}

void diff_labels_free(struct mpj_diff *d)
{
    for (unsigned i = 0; i < d->labels; i++) {
        free(d->label[i].name);
        free(d->label[i].value[0]);
        free(d->label[i].value[1]);
    }
    free(d->label);
}
