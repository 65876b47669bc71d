/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Truth per function: reports to the chip model (mpj_functions.h). Only while
 * mpj.prof is set; nothing here changes modelled time or any count.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "exec/mpj-core.h"
#include "mpj_functions.h"

/*
 * The execution whose branch helper comes after it has returned from an
 * exception, and is to be ignored.
 */
static uint64_t eret_by[MPJ_CORES];

bool mpj_prof_setup(struct mpj_chip *chip, const char *symbols)
{
    g_autofree struct mpj_prof_symbol *sym = NULL;
    size_t n = 0, room = 0;
    unsigned start, end, watch;
    FILE *f = symbols ? fopen(symbols, "r") : NULL;
    bool ok = true;

    if (symbols && !f) {
        error_report("symbols file %s: %s", symbols, strerror(errno));
        return false;
    }
    while (f && fscanf(f, "%x %x %x", &start, &end, &watch) == 3) {
        if (n == room) {
            room = room ? 2 * room : 1024;
            sym = g_renew(struct mpj_prof_symbol, sym, room);
        }
        sym[n++] = (struct mpj_prof_symbol) { start, end, watch };
    }
    if (f && !feof(f)) {
        error_report("symbols file %s: expected lines of three hexadecimal "
                     "numbers, found another one after %zu of them", symbols,
                     n);
        ok = false;
    } else if (mpj_prof_enable(chip, sym, n, MPJ_PROF_NODES) != MPJ_OK) {
        error_report("no memory for a profile of functions");
        ok = false;
    }
    if (f) {
        fclose(f);
    }
    mpj.prof = ok;
    return ok;
}

/*
 * Returns the time of a core that is at the end of a block, or at an exception.
 */
static uint64_t prof_now(CPUState *cpu)
{
    mpj_flow_settle(cpu);
    return mpj_time(cpu_mpj(cpu));
}

void HELPER(mpj_prof_call)(CPUArchState *env, target_ulong target,
                           target_ulong ret)
{
    CPUState *cpu = env_cpu(env);

    mpj_prof_call(mpj.chip, cpu->cpu_index, prof_now(cpu), target, ret,
                  env->regs[13], env->regs[0]);
}

void HELPER(mpj_prof_tail)(CPUArchState *env, target_ulong target)
{
    CPUState *cpu = env_cpu(env);

    mpj_prof_tail(mpj.chip, cpu->cpu_index, prof_now(cpu), target,
                  env->regs[0]);
}

void mpj_prof_direct(CPUArchState *env, target_ulong pc, target_ulong target,
                     uint32_t info)
{
    if ((info & MPJ_BRANCH_KIND) == MPJ_BR_CALL) {
        HELPER(mpj_prof_call)(env, target, pc + 4);
    } else if (mpj_prof_is_start(mpj.chip, target)) {
        HELPER(mpj_prof_tail)(env, target);
    }
}

void mpj_prof_indirect(CPUArchState *env, target_ulong pc, target_ulong target,
                       uint32_t info)
{
    CPUState *cpu = env_cpu(env);
    unsigned core = cpu->cpu_index;

    if (eret_by[core] == mpj_execution(cpu_mpj(cpu))) {
        return;
    }
    if ((info & MPJ_BRANCH_KIND) == MPJ_BR_CALL_INDIRECT) {
        mpj_prof_call(mpj.chip, core, prof_now(cpu), target, pc + 4,
                      env->regs[13], env->regs[0]);
    } else {
        mpj_prof_jump(mpj.chip, core, prof_now(cpu), target,
                      env->regs[14] & ~1u, pc + (env->thumb ? 2 : 4),
                      env->regs[13], env->regs[0]);
    }
}

void mpj_prof_taken(CPUState *cpu, uint32_t pc, uint32_t vector)
{
    if (mpj.prof) {
        mpj_prof_exception(mpj.chip, cpu->cpu_index, prof_now(cpu),
                           vector & 0x1c, pc);
    }
}

void mpj_prof_returned(CPUState *cpu, uint32_t pc)
{
    if (mpj.prof) {
        eret_by[cpu->cpu_index] = mpj_execution(cpu_mpj(cpu));
        mpj_prof_eret(mpj.chip, cpu->cpu_index, prof_now(cpu), pc);
    }
}
