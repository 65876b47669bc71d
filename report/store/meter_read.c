/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/meter.h"
#include "store/meter_head.h"

#define LINE_MOST 65536U /* bytes */
#define WATTS_MAX 1e6
#define TIME_MAX  1e12 /* s: nanoseconds since 1970 are not seconds */
/* Mean power of a channel, in watts, beyond which a unit is more likely to be wrong. */
#define BOARD_MAX 100.0
#define BOARD_MIN 1e-5

void mpj_meter_free(struct mpj_meter_stream *m)
{
    free(m->time_s);
    for (unsigned i = 0; i < MPJ_METER_CHANNELS_MAX; i++)
        free(m->channel[i].watts);
    *m = (struct mpj_meter_stream){0};
}

void mpj_power_free(struct mpj_power *p)
{
    free(p->time_s);
    free(p->watts);
    *p = (struct mpj_power){0};
}

struct mpj_power mpj_meter_power(const struct mpj_meter_stream *m, unsigned channel)
{
    return (struct mpj_power){m->n, m->time_s, m->channel[channel].watts};
}

/* Extends an array; false: out of memory, and it is unchanged. */
static bool grow(double **array, size_t elements)
{
    double *const more = realloc(*array, elements * sizeof(*more));

    if (more != NULL)
        *array = more;
    return more != NULL;
}

static int add(struct mpj_meter_stream *m, size_t *room, const struct meter_row *row,
               struct mpj_err *err)
{
    if (m->n == *room) {
        const size_t more = *room * 2 + 1024;
        bool grown = grow(&m->time_s, more);
        for (unsigned i = 0; i < m->channels; i++)
            grown = grown && grow(&m->channel[i].watts, more);
        if (!grown)
            return mpj_err_nomem(err);
        *room = more;
    }
    m->time_s[m->n] = row->time_s;
    for (unsigned i = 0; i < m->channels; i++)
        m->channel[i].watts[m->n] = row->watts[i];
    m->n++;
    return MPJ_E_OK;
}

/* Reads the next number; false: not a number. */
static bool number(const char **at, double *out)
{
    char *end;

    *at += strspn(*at, " \t,;");
    *out = strtod(*at, &end);
    if (end == *at || (*end != '\0' && strchr(" \t,;\r\n", *end) == NULL))
        return false;
    *at = end;
    return true;
}

/* Returns the reason why the line is not a sample; NULL: it is a sample. */
static const char *parse(const char *line, size_t len, const struct mpj_meter_stream *m,
                         const struct meter_head *h, struct meter_row *row)
{
    double volts[MPJ_METER_CHANNELS_MAX] = {0};
    const char *at = line;

    if (strlen(line) != len)
        return "a zero byte";
    for (unsigned k = 0; k <= h->columns; k++) {
        double v;
        if (!number(&at, &v))
            return m->named ? "a number is expected in each column that the heading names"
                            : "two numbers are expected, seconds and watts";
        if (k == 0)
            row->time_s = v * h->time_scale;
        else if (h->column[k - 1].quantity == METER_VOLTS)
            volts[h->column[k - 1].channel] = v * h->column[k - 1].scale;
        else
            row->watts[h->column[k - 1].channel] = v * h->column[k - 1].scale;
    }
    if (!(fabs(row->time_s) <= TIME_MAX))
        return "not a time in seconds";
    for (unsigned i = 0; i < m->channels; i++) {
        if (h->channel[i].volts)
            row->watts[i] *= volts[i];
        if (!(fabs(row->watts[i]) <= WATTS_MAX))
            return "not a power in watts";
    }
    if (m->n > 0 && !(row->time_s > m->time_s[m->n - 1]))
        return "time does not ascend";
    return m->n < MPJ_METER_SAMPLES_MAX ? NULL : "there are too many samples";
}

/* True if it begins with a number: not a heading, a comment, a unit. */
static bool is_sample(const char *line)
{
    line += strspn(line, " \t");
    if (*line == '+' || *line == '-')
        line++;
    if (*line == '.')
        line++;
    return *line >= '0' && *line <= '9';
}

/* Rejects the unit of a channel as implausible, and suggests the one in which it would be a
 * board's. */
static int question(const struct mpj_meter_stream *m, unsigned i, double mean, const char *name,
                    struct mpj_err *err)
{
    const char *const product = strchr(m->channel[i].unit, '*');
    const char *const unit = product != NULL ? product + 1 : m->channel[i].unit;
    const bool prefixed = unit[1] != '\0';
    const bool micro = prefixed || mean > BOARD_MAX * 1e3;
    char hint[80] = "check its values";

    if (mean > BOARD_MAX && unit[0] != 'u')
        snprintf(hint, sizeof(hint), "if they are %s%s, head the lines with time:s %s:%s%s",
                 micro ? "u" : "m", unit + prefixed, m->named ? m->channel[i].name : "board",
                 micro ? "u" : "m", unit + prefixed);
    return mpj_err_set(err, MPJ_E_LOG,
                       "%s: channel %s would draw %.4g %s on average: are its values really in %s? "
                       "%s",
                       name, m->named ? m->channel[i].name : "1",
                       mean > 1e3 ? mean / 1e3
                       : mean < 1 ? mean * 1e6
                                  : mean,
                       mean > 1e3 ? "kW"
                       : mean < 1 ? "uW"
                                  : "W",
                       unit, hint);
}

/* Checks that each power is one that a board can draw. */
static int plausible(const struct mpj_meter_stream *m, const char *name, struct mpj_err *err)
{
    for (unsigned i = 0; i < m->channels; i++) {
        double mean = 0;
        for (size_t k = 0; k < m->n; k++)
            mean += fabs(m->channel[i].watts[k]) / (double)m->n;
        if (mean > BOARD_MAX || (mean > 0 && mean < BOARD_MIN))
            return question(m, i, mean, name, err);
    }
    return MPJ_E_OK;
}

/* Reads a line and its end, or what fits in LINE_MOST bytes; returns its length, 0 at the end of
 * the file. */
static size_t next_line(char line[LINE_MOST], FILE *f)
{
    size_t n = 0;
    int c;

    while (n < LINE_MOST - 1 && (c = getc_unlocked(f)) != EOF) {
        line[n++] = (char)c;
        if (c == '\n')
            break;
    }
    line[n] = '\0';
    return n;
}

int mpj_meter_read(struct mpj_meter_stream *out, FILE *f, const char *name, struct mpj_err *err)
{
    struct meter_head head;
    struct meter_row row = {0};
    char *const line = malloc(LINE_MOST);
    size_t room = 0;
    unsigned long at = 0;
    size_t len;
    int result = MPJ_E_OK;

    meter_head_default(&head, out);
    if (line == NULL)
        return mpj_err_nomem(err);
    while (result == MPJ_E_OK && (len = next_line(line, f)) > 0) {
        const char *wrong;
        at++;
        if (len == LINE_MOST - 1 && line[len - 1] != '\n')
            result = mpj_err_set(err, MPJ_E_LOG, "%s:%lu: a line of more than %u bytes", name, at,
                                 LINE_MOST);
        if (line[len - 1] != '\n')
            break; /* the meter was stopped in the middle of it */
        if (meter_head_is(line)) {
            char where[64];
            snprintf(where, sizeof(where), "%.40s:%lu", name, at);
            result = meter_head_read(&head, out, line, where, err);
            continue;
        }
        if (!is_sample(line))
            continue;
        wrong = parse(line, len, out, &head, &row);
        result = wrong != NULL ? mpj_err_set(err, MPJ_E_LOG, "%s:%lu: %s", name, at, wrong)
                               : add(out, &room, &row, err);
    }
    if (result == MPJ_E_OK && ferror(f))
        result = mpj_err_errno(err, "cannot read %s", name);
    if (result == MPJ_E_OK && out->n < 2)
        result = mpj_err_set(err, MPJ_E_LOG,
                             "%s: the meter said nothing: its command has to print lines of "
                             "seconds and watts",
                             name);
    free(line);
    return result == MPJ_E_OK ? plausible(out, name, err) : result;
}
