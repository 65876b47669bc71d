/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formulas of counter groups: numbers, names, + - * /, unary -, parentheses, min(a, b), max(a, b).
 * Compiled once, evaluated for as many sets of values as one likes.
 */
#ifndef MPJ_EXPR_H
#define MPJ_EXPR_H

#include <stddef.h>

#include "base/errors.h"

struct mpj_expr;

/* Number >= 0 the caller gives a name; negative: there is no such name. */
typedef int mpj_expr_resolve(void *ctx, const char *name, size_t len);
/* What the name of that number stands for; NAN: not known. */
typedef double mpj_expr_value(void *ctx, int number);

/*
 * Compiles text. *out is NULL on error: MPJ_E_USAGE, err->text says what is wrong and where
 * ("... at \"rest of the text\""). Free with mpj_expr_free.
 */
int mpj_expr_compile(struct mpj_expr **out, const char *text, mpj_expr_resolve *resolve, void *ctx,
                     struct mpj_err *err);
/* NAN when a value is unknown or something is divided by zero. */
double mpj_expr_eval(const struct mpj_expr *e, mpj_expr_value *value, void *ctx);
void mpj_expr_free(struct mpj_expr *e);

#endif
