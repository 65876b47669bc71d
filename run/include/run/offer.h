/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Offers an emulated board to others: the files it needs, and the list of boards that describes
 * it. */
#ifndef RUN_OFFER_H
#define RUN_OFFER_H

#include "base/errors.h"
#include "hil/offered.h"
#include "tile_machine.h"

#define RUN_OFFER_ID "emulated" /* of the board in its list */

struct run_offer {
    struct tile_machine board;         /* its kind */
    char *qemu, *calibration, *loader; /* what the options point into */
    char *list;                        /* its boards.yaml; NULL: not written yet */
};

/* Fills in the paths of opt, from files and environment. kind: of board, NULL: the default;
 * calibration: a name or path, NULL: the default. MPJ_E_USAGE: no such kind, or it cannot start as
 * opt demands. opt refers to r. Free with run_offer_free(), after an error too. */
int run_offer_prepare(struct run_offer *r, struct mpj_offer_options *opt, const char *kind,
                      const char *calibration, struct mpj_err *err);
void run_offer_free(struct run_offer *r);
/* Writes a list of boards with the board in it, r->list, which is removed when the board is
 * closed. */
int run_offer_list(struct run_offer *r, const struct mpj_offer_options *opt,
                   const struct mpj_offer *board, struct mpj_err *err);

#endif
