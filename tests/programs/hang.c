/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Never ends.   hang [spin|wfi|masked] */
#include <string.h>

#include "app.h"
#include "hal_cpu.h"
#include "mpj.h"

int main(int argc, char **argv)
{
    bool wfi = argc > 1 && strcmp(argv[1], "wfi") == 0;

    printf("hang: here I stay\n");
    if (argc > 1 && strcmp(argv[1], "masked") == 0) {
        (void)hal_irq_save();
        for (;;)
            __asm__ volatile("");
    }
    for (;;) {
        if (wfi)
            mpj_sleep_us(1000000);
        else
            mpj_spin_us(1000000);
    }
}
