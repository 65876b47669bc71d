/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The translated code: residues by number, and the blocks with their instructions as they
 * were translated. mpj_flow.h explains their use.
 */
#include "flow_int.h"
#include "pipe_int.h"

#include <string.h>

uint32_t flow_hash(const void *data, size_t bytes)
{
    const unsigned char *p = data;
    uint64_t h = 0;
    for (size_t i = 0; i < bytes; i += sizeof(uint32_t)) {
        uint32_t word = 0;
        memcpy(&word, p + i, bytes - i < sizeof(word) ? bytes - i : sizeof(word));
        h = (h ^ word) * 0x9e3779b97f4a7c15U;
        h ^= h >> 29;
    }
    return (uint32_t)(h >> 32);
}

/* ---- residues --------------------------------------------------------------- */

const struct mpj_residue *mpj_residue_of(const struct mpj_chip *c, uint32_t number)
{
    return number ? &c->flow->residue[number].what : NULL;
}

uint32_t mpj_residue_number(struct mpj_chip *c, const struct mpj_residue *r)
{
    static const struct mpj_residue none;
    struct flow *f = c->flow;
    if (memcmp(r, &none, sizeof(*r)) == 0)
        return 0;
    for (uint32_t h = flow_hash(r, sizeof(*r));; h++) {
        uint32_t *n = &f->residue_hash[h & (RESIDUE_HASH - 1)];
        if (*n == 0) {
            if (f->residues == RESIDUES)
                return 0; /* cannot happen: mpj_flow_full() was true long before */
            *n = f->residues++;
            f->residue[*n] = (struct residue){.what = *r};
            return *n;
        }
        if (memcmp(&f->residue[*n].what, r, sizeof(*r)) == 0)
            return *n;
    }
}

uint32_t residue_left(struct mpj_chip *c, const struct mpj_pipe *p, int32_t later, bool inside)
{
    struct mpj_residue r;
    (void)mpj_pipe_residue(&c->prm, p, later, &r);
    r.inside = inside;
    return mpj_residue_number(c, &r);
}

uint32_t mpj_residue_aged(struct mpj_chip *c, uint32_t number, uint32_t cycles)
{
    struct flow *f = c->flow;
    if (number == 0 || cycles == 0)
        return number;
    uint32_t *known = cycles < RESIDUE_AGES ? &f->residue[number].aged[cycles] : NULL;
    if (known && *known)
        return *known - 1;
    struct mpj_pipe p;
    mpj_pipe_begin_after(&p, &f->residue[number].what);
    uint32_t n =
        residue_left(c, &p, cycles < VERY_LATE ? (int32_t)cycles : (int32_t)VERY_LATE, false);
    if (known)
        *known = n + 1;
    return n;
}

uint32_t residue_within(struct mpj_chip *c, uint32_t number, uint32_t like)
{
    if (like == 0 || !c->flow->residue[like].what.inside)
        return number;
    uint32_t *known = &c->flow->residue[number].within;
    if (*known == 0) {
        struct mpj_residue r = c->flow->residue[number].what;
        r.inside = 1;
        *known = mpj_residue_number(c, &r) + 1;
    }
    return *known - 1;
}

/* ---- translation ------------------------------------------------------------- */

/* Returns the place of an opcode in the table, or where to put it. */
static uint32_t *uop_place(struct flow *f, uint32_t opcode, bool thumb)
{
    /* the upper bits depend on all of the opcode's */
    uint32_t h = (opcode ^ (uint32_t)thumb) * 0x9e3779b1U >> (32U - f->uop_bits);
    for (;; h++) {
        uint32_t *n = &f->uop_hash[h & ((1U << f->uop_bits) - 1)];
        if (*n == 0 || (f->uop[*n].opcode == opcode && f->uop[*n].thumb == thumb))
            return n;
    }
}

/* Doubles the used part of the table when half of it is taken: it is touched at random, and most
 * programs have few opcodes. */
static void uop_room(struct flow *f)
{
    if (f->uops < 1U << (f->uop_bits - 1) || 1U << f->uop_bits >= UOP_HASH)
        return;
    memset(f->uop_hash, 0, sizeof(*f->uop_hash) << f->uop_bits++);
    for (uint32_t n = 1; n < f->uops; n++)
        *uop_place(f, f->uop[n].opcode, f->uop[n].thumb) = n;
}

static uint32_t uop_number(struct mpj_chip *c, uint32_t opcode, bool thumb)
{
    struct flow *f = c->flow;
    uop_room(f);
    uint32_t *n = uop_place(f, opcode, thumb);
    if (*n == 0) {
        *n = f->uops++;
        f->uop[*n].opcode = opcode;
        f->uop[*n].thumb = thumb;
        uop_decode(&c->prm, opcode, thumb, &f->uop[*n].u);
        pipe_compile(&c->prm, &f->uop[*n].u, &f->uop[*n].op);
    }
    return *n;
}

uint32_t mpj_block_begin(struct mpj_chip *c, uint32_t entry)
{
    struct flow *f = c->flow;
    struct block *b = &f->block[f->blocks];
    *b = (struct block){.first = f->insns, .entry = entry, .unfolded = MPJ_FLOW_NOWHERE};
    mpj_pipe_begin_after(&f->pipe, mpj_residue_of(c, entry));
    return f->blocks++;
}

uint32_t mpj_block_insn(struct mpj_chip *c, uint32_t opcode, bool thumb, struct mpj_insn_cost *out)
{
    struct flow *f = c->flow;
    struct block *b = &f->block[f->blocks - 1];
    struct pipe_wait wait;
    uint32_t n = f->insns++;
    uint32_t uop = uop_number(c, opcode, thumb);
    uint32_t cycles = pipe_issue(&f->pipe, &f->uop[uop].op, &wait);
    f->insn[n] = (struct insn){.uop = uop, .block = f->blocks - 1, .cycles = (uint16_t)cycles};
    pipe_cost(&f->uop[uop].u, cycles, wait.data, &f->pipe, out);
    b->flags_age = f->pipe.flags_age;
    b->all.cycles += cycles;
    b->all.data += wait.data;
    b->all.lsu += wait.lsu;
    b->count++;
    return n;
}

void mpj_block_conditional(struct mpj_chip *c, uint32_t cycles)
{
    struct flow *f = c->flow;
    f->insn[f->insns - 1].extra += (uint8_t)cycles;
    f->block[f->blocks - 1].all.cycles -= cycles;
}

void mpj_block_folds(struct mpj_chip *c, uint32_t unfolded)
{
    struct block *b = &c->flow->block[c->flow->blocks - 1];
    b->folds = true;
    b->unfolded = unfolded;
    mpj_block_conditional(c, 1); /* nor is one ever charged */
}

uint32_t mpj_block_residue(struct mpj_chip *c, bool inside, bool folds)
{
    return residue_left(c, &c->flow->pipe, folds ? -1 : 0, inside);
}

void mpj_block_end(struct mpj_chip *c)
{
    struct flow *f = c->flow;
    struct block *b = &f->block[f->blocks - 1];
    uint32_t ahead = 0;
    for (uint32_t n = b->count; n > 0; n--) {
        struct insn *i = &f->insn[b->first + n - 1];
        i->ahead = (uint16_t)ahead;
        ahead += i->cycles - i->extra;
    }
    b->out = mpj_block_residue(c, false, b->folds);
}

bool mpj_flow_full(const struct mpj_chip *c)
{
    const struct flow *f = c->flow;
    return f->insns + BLOCK_INSNS > INSNS || f->blocks + 1 > BLOCKS ||
           f->uops + BLOCK_INSNS > UOPS * 3 / 4 || f->residues > RESIDUES * 3 / 4;
}

bool mpj_flow_many(const struct mpj_chip *c)
{
    const struct flow *f = c->flow;
    return f->insns > INSNS / 2 || f->blocks > BLOCKS / 2 || f->uops > UOPS / 2 ||
           f->residues > RESIDUES / 2;
}
