/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scaling laws: the calibration of a chip of other sizes and another clock. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "explore_int.h"
#include "mpj_events.h"
#include "tile_board.h"
#include "tile_machine.h"

static const char *const law_names[] = {
    "l1_energy_size",  "l1_energy_ways", "l2_energy_size", "l2_energy_ways",  "l1_time_size",
    "l1_time_ways",    "l2_time_size",   "l2_time_ways",   "l1_array_cycles", "l1_slack",
    "l2_array_cycles", "fetch_share",    "l2_clock_share", "l2_clock_size",   "leak_arrays",
    "leak_cores",      "volt_slope",     "volt_least",     "volt_most",       "volt_leak",
    "area_core",       "area_shared",    "area_l2_logic",  "area_kb"};

/* Energies that depend on the square of the voltage, and on nothing else. */
static const char *const by_voltage[] = {
    "e_run_cycle", "e_wfi_cycle",  "e_instr",       "e_ddep",  "e_coh_trans",
    "e_tlb_miss",  "e_mispredict", "e_switch",      "e_burst", "e_dl1_access",
    "e_l1_refill", "e_l2_access",  "e_shared_cycle"};

/* Latencies that a slower L1D extends, and those that a slower L1I does. */
static const char *const of_l1d[] = {"pipe_load_latency", "pipe_load_slow_latency",
                                     "vfp_load_latency"};
static const char *const of_l1i[] = {
    "branch_static_taken",      "branch_mispredict",   "branch_mispredict_min",
    "branch_return_right",      "branch_return_wrong", "branch_return_empty",
    "branch_return_load_wrong", "branch_indirect",     "branch_indirect_load"};

/* Times of the board, which has a clock of its own. */
static const char *const of_board[] = {"mem_cycles", "uncached_device_cycles",
                                       "uncached_store_cycles"};

static double get(const json_t *o, const char *key)
{
    return json_number_value(json_object_get(o, key));
}

static void set(json_t *o, const char *key, double v)
{
    json_object_set_new(o, key, json_real(v));
}

static void times(json_t *o, const char *key, double factor)
{
    set(o, key, get(o, key) * factor);
}

/* Multiplies all energies of classes of instructions. */
static void times_classes(json_t *o, double factor)
{
    for (void *i = json_object_iter(o); i != NULL; i = json_object_iter_next(o, i)) {
        if (strncmp(json_object_iter_key(i), "e_class_", 8) == 0)
            json_object_iter_set_new(
                o, i, json_real(json_number_value(json_object_iter_value(i)) * factor));
    }
}

/* Rounds all keys: calibrations have whole numbers. */
static void round_all(json_t *o)
{
    for (void *i = json_object_iter(o); i != NULL; i = json_object_iter_next(o, i)) {
        const json_t *const v = json_object_iter_value(i);
        if (json_is_number(v))
            json_object_iter_set_new(o, i, json_real(nearbyint(json_number_value(v))));
    }
}

void run_explore_base(const json_t *calibration, unsigned board_cores, struct run_explore_chip *out)
{
    *out = (struct run_explore_chip){.l1i_kb = get(calibration, "l1i_kb"),
                                     .l1d_kb = get(calibration, "l1d_kb"),
                                     .l2_kb = get(calibration, "l2_kb"),
                                     .l1i_ways = get(calibration, "l1i_ways"),
                                     .l1d_ways = get(calibration, "l1d_ways"),
                                     .l2_ways = get(calibration, "l2_ways"),
                                     .clock_mhz = get(calibration, "clock_hz") / 1e6,
                                     .cores = board_cores,
                                     .board_cores = board_cores};
}

static bool known(const char *name)
{
    for (size_t i = 0; i < sizeof(law_names) / sizeof(law_names[0]); i++) {
        if (strcmp(law_names[i], name) == 0)
            return true;
    }
    return strcmp(name, "vary") == 0;
}

int run_explore_check_laws(const json_t *laws, const json_t *calibration, const char *file,
                           struct mpj_err *err)
{
    const char *key;
    const char *vary = json_string_value(json_object_get(laws, "vary"));
    char name[64];
    json_t *v;
    int n;

    for (size_t i = 0; i < sizeof(law_names) / sizeof(law_names[0]); i++) {
        if (json_object_get(laws, law_names[i]) == NULL)
            return mpj_err_set(err, MPJ_E_USAGE, "%s: %s is missing", file, law_names[i]);
        if (!(get(laws, law_names[i]) >= 0 && get(laws, law_names[i]) <= 1000))
            return mpj_err_set(err, MPJ_E_USAGE, "%s: %s: expected a number from 0 to 1000", file,
                               law_names[i]);
    }
    json_object_foreach((json_t *)laws, key, v)
    {
        if (!known(key))
            return mpj_err_set(err, MPJ_E_USAGE, "%s: %s: unknown law", file, key);
    }
    for (; vary != NULL && sscanf(vary, "%63s%n", name, &n) == 1; vary += n) {
        if (!json_is_number(json_object_get(calibration, name)))
            return mpj_err_set(err, MPJ_E_USAGE, "%s: vary: the calibration has no %s", file, name);
    }
    if (get(laws, "leak_arrays") + get(laws, "leak_cores") > 1)
        return mpj_err_set(err, MPJ_E_USAGE, "%s: leak_arrays and leak_cores exceed 100 %%", file);
    return MPJ_E_OK;
}

static double law(double size, double base, double by_size, double ways, double base_ways,
                  double by_ways)
{
    return pow(size / base, by_size) * pow(ways / base_ways, by_ways);
}

/* Returns the additional whole cycles of an L1 with this access time: a faster one gains
 * nothing. */
static double l1_late(const json_t *laws, double time)
{
    const double has = get(laws, "l1_array_cycles");
    const double late = ceil(has * time * (1 - get(laws, "l1_slack")) - has - 1e-9);

    return late > 0 ? late : 0;
}

static void voltage(json_t *o, const json_t *laws, double v, double clock)
{
    for (size_t i = 0; i < sizeof(by_voltage) / sizeof(by_voltage[0]); i++)
        times(o, by_voltage[i], v * v);
    times_classes(o, v * v);
    times(o, "leak_cycle", pow(v, get(laws, "volt_leak")) / clock);
    times(o, "supply_uv", v);
}

/* Scales the memory bus: a line takes the same time, in slots of which it takes at least as
 * many. */
static void memory_bus(json_t *o, double clock)
{
    static const char *const slots[] = {"mem_read_slots", "mem_write_slots", "mem_crowd_slots"};
    double shift = get(o, "mem_slot_shift");
    double scale = clock;

    while (scale >= 2 && shift < 10) {
        scale /= 2;
        shift++;
    }
    /* finer slots until rounding is within 2 % of a read */
    while (shift > 0 &&
           fabs(nearbyint(get(o, slots[0]) * scale) / (get(o, slots[0]) * scale) - 1) > 0.02) {
        scale *= 2;
        shift--;
    }
    set(o, "mem_slot_shift", shift);
    for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++)
        times(o, slots[i], scale);
}

static double leakage(const json_t *laws, const struct run_explore_chip *base,
                      const struct run_explore_chip *chip)
{
    const double bits = chip->cores * (chip->l1i_kb + chip->l1d_kb) + chip->l2_kb;
    const double base_bits = base->cores * (base->l1i_kb + base->l1d_kb) + base->l2_kb;
    const double arrays = get(laws, "leak_arrays");
    const double cores = get(laws, "leak_cores");

    return arrays * bits / base_bits + cores * chip->cores / base->cores + 1 - arrays - cores;
}

double run_explore_leaks(const json_t *calibration, const json_t *laws,
                         const struct run_explore_chip *chip)
{
    struct run_explore_chip base;
    struct run_explore_chip whole = *chip;

    run_explore_base(calibration, chip->board_cores, &base);
    whole.cores = chip->board_cores;
    return leakage(laws, &base, chip) / leakage(laws, &base, &whole);
}

double run_explore_area(const json_t *laws, const struct run_explore_chip *chip)
{
    return chip->cores * get(laws, "area_core") + get(laws, "area_shared") +
           (chip->l2_kb > 0 ? get(laws, "area_l2_logic") : 0) +
           get(laws, "area_kb") * (chip->cores * (chip->l1i_kb + chip->l1d_kb) + chip->l2_kb);
}

/* Scales energies and times of the L1s. */
static void first_level(json_t *o, const json_t *laws, const struct run_explore_chip *base,
                        const struct run_explore_chip *chip)
{
    const double energy_d = law(chip->l1d_kb, base->l1d_kb, get(laws, "l1_energy_size"),
                                chip->l1d_ways, base->l1d_ways, get(laws, "l1_energy_ways"));
    const double energy_i = law(chip->l1i_kb, base->l1i_kb, get(laws, "l1_energy_size"),
                                chip->l1i_ways, base->l1i_ways, get(laws, "l1_energy_ways"));
    const double late_d =
        l1_late(laws, law(chip->l1d_kb, base->l1d_kb, get(laws, "l1_time_size"), chip->l1d_ways,
                          base->l1d_ways, get(laws, "l1_time_ways")));
    const double late_i =
        l1_late(laws, law(chip->l1i_kb, base->l1i_kb, get(laws, "l1_time_size"), chip->l1i_ways,
                          base->l1i_ways, get(laws, "l1_time_ways")));
    const double fetch = get(laws, "fetch_share");

    times(o, "e_dl1_access", energy_d);
    times(o, "e_l1_refill", (energy_d + energy_i) / 2);
    times_classes(o, 1 - fetch + fetch * energy_i);
    for (size_t i = 0; i < sizeof(of_l1d) / sizeof(of_l1d[0]); i++)
        set(o, of_l1d[i], get(o, of_l1d[i]) + late_d);
    for (size_t i = 0; i < sizeof(of_l1i) / sizeof(of_l1i[0]); i++)
        set(o, of_l1i[i], get(o, of_l1i[i]) + late_i);
}

/* Scales the L2, or removes it: accesses that pass through it are then as fast as its ports. A
 * board without one has no other either. */
static void second_level(json_t *o, const json_t *laws, const struct run_explore_chip *base,
                         const struct run_explore_chip *chip)
{
    const bool none = chip->l2_kb <= 0;
    const double hit = get(o, "l2_hit_cycles");
    const double array = fmin(get(laws, "l2_array_cycles"), hit);
    const double walk = get(o, "tlb_walk_cycles");
    const double reach = fmin(1, walk / hit); /* share of the descriptors that come from the L2 */
    const double share = get(laws, "l2_clock_share");
    const double slower = none ? 0
                               : law(chip->l2_kb, base->l2_kb, get(laws, "l2_time_size"),
                                     chip->l2_ways, base->l2_ways, get(laws, "l2_time_ways"));
    const double clock = none ? 0 : pow(chip->l2_kb / base->l2_kb, get(laws, "l2_clock_size"));

    if (base->l2_kb <= 0)
        return;
    set(o, "l2_hit_cycles", hit - array + array * slower);
    set(o, "tlb_walk_cycles",
        walk + reach * (get(o, "l2_hit_cycles") - hit + (none ? get(o, "mem_cycles") : 0)));
    if (!none)
        times(o, "e_l2_access",
              law(chip->l2_kb, base->l2_kb, get(laws, "l2_energy_size"), chip->l2_ways,
                  base->l2_ways, get(laws, "l2_energy_ways")));
    times(o, "e_shared_cycle", 1 - share + share * clock);
}

json_t *run_explore_scale(const json_t *calibration, const json_t *laws,
                          const struct run_explore_chip *chip, struct mpj_err *err)
{
    struct run_explore_chip base;
    struct run_explore_chip whole = *chip;
    json_t *const o = json_copy((json_t *)calibration);
    double clock;
    double v;

    run_explore_base(calibration, chip->board_cores, &base);
    clock = chip->clock_mhz / base.clock_mhz;
    v = fmax(1 - get(laws, "volt_slope") * (1 - clock), get(laws, "volt_least"));
    if (v > get(laws, "volt_most")) {
        mpj_err_set(err, MPJ_E_USAGE,
                    "clock_mhz=%g needs %.2f of the calibration's voltage; volt_most is %g",
                    chip->clock_mhz, v, get(laws, "volt_most"));
        json_decref(o);
        return NULL;
    }
    set(o, "clock_hz", chip->clock_mhz * 1e6);
    for (size_t i = 0; i < sizeof(of_board) / sizeof(of_board[0]); i++)
        times(o, of_board[i], clock);
    memory_bus(o, clock);
    first_level(o, laws, &base, chip);
    second_level(o, laws, &base, chip);
    whole.cores = chip->board_cores; /* the emulator has them all */
    times(o, "leak_cycle", leakage(laws, &base, &whole));
    voltage(o, laws, v, clock);
    set(o, "l1i_kb", chip->l1i_kb);
    set(o, "l1d_kb", chip->l1d_kb);
    set(o, "l2_kb", chip->l2_kb);
    set(o, "l1i_ways", chip->l1i_ways);
    set(o, "l1d_ways", chip->l1d_ways);
    set(o, "l2_ways", chip->l2_ways);
    round_all(o);
    return o;
}

bool run_explore_untimed(const char *key)
{
    return strncmp(key, "e_", 2) == 0 || strncmp(key, "leak_", 5) == 0 ||
           strncmp(key, "supply_", 7) == 0;
}

/* ---- energy from counts ---------------------------------------------------------------------- */

struct term {
    const char *key;
    double n;
};

#define TERMS 12

static double event(const json_t *figures, unsigned row)
{
    size_t rows;

    return get(figures, mpj_event_table(&rows)[row].name);
}

/* Lists the core counts, each with the key of its cost. Uncached accesses, which are few, and the
 * classes and switching of instructions are left over. */
static void count(const json_t *f, struct term t[TERMS])
{
    const double reads = event(f, MPJ_ROW_L2_DRREQ) + event(f, MPJ_ROW_L2_IRREQ);
    const double l2 = reads + event(f, MPJ_ROW_L2_DWREQ);
    const double misses = event(f, MPJ_ROW_DCACHE_RD_MISS) + event(f, MPJ_ROW_DCACHE_WR_MISS);
    const double beyond = l2 > 0 ? reads - event(f, MPJ_ROW_L2_DRHIT) - event(f, MPJ_ROW_L2_IRHIT) +
                                       event(f, MPJ_ROW_L2_CASTOUT)
                                 : event(f, MPJ_ROW_SCU_EXT_RD) + event(f, MPJ_ROW_SCU_EXT_WR);
    const struct term all[TERMS] = {
        {"e_run_cycle", get(f, "exact_run")},
        {"e_wfi_cycle", get(f, "exact_wfi")},
        {"e_instr", event(f, MPJ_ROW_INSTR)},
        {"e_ddep", event(f, MPJ_ROW_DDEP_STALL)},
        {"e_dl1_access", event(f, MPJ_ROW_DCACHE_RD) + event(f, MPJ_ROW_DCACHE_WR)},
        {"e_l1_refill", event(f, MPJ_ROW_ICACHE_MISS) + misses},
        {"e_l2_access", l2},
        {"e_coh_trans", misses},
        {"e_mem_transfer", beyond},
        {"e_tlb_miss", event(f, MPJ_ROW_TLB_MISS)},
        {"e_mispredict", event(f, MPJ_ROW_BRANCH_MISPRED)},
        {"e_shared_cycle", get(f, "exact_cycles")},
    };
    memcpy(t, all, sizeof(all));
}

static double ratio(double a, double b)
{
    return b != 0 ? a / b : 1;
}

double run_explore_energy(const json_t *f, const json_t *ran, const json_t *now,
                          const struct run_explore_chip *chip, double leaks)
{
    struct term t[TERMS];
    double rest = (get(f, "exact_energy") - get(f, "exact_shared")) * 1e15;
    double sum = 0;
    double leak = get(f, "exact_shared") * 1e15;
    double absent = 0;
    char name[32];

    count(f, t);
    for (unsigned i = 0; i < TERMS; i++) {
        if (i < TERMS - 1)
            rest -= t[i].n * get(ran, t[i].key);
        else
            leak -= t[i].n * get(ran, t[i].key);
        sum += t[i].n * get(now, t[i].key);
    }
    for (unsigned core = chip->cores; core < chip->board_cores; core++) {
        snprintf(name, sizeof(name), "exact_core%u", core);
        absent += get(f, name) * 1e15;
    }
    return (sum + rest * ratio(get(now, "e_class_alu"), get(ran, "e_class_alu")) +
            leak * ratio(get(now, "leak_cycle"), get(ran, "leak_cycle")) * leaks -
            absent * ratio(get(now, "e_wfi_cycle"), get(ran, "e_wfi_cycle"))) *
           1e-15;
}
