/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule boards --emulate and --restart: an emulated board on a serial line. */
#ifndef EMULATE_H
#define EMULATE_H

#include <argp.h>

#include "run/offer.h"

struct cli_emulate { /* zero-initialise */
    bool offers;
    const char *kind;        /* of board; NULL: the default */
    const char *restart;     /* link of a board to be switched off and on; NULL: none */
    const char *elf;         /* for its RAM; NULL: none */
    const char *calibration; /* NULL: the default */
    char **command;          /* to run while it is offered, NULL-terminated; NULL: none */
    struct mpj_offer_options offer;
};

/* Cuts the command after "--" off the arguments: argp would move the kind of board there as well.
 * Returns how many are left. */
int cli_emulate_split(struct cli_emulate *e, int argc, char **argv);
/* Parser of the options; their input is the struct cli_emulate. */
extern const struct argp cli_emulate_argp;
/* Offers the board; returns the exit status: that of the command, if there is one. */
int cli_emulate_run(struct cli_emulate *e);

#endif
