/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/code.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/symbols.h"
#include "report_int.h"

#define SIZE_MAX_B   (16U << 20) /* of a function */
#define SOURCE_MAX_B (16 << 20)  /* of a source file */
#define LINES_MAX_B  (64U << 20) /* of the lines of all source files */
#define LINE_B       32U         /* of a line, in addition to its text */
#define TOO_MANY     "the source files take more than 64 MB"
#define TAB          8U

struct code_reader {
    struct mpj_symbols *symbols;
    const char *store, *elf;
    struct timespec made; /* the program */
    size_t left;          /* bytes for lines of source files */
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

/* Makes the line of a file fit to be shown, and takes its room from *left. NULL: there is none. */
static char *shown(const char *line, size_t len, size_t *left)
{
    size_t tabs = 0;
    size_t n = 0;
    size_t room;
    char *out;

    while (len > 0 && line[len - 1] == '\r')
        len--;
    for (size_t i = 0; i < len; i++)
        tabs += line[i] == '\t';
    room = len + tabs * (TAB - 1U) + 1U;
    out = room + LINE_B <= *left ? malloc(room) : NULL;
    if (out == NULL)
        return NULL;
    *left -= room + LINE_B;
    for (size_t i = 0; i < len; i++) {
        if (line[i] != '\t') {
            out[n++] = line[i] != '\0' ? line[i] : ' ';
            continue;
        }
        do
            out[n++] = ' ';
        while (n % TAB != 0);
    }
    out[n] = '\0';
    mpj_text_clean(out);
    return out;
}

static void drop_lines(struct code_source *s)
{
    while (s->lines > 0)
        free(s->text[--s->lines]);
    free(s->text);
    s->text = NULL;
}

/* Splits what was read into lines. False: there is no room for them. */
static bool split_lines(struct code_reader *r, struct code_source *s, const char *at, size_t size)
{
    const char *const end = at + size;
    size_t room = 0;

    while (at < end) {
        const char *const newline = memchr(at, '\n', (size_t)(end - at));
        const char *const stop = newline != NULL ? newline : end;
        if (s->lines == room) {
            char **const more = realloc(s->text, (room = room * 2U + 64U) * sizeof(*more));
            if (more == NULL)
                return false;
            s->text = more;
        }
        s->text[s->lines] = shown(at, (size_t)(stop - at), &r->left);
        if (s->text[s->lines] == NULL)
            return false;
        s->lines++;
        at = stop + 1;
    }
    return true;
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* Returns why a file is none that may be shown, by its path without links; NULL: it may be. */
static const char *refusal(const char *path)
{
    static const char *const system[] = {"/proc/", "/sys/", "/dev/"};
    static const char names[] = " c h i inc def l y cc cpp cxx c++ C hh hpp hxx h++ ii inl ipp tcc "
                                "tpp S s sx asm ";
    const char *const slash = strrchr(path, '/');
    const char *const dot = strrchr(slash != NULL ? slash : path, '.');
    char word[8];

    for (size_t i = 0; i < sizeof(system) / sizeof(system[0]); i++) {
        if (strncmp(path, system[i], strlen(system[i])) == 0)
            return "it is below /proc, /sys or /dev";
    }
    if (dot == NULL || (size_t)snprintf(word, sizeof(word), " %s ", dot + 1) >= sizeof(word) ||
        strchr(dot + 1, ' ') != NULL || strstr(names, word) == NULL)
        return "its name is not that of a C, C++ or assembler source";
    return NULL;
}

/* Opens a source file. Negative: it cannot be read, or may not be. The name is the program's word:
 * nothing is opened for reading before it is known what its links lead to. */
static int open_source(struct code_source *s, struct stat *st)
{
    const int found = open(s->path, O_PATH | O_CLOEXEC);
    char self[32];
    char path[PATH_MAX];
    ssize_t n;
    int fd = -1;

    if (found < 0)
        return -1;
    snprintf(self, sizeof(self), "/proc/self/fd/%d", found);
    n = readlink(self, path, sizeof(path) - 1U);
    if (n > 0) {
        path[n] = '\0';
        s->refused = refusal(path);
        if (s->refused == NULL && fstat(found, st) == 0 && S_ISREG(st->st_mode) && st->st_size > 0)
            fd = open(self, O_RDONLY | O_CLOEXEC);
    }
    close(found);
    return fd;
}

static void read_source(struct code_reader *r, struct code_source *s)
{
    struct stat st;
    const int fd = open_source(s, &st);
    char *bytes = NULL;
    size_t size = 0;
    ssize_t n = 1;

    if (fd < 0)
        return;
    if (st.st_size > SOURCE_MAX_B)
        s->refused = "it is larger than 16 MB";
    else if ((size_t)st.st_size > r->left)
        s->refused = TOO_MANY;
    else
        bytes = malloc((size_t)st.st_size);
    while (bytes != NULL && n > 0 && size < (size_t)st.st_size) {
        n = read(fd, bytes + size, (size_t)st.st_size - size);
        size += n > 0 ? (size_t)n : 0U;
    }
    close(fd);
    s->newer = bytes != NULL && is_later(&st.st_mtim, &r->made);
    if (bytes != NULL && !split_lines(r, s, bytes, size)) {
        drop_lines(s);
        s->refused = TOO_MANY;
        r->left = 0;
    }
    free(bytes);
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

static int compare_lines(const void *x, const void *y)
{
    const struct code_line *const a = x;
    const struct code_line *const b = y;

    return a->number != b->number ? (a->number > b->number) - (a->number < b->number)
                                  : strcmp(a->file, b->file);
}

static void keep(void *line)
{
    (void)line;
}

/* Adds each instruction to its line; lines are in order of their first instruction. */
static bool find_lines(const struct code_reader *r, struct code *c)
{
    void *tree = NULL;

    c->line = calloc(c->insns + 1, sizeof(*c->line));
    c->line_of = calloc(c->insns + 1, sizeof(*c->line_of));
    if (c->line == NULL || c->line_of == NULL)
        return false;
    for (size_t i = 0; i < c->insns; i++) {
        struct code_line *const last = &c->line[c->lines];
        struct code_line **node;
        struct mpj_place p;

        mpj_symbols_lookup(r->symbols, (uint32_t)c->insn[i].address, &p);
        *last = (struct code_line){.file = p.file != NULL ? p.file : "", .number = p.line};
        node = tsearch(last, &tree, compare_lines);
        if (node == NULL) {
            tdestroy(tree, keep);
            return false;
        }
        c->lines += *node == last;
        c->line_of[i] = (unsigned)(*node - c->line);
        add(&(*node)->cost, code_cost(c, i));
        add(&c->sum, code_cost(c, i));
    }
    tdestroy(tree, keep);
    return true;
}

int code_decode(struct code_reader *r, struct code *c, struct mpj_err *err)
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
    r->left = LINES_MAX_B;
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
        drop_lines(s);
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
    return mpj_insns(r->store, out->start, out->start + out->size, on_insn, out, err);
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
