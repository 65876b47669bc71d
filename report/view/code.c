/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/code.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "report/symbols.h"
#include "report_int.h"

#define SIZE_MAX_B   (16U << 20) /* of a function */
#define SOURCE_MAX_B (16 << 20)  /* of a source file */
#define TAB          8U

struct code_reader {
    struct mpj_symbols *symbols;
    const char *store, *elf;
    struct timespec made; /* the program */
    unsigned sources;
    struct code_source **source;
};

/* ---- costs ----------------------------------------------------------------------------- */

/* True for events that explain why an instruction was slow. */
static bool is_telling(const char *item)
{
    return strstr(item, "_miss") != NULL || strstr(item, "mispred") != NULL ||
           strstr(item, "_stall") != NULL;
}

/* Returns the column of an event; negative: it does not have one. */
static int column(struct code *c, const char *item)
{
    for (unsigned i = 0; i < c->events; i++) {
        if (strcmp(c->event[i], item) == 0)
            return (int)i;
    }
    if (!is_telling(item) || c->events == CODE_EVENTS)
        return -1;
    c->event[c->events] = strdup(item);
    return c->event[c->events] != NULL ? (int)c->events++ : -1;
}

static int on_insn(void *ctx, const struct mpj_insn *insn)
{
    struct code *const c = ctx;
    struct code_cost *const cost = &c->cost[(insn->address - c->start) / 2];

    c->executed++;
    cost->executions = insn->executions;
    cost->cycles = insn->cycles;
    for (unsigned i = 0; i < insn->costs; i++) {
        const int at = column(c, insn->cost[i].item);
        if (strcmp(insn->cost[i].item, "energy_fj") == 0) {
            cost->fj = insn->cost[i].value;
            c->energy = true;
        } else if (at >= 0) {
            cost->ev[at] = insn->cost[i].value;
        }
    }
    return MPJ_E_OK;
}

const struct code_cost *code_cost(const struct code *c, size_t insn)
{
    return &c->cost[((uint32_t)c->insn[insn].address - c->start) / 2];
}

static void add(struct code_cost *to, const struct code_cost *c)
{
    to->executions += c->executions;
    to->cycles += c->cycles;
    to->fj += c->fj;
    for (unsigned i = 0; i < CODE_EVENTS; i++)
        to->ev[i] += c->ev[i];
}

/* ---- source files ---------------------------------------------------------------------- */

/* Makes a line of a file fit to be shown; NULL: out of memory. */
static char *shown(const char *line)
{
    const size_t len = strcspn(line, "\r\n");
    char *out;
    size_t tabs = 0;
    size_t n = 0;

    for (size_t i = 0; i < len; i++)
        tabs += line[i] == '\t';
    out = malloc(len + tabs * (TAB - 1U) + 1U);
    for (size_t i = 0; i < len && out != NULL; i++) {
        if (line[i] != '\t') {
            out[n++] = line[i];
            continue;
        }
        do
            out[n++] = ' ';
        while (n % TAB != 0);
    }
    if (out != NULL) {
        out[n] = '\0';
        mpj_text_clean(out);
    }
    return out;
}

static void read_lines(struct code_source *s, FILE *f)
{
    char *line = NULL;
    size_t size = 0;
    size_t room = 0;

    while (getline(&line, &size, f) >= 0) {
        if (s->lines == room) {
            char **const more = realloc(s->text, (room = room * 2U + 64U) * sizeof(*more));
            if (more == NULL)
                break;
            s->text = more;
        }
        s->text[s->lines] = shown(line);
        if (s->text[s->lines] == NULL)
            break;
        s->lines++;
    }
    free(line);
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* Reads a regular file of moderate size: the name is the program's word. */
static void read_source(const struct code_reader *r, struct code_source *s)
{
    const int fd = mpj_file_open(s->path);
    FILE *const f = fd >= 0 ? fdopen(fd, "r") : NULL;
    struct stat st;

    if (f == NULL) {
        if (fd >= 0)
            close(fd);
        return;
    }
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= SOURCE_MAX_B) {
        s->newer = is_later(&st.st_mtim, &r->made);
        read_lines(s, f);
    }
    fclose(f);
}

const struct code_source *code_source(struct code_reader *r, const char *path)
{
    struct code_source **more;
    struct code_source *s;

    for (unsigned i = 0; i < r->sources; i++) {
        if (strcmp(r->source[i]->path, path) == 0)
            return r->source[i];
    }
    more = realloc(r->source, (r->sources + 1U) * sizeof(struct code_source *));
    if (more == NULL)
        return NULL;
    r->source = more;
    s = calloc(1, sizeof(*s));
    if (s == NULL)
        return NULL;
    s->path = strdup(path);
    if (s->path == NULL) {
        free(s);
        return NULL;
    }
    r->source[r->sources++] = s;
    read_source(r, s);
    return s;
}

const char *code_text(const struct code_source *s, int number)
{
    return s != NULL && number > 0 && (unsigned)number <= s->lines ? s->text[number - 1] : NULL;
}

/* ---- instructions ---------------------------------------------------------------------- */

static unsigned char *bytes_of(const struct code_reader *r, const struct code *c)
{
    unsigned char *const code = calloc(c->size + 8, 1);

    for (uint32_t at = c->start & ~3U; code != NULL && at < c->start + c->size; at += 4) {
        uint32_t word = 0;
        (void)mpj_symbols_word(r->symbols, at, &word);
        for (unsigned b = 0; b < 4; b++) {
            if (at + b >= c->start && at + b - c->start < c->size)
                code[at + b - c->start] = (unsigned char)(word >> (8 * b));
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

/* Decodes the function's instructions and the constants between them. False: out of memory. */
static bool decode(const struct code_reader *r, struct code *c, csh engine,
                   const unsigned char *code)
{
    bool *const is_constant = calloc(c->size / 2U + 2U, sizeof(*is_constant));
    uint32_t at = 0;

    c->insn = calloc(c->size / 2U + 2U, sizeof(*c->insn));
    if (is_constant == NULL || c->insn == NULL ||
        !mpj_symbols_constants(r->symbols, c->start, c->size, is_constant)) {
        free(is_constant);
        return false;
    }
    while (at + 1U < c->size) {
        uint32_t end = at;
        cs_insn *insn = NULL;
        size_t count;

        while (end < c->size && is_constant[end / 2U] == is_constant[at / 2U])
            end += 2U;
        if (is_constant[at / 2U]) {
            at += constant(&c->insn[c->insns++], code + at, c->start + at, end - at);
            continue;
        }
        count = cs_disasm(engine, code + at, (end < c->size ? end : c->size) - at, c->start + at, 0,
                          &insn);
        if (count > 0) {
            memcpy(c->insn + c->insns, insn, count * sizeof(*insn));
            c->insns += count;
            cs_free(insn, count);
        }
        at = end;
    }
    free(is_constant);
    return true;
}

static unsigned line_of(struct code *c, const struct mpj_place *p)
{
    const char *const file = p->file != NULL ? p->file : "";

    for (unsigned i = c->lines; i-- > 0;) {
        if (c->line[i].number == p->line && c->line[i].file != NULL &&
            strcmp(c->line[i].file, file) == 0)
            return i;
    }
    c->line[c->lines] = (struct code_line){.file = file, .number = p->line};
    return c->lines++;
}

static bool find_lines(const struct code_reader *r, struct code *c)
{
    c->line = calloc(c->insns + 1, sizeof(*c->line));
    c->line_of = calloc(c->insns + 1, sizeof(*c->line_of));
    if (c->line == NULL || c->line_of == NULL)
        return false;
    for (size_t i = 0; i < c->insns; i++) {
        struct mpj_place p;
        mpj_symbols_lookup(r->symbols, (uint32_t)c->insn[i].address, &p);
        c->line_of[i] = line_of(c, &p);
        add(&c->line[c->line_of[i]].cost, code_cost(c, i));
        add(&c->sum, code_cost(c, i));
    }
    return true;
}

static int disassemble(const struct code_reader *r, struct code *c, struct mpj_err *err)
{
    unsigned char *const code = bytes_of(r, c);
    bool fine;
    csh engine;

    if (code == NULL)
        return mpj_err_nomem(err);
    if (cs_open(CS_ARCH_ARM, c->thumb ? CS_MODE_THUMB : CS_MODE_ARM, &engine) != CS_ERR_OK) {
        free(code);
        return mpj_err_set(err, MPJ_E_ELF, "the disassembler does not start");
    }
    cs_option(engine, CS_OPT_SKIPDATA, CS_OPT_ON); /* constants between the code */
    fine = decode(r, c, engine, code) && find_lines(r, c);
    cs_close(&engine);
    free(code);
    return fine ? MPJ_E_OK : mpj_err_nomem(err);
}

const char *code_target(struct code_reader *r, const cs_insn *insn, char out[CODE_TARGET_MAX])
{
    const char *const at = insn->mnemonic[0] == 'b' ? strrchr(insn->op_str, '#') : NULL;
    struct mpj_place p;
    char *end;
    unsigned long v;

    out[0] = '\0';
    if (at == NULL || strncmp(at, "#0x", 3) != 0)
        return out;
    v = strtoul(at + 1, &end, 16);
    if (*end != '\0' || v > UINT32_MAX)
        return out;
    mpj_symbols_lookup(r->symbols, (uint32_t)v, &p);
    if (p.function != NULL && p.offset > 0)
        snprintf(out, CODE_TARGET_MAX, "<%s+0x%x>", p.function, p.offset);
    else if (p.function != NULL)
        snprintf(out, CODE_TARGET_MAX, "<%s>", p.function);
    return out;
}

/* ---- functions ------------------------------------------------------------------------- */

int code_open(struct code_reader **out, const char *store, const char *elf, struct mpj_err *err)
{
    struct code_reader *const r = calloc(1, sizeof(*r));
    struct stat st;
    int result;

    *out = NULL;
    if (r == NULL)
        return mpj_err_nomem(err);
    r->store = store;
    r->elf = elf;
    if (stat(elf, &st) == 0)
        r->made = st.st_mtim;
    result = mpj_symbols_open(&r->symbols, elf, err);
    if (result != MPJ_E_OK) {
        code_close(r);
        return result;
    }
    *out = r;
    return MPJ_E_OK;
}

void code_close(struct code_reader *r)
{
    if (r == NULL)
        return;
    for (unsigned i = 0; i < r->sources; i++) {
        struct code_source *const s = r->source[i];
        while (s->lines > 0)
            free(s->text[--s->lines]);
        free(s->text);
        free(s->path);
        free(s);
    }
    free(r->source);
    mpj_symbols_free(r->symbols);
    free(r);
}

int code_read(struct code_reader *r, const struct mpj_prof_func *f,
              const struct mpj_prof_copy *copy, struct code *out, struct mpj_err *err)
{
    struct mpj_place p;
    int result;

    *out = (struct code){.copy = copy, .start = (uint32_t)copy->address};
    mpj_symbols_lookup(r->symbols, out->start, &p);
    if (p.function == NULL || p.size == 0 || p.size > SIZE_MAX_B)
        return mpj_err_set(err, MPJ_E_ELF, "%s has no size for %s%s: is it stripped?", r->elf,
                           f->name, copy->suffix);
    out->size = p.size;
    out->thumb = p.thumb;
    out->cost = calloc(out->size / 2 + 4, sizeof(*out->cost));
    if (out->cost == NULL)
        return mpj_err_nomem(err);
    result = mpj_insns(r->store, out->start, out->start + out->size, on_insn, out, err);
    if (result == MPJ_E_OK && out->executed > 0)
        result = disassemble(r, out, err);
    return result;
}

void code_free(struct code *c)
{
    free(c->cost);
    free(c->insn);
    free(c->line);
    free(c->line_of);
    while (c->events > 0)
        free(c->event[--c->events]);
    *c = (struct code){0};
}
