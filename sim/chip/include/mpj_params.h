/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parameters of the modelled chip, as read from a calibration file.
 *
 * The emulator's code generator may read them (struct mpj_params is constant from mpj_chip_new() to
 * mpj_chip_free()). The meaning of each, its unit and its source are given next to its value in
 * sim/calibrations; the list here gives name and accepted range only, so that no figure is written
 * twice.
 *
 * Fast paths that generated code may take instead of calling the model. Each is exactly equivalent
 * to the call it replaces:
 *
 * - data hit, fetch hit: see mpj_chip.h. - direct branch (B; BL after pushing, see below) at pc, i
 *   = (pc >> 3) & 127,
 *    branch prediction on:
 *      btac[i] == mpj_btac_entry(pc, 3) and taken, or
 *      btac[i] == mpj_btac_entry(pc, 0) and not taken:
 *        no state changes. Folded if mpj_branch_may_fold(), the kind is
 *        MPJ_BR_DIRECT and target != pc: -1 cycle, otherwise 0 extra cycles.
 *        Counts as mpj_hot_branch() does.
 *    Every other case: mpj_branch(), or the inline mpj_branch_direct() of mpj_branch.h. - call:
 *    ras_top = (ras_top + 1) & 3; ras[ras_top] = return address;
 *    ras[(ras_top - ras_depth) & 3] = 0 (unless ras_depth is 4); then the branch
 *    as above. mpj_branch() with MPJ_BR_CALL does both. - return: top = ras[ras_top]; ras[ras_top]
 *    = 0; ras_top = (ras_top - 1) & 3;
 *    (top ^ target) < 2: branch_return_right extra cycles, nothing else changes.
 *    Otherwise mpj_branch() *instead* (it pops itself). - condition-failed return or indirect
 *    branch: 0 extra cycles, no state changes.
 *    (A condition-failed BL is a not-taken direct branch and pushes nothing.) - store to a line in
 *    state M: counts as mpj_hot_store() does. Nothing but the
 *    counts depends on it.
 */
#ifndef MPJ_PARAMS_H
#define MPJ_PARAMS_H

#include <stdint.h>

/* X(field, smallest, largest accepted value) */
#define MPJ_PARAM_LIST(X)                                                                          \
    X(clock_hz, 1000000, 1000000000)                                                               \
    /* pipeline */                                                                                 \
    X(pipe_early, 0, 3)                                                                            \
    X(pipe_alu_latency, 1, 8)                                                                      \
    X(pipe_shift_reg_issue, 1, 8)                                                                  \
    X(pipe_shift_reg_latency, 1, 8)                                                                \
    X(pipe_mul_issue, 1, 16)                                                                       \
    X(pipe_mul_flags_issue, 1, 16)                                                                 \
    X(pipe_mul_latency, 1, 16)                                                                     \
    X(pipe_mull_issue, 1, 16)                                                                      \
    X(pipe_mull_flags_issue, 1, 16)                                                                \
    X(pipe_mull_latency_lo, 1, 16)                                                                 \
    X(pipe_mull_latency_hi, 1, 16)                                                                 \
    X(pipe_mul16_issue, 1, 16)                                                                     \
    X(pipe_mul16_latency, 1, 16)                                                                   \
    X(pipe_mlal16_issue, 1, 16)                                                                    \
    X(pipe_mlal16_latency_lo, 1, 16)                                                               \
    X(pipe_mlal16_latency_hi, 1, 16)                                                               \
    X(pipe_smmul_issue, 1, 16)                                                                     \
    X(pipe_smmul_latency, 1, 16)                                                                   \
    X(pipe_mul_forward, 0, 4)                                                                      \
    X(pipe_load_latency, 1, 16)                                                                    \
    X(pipe_load_slow_issue, 1, 8)                                                                  \
    X(pipe_load_slow_latency, 1, 16)                                                               \
    X(pipe_unaligned, 0, 16)                                                                       \
    X(pipe_store_lock, 0, 8)                                                                       \
    X(pipe_system_issue, 1, 32)                                                                    \
    X(pipe_system_latency, 1, 32)                                                                  \
    X(vfp_move_latency, 1, 64)                                                                     \
    X(vfp_add_latency, 1, 64)                                                                      \
    X(vfp_mul_single_issue, 1, 64)                                                                 \
    X(vfp_mul_single_latency, 1, 64)                                                               \
    X(vfp_mul_double_issue, 1, 64)                                                                 \
    X(vfp_mul_double_latency, 1, 64)                                                               \
    X(vfp_div_single_issue, 1, 64)                                                                 \
    X(vfp_div_single_latency, 1, 64)                                                               \
    X(vfp_div_double_issue, 1, 64)                                                                 \
    X(vfp_div_double_latency, 1, 64)                                                               \
    X(vfp_load_latency, 1, 64)                                                                     \
    X(vfp_from_core_latency, 1, 64)                                                                \
    X(vfp_to_core_latency, 1, 64)                                                                  \
    X(vfp_forward, 0, 4)                                                                           \
    /* branches: cycles beyond the one of the instruction itself */                                \
    X(branch_fold, 0, 2)                                                                           \
    X(fetch_buffer, 1, 16)                                                                         \
    X(branch_static_taken, 0, 32)                                                                  \
    X(branch_mispredict, 0, 32)                                                                    \
    X(branch_mispredict_min, 0, 32)                                                                \
    X(branch_return_right, 0, 32)                                                                  \
    X(branch_return_wrong, 0, 32)                                                                  \
    X(branch_return_empty, 0, 32)                                                                  \
    X(branch_return_load_wrong, 0, 32)                                                             \
    X(branch_indirect, 0, 32)                                                                      \
    X(branch_indirect_load, 0, 32)                                                                 \
    X(ras_depth, 1, 4)                                                                             \
    /* caches and coherence */                                                                     \
    X(l1i_kb, 4, 64)                                                                               \
    X(l1i_ways, 1, 8)                                                                              \
    X(l1d_kb, 4, 64)                                                                               \
    X(l1d_ways, 1, 8)                                                                              \
    X(l1_random, 0, 1)                                                                             \
    X(l1d_write_allocate, 0, 1)                                                                    \
    X(l2_kb, 0, 2048)                                                                              \
    X(l2_ways, 1, 16)                                                                              \
    X(l2_random, 0, 1)                                                                             \
    X(scu_cycles, 0, 100)                                                                          \
    X(scu_transfer_cycles, 0, 200)                                                                 \
    X(scu_upgrade_cycles, 0, 200)                                                                  \
    X(l2_hit_cycles, 0, 200)                                                                       \
    X(mem_cycles, 0, 2000)                                                                         \
    X(fetch_hide_cycles, 0, 32)                                                                    \
    X(lsu_outstanding, 1, 8)                                                                       \
    X(store_buffer_depth, 1, 16)                                                                   \
    X(port_slot_shift, 0, 10)                                                                      \
    X(port_read_slots, 1, 64)                                                                      \
    X(port_write_slots, 1, 64)                                                                     \
    X(mem_slot_shift, 0, 10)                                                                       \
    X(mem_read_slots, 1, 64)                                                                       \
    X(mem_write_slots, 1, 64)                                                                      \
    X(mem_crowd_slots, 0, 64)                                                                      \
    X(uncached_private_cycles, 0, 1000)                                                            \
    X(uncached_device_cycles, 0, 2000)                                                             \
    X(uncached_store_cycles, 0, 2000)                                                              \
    X(cache_op_cycles, 0, 1000)                                                                    \
    X(cache_all_cycles, 0, 100000)                                                                 \
    X(utlb_entries, 1, 16)                                                                         \
    X(tlb_entries, 8, 256)                                                                         \
    X(tlb_ways, 1, 8)                                                                              \
    X(utlb_refill_cycles, 0, 100)                                                                  \
    X(tlb_walk_cycles, 0, 1000)                                                                    \
    X(tlb_small_pages, 0, 1)                                                                       \
    /* energy, femtojoules (class energies are rounded to 62.5 fJ) */                              \
    X(e_class_branch, 0, 4000000)                                                                  \
    X(e_class_alu, 0, 4000000)                                                                     \
    X(e_class_shift, 0, 4000000)                                                                   \
    X(e_class_mul, 0, 4000000)                                                                     \
    X(e_class_mull, 0, 4000000)                                                                    \
    X(e_class_load, 0, 4000000)                                                                    \
    X(e_class_store, 0, 4000000)                                                                   \
    X(e_class_vfp_single, 0, 4000000)                                                              \
    X(e_class_vfp_double, 0, 4000000)                                                              \
    X(e_class_vfp_div, 0, 4000000)                                                                 \
    X(e_class_system, 0, 4000000)                                                                  \
    X(e_run_cycle, 0, 100000000)                                                                   \
    X(e_wfi_cycle, 0, 100000000)                                                                   \
    X(e_instr, 0, 100000000)                                                                       \
    X(e_ddep, -100000000, 100000000)                                                               \
    X(e_dl1_access, 0, 100000000)                                                                  \
    X(e_l1_refill, 0, 100000000)                                                                   \
    X(e_l2_access, 0, 100000000)                                                                   \
    X(e_coh_trans, -100000000, 100000000)                                                          \
    X(e_mem_transfer, 0, 100000000)                                                                \
    X(e_uncached, 0, 100000000)                                                                    \
    X(e_tlb_miss, 0, 100000000)                                                                    \
    X(e_mispredict, 0, 100000000)                                                                  \
    X(floor_cycles, 1, 1000000)                                                                    \
    X(e_shared_cycle, 0, 100000000)                                                                \
    X(e_switch, 0, 1000000)                                                                        \
    X(switch_mean_bits, 0, 480)                                                                    \
    X(e_burst, 0, 100000000)                                                                       \
    X(burst_mean_permille, 0, 1000)                                                                \
    /* leakage and heat */                                                                         \
    X(leak_cycle, 0, 100000000)                                                                    \
    X(leak_ppm_per_k, 0, 100000)                                                                   \
    X(thermal_mk_per_w, 0, 200000)                                                                 \
    X(thermal_tau_ms, 1, 10000000)                                                                 \
    X(thermal_ref_uw, 0, 10000000)                                                                 \
    /* supply and ADC */                                                                           \
    X(supply_uv, 500000, 2490000)                                                                  \
    X(supply_ref_ua, 0, 5000000)                                                                   \
    X(supply_uv_per_ma, -1000, 1000)                                                               \
    X(droop_uv_per_ma, 0, 1000)                                                                    \
    X(droop_tau_us, 1, 1000000)                                                                    \
    X(pll_uv, 500000, 2000000)                                                                     \
    X(pll_ua, 0, 1000000)                                                                          \
    X(noise_v_uv, 0, 100000)                                                                       \
    X(noise_i_ua, 0, 100000)                                                                       \
    X(noise_pll_i_ua, 0, 100000)                                                                   \
    X(adc_period_us, 1, 1000000)                                                                   \
    X(adc_uv_per_step, 1, 100000)                                                                  \
    X(adc_na_per_step, 1, 100000000)                                                               \
    X(adc_pll_na_per_step, 1, 100000000)

#define MPJ_PARAM_NAME_MAX 32U

struct mpj_params {
    char name[MPJ_PARAM_NAME_MAX]; /* the calibration's name, [A-Za-z0-9._-] */
#define MPJ_PARAM_FIELD(field, lo, hi) int32_t field;
    MPJ_PARAM_LIST(MPJ_PARAM_FIELD)
#undef MPJ_PARAM_FIELD
};

#endif
