/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Power ADC: SYS_VOLTAGE0..3, sample in bits [19:8] (mProfiler; addresses inferred). */
#include "hal_adc.h"

#include "hal_hot.h"
#include "hal_io.h"
#include "hal_map.h"
#include "tile_board.h"

#define SAMPLE_SHIFT 8U
#define SAMPLE_MASK  0xfffU

uint16_t hal_adc_read(enum hal_adc_channel ch)
{
    return (uint16_t)((hal_io_read32(BOARD_SYS_VOLTAGE((unsigned)ch)) >> SAMPLE_SHIFT) &
                      SAMPLE_MASK);
}

HAL_HOT void hal_adc_read_all(uint16_t code[HAL_ADC_CHANNELS])
{
    for (unsigned i = 0; i < HAL_ADC_CHANNELS; i++)
        code[i] = hal_adc_read((enum hal_adc_channel)i);
}

uint32_t hal_adc_micro(enum hal_adc_channel ch, uint16_t code)
{
    switch (ch) {
    case HAL_ADC_CPU_I:
        return code * (TILE_ADC_NA_PER_STEP / 1000U);
    case HAL_ADC_PLL_I:
        return (code * (TILE_ADC_PLL_NA_PER_STEP / 100U) + 5U) / 10U;
    default:
        return code * (uint32_t)TILE_ADC_UV_PER_STEP;
    }
}
