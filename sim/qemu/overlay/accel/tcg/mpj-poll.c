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
 * A loop of one load is parked (mpj_poll()). In one of several loads of the line, or
 * of several lines, the core dozes (mpj_poll_round()): it takes its turns, but has
 * not executed the polls. It does when another core is about to change one of the
 * lines. So does a core in a loop that counts its rounds, in registers or in memory
 * of its own: what the instructions of a round add to them is known (mpj_loop.h),
 * and how many rounds there are at least until a count ends it.
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

/* Returns where it is noted that a loop which begins with the site was steady. */
static MpjSite *noted(MpjPoll *round, uint32_t site)
{
    return &round->known[site % MPJ_ROUND_SITES];
}

static bool known(MpjPoll *round, uint32_t site)
{
    const MpjSite *s = noted(round, site);

    return s->site == site && s->worth > 0;
}

static bool same_predictor(const struct mpj_hot *a, const struct mpj_hot *b)
{
    return a->ras_top == b->ras_top &&
           memcmp(a->ras, b->ras, sizeof(a->ras)) == 0 &&
           memcmp(a->btac, b->btac, sizeof(a->btac)) == 0 &&
           a->sb_line == b->sb_line;
}

static bool same_round(const MpjPoll *a, const MpjPoll *b)
{
    return a->period == b->period && a->each_a == b->each_a &&
           a->each_b == b->each_b &&
           memcmp(&a->each_hot, &b->each_hot, sizeof(a->each_hot)) == 0 &&
           memcmp(&a->each, &b->each, sizeof(a->each)) == 0;
}

/* Returns true if the registers are those of the last poll, and what it counts. */
static bool same_regs(CPUState *cpu, const MpjPoll *poll)
{
    const uint32_t *now = mpj_core_regs(cpu);

    if (!poll->counts) {
        return memcmp(poll->core_regs, now, sizeof(poll->core_regs)) == 0;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(poll->core_regs); i++) {
        if (now[i] - poll->core_regs[i] != poll->loop.each[i]) {
            return false;
        }
    }
    return true;
}

static void note_regs(CPUState *cpu, MpjPoll *poll)
{
    memcpy(poll->core_regs, mpj_core_regs(cpu), sizeof(poll->core_regs));
}

/* Begins from scratch, with this poll as the last one; its registers are not noted. */
static void begin(CPUState *cpu, MpjPoll *poll, uint32_t line, uint64_t at)
{
    poll->live = true;
    poll->seen = poll->again = poll->steady = poll->counts = false;
    poll->line = line;
    poll->at = at;
    poll->site = cpu_mpj(cpu)->insn;
    poll->polls = poll->lines = 0;
    poll->needs = 0;
}

/* Begins a round from scratch; notes the registers if its next poll compares them. */
static void begin_round(CPUState *cpu, MpjPoll *round, uint32_t line,
                        uint64_t at)
{
    if (round->compares) { /* in vain, unless rounds have been added since */
        noted(round, round->site)->worth--;
    }
    begin(cpu, round, line, at);
    round->rounds = 0;
    round->compares = known(round, round->site);
    if (round->compares) {
        round->rounds = MPJ_ROUNDS_BRIEF;
        note_regs(cpu, round);
    }
}

/*
 * Notes the core at a poll that has the registers of the last one. Returns true
 * if the same has happened between the last three of them, with that many loads
 * and stores, and nothing outside of the core.
 */
static bool repeats(CPUState *cpu, MpjPoll *poll, uint64_t at, unsigned loads,
                    unsigned stores)
{
    const struct mpj_hot *hot = &cpu_mpj(cpu)->hot;
    uint8_t regs[MPJ_REGS_MAX];
    size_t bytes;
    bool loop, same = false;
    struct mpj_counted counted;
    struct mpj_residue pipes;
    MpjPoll now;

    bytes = mpj_all_regs(cpu, regs);
    if (poll->counts) {
        memset(regs, 0, sizeof(poll->loop.each)); /* compared by same_regs() */
    }
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
        /* Once is enough for a loop that counts: its instructions are known. */
        same = (poll->counts || (poll->again && same_round(poll, &now))) &&
               pack_loads(now.each_a) == loads &&
               pack_stores(now.each_a) == stores && self_contained(&now.each);
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

static bool recent(const MpjPoll *poll, uint64_t at)
{
    return poll->live && at > poll->at && at - poll->at <= MPJ_ROUND_MAX;
}

bool mpj_poll(CPUState *cpu, MpjPoll *poll, uint32_t line, uint64_t at)
{
    /* These cheap tests reject most code that is not a loop. */
    if (!recent(poll, at) || poll->line != line || !same_regs(cpu, poll)) {
        begin(cpu, poll, line, at);
        note_regs(cpu, poll);
        return false;
    }
    return repeats(cpu, poll, at, 1, 0);
}

/* Notes a line of the round; false: these are too many. */
static bool note_line(MpjPoll *round, uint32_t line)
{
    if (line == round->line) {
        return true;
    }
    for (unsigned i = 0; i < round->lines; i++) {
        if (round->other[i] == line) {
            return true;
        }
    }
    if (round->lines == MPJ_ROUND_LINES) {
        return false;
    }
    round->other[round->lines++] = line;
    if (round->needs) {
        round->needs |= 1ull << line % 64;
    }
    return true;
}

/*
 * Begins a round that is not the first of a loop, with registers that are not
 * those of the one before. Returns true if the loop counts.
 */
static bool begin_counting(CPUState *cpu, MpjPoll *round)
{
    round->seen = round->again = false;
    round->counts = mpj_loop_here(cpu, round);
    round->left = round->loop.rounds;
    return round->counts;
}

/* Notes the lines on which it depends what the rounds do. */
static void note_needs(MpjPoll *round)
{
    round->needs |= 1ull << round->line % 64;
    for (unsigned i = 0; i < round->lines; i++) {
        round->needs |= 1ull << round->other[i] % 64;
    }
    for (unsigned i = 0; round->counts && i < round->loop.lines; i++) {
        round->needs |= 1ull << round->accessed[i] % 64;
    }
}

bool mpj_poll_round(CPUState *cpu, MpjPoll *round, uint32_t line, uint64_t at)
{
    bool here = round->site == cpu_mpj(cpu)->insn;
    unsigned polls;

    if (!recent(round, at) || round->polls >= MPJ_ROUND_POLLS ||
        !note_line(round, line)) {
        begin_round(cpu, round, line, at);
        return false;
    }
    polls = ++round->polls;
    if (!here) {
        uint32_t site = cpu_mpj(cpu)->insn;

        if (known(round, site) && !known(round, round->site)) {
            begin_round(cpu, round, line, at);
            return false;
        }
        round->offset[polls] = at - round->at;
        return false;
    }
    round->offset[0] = 0;
    round->polls = 0;
    round->count = polls;
    round->steady = false;
    /* A wait that is over soon is not worth comparing everything. */
    if (round->rounds < MPJ_ROUNDS_BRIEF) {
        round->at = at;
        if (++round->rounds == MPJ_ROUNDS_BRIEF) {
            note_regs(cpu, round);
        }
        return false;
    }
    if (round->counts && (round->left-- <= 1)) {
        begin_round(cpu, round, line, at);
        return false;
    }
    if (!same_regs(cpu, round)) {
        if (round->counts || !begin_counting(cpu, round)) {
            begin_round(cpu, round, line, at);
            if (!known(round, round->site)) {
                round->rounds = -MPJ_ROUNDS_OTHER;
            }
            return false;
        }
    } else if (!round->counts && polls == 1) {
        begin_round(cpu, round, line, at); /* it is parked */
        return false;
    }
    note_regs(cpu, round);
    note_needs(round);
    round->steady = round->counts
                    ? repeats(cpu, round, at, round->loop.loads,
                              round->loop.stores)
                    : repeats(cpu, round, at, polls, 0);
    if (round->steady && !known(round, round->site)) {
        *noted(round, round->site) = (MpjSite){ round->site, 1 };
    }
    return round->steady;
}

/* Returns the time before which all rounds are the same if no other core comes in. */
static uint64_t same_until(CPUState *cpu, const MpjPoll *round, uint64_t at)
{
    uint64_t end = MIN(mpj_flush_due(cpu_mpj(cpu)),
                       mpj_chip_watched(mpj.chip, round->line));

    for (unsigned i = 0; i < round->lines; i++) {
        end = MIN(end, mpj_chip_watched(mpj.chip, round->other[i]));
    }
    if (!round->counts) {
        return end;
    }
    if (cpu_mpj(cpu)->from != round->code) {
        return 0;
    }
    return MIN(end, at + MIN(round->left, MPJ_BLOCK_ENDS) * round->period);
}

/* Returns true if two polls are so far apart that a slice may end between them. */
static bool has_gap(const MpjPoll *round)
{
    bool gap = round->period - round->offset[round->count - 1] > MPJ_DOZE_GAP;

    for (unsigned i = 1; i < round->count; i++) {
        gap |= round->offset[i] - round->offset[i - 1] > MPJ_DOZE_GAP;
    }
    return gap;
}

bool mpj_doze_begin(CPUState *cpu, MpjPoll *round, uint64_t at)
{
    round->begun = round->now = at;
    round->next = 0;
    round->end = same_until(cpu, round, at);
    return round->end > at + MPJ_DOZE_MIN * round->period && !has_gap(round);
}

uint64_t mpj_doze_next(const MpjPoll *round)
{
    return round->next + 1 < round->count
           ? round->now + round->offset[round->next + 1]
           : round->now + round->period;
}

uint64_t mpj_doze_on(MpjPoll *round)
{
    uint64_t next = mpj_doze_next(round);

    if (++round->next == round->count) {
        round->next = 0;
        round->now = next;
    }
    return next;
}

void mpj_doze_skip(MpjPoll *round, uint64_t time)
{
    uint64_t rounds = time > round->now ? (time - round->now) / round->period
                                        : 0;

    if (rounds > 2) {
        round->now += (rounds - 2) * round->period;
    }
}

bool mpj_round_needs(const MpjPoll *round, uint32_t line)
{
    bool needs = line == round->line;

    for (unsigned i = 0; i < round->lines; i++) {
        needs |= line == round->other[i];
    }
    for (unsigned i = 0; round->counts && i < round->loop.lines; i++) {
        needs |= line == round->accessed[i];
    }
    return needs;
}

void mpj_round_changes(MpjPoll *round)
{
    round->seen = round->again = round->steady = round->counts = false;
    round->needs = 0;
}

/* Notes that the core's last poll was moved to its turn. */
static void poll_leapt(CPUState *cpu, MpjPoll *poll)
{
    const MpjCpu *m = cpu_mpj(cpu);

    poll->at = m->turn;
    poll->hot = m->hot;
    mpj_core_counted(mpj.chip, cpu->cpu_index, &poll->counted);
}

/* Advances the core, which is at the first poll of a round, by @times rounds. */
static void round_repeat(CPUState *cpu, MpjPoll *round, uint64_t times)
{
    mpj_poll_repeat(cpu, round, times);
    if (round->counts) {
        mpj_loop_skip(cpu, round, times);
        note_regs(cpu, round);
        round->left -= times;
    }
}

bool mpj_doze_end(CPUState *cpu, MpjPoll *round, MpjPoll *poll)
{
    uint64_t rounds = (round->now - round->begun) / round->period;
    MpjCpu *m = cpu_mpj(cpu);
    bool behind = rounds > 0 || round->next > 0;

    m->turn = round->begun;
    if (rounds > 1) {
        MpjSite *s = noted(round, round->site);

        s->worth = MIN(s->worth + rounds, MPJ_SITE_WORTH);
        round_repeat(cpu, round, rounds - 1);
        poll_leapt(cpu, poll);
        note_regs(cpu, poll);
    }
    return behind;
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
    poll_leapt(cpu, poll);
}
