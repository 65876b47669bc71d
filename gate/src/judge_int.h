/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the files of a gate. */
#ifndef GATE_INT_H
#define GATE_INT_H

#include "gate/judge.h"

/* Tables of a sample: those of enum mpj_gate_kind from FUNCTION on, and the runtime's. */
#define GATE_TABLES 4U
extern const char *const gate_table_name[GATE_TABLES];

/* Returns the name in a function's label: without the file of one of several. */
const char *gate_plain_name(const char *label);
/* True if an item is neither time nor energy. */
bool gate_is_count(const char *item);
/* What a set of layouts says of a figure. */
enum gate_shift {
    GATE_NOT_WORSE,
    GATE_WORSE,
    GATE_UNDECIDED, /* more layouts can decide */
    GATE_NO_MEMORY,
};
/* Compares a figure of two rows, of so many samples each: worse when the median is above the limit
 * and chance is not the reason. Undecided only while there are fewer samples of now. */
enum gate_shift gate_layouts_compare(const json_t *base, const json_t *now, const char *item,
                                     unsigned bases, unsigned nows, double percent);
/* Returns the number of samples that were merged. */
unsigned gate_samples(const json_t *sample);

/* Fills the culprit of a finding: a function, otherwise a region. MPJ_E_NOMEM. */
int gate_blame(const struct mpj_gate_program *p, struct mpj_gate_finding *f, struct mpj_err *err);
/* Writes "; fft (fft.c:12) takes 3 ms instead of 2 ms; cause: L2 accesses", or nothing. */
void gate_say_culprit(const struct mpj_gate_finding *f, FILE *out);

#endif
