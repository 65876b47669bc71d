/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts that boards with an ARM11 MPCore have in common. */
#ifndef HW_ARM_MPJ_TILE_H
#define HW_ARM_MPJ_TILE_H

#include "hw/boards.h"

#define MPJ_NO_IRQ (-1)

/*
 * Adds the cores and their private region at @base. The device that is returned
 * has an input for each interrupt of the region's controller; ID = 32 + n.
 */
DeviceState *mpj_tile_cores(MachineState *machine, hwaddr base);
/*
 * Adds performance monitors of the cores, and the interrupts of these and of
 * the SCU's monitors: inputs of @priv from @pmu and @scu on, or MPJ_NO_IRQ.
 */
void mpj_tile_monitors(DeviceState *priv, unsigned num_cpu, int pmu, int scu);

/*
 * Adds a bank of NOR flash: two 16-bit chips side by side, drive number @bank.
 */
DeviceState *mpj_tile_nor(unsigned bank, hwaddr base);
/* Adds an SP805 at @base, 24 MHz; its reset output resets the machine. */
void mpj_tile_watchdog(hwaddr base);
/*
 * Adds UART @n of type @type, its interrupt on @irq; UART 0 leads to the host.
 */
DeviceState *mpj_tile_uart(const char *type, unsigned n, hwaddr base,
                           qemu_irq irq);

#endif
