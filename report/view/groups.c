/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/groups.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/expr.h"

#define SUFFIX ".conf"

/* Names of formulas in addition to events. A core's own SCU events have one name for all cores. */
enum quantity {
    Q_CYCLES = 1000,
    Q_BUSY,
    Q_RUNNING,
    Q_WFI,
    Q_TIME,
    Q_CLOCK,
    Q_ENERGY,
    Q_POWER,
    Q_PLL_POWER,
    Q_MODEL_ENERGY,
    Q_OWN_MISS,
    Q_OWN_C2C,
    Q_OWN_TAGWRONG,
};

static const struct {
    const char *name;
    enum quantity q;
    int events; /* row of core 0's event, for names of one event of each core; else -1 */
} quantities[] = {
    {"cycles", Q_CYCLES, -1},
    {"busy", Q_BUSY, -1},
    {"running", Q_RUNNING, -1},
    {"wfi", Q_WFI, -1},
    {"time", Q_TIME, -1},
    {"clock", Q_CLOCK, -1},
    {"energy", Q_ENERGY, -1},
    {"power", Q_POWER, -1},
    {"pll_power", Q_PLL_POWER, -1},
    {"model_energy", Q_MODEL_ENERGY, -1},
    {"scu_miss", Q_OWN_MISS, MPJ_ROW_SCU_MISS_CPU0},
    {"scu_c2c", Q_OWN_C2C, MPJ_ROW_SCU_C2C_CPU0},
    {"scu_tagwrong", Q_OWN_TAGWRONG, MPJ_ROW_SCU_TAGWRONG_CPU0},
};
#define QUANTITIES (sizeof(quantities) / sizeof(quantities[0]))

/* ---- values --------------------------------------------------------------------- */

struct values {
    const struct mpj_run *run;
    int core;      /* negative: all */
    bool some;     /* sums over those cores that counted */
    bool estimate; /* a scaled count was used */
};

/* Returns the sum of f over the selected cores. */
static double over_cores(const struct values *v, double (*f)(const struct mpj_core_result *c))
{
    double sum = 0.0;
    bool any = false;

    for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
        if (!v->run->core[k].present || (v->core >= 0 && v->core != (int)k))
            continue;
        sum += f(&v->run->core[k]);
        any = true;
    }
    return any ? sum : NAN;
}

static double counted(struct values *v, const struct mpj_value *of)
{
    v->estimate = v->estimate || (of->present && of->coverage < 1.0);
    return of->present ? (double)of->value : NAN;
}

/* Returns an event of the cores. */
static double of_event(struct values *v, int i)
{
    double sum = 0.0;
    bool any = false;

    if (v->core < 0 && v->some) {
        const struct mpj_value all = mpj_run_total(v->run, i);
        return counted(v, &all);
    }
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
        if (!v->run->core[k].present || (v->core >= 0 && v->core != (int)k))
            continue;
        sum += counted(v, &v->run->core[k].ev[i]);
        any = true;
    }
    return any ? sum : NAN;
}

static double of_cycles(const struct mpj_core_result *c)
{
    return (double)c->cycles;
}

static double of_wfi(const struct mpj_core_result *c)
{
    /* More than the core's cycles: the program has written the cycle counter. */
    return c->have_wfi && c->wfi_cycles <= c->cycles ? (double)c->wfi_cycles : NAN;
}

/* Returns an SCU event that is counted for each core: first is core 0's event. */
static double own(struct values *v, int first)
{
    double sum = 0.0;

    for (int k = 0; k < (int)MPJ_CORES_MAX; k++) {
        if (v->core < 0 || v->core == k)
            sum += counted(v, &v->run->chip[first + k]);
    }
    return sum;
}

static double value_of(void *ctx, int number)
{
    struct values *const v = ctx;
    const struct mpj_run *const run = v->run;
    const struct mpj_rail *const pll = mpj_run_rail(run, MPJ_SUPPLY_PLL);
    const struct mpj_run_power power = mpj_run_power(run);
    const double time = run->complete ? run->time_s : NAN;
    double waiting;

    switch (number) {
    case Q_CYCLES:
        return over_cores(v, of_cycles);
    case Q_BUSY:
        return over_cores(v, of_cycles) - over_cores(v, of_wfi);
    case Q_RUNNING:
        waiting = over_cores(v, of_wfi);
        return over_cores(v, of_cycles) - (isnan(waiting) ? 0 : waiting);
    case Q_WFI:
        return over_cores(v, of_wfi);
    case Q_TIME:
        return time;
    case Q_CLOCK:
        return run->clock_hz;
    case Q_ENERGY:
        return power.present ? power.energy_uj / 1e6 : NAN;
    case Q_POWER:
        return power.present ? power.energy_uj / 1e6 / time : NAN;
    case Q_PLL_POWER:
        return run->have_adc && pll != NULL ? pll->energy_uj / 1e6 / time : NAN;
    case Q_MODEL_ENERGY:
        if (!run->model.present)
            return NAN;
        return (v->core < 0 ? run->model.energy_uj : run->core[v->core].energy_uj) / 1e6;
    case Q_OWN_MISS:
    case Q_OWN_C2C:
    case Q_OWN_TAGWRONG:
        return own(v, quantities[number - Q_CYCLES].events);
    default:
        break;
    }
    return mpj_event_table(&(size_t){0})[number].source == MPJ_SOURCE_PMU
               ? of_event(v, number)
               : counted(v, &run->chip[number]);
}

struct mpj_figure mpj_group_figure(const struct mpj_group *g, unsigned metric,
                                   const struct mpj_run *run, int core, bool some)
{
    struct values v = {.run = run, .core = core, .some = some};
    const double value = mpj_expr_eval(g->metric[metric].expr, value_of, &v);

    return (struct mpj_figure){value, v.estimate};
}

double mpj_group_value(const struct mpj_group *g, unsigned metric, const struct mpj_run *run,
                       int core)
{
    return mpj_group_figure(g, metric, run, core, false).value;
}

/* ---- reading --------------------------------------------------------------------- */

struct reader {
    struct mpj_group *g;
    const char *path;
    unsigned line;
    bool have_events;
    const char *not_listed; /* event a formula uses and the group does not count */
    struct mpj_err *err;
};

static int wrong(struct reader *r, const char *what, const char *text)
{
    return mpj_err_set(r->err, MPJ_E_USAGE, "%s, line %u: %s: %s", r->path, r->line, what, text);
}

static char *trim(char *s)
{
    size_t n;

    while (isspace((unsigned char)*s))
        s++;
    n = strlen(s);
    while (n > 0 && isspace((unsigned char)s[n - 1U]))
        s[--n] = '\0';
    return s;
}

static int add_events(struct reader *r, char *list)
{
    char *rest = NULL;

    for (char *word = strtok_r(list, " \t,", &rest); word != NULL;
         word = strtok_r(NULL, " \t,", &rest)) {
        const int i = mpj_event_index(word);
        if (i < 0)
            return wrong(r, "there is no such event", word);
        r->g->want[i] = true;
    }
    r->have_events = true;
    return MPJ_E_OK;
}

static int resolve(void *ctx, const char *name, size_t len)
{
    struct reader *const r = ctx;
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);
    const struct mpj_event_info *e;

    for (size_t i = 0; i < QUANTITIES; i++) {
        if (strlen(quantities[i].name) != len || memcmp(quantities[i].name, name, len) != 0)
            continue;
        for (int k = 0; quantities[i].events >= 0 && k < (int)MPJ_CORES_MAX; k++) {
            const int event = quantities[i].events + k;
            if (!r->g->want[event])
                r->not_listed = table[event].name;
        }
        return (int)quantities[i].q;
    }
    e = mpj_event_by_name(name, len);
    if (e == NULL)
        return -1;
    if (!r->g->want[e - table])
        r->not_listed = e->name;
    return (int)(e - table);
}

/* Parses the digits after the point; no text: -1. */
static bool decimals(const char *text, int *out)
{
    *out = -1;
    if (text == NULL)
        return true;
    while (isspace((unsigned char)*text))
        text++;
    if (!isdigit((unsigned char)text[0]) || text[1 + strspn(text + 1, " \t\r")] != '\0')
        return false;
    *out = text[0] - '0';
    return true;
}

/* Parses name | core or chip | unit | formula [| decimals]. */
static int add_metric(struct reader *r, char *text)
{
    struct mpj_metric *const m = &r->g->metric[r->g->metrics];
    char *field[4];
    struct mpj_err why;

    if (r->g->metrics == MPJ_GROUP_METRICS_MAX)
        return wrong(r, "too many metrics", text);
    if (!r->have_events)
        return wrong(r, "the events must come before the metrics", text);
    for (unsigned i = 0; i < 4; i++) {
        char *const part = strsep(&text, "|");
        if (part == NULL || *(field[i] = trim(part)) == '\0')
            return wrong(r, "not `metric = name | core or chip | unit | formula`",
                         i > 0 ? field[0] : "");
    }
    if (strcmp(field[1], "core") != 0 && strcmp(field[1], "chip") != 0)
        return wrong(r, "neither core nor chip", field[1]);
    if (!decimals(text, &m->decimals))
        return wrong(r, "decimals are a digit", trim(text));
    m->scope = strcmp(field[1], "core") == 0 ? MPJ_METRIC_CORE : MPJ_METRIC_CHIP;
    r->g->metrics++;
    m->name = strdup(field[0]);
    m->unit = strdup(field[2]);
    m->formula = strdup(field[3]);
    if (m->name == NULL || m->unit == NULL || m->formula == NULL)
        return mpj_err_nomem(r->err);
    if (mpj_expr_compile(&m->expr, m->formula, resolve, r, &why) != MPJ_E_OK)
        return wrong(r, field[0], why.text);
    if (r->not_listed != NULL)
        return wrong(r, "the formula uses an event that `events` does not list", r->not_listed);
    return MPJ_E_OK;
}

static int read_line(struct reader *r, char *text)
{
    char *value;
    char *key;

    text[strcspn(text, "#\r\n")] = '\0';
    key = trim(text);
    if (*key == '\0')
        return MPJ_E_OK;
    value = strchr(key, '=');
    if (value == NULL)
        return wrong(r, "not `key = value`", key);
    *value = '\0';
    value = trim(value + 1);
    key = trim(key);
    if (strcmp(key, "title") == 0) {
        free(r->g->title);
        r->g->title = strdup(value);
        return r->g->title != NULL ? MPJ_E_OK : mpj_err_nomem(r->err);
    }
    if (strcmp(key, "events") == 0)
        return add_events(r, value);
    if (strcmp(key, "metric") == 0)
        return add_metric(r, value);
    return wrong(r, "there is no such key (title, events, metric)", key);
}

static int read_file(struct reader *r, FILE *f)
{
    char *text = NULL;
    size_t size = 0;
    int result = MPJ_E_OK;

    while (result == MPJ_E_OK && getline(&text, &size, f) >= 0) {
        r->line++;
        mpj_text_clean_lines(text);
        result = read_line(r, text);
    }
    free(text);
    if (result == MPJ_E_OK && ferror(f))
        return mpj_err_errno(r->err, "cannot read %s", r->path);
    if (result == MPJ_E_OK && (r->g->title == NULL || r->g->metrics == 0))
        return mpj_err_set(r->err, MPJ_E_USAGE, "%s has no %s", r->path,
                           r->g->title == NULL ? "title" : "metric");
    return result;
}

/* ---- the folder ------------------------------------------------------------------- */

static int is_group(const struct dirent *d)
{
    const size_t n = strlen(d->d_name);

    return d->d_name[0] != '.' && n > sizeof(SUFFIX) - 1U &&
           strcmp(d->d_name + n - (sizeof(SUFFIX) - 1U), SUFFIX) == 0;
}

/* Lists the groups, by name, without suffix; the caller frees each and the array. */
static int names(char ***out, size_t *count, const char *folder, struct mpj_err *err)
{
    struct dirent **entry;
    const int n = scandir(folder, &entry, is_group, alphasort);

    if (n < 0)
        return mpj_err_errno(err, "cannot read the folder of counter groups %s", folder);
    *count = (size_t)n;
    *out = calloc((size_t)n + 1U, sizeof(**out));
    for (int i = 0; i < n; i++) {
        if (*out != NULL)
            (*out)[i] = strndup(entry[i]->d_name, strlen(entry[i]->d_name) - (sizeof(SUFFIX) - 1U));
        free(entry[i]);
    }
    free(entry);
    return *out != NULL ? MPJ_E_OK : mpj_err_nomem(err);
}

static void free_names(char **list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(list[i]);
    free(list);
}

static int unknown(const char *folder, const char *name, struct mpj_err *err)
{
    char **list = NULL;
    size_t n = 0;
    char text[300] = "";

    if (names(&list, &n, folder, err) != MPJ_E_OK)
        return err->code;
    for (size_t i = 0; i < n && list[i] != NULL; i++) {
        const size_t at = strlen(text);
        snprintf(text + at, sizeof(text) - at, "%s%s", i > 0 ? ", " : "", list[i]);
    }
    free_names(list, n);
    return mpj_err_set(err, MPJ_E_USAGE, "no counter group is called \"%s\" (%s)", name,
                       text[0] != '\0' ? text : "there is none");
}

/* Reads a group and closes f. */
static int read_group(struct mpj_group **out, const char *name, const char *path, FILE *f,
                      struct mpj_err *err)
{
    struct reader r = {.path = path, .err = err};
    int result;

    r.g = calloc(1, sizeof(*r.g));
    if (r.g == NULL || (r.g->name = strdup(name)) == NULL)
        result = mpj_err_nomem(err);
    else
        result = read_file(&r, f);
    fclose(f);
    if (result != MPJ_E_OK) {
        mpj_group_free(r.g);
        return result;
    }
    *out = r.g;
    return MPJ_E_OK;
}

int mpj_group_load(struct mpj_group **out, const char *folder, const char *name,
                   struct mpj_err *err)
{
    char *path = NULL;
    FILE *f;
    int result;

    *out = NULL;
    if (name[0] == '\0' || name[0] == '.' || strchr(name, '/') != NULL)
        return unknown(folder, name, err);
    if (asprintf(&path, "%s/%s" SUFFIX, folder, name) < 0)
        return mpj_err_nomem(err);
    f = fopen(path, "re");
    if (f == NULL) {
        result = errno == ENOENT ? unknown(folder, name, err)
                                 : mpj_err_errno(err, "cannot read %s", path);
        free(path);
        return result;
    }
    result = read_group(out, name, path, f, err);
    free(path);
    return result;
}

int mpj_group_parse(struct mpj_group **out, const char *name, const char *text, struct mpj_err *err)
{
    FILE *const f = fmemopen((void *)(uintptr_t)text, strlen(text), "r"); /* only read */

    *out = NULL;
    if (f == NULL)
        return mpj_err_errno(err, "cannot read %s", name);
    return read_group(out, name, name, f, err);
}

void mpj_group_free(struct mpj_group *g)
{
    if (g == NULL)
        return;
    for (unsigned i = 0; i < g->metrics; i++) {
        free(g->metric[i].name);
        free(g->metric[i].unit);
        free(g->metric[i].formula);
        mpj_expr_free(g->metric[i].expr);
    }
    free(g->name);
    free(g->title);
    free(g);
}

int mpj_group_all(struct mpj_group ***out, size_t *count, const char *folder, struct mpj_err *err)
{
    char **list = NULL;
    size_t n = 0;
    int result = names(&list, &n, folder, err);

    *out = NULL;
    *count = 0;
    if (result != MPJ_E_OK)
        return result;
    *out = calloc(n + 1U, sizeof(struct mpj_group *));
    if (*out == NULL) {
        free_names(list, n);
        return mpj_err_nomem(err);
    }
    for (size_t i = 0; i < n && result == MPJ_E_OK; i++) {
        if (list[i] == NULL)
            result = mpj_err_nomem(err);
        else
            result = mpj_group_load(&(*out)[i], folder, list[i], err);
        *count += result == MPJ_E_OK;
    }
    free_names(list, n);
    if (result != MPJ_E_OK) {
        for (size_t i = 0; i < *count; i++)
            mpj_group_free((*out)[i]);
        free(*out);
        *out = NULL;
        *count = 0;
    }
    return result;
}
