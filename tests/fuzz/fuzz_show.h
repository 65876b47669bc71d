/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is done with a store, whatever it holds. */
#ifndef FUZZ_SHOW_H
#define FUZZ_SHOW_H

/* Reads a store as a run and as a recording, and writes each view in each format that is one
 * stream. Aborts when an error is not one line. */
void fuzz_show(const char *store);

/* The same of the recording in a store or a raw log, and of its samples. */
void fuzz_show_energy(const char *path);

#endif
