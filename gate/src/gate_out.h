/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the writers of a gate. */
#ifndef GATE_OUT_H
#define GATE_OUT_H

#include "gate/judge.h"

/* Returns "ok", "regression" or "unknown". */
const char *gate_verdict_word(enum mpj_gate_verdict v);
/* The table's cells of an item, "12.3 ms", "+1.20 %"; "" for an unknown value. */
struct gate_cells {
    char base[40], now[40], change[24], range[24];
};
void gate_cells(const struct mpj_gate_program *p, const char *item, struct gate_cells *out);
/* Writes the name of a finding in lists of rules: "time", "function-energy", "unknown". */
void gate_rule(const struct mpj_gate_finding *f, char *text, size_t size);
/* Sets the place of a finding: the culprit's, else the program's file and line 1. */
void gate_place(const struct mpj_gate_program *p, const struct mpj_gate_finding *f,
                const char **file, int *line);
/* Returns an item of a program that is shown: time, energy, and further limited ones. *n: their
 * number; the next one is NULL. */
const char *gate_item(const struct mpj_gate_program *p, unsigned i);

mpj_gate_put gate_table, gate_markdown, gate_junit, gate_sarif, gate_codequality, gate_openmetrics,
    gate_json;

#endif
