/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Power ADC: SYS_VOLTAGE0..3, sample in bits [19:8] (mProfiler; addresses inferred). */
#include "hal_adc.h"

#include "hal_hot.h"
#include "hal_io.h"
#include "hal_machine.h"
#include "hal_map.h"

#define SAMPLE_SHIFT 8U
#define SAMPLE_MASK  0xfffU

uint16_t hal_adc_read(unsigned ch)
{
    return (uint16_t)((hal_io_read32(BOARD_SYS_VOLTAGE(ch)) >> SAMPLE_SHIFT) & SAMPLE_MASK);
}

HAL_HOT void hal_adc_read_all(uint16_t code[HAL_ADC_CHANNELS])
{
    for (unsigned i = 0; i < HAL_ADC_CHANNELS; i++)
        code[i] = hal_adc_read(i);
}

uint32_t hal_adc_micro(unsigned ch, uint16_t code)
{
    return (uint32_t)(((uint64_t)code * hal_machine.power[ch].step_nano + 500U) / 1000U);
}
