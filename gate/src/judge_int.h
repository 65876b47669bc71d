/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the files of a gate. */
#ifndef GATE_INT_H
#define GATE_INT_H

#include "gate/judge.h"

/* Tables of a sample: those of enum mpj_gate_kind from FUNCTION on, the
 * runtime's and the callers'. */
#define GATE_TABLES  5U
#define GATE_CALLERS 4U
extern const char *const gate_table_name[GATE_TABLES];

/* The comparison of a figure over the layouts of both sides. */
enum gate_shift {
    GATE_NOT_WORSE,
    GATE_WORSE,
    GATE_UNDECIDED, /* more layouts can decide */
    GATE_NO_MEMORY,
};
/* Compares a figure of two rows, of this many samples each: worse when the median is above the
 * limit and chance is not the reason. Undecided only while there are fewer samples of now. */
enum gate_shift gate_layouts_compare(const json_t *base, const json_t *now, const char *item,
                                     unsigned bases, unsigned nows, double percent);
/* Returns the number of samples that were merged. */
unsigned gate_samples(const json_t *sample);

/* Reads a file of programs' figures: its root, checked. NULL: err, MPJ_E_USAGE; again: the options
 * of `mpjoule gate` that make it. */
json_t *gate_file_read(const char *path, const char *schema, const char *again,
                       struct mpj_err *err);
/* Writes one, sorted, one line per function. */
int gate_file_write(const char *path, const json_t *root, struct mpj_err *err);

/* A file that is read, changed and replaced: no other gate does so meanwhile. */
struct gate_lock {
    char *name;
    int fd;
};
/* Locks a file next to the one at path, which need not exist; where none can be created the file
 * itself, which is written in place. MPJ_E_CANCELLED: a signal to end has arrived. */
int gate_file_lock(struct gate_lock *l, const char *path, struct mpj_err *err);
/* Releases the lock and removes its file. */
void gate_file_unlock(struct gate_lock *l);

#endif
