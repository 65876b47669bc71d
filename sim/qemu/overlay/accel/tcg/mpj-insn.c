/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Executions and costs by instruction, while mpj.insns is set. A block counts
 * how often it has begun; what an instruction costs whatever happens is known
 * from its translation, what happens at it is added where it is charged.
 */
#include "qemu/osdep.h"
#include "tcg/tcg.h"
#include "tcg/tcg-op.h"
#include "exec/exec-all.h"
#include "exec/translator.h"
#include "exec/mpj-core.h"
#include "mpj_functions.h"

#define PAGE_SLOTS (1 << (MPJ_PAGE_SHIFT - 1)) /* instructions may be 2 bytes long */

typedef struct Insn {
    target_ulong pc;
    MpjRow row;
    uint64_t skipped; /* executions of the block that ended before it */
} Insn;

typedef struct Block {
    uint64_t begun;
    struct Block *next;
    unsigned n;
    Insn insn[];
} Block;

static struct {
    Block *blocks;
    GHashTable *by_number; /* number in mpj_flow.h -> Block: those that can run */
    struct mpj_prof_insn *page[MPJ_PAGES];
    target_ulong *pc; /* by number of the instruction in mpj_flow.h */
    bool open;
} insns;

void mpj_insn_setup(void)
{
    mpj.insns = true;
    insns.by_number = g_hash_table_new(NULL, NULL);
    insns.pc = g_new0(target_ulong, 1 << 19);
}

static struct mpj_prof_insn *sum_of(target_ulong pc)
{
    struct mpj_prof_insn **page = &insns.page[pc >> MPJ_PAGE_SHIFT], *i;

    if (!*page) {
        *page = g_new0(struct mpj_prof_insn, PAGE_SLOTS);
    }
    i = &(*page)[(pc >> 1) % PAGE_SLOTS];
    i->address = pc;
    return i;
}

void mpj_insn_number(uint32_t number, target_ulong pc)
{
    insns.pc[number] = pc;
}

/* Generates the count at the start of the block of @n instructions. */
void mpj_gen_insn_count(uint32_t number, unsigned n, const target_ulong *pc)
{
    Block *b = g_malloc0(sizeof(*b) + n * sizeof(*b->insn));
    TCGv_ptr at = tcg_constant_ptr(&b->begun);
    TCGv_i64 t = tcg_temp_new_i64();

    b->n = n;
    b->next = insns.blocks;
    insns.blocks = b;
    for (unsigned i = 0; i < n; i++) {
        b->insn[i].pc = pc[i];
        mpj_gen_row(i, &b->insn[i].row);
    }
    g_hash_table_insert(insns.by_number, GUINT_TO_POINTER(number), b);
    tcg_gen_ld_i64(t, at, 0);
    tcg_gen_addi_i64(t, t, 1);
    tcg_gen_st_i64(t, at, 0);
    tcg_temp_free_i64(t);
}

void mpj_insn_left(uint32_t number, unsigned unexecuted)
{
    Block *b = g_hash_table_lookup(insns.by_number, GUINT_TO_POINTER(number));

    if (b && unexecuted <= b->n && unexecuted > 0) {
        b->insn[b->n - unexecuted].skipped++;
    }
}

void mpj_insn_forget(void)
{
    g_hash_table_remove_all(insns.by_number);
}

void mpj_insn_cycles(target_ulong pc, int32_t cycles)
{
    if (insns.open && cycles) {
        sum_of(pc)->cycles += (int64_t)cycles;
    }
}

void mpj_insn_repeat(target_ulong pc, uint64_t times, uint64_t cycles)
{
    if (insns.open) {
        sum_of(pc)->executions += times;
        sum_of(pc)->cycles += times * cycles;
    }
}

target_ulong mpj_insn_pc(uint32_t number)
{
    return insns.pc[number];
}

void mpj_insn_events(CPUState *cpu, target_ulong pc, MpjInsnEvents *was,
                     bool begin)
{
    MpjInsnEvents now = {
        .rd_miss = mpj_core_event(mpj.chip, cpu->cpu_index,
                                  MPJ_EV_DCACHE_RD_MISS),
        .wr_miss = mpj_core_event(mpj.chip, cpu->cpu_index,
                                  MPJ_EV_DCACHE_WR_MISS),
        .fetch_miss = mpj_core_event(mpj.chip, cpu->cpu_index,
                                     MPJ_EV_ICACHE_MISS),
        .mispred = mpj_core_event(mpj.chip, cpu->cpu_index,
                                  MPJ_EV_BRANCH_MISPRED),
    };

    if (!begin && insns.open) {
        struct mpj_prof_insn *i = sum_of(pc);

        i->rd_miss += now.rd_miss - was->rd_miss;
        i->wr_miss += now.wr_miss - was->wr_miss;
        i->fetch_miss += now.fetch_miss - was->fetch_miss;
        i->mispred += now.mispred - was->mispred;
    }
    *was = now;
}

/* Hands the executions of a block to its instructions. */
static void block_settle(Block *b, bool count)
{
    uint64_t n = b->begun;

    b->begun = 0;
    for (unsigned i = 0; i < b->n; i++) {
        Insn *x = &b->insn[i];

        n -= x->skipped;
        x->skipped = 0;
        if (count && n) {
            struct mpj_prof_insn *s = sum_of(x->pc);

            s->executions += n;
            s->cycles += n * x->row.cycles;
            s->ddep += n * x->row.ddep;
            s->loads += n * x->row.loads;
            s->stores += n * x->row.stores;
            s->steps += n * x->row.energy;
        }
    }
}

/*
 * Begins or ends work that takes no time: what the core executes then does not
 * count.
 */
void mpj_insn_hold(bool on)
{
    for (Block *b = insns.blocks; b; b = b->next) {
        block_settle(b, on && insns.open);
    }
}

void mpj_insn_window(bool open)
{
    if (open == insns.open) {
        return;
    }
    for (Block *b = insns.blocks; b; b = b->next) {
        block_settle(b, insns.open);
    }
    insns.open = open;
}

struct mpj_prof_insn *mpj_insn_list(size_t *n)
{
    struct mpj_prof_insn *list = NULL;
    size_t room = 0;
    int64_t owed = 0; /* by instructions that a block took less time after */

    *n = 0;
    for (unsigned p = 0; p < MPJ_PAGES; p++) {
        for (unsigned i = 0; insns.page[p] && i < PAGE_SLOTS; i++) {
            const struct mpj_prof_insn *s = &insns.page[p][i];

            if (!s->executions && !s->cycles) {
                continue;
            }
            if (*n == room) {
                room = room ? 2 * room : 4096;
                list = g_renew(struct mpj_prof_insn, list, room);
            }
            list[*n] = *s;
            owed += (int64_t)s->cycles;
            list[(*n)++].cycles = MAX(owed, 0);
            owed = MIN(owed, 0);
        }
    }
    return list;
}
