/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NOR flash as on the board: query, Vpp, erase, program, execute; two runs share a file. */
#include "bare.h"

#define F             ((volatile uint32_t *)NOR)
#define BOTH(command) ((uint32_t)(command) << 16 | (command)) /* two chips side by side */

void on_irq(unsigned core, uint32_t id)
{
    (void)core;
    (void)id;
}

static uint32_t command(uint32_t word, uint32_t first, uint32_t second)
{
    F[word] = first;
    F[word] = second;
    uint32_t status = F[word];
    F[word] = BOTH(0x50);
    F[word] = BOTH(0xff);
    return status;
}

void on_core(unsigned core)
{
    if (core)
        return;
    show("found", F[1]);
    F[0x55] = BOTH(0x98);
    show("query", F[0x10] == BOTH('Q') && F[0x11] == BOTH('R') && F[0x12] == BOTH('Y'));
    show("chip_bytes_log2", F[0x27] & 0xff);
    show("sectors", ((F[0x2e] & 0xff) << 8 | (F[0x2d] & 0xff)) + 1);
    show("sector_bytes", (F[0x30] & 0xff) << 16 | (F[0x2f] & 0xff) << 8);
    F[0] = BOTH(0xff);

    show("vpp_off_erase", command(0, BOTH(0x20), BOTH(0xd0)));
    show("vpp_off_program", command(0, BOTH(0x40), 0));
    W(SYS + 0x4c) = 1;
    show("vpp", W(SYS + 0x4c));
    show("erase", command(0, BOTH(0x20), BOTH(0xd0)));
    show("erased", F[0] == 0xffffffff && F[0xffff] == 0xffffffff);
    show("program", command(0, BOTH(0x40), 0x12345678));
    show("clears_only", (command(0, BOTH(0x40), 0xff00ffff), F[0]));
    command(1, BOTH(0x40), 0xe3a0002a); /* mov r0, #42 */
    command(2, BOTH(0x40), 0xe12fff1e); /* bx lr */
    show("execute", ((uint32_t(*)(void))(NOR + 4))());
    W(SYS + 0x4c) = 0;
}
