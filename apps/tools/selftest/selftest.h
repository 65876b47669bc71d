/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The self-test: measures the firmware's assumptions about the target it runs on, and prints
 * the results next to the expected values. `mpjoule selftest` runs, judges and shows it.
 *
 * One line for each measurement, fields separated by tabs:
 *   @item NAME INDEX VALUE LOW HIGH UNIT CHANGE TEXT   INDEX: core or channel, - for none
 *   @fault NAME INDEX KIND STATUS ADDRESS CHANGE TEXT
 *   @skip NAME REASON [absent]   absent: boards of this kind have no such device
 *   @part NAME              part that begins: the culprit when nothing more comes
 *   @note TEXT
 *   @end COUNT              of the @item, @fault and @skip lines
 * CHANGE names the source of the expected value, to be corrected: a macro of
 * hal/board/NAME/include/hal_map.h, or FILE:NAME, or - for nothing (then the thing is
 * broken, not misplaced).
 */
#ifndef SELFTEST_H
#define SELFTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "hal_map.h"
#include "mpj_try.h"

/* Name of the time base in texts. */
#ifdef BOARD_TIME_NAME
#define ST_TIME BOARD_TIME_NAME
#else
#define ST_TIME "board's counter"
#endif

#define ST_NONE (-1)
#define ST_FREE INT32_MAX /* HIGH: no upper bound */

struct st_item {
    const char *name, *unit, *change, *text;
    int32_t low, high;
};

/* Prints one measurement of an item. From the main thread only, like all of these functions. */
void st_value(const struct st_item *i, int index, int32_t value);
void st_fault(const struct st_item *i, int index, const struct mpj_fault_caught *c);
void st_skip(const struct st_item *i, const char *reason);
void st_part(const char *name);
void st_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns a register by its address: its presence and behaviour are tested. */
static inline volatile uint32_t *st_word(uintptr_t address)
{
    return (volatile uint32_t *)address;
}

/* Reads a word that may be absent. */
bool st_peek(uintptr_t address, uint32_t *value, struct mpj_fault_caught *c);
/* Reads a word and prints it as an item: its value, or its fault. */
void st_peek_item(const struct st_item *i, int index, uintptr_t address, uint32_t mask);

/* Polls until the word is at least `want`, for at most `us` microseconds, even if the clocks fail.
 * Returns false if it never was. */
bool st_wait(const volatile uint32_t *word, uint32_t want, uint32_t us);

/* Parts of the self-test. */
void st_cores(void);          /* monitor and events of each core */
void st_chip(void);           /* SCU, L220, interrupts, timers */
void st_nor(void);            /* flash banks */
void st_adc(uintptr_t first); /* power ADC; `first`: address of its first register */
void st_line(uint32_t bytes); /* pattern over the line, both ways */

/* Skips the item of a device that boards of this kind do not have. */
#define st_absent(NAME, REASON) st_skip(&(const struct st_item){.name = (NAME)}, REASON "\tabsent")

#endif
