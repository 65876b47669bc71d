/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A fault, and its call chain. */
#include <stdio.h>
#include <stdlib.h>

#include "mpj_stack_records.h"
#include "report/symbols.h"
#include "store/store_int.h"

#define WORDS_MAX                                                                                  \
    (4U << 20) /* limit of a stack: 32 MB here; anything above counts as not recorded */

struct store_fault {
    struct mpj_fault f;
    struct mpj_stack stack;
    bool failed; /* out of memory */
};

static int put_fault(struct import *m, const struct mpj_fault *f)
{
    char regs[16 * 9 + 1];

    for (unsigned i = 0; i < 16; i++)
        snprintf(regs + 9 * i, 10, "%08x%s", f->r[i], i < 15 ? " " : "");
    return store_put(m, "INSERT INTO fault VALUES (?,?,?,?,?,?,?,?,?,?,?)", "iiiiiiiiiis",
                     (int64_t)m->pass, (int64_t)f->kind, (int64_t)f->core, (int64_t)f->thread,
                     (int64_t)f->time, (int64_t)f->cpsr, (int64_t)f->dfsr, (int64_t)f->dfar,
                     (int64_t)f->ifsr, (int64_t)f->ifar, regs);
}

int store_fault(struct import *m, const struct mpj_rec *rec)
{
    struct mpj_fault f;

    if (mpj_fault_get(rec, &f) != 0 || f.core >= MPJ_CORES_MAX)
        return store_damaged(m, "FAULT");
    if (m->fault != NULL)
        return MPJ_E_OK;
    m->fault = calloc(1, sizeof(*m->fault));
    if (m->fault == NULL)
        return mpj_err_nomem(m->err);
    m->fault->f = f;
    return put_fault(m, &f);
}

static bool keep_word(void *ctx, uint32_t address, uint32_t value)
{
    struct store_fault *const fault = ctx;
    struct mpj_stack *const s = &fault->stack;

    if (s->count == s->room) {
        const size_t room = s->room == 0 ? 1024 : 2 * s->room;
        struct mpj_stack_at *const more =
            room > WORDS_MAX ? NULL : realloc(s->word, room * sizeof(*more));

        fault->failed = more == NULL && room <= WORDS_MAX;
        if (more == NULL)
            return false;
        s->word = more;
        s->room = room;
    }
    s->word[s->count++] = (struct mpj_stack_at){address, value};
    return true;
}

/* Collects a stack record. Records follow one another upwards; after a gap there is only one
 * part. */
int store_fault_stack(struct import *m, const struct mpj_rec *rec)
{
    struct mpj_stack *s;
    struct mpj_stack_rec r;
    size_t before;

    if (mpj_stack_get(rec, &r) != 0)
        return store_damaged(m, "FAULT_STACK");
    if (m->fault == NULL)
        return MPJ_E_OK;
    s = &m->fault->stack;
    if (s->parts > 0 && r.from < s->part[s->parts - 1U].to)
        return store_damaged(m, "FAULT_STACK");
    if (s->parts == 0 || r.from != s->part[s->parts - 1U].to) {
        if (s->parts == sizeof(s->part) / sizeof(s->part[0]))
            return MPJ_E_OK;
        s->part[s->parts].from = s->part[s->parts].to = r.from;
        s->parts++;
    }
    before = s->count;
    if (mpj_stack_words(&r, keep_word, m->fault) != 0)
        return store_damaged(m, "FAULT_STACK");
    if (m->fault->failed)
        return mpj_err_nomem(m->err);
    s->part[s->parts - 1U].to =
        s->count == WORDS_MAX && s->count > before ? s->word[s->count - 1U].address + 4U : r.to;
    return MPJ_E_OK;
}

static int put_chain(struct import *m, const struct mpj_chain *c)
{
    int result =
        store_put(m, "INSERT INTO chain VALUES (?,?,nullif(?,0),nullif(?,0))", "iiii",
                  (int64_t)m->pass, (int64_t)c->end, (int64_t)c->gap_depth, (int64_t)c->gap_bytes);

    for (unsigned i = 0; i < c->n && result == MPJ_E_OK; i++) {
        const struct mpj_place *const p = &c->place[i];

        result = store_put(m, "INSERT INTO frame VALUES (?,?,?,?,?,?,?)",
                           p->file != NULL ? "iiisisi" : "iiisinn", (int64_t)m->pass,
                           (int64_t)c->depth[i], (int64_t)p->address, p->function,
                           (int64_t)p->offset, p->file, (int64_t)p->line);
    }
    return result;
}

int store_fault_end(struct import *m)
{
    struct mpj_chain *chain;
    struct mpj_symbols *symbols = NULL;
    struct mpj_err ignored;
    int result;

    if (m->fault == NULL)
        return MPJ_E_OK;
    chain = calloc(1, sizeof(*chain));
    if (chain == NULL)
        return mpj_err_nomem(m->err);
    chain->n = 1;
    chain->end = MPJ_CHAIN_NO_FRAMES;
    chain->place[0].address = m->fault->f.r[15];
    /* if the program cannot be read, only the names are missing from the report */
    if (m->elf != NULL && mpj_symbols_open(&symbols, m->elf, &ignored) == MPJ_E_OK)
        mpj_symbols_unwind(symbols, &m->fault->f, &m->fault->stack, chain);
    result = put_chain(m, chain);
    mpj_symbols_free(symbols);
    free(chain);
    return result;
}

void store_fault_free(struct import *m)
{
    if (m->fault != NULL)
        free(m->fault->stack.word);
    free(m->fault);
    m->fault = NULL;
}
