/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a history and finds its trends: slow increases, of which no step is large. */
#include "gate/history.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge_int.h"

#define LEAST 1e-4 /* a smaller change of a step has no culprit worth a word */

const char *mpj_trend_item(unsigned item)
{
    return item == 0 ? "time" : "energy";
}

/* ---- files ------------------------------------------------------------------------------- */

static int is_history(const struct dirent *e)
{
    const char *const dot = strrchr(e->d_name, '.');

    return e->d_name[0] != '.' && dot != NULL && strcmp(dot, ".json") == 0;
}

static json_int_t time_of(const json_t *file)
{
    return json_integer_value(json_object_get(json_object_get(file, "commit"), "time"));
}

static const char *sha_of(const json_t *file)
{
    return json_string_value(json_object_get(json_object_get(file, "commit"), "sha"));
}

static int by_commit(const void *a, const void *b)
{
    const json_t *const x = *(json_t *const *)a;
    const json_t *const y = *(json_t *const *)b;
    const json_int_t t = time_of(x);
    const json_int_t u = time_of(y);

    return t != u ? (t > u) - (t < u) : strcmp(sha_of(x), sha_of(y));
}

static int read_file(struct mpj_history *h, const char *name, struct mpj_err *err)
{
    char *path = NULL;
    json_t *root;

    if (asprintf(&path, "%s/%s", h->folder, name) < 0)
        return mpj_err_nomem(err);
    root = gate_file_read(path, MPJ_HISTORY, "--history", err);
    if (root != NULL && sha_of(root) == NULL) {
        mpj_err_set(err, MPJ_E_USAGE, "%s names no commit: remove it", path);
        json_decref(root);
        root = NULL;
    }
    free(path);
    if (root == NULL)
        return err->code;
    h->file[h->files++] = root;
    return MPJ_E_OK;
}

static int read_files(struct mpj_history *h, struct mpj_err *err)
{
    struct dirent **entry = NULL;
    const int n = scandir(h->folder, &entry, is_history, alphasort);
    int result = MPJ_E_OK;

    if (n < 0)
        return mpj_err_errno(err, "cannot read the history %s", h->folder);
    h->file = calloc((size_t)n + 1, sizeof(json_t *));
    if (h->file == NULL)
        result = mpj_err_nomem(err);
    for (int i = 0; i < n; i++) {
        if (result == MPJ_E_OK && h->file != NULL)
            result = read_file(h, entry[i]->d_name, err);
        free(entry[i]);
    }
    free(entry);
    if (result == MPJ_E_OK && h->files == 0)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "%s has no history: `mpjoule gate --history %s` adds a commit",
                           h->folder, h->folder);
    if (result == MPJ_E_OK && h->file != NULL)
        qsort(h->file, h->files, sizeof(json_t *), by_commit);
    return result;
}

/* ---- steps ------------------------------------------------------------------------------- */

static const json_t *program(const json_t *file, const char *name)
{
    return json_object_get(json_object_get(file, "programs"), name);
}

static const char *label(const json_t *p, const char *of, const char *name)
{
    return json_string_value(json_object_get(json_object_get(p, of), name));
}

static bool differs(const json_t *a, const json_t *b, const char *of, const char *name)
{
    const char *const x = label(a, of, name);
    const char *const y = label(b, of, name);

    return x != NULL && y != NULL && strcmp(x, y) != 0;
}

/* True if figures of both can be compared, as a gate does. */
static bool comparable(const json_t *a, const json_t *b)
{
    static const char *const terms[] = {"calibration", "calibration_sha256", "target", "quantum"};
    bool same = !differs(a, b, "program", "arguments");

    for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++)
        same = same && !differs(a, b, "tools", terms[i]);
    return same;
}

/* Returns the names of the tools that differ. NULL: none, or out of memory. */
static char *other_tools(const json_t *a, const json_t *b)
{
    static const char *const tools[] = {"mpjoule", "emulator_sha256", "runtime_sha256", "compiler"};
    char text[80] = "";

    for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
        const size_t used = strlen(text);
        if (differs(a, b, "tools", tools[i]))
            snprintf(text + used, sizeof(text) - used, "%s%.*s", used > 0 ? ", " : "",
                     (int)strcspn(tools[i], "_"), tools[i]);
    }
    return text[0] != '\0' ? strdup(text) : NULL;
}

static double figure(const json_t *p, unsigned item)
{
    return mpj_gate_figure(json_object_get(p, "figures"), mpj_trend_item(item), NULL, NULL);
}

/* Writes the sentence of a change's culprit; NULL: there is none. */
static int explain(const json_t *a, const json_t *b, unsigned item, char **out, struct mpj_err *err)
{
    struct mpj_blame blame;
    size_t size;
    FILE *f;

    if (mpj_blame_change(a, b, mpj_trend_item(item), figure(b, item) - figure(a, item), &blame,
                         err) != MPJ_E_OK)
        return err->code;
    if (blame.culprit == NULL)
        return MPJ_E_OK;
    f = open_memstream(out, &size);
    if (f != NULL)
        mpj_blame_say(&blame, false, f);
    mpj_blame_free(&blame);
    if (f == NULL || fclose(f) != 0)
        return mpj_err_nomem(err);
    mpj_text_clean(*out);
    return MPJ_E_OK;
}

static int add_step(struct mpj_trend *t, const json_t *file, const json_t *before,
                    struct mpj_err *err)
{
    const json_t *const now = program(file, t->name);
    struct mpj_trend_step *const s = &t->step[t->steps++];

    s->sha = sha_of(file);
    s->begins = before == NULL || !comparable(before, now);
    s->tools = s->begins ? NULL : other_tools(before, now);
    for (unsigned i = 0; i < MPJ_TREND_ITEMS; i++) {
        s->value[i] = figure(now, i);
        s->change[i] = s->begins ? NAN : s->value[i] / figure(before, i) - 1;
        if (fabs(s->change[i]) >= LEAST && explain(before, now, i, &s->why[i], err) != MPJ_E_OK)
            return err->code;
    }
    return MPJ_E_OK;
}

/* ---- totals ------------------------------------------------------------------------------ */

/* Returns the file of a trend's step. */
static const json_t *file_of(const struct mpj_history *h, const struct mpj_trend *t, unsigned step)
{
    unsigned n = 0;

    for (unsigned i = 0; i < h->files; i++) {
        if (program(h->file[i], t->name) != NULL && n++ == step)
            return h->file[i];
    }
    return NULL;
}

/* Compares the last step with the best one that compares with it: small steps add up. */
static int sum_up(const struct mpj_history *h, struct mpj_trend *t, unsigned item,
                  struct mpj_err *err)
{
    struct mpj_trend_total *const all = &t->total[item];
    const unsigned last = t->steps - 1;
    unsigned first = last;

    while (first > 0 && !t->step[first].begins)
        first--;
    all->best = first;
    for (unsigned i = first; i <= last; i++) {
        const double best = t->step[all->best].value[item];

        if (isnan(best) || t->step[i].value[item] <= best) /* unknown in the first files */
            all->best = i;
    }
    all->change = t->step[last].value[item] / t->step[all->best].value[item] - 1;
    for (unsigned i = all->best + 1; i <= last; i++)
        all->largest = fmax(all->largest, t->step[i].change[item]);
    all->beyond = all->change > h->limit / 100;
    return all->beyond ? explain(program(file_of(h, t, all->best), t->name),
                                 program(file_of(h, t, last), t->name), item, &all->why, err)
                       : MPJ_E_OK;
}

static int make_trend(struct mpj_history *h, struct mpj_trend *t, struct mpj_err *err)
{
    const json_t *before = NULL;

    t->step = calloc(h->files, sizeof(*t->step));
    if (t->step == NULL)
        return mpj_err_nomem(err);
    for (unsigned i = 0; i < h->files; i++) {
        const json_t *const now = program(h->file[i], t->name);
        if (now != NULL && add_step(t, h->file[i], before, err) != MPJ_E_OK)
            return err->code;
        before = now != NULL ? now : before;
    }
    for (unsigned i = 0; i < MPJ_TREND_ITEMS; i++) {
        if (sum_up(h, t, i, err) != MPJ_E_OK)
            return err->code;
        h->beyond = h->beyond || t->total[i].beyond;
    }
    return MPJ_E_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct mpj_trend *)a)->name, ((const struct mpj_trend *)b)->name);
}

static bool has_trend(const struct mpj_history *h, const char *name)
{
    for (unsigned i = 0; i < h->trends; i++) {
        if (h->trend[i].name != NULL && strcmp(h->trend[i].name, name) == 0)
            return true;
    }
    return false;
}

/* Lists the programs of all files. */
static int list_programs(struct mpj_history *h, struct mpj_err *err)
{
    size_t most = 0;

    for (unsigned i = 0; i < h->files; i++)
        most += json_object_size(json_object_get(h->file[i], "programs"));
    h->trend = calloc(most + 1, sizeof(*h->trend));
    if (h->trend == NULL)
        return mpj_err_nomem(err);
    for (unsigned i = 0; i < h->files; i++) {
        const char *name;
        json_t *p;
        json_object_foreach(json_object_get(h->file[i], "programs"), name, p)
        {
            if (!has_trend(h, name))
                h->trend[h->trends++].name = name;
        }
    }
    if (h->trends > 1)
        qsort(h->trend, h->trends, sizeof(*h->trend), by_name);
    return MPJ_E_OK;
}

int mpj_history_read(struct mpj_history *h, const char *folder, double limit, struct mpj_err *err)
{
    *h = (struct mpj_history){.folder = strdup(folder), .limit = limit};
    if (h->folder == NULL)
        return mpj_err_nomem(err);
    if (read_files(h, err) != MPJ_E_OK || list_programs(h, err) != MPJ_E_OK)
        return err->code;
    for (unsigned i = 0; i < h->trends; i++) {
        if (make_trend(h, &h->trend[i], err) != MPJ_E_OK)
            return err->code;
    }
    return MPJ_E_OK;
}

void mpj_history_free(struct mpj_history *h)
{
    for (unsigned i = 0; i < h->trends; i++) {
        struct mpj_trend *const t = &h->trend[i];
        for (unsigned k = 0; k < t->steps; k++) {
            free(t->step[k].tools);
            for (unsigned item = 0; item < MPJ_TREND_ITEMS; item++)
                free(t->step[k].why[item]);
        }
        for (unsigned item = 0; item < MPJ_TREND_ITEMS; item++)
            free(t->total[item].why);
        free(t->step);
    }
    for (unsigned i = 0; i < h->files; i++)
        json_decref(h->file[i]);
    free(h->file);
    free(h->trend);
    free(h->folder);
}
