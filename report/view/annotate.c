/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/annotate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report_int.h"
#include "view/code.h"

#define LINES 10 /* of the table */
#define CELL  14

struct annotating {
    const struct mpj_run *run;
    const struct mpj_prof_func *func;
    bool any; /* a copy of it was executed */
    struct code_reader *reader;
    struct code code;
    FILE *f;
};

/* Writes "app.c:12  text of the line". */
static void put_place(struct annotating *a, const struct code_line *l)
{
    const char *const slash = strrchr(l->file, '/');
    const char *const name = slash != NULL ? slash + 1 : l->file;
    const char *text;

    if (l->file[0] == '\0' || l->number <= 0) {
        fputs("(no line known)\n", a->f);
        return;
    }
    text = code_text(code_source(a->reader, l->file), l->number);
    fprintf(a->f, "%s:%d%s%s\n", name, l->number, text != NULL ? "  " : "",
            text != NULL ? text : "");
}

static void head(const struct annotating *a)
{
    fprintf(a->f, "  %*s%*s", CELL, "executions", CELL, "cycles");
    for (unsigned i = 0; i < a->code.events; i++)
        fprintf(a->f, "%*s", CELL + 2, a->code.event[i]);
    if (a->code.energy)
        fprintf(a->f, "%*s", CELL, "energy nJ");
    fputs("   share\n", a->f);
}

static void put_cost(const struct annotating *a, const struct code_cost *c)
{
    const double all = a->code.energy ? (double)a->code.sum.fj : (double)a->code.sum.cycles;
    const double own = a->code.energy ? (double)c->fj : (double)c->cycles;

    fprintf(a->f, "  %*" PRIu64 "%*" PRIu64, CELL, c->executions, CELL, c->cycles);
    for (unsigned i = 0; i < a->code.events; i++)
        fprintf(a->f, "%*" PRId64, CELL + 2, c->ev[i]);
    if (a->code.energy)
        fprintf(a->f, "%*.3f", CELL, (double)c->fj / 1e6);
    fprintf(a->f, "%6.1f %%  ", all > 0 ? 100.0 * own / all : 0.0);
}

static int by_cost(const void *x, const void *y)
{
    const struct code_line *const a = *(const struct code_line *const *)x;
    const struct code_line *const b = *(const struct code_line *const *)y;

    if (a->cost.fj != b->cost.fj)
        return (a->cost.fj < b->cost.fj) - (a->cost.fj > b->cost.fj);
    if (a->cost.cycles != b->cost.cycles)
        return (a->cost.cycles < b->cost.cycles) - (a->cost.cycles > b->cost.cycles);
    return a->number - b->number;
}

static int put_lines(struct annotating *a, struct mpj_err *err)
{
    const struct code_line **const list =
        calloc(a->code.lines + 1U, sizeof(const struct code_line *));

    if (list == NULL)
        return mpj_err_nomem(err);
    for (unsigned i = 0; i < a->code.lines; i++)
        list[i] = &a->code.line[i];
    qsort(list, a->code.lines, sizeof(const struct code_line *), by_cost);
    fprintf(a->f, "\nLines, by %s; a line's executions are those of its instructions\n",
            a->code.energy ? "energy" : "cycles");
    head(a);
    for (unsigned i = 0; i < a->code.lines && i < LINES; i++) {
        put_cost(a, &list[i]->cost);
        put_place(a, list[i]);
    }
    if (a->code.lines > LINES)
        fprintf(a->f, "  %u more lines (all are below)\n", a->code.lines - LINES);
    put_cost(a, &a->code.sum);
    fputs("all\n", a->f);
    free(list);
    return MPJ_E_OK;
}

static void put_code(struct annotating *a)
{
    const struct code *const c = &a->code;
    char target[CODE_TARGET_MAX];

    fputs("\nCode\n", a->f);
    head(a);
    for (size_t i = 0; i < c->insns; i++) {
        const cs_insn *const insn = &c->insn[i];
        if (i == 0 || c->line_of[i] != c->line_of[i - 1])
            put_place(a, &c->line[c->line_of[i]]);
        put_cost(a, code_cost(c, i));
        fprintf(a->f, "%8x:  %-8s %s", (uint32_t)insn->address, insn->mnemonic, insn->op_str);
        if (code_target(a->reader, insn, target)[0] != '\0')
            fprintf(a->f, "  %s", target);
        fputc('\n', a->f);
    }
}

/* Annotates one copy of the function, if it was executed. */
static int annotate(struct annotating *a, const struct mpj_prof_copy *copy, struct mpj_err *err)
{
    struct code *const c = &a->code;
    int result = code_read(a->reader, a->func, copy, c, err);

    if (result == MPJ_E_OK && c->executed > 0)
        result = code_decode(a->reader, c, err);
    if (result == MPJ_E_OK && c->executed > 0) {
        if (!a->any)
            text_head(a->run, a->f);
        a->any = true;
        fprintf(a->f, "\n%s%s, 0x%08" PRIx32 " to 0x%08" PRIx32 "%s\n", a->func->label,
                copy->suffix, c->start, c->start + c->size, c->thumb ? ", Thumb" : "");
        result = put_lines(a, err);
        put_code(a);
    }
    code_free(c);
    return result;
}

/* Finds the function with code of its own that a name means; several are an error. */
static int find_function(struct annotating *a, const char *name, struct mpj_err *err)
{
    const struct mpj_profile *const p = a->run->profile;

    for (unsigned i = 0; i < p->funcs; i++) {
        const struct mpj_prof_func *const f = &p->func[i];
        if (f->copies == 0 || !mpj_profile_named(f, name))
            continue;
        if (a->func != NULL)
            return mpj_err_set(
                err, MPJ_E_USAGE,
                "\"%.100s\" is more than one function: name one, as %.100s or %.100s", name,
                a->func->label, f->label);
        a->func = f;
    }
    if (a->func != NULL)
        return MPJ_E_OK;
    return mpj_err_set(err, MPJ_E_USAGE,
                       "no function of the profile with code of its own is called \"%.100s\" "
                       "(mpjoule report --view functions --top 0 lists all)",
                       name);
}

int mpj_annotate(const struct mpj_run *run, const char *store, const char *elf,
                 const char *function, FILE *out, struct mpj_err *err)
{
    struct annotating a = {.run = run, .f = out};
    int result;

    if (run->profile == NULL)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "the run has no profile of functions: record one with `mpjoule run "
                           "--functions --instructions`");
    result = find_function(&a, function, err);
    if (result == MPJ_E_OK)
        result = code_open(&a.reader, store, elf, err);
    for (unsigned i = 0; result == MPJ_E_OK && i < a.func->copies; i++)
        result = annotate(&a, &a.func->copy[i], err);
    if (result == MPJ_E_OK && !a.any)
        result = mpj_err_set(err, MPJ_E_USAGE,
                             "no instruction of %s was recorded: record them with `mpjoule run "
                             "--functions --instructions`",
                             a.func->name);
    code_close(a.reader);
    return result;
}
