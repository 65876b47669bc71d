/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bounds and defaults of what a user may set, as the firmware and the emulator take it: options of
 * commands have the same. Needs TILE_TEXT() of tile_board.h where a help text names a number.
 *
 * Freestanding.
 */
#ifndef TILE_LIMITS_H
#define TILE_LIMITS_H

#include "tile_board.h"

/* Board that programs are built for unless another one is named, and that programs, logs and stores
 * are of which name none: a folder of hal/board/. */
#define TILE_BOARD_DEFAULT "realview-eb"

/* Calibration of the modelled chip, a file of sim/calibrations. */
#define TILE_CALIBRATION_DEFAULT "mprofiler"

/* Seed of the modelled noise. */
#define TILE_SEED_DEFAULT 1

/* Cycles one emulated core may run ahead of the others. The chip model's packed counters hold
 * those of one turn (MPJ_PACK_A of mpj_chip.h), which limits it. */
#define TILE_QUANTUM_MIN     1
#define TILE_QUANTUM_MAX     8192
#define TILE_QUANTUM_DEFAULT 500

/* Sampling period of the power ADC. */
#define TILE_SAMPLE_US_MIN     50
#define TILE_SAMPLE_US_MAX     20000000
#define TILE_SAMPLE_US_DEFAULT 10000
/* For the data of energy models: programs of some 100 ms. */
#define TILE_CAMPAIGN_SAMPLE_US_DEFAULT 1000

/* Bounds beyond which an emulated run is ended, and what the emulator then prints. */
#define TILE_BOUNDS_MAX   64
#define TILE_BOUND_PASSED "the run is beyond its bound"

/* Period of counter multiplexing (--rotate), which follows the sampling. */
#define TILE_ROTATE_MS_MIN 1
#define TILE_ROTATE_MS_MAX (TILE_SAMPLE_US_MAX / 1000)

#endif
