/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "mpj_machine_record.h"
#include "report/machine.h"
#include "store/machine_fields.h"

#define NANO 1e-9

/* Returns a kind as its word; a number where this version has no word for it. */
static json_t *kind(const char *const *words, uint32_t v)
{
    char number[12];
    uint32_t i = 0;

    while (words[i] != NULL && i < v)
        i++;
    if (words[i] != NULL)
        return json_string(words[i]);
    snprintf(number, sizeof(number), "%u", v);
    return json_string(number);
}

static void put_field(json_t *o, const char *key, const struct machine_field *f, const void *of)
{
    if (f->size > 0)
        json_put_text(o, key, machine_text(f, of));
    else if (f->words != NULL)
        json_object_set_new(o, key, kind(f->words, *machine_number(f, of)));
    else
        json_put_count(o, key, *machine_number(f, of));
}

/* True if a board has the feature that a group of members describes. */
static bool has(const struct tile_machine *m, const char *group)
{
    const struct {
        const char *group;
        uint32_t kind;
    } lacks[] = {{"start", m->start.kind}, {"uart", m->uart.kind},         {"l2", m->l2.kind},
                 {"nor", m->nor.banks},    {"watchdog", m->watchdog.kind}, {"mark", m->mark.kind}};

    for (size_t i = 0; i < sizeof(lacks) / sizeof(lacks[0]); i++) {
        if (strcmp(lacks[i].group, group) == 0)
            return lacks[i].kind != 0;
    }
    return true;
}

/* Writes a member: "start.entry" is the member `entry` of `start`. */
static void put_member(json_t *root, const struct machine_field *f, const struct tile_machine *m)
{
    const char *const dot = strchr(f->name, '.');
    char group[TILE_NAME_SIZE];
    json_t *o = root;

    if (dot != NULL) {
        snprintf(group, sizeof(group), "%.*s", (int)(dot - f->name), f->name);
        if (!has(m, group))
            return;
        o = json_object_get(root, group);
        if (o == NULL) {
            o = json_object();
            json_object_set_new(root, group, o);
        }
    }
    put_field(o, dot != NULL ? dot + 1 : f->name, f, m);
}

/* Returns a channel; its step is in its unit. */
static json_t *channel(const struct tile_power_channel *c)
{
    json_t *const o = json_object();

    json_put_text(o, "name", c->name);
    json_put_text(o, "feeds", c->feeds);
    json_put_text(o, "quantity", mpj_quantity_name(c->quantity));
    json_put_text(o, "unit", mpj_quantity_unit(c->quantity));
    json_put_real(o, "step", c->step_nano * NANO);
    json_put_count(o, "bits", c->bits);
    return o;
}

json_t *mpj_machine_json(const struct tile_machine *m)
{
    json_t *const o = json_object();
    json_t *const ram = json_array();
    json_t *const power = json_array();

    for (size_t i = 0; i < machine_field_count; i++)
        put_member(o, &machine_fields[i], m);
    for (uint32_t i = 0; i < m->rams; i++) {
        json_t *const range = json_object();

        json_put_count(range, "base", m->ram[i].base);
        json_put_count(range, "bytes", m->ram[i].bytes);
        json_array_append_new(ram, range);
    }
    for (uint32_t i = 0; i < m->powers; i++)
        json_array_append_new(power, channel(&m->power[i]));
    json_object_set_new(o, "ram", ram);
    json_object_set_new(o, "power", power);
    return o;
}
