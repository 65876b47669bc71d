/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs with changed costs: the program runs with costs changed, while
 * mpj.what_if is set.
 *
 * A block is charged as ever. When the next one begins, or the core's slice
 * ends, what it has taken is known, and if it is in a function whose cost is
 * changed, the core's time goes back (or forward) by the difference; so does
 * what it has in flight. That is less than a block ahead of what others may
 * see. Time in which a core waits, or polls a line in a loop, stays as it is.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "exec/mpj-core.h"

typedef struct Range {
    target_ulong start, end;
    uint32_t factor;
} Range;

typedef struct Lock {
    target_ulong function, address;
    uint32_t result;
} Lock;

static struct {
    GArray *ranges, *locks;
    struct {
        uint64_t last; /* time up to which the core has taken what it is to take */
        uint32_t factor, part; /* of what it runs; 65536ths of a cycle not taken yet */
    } core[MPJ_CORES];
} what_if;

bool mpj_what_if_setup(struct mpj_chip *chip, const char *file)
{
    FILE *f = fopen(file, "r");
    char word[16];
    unsigned a, b, c;
    bool ok;

    if (!f) {
        error_report("what-if file %s: %s", file, strerror(errno));
        return false;
    }
    what_if.ranges = g_array_new(false, false, sizeof(Range));
    what_if.locks = g_array_new(false, false, sizeof(Lock));
    for (unsigned i = 0; i < MPJ_CORES; i++) {
        what_if.core[i].factor = MPJ_WHAT_IF_ONE;
    }
    while ((ok = fscanf(f, "%15s %x %x %x", word, &a, &b, &c) == 4)) {
        if (strcmp(word, "function") == 0) {
            Range r = { .start = a, .end = b, .factor = c };

            g_array_append_val(what_if.ranges, r);
        } else if (strcmp(word, "lock") == 0) {
            Lock l = { .function = a, .address = b, .result = c };

            g_array_append_val(what_if.locks, l);
        } else if (strcmp(word, "miss") == 0 && a < MPJ_MISS_COUNT) {
            mpj_what_if_miss(chip, a, b);
        } else {
            break;
        }
    }
    if (ok || !feof(f)) {
        error_report("what-if file %s: expected lines of function, lock or "
                     "miss and three hexadecimal numbers", file);
        fclose(f);
        return false;
    }
    fclose(f);
    mpj.what_if = true;
    return true;
}

uint32_t mpj_what_if_factor(target_ulong pc)
{
    for (unsigned i = 0; i < what_if.ranges->len; i++) {
        const Range *r = &g_array_index(what_if.ranges, Range, i);

        if (pc >= r->start && pc < r->end) {
            return r->factor;
        }
    }
    return MPJ_WHAT_IF_ONE;
}

bool mpj_what_if_locks(target_ulong pc)
{
    for (unsigned i = 0; i < what_if.locks->len; i++) {
        if (g_array_index(what_if.locks, Lock, i).function == pc) {
            return true;
        }
    }
    return false;
}

void mpj_what_if_settle(CPUState *cpu)
{
    MpjCpu *m = cpu_mpj(cpu);
    uint32_t factor = what_if.core[cpu->cpu_index].factor;
    uint64_t took, due, now;
    int64_t back = 0;

    if (mpj.held) {
        return;
    }
    mpj_flow_settle(cpu);
    now = mpj_time(m);
    took = now - what_if.core[cpu->cpu_index].last;
    if (factor != MPJ_WHAT_IF_ONE && took > 0) {
        due = took * factor + what_if.core[cpu->cpu_index].part;
        what_if.core[cpu->cpu_index].part = due % MPJ_WHAT_IF_ONE;
        back = (int64_t)(took - due / MPJ_WHAT_IF_ONE);
        if (m->leave) { /* the budget has been put aside */
            m->hold += back;
        } else {
            m->left += back;
        }
        mpj_what_if_back(mpj.chip, cpu->cpu_index, back);
    }
    what_if.core[cpu->cpu_index].last = now - back;
}

void mpj_what_if_skip(CPUState *cpu)
{
    what_if.core[cpu->cpu_index].last = mpj_time(cpu_mpj(cpu));
}

/* Begins a block of which @factor is charged, in 65536ths. */
void HELPER(mpj_what_if)(CPUArchState *env, uint32_t factor)
{
    CPUState *cpu = env_cpu(env);
    uint32_t *now = &what_if.core[cpu->cpu_index].factor;

    if (*now != MPJ_WHAT_IF_ONE || factor != MPJ_WHAT_IF_ONE) {
        mpj_what_if_settle(cpu);
        *now = factor;
    }
}

/*
 * Begins a function of locks; returns 1 if it has returned, since the lock is
 * free.
 */
uint32_t HELPER(mpj_what_if_lock)(CPUArchState *env, target_ulong pc)
{
    CPUState *cpu = env_cpu(env);
    MpjCpu *m = cpu_mpj(cpu);

    for (unsigned i = 0; i < what_if.locks->len; i++) {
        const Lock *l = &g_array_index(what_if.locks, Lock, i);

        if (l->function != pc || l->address != env->regs[0]) {
            continue;
        }
        mpj_flow_settle(cpu);
        mpj_flow_drop(mpj.chip, cpu->cpu_index);
        m->entry = 0;
        m->hot.ras[m->hot.ras_top] = 0; /* the call's */
        m->hot.ras_top = (m->hot.ras_top - 1) & (MPJ_RAS_ENTRIES - 1);
        env->regs[0] = l->result;
        env->regs[15] = env->regs[14] & ~1u;
        env->thumb = env->regs[14] & 1;
        return 1;
    }
    return 0;
}
