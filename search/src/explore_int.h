/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUN_EXPLORE_INT_H
#define RUN_EXPLORE_INT_H

#include <jansson.h>

#include "search/explore.h"

/* ---- files of figures: explore_read.c ------------------------------------------------ */

/* Reads all keys of a calibration with the files it includes, or of laws, as numbers; name and vary
 * as texts. NULL and err: it cannot be read, or a line is not valid. */
json_t *run_explore_read(const char *file, struct mpj_err *err);

/* ---- laws: explore_scale.c ------------------------------------------------------------- */

struct run_explore_chip {
    double l1i_kb, l1d_kb, l2_kb, l1i_ways, l1d_ways, l2_ways, clock_mhz;
    unsigned cores;
    unsigned
        board_cores; /* that the emulated board has: energies of a calibration are of all of them */
};

/* Returns the chip of a calibration on a board with this many cores. */
void run_explore_base(const json_t *calibration, unsigned board_cores,
                      struct run_explore_chip *out);
/* Checks that every required law is there, and no unknown one. MPJ_E_USAGE. */
int run_explore_check_laws(const json_t *laws, const json_t *calibration, const char *file,
                           struct mpj_err *err);
/* Returns the keys of the calibration for this chip, all of them. MPJ_E_USAGE: there is no such
 * chip. */
json_t *run_explore_scale(const json_t *calibration, const json_t *laws,
                          const struct run_explore_chip *chip, struct mpj_err *err);
double run_explore_area(const json_t *laws, const struct run_explore_chip *chip);
/* Returns this chip's share in the leakage of the same chip with all cores. */
double run_explore_leaks(const json_t *calibration, const json_t *laws,
                         const struct run_explore_chip *chip);
/* True for a key that does not change the time. */
bool run_explore_untimed(const char *key);

/* Computes the energy of a run by other keys than those that it was run with: from its counts.
 * Joules. */
double run_explore_energy(const json_t *figures, const json_t *ran, const json_t *now,
                          const struct run_explore_chip *chip, double leaks);

#endif
