/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of predictors: lines of a key and its value, then of coefficients. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "mpj_events.h"
#include "mpj_scaling.h"

#define HEAD "mpjoule-predictor"
/* Of IPC in each class, and of power: 4 to 1, 2, 3; 3 to 1, 2; 2 to 1. */
#define LINES ((MPJ_SCALING_BUCKETS + 1U) * 6U)

/* What was read: the header, and which lines of coefficients, a bit each by read_line(). */
struct seen {
    bool head;
    unsigned lines;
    uint64_t line;
};

static int bad(struct mpj_err *err, const char *path, unsigned line, const char *what)
{
    return mpj_err_set(err, MPJ_E_USAGE, "%s, line %u: %s", path, line, what);
}

/* ipc|power BUCKET TEST TARGET, and the terms. */
static bool read_line(struct mpj_scaling *p, const char *rest, bool power, struct seen *seen)
{
    unsigned b;
    unsigned test;
    unsigned to;
    double v[MPJ_SCALING_TERMS];
    uint64_t bit;
    int used = 0;

    if (sscanf(rest, "%u %u %u %lf %lf %lf %lf %n", &b, &test, &to, &v[0], &v[1], &v[2], &v[3],
               &used) != 7 ||
        rest[used] != '\0' || b >= MPJ_SCALING_BUCKETS || test < 2 || test > MPJ_SCALING_THREADS ||
        to < 1 || to >= test || (power && b != 0))
        return false;
    for (unsigned i = 0; i < MPJ_SCALING_TERMS; i++) {
        if (!isfinite((float)v[i])) /* as the target has it */
            return false;
    }
    bit = UINT64_C(1) << ((((power ? MPJ_SCALING_BUCKETS : b) * (MPJ_SCALING_THREADS - 1U)) + test -
                           2U) *
                              (MPJ_SCALING_THREADS - 1U) +
                          to - 1U);
    if ((seen->line & bit) != 0)
        return false;
    seen->line |= bit;
    memcpy(power ? p->power[test - 2U][to - 1U] : p->ipc[b][test - 2U][to - 1U], v, sizeof(v));
    seen->lines++;
    return true;
}

static bool read_event(struct mpj_scaling *p, unsigned i, const char *name)
{
    const struct mpj_event_info *const e = mpj_event_by_name(name, strlen(name));

    if (e == NULL || e->source != MPJ_SOURCE_PMU)
        return false;
    snprintf(p->event[i], sizeof(p->event[i]), "%s", e->name);
    p->number[i] = e->number;
    return true;
}

static bool read_accuracy(struct mpj_scaling *p, const char *rest)
{
    struct mpj_scaling_accuracy *const a = &p->unseen;

    return sscanf(rest, "%u %lf %lf %lf %lf %lf %lf %lf", &a->predictions, &a->mean, &a->median,
                  &a->p10, &a->least, &a->within_5, &a->within_10, &a->power_mean) == 8;
}

static bool number_of(const char *text, unsigned *out)
{
    char *end;
    const unsigned long v = strtoul(text, &end, 10);

    *out = (unsigned)v;
    return end != text && *end == '\0' && v < 1000000;
}

/* Sets what the key is; false: no such key, or not such a value. */
static bool read_key(struct mpj_scaling *p, const char *key, const char *rest, struct seen *seen)
{
    if (strcmp(key, "chip") == 0)
        snprintf(p->chip, sizeof(p->chip), "%s", rest);
    else if (strcmp(key, "calibration") == 0)
        snprintf(p->calibration, sizeof(p->calibration), "%s", rest);
    else if (strcmp(key, "version") == 0)
        snprintf(p->version, sizeof(p->version), "%s", rest);
    else if (strcmp(key, "abi") == 0)
        return number_of(rest, &p->abi);
    else if (strcmp(key, "programs") == 0)
        return number_of(rest, &p->programs);
    else if (strcmp(key, "regions") == 0)
        return number_of(rest, &p->regions);
    else if (strcmp(key, "event0") == 0 || strcmp(key, "event1") == 0)
        return read_event(p, key[5] == '1', rest);
    else if (strcmp(key, "accuracy") == 0)
        return read_accuracy(p, rest);
    else if (strcmp(key, "ipc") == 0 || strcmp(key, "power") == 0)
        return read_line(p, rest, key[0] == 'p', seen);
    else if (strcmp(key, "classes") == 0) {
        return sscanf(rest, "%lf %lf %lf", &p->bucket[0], &p->bucket[1], &p->bucket[2]) == 3 &&
               isfinite((float)(p->bucket[0] + p->bucket[1] + p->bucket[2]));
    } else {
        return false;
    }
    return true;
}

static int read_all(struct mpj_scaling *out, const char *path, FILE *f, struct mpj_err *err)
{
    char text[400];
    unsigned line = 0;
    struct seen seen = {.head = false};

    while (fgets(text, sizeof(text), f) != NULL) {
        char *rest = text;
        const char *key;

        text[strcspn(text, "\r\n")] = '\0';
        line++;
        if (text[0] == '#' || text[0] == '\0')
            continue;
        key = strsep(&rest, " ");
        if (!seen.head) {
            if (strcmp(key, HEAD) != 0)
                return bad(err, path, line, "not a predictor");
            if (rest == NULL || strtoul(rest, NULL, 10) != MPJ_SCALING_VERSION)
                return bad(err, path, line, "a predictor of another version: train it again");
            seen.head = true;
        } else if (rest == NULL || !read_key(out, key, rest, &seen)) {
            return bad(err, path, line, "not a line of a predictor, or there twice");
        }
    }
    if (seen.lines != LINES || out->abi == 0 || out->event[0][0] == '\0' ||
        out->event[1][0] == '\0' || out->calibration[0] == '\0')
        return bad(err, path, line, "the predictor is not complete");
    return MPJ_E_OK;
}

int mpj_scaling_load(struct mpj_scaling *out, const char *path, struct mpj_err *err)
{
    FILE *const f = fopen(path, "re");
    int result;

    *out = (struct mpj_scaling){0};
    if (f == NULL)
        return mpj_err_errno(err, "cannot read %s", path);
    result = read_all(out, path, f, err);
    fclose(f);
    return result;
}

static void put_line(const char *key, unsigned b, unsigned test, unsigned to,
                     const double c[MPJ_SCALING_TERMS], FILE *f)
{
    fprintf(f, "%s %u %u %u %.3g %.3g %.3g %.3g\n", key, b, test, to, c[0], c[1], c[2], c[3]);
}

/* Of power there is one class. */
static void put_lines(const struct mpj_scaling *p, FILE *f)
{
    for (unsigned test = MPJ_SCALING_THREADS; test >= 2; test--) {
        for (unsigned to = 1; to < test; to++) {
            for (unsigned b = 0; b < MPJ_SCALING_BUCKETS; b++)
                put_line("ipc", b, test, to, p->ipc[b][test - 2U][to - 1U], f);
            put_line("power", 0, test, to, p->power[test - 2U][to - 1U], f);
        }
    }
}

int mpj_scaling_put(const struct mpj_scaling *p, FILE *f, struct mpj_err *err)
{
    const struct mpj_scaling_accuracy *const a = &p->unseen;

    fprintf(
        f,
        HEAD " %d\n"
             "# IPC and power with fewer threads from one execution: docs/adaptation.md\n"
             "chip %s\ncalibration %s\nabi %u\nversion %s\nprograms %u\nregions %u\n"
             "event0 %s\nevent1 %s\nclasses %.3g %.3g %.3g\n"
             "# on unseen programs: predictions; mean, median, 10 %% and least accuracy; within "
             "5 and 10 %%; of power\n"
             "accuracy %u %.2f %.2f %.2f %.2f %.2f %.2f %.2f\n"
             "# ... class, threads of the test, threads; per event rate, busy share, IPC, 1\n",
        MPJ_SCALING_VERSION, p->chip, p->calibration, p->abi, p->version, p->programs, p->regions,
        p->event[0], p->event[1], p->bucket[0], p->bucket[1], p->bucket[2], a->predictions, a->mean,
        a->median, a->p10, a->least, a->within_5, a->within_10, a->power_mean);
    put_lines(p, f);
    (void)err;
    return MPJ_E_OK;
}

/* The upper bits of a float, six in a character: the target reads them in no time. */
static void add(char out[MPJ_SCALING_TEXT], size_t *at, double v)
{
    const float f = (float)v;
    uint32_t bits;

    memcpy(&bits, &f, sizeof(bits));
    bits = (bits + 0x80U) >> 8;
    for (unsigned shift = 24; shift > 0 && *at + 1U < MPJ_SCALING_TEXT; shift -= 6)
        out[(*at)++] = (char)('0' + (bits >> (shift - 6U) & 0x3fU));
    out[*at] = '\0';
}

static void
add_lines(char out[MPJ_SCALING_TEXT], size_t *at,
          const double line[MPJ_SCALING_THREADS - 1U][MPJ_SCALING_THREADS - 1U][MPJ_SCALING_TERMS])
{
    for (unsigned test = 2; test <= MPJ_SCALING_THREADS; test++) {
        for (unsigned i = 0; i < (test - 1U) * MPJ_SCALING_TERMS; i++)
            add(out, at, line[test - 2U][i / MPJ_SCALING_TERMS][i % MPJ_SCALING_TERMS]);
    }
}

int mpj_scaling_text(const struct mpj_scaling *p, char out[MPJ_SCALING_TEXT], struct mpj_err *err)
{
    size_t at = (size_t)snprintf(out, MPJ_SCALING_TEXT, "%d %u %u ", MPJ_SCALING_SENT, p->number[0],
                                 p->number[1]);

    for (unsigned b = 0; b < MPJ_SCALING_BUCKETS - 1U; b++)
        add(out, &at, p->bucket[b]);
    for (unsigned b = 0; b < MPJ_SCALING_BUCKETS; b++)
        add_lines(out, &at, p->ipc[b]);
    add_lines(out, &at, p->power);
    return at + 1U < MPJ_SCALING_TEXT
               ? MPJ_E_OK
               : mpj_err_set(err, MPJ_E_USAGE,
                             "the predictor's coefficients need more than %u bytes",
                             MPJ_SCALING_TEXT);
}
