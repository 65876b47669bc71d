/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Boards that describe themselves: from logs made here to stores, figures, JSON, text and page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>
#include <sqlite3.h>

#include "log_maker.h"
#include "mpj_machine_record.h"
#include "report/energy.h"
#include "report/machine.h"
#include "report/report.h"
#include "report/store.h"
#include "test_dir.h"

static struct mpj_err err;
static const char *const logs[] = {"a.mplog"};

/* Two cores, two ranges of RAM, nothing that measures power. */
static const struct tile_machine plain = {
    .name = "made-up",
    .platform = "made-up-machine",
    .title = "A board \"nobody\" owns",
    .chip = "arm11mpcore",
    .cores = 2,
    .core_hz = 800000000,
    .private_base = 0x47000000,
    .start = {TILE_START_PEN, 0x44e000c4, 0x44e000c8},
    .rams = 2,
    .ram = {{0x60000000, 0x4000000}, {0x66000000, 0x2000000}},
    .time = {0x44400204, 6250000, 24, 1},
    .uart = {TILE_UART_16550, 0x44200000, 1, 6250000, TILE_DIVISOR_8THS, 55},
};

/* The same with a voltage and a current of its memory, and the power of the whole board. */
static struct tile_machine metered(void)
{
    struct tile_machine m = plain;

    m.powers = 3;
    m.power[0] =
        (struct tile_power_channel){TILE_QUANTITY_POWER, 375000000, 16, "board_p", "whole board"};
    m.power[1] = (struct tile_power_channel){TILE_QUANTITY_VOLTAGE, 1250000, 15, "ddr_v", "ddr"};
    m.power[2] = (struct tile_power_channel){TILE_QUANTITY_CURRENT, 1000000, 15, "ddr_i", "ddr"};
    return m;
}

static void build(void)
{
    assert_int_equal(mpj_store_build("r.mpj", logs, 1, NULL, &err), 0);
}

static struct mpj_run *load(void)
{
    struct mpj_run *run = NULL;

    assert_int_equal(mpj_run_load(&run, "r.mpj", &err), 0);
    return run;
}

static void sql(const char *text)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open("r.mpj", &db), SQLITE_OK);
    if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", text, sqlite3_errmsg(db));
    sqlite3_close(db);
}

static void counters(uint32_t cores)
{
    struct mpj_chip_rec chip = {.flags = 1, .time = 1, .count = 2};

    for (uint32_t k = 0; k < cores; k++) {
        const struct mpj_core_rec c = {.core = k,
                                       .flags = 1,
                                       .time = 1,
                                       .cycles = 1000 + k,
                                       .count = 1,
                                       .ev = {{MPJ_EVENT_INSTR, 700 + k, 50000}}};

        log_data(mpj_core_put(log_payload(), &c));
    }
    chip.ev[0] = (struct mpj_event_value){MPJ_EVENT_SCU_C2C_CPU1, 5, 50000};
    chip.ev[1] = (struct mpj_event_value){MPJ_EVENT_SCU_C2C_CPU3, 0, 50000}; /* no such core */
    log_data(mpj_chip_put(log_payload(), MPJ_REC_SCU, &chip));
}

static void thread(void)
{
    struct mpj_thread_rec t = {.id = 1,
                               .flags = MPJ_THREAD_MAIN,
                               .entry = 0x8000,
                               .created = 100000,
                               .ended = 150000,
                               .run = 50000,
                               .cycles = 900};
    const struct mpj_parallel_rec parallel = {{10000, 30000, 10000, 0, 0}};

    t.core_run[1] = 50000;
    log_data(mpj_thread_put(log_payload(), &t));
    log_data(mpj_parallel_put(log_payload(), &parallel));
}

/* Two cores, no power: what every view is made of. */
static void two_cores(void)
{
    log_begin_on("a.mplog", "sim", 100000, 2, &plain);
    counters(2);
    thread();
    log_end(150000, 0);
    build();
}

static char *text_of(int (*put)(FILE *f))
{
    char *out = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&out, &size);

    assert_non_null(f);
    assert_int_equal(put(f), 0);
    fclose(f);
    return out;
}

static struct mpj_run *shown;

static int put_text(FILE *f)
{
    return mpj_report_text(shown, "summary", f, &err);
}

static int put_threads(FILE *f)
{
    return mpj_report_text(shown, "threads", f, &err);
}

static int put_json(FILE *f)
{
    return mpj_report_json(shown, f, &err);
}

static unsigned count(const char *text, const char *words)
{
    unsigned n = 0;

    for (const char *p = text; (p = strstr(p, words)) != NULL; p++)
        n++;
    return n;
}

static void kept(void **state)
{
    struct mpj_run *run;

    (void)state;
    two_cores();
    run = load();
    assert_true(run->machine_stated);
    assert_memory_equal(&run->machine, &plain, sizeof(plain));
    assert_int_equal(mpj_run_cores(run), 2);
    assert_int_equal(run->supplies.count, 0);
    assert_true(run->chip[mpj_event_index("scu_c2c_cpu1")].present);
    assert_false(run->chip[mpj_event_index("scu_c2c_cpu3")].present);
    mpj_run_free(run);
}

static void texts(void **state)
{
    char *text;

    (void)state;
    two_cores();
    shown = load();
    text = text_of(put_text);
    assert_int_equal(count(text, "not measured here"), 1);
    assert_non_null(strstr(text, "emulated A board \"nobody\" owns, 2 cores"));
    assert_null(strstr(text, "core 2"));
    free(text);
    text = text_of(put_threads);
    assert_null(strstr(text, "core 2"));
    free(text);
    mpj_run_free(shown);
}

static void json(void **state)
{
    json_t *root;
    json_t *m;
    char *text;

    (void)state;
    two_cores();
    shown = load();
    text = text_of(put_json);
    root = json_loads(text, 0, NULL);
    assert_non_null(root);
    m = json_object_get(root, "machine");
    assert_string_equal(json_string_value(json_object_get(m, "name")), "made-up");
    assert_string_equal(json_string_value(json_object_get(json_object_get(m, "start"), "kind")),
                        "pen");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(m, "time"), "bits")), 24);
    assert_int_equal(json_array_size(json_object_get(m, "ram")), 2);
    assert_int_equal(json_array_size(json_object_get(m, "power")), 0);
    assert_null(json_object_get(m, "l2")); /* it has none */
    assert_null(json_object_get(root, "adc"));
    assert_int_equal(json_array_size(json_object_get(
                         json_array_get(json_object_get(root, "threads"), 0), "core_share")),
                     2);
    assert_int_equal(
        json_array_size(json_object_get(json_object_get(root, "parallelism"), "cores_s")), 3);
    json_decref(root);
    free(text);
    mpj_run_free(shown);
}

/* Channels have the board's names and steps; the first consumer is the whole board. */
static void channels(void **state)
{
    const struct tile_machine m = metered();
    const uint16_t code[TILE_POWER_MAX] = {4000, 1200, 400, 0};
    struct mpj_energy *e = NULL;
    json_t *root;
    char *text;

    (void)state;
    log_begin_on("a.mplog", "nas0", 100000, 2, &m);
    for (unsigned i = 0; i < 5; i++)
        log_sample_all(i, 100000 + i * 10000, code);
    log_end(150000, 0);
    build();
    shown = load();
    assert_true(shown->have_adc);
    assert_int_equal(shown->supplies.count, 2);
    assert_string_equal(shown->supplies.of[0].name, "whole_board");
    /* 4000 * 375 mW for 50 ms; 1200 * 1.25 mV * 400 * 1 mA */
    assert_float_equal(shown->processor.energy_uj, 1500e6 * 0.05, 1e-3);
    assert_float_equal(mpj_run_rail(shown, "ddr")->energy_uj, 0.6e6 * 0.05, 1e-6);
    assert_null(mpj_run_rail(shown, "pll"));
    text = text_of(put_text);
    assert_non_null(strstr(text, "of: whole_board; DDR 30.0000 mJ"));
    free(text);
    text = text_of(put_json);
    root = json_loads(text, 0, NULL);
    assert_non_null(json_object_get(json_object_get(root, "adc"), "ddr"));
    json_decref(root);
    free(text);
    mpj_run_free(shown);
    for (unsigned i = 0; i < 2; i++) { /* from the store, and from the log */
        assert_int_equal(mpj_energy_load(&e, i == 0 ? "r.mpj" : "a.mplog", NULL, NULL, &err), 0);
        assert_float_equal(e->rail[0].energy_uj, 1500e6 * 0.05, 1e-3);
        assert_float_equal(e->rail[1].energy_uj, 0.6e6 * 0.05, 1e-6);
        mpj_energy_free(e);
    }
}

/* A recording of a board that measures nothing says so, and is no error. */
static void nothing_recorded(void **state)
{
    struct mpj_energy *e = NULL;

    (void)state;
    two_cores();
    assert_int_equal(mpj_energy_load(&e, "a.mplog", NULL, NULL, &err), 0);
    assert_non_null(strstr(e->check[0].text, "made-up has no power channels"));
    mpj_energy_free(e);
}

static void damaged_log(const void *body, size_t len)
{
    struct mpj_energy *e = NULL;

    log_begin("a.mplog", "sim", 100000);
    log_data(mpj_blob_put(log_payload(), MPJ_REC_MACHINE, body, len));
    log_end(150000, 0);
    assert_int_equal(mpj_store_build("d.mpj", logs, 1, NULL, &err), MPJ_E_LOG);
    assert_non_null(strstr(err.text, "a.mplog is corrupt: malformed MACHINE record"));
    assert_null(strchr(err.text, '\n'));
    if (mpj_energy_load(&e, "a.mplog", NULL, NULL, &err) == MPJ_E_OK)
        assert_non_null(e->damage);
    mpj_energy_free(e);
}

/* Cut anywhere, and with impossible contents. */
static void damaged_records(void **state)
{
    const struct tile_machine m = metered();
    uint8_t whole[MPJ_FRAME_PAYLOAD_MAX];
    struct mpj_writer w;
    struct mpj_reader r;
    struct mpj_rec rec;
    uint8_t *copy;

    (void)state;
    mpj_writer_init(&w, whole, sizeof(whole));
    assert_int_equal(mpj_machine_put(&w, &m), 0);
    mpj_reader_init(&r, whole, (size_t)(w.at - whole));
    assert_int_equal(mpj_rec_next(&r, &rec), 1);
    for (size_t len = 0; len < 60; len += 7)
        damaged_log(rec.body, len);
    copy = malloc(rec.len);
    assert_non_null(copy);
    memcpy(copy, rec.body, rec.len);
    copy[1] = '/'; /* a name that would leave its folder */
    damaged_log(copy, rec.len);
    free(copy);
}

static void damaged_stores(void **state)
{
    static const char *const damage[] = {
        "UPDATE machine SET value = 'fast' WHERE item = 'time.hz'",
        "UPDATE machine SET value = -1 WHERE item = 'time.hz'",
        "UPDATE machine SET value = 4294967296 WHERE item = 'core_hz'",
        "UPDATE machine SET value = 99 WHERE item = 'cores'",
        "UPDATE machine SET value = 7 WHERE item = 'name'",
        "UPDATE machine SET value = '../../etc' WHERE item = 'name'",
        "UPDATE machine SET value = printf('%0*d', 40, 1) WHERE item = 'chip'",
        "INSERT INTO machine VALUES (0, 'ram.4.base', 0)",
        "DELETE FROM machine WHERE item = 'name'",
        "UPDATE machine SET item = x'41' WHERE item = 'name'",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(damage) / sizeof(damage[0]); i++) {
        struct mpj_run *run = NULL;

        two_cores();
        sql(damage[i]);
        if (mpj_run_load(&run, "r.mpj", &err) != MPJ_E_STORE || run != NULL)
            fail_msg("%s: shown", damage[i]);
        if (strncmp(err.text, "r.mpj is damaged: ", 18) != 0 || strchr(err.text, '\n') != NULL)
            fail_msg("%s: \"%s\"", damage[i], err.text);
    }
    two_cores();
    sql("INSERT INTO machine VALUES (0, 'fan.rpm', 1200)"); /* of a later version */
    mpj_run_free(load());
}

/* A log and a store without a description are of the board that older firmware was for. */
static void older(void **state)
{
    const uint16_t code[TILE_POWER_MAX] = {2000, 2030, 1000, 1500};
    double energy;
    double pll;

    (void)state;
    log_begin("a.mplog", "sim", 100000);
    log_sample_all(0, 110000, code);
    log_end(150000, 0);
    build();
    shown = load();
    assert_false(shown->machine_stated);
    assert_string_equal(shown->machine.name, "realview-eb");
    energy = shown->processor.energy_uj;
    pll = mpj_run_rail(shown, "pll")->energy_uj;
    assert_float_equal(energy, 2000 * 610e-6 * 1000 * 244e-6 * 50e3, 1e-6);
    assert_float_equal(pll, 2030 * 610e-6 * 1500 * 12.2e-6 * 50e3, 1e-6);
    mpj_run_free(shown);
    sql("DROP TABLE machine; ALTER TABLE adc RENAME code0 TO cpu_v;"
        "ALTER TABLE adc RENAME code1 TO pll_v; ALTER TABLE adc RENAME code2 TO cpu_i;"
        "ALTER TABLE adc RENAME code3 TO pll_i; PRAGMA user_version = 7");
    shown = load();
    assert_false(shown->machine_stated);
    assert_true(shown->processor.energy_uj == energy);
    assert_true(mpj_run_rail(shown, "pll")->energy_uj == pll);
    mpj_run_free(shown);
    sql("UPDATE adc SET cpu_v = 4096");
    shown = NULL;
    assert_int_equal(mpj_run_load(&shown, "r.mpj", &err), MPJ_E_STORE);
    assert_non_null(strstr(err.text, "sample 0 has a code above 4095"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept),
        cmocka_unit_test(texts),
        cmocka_unit_test(json),
        cmocka_unit_test(channels),
        cmocka_unit_test(nothing_recorded),
        cmocka_unit_test(damaged_records),
        cmocka_unit_test(damaged_stores),
        cmocka_unit_test(older),
    };

    return cmocka_run_group_tests(tests, test_dir_enter, test_dir_leave);
}
