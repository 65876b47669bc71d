/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists the files that sweeps, tunes and explorations will read. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "run/inputs.h"
#include "run/paths.h"
#include "search/explore.h"
#include "sweep_int.h"
#include "tile_limits.h"
#include "tune_int.h"

int run_inputs_sweep(const struct run_inputs *r, const struct run_sweep *s, struct mpj_err *err)
{
    char usual[TILE_NAME_SIZE];

    if (run_inputs_file(r, s->argv[0], err) != MPJ_E_OK ||
        run_inputs_file(r, s->input, err) != MPJ_E_OK ||
        run_inputs_file(r, run_sweep_option(s, "boards"), err) != MPJ_E_OK)
        return err->code;
    for (unsigned i = 0; s->axes > 0 && s->axis[0].calibrations && i < s->axis[0].values; i++) {
        if (run_inputs_calibration(r, s->axis[0].value[i], err) != MPJ_E_OK)
            return err->code;
    }
    return run_inputs_calibration(r, run_sweep_calibration(s, NULL, usual), err);
}

/* ---- a tune --------------------------------------------------------------------------- */

/* Takes a text whose {AXIS} are replaced. */
typedef int take_text(const struct run_inputs *r, const char *text, struct mpj_err *err);

/* Advances to the next values of the axes that the text names; false: there are none. */
static bool next(const struct run_tune *t, const char *text, struct run_tune_point *p)
{
    for (unsigned a = 0; a < t->axes; a++) {
        const size_t len = strlen(t->axis[a].name);
        const char *at = text;
        while ((at = strchr(at, '{')) != NULL &&
               (strncmp(at + 1, t->axis[a].name, len) != 0 || at[len + 1] != '}'))
            at++;
        if (at == NULL)
            continue;
        if (++p->index[a] < t->axis[a].values)
            return true;
        p->index[a] = 0;
    }
    return false;
}

/* Takes the text with each value that its axes have. */
static int take_filled(const struct run_inputs *r, const struct run_tune *t, const char *text,
                       take_text *how, struct mpj_err *err)
{
    struct run_tune_point p = {.index = {0}};
    int result = MPJ_E_OK;
    unsigned n = 0;

    if (text == NULL)
        return MPJ_E_OK;
    do {
        char *const whole = run_tune_fill(t, &p, text);
        result = whole != NULL ? how(r, whole, err) : mpj_err_nomem(err);
        free(whole);
    } while (result == MPJ_E_OK && ++n < RUN_TUNE_POINTS_MAX && next(t, text, &p));
    return result;
}

static int take_options(const struct run_inputs *r, const char *words, struct mpj_err *err)
{
    return run_inputs_source(r, NULL, NULL, words, err);
}

static int take_sources(const struct run_inputs *r, const struct run_tune *t, struct mpj_err *err)
{
    int result = take_filled(r, t, t->compiler, take_options, err);

    for (unsigned i = 0; i < t->source.n && result == MPJ_E_OK; i++) {
        result = run_inputs_source(r, NULL, t->source.at[i].name, "", err);
        if (result == MPJ_E_OK)
            result = take_filled(r, t, t->source.at[i].text, take_options, err);
    }
    return result;
}

int run_inputs_tune(const struct run_inputs *r, const struct run_tune *t, struct mpj_err *err)
{
    int result = run_inputs_file(r, t->program, err);
    bool chip = false;

    if (result == MPJ_E_OK)
        result = take_sources(r, t, err);
    for (unsigned i = 0; i < t->option.n && result == MPJ_E_OK; i++) {
        const char *const name = t->option.at[i].name;
        if (strcmp(name, "stdin") == 0 || strcmp(name, "boards") == 0)
            result = take_filled(r, t, t->option.at[i].text, run_inputs_file, err);
        if (strcmp(name, "calibration") != 0)
            continue;
        chip = true;
        result = take_filled(r, t, t->option.at[i].text, run_inputs_calibration, err);
    }
    return result == MPJ_E_OK && !chip ? run_inputs_calibration(r, TILE_CALIBRATION_DEFAULT, err)
                                       : result;
}

int run_inputs_explore(const struct run_inputs *r, const struct run_explore *x, struct mpj_err *err)
{
    char *const usual = x->laws == NULL ? run_path_laws() : NULL;
    const char *const laws = x->laws != NULL ? x->laws : usual;
    int result = laws != NULL ? run_inputs_lines(r, laws, err) : mpj_err_nomem(err);

    if (result == MPJ_E_OK)
        result = run_inputs_tune(r, &x->tune, err);
    free(usual);
    return result;
}
