/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A board that measures no power. */
#include "hal_adc.h"

uint16_t hal_adc_read(unsigned ch)
{
    (void)ch;
    return 0;
}

void hal_adc_read_all(uint16_t code[HAL_ADC_CHANNELS])
{
    for (unsigned i = 0; i < HAL_ADC_CHANNELS; i++)
        code[i] = 0;
}

uint32_t hal_adc_micro(unsigned ch, uint16_t code)
{
    (void)ch;
    (void)code;
    return 0;
}
