/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Power, supply and ADC. Energy that is linear in counts and cycles is computed
 * on request, from the counters. Terms that a linear counter model cannot represent:
 * operand switching (per flush), both master ports bursting at once (per slot),
 * leakage that follows the temperature, and the supply's load line and droop.
 *
 * A published equation may have negative coefficients, which are valid for mixes like
 * those it was fitted to. To prevent that it gives a busy core of another mix less power
 * than one in WFI, each span of floor_cycles running cycles is raised to the energy of
 * the same cycles in WFI. The correction is a separate sum, so that parts still
 * add up to the whole. Spans are long compared with phases within a program, and
 * short compared with an ADC conversion; they end at flushes and context switches, never
 * because of a request.
 */
#include "chip_int.h"

#include <string.h>

/* Returns a * b / d without overflow in between. */
static int64_t muldiv(int64_t a, int64_t b, int64_t d)
{
    return (int64_t)((int128)a * b / d);
}

static int128 times(uint64_t n, int32_t fj)
{
    return (int128)n * fj;
}

/* Returns the energy by the calibration's coefficients. */
static int128 linear_energy(const struct mpj_chip *c, unsigned core)
{
    const struct core *k = &c->core[core];
    const struct mpj_params *p = &c->prm;
    int128 e = k->switch_fj;
    e += times(k->run, p->e_run_cycle) + times(k->wfi, p->e_wfi_cycle);
    e += class_energy(k->class_steps);
    e += times(k->ev[MPJ_EV_INSTR], p->e_instr);
    e += times(k->ev[MPJ_EV_DDEP_STALL], p->e_ddep);
    e += times(k->ev[MPJ_EV_DCACHE_RD] + k->ev[MPJ_EV_DCACHE_WR], p->e_dl1_access);
    e += times(k->ev[MPJ_EV_TLB_MISS], p->e_tlb_miss);
    e += times(k->ev[MPJ_EV_BRANCH_MISPRED], p->e_mispredict);
    e += times(k->x[X_REFILL], p->e_l1_refill);
    e += times(k->x[X_L2], p->e_l2_access);
    e += times(k->x[X_COH], p->e_coh_trans);
    e += times(k->x[X_MEM], p->e_mem_transfer);
    e += times(k->x[X_UNCACHED], p->e_uncached);
    return e;
}

/* Returns the part of that above a core that was in WFI all the time. */
static int128 above_wfi(const struct mpj_chip *c, unsigned core)
{
    const struct core *k = &c->core[core];
    return linear_energy(c, core) - times(k->run + k->wfi, c->prm.e_wfi_cycle);
}

/* Returns the missing energy of the current span. */
static int128 lacks(const struct mpj_chip *c, unsigned core)
{
    int128 above = above_wfi(c, core) - c->core[core].span_above;
    return above < 0 ? -above : 0;
}

int128 core_energy(const struct mpj_chip *c, unsigned core)
{
    return linear_energy(c, core) + c->core[core].floor_fj + lacks(c, core);
}

void power_span_end(struct mpj_chip *c, unsigned core)
{
    struct core *k = &c->core[core];
    int128 lift = lacks(c, core);
    if (lift > 0)
        k->bounded += k->run - k->span_run;
    k->floor_fj += lift;
    if (c->prof)
        prof_span_end(c, core, lift);
    k->span_above = above_wfi(c, core);
    k->span_run = k->run;
}

struct shared_parts shared_parts(const struct mpj_chip *c, uint64_t now)
{
    struct shared_parts e = {.clock = times(now, c->prm.e_shared_cycle), .leak = c->leak_fj};
    /* Signed: a core may have reported a time before the last thermal step. */
    e.leak += (int128)(int64_t)(now - c->leak_time) * c->leak_cycle;
    /* Both ports at once draw e_burst more per slot; the mean share is taken out again. */
    uint64_t slots = c->port[0].used + c->port[1].used;
    e.burst =
        muldiv((int64_t)(c->overlap_slots * 2000) - (int64_t)slots * c->prm.burst_mean_permille,
               c->prm.e_burst, 2000);
    return e;
}

int128 shared_energy(const struct mpj_chip *c, uint64_t now)
{
    struct shared_parts e = shared_parts(c, now);
    return e.clock + e.leak + e.burst;
}

uint64_t mpj_energy_fj(const struct mpj_chip *c, unsigned core)
{
    return (uint64_t)(core < MPJ_CORES ? core_energy(c, core) : shared_energy(c, c->time));
}

static int128 chip_energy(const struct mpj_chip *c, uint64_t now)
{
    int128 e = shared_energy(c, now);
    for (unsigned i = 0; i < MPJ_CORES; i++)
        e += core_energy(c, i);
    return e;
}

/* Adds the energy of data switching: the number of bits that differ between the register file now
 * and at the last flush estimates how many data lines toggle per instruction. Returns it for each
 * of them. */
static int64_t switching(struct mpj_chip *c, struct core *k, int64_t instr, const uint32_t *regs)
{
    /* Bits set in 15 words, summed per byte: not every host has an instruction for it. */
    uint64_t bytes = 0;
    for (unsigned i = 0; i < CORE_REGS; i += 2) {
        uint64_t x = regs[i] ^ k->regs[i];
        if (i + 1 < CORE_REGS)
            x |= (uint64_t)(regs[i + 1] ^ k->regs[i + 1]) << 32;
        x -= x >> 1 & 0x5555555555555555U;
        x = (x & 0x3333333333333333U) + (x >> 2 & 0x3333333333333333U);
        bytes += (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fU; /* at most 8 * 8 each */
    }
    bytes = (bytes & 0x00ff00ff00ff00ffU) + (bytes >> 8 & 0x00ff00ff00ff00ffU);
    unsigned bits = (unsigned)((bytes * 0x0001000100010001U) >> 48);
    int64_t each = 0;
    if (k->have_regs)
        each = ((int64_t)bits - c->prm.switch_mean_bits) * c->prm.e_switch;
    k->switch_fj += each * instr;
    memcpy(k->regs, regs, sizeof(k->regs));
    k->have_regs = true;
    return each;
}

void mpj_flush(struct mpj_chip *c, unsigned core, uint64_t end, uint64_t cycles, uint64_t wfi,
               const uint32_t *regs)
{
    struct core *k = &c->core[core];
    struct mpj_hot *h = k->hot;
    const struct mpj_counts_a a = mpj_unpack_a(h->pack_a);
    const struct mpj_counts_b b = mpj_unpack_b(h->pack_b);
    int64_t switched = regs && a.instr != 0 ? switching(c, k, a.instr, regs) : 0;
    if (c->prof)
        prof_flush(c, core, end, cycles, wfi, switched);
    events_add(k->ev, &a, &b, &h->count);
    k->class_steps += (uint64_t)b.energy;
    h->pack_a = 0;
    h->pack_b = 0;
    h->count = (struct mpj_hot_counts){0};
    k->run += cycles;
    k->wfi += wfi;
    if (k->run - k->span_run >= (uint64_t)c->prm.floor_cycles)
        power_span_end(c, core);
    if (end > c->time)
        c->time = end;
    if (c->trace)
        trace_flush(c, core, end);
}

void mpj_power_state(struct mpj_chip *c, unsigned core, unsigned state)
{
    /* The tile has no power controller: the state is kept, but only WFI saves anything. */
    c->core[core].power_state = state & 3;
}

/* ---- noise ---------------------------------------------------------------- */

uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

/* Returns a value about normally distributed with the given standard deviation: the sum of four
 * uniform 16-bit numbers has mean 131070 and deviation 37837. */
static int64_t noise(struct mpj_chip *c, int64_t sigma)
{
    uint64_t z = splitmix64(&c->noise);
    int64_t sum = (int64_t)((z & 0xffff) + (z >> 16 & 0xffff) + (z >> 32 & 0xffff) + (z >> 48));
    return (sum - 131070) * sigma / 37837;
}

/* ---- temperature ---------------------------------------------------------- */

/* Makes one step of the first-order thermal model after `cycles` at power_uw. Temperature is kept
 * relative to the steady state at thermal_ref_uw, where leakage is leak_cycle. */
static void heat(struct mpj_chip *c, int64_t power_uw, uint64_t now)
{
    const struct mpj_params *p = &c->prm;
    int64_t cycles = (int64_t)(now - c->leak_time);
    c->leak_fj += cycles * c->leak_cycle;
    c->leak_time = now;
    /* mK/W * uW = nK */
    int64_t goal = (power_uw - p->thermal_ref_uw) * p->thermal_mk_per_w;
    int64_t tau = muldiv(p->thermal_tau_ms, p->clock_hz, 1000);
    if (cycles >= tau)
        c->theta_nk = goal;
    else
        c->theta_nk += muldiv(goal - c->theta_nk, cycles, tau);
    c->leak_cycle = p->leak_cycle + muldiv((int64_t)p->leak_cycle * p->leak_ppm_per_k, c->theta_nk,
                                           1000000000000000);
    if (c->leak_cycle < 0)
        c->leak_cycle = 0;
}

void power_settle(struct mpj_chip *c, uint64_t now)
{
    c->leak_fj += (int64_t)(now - c->leak_time) * c->leak_cycle;
    c->leak_time = now;
    c->leak_cycle = c->prm.leak_cycle;
    c->theta_nk = 0;
}

/* ---- ADC ------------------------------------------------------------------ */

static uint32_t quantise(int64_t value, int64_t step)
{
    int64_t code = value < 0 ? 0 : (value + step / 2) / step;
    return code > 4095 ? 4095 : (uint32_t)code;
}

void mpj_adc_convert(struct mpj_chip *c, uint64_t now)
{
    const struct mpj_params *p = &c->prm;
    if (now > c->time)
        c->time = now;
    if (now <= c->adc_time && c->adc_primed)
        return;
    int128 energy = chip_energy(c, now);
    int64_t cycles = (int64_t)(now - c->adc_time);
    int64_t power_uw = 0;
    if (cycles > 0) /* fJ per cycle * cycles per second = fJ/s = nW/1e6 */
        power_uw = muldiv((int64_t)(energy - c->adc_energy), p->clock_hz, cycles) / 1000000000;
    c->adc_time = now;
    c->adc_energy = energy;

    /* Load line and droop. The regulator senses remotely and its output moves with the mean
     * current; a step of the current pulls it down until it has recovered. */
    int64_t ua = muldiv(power_uw, 1000000, p->supply_uv);
    if (!c->adc_primed)
        c->adc_slow_ua = ua;
    int64_t droop = (ua - c->adc_slow_ua) * p->droop_uv_per_ma / 1000;
    int64_t uv = p->supply_uv + (ua - p->supply_ref_ua) * p->supply_uv_per_ma / 1000 - droop;
    if (uv < 1)
        uv = 1;
    ua = muldiv(power_uw, 1000000, uv);
    int64_t tau = muldiv(p->droop_tau_us, p->clock_hz, 1000000);
    c->adc_slow_ua = cycles >= tau ? ua : c->adc_slow_ua + muldiv(ua - c->adc_slow_ua, cycles, tau);
    c->adc_primed = true;

    c->adc_code[0] = quantise(uv + noise(c, p->noise_v_uv), p->adc_uv_per_step);
    c->adc_code[1] = quantise(p->pll_uv + noise(c, p->noise_v_uv), p->adc_uv_per_step);
    c->adc_code[2] = quantise((ua + noise(c, p->noise_i_ua)) * 1000, p->adc_na_per_step);
    c->adc_code[3] =
        quantise((p->pll_ua + noise(c, p->noise_pll_i_ua)) * 1000, p->adc_pll_na_per_step);
    heat(c, power_uw, now);
}

uint32_t mpj_adc_period(const struct mpj_chip *c)
{
    return (uint32_t)muldiv(c->prm.adc_period_us, c->prm.clock_hz, 1000000);
}

uint32_t mpj_adc_code(const struct mpj_chip *c, unsigned channel)
{
    return channel < 4 ? c->adc_code[channel] : 0;
}

void power_reset(struct mpj_chip *c)
{
    c->leak_time = 0;
    c->leak_fj = 0;
    c->leak_cycle = c->prm.leak_cycle;
    c->theta_nk = 0;
    c->adc_time = 0;
    c->adc_energy = 0;
    c->adc_slow_ua = 0;
    c->adc_primed = false;
    memset(c->adc_code, 0, sizeof(c->adc_code));
    c->noise = c->seed ^ 0x6d706a6f756c65U;
}
