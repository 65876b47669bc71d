/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/annotate.h"

#include <capstone/capstone.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/symbols.h"
#include "report_int.h"

#define EVENTS     4           /* columns of events */
#define LINES      10          /* of the table */
#define SIZE_MAX_B (16U << 20) /* of a function */
#define CELL       14

/* Cost of an instruction or a line. */
struct cost {
    uint64_t executions, cycles;
    int64_t fj;
    int64_t ev[EVENTS];
};

/* A source line, and all its instructions in the function. */
struct line {
    const char *file;
    int number;
    struct cost cost;
};

struct annotating {
    struct mpj_symbols *symbols;
    const struct mpj_run *run;
    const struct mpj_prof_func *func;
    bool any; /* a copy of it was executed */
    uint32_t start, size;
    bool thumb;
    struct cost *cost; /* of each halfword */
    struct cost sum;
    bool energy;
    unsigned events;
    char *event[EVENTS];
    struct line *line;
    unsigned lines;
    unsigned seen; /* instructions that were executed */
    /* the source file that was shown last */
    char *path;
    char **text;
    unsigned texts;
    FILE *f;
};

/* ---- costs ----------------------------------------------------------------------------- */

/* True for events that explain why an instruction was slow. */
static bool is_telling(const char *item)
{
    return strstr(item, "_miss") != NULL || strstr(item, "mispred") != NULL ||
           strstr(item, "_stall") != NULL;
}

/* Returns the column of an event; negative: it does not have one. */
static int column(struct annotating *a, const char *item)
{
    for (unsigned i = 0; i < a->events; i++) {
        if (strcmp(a->event[i], item) == 0)
            return (int)i;
    }
    if (!is_telling(item) || a->events == EVENTS)
        return -1;
    a->event[a->events] = strdup(item);
    return a->event[a->events] != NULL ? (int)a->events++ : -1;
}

static int on_insn(void *ctx, const struct mpj_insn *insn)
{
    struct annotating *const a = ctx;
    struct cost *const c = &a->cost[(insn->address - a->start) / 2];

    a->seen++;
    c->executions = insn->executions;
    c->cycles = insn->cycles;
    for (unsigned i = 0; i < insn->costs; i++) {
        const int at = column(a, insn->cost[i].item);
        if (strcmp(insn->cost[i].item, "energy_fj") == 0) {
            c->fj = insn->cost[i].value;
            a->energy = true;
        } else if (at >= 0) {
            c->ev[at] = insn->cost[i].value;
        }
    }
    return MPJ_E_OK;
}

static void add(struct cost *to, const struct cost *c)
{
    to->executions += c->executions;
    to->cycles += c->cycles;
    to->fj += c->fj;
    for (unsigned i = 0; i < EVENTS; i++)
        to->ev[i] += c->ev[i];
}

/* ---- source lines ---------------------------------------------------------------------- */

static struct line *line_of(struct annotating *a, const struct mpj_place *p)
{
    const char *const file = p->file != NULL ? p->file : "";

    for (unsigned i = a->lines; i-- > 0;) {
        if (a->line[i].number == p->line && a->line[i].file != NULL &&
            strcmp(a->line[i].file, file) == 0)
            return &a->line[i];
    }
    a->line[a->lines] = (struct line){.file = file, .number = p->line};
    return &a->line[a->lines++];
}

static void forget_source(struct annotating *a)
{
    while (a->texts > 0)
        free(a->text[--a->texts]);
    free(a->text);
    free(a->path);
    a->text = NULL;
    a->path = NULL;
}

static void read_source(struct annotating *a, const char *path)
{
    FILE *const f = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;

    forget_source(a);
    a->path = strdup(path);
    while (f != NULL && a->path != NULL && getline(&line, &room, f) >= 0) {
        char **const more = realloc(a->text, (a->texts + 1) * sizeof(*more));
        if (more == NULL)
            break;
        a->text = more;
        line[strcspn(line, "\r\n")] = '\0';
        mpj_text_clean(line);
        more[a->texts] = strdup(line);
        if (more[a->texts] == NULL)
            break;
        a->texts++;
    }
    free(line);
    if (f != NULL)
        fclose(f);
}

/* Writes "app.c:12  text of the line". */
static void put_place(struct annotating *a, const struct line *l)
{
    const char *const slash = strrchr(l->file, '/');
    const char *const name = slash != NULL ? slash + 1 : l->file;

    if (l->file[0] == '\0' || l->number <= 0) {
        fputs("(no line known)\n", a->f);
        return;
    }
    if (a->path == NULL || strcmp(a->path, l->file) != 0)
        read_source(a, l->file);
    fprintf(a->f, "%s:%d%s%s\n", name, l->number, (unsigned)l->number <= a->texts ? "  " : "",
            (unsigned)l->number <= a->texts ? a->text[l->number - 1] : "");
}

/* ---- tables ---------------------------------------------------------------------------- */

static void head(const struct annotating *a)
{
    fprintf(a->f, "  %*s%*s", CELL, "executions", CELL, "cycles");
    for (unsigned i = 0; i < a->events; i++)
        fprintf(a->f, "%*s", CELL + 2, a->event[i]);
    if (a->energy)
        fprintf(a->f, "%*s", CELL, "energy nJ");
    fputs("   share\n", a->f);
}

static void put_cost(const struct annotating *a, const struct cost *c)
{
    const double all = a->energy ? (double)a->sum.fj : (double)a->sum.cycles;
    const double own = a->energy ? (double)c->fj : (double)c->cycles;

    fprintf(a->f, "  %*" PRIu64 "%*" PRIu64, CELL, c->executions, CELL, c->cycles);
    for (unsigned i = 0; i < a->events; i++)
        fprintf(a->f, "%*" PRId64, CELL + 2, c->ev[i]);
    if (a->energy)
        fprintf(a->f, "%*.3f", CELL, (double)c->fj / 1e6);
    fprintf(a->f, "%6.1f %%  ", all > 0 ? 100.0 * own / all : 0.0);
}

static int by_cost(const void *x, const void *y)
{
    const struct line *const a = x;
    const struct line *const b = y;

    if (a->cost.fj != b->cost.fj)
        return (a->cost.fj < b->cost.fj) - (a->cost.fj > b->cost.fj);
    if (a->cost.cycles != b->cost.cycles)
        return (a->cost.cycles < b->cost.cycles) - (a->cost.cycles > b->cost.cycles);
    return a->number - b->number;
}

static void put_lines(struct annotating *a)
{
    qsort(a->line, a->lines, sizeof(*a->line), by_cost);
    fprintf(a->f, "\nLines, by %s; a line's executions are those of its instructions\n",
            a->energy ? "energy" : "cycles");
    head(a);
    for (unsigned i = 0; i < a->lines && i < LINES; i++) {
        put_cost(a, &a->line[i].cost);
        put_place(a, &a->line[i]);
    }
    if (a->lines > LINES)
        fprintf(a->f, "  %u more lines (all are below)\n", a->lines - LINES);
    put_cost(a, &a->sum);
    fputs("all\n", a->f);
}

/* Writes a branch's target as function and offset, after the operands. */
static void put_target(const struct annotating *a, const char *operands)
{
    const char *const at = strrchr(operands, '#');
    struct mpj_place p;
    char *end;
    unsigned long v;

    if (at == NULL || strncmp(at, "#0x", 3) != 0)
        return;
    v = strtoul(at + 1, &end, 16);
    if (*end != '\0' || v > UINT32_MAX)
        return;
    mpj_symbols_lookup(a->symbols, (uint32_t)v, &p);
    if (p.function != NULL && p.offset > 0)
        fprintf(a->f, "  <%s+0x%x>", p.function, p.offset);
    else if (p.function != NULL)
        fprintf(a->f, "  <%s>", p.function);
}

static void put_code(struct annotating *a, const cs_insn *insn, size_t n)
{
    const struct line *last = NULL;

    fputs("\nCode\n", a->f);
    head(a);
    for (size_t i = 0; i < n; i++) {
        const uint32_t at = (uint32_t)insn[i].address;
        struct mpj_place p;
        const struct line *l;
        mpj_symbols_lookup(a->symbols, at, &p);
        l = line_of(a, &p);
        if (l != last)
            put_place(a, l);
        last = l;
        put_cost(a, &a->cost[(at - a->start) / 2]);
        fprintf(a->f, "%8x:  %-8s %s", at, insn[i].mnemonic, insn[i].op_str);
        if (insn[i].mnemonic[0] == 'b')
            put_target(a, insn[i].op_str);
        fputc('\n', a->f);
    }
}

/* ---- whole function -------------------------------------------------------------------- */

static unsigned char *code_of(const struct annotating *a)
{
    unsigned char *const code = calloc(a->size + 8, 1);

    for (uint32_t at = a->start & ~3U; code != NULL && at < a->start + a->size; at += 4) {
        uint32_t word = 0;
        (void)mpj_symbols_word(a->symbols, at, &word);
        for (unsigned b = 0; b < 4; b++) {
            if (at + b >= a->start && at + b - a->start < a->size)
                code[at + b - a->start] = (unsigned char)(word >> (8 * b));
        }
    }
    return code;
}

/* Makes an instruction that shows a constant; returns its size. */
static uint32_t constant(cs_insn *out, const unsigned char *code, uint32_t at, uint32_t size)
{
    const bool half = at % 4U != 0 || size < 4U;
    uint32_t value = (uint32_t)(code[0] | code[1] << 8);

    if (!half)
        value |= (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
    memset(out, 0, sizeof(*out));
    out->address = at;
    out->size = half ? 2 : 4;
    snprintf(out->mnemonic, sizeof(out->mnemonic), half ? ".short" : ".word");
    snprintf(out->op_str, sizeof(out->op_str), half ? "0x%04" PRIx32 : "0x%08" PRIx32, value);
    return out->size;
}

/* Returns the function's instructions and the constants between them, *n; NULL: out of memory. */
static cs_insn *decode(const struct annotating *a, csh engine, const unsigned char *code, size_t *n)
{
    bool *const is_constant = calloc(a->size / 2U + 2U, sizeof(*is_constant));
    cs_insn *const all = calloc(a->size / 2U + 2U, sizeof(*all));
    uint32_t at = 0;

    *n = 0;
    if (is_constant == NULL || all == NULL ||
        !mpj_symbols_constants(a->symbols, a->start, a->size, is_constant)) {
        free(is_constant);
        free(all);
        return NULL;
    }
    while (at + 1U < a->size) {
        uint32_t end = at;
        cs_insn *insn = NULL;
        size_t count;

        while (end < a->size && is_constant[end / 2U] == is_constant[at / 2U])
            end += 2U;
        if (is_constant[at / 2U]) {
            at += constant(&all[(*n)++], code + at, a->start + at, end - at);
            continue;
        }
        count = cs_disasm(engine, code + at, (end < a->size ? end : a->size) - at, a->start + at, 0,
                          &insn);
        memcpy(all + *n, insn, count * sizeof(*insn));
        *n += count;
        if (count > 0)
            cs_free(insn, count);
        at = end;
    }
    free(is_constant);
    return all;
}

static int disassemble(struct annotating *a, struct mpj_err *err)
{
    unsigned char *const code = code_of(a);
    cs_insn *insn = NULL;
    csh engine;
    size_t n;

    if (code == NULL)
        return mpj_err_nomem(err);
    if (cs_open(CS_ARCH_ARM, a->thumb ? CS_MODE_THUMB : CS_MODE_ARM, &engine) != CS_ERR_OK) {
        free(code);
        return mpj_err_set(err, MPJ_E_ELF, "the disassembler does not start");
    }
    cs_option(engine, CS_OPT_SKIPDATA, CS_OPT_ON); /* constants between the code */
    insn = decode(a, engine, code, &n);
    a->line = insn != NULL ? calloc(n + 1, sizeof(*a->line)) : NULL;
    for (size_t i = 0; i < n && a->line != NULL; i++) {
        const struct cost *const c = &a->cost[((uint32_t)insn[i].address - a->start) / 2];
        struct mpj_place p;
        mpj_symbols_lookup(a->symbols, (uint32_t)insn[i].address, &p);
        add(&line_of(a, &p)->cost, c);
        add(&a->sum, c);
    }
    if (a->line != NULL) {
        put_lines(a);
        put_code(a, insn, n);
    }
    free(insn);
    cs_close(&engine);
    free(code);
    return a->line != NULL ? MPJ_E_OK : mpj_err_nomem(err);
}

/* Annotates one copy of the function, if it was executed. */
static int annotate(struct annotating *a, const struct mpj_prof_copy *copy, const char *store,
                    const char *elf, struct mpj_err *err)
{
    struct mpj_place p;
    int result;

    a->start = (uint32_t)copy->address;
    mpj_symbols_lookup(a->symbols, a->start, &p);
    if (p.function == NULL || p.size == 0 || p.size > SIZE_MAX_B)
        return mpj_err_set(err, MPJ_E_ELF, "%s has no size for %s%s: is it stripped?", elf,
                           a->func->name, copy->suffix);
    a->size = p.size;
    a->thumb = p.thumb;
    a->seen = 0;
    a->cost = calloc(a->size / 2 + 4, sizeof(*a->cost));
    if (a->cost == NULL)
        return mpj_err_nomem(err);
    result = mpj_insns(store, a->start, a->start + a->size, on_insn, a, err);
    if (result == MPJ_E_OK && a->seen > 0) {
        if (!a->any)
            text_head(a->run, a->f);
        a->any = true;
        fprintf(a->f, "\n%s%s, 0x%08" PRIx32 " to 0x%08" PRIx32 "%s\n", a->func->label,
                copy->suffix, a->start, a->start + a->size, a->thumb ? ", Thumb" : "");
        result = disassemble(a, err);
    }
    free(a->cost);
    free(a->line);
    a->cost = NULL;
    a->line = NULL;
    a->lines = 0;
    a->sum = (struct cost){0};
    while (a->events > 0)
        free(a->event[--a->events]);
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
        result = mpj_symbols_open(&a.symbols, elf, err);
    for (unsigned i = 0; result == MPJ_E_OK && i < a.func->copies; i++)
        result = annotate(&a, &a.func->copy[i], store, elf, err);
    if (result == MPJ_E_OK && !a.any)
        result = mpj_err_set(err, MPJ_E_USAGE,
                             "no instruction of %s was recorded: record them with `mpjoule run "
                             "--functions --instructions`",
                             a.func->name);
    forget_source(&a);
    mpj_symbols_free(a.symbols);
    return result;
}
