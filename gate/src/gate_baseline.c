/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of a baseline: reads and checks, reduces, and writes it so that its diffs are
 * readable. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"
#include "base/stop.h"
#include "gate/judge.h"
#include "judge_int.h"

#define LEAST_SHARE   0.002 /* of time or energy of all functions: those below are omitted */
#define LEAST_RUNTIME 0.01  /* likewise, of a function's costs in the runtime */
#define LEAST_CAUSE   0.005 /* of a function's energy */

/* ---- reading --------------------------------------------------------------------------- */

struct checking {
    const char *path, *program, *again; /* again: how the file is made */
    struct mpj_err *err;
};

static int damaged(const struct checking *c, const char *where, const char *what)
{
    char text[300];

    snprintf(text, sizeof(text), "%s%s%s%.80s: %.60s", c->program != NULL ? "program " : "",
             c->program != NULL ? c->program : "", c->program != NULL ? ": " : "", where, what);
    mpj_text_clean(text);
    return mpj_err_set(c->err, MPJ_E_USAGE,
                       "%s is damaged: %s (restore it, or remove it and run `mpjoule gate %s`)",
                       c->path, text, c->again);
}

static bool is_figure(const char *item, const json_t *v)
{
    const json_t *each;
    size_t i;

    (void)item;
    json_array_foreach((json_t *)v, i, each)
    {
        if (!json_is_integer(each) || json_integer_value(each) < 0)
            return false;
    }
    return json_is_integer(v) ? json_integer_value(v) >= 0 : json_array_size(v) > 1;
}

/* True for a valid cell; causes may be negative, a history has places. Hashes of sources were
 * numbers. */
static bool is_cell(const char *item, const json_t *v)
{
    const bool number = json_is_integer(v);

    if (strcmp(item, "at") == 0)
        return json_is_string(v);
    return strcmp(item, MPJ_BLAME_SOURCE) == 0 ? number || json_is_string(v) : number;
}

static bool is_label(const char *item, const json_t *v)
{
    (void)item;
    return json_is_string(v);
}

static int check_row(const struct checking *c, const char *where, json_t *row,
                     bool (*holds)(const char *item, const json_t *v))
{
    const char *item;
    json_t *v;

    if (!json_is_object(row))
        return damaged(c, where, "is missing");
    json_object_foreach(row, item, v)
    {
        char text[80];
        snprintf(text, sizeof(text), "%.40s has the wrong type", item);
        if (!holds(item, v))
            return damaged(c, where, text);
    }
    return MPJ_E_OK;
}

static int check_program(const struct checking *c, const json_t *program)
{
    const json_t *const samples = json_object_get(program, "samples");
    const char *name;
    json_t *row;

    if (check_row(c, "program", json_object_get(program, "program"), is_label) != MPJ_E_OK ||
        check_row(c, "tools", json_object_get(program, "tools"), is_label) != MPJ_E_OK ||
        check_row(c, "figures", json_object_get(program, "figures"), is_figure) != MPJ_E_OK)
        return c->err->code;
    if (samples != NULL && (json_integer_value(samples) < 2 ||
                            json_integer_value(samples) > (json_int_t)MPJ_GATE_SAMPLES_MAX))
        return damaged(c, "samples", "is not a number from 2 to 99");
    json_object_foreach(json_object_get(program, "figures"), name, row)
    {
        if (json_is_array(row) && (json_int_t)json_array_size(row) != json_integer_value(samples))
            return damaged(c, name, "the number of figures differs from that of the samples");
    }
    for (size_t t = 0; t < GATE_TABLES; t++) {
        json_t *const table = json_object_get(program, gate_table_name[t]);
        if (table != NULL && !json_is_object(table))
            return damaged(c, gate_table_name[t], "is not an object");
        json_object_foreach(table, name, row)
        {
            if (check_row(c, name, row, is_cell) != MPJ_E_OK)
                return c->err->code;
        }
    }
    return MPJ_E_OK;
}

json_t *gate_file_read(const char *path, const char *schema, const char *again, struct mpj_err *err)
{
    struct checking c = {.path = path, .again = again, .err = err};
    json_error_t why;
    json_t *root;
    json_t *programs;
    const char *name;
    json_t *program;
    char other[64];

    snprintf(other, sizeof(other), "is not %s", schema);
    root = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
    if (root == NULL) {
        char text[64];
        snprintf(text, sizeof(text), "line %d", why.line);
        damaged(&c, text, why.text);
        return NULL;
    }
    programs = json_object_get(root, "programs");
    err->code = MPJ_E_OK;
    if (json_string_value(json_object_get(root, "schema")) == NULL ||
        strcmp(json_string_value(json_object_get(root, "schema")), schema) != 0)
        damaged(&c, "schema", other);
    else if (!json_is_object(programs))
        damaged(&c, "programs", "is missing");
    json_object_foreach(programs, name, program)
    {
        c.program = name;
        if (err->code == MPJ_E_OK)
            check_program(&c, program);
    }
    if (err->code == MPJ_E_OK)
        return root;
    json_decref(root);
    return NULL;
}

json_t *mpj_gate_baseline_read(const char *path, bool *missing, struct mpj_err *err)
{
    json_t *root;
    json_t *programs;

    *missing = access(path, F_OK) != 0;
    if (access(path, R_OK) != 0) {
        mpj_err_errno(err, "cannot read the baseline %s", path);
        return NULL;
    }
    root = gate_file_read(path, MPJ_GATE_BASELINE, "--update", err);
    programs = json_incref(json_object_get(root, "programs"));
    json_decref(root);
    return programs;
}

/* ---- reduction ------------------------------------------------------------------------- */

static double number(const json_t *row, const char *item)
{
    return (double)json_integer_value(json_object_get(row, item));
}

static double sum_of(const json_t *table, const char *item)
{
    const char *name;
    json_t *row;
    double sum = 0;

    json_object_foreach((json_t *)table, name, row) sum += number(row, item);
    return sum;
}

static bool limited(const struct mpj_gate_limits *l, enum mpj_gate_kind kind, const char *name)
{
    for (unsigned i = 0; i < l->n; i++) {
        if (l->at[i].kind == kind && l->at[i].name != NULL && strcmp(l->at[i].name, name) == 0)
            return true;
    }
    return false;
}

static bool limited_item(const struct mpj_gate_limits *l, const char *item)
{
    for (unsigned i = 0; i < l->n; i++) {
        if (strcmp(l->at[i].item, item) == 0)
            return true;
    }
    return false;
}

/* Keeps figures of a function; energy by cause if significant. */
static json_t *reduce_row(const json_t *row, const struct mpj_gate_limits *l, bool places)
{
    static const char *const always[] = {"time", "energy",   "calls",
                                         "wait", "critical", MPJ_BLAME_SOURCE};
    const double least = LEAST_CAUSE * number(row, "energy");
    json_t *const o = json_object();
    const char *item;
    json_t *v;

    json_object_foreach((json_t *)row, item, v)
    {
        bool keep = json_is_integer(v) && limited_item(l, item);
        for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
            keep = keep || strcmp(item, always[i]) == 0;
        if (!keep && mpj_event_by_name(item, strlen(item)) == NULL && strcmp(item, "line") != 0)
            keep = json_is_integer(v) && fabs((double)json_integer_value(v)) > least;
        keep = keep || (places && (strcmp(item, "at") == 0 || strcmp(item, "line") == 0));
        if (keep)
            json_object_set(o, item, v);
    }
    return o;
}

/* True if a row of "callers" is of a function that is kept. */
static bool has_callee(const json_t *functions, const char *name, double least)
{
    const char *const callee = strstr(name, MPJ_BLAME_CALLS);

    return callee != NULL &&
           number(json_object_get(functions, callee + strlen(MPJ_BLAME_CALLS)), "time") > least;
}

/* Keeps all regions and marks, and those functions that matter or have a limit. */
static json_t *reduce_table(const json_t *sample, size_t t, const struct mpj_gate_limits *l,
                            bool places)
{
    static const double least[GATE_TABLES] = {LEAST_SHARE, -1, -1, LEAST_RUNTIME, 0};
    const json_t *const functions = json_object_get(sample, gate_table_name[0]);
    const double time = sum_of(functions, "time") + sum_of(functions, "wait");
    const double energy = sum_of(functions, "energy");
    json_t *const o = json_object();
    const char *name;
    json_t *row;

    json_object_foreach(json_object_get(sample, gate_table_name[t]), name, row)
    {
        if (least[t] < 0 || (t == GATE_CALLERS && has_callee(functions, name, least[0] * time)) ||
            (t == 0 && limited(l, MPJ_GATE_FUNCTION, name)) ||
            number(row, "time") + number(row, "wait") > least[t] * time ||
            number(row, "energy") > least[t] * energy)
            json_object_set_new(o, name, reduce_row(row, l, places));
    }
    return o;
}

/* Keeps of the whole program: limited items, and instructions, which distinguish other work from
 * layout noise. */
static json_t *reduce_figures(const json_t *figures, const struct mpj_gate_limits *l)
{
    static const char *const always[] = {"time", "energy", "instr"};
    json_t *const o = json_object();
    const char *item;
    json_t *v;

    json_object_foreach((json_t *)figures, item, v)
    {
        bool keep = limited_item(l, item);
        for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
            keep = keep || strcmp(item, always[i]) == 0;
        if (keep)
            json_object_set(o, item, v);
    }
    return o;
}

json_t *mpj_gate_reduce(const json_t *sample, const struct mpj_gate_limits *l, bool places)
{
    json_t *const o = json_copy((json_t *)sample); /* NULL is passed on */

    if (o != NULL)
        json_object_set_new(o, "figures", reduce_figures(json_object_get(sample, "figures"), l));
    for (size_t t = 0; o != NULL && t < GATE_TABLES; t++) {
        json_t *const table = reduce_table(sample, t, l, places);
        if (json_object_size(table) > 0) {
            json_object_set_new(o, gate_table_name[t], table);
        } else {
            json_object_del(o, gate_table_name[t]);
            json_decref(table);
        }
    }
    return o;
}

/* ---- writing --------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Writes an object with a member on each line down to a depth, below it on one line; sorted. */
static int put_object(const json_t *o, unsigned depth, unsigned indent, FILE *f)
{
    const char **const name = calloc(json_object_size(o) + 1, sizeof(*name));
    const char *key;
    json_t *v;
    size_t n = 0;
    int result = name != NULL ? 0 : -1;

    if (name == NULL)
        return -1;
    json_object_foreach((json_t *)o, key, v) name[n++] = key;
    qsort(name, n, sizeof(*name), by_name);
    fputs("{", f);
    for (size_t i = 0; i < n && result == 0; i++) {
        json_t *const text = json_string(name[i]);
        fprintf(f, "%s\n%*s", i > 0 ? "," : "", (int)indent + 1, "");
        result = json_dumpf(text, f, JSON_ENCODE_ANY);
        fputs(": ", f);
        v = json_object_get(o, name[i]);
        if (result == 0)
            result = json_is_object(v) && depth > 0
                         ? put_object(v, depth - 1, indent + 1, f)
                         : json_dumpf(v, f, JSON_ENCODE_ANY | JSON_SORT_KEYS);
        json_decref(text);
    }
    fprintf(f, "\n%*s}", (int)indent, "");
    free(name);
    return result;
}

static int put_file(const void *what, FILE *f, struct mpj_err *err)
{
    /* programs, a program, its tables: members below that on one line each */
    if (put_object(what, 3, 0, f) != 0 || fputc('\n', f) == EOF)
        return mpj_err_errno(err, "cannot write the figures of programs");
    return MPJ_E_OK;
}

int gate_file_write(const char *path, const json_t *root, struct mpj_err *err)
{
    return mpj_file_write(path, put_file, root, err);
}

/* ---- one gate at a time ------------------------------------------------------------------ */

/* Locks the file itself; a negative code, and err as it was, if that cannot be opened. */
static int lock_in_place(const char *path, struct mpj_err *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return err->code;
    if (flock(fd, LOCK_EX) == 0)
        return fd;
    close(fd);
    return mpj_err_errno(err, "cannot lock %s", path);
}

int gate_file_lock(struct gate_lock *l, const char *path, struct mpj_err *err)
{
    char real[PATH_MAX]; /* the same for every user of a link */
    const char *const at = realpath(path, real) != NULL ? real : path;

    if (asprintf(&l->name, "%s.lock", at) < 0)
        return mpj_err_nomem(err);
    l->fd = mpj_file_lock(l->name, true, err);
    if (l->fd == MPJ_E_IO && (errno == EACCES || errno == EROFS))
        l->fd = lock_in_place(at, err);
    if (l->fd >= 0 && mpj_stop_count() == 0)
        return MPJ_E_OK;
    if (l->fd >= 0)
        close(l->fd);
    free(l->name);
    return mpj_stop_count() > 0
               ? mpj_err_set(err, MPJ_E_CANCELLED, "interrupted; %s is left as it is", path)
               : err->code;
}

void gate_file_unlock(struct gate_lock *l)
{
    unlink(l->name);
    close(l->fd);
    free(l->name);
}

/* ---- the baseline ------------------------------------------------------------------------ */

int mpj_gate_baseline_write(const char *path, const json_t *programs, struct mpj_err *err)
{
    json_t *const root =
        json_pack("{s:s,s:O}", "schema", MPJ_GATE_BASELINE, "programs", (json_t *)programs);
    const int result = root != NULL ? gate_file_write(path, root, err) : mpj_err_nomem(err);

    json_decref(root);
    return result;
}
