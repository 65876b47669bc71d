/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loops that wait for a line to change.
 *
 * A core that waits for a lock or a flag does the same few instructions over
 * and over. To run each round in its turn among the other cores' would cost
 * more than everything else. But a round that begins with the same registers
 * and predictor as the one before, loads nothing but the watched line, stores
 * nothing and asks nothing of the rest of the chip, is followed by the same
 * round again, until the line is taken away or an interrupt comes. So it is
 * enough to know how many rounds there are until then.
 *
 * A loop of one load is parked (mpj_poll()). One of several loads of the line is
 * executed up to a load that other cores may notice, and what lies between is
 * skipped (mpj_poll_round()): its turns are those that it would have had.
 */
#include "qemu/osdep.h"
#include "exec/mpj-core.h"

/* Return the loads and stores in a difference of two pack_a. */
static unsigned pack_loads(uint64_t a)
{
    return a >> 32 & 0xffff;
}

static unsigned pack_stores(uint64_t a)
{
    return a >> 48;
}

/* Returns true if the loop stayed inside of its core. */
static bool self_contained(const struct mpj_counted *each)
{
    static const uint8_t outside[] = {
        MPJ_EV_ICACHE_MISS, MPJ_EV_IFETCH_STALL, MPJ_EV_IUTLB_MISS,
        MPJ_EV_DUTLB_MISS, MPJ_EV_DCACHE_RD_MISS, MPJ_EV_DCACHE_WR_MISS,
        MPJ_EV_DCACHE_EVICT, MPJ_EV_TLB_MISS, MPJ_EV_EXT_REQ,
    };

    for (unsigned i = 0; i < ARRAY_SIZE(outside); i++) {
        if (each->ev[outside[i]]) {
            return false;
        }
    }
    return each->other == 0;
}

static bool same_predictor(const struct mpj_hot *a, const struct mpj_hot *b)
{
    return a->ras_top == b->ras_top &&
           memcmp(a->ras, b->ras, sizeof(a->ras)) == 0 &&
           memcmp(a->btac, b->btac, sizeof(a->btac)) == 0;
}

static bool same_round(const MpjPoll *a, const MpjPoll *b)
{
    return a->period == b->period && a->each_a == b->each_a &&
           a->each_b == b->each_b &&
           memcmp(&a->each_hot, &b->each_hot, sizeof(a->each_hot)) == 0 &&
           memcmp(&a->each, &b->each, sizeof(a->each)) == 0;
}

static bool same_regs(CPUState *cpu, const MpjPoll *poll)
{
    uint32_t core_regs[16] = {};

    mpj_sample_regs(cpu, core_regs);
    return memcmp(poll->core_regs, core_regs, sizeof(core_regs)) == 0;
}

/* Begins from scratch, with this poll as the last one. */
static void begin(CPUState *cpu, MpjPoll *poll, uint32_t line, uint64_t at)
{
    poll->live = true;
    poll->seen = poll->again = poll->steady = false;
    poll->line = line;
    poll->at = at;
    poll->site = cpu_mpj(cpu)->insn;
    poll->polls = poll->rounds = 0;
    memset(poll->core_regs, 0, sizeof(poll->core_regs));
    mpj_sample_regs(cpu, poll->core_regs);
}

/*
 * Notes the core at a poll that has the registers of the last one. Returns true
 * if the same has happened between the last three of them, with that many loads,
 * and nothing outside of the core.
 */
static bool repeats(CPUState *cpu, MpjPoll *poll, uint64_t at, unsigned loads)
{
    const struct mpj_hot *hot = &cpu_mpj(cpu)->hot;
    uint8_t regs[MPJ_REGS_MAX];
    size_t bytes;
    bool loop, same = false;
    struct mpj_counted counted;
    struct mpj_residue pipes;
    MpjPoll now;

    bytes = mpj_all_regs(cpu, regs);
    mpj_flow_look(mpj.chip, cpu->cpu_index, cpu_mpj(cpu)->insn,
                  mpj_execution(cpu_mpj(cpu)), &pipes);
    loop = poll->seen && memcmp(poll->regs, regs, bytes) == 0 &&
           memcmp(&poll->pipes, &pipes, sizeof(pipes)) == 0 &&
           same_predictor(&poll->hot, hot);
    mpj_core_counted(mpj.chip, cpu->cpu_index, &counted);
    if (loop) {
        now.period = at - poll->at;
        now.each_a = hot->pack_a - poll->hot.pack_a;
        now.each_b = hot->pack_b - poll->hot.pack_b;
        now.each_hot = mpj_hot_since(&hot->count, &poll->hot.count);
        now.each.other = counted.other - poll->counted.other;
        for (unsigned i = 0; i < MPJ_EV_COUNT; i++) {
            now.each.ev[i] = counted.ev[i] - poll->counted.ev[i];
        }
        same = poll->again && same_round(poll, &now) &&
               pack_loads(now.each_a) == loads &&
               pack_stores(now.each_a) == 0 && self_contained(&now.each);
        poll->period = now.period;
        poll->each_a = now.each_a;
        poll->each_b = now.each_b;
        poll->each_hot = now.each_hot;
        poll->each = now.each;
    }
    poll->seen = true;
    poll->again = loop;
    poll->at = at;
    memcpy(poll->regs, regs, bytes);
    poll->pipes = pipes;
    poll->hot = *hot;
    poll->counted = counted;
    return same;
}

static bool recent(const MpjPoll *poll, uint32_t line, uint64_t at)
{
    return poll->live && poll->line == line && at > poll->at &&
           at - poll->at <= MPJ_ROUND_MAX;
}

bool mpj_poll(CPUState *cpu, MpjPoll *poll, uint32_t line, uint64_t at)
{
    /* These cheap tests reject most code that is not a loop. */
    if (!recent(poll, line, at) || !same_regs(cpu, poll)) {
        begin(cpu, poll, line, at);
        return false;
    }
    return repeats(cpu, poll, at, 1);
}

bool mpj_poll_round(CPUState *cpu, MpjPoll *round, uint32_t line, uint64_t at)
{
    bool here = round->site == cpu_mpj(cpu)->insn;

    if (!recent(round, line, at) || (here && !round->polls) ||
        round->polls >= MPJ_ROUND_POLLS) {
        begin(cpu, round, line, at);
        return false;
    }
    round->polls++;
    if (!here) {
        return false;
    }
    if (!same_regs(cpu, round)) {
        begin(cpu, round, line, at);
        return false;
    }
    /* A wait that is over soon is not worth comparing everything. */
    if (round->rounds < MPJ_ROUNDS_BRIEF) {
        round->rounds++;
        round->polls = 0;
        round->at = at;
        return false;
    }
    round->steady = repeats(cpu, round, at, round->polls);
    round->polls = 0;
    return round->steady;
}

void mpj_poll_leapt(CPUState *cpu, MpjPoll *poll)
{
    const MpjCpu *m = cpu_mpj(cpu);

    poll->at = m->turn;
    poll->hot = m->hot;
    mpj_core_counted(mpj.chip, cpu->cpu_index, &poll->counted);
}

void mpj_poll_repeat(CPUState *cpu, MpjPoll *poll, uint64_t times)
{
    MpjCpu *m = cpu_mpj(cpu);
    uint64_t id = mpj_execution(m);

    mpj_core_repeat(mpj.chip, cpu->cpu_index, &poll->each, times);
    if (unlikely(mpj.insns)) { /* all of the rounds, at the poll */
        mpj_insn_repeat(mpj_insn_pc(m->insn), times, poll->period);
    }
    while (times > 0) {
        uint64_t due = mpj_flush_due(m);
        uint64_t n = m->turn < due ? DIV_ROUND_UP(due - m->turn, poll->period)
                                   : 1;

        n = MIN(n, times);
        times -= n;
        m->limit += n * poll->period;
        m->turn += n * poll->period;
        m->hot.pack_a += n * poll->each_a;
        m->hot.pack_b += n * poll->each_b;
        mpj_hot_add(&m->hot.count, poll->each_hot, n);
        m->polled = m->turn;
        if (m->turn >= due) {
            mpj_flush_running(cpu);
        }
    }
    mpj_what_if_skip(cpu);
    mpj_flow_rename(mpj.chip, cpu->cpu_index, id, mpj_execution(m));
    mpj_poll_leapt(cpu, poll);
}
