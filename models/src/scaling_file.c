/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of predictors: lines of a key and its value, then of coefficients. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "models/scaling.h"
#include "mpj_events.h"

#define HEAD "mpjoule-predictor"
/* Lines of IPC and of power: 4 to 1, 2, 3; 3 to 1, 2; 2 to 1. */
#define LINES 12U

/* Parts that were read: the header, and a bit for each line of coefficients, set by read_line(). */
struct seen {
    bool head, knots;
    unsigned lines;
    uint64_t line;
};

static int bad(struct mpj_err *err, const char *path, unsigned line, const char *what)
{
    return mpj_err_set(err, MPJ_E_USAGE, "%s, line %u: %s", path, line, what);
}

/* Reads ipc|power TEST TARGET, and the terms. */
static bool read_line(struct mpj_scaling *p, const char *rest, bool power, struct seen *seen)
{
    const unsigned terms = power ? MPJ_SCALING_POWER : MPJ_SCALING_TERMS;
    unsigned test;
    unsigned to;
    uint64_t bit;
    double *line;
    int used = 0;

    if (sscanf(rest, "%u %u%n", &test, &to, &used) != 2 || test < 2 || test > MPJ_SCALING_THREADS ||
        to < 1 || to >= test)
        return false;
    bit = UINT64_C(1) << (((power ? MPJ_SCALING_THREADS : 0U) + test) * MPJ_SCALING_THREADS + to);
    if ((seen->line & bit) != 0)
        return false;
    seen->line |= bit;
    line = power ? p->power[test - 2U][to - 1U] : p->ipc[test - 2U][to - 1U];
    for (unsigned i = 0; i < terms; i++) {
        rest += used;
        if (sscanf(rest, " %lf%n", &line[i], &used) != 1 ||
            !isfinite((float)line[i])) /* in the target's precision */
            return false;
    }
    seen->lines++;
    return rest[used] == '\0';
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

/* Reads a text that is printed: it must not contain control characters for a terminal. */
static void read_text(char *to, size_t size, const char *rest)
{
    snprintf(to, size, "%s", rest);
    mpj_text_clean(to);
}

/* Sets the member of a key; false: unknown key, or invalid value. */
static bool read_key(struct mpj_scaling *p, const char *key, const char *rest, struct seen *seen)
{
    if (strcmp(key, "chip") == 0)
        read_text(p->chip, sizeof(p->chip), rest);
    else if (strcmp(key, "calibration") == 0)
        read_text(p->calibration, sizeof(p->calibration), rest);
    else if (strcmp(key, "version") == 0)
        read_text(p->version, sizeof(p->version), rest);
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
    else if (strcmp(key, "knots") == 0) {
        const bool again = seen->knots;

        seen->knots = true;
        return !again &&
               sscanf(rest, "%lf %lf %lf %lf", &p->knot[0], &p->knot[1], &p->knot[2],
                      &p->knot[3]) == 4 &&
               isfinite((float)(p->knot[0] + p->knot[1] + p->knot[2] + p->knot[3]));
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
            return bad(err, path, line, "not a line of a predictor, or a duplicate");
        }
    }
    if (seen.lines != LINES || !seen.knots || out->abi == 0 || out->event[0][0] == '\0' ||
        out->event[1][0] == '\0' || out->calibration[0] == '\0')
        return bad(err, path, line, "the predictor is not complete");
    return MPJ_E_OK;
}

int mpj_scaling_load(struct mpj_scaling *out, const char *path, struct mpj_err *err)
{
    FILE *const f = mpj_file_text(path, err);
    int result;

    *out = (struct mpj_scaling){0};
    if (f == NULL)
        return err->code;
    result = read_all(out, path, f, err);
    fclose(f);
    return result;
}

static void put_line(const char *key, unsigned test, unsigned to, const double *c, unsigned terms,
                     FILE *f)
{
    fprintf(f, "%s %u %u", key, test, to);
    for (unsigned i = 0; i < terms; i++)
        fprintf(f, " %.4g", c[i]);
    fputc('\n', f);
}

static void put_lines(const struct mpj_scaling *p, FILE *f)
{
    for (unsigned test = MPJ_SCALING_THREADS; test >= 2; test--) {
        for (unsigned to = 1; to < test; to++) {
            put_line("ipc", test, to, p->ipc[test - 2U][to - 1U], MPJ_SCALING_TERMS, f);
            put_line("power", test, to, p->power[test - 2U][to - 1U], MPJ_SCALING_POWER, f);
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
             "event0 %s\nevent1 %s\nknots %.3g %.3g %.3g %.3g\n"
             "# on unseen functions: predictions; mean, median, 10 %% and least accuracy; within "
             "5 and 10 %%; of power\n"
             "accuracy %u %.2f %.2f %.2f %.2f %.2f %.2f %.2f\n"
             "# threads of the test, threads; a coefficient per term: docs/adaptation.md\n",
        MPJ_SCALING_VERSION, p->chip, p->calibration, p->abi, p->version, p->programs, p->regions,
        p->event[0], p->event[1], p->knot[0], p->knot[1], p->knot[2], p->knot[3], a->predictions,
        a->mean, a->median, a->p10, a->least, a->within_5, a->within_10, a->power_mean);
    put_lines(p, f);
    (void)err;
    return MPJ_E_OK;
}

/* Appends the upper bits of a float, six in a character: quick to decode on the target. */
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

int mpj_scaling_text(const struct mpj_scaling *p, char out[MPJ_SCALING_TEXT], struct mpj_err *err)
{
    size_t at = (size_t)snprintf(out, MPJ_SCALING_TEXT, "%d %u %u ", MPJ_SCALING_SENT, p->number[0],
                                 p->number[1]);

    for (unsigned k = 0; k < MPJ_SCALING_KNOTS; k++)
        add(out, &at, p->knot[k]);
    for (unsigned test = 2; test <= MPJ_SCALING_THREADS; test++) {
        for (unsigned to = 1; to < test; to++) {
            for (unsigned i = 0; i < MPJ_SCALING_TERMS; i++)
                add(out, &at, p->ipc[test - 2U][to - 1U][i]);
            for (unsigned i = 0; i < MPJ_SCALING_POWER; i++)
                add(out, &at, p->power[test - 2U][to - 1U][i]);
        }
    }
    return at + 1U < MPJ_SCALING_TEXT
               ? MPJ_E_OK
               : mpj_err_set(err, MPJ_E_USAGE,
                             "the predictor's coefficients need more than %u bytes",
                             MPJ_SCALING_TEXT);
}
