/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between decoders and scheduler of the static pipeline model. */
#ifndef MPJ_PIPE_INT_H
#define MPJ_PIPE_INT_H

#include "mpj_chip.h"
#include "mpj_params.h"

enum { UNIT_LS, UNIT_VFP, UNIT_DIV, UNIT_NONE = 0xff };

/* Properties of an instruction for the scheduler. Register masks: bit n = rn. */
struct uop {
    uint32_t rd;        /* operands needed at the normal stage */
    uint32_t rd_early;  /* needed one stage sooner */
    uint32_t rd_addr;   /* address operands: early, but a base written back forwards */
    uint32_t rd_acc;    /* accumulate operands: multiply results forward */
    uint32_t wr, wr_hi; /* results with lat, lat_hi */
    uint32_t wr_base;   /* base register written back */
    uint32_t list;      /* LDM, STM: registers in order */
    uint32_t vrd, vwr;  /* single-precision VFP registers */
    uint8_t vlist_first, vlist_count; /* FLDM: registers that arrive one pair per cycle */
    uint8_t issue, lat, lat_hi, vlat;
    uint8_t unit, unit_busy;
    bool rd_flags, wr_flags;
    bool rd_fpscr, wr_fpscr; /* VFP comparison flags */
    bool mul;                /* results forward to accumulate operands */
    bool list_store;         /* list is read (STM) */
    bool vfp_arith;          /* reads VFP data through the forwarding path */
    uint8_t kind;            /* enum mpj_insn_kind */
    uint8_t loads, stores, branch, pc_change;
    int32_t energy; /* fJ */
};

/* late_class: special forwarding towards some consumers */
enum { LATE_NONE, LATE_MUL, LATE_BASE, LATE_LOCK };

/* Why an instruction did not issue at once, in cycles: operands, a blocked load/store unit. */
struct pipe_wait {
    uint32_t data, lsu;
};

/* A scoreboard's first cycle: above every latency that is subtracted. */
#define PIPE_FIRST 256U

/* Kinds of waiting for a register. */
enum {
    WAIT_ANY,  /* has to be there, and read by those that still have to */
    WAIT_READ, /* operand */
    WAIT_BASE, /* address operand: a base written back forwards */
    WAIT_MUL,  /* accumulate operand: multiply results forward */
    WAIT_LOCK, /* is overwritten: only has to be read by those that still have to */
};

struct pipe_src {
    uint8_t reg, how;
    int16_t add; /* cycles after it is ready */
};

struct pipe_dst {
    uint8_t reg, lat, late;
};

/* A struct uop in the form that pipe_issue() is fast with. */
struct pipe_op {
    uint8_t srcs, dsts;
    uint8_t first_late, last_late; /* of dst: what a miss delays */
    uint8_t unit, unit_busy, issue;
    bool branch, rd_flags;
    bool system;      /* assumed: status and CP15 instructions wait for loads that miss */
    uint8_t wr_flags; /* cycles until they are there; 0: does not */
    bool rd_fpscr;
    uint8_t wr_fpscr; /* latency; 0: does not */
    int16_t base_gain, mul_gain;
    struct pipe_src src[48];
    struct pipe_dst dst[40];
};

void pipe_compile(const struct mpj_params *prm, const struct uop *u, struct pipe_op *op);
/* Issues an instruction as soon as it can; returns the cycles from the last one's end to its own.
 */
uint32_t pipe_issue(struct mpj_pipe *p, const struct pipe_op *op, struct pipe_wait *wait);
/* Delays the value of the load that has just been issued by this many cycles. */
void pipe_late(struct mpj_pipe *p, const struct pipe_op *op, uint32_t cycles);
/* Delays the load/store unit's next access after the one just issued by this many cycles. */
void pipe_block_lsu(struct mpj_pipe *p, uint32_t cycles);
void pipe_cost(const struct uop *u, uint32_t cycles, uint32_t ddep, const struct mpj_pipe *p,
               struct mpj_insn_cost *out);

void uop_decode(const struct mpj_params *prm, uint32_t op, bool thumb, struct uop *u);
void uop_arm(const struct mpj_params *prm, uint32_t op, struct uop *u);
void uop_thumb(const struct mpj_params *prm, uint32_t op, struct uop *u);
void uop_vfp(const struct mpj_params *prm, uint32_t op, struct uop *u);

/* Shared by the decoders. */
void uop_alu(const struct mpj_params *prm, struct uop *u);
void uop_load(const struct mpj_params *prm, struct uop *u, uint32_t wr, uint32_t base,
              uint32_t offset);
void uop_store(const struct mpj_params *prm, struct uop *u, uint32_t data, uint32_t base,
               uint32_t offset);
void uop_slow_address(const struct mpj_params *prm, struct uop *u);
void uop_multiple(const struct mpj_params *prm, struct uop *u, uint32_t list, uint32_t base,
                  bool load);
void uop_mul(const struct mpj_params *prm, struct uop *u, uint32_t operands, uint32_t wr,
             bool flags);
void uop_branch(const struct mpj_params *prm, struct uop *u, unsigned kind);
void uop_system(const struct mpj_params *prm, struct uop *u);

static inline uint32_t reg(uint32_t op, unsigned shift)
{
    return 1U << (op >> shift & 15);
}

#endif
