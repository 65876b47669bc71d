/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Power channels of a board by the component that they supply. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "mpj_machine_record.h"
#include "report/machine.h"

#define NANO_PER_MICRO 1e3
#define PICO_PER_NANO  1e3

/* Converts the supplied component's name to a key of JSON and a part of a column's name. */
static void key_of(const char *feeds, char out[TILE_NAME_SIZE])
{
    snprintf(out, TILE_NAME_SIZE, "%s", feeds[0] != '\0' ? feeds : "unnamed");
    for (char *p = out; *p != '\0'; p++)
        *p = isalnum((unsigned char)*p) ? (char)tolower((unsigned char)*p) : '_';
}

static struct mpj_supply *find(struct mpj_supplies *s, const char *feeds)
{
    char name[TILE_NAME_SIZE];
    int i;

    key_of(feeds, name);
    i = mpj_supply_index(s, name);

    if (i >= 0)
        return &s->of[i];
    snprintf(s->of[s->count].name, TILE_NAME_SIZE, "%s", name);
    s->of[s->count].volts = s->of[s->count].amperes = s->of[s->count].watts = -1;
    return &s->of[s->count++];
}

static void take(struct mpj_supply *to, const struct tile_power_channel *c, int index)
{
    if (c->quantity == TILE_QUANTITY_VOLTAGE && to->volts < 0) {
        to->volts = index;
        to->nv = c->step_nano;
    } else if (c->quantity == TILE_QUANTITY_CURRENT && to->amperes < 0) {
        to->amperes = index;
        to->na = c->step_nano;
    } else if (c->quantity == TILE_QUANTITY_POWER && to->watts < 0) {
        to->watts = index;
        to->nw = c->step_nano;
    }
}

static bool has_power(const struct mpj_supply *s)
{
    return s->watts >= 0 || (s->volts >= 0 && s->amperes >= 0);
}

void mpj_supplies_of(const struct tile_machine *m, struct mpj_supplies *out)
{
    struct mpj_supplies all = {0};
    int first;

    for (uint32_t i = 0; i < m->powers && i < TILE_POWER_MAX; i++)
        take(find(&all, m->power[i].feeds), &m->power[i], (int)i);
    memset(out, 0, sizeof(*out));
    first = mpj_supply_index(&all, MPJ_SUPPLY_PROCESSOR);
    if (first >= 0 && has_power(&all.of[first]))
        out->of[out->count++] = all.of[first];
    for (unsigned i = 0; i < all.count; i++) {
        if ((int)i != first && has_power(&all.of[i]))
            out->of[out->count++] = all.of[i];
    }
}

int mpj_supply_index(const struct mpj_supplies *s, const char *name)
{
    for (unsigned i = 0; i < s->count; i++) {
        if (strcmp(s->of[i].name, name) == 0)
            return (int)i;
    }
    return -1;
}

void mpj_supply_values(const struct mpj_supplies *s, const double code[TILE_POWER_MAX],
                       double uv[TILE_POWER_MAX], double ua[TILE_POWER_MAX],
                       double pw[TILE_POWER_MAX])
{
    for (unsigned i = 0; i < s->count; i++) {
        const struct mpj_supply *const of = &s->of[i];

        uv[i] = of->volts >= 0 ? code[of->volts] * of->nv / NANO_PER_MICRO : 0.0;
        ua[i] = of->amperes >= 0 ? code[of->amperes] * of->na / NANO_PER_MICRO : 0.0;
        pw[i] = of->watts >= 0 ? code[of->watts] * of->nw * PICO_PER_NANO : uv[i] * ua[i];
    }
}

static void title_of(const char *name, char out[TILE_NAME_SIZE])
{
    snprintf(out, TILE_NAME_SIZE, "%s", name);
    for (char *p = out; strlen(out) <= 3 && *p != '\0'; p++)
        *p = (char)toupper((unsigned char)*p);
}

void mpj_supply_title(const struct mpj_supply *s, char out[TILE_NAME_SIZE])
{
    title_of(s->name, out);
}

void mpj_channel_title(const struct tile_power_channel *c, char out[TILE_TITLE_SIZE])
{
    char feeds[TILE_NAME_SIZE];

    title_of(c->feeds, feeds);
    snprintf(out, TILE_TITLE_SIZE, "%s%s%s", feeds, feeds[0] != '\0' ? " " : "",
             mpj_quantity_name(c->quantity));
}
