/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A campaign's data set with bytes or values changed: errors, or numbers; never a crash. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz_base.h"
#include "fuzz_file.h"
#include "models/verify.h"

#define PROGRAMS 9U

static struct fuzz_base base;

static void must(int result)
{
    if (result != MPJ_E_OK)
        abort();
}

static void record(struct mpj_dataset_writer *w, unsigned id, unsigned pass, struct mpj_err *err)
{
    static struct mpj_run run;
    static struct mpj_value counted[MPJ_RUN_EVENTS_MAX];
    struct mpj_thread_result thread = {
        .id = 1, .run_s = 0.01 * (id + 1), .cycles = 1000U * id, .ev = counted};

    memset(&run, 0, sizeof(run));
    mpj_run_columns(&run, NULL);
    run.complete = true;
    run.have_adc = id != 7;
    run.time_s = 0.1;
    run.clock_hz = 210000000;
    run.cores_mask = 1;
    run.core[0].present = run.core[0].have_wfi = true;
    run.core[0].cycles = 21000000 + (id == 6 ? pass : 0);
    run.processor.energy_uj = 60000 + 100 * id;
    run.adc_samples = 9;
    run.have_truth = true;
    run.truth.cycles = 21000000;
    run.truth.threads = 1;
    run.truth.thread = calloc(1, sizeof(*run.truth.thread));
    must(run.truth.thread == NULL);
    run.truth.thread->id = 1;
    run.truth.thread->cycles = 1000U * id;
    run.truth.thread->energy_uj = 5;
    for (unsigned e = 0; e < MPJ_RUN_EVENTS_MAX; e++)
        run.core[0].ev[e] = run.chip[e] = thread.ev[e] = (struct mpj_value){
            .present = true, .value = (uint64_t)(e + 1) * (id * id + 3 * e + 7), .coverage = 1.0};
    run.threads = 1;
    run.thread = &thread;
    must(mpj_dataset_record(w, id, pass, &run, err));
    free(run.truth.thread);
}

static void make_base(void)
{
    static const char *const label[][2] = {
        {"passes", "2"},   {"target", "sim"},       {"calibration", "mprofiler"},
        {"version", "1"},  {"generator_seed", "3"}, {"noise_seed", "4"},
        {"quantum", "50"}, {"sample_us", "1000"},   {"firmware_sha256", "00"}};
    const char *const path = fuzz_file((const uint8_t *)"", 0);
    struct mpj_dataset_writer *w;
    struct mpj_err err;

    unlink(path);
    must(mpj_dataset_open(&w, path, &err));
    for (size_t i = 0; i < sizeof(label) / sizeof(label[0]); i++)
        must(mpj_dataset_label(w, label[i][0], label[i][1], &err));
    for (unsigned i = 0; i < PROGRAMS; i++) {
        char name[16];
        const struct mpj_dataset_plan plan = {name, i % 2 ? "a" : "b", "", 1};
        snprintf(name, sizeof(name), "p%u", i);
        must(mpj_dataset_program(w, i, &plan, &err));
    }
    must(mpj_dataset_begin(w, &err));
    for (unsigned i = 0; i < PROGRAMS; i++) {
        record(w, i, 0, &err);
        if (i == 5)
            must(mpj_dataset_failure(w, i, 1, MPJ_E_TIMEOUT, "it took too long", 1, &err));
        else if (i != 4)
            record(w, i, 1, &err);
    }
    mpj_dataset_close(w);
    fuzz_base_take(&base, path);
}

static void use(struct mpj_dataset *ds)
{
    static struct mpj_model m;
    const struct mpj_model_options o = {
        .method = MPJ_METHOD_SUBSET, .max = 2, .predictors = "instr,branch,l2_access,run_cycles"};
    struct mpj_verify v;
    struct mpj_err err;
    char hash[65];
    FILE *const null = fopen("/dev/null", "w");

    if (null == NULL)
        abort();
    must(mpj_dataset_sha256(ds, hash, &err));
    must(mpj_dataset_csv(ds, null, &err));
    for (size_t i = 0; i < ds->programs; i++)
        (void)mpj_dataset_total(&ds->program[i], 0);
    if (mpj_model_fit(&m, ds, &o, &err) == MPJ_E_OK) {
        if (mpj_verify_make(&v, &m, ds, m.constant_mw, &err) == MPJ_E_OK) {
            mpj_verify_print(&v, null);
            mpj_verify_compare(&v, 1, null);
            mpj_verify_csv(&v, 1, null, &err);
            mpj_verify_svg(&v, null, &err);
        }
        mpj_verify_free(&v);
    }
    fclose(null);
}

/* The first byte says which: odd, bytes of the file are changed, else values. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpj_dataset *ds;
    struct mpj_err err;
    const char *path;

    if (size == 0)
        return 0;
    if (base.file == NULL)
        make_base();
    path = fuzz_file((const uint8_t *)"", 0);
    if (data[0] % 2U != 0)
        fuzz_base_damage(&base, path, data + 1, size - 1);
    else
        fuzz_base_change(&base, path, data + 1, size - 1);
    if (mpj_dataset_load(&ds, path, &err) == MPJ_E_OK)
        use(ds);
    else if (strchr(err.text, '\n') != NULL)
        abort();
    mpj_dataset_free(ds);
    return 0;
}

size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    const size_t n = cap < 12 ? cap : 12;

    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)rng();
    return n;
}
