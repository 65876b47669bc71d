/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The content of a calibration, independent of its name. */
#ifndef RUN_CALIBRATION_H
#define RUN_CALIBRATION_H

#include "base/errors.h"

/* Calls take for the file and for those it includes, each after the one that names it, in their
 * order. MPJ_E_IO when one of them cannot be read, MPJ_E_USAGE when it is a pipe, MPJ_E_NOMEM, or
 * what take returned, which ends the function. */
int run_calibration_files(const char *path,
                          int (*take)(void *ctx, const char *path, struct mpj_err *err), void *ctx,
                          struct mpj_err *err);
/* Computes a sum over the content of the file and of those it includes: 64 digits. MPJ_E_IO when
 * one of them cannot be read, MPJ_E_USAGE when it is a pipe, MPJ_E_NOMEM. */
int run_calibration_sha256(const char *path, char out[65], struct mpj_err *err);

#endif
