/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formulas of counter groups: numbers, names, + - * /, unary -, parentheses, min(a, b), max(a, b).
 * Compiled once, evaluated for any number of sets of values.
 */
#ifndef REPORT_EXPR_H
#define REPORT_EXPR_H

#include <stddef.h>

#include "base/errors.h"

struct mpj_expr;

/* Returns the number >= 0 that the caller assigns to a name; negative: no such name. */
typedef int mpj_expr_resolve(void *ctx, const char *name, size_t len);
/* Returns the value of the name with that number; NAN: unknown. */
typedef double mpj_expr_value(void *ctx, int number);

/*
 * Compiles text. *out is NULL on error: MPJ_E_USAGE, and err->text gives the fault and its position
 * ("... at \"rest of the text\""). Free with mpj_expr_free.
 */
int mpj_expr_compile(struct mpj_expr **out, const char *text, mpj_expr_resolve *resolve, void *ctx,
                     struct mpj_err *err);
/* Returns the value; NAN when an operand is unknown or a division is by zero. */
double mpj_expr_eval(const struct mpj_expr *e, mpj_expr_value *value, void *ctx);
void mpj_expr_free(struct mpj_expr *e);

#endif
