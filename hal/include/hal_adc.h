/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Power channels of the board, described by hal_machine.power: quantities and steps. Converted
 * continuously; a read returns the last conversion and neither waits nor starts one. A board may
 * have no channel (BOARD_POWERS is 0): every code is 0 then. Callable from any core and from
 * interrupt handlers.
 */
#ifndef HAL_ADC_H
#define HAL_ADC_H

#include <stdint.h>

#include "tile_machine.h"
#include <hal_map.h> /* the board's, not a header of this folder */

/* Codes of a sample; those of channels that the board lacks are 0. */
#define HAL_ADC_CHANNELS ((unsigned)TILE_POWER_MAX)

/* Channels whose product is the power of the cores, and its milliwatts per square step, for a board
 * that defines them. Otherwise they are 0, and so is that power. */
#ifdef BOARD_POWER_CORES_V
#define HAL_ADC_CORES_V  ((unsigned)BOARD_POWER_CORES_V)
#define HAL_ADC_CORES_I  ((unsigned)BOARD_POWER_CORES_I)
#define HAL_ADC_CORES_MW BOARD_POWER_CORES_MW
#else
#define HAL_ADC_CORES_V  0U
#define HAL_ADC_CORES_I  0U
#define HAL_ADC_CORES_MW 0.0F
#endif

/* Returns the last conversion of one channel, 0..BOARD_POWERS-1. */
uint16_t hal_adc_read(unsigned ch);

/* Reads the last conversions of all channels. */
void hal_adc_read_all(uint16_t code[HAL_ADC_CHANNELS]);

/* Converts a code of a channel to microvolts, microamperes or microwatts, rounded to nearest. */
uint32_t hal_adc_micro(unsigned ch, uint16_t code);

#endif
