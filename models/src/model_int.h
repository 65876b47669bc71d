/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared inside models/ only. */
#ifndef MODEL_INT_H
#define MODEL_INT_H

#include "mpj_model.h"

/* Physical sign of a predictor's coefficient; 0: free. */
int mpj_predictor_sign(size_t index);

#endif
