/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internals of flow.c and of the chip that owns it: sizes and tables of the translated code. */
#ifndef MPJ_FLOW_INT_H
#define MPJ_FLOW_INT_H

#include "chip_int.h"
#include "pipe_int.h"

#define RESIDUES       (1U << 16)
#define RESIDUE_HASH   (1U << 17)
#define RESIDUE_AGES   16U
#define UOPS           (1U << 16)
#define UOP_HASH       (1U << 17)
#define UOP_BITS_FIRST 12U
#define INSNS          (1U << 19) /* an instruction's number has 19 bits, see the emulator */
#define BLOCKS         (1U << 18)
#define BLOCK_INSNS    512U
#define MEMOS          (1U << 16)
#define MEMOS_FIRST    (1U << 9)

struct residue {
    struct mpj_residue what;
    uint32_t within;             /* number + 1 of the same that is not ended by a branch */
    uint32_t aged[RESIDUE_AGES]; /* number + 1 of what is left so many cycles later; 0: unknown */
};

struct known_uop {
    uint32_t opcode;
    bool thumb;
    struct uop u;
    struct pipe_op op;
};

/* Effect of a delay of at least `from` cycles (0: not known yet): the block takes longer by the
 * delay minus the hidden part, and leaves the residue `after`. */
struct settled {
    uint16_t from;
    uint32_t hidden;
    struct flow_sum more; /* stalls, less the delay */
    uint32_t after;
    uint8_t flags_age;
};

struct insn {
    uint32_t uop;
    uint32_t block;
    uint16_t cycles; /* foreseen */
    uint16_t ahead;  /* foreseen cycles of the block after it, without what conditions decide */
    uint8_t extra;   /* of its cycles, charged only where its condition holds */
    struct settled late, blocked;
};

struct block {
    uint32_t first; /* instruction */
    uint32_t count;
    uint32_t start; /* the scoreboard it was translated for, see memo.c; 0: not asked for yet */
    uint32_t entry, out; /* residues */
    bool folds;
    uint8_t flags_age; /* foreseen, at its branch */
    uint32_t unfolded;
    struct flow_sum all;
};

/* Whatever a scoreboard went through before (memo.c). */
enum {
    MEMO_WALK,   /* instructions of a block have issued */
    MEMO_DELAY,  /* the last one's value, or the load/store unit, is late */
    MEMO_PASS,   /* nothing has issued for a while */
    MEMO_PLAN,   /* the rest of the block is known */
    MEMO_ENTER,  /* a block has ended and the next one begins */
    MEMO_SINGLE, /* all of a block that one instruction was late in, from its start */
};
#define MEMO_CYCLES 255U /* longer delays are too many different ones to remember */

struct memo {
    uint32_t from, what, of, by;
    uint32_t to; /* scoreboard; 0: this is new */
    struct flow_sum sum;
    uint32_t number; /* MEMO_PLAN, MEMO_SINGLE: of struct flight */
    uint8_t on, flags_age;
};

struct flow {
    bool exact;
    struct residue *residue;
    uint32_t *residue_hash;
    struct known_uop *uop;
    uint32_t *uop_hash;
    uint32_t uop_bits; /* 1 << uop_bits places of it are used */
    struct insn *insn;
    struct block *block;
    uint32_t residues, uops, insns, blocks; /* numbers given; 0 is none */
    struct mpj_pipe pipe;                   /* of the block being translated */
    struct mpj_pipe *board;                 /* scoreboards that have a number */
    uint32_t *board_hash;
    uint32_t boards;
    struct memo *memo;
    uint32_t memo_mask; /* memo_mask + 1 places of it are used, a power of two */
    uint32_t memos;     /* entries since there are so many */
};

/* Longer than any delay: everything that settles has settled. */
#define VERY_LATE 4096U

/* Returns the number of the residue of a scoreboard `later` cycles after its last instruction
 * (code.c). */
uint32_t residue_left(struct mpj_chip *c, const struct mpj_pipe *p, int32_t later, bool inside);
/* Returns the residue as found by a block after a cut at which `like` is left. */
uint32_t residue_within(struct mpj_chip *c, uint32_t number, uint32_t like);

int memo_new(struct flow *f);
void memo_free(struct flow *f);
/* Discards all numbers of scoreboards. */
void memo_forget(struct flow *f);
/* Returns true when memo_forget() is due. */
bool memo_full(const struct flow *f);
/* Returns the scoreboard, which starts at PIPE_FIRST, as one with the same future. */
const struct mpj_pipe *memo_board(const struct flow *f, uint32_t number);
/* Returns the number of a scoreboard; 0: there is no space for another one. */
uint32_t memo_number(struct flow *f, const struct mpj_params *prm, const struct mpj_pipe *p);
/* Doubles the used part of the table after as many entries: it is touched at random, and most
 * programs have few. Half of the entries are at another place then, and determined again. */
static inline void memo_room(struct flow *f)
{
    if (f->memos++ < f->memo_mask || f->memo_mask == MEMOS - 1)
        return;
    f->memo_mask = f->memo_mask * 2 + 1;
    f->memos = 0;
}

/* Returns the entry for the result of a change; its `to` is 0 if the result is not, or no longer,
 * known. */
static inline struct memo *memo_find(struct flow *f, uint32_t from, uint32_t what, uint32_t of,
                                     uint32_t by)
{
    uint64_t h = (uint64_t)(from ^ of << 13) * 0x9e3779b97f4a7c15U;
    h ^= (uint64_t)(by ^ what << 28) * 0xc2b2ae3d27d4eb4fU;
    struct memo *m = &f->memo[h >> 32 & f->memo_mask];
    if (m->from != from || m->what != what || m->of != of || m->by != by) {
        memo_room(f);
        *m = (struct memo){.from = from, .what = what, .of = of, .by = by};
    }
    return m;
}

/* Returns a hash for what is looked up by its contents (code.c). */
uint32_t flow_hash(const void *data, size_t bytes);

#endif
