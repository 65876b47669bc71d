/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Power ADC of the Core Tile: supply voltage and current of the processor and
 * of its PLL, 12 bits each, converted by the board continuously. Reading takes
 * the last conversion; it neither waits nor starts one. Callable from interrupt
 * handlers and from any core.
 */
#ifndef HAL_ADC_H
#define HAL_ADC_H

#include <stdint.h>

/* Channels in the order of SYS_VOLTAGE0..3. */
enum hal_adc_channel {
    HAL_ADC_CPU_V = 0,
    HAL_ADC_PLL_V = 1,
    HAL_ADC_CPU_I = 2,
    HAL_ADC_PLL_I = 3,
};
#define HAL_ADC_CHANNELS 4U

/* Last conversion of one channel, 0..4095. */
uint16_t hal_adc_read(enum hal_adc_channel ch);
/* All four channels. */
void hal_adc_read_all(uint16_t code[HAL_ADC_CHANNELS]);

/* A code in microvolts (voltage channels) or microamperes (current channels), rounded to
 * nearest; tile_board.h has the steps. */
uint32_t hal_adc_micro(enum hal_adc_channel ch, uint16_t code);

#endif
