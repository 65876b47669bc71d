/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep_show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "base/file.h"
#include "cli.h"
#include "conclude.h"
#include "run/cache.h"

enum criterion { TIME, ENERGY, EDP, ED2P, CRITERIA };

static const char *const names[CRITERIA] = {"time", "energy", "EDP", "ED2P"};
static const char *const keys[CRITERIA] = {"time", "energy", "edp", "ed2p"};

static double figure(const struct run_sweep_point *p, enum criterion c)
{
    double v = c == TIME ? p->time_s : p->energy_uj;

    if (c == EDP || c == ED2P)
        v *= p->time_s;
    return c == ED2P ? v * p->time_s : v;
}

/* Returns the number of calibrations, and per_member() the points of each: they follow each
 * other. */
static unsigned members(const struct run_sweep *s)
{
    return s->axis[0].calibrations && s->axis[0].values > 0 ? s->axis[0].values : 1;
}

static unsigned per_member(const struct run_sweep *s)
{
    const unsigned n = s->points / members(s);

    return n > 0 ? n : 1;
}

static unsigned member_of(const struct run_sweep *s, const struct run_sweep_point *p)
{
    return (unsigned)(p - s->point) / per_member(s);
}

static const struct run_sweep_point *first_of(const struct run_sweep *s,
                                              const struct run_sweep_point *p)
{
    return &s->point[member_of(s, p) * per_member(s)];
}

/* Returns the best point with a calibration; NULL: none has the figure. */
static const struct run_sweep_point *best(const struct run_sweep *s, unsigned member,
                                          enum criterion c)
{
    const struct run_sweep_point *found = NULL;

    for (unsigned k = member * per_member(s); k < (member + 1) * per_member(s); k++) {
        const struct run_sweep_point *const p = &s->point[k];
        if (p->failed || !p->made || (c != TIME && !p->have_energy))
            continue;
        if (found == NULL || figure(p, c) < figure(found, c))
            found = p;
    }
    return found;
}

/* Returns the cores or threads at a point: the least number on the axes; 0: none. */
static double degree(const struct run_sweep *s, const struct run_sweep_point *p)
{
    double least = 0.0;

    for (unsigned i = 0; i < s->axes; i++) {
        char *end;
        const char *const text = s->axis[i].value[p->index[i]];
        const double v = strtod(text, &end);
        if (end == text || *end != '\0' || v <= 0)
            continue;
        if (s->axis[i].name != NULL && strstr(s->axis[i].name, "THREADS") == NULL)
            continue;
        if (least == 0.0 || v < least)
            least = v;
    }
    return least;
}

/* Returns the speed-up of a point with figures; 0: unknown, the first row has none. */
static double speed_up(const struct run_sweep *s, const struct run_sweep_point *p)
{
    const struct run_sweep_point *const first = first_of(s, p);

    return first->failed || !first->made || p->time_s <= 0 ? 0.0 : first->time_s / p->time_s;
}

/* Returns the speed-up per added core or thread; 0: unknown. */
static double efficiency(const struct run_sweep *s, const struct run_sweep_point *p)
{
    const double here = degree(s, p);
    const double base = degree(s, first_of(s, p));

    return here > 0 && base > 0 ? speed_up(s, p) * base / here : 0.0;
}

/* Prints a user's word, cleaned for a terminal. */
static void put_word(int width, const char *text)
{
    char *const copy = strdup(text);

    if (copy != NULL)
        mpj_text_clean(copy);
    printf("%-*s", width, copy != NULL ? copy : "");
    free(copy);
}

static int axis_width(const struct run_sweep_axis *a)
{
    size_t most = a->name != NULL || a->calibrations ? strlen(run_sweep_axis_name(a)) : 5;

    for (unsigned i = 0; a->calibrations && i < a->values; i++)
        most = strlen(a->value[i]) > most ? strlen(a->value[i]) : most;
    return (int)most + 2;
}

/* Prints a relative figure; "-" for 0, which is unknown. */
static void put_relative(int width, int digits, double v, const char *unit)
{
    if (v > 0)
        printf("%*.*f%s", width, digits, v, unit);
    else
        printf("%*s%*s", width, "-", (int)strlen(unit), "");
}

/* Prints why a row has no figures, with the file of its messages if there is one. */
static void text_failed(const struct run_sweep_point *p)
{
    char *file = NULL;

    if (!p->made) {
        puts("  not run");
        return;
    }
    printf("  failed, exit status %d", p->status);
    if (asprintf(&file, "%s" RUN_FAILED_ERRORS, p->stem) < 0)
        file = NULL;
    if (file != NULL && access(file, F_OK) == 0) {
        printf(": see ");
        put_word(0, file);
    }
    putchar('\n');
    free(file);
}

static void text_row(const struct run_sweep *s, const struct run_sweep_point *p)
{
    const struct run_sweep_point *const first = first_of(s, p);
    const char *comma = "  best: ";

    for (unsigned i = 0; i < s->axes; i++)
        put_word(axis_width(&s->axis[i]), s->axis[i].value[p->index[i]]);
    if (p->failed || !p->made) {
        text_failed(p);
        return;
    }
    printf("%13.3f", p->time_s * 1e3);
    put_relative(10, 2, speed_up(s, p), "");
    put_relative(10, 0, 100.0 * efficiency(s, p), " %");
    if (p->have_energy) {
        printf("%13.4f", p->energy_uj / 1e3);
        put_relative(
            9, 2, first->have_energy && !first->failed ? p->energy_uj / first->energy_uj : 0, "");
        printf("%15.4f", figure(p, EDP) / 1e3);
    } else {
        printf("%13s%9s%15s", "-", "-", "-");
    }
    for (enum criterion c = 0; c < CRITERIA; c++) {
        if (best(s, member_of(s, p), c) != p)
            continue;
        printf("%s%s", comma, names[c]);
        comma = ", ";
    }
    putchar('\n');
}

/* Prints why points have no energy, if they are too short for it. */
static void text_too_short(const struct run_sweep *s)
{
    bool some = false;

    for (unsigned k = 0; k < s->points; k++) {
        const struct run_sweep_point *const p = &s->point[k];
        some = some || (p->made && !p->failed && !p->have_energy && p->has_power);
    }
    if (some)
        puts("\nNo energy: shorter than the ADC's period. Take more samples (--sample-ms), or let "
             "the "
             "program run longer");
}

static void text(const struct run_sweep *s)
{
    printf("Sweep of");
    for (unsigned i = 0; i < s->argc; i++) {
        putchar(' ');
        put_word(0, s->argv[i]);
    }
    printf("  (relative to the first row)\n\n");
    for (unsigned i = 0; i < s->axes; i++)
        put_word(axis_width(&s->axis[i]), run_sweep_axis_name(&s->axis[i]));
    printf("%13s%10s%12s%13s%9s%15s\n", "time ms", "speed-up", "efficiency", "energy mJ",
           "relative", "EDP mJ s");
    for (unsigned k = 0; k < s->points; k++)
        text_row(s, &s->point[k]);
    text_too_short(s);
}

/* Returns the place of a point, without its calibration: "cores=4". Allocated; NULL: out of
 * memory. */
static char *place(const struct run_sweep *s, const struct run_sweep_point *p)
{
    char *out = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&out, &size);

    if (f == NULL)
        return NULL;
    for (unsigned i = 1; i < s->axes; i++)
        fprintf(f, "%s%s=%s", i > 1 ? " " : "", run_sweep_axis_name(&s->axis[i]),
                s->axis[i].value[p->index[i]]);
    return fclose(f) == 0 ? out : NULL;
}

/* Returns what the first calibration's best point costs with another one over its best, relative;
 * NAN: not known. */
static double worse(const struct run_sweep *s, const struct run_sweep_point *found,
                    enum criterion c)
{
    const struct run_sweep_point *const one = best(s, 0, c);
    const struct run_sweep_point *const here =
        one != NULL ? first_of(s, found) + (one - first_of(s, one)) : NULL;

    return here != NULL && here->made && !here->failed && (c == TIME || here->have_energy)
               ? figure(here, c) / figure(found, c) - 1
               : (double)NAN;
}

static int conclude(const struct run_sweep *s, struct conclusions *all, struct mpj_err *err)
{
    static const char *const units[CRITERIA] = {"s", "uJ", "uJ s", "uJ s2"};

    for (unsigned m = 0; m < members(s); m++) {
        all->set.name[m] = strdup(s->axis[0].value[m]);
        if (all->set.name[m] == NULL)
            return mpj_err_nomem(err);
        all->set.names++;
    }
    for (unsigned m = 0; m < members(s); m++) {
        for (enum criterion c = 0; c < CRITERIA; c++) {
            const struct run_sweep_point *const p = best(s, m, c);
            char what[32];
            if (best(s, 0, c) == NULL && p == NULL)
                continue;
            snprintf(what, sizeof(what), "best %s", names[c]);
            conclude_add(all, m, what, units[c], p != NULL ? place(s, p) : NULL,
                         p != NULL ? figure(p, c) : (double)NAN,
                         p != NULL ? worse(s, p, c) : (double)NAN);
        }
    }
    return MPJ_E_OK;
}

static json_t *point_json(const struct run_sweep *s, const struct run_sweep_point *p)
{
    json_t *const o = json_object();
    json_t *const at = json_object();

    for (unsigned i = 0; i < s->axes; i++)
        json_object_set_new(at, run_sweep_axis_name(&s->axis[i]),
                            json_string(s->axis[i].value[p->index[i]]));
    json_object_set_new(o, "at", at);
    if (p->failed || !p->made) {
        json_object_set_new(o, "failed", json_true());
        return o;
    }
    json_object_set_new(o, "time_s", json_real(p->time_s));
    if (speed_up(s, p) > 0)
        json_object_set_new(o, "speed_up", json_real(speed_up(s, p)));
    if (efficiency(s, p) > 0)
        json_object_set_new(o, "efficiency", json_real(efficiency(s, p)));
    if (p->have_energy) {
        json_object_set_new(o, "energy_uj", json_real(p->energy_uj));
        json_object_set_new(o, "edp_uj_s", json_real(figure(p, EDP)));
        json_object_set_new(o, "ed2p_uj_s2", json_real(figure(p, ED2P)));
    }
    return o;
}

static json_t *winners_json(const struct run_sweep *s, unsigned member)
{
    json_t *const winners = json_object();

    for (enum criterion c = 0; c < CRITERIA; c++) {
        const struct run_sweep_point *const p = best(s, member, c);
        if (p != NULL)
            json_object_set_new(winners, keys[c], json_integer(p - s->point));
    }
    return winners;
}

static void put_assumptions(const struct run_sweep *s, const struct conclusions *conclusions,
                            json_t *root)
{
    json_t *const all = json_array();
    json_t *const flipped = json_array();

    for (unsigned m = 0; m < members(s); m++)
        json_array_append_new(all, json_pack("{s:s,s:o}", "calibration", s->axis[0].value[m],
                                             "best", winners_json(s, m)));
    for (enum criterion c = 0; c < CRITERIA; c++) {
        for (unsigned i = 0; i < conclusions->n; i++) {
            if (strcmp(conclusions->at[i].what + strlen("best "), names[c]) == 0 &&
                conclude_flips(conclusions, &conclusions->at[i]))
                json_array_append_new(flipped, json_string(keys[c]));
        }
    }
    json_object_set_new(root, "assumptions", all);
    json_object_set_new(root, "flips", flipped);
    conclude_json(conclusions, root);
}

/* The content of the JSON. */
struct written {
    const struct run_sweep *s;
    const struct conclusions *conclusions;
};

static json_t *to_json(const struct written *w)
{
    const struct run_sweep *const s = w->s;
    json_t *const root = json_object();
    json_t *const points = json_array();
    json_t *const winners = winners_json(s, 0);

    json_object_set_new(root, "schema", json_string("mpjoule-sweep/1"));
    json_object_set_new(root, "program", json_string(s->argv[0]));
    for (unsigned k = 0; k < s->points; k++)
        json_array_append_new(points, point_json(s, &s->point[k]));
    json_object_set_new(root, "points", points);
    json_object_set_new(root, "best", winners);
    if (s->axis[0].calibrations)
        put_assumptions(s, w->conclusions, root);
    return root;
}

static int put_json(const void *what, FILE *f, struct mpj_err *err)
{
    json_t *const root = to_json(what);
    int result = MPJ_E_OK;

    if (json_dumpf(root, f, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) != 0 || fputc('\n', f) == EOF)
        result = mpj_err_errno(err, "cannot write the JSON");
    json_decref(root);
    return result;
}

int sweep_show(const struct run_sweep *s, const struct sweep_files *files, struct mpj_err *err)
{
    const bool shown = !cli_is_stdout(files->json) && !cli_is_stdout(files->svg) && !cli_quiet();
    struct conclusions all = {.n = 0};
    const struct written w = {s, &all};
    unsigned failed = 0;
    int result = s->axis[0].calibrations ? conclude(s, &all, err) : MPJ_E_OK;

    if (result == MPJ_E_OK && shown)
        text(s);
    if (result == MPJ_E_OK && shown && s->axis[0].calibrations)
        conclude_text(&all, stdout);
    for (unsigned k = 0; k < s->points; k++)
        failed += s->point[k].failed || !s->point[k].made;
    result = cli_output(result, cli_place(files->json, failed < s->points), put_json, &w, err);
    result = cli_output(result, failed < s->points ? files->svg : NULL, conclude_draw, &all, err);
    conclude_free(&all);
    if (result == MPJ_E_OK && failed > 0)
        result =
            mpj_err_set(err, MPJ_E_PROGRAM, "%u of %u runs failed: see the .failed.err files in %s",
                        failed, s->points, s->folder);
    return result;
}
