/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpj_meter.h"

#define WATTS_MAX 1e6
#define TIME_MAX  1e12 /* s: nanoseconds since 1970 are not seconds */

void mpj_power_free(struct mpj_power *p)
{
    free(p->time_s);
    free(p->watts);
    *p = (struct mpj_power){0};
}

static int add(struct mpj_power *p, size_t *room, double time_s, double watts, struct mpj_err *err)
{
    if (p->n == *room) {
        const size_t more = *room * 2 + 1024;
        double *const t = realloc(p->time_s, more * sizeof(*t));
        double *const w = t != NULL ? realloc(p->watts, more * sizeof(*w)) : NULL;
        if (t != NULL)
            p->time_s = t;
        if (w == NULL)
            return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
        p->watts = w;
        *room = more;
    }
    p->time_s[p->n] = time_s;
    p->watts[p->n++] = watts;
    return MPJ_E_OK;
}

/* Why the line is not a sample; NULL: it is one. */
static const char *parse(const char *line, size_t len, const struct mpj_power *p, double v[2])
{
    const char *at = line;
    char *end;

    if (strlen(line) != len)
        return "a zero byte";
    for (unsigned k = 0; k < 2; k++) {
        at += strspn(at, " \t,;");
        v[k] = strtod(at, &end);
        if (end == at || (*end != '\0' && strchr(" \t,;\r\n", *end) == NULL))
            return "two numbers are expected, seconds and watts";
        at = end;
    }
    if (!(fabs(v[0]) <= TIME_MAX))
        return "not a time in seconds";
    if (!(fabs(v[1]) <= WATTS_MAX))
        return "not a power in watts";
    if (p->n > 0 && !(v[0] > p->time_s[p->n - 1]))
        return "time does not ascend";
    return p->n < MPJ_METER_SAMPLES_MAX ? NULL : "there are too many samples";
}

/* It begins with a number: not a heading, a comment, a unit. */
static bool is_sample(const char *line)
{
    line += strspn(line, " \t");
    if (*line == '+' || *line == '-')
        line++;
    if (*line == '.')
        line++;
    return *line >= '0' && *line <= '9';
}

int mpj_meter_read(struct mpj_power *out, FILE *f, const char *name, struct mpj_err *err)
{
    char *line = NULL;
    size_t size = 0;
    size_t room = 0;
    unsigned long number = 0;
    ssize_t len;
    int result = MPJ_E_OK;

    *out = (struct mpj_power){0};
    while (result == MPJ_E_OK && (len = getline(&line, &size, f)) > 0) {
        const char *wrong;
        double v[2];
        number++;
        if (line[len - 1] != '\n')
            break; /* the meter was stopped in the middle of it */
        if (!is_sample(line))
            continue;
        wrong = parse(line, (size_t)len, out, v);
        result = wrong != NULL ? mpj_err_set(err, MPJ_E_LOG, "%s:%lu: %s", name, number, wrong)
                               : add(out, &room, v[0], v[1], err);
    }
    if (result == MPJ_E_OK && ferror(f))
        result = mpj_err_errno(err, "cannot read %s", name);
    if (result == MPJ_E_OK && out->n < 2)
        result = mpj_err_set(err, MPJ_E_LOG,
                             "%s: the meter said nothing: its command has to print lines of "
                             "seconds and watts",
                             name);
    free(line);
    return result;
}
