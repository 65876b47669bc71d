/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call frame information of a program, checked before libdw follows it. */
#ifndef CALL_FRAMES_H
#define CALL_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include <elfutils/libdw.h>

/* True if instructions of call frames (DWARF 4, 6.4.2) can be those of a program for ARM: known,
 * complete, with existing registers and few states kept at a time. libdw allocates all registers up
 * to the highest one named, in each state: gigabytes for a damaged file. */
bool call_frames_fit(const uint8_t *at, const uint8_t *end);

/* True if all of .debug_frame can be; also if the section does not exist. */
bool call_frames_good(Dwarf *dwarf);

#endif
