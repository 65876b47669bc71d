/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The modelled chip of a board, and the rest of the RealView EB. */
#ifndef HW_ARM_MPJ_BOARD_H
#define HW_ARM_MPJ_BOARD_H

#include "hw/boards.h"

/*
 * Adds the machine properties calibration, quantum, seed, model, truth,
 * fastpath, strict, start, cold-ram.
 */
void mpj_board_class_init(ObjectClass *oc);

/* Facts of a board that the model needs. */
typedef struct MpjBoard {
    hwaddr ram_base;
    uint64_t ram_max;    /* bytes */
    uint64_t low_bytes;  /* so much of the RAM answers at address 0, too */
    hwaddr nor_base;
    unsigned nor_banks;  /* 0: no NOR flash */
    hwaddr private_base; /* of the MPCore */
    bool cold;           /* has what cold-ram= needs */
} MpjBoard;

extern const MpjBoard mpj_board_eb;

/* Makes the chip when a calibration is given, before the CPUs are made. */
void mpj_board_chip(MachineState *machine, const MpjBoard *board);
/*
 * Adds, after the devices of the EB are made, NOR flash, performance monitors,
 * and the interrupts of monitors, SCU and L220 on the tile's controller (inside
 * mpcore, a realview_mpcore device).
 */
void mpj_board_devices(DeviceState *mpcore, DeviceState *l2,
                       DeviceState *sysctl, unsigned num_cpu);

/*
 * Adds memory and system controller, with their state after a reset: when cold,
 * no RAM before they are set up, and flash (the first bank's memory) at address
 * 0.
 */
void mpj_board_memory(MemoryRegion *flash, bool cold);

/* Returns the ADC registers SYS_VOLTAGE0..3: 12-bit sample in bits [19:8]. */
uint32_t mpj_board_voltage(unsigned n);
/* Handles an edge of the LED that marks the measured program. */
void mpj_board_window(bool open);

#endif
