/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call frame information of a program, looked at before libdw follows it. */
#ifndef CALL_FRAMES_H
#define CALL_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include <elfutils/libdw.h>

/* Whether instructions of call frames (DWARF 4, 6.4.2) can be those of a program for ARM: known,
 * whole, of registers that there are, with few states kept at a time. libdw has room for all
 * registers up to the highest that is named, in each state: of a damaged file, gigabytes. */
bool call_frames_fit(const uint8_t *at, const uint8_t *end);

/* Whether all of .debug_frame can be; also where there is none. */
bool call_frames_good(Dwarf *dwarf);

#endif
