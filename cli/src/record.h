/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between `mpjoule record`'s command line and the recording it makes. */
#ifndef RECORD_H
#define RECORD_H

#include "cli.h"
#include "mpj_drift.h"
#include "mpj_energy.h"
#include "run.h"

/* What the person at the terminal sees. */
struct record_live {
    bool begun;
    uint64_t first, last; /* ticks of samples */
    uint64_t samples, lost, next;
    double energy_uj;
    double power_uw; /* of the newest sample */
    unsigned n;      /* samples since the line was written */
    double sum_v, sum_i, sum_p;
};

struct record {
    struct run run; /* target, program and its arguments; o.store: the log */
    double for_s;   /* 0: until somebody ends it */
    const char *csv;
    bool beside; /* a program was named */
    bool marks;  /* of stdin, terminal or not */
    unsigned ask_ms;
    bool ask_given;
    unsigned silence_s;
    char *elf, *errors; /* the recorder's program; what the emulator says */
    char length[16], ask[16];

    bool made; /* the log is there */
    struct mpj_session_result result;
    struct mpj_drift drift;
    struct record_live live;
};

/*
 * Makes the recording: until the program or the time is over, or Ctrl-C. A mark for each line of
 * stdin and each SIGUSR1. MPJ_E_OK when the log ends in order, whoever ended it.
 */
int record_run(struct record *r, struct mpj_err *err);

/* JSON or samples have stdout to themselves. */
static inline bool record_fills_stdout(const struct record *r)
{
    return cli_is_stdout(r->run.o.json) || cli_is_stdout(r->csv);
}

#endif
