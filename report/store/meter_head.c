/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/meter_head.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BETWEEN " \t,;\r\n"

void meter_head_default(struct meter_head *h, struct mpj_meter_stream *m)
{
    *h = (struct meter_head){.time_scale = 1, .columns = 1, .column = {{0, METER_WATTS, 1}}};
    h->channel[0].watts = true;
    *m = (struct mpj_meter_stream){.channels = 1};
    memcpy(m->channel[0].unit, "W", 2);
    m->channel[0].error_percent = NAN;
}

static const char *begin(const char *line)
{
    line += strspn(line, " \t");
    if (*line == '#')
        line += 1 + strspn(line + 1, " \t");
    return line;
}

bool meter_head_is(const char *line)
{
    const char *const word = begin(line);
    const size_t unit = strncmp(word, "time:", 5) == 0 ? strcspn(word + 5, BETWEEN) : 0;

    /* "# time: 12:30" is a comment */
    return unit > 0 && (line[strspn(line, " \t")] != '#' || strncmp(word + 5, "s", unit) == 0 ||
                        strncmp(word + 5, "ms", unit) == 0 || strncmp(word + 5, "us", unit) == 0);
}

/* Returns the factor from a unit to its unit without a prefix; 0: a unit of another kind. */
static double scale_of(const char *unit, const char *bases, char *base)
{
    const double scale = unit[0] == 'm' && unit[1] != '\0'   ? 1e-3
                         : unit[0] == 'u' && unit[1] != '\0' ? 1e-6
                                                             : 1;

    *base = unit[scale < 1 ? 1 : 0];
    return *base != '\0' && strchr(bases, *base) != NULL && unit[scale < 1 ? 2 : 1] == '\0' ? scale
                                                                                            : 0;
}

/* Returns the channel of that name, adding it if new; MPJ_METER_CHANNELS_MAX: there are too
 * many. */
static unsigned channel_of(struct mpj_meter_stream *m, const char *name)
{
    for (unsigned i = 0; i < m->channels; i++) {
        if (strcmp(m->channel[i].name, name) == 0)
            return i;
    }
    if (m->channels < MPJ_METER_CHANNELS_MAX)
        snprintf(m->channel[m->channels++].name, MPJ_METER_NAME_SIZE, "%s", name);
    else
        return MPJ_METER_CHANNELS_MAX;
    return m->channels - 1;
}

static bool is_name(const char *s)
{
    size_t n = 0;

    while (isalnum((unsigned char)s[n]) || (s[n] != '\0' && strchr("_-.", s[n]) != NULL))
        n++;
    return n > 0 && n < MPJ_METER_NAME_SIZE && s[n] == '\0';
}

/* Cuts ":ERROR%" off a unit; false: it is not a percentage. *percent is NAN when it is absent. */
static bool cut_error(char *unit, double *percent)
{
    char *const error = strchr(unit, ':');
    char *end;

    *percent = NAN;
    if (error == NULL)
        return true;
    *error = '\0';
    *percent = strtod(error + 1, &end);
    return end != error + 1 && strcmp(end, "%") == 0 && *percent > 0 && *percent <= 100;
}

/* Reads a column NAME:UNIT or NAME:UNIT:ERROR%. */
static int column(struct meter_head *h, struct mpj_meter_stream *m, char *name, const char *where,
                  struct mpj_err *err)
{
    static const char bases[] = "WVA";
    char *const unit = strchr(name, ':');
    enum meter_quantity quantity;
    bool *had;
    unsigned i;
    double scale;
    double error;
    char base;

    mpj_text_clean(name);
    if (unit == NULL)
        return mpj_err_set(err, MPJ_E_LOG,
                           "%s: column %.40s has no unit: it is named NAME:UNIT, like core:mW",
                           where, name);
    *unit = '\0';
    if (!is_name(name))
        return mpj_err_set(
            err, MPJ_E_LOG,
            "%s: \"%.40s\" is not the name of a channel: 1 to %u letters, digits, '_', "
            "'-' or '.'",
            where, name, MPJ_METER_NAME_SIZE - 1);
    if (!cut_error(unit + 1, &error))
        return mpj_err_set(err, MPJ_E_LOG,
                           "%s: the error of channel %s is not a percentage up to 100: %s:%s:0.5%%",
                           where, name, name, unit + 1);
    scale = scale_of(unit + 1, bases, &base);
    if (!(scale > 0))
        return mpj_err_set(err, MPJ_E_LOG,
                           "%s: channel %s has the unknown unit \"%.20s\": W, V or A are known, "
                           "with m, u or no prefix",
                           where, name, unit + 1);
    i = channel_of(m, name);
    if (i == MPJ_METER_CHANNELS_MAX || h->columns == 2U * MPJ_METER_CHANNELS_MAX)
        return mpj_err_set(err, MPJ_E_LOG, "%s: more than %u channels", where,
                           MPJ_METER_CHANNELS_MAX);
    quantity = (enum meter_quantity)(strchr(bases, base) - bases);
    had = quantity == METER_WATTS   ? &h->channel[i].watts
          : quantity == METER_VOLTS ? &h->channel[i].volts
                                    : &h->channel[i].amperes;
    if (*had || (quantity == METER_WATTS && (h->channel[i].volts || h->channel[i].amperes)) ||
        (quantity != METER_WATTS && h->channel[i].watts))
        return mpj_err_set(err, MPJ_E_LOG,
                           "%s: channel %s is there twice: it has one column of W, or one of V and "
                           "one of A",
                           where, name);
    *had = true;
    snprintf(h->channel[i].prefixed[quantity], sizeof(h->channel[i].prefixed[quantity]), "%s",
             unit + 1);
    h->channel[i].error_percent[quantity] = error;
    h->column[h->columns].channel = i;
    h->column[h->columns].quantity = quantity;
    h->column[h->columns++].scale = scale;
    return MPJ_E_OK;
}

/* Checks that each channel has a power; sets its unit and its error. */
static int finish(const struct meter_head *h, struct mpj_meter_stream *m, const char *where,
                  struct mpj_err *err)
{
    if (m->channels == 0)
        return mpj_err_set(err, MPJ_E_LOG, "%s: no channel is named: time:s core:W", where);
    for (unsigned i = 0; i < m->channels; i++) {
        const char *const name = m->channel[i].name;
        char *const unit = m->channel[i].unit;
        const double *const error = h->channel[i].error_percent;
        m->channel[i].error_percent =
            h->channel[i].watts ? error[METER_WATTS] : error[METER_VOLTS] + error[METER_AMPERES];
        if (h->channel[i].watts)
            snprintf(unit, MPJ_METER_UNIT_SIZE, "%s", h->channel[i].prefixed[METER_WATTS]);
        else if (h->channel[i].volts && h->channel[i].amperes)
            snprintf(unit, MPJ_METER_UNIT_SIZE, "%s*%s", h->channel[i].prefixed[METER_VOLTS],
                     h->channel[i].prefixed[METER_AMPERES]);
        else
            return mpj_err_set(
                err, MPJ_E_LOG, "%s: channel %s has %s and no %s: a column %s:%s is missing", where,
                name, h->channel[i].volts ? "V" : "A", h->channel[i].volts ? "A" : "V", name,
                h->channel[i].volts ? "A" : "V");
    }
    return MPJ_E_OK;
}

int meter_head_read(struct meter_head *h, struct mpj_meter_stream *m, char *line, const char *where,
                    struct mpj_err *err)
{
    char *rest = NULL;
    char *word = strtok_r(line + (begin(line) - line), BETWEEN, &rest);
    char base;

    if (m->named || m->n > 0)
        return mpj_err_set(err, MPJ_E_LOG, "%s: %s", where,
                           m->named ? "the channels are named twice"
                                    : "the channels are named after the first sample");
    *h = (struct meter_head){.time_scale = scale_of(word + 5, "s", &base)};
    *m = (struct mpj_meter_stream){.named = true};
    if (!(h->time_scale > 0))
        return mpj_err_set(err, MPJ_E_LOG, "%s: the time is in s, ms or us, not in \"%.20s\"",
                           where, (mpj_text_clean(word), word + 5));
    while ((word = strtok_r(NULL, BETWEEN, &rest)) != NULL) {
        if (column(h, m, word, where, err) != MPJ_E_OK)
            return err->code;
    }
    return finish(h, m, where, err);
}
