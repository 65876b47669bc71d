/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Echoes lines from the host under the wait-for-host rule, with the cycles each one cost; a
 * line "q" ends. The truth window is open meanwhile. */
#include "bare.h"

#define CR (UART0 + 0x30)
#define FR (UART0 + 0x18)

void on_irq(unsigned core, uint32_t id)
{
    (void)core;
    (void)id;
}

void on_core(unsigned core)
{
    if (core)
        return;
    W(SYS + 8) = 0x80;
    wr_context(7 << 8);
    wr_pmnc(5);
    uint32_t c = 0, last = 0, polls = 0;
    show("visible_before", !(W(FR) & 0x10));
    for (;;) {
        W(CR) |= 1 << 12;
        while (W(FR) & 0x10)
            polls++;
        c = W(UART0);
        W(CR) &= ~(1U << 12);
        spin(200);
        if (!(W(FR) & 0x10))
            show("visible_without_waiting", 1);
        if (c == '\n') {
            if (last == 'q')
                break;
            show("cycles", rd_ccnt());
        } else {
            put((char)c);
        }
        last = c;
    }
    put('\n');
    show("polls", polls);
    wr_context(0);
    W(SYS + 8) = 0;
}
