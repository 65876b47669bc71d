/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Never ends.   hang [spin|wfi] */
#include <string.h>

#include "app.h"
#include "mpj.h"

int main(int argc, char **argv)
{
    bool wfi = argc > 1 && strcmp(argv[1], "wfi") == 0;

    printf("hang: here I stay\n");
    for (;;) {
        if (wfi)
            mpj_sleep_us(1000000);
        else
            mpj_spin_us(1000000);
    }
}
