/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The board a run was measured on, as it described itself (tile_machine.h), and the quantities of
 * its power channels. */
#ifndef REPORT_MACHINE_H
#define REPORT_MACHINE_H

#include "tile_machine.h"

/* The board assumed for logs and stores that do not describe one: that of the firmware before
 * MACHINE. */
extern const struct tile_machine mpj_machine_unstated;

struct json_t; /* of jansson.h */

/* Returns the description as a JSON object, kinds as words; missing features of the board are
 * omitted. NULL: out of memory. */
struct json_t *mpj_machine_json(const struct tile_machine *m);

/* A consumer whose power is measured: by a voltage and a current, or by its power. Channels are
 * indices into the codes of a sample, -1: none. */
struct mpj_supply {
    char name[TILE_NAME_SIZE]; /* the supplied component: "processor"; [a-z0-9_] */
    int volts, amperes, watts;
    double nv, na, nw; /* nanovolts, nanoamperes, nanowatts of a step of the code */
};

/* All consumers of a board, the processor first: its energy is the run's. If the board has no
 * processor channel, the first consumer in the order of the channels is used. */
struct mpj_supplies {
    unsigned count;
    struct mpj_supply of[TILE_POWER_MAX];
};
#define MPJ_PW_PER_UW        1e6
#define MPJ_SUPPLY_PROCESSOR "processor"
#define MPJ_SUPPLY_PLL       "pll"

void mpj_supplies_of(const struct tile_machine *m, struct mpj_supplies *out);
/* Returns the index of the consumer of that name; -1: it is not measured. */
int mpj_supply_index(const struct mpj_supplies *s, const char *name);
/* Converts the codes of a sample to values of each consumer, in uV, uA and pW (uV * uA); voltage
 * and current are 0 where only the power is measured. code: of all channels. */
void mpj_supply_values(const struct mpj_supplies *s, const double code[TILE_POWER_MAX],
                       double uv[TILE_POWER_MAX], double ua[TILE_POWER_MAX],
                       double pw[TILE_POWER_MAX]);

/* Writes the name of a consumer as reports print it: a name of up to three letters is an
 * abbreviation, "PLL". */
void mpj_supply_title(const struct mpj_supply *s, char out[TILE_NAME_SIZE]);
/* Writes the name of a channel as reports print it: "processor voltage", "PLL current". */
void mpj_channel_title(const struct tile_power_channel *c, char out[TILE_TITLE_SIZE]);

#endif
