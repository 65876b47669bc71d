/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The modelled chip of a board: makes it from the machine's properties, samples
 * the ADC and writes the truth at the end. And what QEMU's RealView EB lacks.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/mpj.h"
#include "hw/arm/mpj_board.h"
#include "hw/arm/mpj_tile.h"
#include "hw/misc/mpj_counter.h"
#include "hw/qdev-properties.h"
#include "hw/sysbus.h"
#include "migration/blocker.h"
#include "migration/vmstate.h"
#include "mpj_flow.h"
#include "mpj_functions.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "sysemu/cpu-timers.h"
#include "sysemu/reset.h"
#include "sysemu/sysemu.h"
#include "tile_limits.h"

#define DOG_BASE 0x10010000

#define MOMENTS_MAX 2000000 /* 64 MB */

/* Interrupt inputs of the EB tile's controller; ID = 32 + n. */
#define IRQ_PMU  17 /* one per core */
#define IRQ_SCU  21 /* one per monitor */
#define IRQ_L220 29

static struct {
    char *calibration;
    char *truth;
    char *profile;
    char *symbols;
    bool functions, moments, instructions;
    uint32_t waveform; /* microseconds; 0: none */
    bool time_only;
    bool fastpath;
    bool debug;
    bool start_nor;
    bool cold_ram;
    uint32_t quantum;
    uint64_t seed;
    uint32_t jitter;
    char *bound;
    char *what_if;
} config = { .fastpath = true, .quantum = TILE_QUANTUM_DEFAULT,
             .seed = TILE_SEED_DEFAULT, .jitter = TILE_JITTER_DEFAULT };

const MpjBoard mpj_board_eb = {
    .ram_max = TILE_RAM_MIB * MiB,
    .nor_base = TILE_NOR_BASE,
    .nor_banks = TILE_NOR_BANKS,
    .private_base = 0x10100000,
    .cold = true,
};

static const MpjBoard *board;

/* A run that has come to one of these in both is ended. */
static struct {
    uint64_t ns, energy_nj;
} bounds[TILE_BOUNDS_MAX];
static unsigned bounds_n;

static QEMUTimer *adc_timer;
static struct adc {
    uint64_t next; /* cycles */
} adc;
/* Open from the start: later the process may open no more files. */
static FILE *profile_file;
static Notifier exit_notifier;
static Notifier done_notifier;

/* ---- machine properties -------------------------------------------------- */

static char *get_calibration(Object *obj, Error **errp)
{
    return g_strdup(config.calibration);
}

static void set_calibration(Object *obj, const char *value, Error **errp)
{
    g_free(config.calibration);
    config.calibration = g_strdup(value);
}

static char *get_truth(Object *obj, Error **errp)
{
    return g_strdup(config.truth);
}

static void set_truth(Object *obj, const char *value, Error **errp)
{
    g_free(config.truth);
    config.truth = g_strdup(value);
}

static char *get_profile(Object *obj, Error **errp)
{
    return g_strdup(config.profile);
}

static void set_profile(Object *obj, const char *value, Error **errp)
{
    g_free(config.profile);
    config.profile = g_strdup(value);
}

static bool get_functions(Object *obj, Error **errp)
{
    return config.functions;
}

static void set_functions(Object *obj, bool value, Error **errp)
{
    config.functions = value;
}

static bool get_moments(Object *obj, Error **errp)
{
    return config.moments;
}

static void set_moments(Object *obj, bool value, Error **errp)
{
    config.moments = value;
}

static bool get_instructions(Object *obj, Error **errp)
{
    return config.instructions;
}

static void set_instructions(Object *obj, bool value, Error **errp)
{
    config.instructions = value;
}

static void get_waveform(Object *obj, Visitor *v, const char *name,
                         void *opaque, Error **errp)
{
    visit_type_uint32(v, name, &config.waveform, errp);
}

static void set_waveform(Object *obj, Visitor *v, const char *name,
                         void *opaque, Error **errp)
{
    visit_type_uint32(v, name, &config.waveform, errp);
}

static char *get_symbols(Object *obj, Error **errp)
{
    return g_strdup(config.symbols);
}

static void set_symbols(Object *obj, const char *value, Error **errp)
{
    g_free(config.symbols);
    config.symbols = g_strdup(value);
}

static char *get_model(Object *obj, Error **errp)
{
    return g_strdup(config.time_only ? "time" : "full");
}

static void set_model(Object *obj, const char *value, Error **errp)
{
    if (!g_str_equal(value, "full") && !g_str_equal(value, "time")) {
        error_setg(errp, "model=%s: expected full or time", value);
        return;
    }
    config.time_only = g_str_equal(value, "time");
}

static bool get_debug(Object *obj, Error **errp)
{
    return config.debug;
}

static void set_debug(Object *obj, bool value, Error **errp)
{
    config.debug = value;
}

static bool get_fastpath(Object *obj, Error **errp)
{
    return config.fastpath;
}

static void set_fastpath(Object *obj, bool value, Error **errp)
{
    config.fastpath = value;
}

static bool get_strict(Object *obj, Error **errp)
{
    return !MACHINE_GET_CLASS(obj)->ignore_memory_transaction_failures;
}

static void set_strict(Object *obj, bool value, Error **errp)
{
    /* The cores ask the class when they are made, which is later. */
    MACHINE_GET_CLASS(obj)->ignore_memory_transaction_failures = !value;
}

static char *get_start(Object *obj, Error **errp)
{
    return g_strdup(config.start_nor ? "nor" : "kernel");
}

static void set_start(Object *obj, const char *value, Error **errp)
{
    if (!g_str_equal(value, "kernel") && !g_str_equal(value, "nor")) {
        error_setg(errp, "start=%s: expected kernel or nor", value);
        return;
    }
    config.start_nor = g_str_equal(value, "nor");
}

static bool get_cold_ram(Object *obj, Error **errp)
{
    return config.cold_ram;
}

static void set_cold_ram(Object *obj, bool value, Error **errp)
{
    config.cold_ram = value;
}

static void get_quantum(Object *obj, Visitor *v, const char *name,
                        void *opaque, Error **errp)
{
    visit_type_uint32(v, name, &config.quantum, errp);
}

static void set_quantum(Object *obj, Visitor *v, const char *name,
                        void *opaque, Error **errp)
{
    uint32_t value;

    if (!visit_type_uint32(v, name, &value, errp)) {
        return;
    }
    if (value < TILE_QUANTUM_MIN || value > TILE_QUANTUM_MAX) {
        error_setg(errp, "quantum=%u: expected %d to %d cycles", value,
                   TILE_QUANTUM_MIN, TILE_QUANTUM_MAX);
        return;
    }
    config.quantum = value;
}

static void get_seed(Object *obj, Visitor *v, const char *name, void *opaque,
                     Error **errp)
{
    visit_type_uint64(v, name, &config.seed, errp);
}

static void set_seed(Object *obj, Visitor *v, const char *name, void *opaque,
                     Error **errp)
{
    visit_type_uint64(v, name, &config.seed, errp);
}

static void get_jitter(Object *obj, Visitor *v, const char *name, void *opaque,
                       Error **errp)
{
    visit_type_uint32(v, name, &config.jitter, errp);
}

static void set_jitter(Object *obj, Visitor *v, const char *name, void *opaque,
                       Error **errp)
{
    uint32_t value;

    if (!visit_type_uint32(v, name, &value, errp)) {
        return;
    }
    if (value > TILE_JITTER_MAX) {
        error_setg(errp, "jitter=%u: expected 0 to %d cycles", value,
                   TILE_JITTER_MAX);
        return;
    }
    config.jitter = value;
}

static char *get_bound(Object *obj, Error **errp)
{
    return g_strdup(config.bound);
}

static void set_bound(Object *obj, const char *value, Error **errp)
{
    const char *p = value;

    g_free(config.bound);
    config.bound = g_strdup(value);
    for (bounds_n = 0; bounds_n < TILE_BOUNDS_MAX; p++) {
        if (qemu_strtou64(p, &p, 10, &bounds[bounds_n].ns) != 0 ||
            *p != ':' ||
            qemu_strtou64(p + 1, &p, 10, &bounds[bounds_n].energy_nj) != 0) {
            break;
        }
        bounds_n++;
        if (*p == '\0') {
            return;
        }
        if (*p != '/') {
            break;
        }
    }
    error_setg(errp, "bound=%s: expected NANOSECONDS:NANOJOULES/..., at most %d",
               value, TILE_BOUNDS_MAX);
}

static char *get_what_if(Object *obj, Error **errp)
{
    return g_strdup(config.what_if);
}

static void set_what_if(Object *obj, const char *value, Error **errp)
{
    g_free(config.what_if);
    config.what_if = g_strdup(value);
}

void mpj_board_class_init(ObjectClass *oc)
{
    object_class_property_add_str(oc, "calibration", get_calibration,
                                  set_calibration);
    object_class_property_set_description(oc, "calibration",
        "Calibration file of the modelled chip; without it no model");
    object_class_property_add_str(oc, "truth", get_truth, set_truth);
    object_class_property_set_description(oc, "truth",
        "File for exact counts and energy, written when QEMU ends");
    object_class_property_add_str(oc, "profile", get_profile, set_profile);
    object_class_property_set_description(oc, "profile",
        "File for what functions=, moments=, instructions= and waveform= ask "
        "for, written when QEMU ends");
    object_class_property_add_bool(oc, "functions", get_functions,
                                   set_functions);
    object_class_property_set_description(oc, "functions",
        "on: exact counts and energy of functions and call paths");
    object_class_property_add_str(oc, "symbols", get_symbols, set_symbols);
    object_class_property_set_description(oc, "symbols",
        "For functions=on: file with a line for each function, see "
        "docs/profile-file.md");
    object_class_property_add_bool(oc, "moments", get_moments, set_moments);
    object_class_property_set_description(oc, "moments",
        "on, with functions=on: when threads ran and waited, and regions");
    object_class_property_add_bool(oc, "instructions", get_instructions,
                                   set_instructions);
    object_class_property_set_description(oc, "instructions",
        "on: executions and costs of each instruction");
    object_class_property_add(oc, "waveform", "uint32", get_waveform,
                              set_waveform, NULL, NULL);
    object_class_property_set_description(oc, "waveform",
        "Energy of each core in steps of so many microseconds");
    object_class_property_add_str(oc, "model", get_model, set_model);
    object_class_property_set_description(oc, "model",
        "full (default), or time: modelled time only");
    object_class_property_add_bool(oc, "fastpath", get_fastpath, set_fastpath);
    object_class_property_set_description(oc, "fastpath",
        "off: a helper call per memory access, for cross-checks");
    object_class_property_add_bool(oc, "debug", get_debug, set_debug);
    object_class_property_set_description(oc, "debug",
        "on: breakpoints and steps of -gdb change no result, at some speed");
    object_class_property_add_bool(oc, "strict", get_strict, set_strict);
    object_class_property_set_description(oc, "strict",
        "on: an access that no device answers is an external abort, as on the "
        "board; off (default): it reads zero, as QEMU's board has it");
    object_class_property_add_str(oc, "start", get_start, set_start);
    object_class_property_set_description(oc, "start",
        "nor: every core starts at the NOR flash after a reset, as with the "
        "board's flash mapped to address 0; kernel (default): at -kernel");
    object_class_property_add_bool(oc, "cold-ram", get_cold_ram, set_cold_ram);
    object_class_property_set_description(oc, "cold-ram",
        "on, with start=nor: after a reset the flash stands at address 0, and "
        "no RAM answers before its controller was set up; off (default): a "
        "Boot Monitor has done that");
    object_class_property_add(oc, "quantum", "uint32", get_quantum, set_quantum,
                              NULL, NULL);
    object_class_property_set_description(oc, "quantum",
        "Cycles one core may run ahead of the others (default "
        TILE_TEXT(TILE_QUANTUM_DEFAULT) ")");
    object_class_property_add(oc, "seed", "uint64", get_seed, set_seed, NULL,
                              NULL);
    object_class_property_set_description(oc, "seed",
        "Seed of the model's random streams (default "
        TILE_TEXT(TILE_SEED_DEFAULT) ")");
    object_class_property_add(oc, "jitter", "uint32", get_jitter, set_jitter,
                              NULL, NULL);
    object_class_property_set_description(oc, "jitter",
        "Most cycles by which a line that cores contend for is late, at random "
        "by the seed (default " TILE_TEXT(TILE_JITTER_DEFAULT) ")");
    object_class_property_add_str(oc, "bound", get_bound, set_bound);
    object_class_property_set_description(oc, "bound",
        "NANOSECONDS:NANOJOULES/...: the run ends when the measured program has "
        "come to one of these, in both");
    object_class_property_add_str(oc, "what-if", get_what_if, set_what_if);
    object_class_property_set_description(oc, "what-if",
        "File of costs that are changed");
}

/* ---- the chip ------------------------------------------------------------ */

void mpj_board_window(bool open)
{
    if (mpj_on()) {
        mpj_sync_all();
        mpj_truth_window(mpj.chip, open, mpj_device_now());
        if (mpj.insns) {
            mpj_insn_window(open);
        }
    }
}

static void write_profile(void)
{
    size_t n = 0;
    g_autofree struct mpj_prof_insn *insn = mpj.insns ? mpj_insn_list(&n)
                                                      : NULL;

    if (mpj_prof_write(mpj.chip, insn, n, profile_file) != MPJ_OK ||
        fclose(profile_file) != 0) {
        error_report("profile file %s: cannot write", config.profile);
        unlink(config.profile);
    }
}

static void write_truth(void)
{
    g_autofree char *tmp = g_strdup_printf("%s.%d", config.truth, (int)getpid());
    FILE *f = fopen(tmp, "w");
    int err;

    if (!f) {
        error_report("truth file %s: %s", tmp, strerror(errno));
        return;
    }
    err = mpj_truth_write(mpj.chip, f);
    if (fclose(f) != 0 || err) {
        error_report("truth file %s: cannot write", tmp);
        unlink(tmp);
    } else if (rename(tmp, config.truth) != 0) {
        error_report("truth file %s: %s", config.truth, strerror(errno));
        unlink(tmp);
    }
}

static void write_results(Notifier *notifier, void *data)
{
    mpj_board_window(false); /* only what is closed is written */
    if (config.truth) {
        write_truth();
    }
    if (profile_file) {
        write_profile();
    }
}

static void adc_arm(void)
{
    timer_mod_ns(adc_timer, mpj_cycles_to_ns(adc.next));
}

/*
 * Ends the run at a bound: beyond it the rest is of no use. The ADC's
 * conversions check it: all cores are at one time then, with a bound or
 * without, so that it moves nothing.
 */
static void check_bounds(uint64_t now)
{
    uint64_t cycles, energy_fj;
    unsigned i;

    mpj_truth_so_far(mpj.chip, now, &cycles, &energy_fj);
    for (i = 0; i < bounds_n; i++) {
        if (cycles > 0 && mpj_cycles_to_ns(cycles) >= bounds[i].ns &&
            energy_fj / 1000000 >= bounds[i].energy_nj) {
            mpj_truth_window(mpj.chip, false, now);
            error_printf(TILE_BOUND_PASSED "\n");
            exit(0); /* nothing of what follows is part of the result */
        }
    }
}

static void adc_tick(void *opaque)
{
    mpj_sync_all();
    mpj_adc_convert(mpj.chip, adc.next);
    check_bounds(adc.next);
    adc.next += mpj_adc_period(mpj.chip);
    adc_arm();
}

static int adc_post_load(void *opaque, int version_id)
{
    if (adc_timer) {
        adc_arm();
    }
    return 0;
}

static const VMStateDescription vmstate_adc = {
    .name = "mpj-adc",
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = adc_post_load,
    .fields = (VMStateField[]) {
        VMSTATE_UINT64(next, struct adc),
        VMSTATE_END_OF_LIST()
    }
};

uint32_t mpj_board_voltage(unsigned n)
{
    return mpj_on() ? mpj_adc_code(mpj.chip, n) << 8 : 0;
}

static void chip_reset(void *opaque)
{
    mpj_hold_reset();
    mpj_chip_reset(mpj.chip);
    if (adc_timer) {
        adc.next = mpj_device_now() + mpj_adc_period(mpj.chip);
        adc_arm();
    }
}

/* Runs after the boot code's own handlers: those put the cores to -kernel or 0. */
static void start_in_nor(void *opaque)
{
    CPUState *cs;

    CPU_FOREACH(cs) {
        cpu_set_pc(cs, config.cold_ram ? 0 : board->nor_base);
    }
}

static void machine_done(Notifier *notifier, void *data)
{
    qemu_register_reset(start_in_nor, NULL);
}

/* Returns a word of the program's memory. */
static uint32_t peek(unsigned core, uint32_t address)
{
    uint32_t word = 0;

    if (cpu_memory_rw_debug(qemu_get_cpu(core), address, &word, sizeof(word),
                            false) != 0) {
        return 0;
    }
    return le32_to_cpu(word);
}

static void profile_begin(struct mpj_chip *chip)
{
    Error *blocker = NULL;
    bool memory = true;

    if (config.time_only) {
        error_report("profile= needs model=full");
        exit(1);
    }
    if (config.moments && !config.functions) {
        error_report("moments=on needs functions=on");
        exit(1);
    }
    profile_file = fopen(config.profile, "w+");
    if (!profile_file) {
        error_report("profile file %s: %s", config.profile, strerror(errno));
        exit(1);
    }
    if (config.functions && !mpj_prof_setup(chip, config.symbols)) {
        exit(1);
    }
    if (config.moments) {
        memory = mpj_trace_moments(chip, MOMENTS_MAX, peek) == MPJ_OK;
    }
    if (config.waveform) {
        memory = memory && mpj_trace_wave(chip, config.waveform) == MPJ_OK;
    }
    if (!memory) {
        error_report("profile file %s: no memory", config.profile);
        exit(1);
    }
    if (config.instructions) {
        mpj_insn_setup();
    }
    error_setg(&blocker, "a machine with profile= cannot be saved");
    migrate_add_blocker(blocker, &error_fatal);
}

static void what_if_begin(struct mpj_chip *chip)
{
    Error *blocker = NULL;

    if (config.profile || config.time_only) {
        error_report("what-if= needs model=full, without profile=");
        exit(1);
    }
    if (!mpj_what_if_setup(chip, config.what_if)) {
        exit(1);
    }
    error_setg(&blocker, "a machine with what-if= cannot be saved");
    migrate_add_blocker(blocker, &error_fatal);
}

static void check_start(void)
{
    if (config.cold_ram && !config.start_nor) {
        error_report("cold-ram=on needs start=nor: nothing else runs then");
        exit(1);
    }
    if (config.start_nor && !board->nor_banks) {
        error_report("start=nor: this board has no NOR flash");
        exit(1);
    }
    if (config.cold_ram && !board->cold) {
        error_report("cold-ram=on: this board's memory controller is not modelled");
        exit(1);
    }
    if (config.start_nor) {
        done_notifier.notify = machine_done;
        qemu_add_machine_init_done_notifier(&done_notifier);
    }
}

void mpj_board_chip(MachineState *machine, const MpjBoard *b)
{
    struct mpj_chip *chip;
    char err[256];
    struct mpj_config c = {
        .calibration = config.calibration,
        .seed = config.seed,
        .jitter = config.jitter,
        .cores = MACHINE_GET_CLASS(machine)->max_cpus,
        .ram_base = b->ram_base,
        .ram_bytes = MIN(machine->ram_size, b->ram_max),
        .low_bytes = b->low_bytes,
        .rom_base = b->nor_base,
        .rom_bytes = b->nor_banks * TILE_NOR_BANK_MIB * MiB,
        .private_base = b->private_base,
    };

    board = b;
    check_start();
    if (!config.calibration) {
        if (config.truth || config.profile) {
            error_report("%s= needs calibration=: there is no model",
                         config.truth ? "truth" : "profile");
            exit(1);
        }
        return;
    }
    if (icount_enabled() != 1) {
        error_report("calibration= needs -icount shift=0,sleep=off");
        exit(1);
    }
    if (mpj_chip_new(&chip, &c, err, sizeof(err)) != MPJ_OK) {
        error_report("%s", err);
        exit(1);
    }
    mpj_setup(chip, !config.time_only, config.quantum);
    if (!config.fastpath) {
        mpj.fast = false;
    }
    mpj_flow_exact(chip, !mpj.fast);
    if (config.debug) {
        mpj_debug_setup();
    }
    qemu_register_reset(chip_reset, NULL);
    if (!config.time_only) {
        adc_timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, adc_tick, NULL);
    }
    vmstate_register(NULL, 0, &vmstate_adc, &adc);
    if (config.profile) {
        profile_begin(chip);
    }
    if (config.what_if) {
        what_if_begin(chip);
    }
    if (config.truth || config.profile) {
        exit_notifier.notify = write_results;
        qemu_add_exit_notifier(&exit_notifier);
    }
}

/* ---- devices ------------------------------------------------------------- */

void mpj_board_devices(DeviceState *mpcore, DeviceState *l2,
                       DeviceState *sysctl, unsigned num_cpu)
{
    DeviceState *priv = DEVICE(object_resolve_path_component(OBJECT(mpcore),
                                                             "a11priv"));
    unsigned i;

    mpj_tile_monitors(priv, num_cpu, IRQ_PMU, IRQ_SCU);
    sysbus_connect_irq(SYS_BUS_DEVICE(l2), 0,
                       qdev_get_gpio_in(priv, IRQ_L220));
    mpj_tile_watchdog(DOG_BASE);
    for (i = 0; i < TILE_NOR_BANKS; i++) {
        DeviceState *bank = mpj_tile_nor(i, board->nor_base +
                                            i * TILE_NOR_BANK_MIB * MiB);

        qdev_connect_gpio_out_named(sysctl, "flash-vpp", i,
                                    qdev_get_gpio_in_named(bank, "vpp", 0));
        if (i == 0) {
            mpj_board_memory(sysbus_mmio_get_region(SYS_BUS_DEVICE(bank), 0),
                             config.cold_ram);
        }
    }
}
