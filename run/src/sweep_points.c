/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The points of a sweep: what varies, their files, and what is known of those that were made. */
#include "sweep_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <jansson.h>

#include "kept.h"
#include "mpj_image.h"
#include "tile_limits.h"

/* ---- what varies -------------------------------------------------------------- */

static int add_value(void *ctx, const char *text, size_t len, struct mpj_err *err)
{
    struct run_sweep_axis *const a = ctx;

    if (a->values == RUN_SWEEP_VALUES_MAX)
        return mpj_err_set(err, MPJ_E_USAGE, "more than %u values", RUN_SWEEP_VALUES_MAX);
    if (a->name == NULL && (len != 1 || text[0] < '1' || text[0] > '4'))
        return mpj_err_set(err, MPJ_E_USAGE, "--cores takes numbers from 1 to 4, not \"%.*s\"",
                           (int)len, text);
    a->value[a->values] = strndup(text, len);
    if (a->value[a->values] == NULL)
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    a->values++;
    return MPJ_E_OK;
}

int run_sweep_axis(struct run_sweep *s, const char *name, const char *values, struct mpj_err *err)
{
    struct run_sweep_axis *const a = &s->axis[s->axes];

    if (s->axes == RUN_SWEEP_AXES_MAX)
        return mpj_err_set(err, MPJ_E_USAGE, "more than %u options vary", RUN_SWEEP_AXES_MAX);
    s->axes++;
    if (name != NULL && (a->name = strdup(name)) == NULL)
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    return run_kept_values(values, add_value, a, err);
}

/* ---- points ------------------------------------------------------------------- */

/* Stem and key of a point. The stem has the values, so that a user finds the run. */
static int name_point(const struct run_sweep *s, struct run_sweep_point *p, const char *sha256,
                      struct mpj_err *err)
{
    struct stat st;
    size_t n = 0;
    FILE *f = open_memstream(&p->stem, &n);

    if (f == NULL)
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    fprintf(f, "%s/run", s->folder);
    for (unsigned i = 0; i < s->axes; i++) {
        const struct run_sweep_axis *const a = &s->axis[i];
        fprintf(f, "-%s=", a->name != NULL ? a->name : "cores");
        for (const char *c = a->value[p->index[i]]; *c != '\0'; c++)
            fputc(*c == '/' ? '_' : *c, f);
    }
    fclose(f);
    f = open_memstream(&p->key, &n);
    if (f == NULL)
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    fprintf(f, "%s\n%s\n", MPJ_VERSION, sha256);
    for (unsigned i = 0; i < s->options; i++)
        fprintf(f, "%s\n", s->option[i]);
    for (unsigned i = 1; i < s->argc; i++)
        fprintf(f, "%s\n", s->argv[i]);
    if (s->input != NULL && stat(s->input, &st) == 0)
        fprintf(f, "%lld %lld.%09ld\n", (long long)st.st_size, (long long)st.st_mtim.tv_sec,
                st.st_mtim.tv_nsec);
    for (unsigned i = 0; i < s->axes; i++)
        fprintf(f, "%s=%s\n", s->axis[i].name != NULL ? s->axis[i].name : "",
                s->axis[i].value[p->index[i]]);
    fclose(f);
    return MPJ_E_OK;
}

int run_sweep_plan(struct run_sweep *s, struct mpj_err *err)
{
    struct mpj_image image;
    struct stat st;

    if (mpj_image_check(&image, s->argv[0], err) != MPJ_E_OK)
        return err->code;
    memcpy(s->sha256, image.sha256, sizeof(s->sha256));
    if (s->input != NULL && (stat(s->input, &st) != 0 || !S_ISREG(st.st_mode)))
        return mpj_err_set(err, MPJ_E_USAGE,
                           "each run of a sweep reads --stdin: %s is not a regular file", s->input);
    if (mkdir(s->folder, 0777) != 0 && errno != EEXIST)
        return mpj_err_errno(err, "cannot make the folder %s", s->folder);
    s->points = 1;
    for (unsigned i = 0; i < s->axes; i++) {
        s->points *= s->axis[i].values;
        if (s->points > RUN_SWEEP_POINTS_MAX)
            return mpj_err_set(err, MPJ_E_USAGE, "more than %u combinations", RUN_SWEEP_POINTS_MAX);
    }
    s->point = calloc(s->points, sizeof(*s->point));
    if (s->point == NULL)
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    for (unsigned k = 0; k < s->points; k++) {
        unsigned rest = k;
        for (unsigned i = s->axes; i-- > 0;) {
            s->point[k].index[i] = rest % s->axis[i].values;
            rest /= s->axis[i].values;
        }
        if (name_point(s, &s->point[k], image.sha256, err) != MPJ_E_OK)
            return err->code;
    }
    return MPJ_E_OK;
}

const char *run_sweep_calibration(const struct run_sweep *s)
{
    static const char option[] = "--calibration=";
    const char *found = TILE_CALIBRATION_DEFAULT;

    for (unsigned i = 0; i < s->options; i++) {
        if (strncmp(s->option[i], option, sizeof(option) - 1) == 0)
            found = s->option[i] + sizeof(option) - 1;
    }
    return found;
}

bool run_sweep_read(struct run_sweep_point *p)
{
    char *const path = run_kept_file(p->stem, ".json");
    json_t *const root = path != NULL ? json_load_file(path, 0, NULL) : NULL;
    const json_t *const time = json_object_get(root, "time_s");
    const json_t *const energy =
        json_object_get(json_object_get(json_object_get(root, "adc"), "processor"), "energy_uj");
    const bool ok = time != NULL;

    p->time_s = json_number_value(time);
    p->have_energy = energy != NULL;
    p->energy_uj = json_number_value(energy);
    json_decref(root);
    free(path);
    return ok;
}

void run_sweep_free(struct run_sweep *s)
{
    for (unsigned k = 0; s->point != NULL && k < s->points; k++) {
        free(s->point[k].stem);
        free(s->point[k].key);
    }
    free(s->point);
    for (unsigned i = 0; i < s->axes; i++) {
        free(s->axis[i].name);
        for (unsigned v = 0; v < s->axis[i].values; v++)
            free(s->axis[i].value[v]);
    }
    for (unsigned i = 0; i < s->options; i++)
        free(s->option[i]);
}
