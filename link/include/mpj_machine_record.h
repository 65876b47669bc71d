/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MACHINE: the board's description of itself, tile_machine.h. The target sends it once a session,
 * as the first record after START, so an older host skips it; a log without one is of a RealView
 * EB, whose firmware did not send it.
 */
#ifndef MPJ_MACHINE_RECORD_H
#define MPJ_MACHINE_RECORD_H

#include "mpj_wire.h"
#include "tile_machine.h"

/* Appends the record: 0, MPJ_LINK_ERR_SPACE (the longest fits a frame of its own), or
 * MPJ_LINK_ERR_RANGE for what mpj_machine_get() would refuse. */
int mpj_machine_put(struct mpj_writer *w, const struct tile_machine *m);

/* Reads it. *out has every string terminated and every count within its bound. 0;
 * MPJ_LINK_ERR_FORMAT for a damaged body; MPJ_LINK_ERR_RANGE for no name or one with other
 * characters than [a-z0-9-], a text with other than printable ASCII, no core, RAM or time base, or
 * a count or size beyond its bound. Kinds that this side does not know are kept as they are. */
int mpj_machine_get(const struct mpj_rec *rec, struct tile_machine *out);

/* Return the texts of a quantity and its unit: "voltage", "V", ...; "unknown" for a quantity that
 * this side does not know. */
const char *mpj_quantity_name(uint32_t quantity);
const char *mpj_quantity_unit(uint32_t quantity);

#endif
