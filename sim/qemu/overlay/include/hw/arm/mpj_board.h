/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The modelled Core Tile on the realview-eb-mpcore machine. */
#ifndef HW_ARM_MPJ_BOARD_H
#define HW_ARM_MPJ_BOARD_H

#include "hw/boards.h"

/* Machine properties calibration, quantum, seed, model, truth, fastpath, strict,
 * start, cold-ram. */
void mpj_board_class_init(ObjectClass *oc);
/* Before the CPUs are made: makes the chip when a calibration is given. */
void mpj_board_chip(MachineState *machine);
/*
 * After the devices are made: NOR flash, performance monitors, and the
 * interrupts of monitors, SCU and L220 on the tile's controller (inside
 * mpcore, a realview_mpcore device).
 */
void mpj_board_devices(DeviceState *mpcore, DeviceState *l2,
                       DeviceState *sysctl, unsigned num_cpu);

/*
 * Memory and system controller, and what a reset leaves of them: when cold, no
 * RAM before they are set up, and flash (the first bank's memory) at address 0.
 */
void mpj_board_memory(MemoryRegion *flash, bool cold);

/* ADC registers SYS_VOLTAGE0..3: 12-bit sample in bits [19:8]. */
uint32_t mpj_board_voltage(unsigned n);
/* Edge of the lamp that marks the measured program. */
void mpj_board_window(bool open);

#endif
