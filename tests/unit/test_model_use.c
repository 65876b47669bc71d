/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A model's energy of cores, threads and regions; models by name; what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "models/model.h"

static void near(double a, double b)
{
    assert_true(fabs(a - b) < 1e-6 * fabs(b) + 1e-9);
}

static struct mpj_err err;
static struct mpj_run run;
static char mprofiler[] = "mprofiler", epro_mp[] = "epro-mp";
static struct mpj_thread_result thread[2];
static struct mpj_region_part part;
static struct mpj_value counted[3][MPJ_RUN_EVENTS_MAX]; /* by threads and part */
static struct mpj_region_result region;

static struct mpj_value is(uint64_t v)
{
    return (struct mpj_value){.present = true, .value = v, .coverage = 1.0};
}

static void put(struct mpj_value *ev, const char *name, uint64_t v)
{
    ev[mpj_event_index(name)] = is(v);
}

/* 400 mW, 1 nJ an instruction, 10 nJ an L220 request, 2 nJ a coherent linefill. */
static struct mpj_model model(void)
{
    struct mpj_model m = {.name = "m", .calibration = "mprofiler", .constant_mw = 400, .terms = 3};
    static const char *const names[] = {"instr", "l2_access", "coh_trans"};
    static const double c[] = {1e-6, 1e-5, 2e-6};

    for (unsigned i = 0; i < 3; i++)
        m.term[i] = (struct mpj_model_term){
            .predictor = mpj_predictor_find(names[i]), .c = c[i], .low = 0, .high = 1e9};
    m.max_error_percent = 1;
    return m;
}

static void misses(struct mpj_value *ev, uint64_t instr, uint64_t lines)
{
    put(ev, "instr", instr);
    put(ev, "dcache_rd_miss", lines);
    put(ev, "dcache_wr_miss", 0);
    put(ev, "icache_miss", 0);
    put(ev, "dcache_evict", 0);
}

/* Half a second; thread 1 on core 0 all the time with 3000 linefills, thread 2 on core 1 for a
 * fifth of a second with 1000. */
static void make_run(void)
{
    memset(&run, 0, sizeof(run));
    memset(thread, 0, sizeof(thread));
    memset(counted, 0, sizeof(counted));
    mpj_run_columns(&run, NULL);
    run.complete = true;
    run.time_s = 0.5;
    run.clock_hz = 210000000;
    run.cores = 4;
    run.have_adc = true;
    run.calibration = mprofiler;
    for (unsigned k = 0; k < 4; k++) {
        run.core[k].present = run.core[k].have_wfi = true;
        run.core[k].cycles = 105000000;
        run.core[k].wfi_cycles = k == 0 ? 0 : k == 1 ? 63000000 : 105000000;
        misses(run.core[k].ev,
               k == 0   ? 5000000
               : k == 1 ? 2000000
                        : 0,
               k == 0   ? 3000
               : k == 1 ? 1000
                        : 0);
        put(run.chip,
            k == 0   ? "scu_miss_cpu0"
            : k == 1 ? "scu_miss_cpu1"
            : k == 2 ? "scu_miss_cpu2"
                     : "scu_miss_cpu3",
            k == 0   ? 3000
            : k == 1 ? 1000
                     : 0);
        put(run.chip,
            k == 0   ? "scu_c2c_cpu0"
            : k == 1 ? "scu_c2c_cpu1"
            : k == 2 ? "scu_c2c_cpu2"
                     : "scu_c2c_cpu3",
            0);
    }
    put(run.chip, "l2_drreq", 4000);
    put(run.chip, "l2_dwreq", 0);
    put(run.chip, "l2_irreq", 0);
    thread[0] =
        (struct mpj_thread_result){.id = 1, .run_s = 0.5, .cycles = 105000000, .ev = counted[0]};
    thread[1] =
        (struct mpj_thread_result){.id = 2, .run_s = 0.2, .cycles = 42000000, .ev = counted[1]};
    misses(thread[0].ev, 5000000, 3000);
    misses(thread[1].ev, 2000000, 1000);
    run.threads = 2;
    run.thread = thread;
    part =
        (struct mpj_region_part){.thread = 2, .run_s = 0.1, .cycles = 21000000, .ev = counted[2]};
    misses(part.ev, 1000000, 500);
    region = (struct mpj_region_result){.parts = 1, .part = &part, .energy_uj = 99};
    run.regions = 1;
    run.region = &region;
}

static void energy(void **state)
{
    const struct mpj_model m = model();
    /* 400 mW * 0.5 s + 7 mJ + 40 uJ + 8 uJ; the ADC says 5 % less */
    const double all = 200e3 + 7e3 + 40 + 8;

    (void)state;
    make_run();
    run.processor.energy_uj = all / 1.05;
    assert_int_equal(mpj_model_apply(&m, &run, &err), MPJ_E_OK);
    assert_true(run.model.present);
    assert_string_equal(run.model.name, "m");
    assert_string_equal(run.model.outside, "");
    near(run.model.energy_uj, all);
    near(run.model.adc_percent, 5);
    near(run.model.stated_percent, 1);
    near(run.core[0].energy_uj, 50e3 + 5e3 + 30 + 6);
    near(run.core[1].energy_uj, 50e3 + 2e3 + 10 + 2);
    near(run.core[3].energy_uj, 50e3);
    near(thread[0].energy_uj, 50e3 + 5e3 + 30 + 6);
    near(thread[1].energy_uj, 20e3 + 2e3 + 10 + 2);
    near(run.idle_energy_uj, all - thread[0].energy_uj - thread[1].energy_uj);
    near(part.energy_uj, 10e3 + 1e3 + 5 + 1);
    near(region.energy_uj, part.energy_uj);
}

/* Half of an interval: a share of what is above the constant, and of 4 mW for the board's cores. */
static void intervals(void **state)
{
    struct mpj_model m = model();

    (void)state;
    make_run();
    assert_int_equal(mpj_model_apply(&m, &run, &err), MPJ_E_OK);
    assert_true(isnan(run.model.interval_uj)); /* the model has none */
    assert_true(isnan(mpj_run_interval_uj(&run, 1e3, 21000000)));
    m.interval =
        (struct mpj_model_interval){.level = 0.95, .least_mw = 4, .share = {0.1, 0.2, 0.3}};
    assert_int_equal(mpj_model_apply(&m, &run, &err), MPJ_E_OK);
    near(run.model.interval.level, 0.95);
    near(run.model.interval_uj, 0.1 * (7e3 + 40 + 8 + 4 * 500));
    near(mpj_run_interval_uj(&run, thread[1].energy_uj, thread[1].cycles),
         0.2 * (2e3 + 10 + 2 + 200));
    near(mpj_run_interval_uj(&run, part.energy_uj, part.cycles), 0.2 * (1e3 + 5 + 1 + 100));
    /* a function of 10 ms: a quarter of the constant, 50 uJ of events */
    near(mpj_interval_uj(&run.model.interval, MPJ_OF_FUNCTION, 1050, 0.01), 0.3 * (50 + 10));
    /* less than the constant: nothing is dynamic */
    near(mpj_interval_uj(&run.model.interval, MPJ_OF_FUNCTION, 900, 0.01), 0.3 * 10);
    assert_true(isnan(mpj_interval_uj(&run.model.interval, MPJ_OF_THREAD, NAN, 0.01)));
    m.interval.share[MPJ_OF_FUNCTION] = NAN;
    assert_int_equal(mpj_model_apply(&m, &run, &err), MPJ_E_OK);
    assert_true(isnan(mpj_interval_uj(&run.model.interval, MPJ_OF_FUNCTION, 1050, 0.01)));
}

/* A thread that ran without being counted has no energy; one that did not run has none to have. */
static void unknown(void **state)
{
    const struct mpj_model m = model();

    (void)state;
    make_run();
    memset(counted, 0, sizeof(counted));
    thread[1] = (struct mpj_thread_result){.id = 2};
    assert_int_equal(mpj_model_apply(&m, &run, &err), MPJ_E_OK);
    assert_true(isnan(thread[0].energy_uj) && isnan(run.idle_energy_uj));
    assert_true(thread[1].energy_uj == 0);
}

/* Without the four miss counters the next best is taken. */
static void shares(void **state)
{
    const struct mpj_model m = model();
    bool want[MPJ_RUN_EVENTS_MAX] = {false};
    unsigned n = 0;

    (void)state;
    make_run();
    for (unsigned k = 0; k < 4; k++)
        run.core[k].ev[mpj_event_index("icache_miss")].present = false;
    assert_int_equal(mpj_model_apply(&m, &run, &err), MPJ_E_OK);
    near(run.core[0].energy_uj, 50e3 + 5e3 + 40 * 105.0 / 147 + 6); /* by cycles */
    near(thread[1].energy_uj, 20e3 + 2e3 + 40 * 42.0 / 147 + 2);    /* by cycles */
    mpj_model_events(&m, want);
    for (unsigned e = 0; e < MPJ_RUN_EVENTS_MAX; e++)
        n += want[e];
    assert_int_equal(n, 1 + 3 + 8 + 4);
    assert_true(want[mpj_event_index("scu_c2c_cpu3")] && want[mpj_event_index("dcache_evict")]);
}

/* What another core had needs no request to the L220: half of core 0's linefills. */
static void transfers(void **state)
{
    const struct mpj_model m = model();

    (void)state;
    make_run();
    put(run.chip, "scu_miss_cpu0", 1500);
    put(run.chip, "scu_c2c_cpu0", 1500);
    put(run.chip, "l2_drreq", 2500);
    thread[0].core_run_s[0] = 0.5;
    thread[1].core_run_s[1] = 0.2;
    assert_int_equal(mpj_model_apply(&m, &run, &err), MPJ_E_OK);
    near(run.core[0].energy_uj, 50e3 + 5e3 + 15 + 6);
    near(thread[0].energy_uj, 50e3 + 5e3 + 15 + 6);
    near(thread[1].energy_uj, 20e3 + 2e3 + 10 + 2);
}

/* Thread 2's linefills all come from another core, thread 1's do not: on one core, but counted. */
static void counted_transfers(void **state)
{
    const struct mpj_model m = model();

    (void)state;
    make_run();
    thread[0].core_run_s[0] = 0.5;
    thread[1].core_run_s[0] = 0.2;
    put(run.chip, "scu_miss_cpu0", 3000);
    put(run.chip, "scu_c2c_cpu0", 1000);
    put(run.chip, "scu_miss_cpu1", 0);
    put(run.chip, "l2_drreq", 3000);
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned k = 0; k < 4; k++) {
            char name[2][16];
            snprintf(name[0], sizeof(name[0]), "scu_miss_cpu%u", k);
            snprintf(name[1], sizeof(name[1]), "scu_c2c_cpu%u", k);
            put(thread[i].ev, name[0], i == 0 && k == 0 ? 3000 : 0);
            put(thread[i].ev, name[1], i == 1 && k == 0 ? 1000 : 0);
        }
    }
    assert_int_equal(mpj_model_apply(&m, &run, &err), MPJ_E_OK);
    near(thread[0].energy_uj, 50e3 + 5e3 + 30 + 6);
    near(thread[1].energy_uj, 20e3 + 2e3 + 0 + 2);
    near(part.energy_uj, 10e3 + 1e3 + 0 + 1); /* as its thread's */
}

/* What is written to the L2 beyond evictions is dirty lines that somebody else reads. */
static void written_back(void **state)
{
    const struct mpj_model m = model();

    (void)state;
    make_run();
    thread[0].core_run_s[0] = 0.5;
    thread[1].core_run_s[1] = 0.2;
    put(run.core[1].ev, "dcache_rd_miss", 3000);
    put(thread[1].ev, "dcache_rd_miss", 3000);
    put(run.chip, "scu_c2c_cpu1", 2000);
    put(run.chip, "l2_dwreq", 2000);
    assert_int_equal(mpj_model_apply(&m, &run, &err), MPJ_E_OK);
    near(thread[0].energy_uj, 50e3 + 5e3 + 30 + 6);
    near(thread[1].energy_uj, 20e3 + 2e3 + 30 + 6);
}

/* All events of cores but one were counted in a second pass, in which threads ran elsewhere. */
static void passes(void **state)
{
    const struct mpj_model m = model();

    (void)state;
    make_run();
    run.passes = 2;
    for (unsigned k = 0; k < 4; k++) {
        for (unsigned e = 0; e < MPJ_RUN_EVENTS_MAX; e++)
            run.core[k].ev[e].pass = 1;
        run.core[k].wfi_cycles = k == 2 ? 0 : k == 0 ? 105000000 : 84000000;
    }
    thread[0].core_run_s[2] = 0.5;
    thread[1].core_run_s[1] = 0.1;
    thread[1].core_run_s[3] = 0.1;
    put(run.chip, "scu_miss_cpu0", 0);
    put(run.chip, "scu_miss_cpu1", 500);
    put(run.chip, "scu_miss_cpu2", 3000);
    put(run.chip, "scu_miss_cpu3", 500);
    assert_int_equal(mpj_model_apply(&m, &run, &err), MPJ_E_OK);
    near(run.core[2].energy_uj, 50e3 + 5e3 + 30 + 6);
    near(run.core[3].energy_uj, 50e3 + 1e3 + 5 + 1);
    near(run.core[0].energy_uj, 50e3);
    /* the first pass counted reads: on core 3 thread 2 did three times as many as on core 1; of a
     * few, as of somebody who polls, nothing follows */
    for (unsigned k = 0; k < 4; k++)
        put(run.core[k].ev, "dcache_rd", k == 2 ? 10 : k == 1 ? 1 : k == 3 ? 3 : 0);
    put(thread[0].ev, "dcache_rd", 10);
    put(thread[1].ev, "dcache_rd", 4);
    assert_int_equal(mpj_model_apply(&m, &run, &err), MPJ_E_OK);
    near(run.core[3].energy_uj, 50e3 + 1e3 + 5 + 1);
    for (unsigned k = 0; k < 4; k++)
        put(run.core[k].ev, "dcache_rd", k == 2 ? 2000000 : k == 1 ? 200000 : k == 3 ? 600000 : 0);
    put(thread[0].ev, "dcache_rd", 2000000);
    put(thread[1].ev, "dcache_rd", 800000);
    assert_int_equal(mpj_model_apply(&m, &run, &err), MPJ_E_OK);
    near(run.core[2].energy_uj, 50e3 + 5e3 + 30 + 6);
    near(run.core[3].energy_uj, 50e3 + 1.5e3 + 5 + 1);
    near(run.core[1].energy_uj, 50e3 + 0.5e3 + 5 + 1);
    /* and where its linefills were */
    for (unsigned k = 0; k < 4; k++) {
        char name[2][16];
        snprintf(name[0], sizeof(name[0]), "scu_miss_cpu%u", k);
        snprintf(name[1], sizeof(name[1]), "scu_c2c_cpu%u", k);
        put(run.chip, name[0], k == 2 ? 3000 : k == 3 ? 1000 : 0);
        put(thread[0].ev, name[0], k == 2 ? 3000 : 0);
        put(thread[1].ev, name[0], k == 3 ? 1000 : 0);
        put(thread[0].ev, name[1], 0);
        put(thread[1].ev, name[1], 0);
    }
    assert_int_equal(mpj_model_apply(&m, &run, &err), MPJ_E_OK);
    near(run.core[3].energy_uj, 50e3 + 1.5e3 + 10 + 2);
    near(run.core[1].energy_uj, 50e3 + 0.5e3);
}

static void refused(void **state)
{
    struct mpj_model m = model();

    (void)state;
    make_run();
    run.core[2].ev[mpj_event_index("instr")].present = false;
    assert_int_equal(mpj_model_apply(&m, &run, &err), MPJ_E_USAGE);
    assert_string_equal(err.text, "the run did not count what model m needs of it: instr (instr)");
    assert_false(run.model.present);
    make_run();
    run.calibration = epro_mp;
    assert_int_equal(mpj_model_apply(&m, &run, &err), MPJ_E_USAGE);
    assert_string_equal(err.text,
                        "model m was fitted to calibration mprofiler, the run had epro-mp");
    m.calibration[0] = '\0'; /* a published one */
    assert_int_equal(mpj_model_apply(&m, &run, &err), MPJ_E_OK);
    make_run();
    run.complete = false;
    assert_int_equal(mpj_model_apply(&m, &run, &err), MPJ_E_USAGE);
    make_run();
    m.term[1].high = 10;
    assert_int_equal(mpj_model_apply(&m, &run, &err), MPJ_E_OK);
    assert_string_equal(run.model.outside, "l2_access");
}

/* What the emulator knows: the core's own energy, and a quarter of the rest for the time. */
static void truth(void **state)
{
    __typeof__(*run.truth.thread) t = {.id = 2, .cycles = 42000000, .energy_uj = 3000};
    struct mpj_dataset_program p;

    (void)state;
    make_run();
    run.have_truth = true;
    run.truth.cycles = 105000000;
    run.truth.shared_energy_uj = 100000;
    run.truth.core[1].energy_uj = 4000;
    run.truth.threads = 1;
    run.truth.thread = &t;
    assert_int_equal(mpj_model_program(&p, &run, &err), MPJ_E_OK);
    near(mpj_thread_truth_uj(&p, &p.thread[1]), 3000 + 10000);
    assert_true(isnan(mpj_thread_truth_uj(&p, &p.thread[0])));
    near(mpj_core_truth_uj(&p, 1), 29000);
    mpj_dataset_program_clear(&p);
    run.machine.cores = 2; /* of two cores each has half */
    assert_int_equal(mpj_model_program(&p, &run, &err), MPJ_E_OK);
    near(mpj_thread_truth_uj(&p, &p.thread[1]), 3000 + 20000);
    near(mpj_core_truth_uj(&p, 1), 4000 + 50000);
    mpj_dataset_program_clear(&p);
}

static void by_name(void **state)
{
    char root[] = "/tmp/mpjoule-models-XXXXXX";
    char path[80];
    struct mpj_model m = model();
    struct mpj_model out;
    bool found;
    FILE *f;

    (void)state;
    assert_non_null(mkdtemp(root));
    assert_int_equal(mpj_model_find(&out, root, "m", &err), MPJ_E_USAGE);
    assert_string_equal(err.text, "unknown model \"m\" (known: none)");
    assert_int_equal(mpj_model_default(&out, &found, root, "sim", "mprofiler", &err), MPJ_E_OK);
    assert_false(found);
    snprintf(path, sizeof(path), "%s/fitted", root);
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(path, sizeof(path), "%s/fitted/m.json", root);
    snprintf(m.target, sizeof(m.target), "sim");
    snprintf(m.method, sizeof(m.method), "paper");
    assert_int_equal(mpj_model_save(&m, path, &err), MPJ_E_OK);
    assert_int_equal(mpj_model_find(&out, root, "m", &err), MPJ_E_OK);
    assert_int_equal(mpj_model_find(&out, root, path, &err), MPJ_E_OK);
    assert_int_equal(mpj_model_find(&out, root, "x", &err), MPJ_E_USAGE);
    assert_string_equal(err.text, "unknown model \"x\" (known: m)");
    assert_int_equal(mpj_model_default(&out, &found, root, "sim", "mprofiler", &err), MPJ_E_OK);
    assert_true(found);
    assert_int_equal(mpj_model_default(&out, &found, root, "sim", "epro-mp", &err), MPJ_E_OK);
    assert_false(found);
    assert_int_equal(mpj_model_default(&out, &found, root, "eb1", "mprofiler", &err), MPJ_E_OK);
    assert_false(found);
    f = fopen(path, "we");
    assert_non_null(f);
    fputs("{\"format\":\"mpjoule-model/7\"}", f);
    fclose(f);
    assert_int_equal(mpj_model_default(&out, &found, root, "sim", "mprofiler", &err), MPJ_E_STORE);
    assert_non_null(strstr(err.text, "mpjoule-model/7"));
    unlink(path);
    *strrchr(path, '/') = '\0';
    rmdir(path);
    rmdir(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy),    cmocka_unit_test(intervals),
        cmocka_unit_test(unknown),   cmocka_unit_test(shares),
        cmocka_unit_test(transfers), cmocka_unit_test(counted_transfers),
        cmocka_unit_test(passes),    cmocka_unit_test(written_back),
        cmocka_unit_test(refused),   cmocka_unit_test(truth),
        cmocka_unit_test(by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
