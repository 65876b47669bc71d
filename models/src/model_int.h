/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to models/. */
#ifndef MODEL_INT_H
#define MODEL_INT_H

#include "models/model.h"

/* Returns the physical sign of a predictor's coefficient; 0: free. */
int mpj_predictor_sign(size_t index);
/* True for a predictor that replaces others, and takes part in a fit only when it is named or the
 * formulation is per core. */
bool mpj_predictor_spare(size_t index);

/* Linefills as the SCU counts them: from the L220 or memory, from another core. Returns the index
 * of a core's event of a kind into mpj_event_table(). */
#define MPJ_FILL_KINDS 2U
int mpj_fill_event(unsigned kind, unsigned core);
/* Returns the activity of core k as a part of the program, without its time in WFI. */
struct mpj_dataset_part mpj_core_part(const struct mpj_dataset_program *p, unsigned k);
/* Returns that activity in the first pass, as far as it can be reconstructed (attribute.c). */
struct mpj_dataset_part mpj_first_pass_part(const struct mpj_dataset_program *p, unsigned k);

/*
 * Computes the interval of a model (interval.c). error: of the n programs in p, each predicted by a
 * fit without its family, measured less predicted [mW]; MPJ_E_NOMEM.
 */
int mpj_interval_make(struct mpj_model_interval *out, double constant_mw,
                      const struct mpj_dataset_program *const *p, const double *error, size_t n,
                      struct mpj_err *err);

#endif
