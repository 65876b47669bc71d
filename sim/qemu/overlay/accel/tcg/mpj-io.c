/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses to devices.
 *
 * A device may be accessed by the last instruction of a block only: the block in
 * which it happens is left before the access, what was charged for the rest is
 * given back, and a block of this one instruction does it (cpu_io_recompile()).
 * What that takes to find out is the same each time and is kept here.
 */
#include "qemu/osdep.h"
#include "exec/exec-all.h"
#include "exec/mpj-core.h"
#include "hw/core/tcg-cpu-ops.h"
#include "tcg/tcg.h"

typedef struct IoNote {
    uintptr_t retaddr;      /* where the block is left; 0: unused */
    TranslationBlock *tb;   /* the block */
    uint64_t data[TARGET_INSN_START_WORDS];
    MpjRow unexecuted;
    TranslationBlock *io;   /* the block that does the access; NULL: not known */
} IoNote;

/* All cores share their blocks, and one thread runs them. */
static struct {
    IoNote note[1024];
    IoNote *newest;
} io;

void mpj_io_forget(void)
{
    memset(&io, 0, sizeof(io));
}

void mpj_blocks_forget(void)
{
    uint32_t entry[MPJ_CORES];
    unsigned n = 0;
    CPUState *cpu;

    mpj_io_forget();
    if (!mpj.full) {
        return;
    }
    CPU_FOREACH(cpu) {
        entry[n++] = cpu_mpj(cpu)->entry;
    }
    mpj_flow_forget(mpj.chip, entry, n);
    if (mpj.insns) {
        mpj_insn_forget();
    }
    n = 0;
    CPU_FOREACH(cpu) {
        cpu_mpj(cpu)->entry = entry[n++];
    }
}

static uint32_t io_cflags(CPUState *cpu)
{
    return curr_cflags(cpu) | CF_MEMI_ONLY | CF_LAST_IO | 1;
}

/*
 * Returns the note of this place, or one to take for it, found by its distance
 * from where generated code begins: which places share a note must not depend
 * on where the host has put the code.
 */
static IoNote *io_find(uintptr_t retaddr)
{
    uintptr_t ofs = retaddr - (uintptr_t)tcg_ctx->code_gen_buffer;
    IoNote *n = &io.note[(uint32_t)(ofs * 0x9e3779b1u) >> 22];
    IoNote *second = &io.note[(n - io.note) ^ 1];

    if (n->retaddr == retaddr || n->retaddr == 0) {
        return n;
    }
    return second->retaddr == retaddr || second->retaddr == 0 ? second : n;
}

static void io_note(IoNote *n, uintptr_t retaddr)
{
    n->retaddr = 0;
    n->io = NULL;
    n->tb = tcg_tb_lookup(retaddr);
    if (n->tb && mpj_unwind(n->tb, retaddr, n->data, &n->unexecuted)) {
        n->retaddr = retaddr;
        io.newest = n;
    }
}

void mpj_io_block(TranslationBlock *tb)
{
    IoNote *n = io.newest;

    if (n && tb_pc(tb) == n->data[0] && tb_page_addr1(tb) == -1 &&
        !((tb_page_addr0(tb) ^ tb_page_addr0(n->tb)) & TARGET_PAGE_MASK)) {
        n->io = tb;
    }
    io.newest = NULL;
}

bool mpj_io_again(CPUState *cpu, uintptr_t retaddr)
{
    IoNote *n = io_find(retaddr);
    target_ulong pc, cs_base;
    uint32_t flags;

    if (!QTAILQ_EMPTY(&cpu->breakpoints) || cpu->singlestep_enabled) {
        return false;
    }
    if (n->retaddr != retaddr) {
        io_note(n, retaddr);
        return false;
    }
    if (!n->io) {
        io.newest = n;
        return false;
    }
    mpj_give_back(cpu, n->tb, &n->unexecuted);
    cpu->cc->tcg_ops->restore_state_to_opc(cpu, n->tb, n->data);
    cpu_get_tb_cpu_state(cpu->env_ptr, &pc, &cs_base, &flags);
    if (tb_pc(n->io) == pc && n->io->cs_base == cs_base &&
        n->io->flags == flags && tb_cflags(n->io) == io_cflags(cpu) &&
        n->io->mpj_entry == cpu_mpj(cpu)->entry) {
        cpu_mpj(cpu)->resume = n->io;
    } else {
        cpu->cflags_next_tb = io_cflags(cpu);
        n->io = NULL;
    }
    return true;
}

void mpj_resume_drop(CPUState *cpu)
{
    MpjCpu *m = cpu_mpj(cpu);

    if (m->resume && tb_cflags(m->resume) & CF_LAST_IO) {
        cpu->cflags_next_tb = tb_cflags(m->resume) & ~CF_INVALID;
    }
    m->resume = NULL;
}
