/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of flow.c and of the chip that owns it: sizes and tables of the code that is known. */
#ifndef MPJ_FLOW_INT_H
#define MPJ_FLOW_INT_H

#include "chip_int.h"
#include "pipe_int.h"

#define RESIDUES     (1U << 16)
#define RESIDUE_HASH (1U << 17)
#define RESIDUE_AGES 16U
#define UOPS         (1U << 16)
#define UOP_HASH     (1U << 17)
#define INSNS        (1U << 19) /* an instruction's number has 19 bits, see the emulator */
#define BLOCKS       (1U << 18)
#define BLOCK_INSNS  512U

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

/* What a delay of at least `from` cycles does (0: not known yet): the block takes that much longer
 * less what is hidden, and leaves the residue `after`. */
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
    uint32_t entry, out; /* residues */
    bool folds;
    uint8_t flags_age; /* foreseen, at its branch */
    uint32_t unfolded;
    struct flow_sum all;
};

struct flow {
    bool exact;
    struct residue *residue;
    uint32_t *residue_hash;
    struct known_uop *uop;
    uint32_t *uop_hash;
    struct insn *insn;
    struct block *block;
    uint32_t residues, uops, insns, blocks; /* numbers given; 0 is none */
    struct mpj_pipe pipe;                   /* of the block being translated */
};

#endif
