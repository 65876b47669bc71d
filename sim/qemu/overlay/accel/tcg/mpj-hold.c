/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work of a core that takes no modelled time: a guest that carries data to or
 * from the host.
 *
 * The same code runs as ever, but nothing of it reaches the model: no cycle, no
 * count, no access of a cache or the bus, no interrupt. The other cores do not
 * run at that time. What generated code keeps by itself (budget, packed
 * counters, return stack, store buffer) is put back at the end, with empty
 * pipes. It begins when the core has its turn, at the end of a block of every
 * core; so what the others have done by then depends on modelled time alone.
 */
#include "qemu/osdep.h"
#include "exec/mpj-core.h"
#include "mpj_functions.h"

static struct {
    uint32_t asked; /* cores, a bit each, until they have done */
    CPUState *cpu;  /* which of them has its turn; NULL: none */
    MpjHoldState at;
} hold;

bool mpj_hold_asked(const CPUState *cpu)
{
    return hold.asked >> cpu->cpu_index & 1;
}

CPUState *mpj_hold_core(void)
{
    return hold.cpu;
}

uint64_t mpj_hold_time(void)
{
    return hold.at.time;
}

/* Sets the core's time, with no budget left. */
static void stand_at(MpjCpu *m, uint64_t time)
{
    m->limit = time;
    m->left = m->hold = 0;
}

void mpj_hold_begin(CPUState *cpu)
{
    MpjCpu *m = cpu_mpj(cpu);

    mpj_resume_drop(cpu); /* a block that finds something in the pipes */
    m->entry = 0;
    if (mpj.full) {
        mpj_flow_drop(mpj.chip, cpu->cpu_index);
    }
    hold.cpu = cpu;
    hold.at.time = mpj_time(m);
    hold.at.sb_line = m->hot.sb_line;
    hold.at.monitor = m->hot.monitor;
    hold.at.ras_top = m->hot.ras_top;
    memcpy(hold.at.ras, m->hot.ras, sizeof(hold.at.ras));
    mpj.held = true;
    if (mpj.prof) {
        mpj_prof_hold(mpj.chip, cpu->cpu_index, true);
    }
    if (mpj.insns) {
        mpj_insn_hold(true);
    }
}

void mpj_hold_slice(void)
{
    MpjCpu *m = cpu_mpj(hold.cpu);

    stand_at(m, hold.at.time);
    m->hot.pack_a = m->hot.pack_b = 0; /* as the flush before has left them */
    m->hot.count = (struct mpj_hot_counts){};
}

void mpj_hold_end(CPUState *cpu)
{
    MpjCpu *m = cpu_mpj(cpu);

    hold.asked &= ~(1u << cpu->cpu_index);
    if (hold.cpu != cpu) {
        return;
    }
    mpj_hold_slice();
    m->leave = false;
    m->hot.sb_line = hold.at.sb_line;
    m->hot.monitor = hold.at.monitor;
    m->hot.ras_top = hold.at.ras_top;
    memcpy(m->hot.ras, hold.at.ras, sizeof(hold.at.ras));
    if (mpj.full) {
        mpj_flow_drop(mpj.chip, cpu->cpu_index);
    }
    hold.cpu = NULL;
    mpj.held = false;
    if (mpj.prof) {
        mpj_prof_hold(mpj.chip, cpu->cpu_index, false);
    }
    if (mpj.insns) {
        mpj_insn_hold(false);
    }
}

void mpj_hold(bool on)
{
    CPUState *cpu = current_cpu;

    if (!mpj_on() || !cpu) {
        return;
    }
    if (!on) {
        mpj_hold_end(cpu);
    } else if (!mpj_hold_asked(cpu)) {
        hold.asked |= 1u << cpu->cpu_index;
        stand_at(cpu_mpj(cpu), mpj_core_now(cpu)); /* its slice is over */
    }
}

void mpj_hold_reset(void)
{
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        mpj_hold_end(cpu);
    }
}

void mpj_hold_save(MpjHoldState *to)
{
    *to = hold.at;
    to->asked = hold.asked;
    to->core = hold.cpu ? hold.cpu->cpu_index + 1 : 0;
}

void mpj_hold_load(const MpjHoldState *from)
{
    hold.at = *from;
    hold.asked = from->asked;
    hold.cpu = from->core ? qemu_get_cpu(from->core - 1) : NULL;
    mpj.held = hold.cpu != NULL;
}
