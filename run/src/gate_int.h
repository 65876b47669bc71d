/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUN_GATE_INT_H
#define RUN_GATE_INT_H

#include "run/gate.h"

/* The program of that name; NULL: none. */
struct run_gate_program *run_gate_find(const struct run_gate *g, const char *name);

#endif
