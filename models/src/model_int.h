/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared inside models/ only. */
#ifndef MODEL_INT_H
#define MODEL_INT_H

#include "mpj_model.h"

/* Physical sign of a predictor's coefficient; 0: free. */
int mpj_predictor_sign(size_t index);
/* One that stands for others, and takes part in a fit only when it is named or the formulation is
 * per core. */
bool mpj_predictor_spare(size_t index);

/* Linefills as the SCU counts them: from the L220 or memory, from another core. Index of a core's
 * event of a kind into mpj_event_table(). */
#define MPJ_FILL_KINDS 2U
int mpj_fill_event(unsigned kind, unsigned core);
/* What core k did, as a part of the program; time in WFI is not counted as its work. */
struct mpj_dataset_part mpj_core_part(const struct mpj_dataset_program *p, unsigned k);
/* The same in the first pass, as far as that can be told (attribute.c). */
struct mpj_dataset_part mpj_first_pass_part(const struct mpj_dataset_program *p, unsigned k);

#endif
