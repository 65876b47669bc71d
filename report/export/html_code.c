/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code of the functions that cost most, for the page: source lines, and instructions with what each
 * cost. The page adds up the lines. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/html.h"
#include "export/profile_out.h"
#include "view/code.h"

#define GAP        8   /* lines without code that are shown between two that have some */
#define TEXT_MAX_B 240 /* of a line */
#define NO_FILE    (-1)

/* The beginning of a function's code. */
struct begin {
    uint32_t address;
    unsigned func;
};

/* A function, and what its instructions cost. */
struct ranked {
    unsigned func;
    double cost;
};

/* A row of source: a line, or instructions of no known line. */
struct row {
    int file, number;
};

struct listing {
    const struct mpj_report *r;
    const struct mpj_profile *p;
    FILE *f;
    struct mpj_err *err;
    /* what all instructions cost */
    struct begin *begin;
    unsigned begins;
    unsigned at; /* the last one at or before the last address */
    int64_t *fj; /* of each function */
    uint64_t *cycles;
    bool any, energy;
    struct ranked *ranked;
    unsigned functions;
    /* what is written */
    struct code_reader *reader;
    const struct code_source **file;
    int files;
    struct row *row;
    unsigned rows;
    unsigned *row_of; /* of each line */
    unsigned all_rows, all_insns, written;
    bool *large, *unsized; /* functions that are left out */
};

/* ---- which functions ------------------------------------------------------------------- */

static int by_address(const void *x, const void *y)
{
    const struct begin *const a = x;
    const struct begin *const b = y;

    return (a->address > b->address) - (a->address < b->address);
}

static bool list_begins(struct listing *l)
{
    size_t most = 0;

    for (unsigned i = 0; i < l->p->funcs; i++)
        most += l->p->func[i].copies;
    l->begin = calloc(most + 1U, sizeof(*l->begin));
    l->fj = calloc(l->p->funcs + 1U, sizeof(*l->fj));
    l->cycles = calloc(l->p->funcs + 1U, sizeof(*l->cycles));
    l->ranked = calloc(l->p->funcs + 1U, sizeof(*l->ranked));
    l->large = calloc(l->p->funcs + 1U, sizeof(*l->large));
    l->unsized = calloc(l->p->funcs + 1U, sizeof(*l->unsized));
    if (l->begin == NULL || l->fj == NULL || l->cycles == NULL || l->ranked == NULL ||
        l->large == NULL || l->unsized == NULL)
        return false;
    for (unsigned i = 0; i < l->p->funcs; i++) {
        const struct mpj_prof_func *const f = &l->p->func[i];
        for (unsigned k = 0; k < f->copies && f->kind != MPJ_FUNC_INLINED; k++)
            l->begin[l->begins++] = (struct begin){(uint32_t)f->copy[k].address, i};
    }
    qsort(l->begin, l->begins, sizeof(*l->begin), by_address);
    return true;
}

/* Adds an instruction to its function; they come in order of address. */
static int on_insn(void *ctx, const struct mpj_insn *insn)
{
    struct listing *const l = ctx;
    unsigned func;

    l->any = true;
    while (l->at + 1U < l->begins && l->begin[l->at + 1U].address <= insn->address)
        l->at++;
    if (l->begins == 0 || l->begin[l->at].address > insn->address)
        return MPJ_E_OK;
    func = l->begin[l->at].func;
    l->cycles[func] += insn->cycles;
    for (unsigned i = 0; i < insn->costs; i++) {
        if (strcmp(insn->cost[i].item, "energy_fj") == 0) {
            l->fj[func] += insn->cost[i].value;
            l->energy = true;
        }
    }
    return MPJ_E_OK;
}

static int dearer(const void *x, const void *y)
{
    const struct ranked *const a = x;
    const struct ranked *const b = y;

    return a->cost != b->cost ? (a->cost < b->cost ? 1 : -1) : (a->func > b->func ? 1 : -1);
}

/* Lists the functions that are worth their place, the most expensive first. */
static void rank(struct listing *l)
{
    double all = 0;

    for (unsigned i = 0; i < l->p->funcs; i++)
        all += l->energy ? (double)l->fj[i] : (double)l->cycles[i];
    for (unsigned i = 0; i < l->p->funcs; i++) {
        const double cost = l->energy ? (double)l->fj[i] : (double)l->cycles[i];
        if (l->p->func[i].kind != MPJ_FUNC_IDLE && cost > 0 && cost >= HTML_CODE_LEAST * all)
            l->ranked[l->functions++] = (struct ranked){i, cost};
    }
    qsort(l->ranked, l->functions, sizeof(*l->ranked), dearer);
}

/* ---- rows ------------------------------------------------------------------------------ */

/* Returns the number of a source file in the page; negative: out of memory. */
static int file_of(struct listing *l, const char *path)
{
    const struct code_source *const s = code_source(l->reader, path);
    const struct code_source **more;

    for (int i = 0; i < l->files && s != NULL; i++) {
        if (l->file[i] == s)
            return i;
    }
    more = s != NULL
               ? realloc(l->file, ((size_t)l->files + 1U) * sizeof(const struct code_source *))
               : NULL;
    if (more == NULL)
        return NO_FILE;
    l->file = more;
    l->file[l->files] = s;
    return l->files++;
}

static int by_place(const void *x, const void *y)
{
    const struct row *const a = x;
    const struct row *const b = y;

    return a->file != b->file ? (a->file > b->file) - (a->file < b->file)
                              : (a->number > b->number) - (a->number < b->number);
}

/* Returns the number of lines to show between two of one file. */
static unsigned between(const struct listing *l, const struct row *a, const struct row *b)
{
    return a->file == b->file && a->file != NO_FILE && b->number - a->number - 1 <= GAP &&
                   code_text(l->file[a->file], b->number) != NULL
               ? (unsigned)(b->number - a->number - 1)
               : 0;
}

/* Lists the places of all lines of code, and of the function's declaration; *n: their number.
 * NULL: out of memory. */
static struct row *places_of(struct listing *l, const struct code *c, const struct mpj_prof_func *f,
                             unsigned *n)
{
    struct row *const place = calloc(c->lines + 2U, sizeof(*place));
    /* the function's own file comes first */
    const int own = f->file != NULL ? file_of(l, f->file) : NO_FILE;

    *n = 0;
    if (place == NULL || (f->file != NULL && own == NO_FILE)) {
        free(place);
        return NULL;
    }
    for (unsigned i = 0; i < c->lines; i++) {
        const bool known = c->line[i].file[0] != '\0' && c->line[i].number > 0;
        const int file = known ? file_of(l, c->line[i].file) : NO_FILE;
        if (known && file == NO_FILE) {
            free(place);
            return NULL;
        }
        place[(*n)++] = (struct row){file, known ? c->line[i].number : 0};
    }
    if (own != NO_FILE && f->line > 0)
        place[(*n)++] = (struct row){own, f->line};
    return place;
}

/* Makes the rows of a function, and row_of. */
static bool make_rows(struct listing *l, const struct code *c, const struct mpj_prof_func *f)
{
    unsigned n;
    struct row *const place = places_of(l, c, f, &n);
    struct row *const sorted = calloc(c->lines + 2U, sizeof(*sorted));

    l->rows = 0;
    l->row = calloc(((size_t)c->lines + 2U) * (GAP + 1U), sizeof(*l->row));
    l->row_of = calloc(c->lines + 1U, sizeof(*l->row_of));
    if (place == NULL || sorted == NULL || l->row == NULL || l->row_of == NULL) {
        free(place);
        free(sorted);
        return false;
    }
    memcpy(sorted, place, n * sizeof(*sorted));
    qsort(sorted, n, sizeof(*sorted), by_place);
    for (unsigned i = 0; i < n; i++) {
        const unsigned more = i > 0 ? between(l, &sorted[i - 1], &sorted[i]) : 0;
        if (i > 0 && by_place(&sorted[i - 1], &sorted[i]) == 0)
            continue;
        for (unsigned k = more; k > 0; k--)
            l->row[l->rows++] = (struct row){sorted[i].file, sorted[i].number - (int)k};
        l->row[l->rows++] = sorted[i];
    }
    for (unsigned i = 0; i < c->lines; i++) {
        const struct row *const at = bsearch(&place[i], l->row, l->rows, sizeof(*at), by_place);
        l->row_of[i] = (unsigned)(at - l->row);
    }
    free(place);
    free(sorted);
    return true;
}

/* ---- writing --------------------------------------------------------------------------- */

/* Writes a line's text, cut to a length between characters. */
static void put_text(const struct listing *l, const char *text)
{
    char cut[TEXT_MAX_B + 8];
    size_t n = TEXT_MAX_B;

    if (text == NULL) {
        fputs("null", l->f);
        return;
    }
    if (strlen(text) <= n) {
        profile_json_text(l->f, text);
        return;
    }
    while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    snprintf(cut, sizeof(cut), "%.*s ...", (int)n, text);
    profile_json_text(l->f, cut);
}

static void put_rows(const struct listing *l)
{
    fputs(",\"rows\":[", l->f);
    for (unsigned i = 0; i < l->rows; i++) {
        const struct row *const row = &l->row[i];
        fprintf(l->f, "%s[%d,%d,", i > 0 ? "," : "", row->file, row->number);
        put_text(l, row->file != NO_FILE ? code_text(l->file[row->file], row->number) : NULL);
        fputs("]", l->f);
    }
    fputs("]", l->f);
}

/* Writes address, row and text of each instruction, and what it cost if it was executed. */
static void put_insns(const struct listing *l, const struct code *c)
{
    char text[sizeof(c->insn->mnemonic) + sizeof(c->insn->op_str) + CODE_TARGET_MAX + 8];
    char target[CODE_TARGET_MAX];

    fputs(",\"insns\":[", l->f);
    for (size_t i = 0; i < c->insns; i++) {
        const cs_insn *const insn = &c->insn[i];
        const struct code_cost *const cost = code_cost(c, i);
        code_target(l->reader, insn, target);
        snprintf(text, sizeof(text), "%-7s %s%s%s", insn->mnemonic, insn->op_str,
                 target[0] != '\0' ? "  " : "", target);
        fprintf(l->f, "%s[%" PRIu32 ",%u,", i > 0 ? "," : "", (uint32_t)insn->address,
                l->row_of[c->line_of[i]]);
        profile_json_text(l->f, text);
        if (cost->executions > 0) {
            fprintf(l->f, ",%" PRIu64 ",%" PRIu64 ",%" PRId64, cost->executions, cost->cycles,
                    cost->fj);
            for (unsigned k = 0; k < c->events; k++)
                fprintf(l->f, ",%" PRId64, cost->ev[k]);
        }
        fputs("]", l->f);
    }
    fputs("]", l->f);
}

static void put_copy(struct listing *l, const struct code *c, unsigned func)
{
    fprintf(l->f, "%s{\"func\":%u,\"suffix\":", l->written > 0 ? "," : "", func);
    profile_json_text(l->f, c->copy->suffix);
    fprintf(l->f, ",\"energy\":%s,\"events\":[", c->energy ? "true" : "false");
    for (unsigned i = 0; i < c->events; i++) {
        if (i > 0)
            fputc(',', l->f);
        profile_json_text(l->f, c->event[i]);
    }
    fputs("]", l->f);
    put_rows(l);
    put_insns(l, c);
    fputs("}", l->f);
    l->written++;
    l->all_rows += l->rows;
    l->all_insns += (unsigned)c->insns;
}

/* Writes one copy of a function, if it was executed and there is room for it. */
static int add_copy(struct listing *l, unsigned func, const struct mpj_prof_copy *copy)
{
    const struct mpj_prof_func *const f = &l->p->func[func];
    const unsigned room = HTML_CODE_INSNS_MAX - l->all_insns;
    struct code c;
    int result = code_read(l->reader, f, copy, &c, l->err);

    if (result == MPJ_E_ELF) {
        l->unsized[func] = true;
        result = MPJ_E_OK;
    } else if (result == MPJ_E_OK && c.executed > 0) {
        bool few = c.size / 4U <= room;
        if (few)
            result = code_decode(l->reader, &c, l->err);
        few = few && c.insns <= room;
        if (result == MPJ_E_OK && few && !make_rows(l, &c, f))
            result = mpj_err_nomem(l->err);
        if (result == MPJ_E_OK && few && l->rows <= HTML_CODE_ROWS_MAX - l->all_rows)
            put_copy(l, &c, func);
        else
            l->large[func] = true;
        free(l->row);
        free(l->row_of);
        l->row = NULL;
        l->row_of = NULL;
    }
    code_free(&c);
    return result;
}

static void put_left_out(const struct listing *l, const char *name, const bool *is)
{
    const char *comma = "";

    fprintf(l->f, ",\"%s\":[", name);
    for (unsigned i = 0; i < l->p->funcs; i++) {
        if (!is[i])
            continue;
        fprintf(l->f, "%s%u", comma, i);
        comma = ",";
    }
    fputs("]", l->f);
}

static int put_functions(struct listing *l)
{
    int result = MPJ_E_OK;

    fprintf(l->f, "\"least\":%g,\"functions\":[", HTML_CODE_LEAST);
    for (unsigned i = 0; i < l->functions && result == MPJ_E_OK; i++) {
        const unsigned func = l->ranked[i].func;
        const struct mpj_prof_func *const f = &l->p->func[func];
        for (unsigned k = 0; k < f->copies && result == MPJ_E_OK; k++)
            result = add_copy(l, func, &f->copy[k]);
    }
    /* path, whether it could be read, newer than the program, why it was refused */
    fputs("],\"files\":[", l->f);
    for (int i = 0; i < l->files; i++) {
        fputs(i > 0 ? ",[" : "[", l->f);
        profile_json_text(l->f, l->file[i]->path);
        fprintf(l->f, ",%s,%s", l->file[i]->lines > 0 ? "true" : "false",
                l->file[i]->newer ? "true" : "false");
        if (l->file[i]->refused != NULL) {
            fputs(",", l->f);
            profile_json_text(l->f, l->file[i]->refused);
        }
        fputs("]", l->f);
    }
    fputs("]", l->f);
    put_left_out(l, "large", l->large);
    put_left_out(l, "unsized", l->unsized);
    return result;
}

/* Writes why there is no code, and what to do. */
static void put_why(const struct listing *l, const char *why)
{
    const struct mpj_given *const g = &l->r->run->given;
    char *command = NULL;
    size_t size = 0;
    FILE *memory;

    fputs("\"why\":", l->f);
    profile_json_text(l->f, why);
    if (l->any ||
        (mpj_given_option(g, "functions") == NULL && mpj_given_option(g, "moments") == NULL))
        return;
    memory = open_memstream(&command, &size);
    if (memory == NULL)
        return;
    mpj_given_command(g, l->r->run->program, "instructions", memory);
    if (fclose(memory) == 0) {
        fputs(",\"command\":", l->f);
        profile_json_text(l->f, command);
    }
    free(command);
}

static int put_code(struct listing *l)
{
    int result;

    if (!l->any) {
        put_why(l, "the run has no instructions; `mpjoule run --functions --instructions` "
                   "records them (emulator only)");
        return MPJ_E_OK;
    }
    if (l->r->elf == NULL) {
        put_why(l, l->r->no_elf != NULL ? l->r->no_elf : "the program was not given");
        return MPJ_E_OK;
    }
    result = code_open(&l->reader, l->r->store, l->r->elf, l->err);
    if (result == MPJ_E_ELF) {
        put_why(l, l->err->text);
        return MPJ_E_OK;
    }
    if (result != MPJ_E_OK)
        return result;
    rank(l);
    return put_functions(l);
}

int html_code(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    struct listing l = {.r = r, .p = r->run->profile, .f = f, .err = err};
    int result;

    if (l.p == NULL || r->store == NULL)
        return MPJ_E_OK;
    result =
        list_begins(&l) ? mpj_insns(r->store, 0, UINT32_MAX, on_insn, &l, err) : mpj_err_nomem(err);
    if (result == MPJ_E_OK) {
        fputs(",\"code\":{", f);
        result = put_code(&l);
        fputs("}", f);
    }
    code_close(l.reader);
    free(l.begin);
    free(l.fj);
    free(l.cycles);
    free(l.ranked);
    free(l.large);
    free(l.unsized);
    free(l.file);
    return result;
}
