/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/expr.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 200U
#define DEPTH_MAX 50U /* nested parentheses, and values at a time */

enum op { OP_NUMBER, OP_NAME, OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_NEG, OP_MIN, OP_MAX };

/* Postfix: operands before their operation. */
struct step {
    enum op op;
    double number;
    int name;
};

struct mpj_expr {
    unsigned n;
    struct step step[STEPS_MAX];
};

struct parser {
    struct mpj_expr *e;
    const char *at;
    unsigned depth;
    mpj_expr_resolve *resolve;
    void *ctx;
    struct mpj_err *err;
};

static int sum(struct parser *p);

static void skip(struct parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

static bool accept(struct parser *p, char c)
{
    skip(p);
    if (*p->at != c)
        return false;
    p->at++;
    return true;
}

static int wrong(struct parser *p, const char *what)
{
    skip(p);
    if (*p->at == '\0')
        return mpj_err_set(p->err, MPJ_E_USAGE, "%s at its end", what);
    return mpj_err_set(p->err, MPJ_E_USAGE, "%s at \"%.40s\"", what, p->at);
}

static int emit(struct parser *p, enum op op, double number, int name)
{
    if (p->e->n == STEPS_MAX)
        return wrong(p, "the formula is too long");
    p->e->step[p->e->n++] = (struct step){op, number, name};
    return MPJ_E_OK;
}

/* Parses the (a, b) of a function. */
static int function(struct parser *p, enum op op)
{
    if (!accept(p, '('))
        return wrong(p, "( expected");
    if (sum(p) != MPJ_E_OK)
        return p->err->code;
    if (!accept(p, ','))
        return wrong(p, ", expected");
    if (sum(p) != MPJ_E_OK)
        return p->err->code;
    if (!accept(p, ')'))
        return wrong(p, ") expected");
    return emit(p, op, 0.0, 0);
}

static int name(struct parser *p)
{
    const char *const begin = p->at;
    size_t len;
    int number;

    while (isalnum((unsigned char)*p->at) || *p->at == '_')
        p->at++;
    len = (size_t)(p->at - begin);
    if (len == 3 && memcmp(begin, "min", len) == 0)
        return function(p, OP_MIN);
    if (len == 3 && memcmp(begin, "max", len) == 0)
        return function(p, OP_MAX);
    number = p->resolve(p->ctx, begin, len);
    if (number < 0)
        return mpj_err_set(p->err, MPJ_E_USAGE, "there is no \"%.*s\"", (int)len, begin);
    return emit(p, OP_NAME, 0.0, number);
}

static int number(struct parser *p)
{
    char *end;
    const double v = strtod(p->at, &end);

    if (end == p->at || !isfinite(v))
        return wrong(p, "a number or a name expected");
    p->at = end;
    return emit(p, OP_NUMBER, v, 0);
}

static int operand(struct parser *p)
{
    int result;

    if (p->depth == DEPTH_MAX)
        return wrong(p, "too many parentheses");
    p->depth++;
    skip(p);
    if (accept(p, '-')) {
        result = operand(p);
        if (result == MPJ_E_OK)
            result = emit(p, OP_NEG, 0.0, 0);
    } else if (accept(p, '(')) {
        result = sum(p);
        if (result == MPJ_E_OK && !accept(p, ')'))
            result = wrong(p, ") expected");
    } else if (isalpha((unsigned char)*p->at)) {
        result = name(p);
    } else if (isdigit((unsigned char)*p->at) || *p->at == '.') {
        result = number(p);
    } else {
        result = wrong(p, "a number or a name expected");
    }
    p->depth--;
    return result;
}

static int product(struct parser *p)
{
    int result = operand(p);

    while (result == MPJ_E_OK) {
        const enum op op = accept(p, '*') ? OP_MUL : accept(p, '/') ? OP_DIV : OP_NUMBER;
        if (op == OP_NUMBER)
            break;
        result = operand(p);
        if (result == MPJ_E_OK)
            result = emit(p, op, 0.0, 0);
    }
    return result;
}

static int sum(struct parser *p)
{
    int result = product(p);

    while (result == MPJ_E_OK) {
        const enum op op = accept(p, '+') ? OP_ADD : accept(p, '-') ? OP_SUB : OP_NUMBER;
        if (op == OP_NUMBER)
            break;
        result = product(p);
        if (result == MPJ_E_OK)
            result = emit(p, op, 0.0, 0);
    }
    return result;
}

int mpj_expr_compile(struct mpj_expr **out, const char *text, mpj_expr_resolve *resolve, void *ctx,
                     struct mpj_err *err)
{
    struct parser p = {.at = text, .resolve = resolve, .ctx = ctx, .err = err};
    int result;

    *out = NULL;
    p.e = calloc(1, sizeof(*p.e));
    if (p.e == NULL)
        return mpj_err_nomem(err);
    result = sum(&p);
    skip(&p);
    if (result == MPJ_E_OK && *p.at != '\0')
        result = wrong(&p, "something unexpected");
    if (result != MPJ_E_OK) {
        free(p.e);
        return result;
    }
    *out = p.e;
    return MPJ_E_OK;
}

static double apply(enum op op, double a, double b)
{
    switch (op) {
    case OP_ADD:
        return a + b;
    case OP_SUB:
        return a - b;
    case OP_MUL:
        return a * b;
    case OP_DIV:
        return b != 0.0 ? a / b : NAN;
    case OP_MIN: /* unlike fmin, an unknown operand makes the result unknown */
        return isnan(a) || isnan(b) ? NAN : a < b ? a : b;
    default:
        return isnan(a) || isnan(b) ? NAN : a > b ? a : b;
    }
}

double mpj_expr_eval(const struct mpj_expr *e, mpj_expr_value *value, void *ctx)
{
    double stack[STEPS_MAX] = {0};
    unsigned n = 0;

    for (unsigned i = 0; i < e->n; i++) {
        const struct step *const s = &e->step[i];
        switch (s->op) {
        case OP_NUMBER:
            stack[n++] = s->number;
            break;
        case OP_NAME:
            stack[n++] = value(ctx, s->name);
            break;
        case OP_NEG:
            stack[n - 1U] = -stack[n - 1U];
            break;
        default:
            n--;
            stack[n - 1U] = apply(s->op, stack[n - 1U], stack[n]);
            break;
        }
    }
    return stack[0];
}

void mpj_expr_free(struct mpj_expr *e)
{
    free(e);
}
