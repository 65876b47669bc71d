/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bounds and defaults of user settings, as the firmware and the emulator accept them; options of
 * commands have the same. Needs TILE_TEXT() of tile_board.h where a help text contains a number.
 *
 * Freestanding.
 */
#ifndef TILE_LIMITS_H
#define TILE_LIMITS_H

#include "tile_board.h"

/* Default board: programs are built for it unless another one is named, and programs, logs and
 * stores that name no board belong to it. A folder of hal/board/. */
#define TILE_BOARD_DEFAULT "realview-eb"

/* Calibration of the modelled chip, a file of sim/calibrations. */
#define TILE_CALIBRATION_DEFAULT "mprofiler"

/* Seed of the modelled noise. */
#define TILE_SEED_DEFAULT 1

/* Cycles that one emulated core may run ahead of the others. Limited by the chip model's packed
 * counters, which hold the cycles of one turn (MPJ_PACK_A of mpj_chip.h). */
#define TILE_QUANTUM_MIN     1
#define TILE_QUANTUM_MAX     8192
#define TILE_QUANTUM_DEFAULT 500

/* Most cycles by which a line that cores contend for is late, at random by the seed. */
#define TILE_JITTER_MAX     8
#define TILE_JITTER_DEFAULT 4

/* Sampling period of the power ADC. */
#define TILE_SAMPLE_US_MIN     50
#define TILE_SAMPLE_US_MAX     20000000
#define TILE_SAMPLE_US_DEFAULT 10000
/* Default for the data of energy models: programs of some 100 ms. */
#define TILE_CAMPAIGN_SAMPLE_US_DEFAULT 1000

/* Limit on the number of bounds of an emulated run, and the emulator's message when it ends a run
 * at one of them. */
#define TILE_BOUNDS_MAX   64
#define TILE_BOUND_PASSED "the run is beyond its bound"

/* Period of counter multiplexing (--rotate), which follows the sampling. */
#define TILE_ROTATE_MS_MIN 1
#define TILE_ROTATE_MS_MAX (TILE_SAMPLE_US_MAX / 1000)

#endif
