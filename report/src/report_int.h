/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared inside report/ only. */
#ifndef REPORT_INT_H
#define REPORT_INT_H

#include "mpj_run.h"

/* Fills run->truth from the emulator's "mpjoule-truth/1" text. */
int truth_parse(struct mpj_run *run, const char *json, struct mpj_err *err);

#endif
