/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A 16550A as systems on a chip have it: registers a byte apart, FIFOs of 16,
 * and a ninth register with the fraction of the divisor.
 *
 * What a guest that wants to may say to the emulator, by outputs that drive
 * nothing: MCR.OUT1, it waits for the host (mpj_host.h). SCR bit 0, the core
 * that writes it carries data of the host and its work takes no time
 * (mpj_hold()); not OUT2, which Linux raises wherever it uses interrupts.
 */
#ifndef HW_CHAR_MPJ_16550_H
#define HW_CHAR_MPJ_16550_H

#include "hw/char/mpj_host.h"
#include "hw/sysbus.h"
#include "qom/object.h"

#define TYPE_MPJ_16550 "mpj-16550"
OBJECT_DECLARE_SIMPLE_TYPE(Mpj16550, MPJ_16550)

#define MPJ_16550_FIFO 16

struct Mpj16550 {
    SysBusDevice parent_obj;

    MemoryRegion iomem;
    qemu_irq irq;
    CharBackend chr;
    MpjHost host;
    bool in_reset; /* the system controller holds it there: it does not answer */
    uint8_t ier, fcr, lcr, mcr, scr, dll, dlm, fraction;
    bool thr_empty; /* interrupt is pending */
    bool overrun;
    uint8_t fifo[MPJ_16550_FIFO];
    uint32_t head, count;
};

/* Named input "reset": level of the block's reset. */

#endif
