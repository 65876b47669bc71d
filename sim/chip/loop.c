/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every value is followed as what it is in this round and what each further round adds to it. A
 * round is executed twice: once to see what it changes, and once with these changes, which must
 * come out again. The rounds have the same path as long as no comparison has another result.
 */
#include "mpj_loop.h"

#include <string.h>

#include "mpj_chip.h"

#define PC 15U
#define LR 14U

/* In round n: now + n * each, modulo 2^32. */
struct value {
    uint32_t now, each;
};

struct cell {
    uint32_t address;
    struct value begin, value;
};

struct flags {
    bool known, carry_known;
    bool n, z, c, v;
};

struct round {
    const struct mpj_loop_memory *memory;
    struct value reg[15];
    struct flags flags;
    struct cell cell[MPJ_LOOP_CELLS];
    unsigned cells, loads, stores, lines;
    uint32_t line[MPJ_LOOP_LINES];
    uint32_t pc;
    uint64_t rounds;
};

static struct value constant(uint32_t now)
{
    return (struct value){.now = now};
}

static void limit(struct round *r, uint64_t rounds)
{
    if (rounds < r->rounds)
        r->rounds = rounds;
}

/* Limits the rounds to those in which now + n * each is on the same side of zero, and in the range.
 */
static void same_sign(struct round *r, int64_t now, int64_t each, int64_t least, int64_t most)
{
    if (each == 0)
        return;
    if (now == 0)
        limit(r, 1);
    else if (now > 0)
        limit(r, (uint64_t)(each < 0 ? (now - 1) / -each : (most - now) / each) + 1U);
    else
        limit(r, (uint64_t)(each > 0 ? (-now - 1) / each : (now - least) / -each) + 1U);
}

/* Limits the rounds to those in which the value does not pass the ends of its range, with a sign
 * and without: then it keeps its sign, too. */
static void no_wrap(struct round *r, struct value x)
{
    const int64_t each = (int32_t)x.each;
    const int64_t now = x.now;
    const int64_t with_sign = (int32_t)x.now;

    if (each > 0) {
        limit(r, (uint64_t)((UINT32_MAX - now) / each) + 1U);
        limit(r, (uint64_t)((INT32_MAX - with_sign) / each) + 1U);
    } else if (each < 0) {
        limit(r, (uint64_t)(now / -each) + 1U);
        limit(r, (uint64_t)((with_sign - INT32_MIN) / -each) + 1U);
    }
}

/* Sets the flags of a - b, and limits the rounds to those in which they are the same. */
static void set_flags_sub(struct round *r, struct value a, struct value b)
{
    const uint32_t result = a.now - b.now;
    const int64_t each = (int64_t)(int32_t)a.each - (int32_t)b.each;

    r->flags = (struct flags){.known = true,
                              .carry_known = true,
                              .n = result >> 31,
                              .z = result == 0,
                              .c = a.now >= b.now,
                              .v = ((a.now ^ b.now) & (a.now ^ result)) >> 31};
    no_wrap(r, a);
    no_wrap(r, b);
    same_sign(r, (int64_t)(int32_t)a.now - (int32_t)b.now, each, -(int64_t)UINT32_MAX, UINT32_MAX);
    same_sign(r, (int32_t)result, each, INT32_MIN, INT32_MAX);
}

/* Returns false if the flags would not be those of all rounds. */
static bool set_flags_logical(struct round *r, struct value x, bool carry)
{
    const struct flags was = r->flags;

    if (x.each != 0)
        return false;
    r->flags = (struct flags){.known = true,
                              .carry_known = !carry && was.known && was.carry_known,
                              .n = x.now >> 31,
                              .z = x.now == 0,
                              .c = was.c,
                              .v = was.v};
    return true;
}

/* Returns 1 or 0: the condition holds or not; -1: it depends on flags that are not known. */
static int holds(const struct flags *f, unsigned condition)
{
    bool is;

    if (condition == 14)
        return 1;
    if (!f->known || condition == 15)
        return -1;
    if (condition >> 1 != 0 && condition >> 1 != 2 && !f->carry_known)
        return -1;
    switch (condition >> 1) {
    case 0:
        is = f->z;
        break;
    case 1:
        is = f->c;
        break;
    case 2:
        is = f->n;
        break;
    case 3:
        is = f->v;
        break;
    case 4:
        is = f->c && !f->z;
        break;
    case 5:
        is = f->n == f->v;
        break;
    default:
        is = f->n == f->v && !f->z;
        break;
    }
    return is != (condition & 1);
}

static struct value reg(const struct round *r, unsigned n)
{
    return n == PC ? constant(r->pc + 8U) : r->reg[n];
}

/* Reads operand 2. *carry: it sets the carry, too. */
static bool operand(const struct round *r, uint32_t insn, struct value *out, bool *carry)
{
    const unsigned turn = (insn >> 8 & 15U) * 2U;
    const uint32_t small = insn & 0xffU;
    const unsigned shift = insn >> 7 & 31U;
    struct value x;

    *carry = false;
    if (insn & 1U << 25) {
        *out = constant(turn == 0 ? small : small >> turn | small << (32U - turn));
        *carry = turn != 0;
        return true;
    }
    if (insn & 1U << 4)
        return false; /* shifted by a register */
    x = reg(r, insn & 15U);
    switch (insn >> 5 & 3U) {
    case 0:
        *carry = shift != 0;
        *out = (struct value){x.now << shift, x.each << shift};
        return true;
    case 1:
    case 2:
        *carry = true;
        if (x.each != 0 || shift == 0)
            return false;
        *out = constant(insn & 1U << 6 ? (uint32_t)((int32_t)x.now >> shift) : x.now >> shift);
        return true;
    default:
        return false;
    }
}

/* Sets the flags of TST with the low bits of a count, for rounds in which some of them are set. */
static bool test_low_bits(struct round *r, struct value x, uint32_t mask)
{
    const int64_t each = (int32_t)x.each;
    const uint32_t low = x.now & mask;

    if ((mask & (mask + 1U)) != 0 || mask >> 31)
        return false;
    (void)set_flags_logical(r, constant(low), false);
    limit(r, low == 0 ? 1U : (uint64_t)(each > 0 ? (mask - low) / each : (low - 1) / -each) + 1U);
    return true;
}

static bool compute(struct round *r, uint32_t insn)
{
    const unsigned op = insn >> 21 & 15U;
    const unsigned rd = insn >> 12 & 15U;
    const bool sets = insn & 1U << 20;
    const struct value a = reg(r, insn >> 16 & 15U);
    struct value b;
    struct value x;
    bool carry;

    if (!operand(r, insn, &b, &carry) || (op >> 2 != 2 && rd == PC) || (op >> 2 == 2 && !sets))
        return false;
    switch (op) {
    case 2: /* SUB, CMP */
    case 10:
        x = (struct value){a.now - b.now, a.each - b.each};
        if (sets)
            set_flags_sub(r, a, b);
        break;
    case 3: /* RSB */
        x = (struct value){b.now - a.now, b.each - a.each};
        if (sets)
            set_flags_sub(r, b, a);
        break;
    case 4: /* ADD */
        x = (struct value){a.now + b.now, a.each + b.each};
        if (sets)
            return false;
        break;
    case 13: /* MOV */
        x = b;
        if (sets && !set_flags_logical(r, x, carry))
            return false;
        break;
    case 15: /* MVN */
        x = (struct value){~b.now, 0U - b.each};
        if (sets && !set_flags_logical(r, x, carry))
            return false;
        break;
    case 0: /* AND, TST; EOR, TEQ; ORR; BIC */
    case 8:
    case 1:
    case 9:
    case 12:
    case 14:
        if (op == 8 && a.each != 0 && b.each == 0 && !carry)
            return test_low_bits(r, a, b.now);
        if (a.each != 0 || b.each != 0)
            return false;
        x = constant((op & 7U) == 0   ? a.now & b.now
                     : (op & 7U) == 1 ? a.now ^ b.now
                     : op == 12       ? a.now | b.now
                                      : a.now & ~b.now);
        if (sets && !set_flags_logical(r, x, carry))
            return false;
        break;
    default: /* with carry; CMN */
        return false;
    }
    if (op >> 2 != 2)
        r->reg[rd] = x;
    return true;
}

static struct cell *find_cell(struct round *r, uint32_t address)
{
    for (unsigned i = 0; i < r->cells; i++)
        if (r->cell[i].address == (address & ~3U))
            return &r->cell[i];
    return NULL;
}

/* Notes the line of an access; false: these are too many. */
static bool touch(struct round *r, uint32_t address)
{
    for (unsigned i = 0; i < r->lines; i++)
        if (r->line[i] == address >> MPJ_LINE_SHIFT)
            return true;
    if (r->lines == MPJ_LOOP_LINES)
        return false;
    r->line[r->lines++] = address >> MPJ_LINE_SHIFT;
    return true;
}

static bool load(struct round *r, unsigned rd, uint32_t address, unsigned bytes, bool with_sign)
{
    const struct cell *const cell = find_cell(r, address);
    const unsigned unused = 32U - 8U * bytes;
    uint32_t x;

    if (rd == PC || (address & (bytes - 1U)) != 0 || (cell != NULL && bytes != 4) ||
        !touch(r, address))
        return false;
    r->loads++;
    if (cell != NULL) {
        r->reg[rd] = cell->value;
        return true;
    }
    if (!r->memory->load(r->memory->peer, address, bytes, &x))
        return false;
    if (with_sign)
        x = (uint32_t)((int32_t)(x << unused) >> unused);
    r->reg[rd] = constant(x);
    return true;
}

static bool store(struct round *r, unsigned rd, uint32_t address)
{
    struct cell *cell = find_cell(r, address);
    uint32_t was;

    if (rd == PC || (address & 3U) != 0 || !touch(r, address) ||
        !r->memory->store(r->memory->peer, address))
        return false;
    if (cell == NULL) {
        if (r->cells == MPJ_LOOP_CELLS || !r->memory->load(r->memory->peer, address, 4, &was))
            return false;
        cell = &r->cell[r->cells++];
        *cell = (struct cell){.address = address, .begin = constant(was)};
    }
    r->stores++;
    cell->value = r->reg[rd];
    return true;
}

/* Executes LDR, LDRB or STR without writing the address back. */
static bool access_word(struct round *r, uint32_t insn)
{
    const struct value base = reg(r, insn >> 16 & 15U);
    const bool byte = insn & 1U << 22;
    const unsigned rd = insn >> 12 & 15U;
    struct value offset = constant(insn & 0xfffU);
    uint32_t address;
    bool ignored;

    /* Bit 25 means the opposite of what it does for operand 2. */
    if ((insn & 1U << 25) != 0 && !operand(r, insn & ~(1U << 25), &offset, &ignored))
        return false;
    if (!(insn & 1U << 24) || (insn & 1U << 21) || base.each != 0 || offset.each != 0)
        return false;
    address = insn & 1U << 23 ? base.now + offset.now : base.now - offset.now;
    if (insn & 1U << 20)
        return load(r, rd, address, byte ? 1 : 4, false);
    return !byte && store(r, rd, address);
}

/* Executes LDRH, LDRSB or LDRSH without writing the address back. */
static bool access_half(struct round *r, uint32_t insn)
{
    const struct value base = reg(r, insn >> 16 & 15U);
    const struct value offset =
        insn & 1U << 22 ? constant((insn >> 4 & 0xf0U) | (insn & 15U)) : reg(r, insn & 15U);
    const unsigned kind = insn >> 5 & 3U;

    if (!(insn & 1U << 24) || (insn & 1U << 21) || !(insn & 1U << 20) || base.each != 0 ||
        offset.each != 0)
        return false;
    return load(r, insn >> 12 & 15U,
                insn & 1U << 23 ? base.now + offset.now : base.now - offset.now, kind == 2 ? 1 : 2,
                kind != 1);
}

/* Executes an instruction, and moves pc to the next one. */
static bool step(struct round *r)
{
    uint32_t insn;
    uint32_t next = r->pc + 4U;
    int is;

    if (!r->memory->code(r->memory->peer, r->pc, &insn))
        return false;
    is = holds(&r->flags, insn >> 28);
    if (is < 0)
        return false;
    if (is > 0) {
        const uint32_t what = insn & 0x0fffffffU;

        if (what >> 25 == 5) { /* B, BL */
            if (insn & 1U << 24)
                r->reg[LR] = constant(next);
            next = r->pc + 8U + (uint32_t)((int32_t)(insn << 8) >> 6);
        } else if (what >> 4 == 0x12fff1) { /* BX */
            const struct value to = reg(r, insn & 15U);
            if (to.each != 0 || (to.now & 3U) != 0)
                return false;
            next = to.now;
        } else if ((what & 0x0fff0fff) == 0x0e070fba || (what & 0x0fff0fff) == 0x0e070f9a ||
                   what == 0x0320f000) {
            /* barriers of data, NOP */
        } else if (what >> 26 == 1 && !((insn & 1U << 25) && (insn & 1U << 4))) {
            if (!access_word(r, insn))
                return false;
        } else if (what >> 25 == 0 && (insn & 0x90) == 0x90) {
            if ((insn & 0x60) == 0 || !access_half(r, insn)) /* else MUL, SWP, LDREX ... */
                return false;
        } else if (what >> 26 != 0 || !compute(r, insn)) {
            return false;
        }
    }
    r->pc = next;
    return true;
}

/* Executes a round from pc on. */
static bool run(struct round *r, uint32_t pc)
{
    r->rounds = MPJ_LOOP_ALWAYS;
    r->flags.known = false;
    r->loads = r->stores = r->lines = 0;
    r->pc = pc;
    for (unsigned i = 0; i < MPJ_LOOP_INSNS; i++) {
        if (!step(r))
            return false;
        if (r->pc == pc)
            return true;
    }
    return false;
}

/* Begins the next round with what the one before has changed. */
static void begin_again(struct round *r, const struct round *first, const uint32_t regs[15])
{
    *r = *first;
    for (unsigned i = 0; i < 15; i++)
        r->reg[i] = (struct value){regs[i], first->reg[i].now - regs[i]};
    for (unsigned i = 0; i < r->cells; i++) {
        struct cell *const c = &r->cell[i];
        c->begin.each = c->value.now - c->begin.now;
        c->value = c->begin;
    }
}

static bool follows(struct value from, struct value to)
{
    return to.now == from.now + from.each && to.each == from.each;
}

bool mpj_loop_find(struct mpj_loop *out, uint32_t pc, const uint32_t regs[15],
                   const struct mpj_loop_memory *memory)
{
    struct round first = {.memory = memory};
    struct round r;
    struct value begin[15];

    for (unsigned i = 0; i < 15; i++)
        first.reg[i] = constant(regs[i]);
    if (!run(&first, pc))
        return false;
    begin_again(&r, &first, regs);
    memcpy(begin, r.reg, sizeof(begin));
    if (!run(&r, pc))
        return false;
    *out = (struct mpj_loop){.cells = r.cells,
                             .loads = r.loads,
                             .stores = r.stores,
                             .rounds = r.rounds,
                             .lines = r.lines};
    memcpy(out->line, r.line, sizeof(out->line));
    for (unsigned i = 0; i < 15; i++) {
        if (!follows(begin[i], r.reg[i]))
            return false;
        out->each[i] = begin[i].each;
        if (begin[i].each != 0)
            out->changed |= (uint16_t)(1U << i);
    }
    for (unsigned i = 0; i < r.cells; i++) {
        if (!follows(r.cell[i].begin, r.cell[i].value))
            return false;
        out->cell[i].address = r.cell[i].address;
        out->cell[i].each = r.cell[i].begin.each;
    }
    return true;
}
