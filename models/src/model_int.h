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

#endif
