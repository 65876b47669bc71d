/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwinds the call chain of a fault, from registers, the stack's words and call frame
 * information. */
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "store/symbols_int.h"

#define REGS       16U
#define SP         13U
#define LR         14U
#define PC         15U
#define FP_ARM     11U
#define FP_THUMB   7U

#define FRAMES_MAX 4000000U /* limit of a chain: no possible stack has more */
#define TRIALS     64U      /* candidates for the return address after a gap */
#define STEPS      2000U    /* limit from there to the outermost frame */
#define ROOT_BYTES 512U     /* distance of the outermost frame from the end of its stack */
#define CACHE      64U

struct frame {
    uint32_t r[REGS];
    uint32_t known; /* bit i: r[i] is known */
};

/* State of the walk along a chain. */
struct walk {
    struct mpj_symbols *s;
    const struct mpj_fault *f;
    const struct mpj_stack *stack;
    enum mpj_chain_end end;
    struct { /* addresses looked up last: whether they are of the program */
        uint32_t address;
        bool known;
    } seen[CACHE];
};

/* ---- words of the stack --------------------------------------------------------- */

static bool recorded(const struct mpj_stack *stack, uint32_t address)
{
    for (unsigned i = 0; i < stack->parts; i++) {
        if (address >= stack->part[i].from && address < stack->part[i].to)
            return true;
    }
    return false;
}

/* Returns the index of the first word not below an address. */
static size_t first_from(const struct mpj_stack *stack, uint32_t address)
{
    size_t low = 0;
    size_t high = stack->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (stack->word[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Reads a word of the stack. needed: the chain cannot continue without it; if it is unknown, w->end
 * has the reason. */
static bool stack_word(struct walk *w, uint32_t address, bool needed, uint32_t *out)
{
    const uint32_t at = (address - w->f->r[SP]) / 4U;
    size_t i;

    if (address >= w->f->r[SP] && address % 4U == 0 && at < w->f->count) {
        *out = w->f->stack[at];
        return true;
    }
    i = first_from(w->stack, address);
    if (i < w->stack->count && w->stack->word[i].address == address) {
        *out = w->stack->word[i].value;
        return true;
    }
    if (needed)
        w->end = recorded(w->stack, address) ? MPJ_CHAIN_WHOLE : MPJ_CHAIN_STACK;
    return false;
}

/* ---- frames --------------------------------------------------------------------- */

/*
 * Returns the value of a location expression of the simple kinds that call frame information of
 * compiled C has: register + constant, CFA, and a sum with a constant. *memory: true if the value
 * is at that address.
 */
static bool evaluate(const Dwarf_Op *ops, size_t n, const struct frame *fr, uint32_t cfa,
                     uint32_t *out, bool *memory)
{
    uint32_t v = 0;

    *memory = true;
    for (size_t i = 0; i < n; i++) {
        uint32_t reg;
        switch (ops[i].atom) {
        case DW_OP_call_frame_cfa:
            v = cfa;
            break;
        case DW_OP_plus_uconst:
            v += (uint32_t)ops[i].number;
            break;
        case DW_OP_stack_value:
            *memory = false;
            break;
        case DW_OP_bregx:
            reg = (uint32_t)ops[i].number;
            if (reg >= REGS || !(fr->known & (1U << reg)))
                return false;
            v = fr->r[reg] + (uint32_t)ops[i].number2;
            break;
        case DW_OP_regx:
            reg = (uint32_t)ops[i].number;
            if (reg >= REGS || !(fr->known & (1U << reg)))
                return false;
            v = fr->r[reg];
            *memory = false;
            break;
        default:
            if (ops[i].atom >= DW_OP_breg0 && ops[i].atom < DW_OP_breg0 + REGS) {
                reg = ops[i].atom - (uint32_t)DW_OP_breg0;
                v = fr->r[reg] + (uint32_t)ops[i].number;
            } else if (ops[i].atom >= DW_OP_reg0 && ops[i].atom < DW_OP_reg0 + REGS) {
                reg = ops[i].atom - (uint32_t)DW_OP_reg0;
                v = fr->r[reg];
                *memory = false;
            } else {
                return false;
            }
            if (!(fr->known & (1U << reg)))
                return false;
        }
    }
    *out = v;
    return true;
}

/* Computes the caller's registers by call frame information. pc: inside the function. False: w->end
 * has the reason. */
static bool step(struct walk *w, uint32_t pc, struct frame *fr)
{
    Dwarf_Addr bias = 0;
    Dwarf_CFI *cfi = symbols_frames(w->s, &bias);
    Dwarf_Frame *df = NULL;
    struct frame up = {.known = 0};
    Dwarf_Op *ops;
    size_t n;
    uint32_t cfa;
    bool memory;
    bool ok = false;

    if (cfi == NULL || dwarf_cfi_addrframe(cfi, pc - bias, &df) != 0)
        return false;
    if (dwarf_frame_cfa(df, &ops, &n) != 0 || !evaluate(ops, n, fr, 0, &cfa, &memory))
        goto out;
    for (uint32_t i = 0; i < REGS; i++) {
        Dwarf_Op space[3];
        uint32_t v;
        if (dwarf_frame_register(df, (int)i, space, &ops, &n) != 0)
            continue;
        if (n == 0 && ops == NULL) { /* same value */
            if (i == LR && !(fr->known & (1U << LR)))
                w->end = MPJ_CHAIN_WHOLE; /* it calls, but does not save LR: it never returns */
            up.r[i] = fr->r[i];
            up.known |= fr->known & (1U << i);
            continue;
        }
        if (n == 0) /* undefined */
            continue;
        if (!evaluate(ops, n, fr, cfa, &v, &memory) || (memory && !stack_word(w, v, i == LR, &v)))
            continue;
        up.r[i] = v;
        up.known |= 1U << i;
    }
    up.r[SP] = cfa;
    up.known |= 1U << SP;
    /* the return address: LR of the caller's frame is the next PC */
    up.r[PC] = up.r[LR];
    if (!(up.known & (1U << LR)) || cfa < fr->r[SP])
        goto out;
    up.known |= 1U << PC;
    *fr = up;
    ok = true;
out:
    free(df);
    return ok;
}

/* ---- the chain ------------------------------------------------------------------ */

static bool of_program(struct walk *w, uint32_t pc)
{
    const unsigned i = pc / 4U % CACHE;
    struct mpj_place place;

    if (w->seen[i].address != pc) {
        mpj_symbols_lookup(w->s, pc, &place);
        w->seen[i].address = pc;
        w->seen[i].known = place.function != NULL;
    }
    return w->seen[i].known;
}

/* Moves from a frame to its caller; *pc: inside the call. False: no caller, w->end has the
 * reason. */
static bool climb(struct walk *w, struct frame *fr, uint32_t *pc, bool innermost)
{
    const uint32_t was = fr->r[SP];
    const uint32_t from = *pc;

    w->end = MPJ_CHAIN_NO_FRAMES;
    if (!step(w, *pc, fr)) {
        /* a jump through a bad pointer: the caller is still in LR */
        if (!innermost || of_program(w, *pc))
            return false;
        fr->r[PC] = w->f->r[LR];
    }
    w->end = MPJ_CHAIN_WHOLE;
    if (fr->r[PC] < 4U)
        return false;
    *pc = (fr->r[PC] & ~1U) - 4U; /* the call, not the instruction after it */
    if (!innermost && fr->r[SP] == was && *pc == from)
        return false;
    return of_program(w, *pc); /* otherwise the stack's end */
}

/* Returns the slot of a frame: beyond the capacity, the last ones replace each other at the end. */
static unsigned slot_of(uint32_t depth)
{
    return depth < MPJ_CHAIN_FIRST ? depth
                                   : MPJ_CHAIN_FIRST + (depth - MPJ_CHAIN_FIRST) % MPJ_CHAIN_LAST;
}

/* Names the frames that were kept, in order. */
static void name_frames(struct mpj_symbols *s, const uint32_t *address, uint32_t depth,
                        struct mpj_chain *out)
{
    const uint32_t left_out = depth > MPJ_CHAIN_PLACES ? depth - MPJ_CHAIN_PLACES : 0U;

    out->n = depth - left_out;
    for (unsigned i = 0; i < out->n; i++) {
        out->depth[i] = i < MPJ_CHAIN_FIRST ? i : i + left_out;
        mpj_symbols_lookup(s, address[slot_of(out->depth[i])], &out->place[i]);
    }
}

/* True if the word is the return address to a frame from which others lead to the end of the stack;
 * *fr: that frame. A frame pointer is pushed below the return address. */
static bool goes_on(struct walk *w, size_t i, struct frame *fr, uint32_t *pc)
{
    const struct mpj_stack_at *const at = &w->stack->word[i];
    const uint32_t end = w->stack->part[w->stack->parts - 1U].to;
    struct frame trial;
    uint32_t inside;

    *pc = (at->value & ~1U) - 4U;
    *fr = (struct frame){.known = 1U << SP | 1U << PC};
    fr->r[SP] = at->address + 4U;
    fr->r[PC] = at->value;
    if (!of_program(w, *pc))
        return false;
    if (i > 0 && at[-1].address == at->address - 4U && at[-1].value > at->address &&
        at[-1].value <= end) {
        fr->r[FP_ARM] = fr->r[FP_THUMB] = at[-1].value;
        fr->known |= 1U << FP_ARM | 1U << FP_THUMB;
    }
    trial = *fr;
    inside = *pc;
    for (unsigned n = 0; n < STEPS && climb(w, &trial, &inside, false); n++)
        ;
    return w->end == MPJ_CHAIN_WHOLE && end - trial.r[SP] <= ROOT_BYTES;
}

/*
 * Continues a chain after a part of the stack that was omitted. It resumes in the last part, where
 * a function's return address is the word below its caller's frame: at the lowest of these from
 * which the frames lead to the end of the stack. It is one of the first words, if any: words
 * further up may be left over from calls that have returned.
 */
static bool beyond_gap(struct walk *w, struct frame *fr, uint32_t *pc, struct mpj_chain *c)
{
    const struct mpj_stack *const s = w->stack;
    const uint32_t came = fr->r[SP];
    size_t i;

    if (s->parts < 2U || came >= s->part[s->parts - 1U].from)
        return false;
    i = first_from(s, s->part[s->parts - 1U].from);
    for (unsigned n = 0; n < TRIALS && i < s->count; n++, i++) {
        if (goes_on(w, i, fr, pc)) {
            c->gap_bytes = s->word[i].address - came;
            return true;
        }
    }
    return false;
}

void mpj_symbols_unwind(struct mpj_symbols *s, const struct mpj_fault *f,
                        const struct mpj_stack *stack, struct mpj_chain *out)
{
    static const struct mpj_stack none;
    struct walk w = {.s = s, .f = f, .stack = stack != NULL ? stack : &none};
    struct frame fr = {.known = 0xffff};
    uint32_t address[MPJ_CHAIN_PLACES] = {0};
    uint32_t pc = f->r[PC];
    uint32_t depth = 0;

    memset(out, 0, sizeof(*out));
    memcpy(fr.r, f->r, sizeof(fr.r));
    do {
        address[slot_of(depth++)] = pc;
        if (climb(&w, &fr, &pc, depth == 1U))
            continue;
        if (w.end != MPJ_CHAIN_STACK || out->gap_depth != 0 || !beyond_gap(&w, &fr, &pc, out))
            break;
        out->gap_depth = depth;
    } while (depth < FRAMES_MAX);
    out->end = w.end;
    name_frames(s, address, depth, out);
}
