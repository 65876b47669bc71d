/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An emulated board that others drive as if it were a real one: the emulator, a cable to it, and a
 * switch for its supply. One thread per board.
 */
#ifndef HIL_OFFERED_H
#define HIL_OFFERED_H

#include "hil/cable.h"
#include "hil/target.h"

struct mpj_offer_options {
    struct mpj_emulator_options emulator; /* without elf and nor */
    struct mpj_cable_options cable;
    const char *nor;    /* file of the flash; created if it does not exist; NULL: a private one */
    const char *loader; /* content of a new flash: the file flash.bin */
    bool in_ram;        /* no flash: off until mpj_offer_restart() brings a program */
    uint64_t power_cut; /* bytes on the line, both ways, since it was switched on, at which the
                           supply fails; 0: never */
    unsigned cuts;      /* how many times */
    /* Reports an event of the board (power cut, restart, end of a program); NULL: not wanted. */
    void (*event)(void *ctx, const char *text);
    void *ctx;
};

struct mpj_offer;

/*
 * Switches the board on. With a link, LINK MPJ_OFFER_SWITCH is the switch of its supply. MPJ_E_BUSY
 * when another board has the link. *out: close with mpj_offer_close(), which removes all created
 * files but nor; NULL on error.
 */
int mpj_offer_open(struct mpj_offer **out, const struct mpj_offer_options *opt,
                   struct mpj_err *err);
void mpj_offer_close(struct mpj_offer *o);
#define MPJ_OFFER_SWITCH ".power"

/* Returns the port that a host opens. */
const char *mpj_offer_port(const struct mpj_offer *o);
/* Returns a folder that is removed with the board. */
const char *mpj_offer_folder(const struct mpj_offer *o);
/* Runs the board for at most 20 ms. An error: the emulator has failed. */
int mpj_offer_turn(struct mpj_offer *o, struct mpj_err *err);

/* Checks a port that may be a board's link. MPJ_E_NO_PORT: that board was killed, and the terminal
 * that the link names may be another program's by now. */
int mpj_offer_check(const char *link, struct mpj_err *err);

/* Switches the board with that link off and on, in any process: with the program in its RAM, or
 * NULL, from its flash. Returns when it is on. MPJ_E_NO_PORT: there is no board. */
int mpj_offer_restart(const char *link, const char *elf, struct mpj_err *err);

#endif
