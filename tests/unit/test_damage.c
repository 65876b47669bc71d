/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Damaged stores and implausible records: one line that says what is wrong, and no figures. */
#include <fcntl.h>
#include <pthread.h>
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
#include <sqlite3.h>

#include "log_maker.h"
#include "report/energy.h"
#include "report/report.h"
#include "report/run.h"
#include "report/store.h"
#include "test_dir.h"

static const char *const logs[] = {"a.mplog"};
static struct mpj_err err;

static struct mpj_thread_rec life(uint64_t created, uint64_t ended, uint64_t ran)
{
    return (struct mpj_thread_rec){.id = 1,
                                   .created = created,
                                   .ended = ended,
                                   .run = ran,
                                   .name = {(const uint8_t *)"main", 4}};
}

static void make(const struct mpj_thread_rec *t, uint64_t cycles, uint64_t wfi, uint64_t end)
{
    const struct mpj_core_rec c = {.flags = MPJ_COUNTER_WFI,
                                   .time = 1,
                                   .cycles = cycles,
                                   .wfi_cycles = wfi,
                                   .count = 1,
                                   .ev = {{8, 5, 50000}}};
    const struct mpj_region_rec g = {.fn = 0x8000, .thread = 1, .size = 1, .calls = 1, .wall = 10};
    const struct mpj_wait_rec w = {.thread = 1, .kind = 1, .count = 1, .total = 9, .longest = 9};

    log_begin(logs[0], "sim", 100000);
    log_data(mpj_core_put(log_payload(), &c));
    log_data(mpj_thread_put(log_payload(), t));
    log_data(mpj_region_put(log_payload(), &g));
    log_data(mpj_wait_put(log_payload(), &w));
    log_sample(0, 110000, 2000, 1000);
    log_end(end, 0);
}

static void change(const char *sql)
{
    sqlite3 *db = NULL;
    char *text = NULL;

    assert_int_equal(sqlite3_open("r.mpj", &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &text) != SQLITE_OK)
        fail_msg("%s: %s", sql, text);
    sqlite3_close(db);
}

/* The store after that change cannot be read, and the line has that. */
static void refused(const char *sql, const char *says)
{
    const struct mpj_thread_rec t = life(100000, 150000, 40000);
    struct mpj_run *run = NULL;
    struct mpj_energy *e = NULL;

    make(&t, 10000, 10, 150000);
    assert_int_equal(mpj_store_build("r.mpj", logs, 1, NULL, &err), MPJ_E_OK);
    assert_int_equal(mpj_run_load(&run, "r.mpj", &err), MPJ_E_OK);
    mpj_run_free(run);
    change(sql);
    if (mpj_run_load(&run, "r.mpj", &err) != MPJ_E_STORE || run != NULL)
        fail_msg("%s: shown", sql);
    if (strstr(err.text, says) == NULL || strchr(err.text, '\n') != NULL)
        fail_msg("%s: \"%s\" instead of \"%s\"", sql, err.text, says);
    assert_int_equal(mpj_energy_load(&e, "r.mpj", NULL, NULL, &err), MPJ_E_STORE);
    assert_null(e);
}

static void stores(void **state)
{
    static const struct {
        const char *sql, *says;
    } damage[] = {
        {"DROP TABLE meta; CREATE TABLE meta (key, value); INSERT INTO meta VALUES (NULL, 'x')",
         "r.mpj is damaged: meta.key is NULL"},
        {"UPDATE meta SET value = x'41'", "meta.value is X'41'"},
        {"UPDATE core SET core = -1", "core.core is -1"},
        {"DROP TABLE truth; CREATE TABLE truth (pass, json); INSERT INTO truth VALUES (0, '{}'), "
         "(0, '{}')",
         "pass 0 has 2 truths of the emulator"},
        {"UPDATE core SET core = 99", "there is a core 99"},
        {"INSERT INTO mark VALUES (0, 3, 200000, 37, 1, 'm', 0)", "a mark was set on a core 37"},
        {"INSERT INTO fault VALUES (0, 1, 4, 1, 200000, 0, 0, 0, 0, 0, '')",
         "a fault was on a core 4"},
        {"UPDATE core SET cycles = 'many'", "core.cycles is 'many'"},
        {"UPDATE core SET cycles = -5.5", "core.cycles is -5.5"},
        {"UPDATE core SET wfi_cycles = 2000000000", "core 0 waited for 2000000000 cycles of a run"},
        {"UPDATE counter SET value = -1", "counter.value is -1"},
        {"UPDATE counter SET active = -9", "counter.active is -9"},
        {"UPDATE pass SET time_hz = 0", "clock of 0 Hz"},
        {"UPDATE pass SET time_end = 5", "ends at tick 5, before it begins at 100000"},
        {"UPDATE pass SET time_end = 1000000000000000000", "pass 0 lasts for 999999999999 s"},
        {"INSERT INTO meta VALUES ('bare_time_s', '1e300')", "without profiling took 1e300 s"},
        {"INSERT INTO meta VALUES ('bare_time_s', 'inf')", "without profiling took inf s"},
        {"INSERT INTO meta VALUES ('bare_time_s', '-1')", "without profiling took -1 s"},
        {"UPDATE pass SET clock_hz = -3", "pass.clock_hz is -3"},
        {"UPDATE pass SET message = x'05'", "pass.message is X'05'"},
        {"UPDATE adc SET time = 1.5", "adc.time is 1.5"},
        {"UPDATE adc SET code0 = 70000", "sample 0 has a code that its channel cannot have"},
        {"UPDATE adc SET code3 = 4096", "sample 0 has a code that its channel cannot have"},
        {"UPDATE pass SET clock_hz = 4000000000", "a core clock of 4000000000 Hz"},
        {"UPDATE pass SET time_hz = 1", "time with a clock of 1 Hz"},
        {"UPDATE pass SET cores = 4000000000", "pass 0 has 4000000000 cores"},
        {"UPDATE pass SET cores_mask = 16", "cores, those in use are the bits of 16"},
        {"DELETE FROM pass", "it has 0 passes, none to none, not 0 and what follows"},
        {"UPDATE pass SET id = 1", "it has 1 passes, 1 to 1"},
        {"UPDATE counter SET value = 1000000000000", "happened 1000000000000 times in 10500000"},
        {"INSERT INTO thread_counter VALUES (0, 1, 'instr', 1000000000000, 1)",
         "instr happened 1000000000000 times"},
        {"INSERT INTO thread_counter VALUES (0, 1, 'scu.migration', -28, 1)",
         "thread 1 counted -28 scu.migration (did the program write the counters itself?"},
        {"INSERT INTO region_counter VALUES (0, 3, 'scu.migration', -28, 1)",
         "region 3 counted -28 scu.migration (did the program"},
        {"UPDATE thread SET kernel = 1000000000000",
         "thread 1 was in the kernel for 1000000000000"},
        {"INSERT INTO timeline VALUES (0, 1, 0, 0, 0, 0, 0)", "bin 0 of thread 1 has 0 and 0"},
        {"INSERT INTO timeline VALUES (0, 1, 0, 2400, 9000000, 0, 0)", "has 9000000 and 0 ticks"},
        {"INSERT INTO timeline VALUES (0, 1, 0, 2400, 0, 9000000, 0)", "has 0 and 9000000 ticks"},
        {"INSERT INTO timeline VALUES (0, 1, 0, 2400, 0, 0, 9000000)", "moved data for 9000000"},
        {"INSERT INTO timeline VALUES (0, 1, 9000000, 2400, 0, 0, 0)", "is after the end"},
        {"UPDATE thread SET name = x'00'", "thread.name is X'00'"},
        {"UPDATE thread SET ended = 1", "thread 1 ends at tick 1, before it begins"},
        {"UPDATE thread SET run = 4000000000", "thread 1 ran for 4000000000 ticks of a life of"},
        {"UPDATE thread SET switches = -1", "thread.switches is -1"},
        {"UPDATE region SET wall = -1", "region.wall is -1"},
        {"UPDATE region SET fn = 4294967296", "region.fn is 4294967296"},
        {"UPDATE wait SET longest = 10", "the longest wait of thread 1, 10 ticks"},
        {"DROP TABLE adc; CREATE VIEW adc AS SELECT 0 AS pass", "it has a view \"adc\""},
        {"DROP TABLE adc", "no such table: adc"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(damage) / sizeof(damage[0]); i++)
        refused(damage[i].sql, damage[i].says);
}

int __real_mpj_sql_whole(sqlite3 *db, const char *path, const char *verb, struct mpj_err *e);
int __wrap_mpj_sql_whole(sqlite3 *db, const char *path, const char *verb, struct mpj_err *e);

static unsigned checks;
static bool ends_reading; /* with the next check */

static int never_go_on(void *ctx)
{
    (void)ctx;
    return 1;
}

int __wrap_mpj_sql_whole(sqlite3 *db, const char *path, const char *verb, struct mpj_err *e)
{
    checks++;
    if (ends_reading)
        sqlite3_progress_handler(db, 1, never_go_on, NULL);
    return __real_mpj_sql_whole(db, path, verb, e);
}

/* The result of reading the file, and how often that checked it. */
static int read_store(const char *path, unsigned *checked)
{
    struct mpj_run *run = NULL;
    int result;

    checks = 0;
    result = mpj_run_load(&run, path, &err);
    mpj_run_free(run);
    *checked = checks;
    return result;
}

static void written_at(const char *path, time_t s, long ns)
{
    const struct timespec times[2] = {{s, ns}, {s, ns}};

    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void *elsewhere(void *checked)
{
    read_store("r.mpj", checked);
    return NULL;
}

/* A state of a file is checked once by each thread; a file that was just written, each time. */
static void once(void **state)
{
    const struct mpj_thread_rec t = life(100000, 150000, 40000);
    pthread_t other;
    unsigned checked;

    (void)state;
    make(&t, 10000, 10, 150000);
    assert_int_equal(mpj_store_build("r.mpj", logs, 1, NULL, &err), MPJ_E_OK);
    assert_int_equal(mpj_store_build("s.mpj", logs, 1, NULL, &err), MPJ_E_OK);
    for (unsigned i = 0; i < 2; i++) { /* just written */
        assert_int_equal(read_store("r.mpj", &checked), MPJ_E_OK);
        assert_int_equal(checked, 1);
    }
    written_at("r.mpj", 1000, 0);
    written_at("s.mpj", 1000, 0); /* of the same size, too */
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(read_store("r.mpj", &checked), MPJ_E_OK);
        assert_int_equal(checked, i == 0);
        assert_int_equal(read_store("s.mpj", &checked), MPJ_E_OK);
        assert_int_equal(checked, i == 0);
    }
    assert_int_equal(pthread_create(&other, NULL, elsewhere, &checked), 0);
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_int_equal(checked, 1);

    change("UPDATE counter SET value = -1");
    assert_int_equal(read_store("r.mpj", &checked), MPJ_E_STORE); /* just written */
    written_at("r.mpj", 1000, 1);
    for (unsigned i = 0; i < 2; i++) { /* a failure is not remembered */
        assert_int_equal(read_store("r.mpj", &checked), MPJ_E_STORE);
        assert_int_equal(checked, 1);
    }
    assert_int_equal(rename("r.mpj", "s.mpj"), 0);
    assert_int_equal(read_store("s.mpj", &checked), MPJ_E_STORE);
    assert_int_equal(checked, 1);
}

/* What SQLite says of a file, in a line for the user. */
static void structure(void **state)
{
    static const unsigned char head[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7, 0, 0,
                                         0,    1,    0,    0,    0,    42,   0,    0,    0, 1,
                                         0,    0,    2,    0,    0,    0,    0x10, 0};
    static const unsigned char junk[4096] = {0xff, 0xff};
    const struct mpj_thread_rec t = life(100000, 150000, 40000);
    struct mpj_run *run = NULL;
    FILE *f;

    (void)state;
    make(&t, 10000, 10, 150000);
    assert_int_equal(mpj_store_build("r.mpj", logs, 1, NULL, &err), MPJ_E_OK);
    f = fopen("r.mpj-journal", "we");
    assert_non_null(f);
    assert_int_equal(fwrite(head, 1, sizeof(head), f), sizeof(head));
    assert_int_equal(fwrite(junk, 1, sizeof(junk), f), sizeof(junk));
    assert_int_equal(fclose(f), 0);
    assert_int_equal(mpj_run_load(&run, "r.mpj", &err), MPJ_E_STORE);
    assert_non_null(strstr(err.text, "an interrupted transaction is in r.mpj-journal"));
    /* no new store comes next to a journal that SQLite would write into it */
    assert_int_equal(mpj_store_check("r.mpj", &err), MPJ_E_USAGE);
    assert_int_equal(mpj_store_build("r.mpj", logs, 1, NULL, &err), MPJ_E_USAGE);
    assert_non_null(strstr(err.text, "r.mpj-journal: no store takes its place"));
    assert_int_equal(access("r.mpj-journal", F_OK), 0);
    assert_int_equal(access("r.mpj.new", F_OK), -1);
    assert_int_equal(unlink("r.mpj-journal"), 0);

    f = fopen("r.mpj", "r+e");
    assert_non_null(f);
    assert_int_equal(fseek(f, 4 * (long)sizeof(junk), SEEK_SET), 0);
    assert_int_equal(fwrite(junk, 1, sizeof(junk), f), sizeof(junk));
    assert_int_equal(fclose(f), 0);
    assert_int_equal(mpj_run_load(&run, "r.mpj", &err), MPJ_E_STORE);
    assert_non_null(strstr(err.text, "r.mpj is damaged: "));
    assert_null(strstr(err.text, "***"));
}

static void implausible(const struct mpj_thread_rec *t, uint64_t cycles, uint64_t wfi, uint64_t end,
                        const char *says)
{
    make(t, cycles, wfi, end);
    assert_int_equal(mpj_store_build("new.mpj", logs, 1, NULL, &err), MPJ_E_LOG);
    if (strstr(err.text, says) == NULL)
        fail_msg("\"%s\" instead of \"%s\"", err.text, says);
    assert_int_equal(access("new.mpj", F_OK), -1);
}

static void records(void **state)
{
    const struct mpj_thread_rec good = life(100000, 150000, 40000);
    const struct mpj_thread_rec before = life(100000, 90000, 0);
    const struct mpj_thread_rec longer = life(100000, 150000, UINT64_C(1) << 50);
    const struct mpj_thread_rec negative = life(100000, 150000, UINT64_C(1) << 63);

    (void)state;
    implausible(&before, 10, 0, 150000,
                "a.mplog cannot be true: thread 1 ends at tick 90000, before it begins at 100000");
    implausible(&longer, 10, 0, 150000, "thread 1 ran for");
    implausible(&negative, 10, 0, 150000, "thread.run is -9223372036854775808");
    implausible(&good, 10, UINT64_C(1) << 40, 150000,
                "core 0 waited for 1099511627776 cycles of a run");
    implausible(&good, 10, 0, 99999, "pass 0 ends at tick 99999, before it begins at 100000");
    implausible(&good, UINT64_MAX, 0, 150000, "core.cycles is -1");
}

/* What SQLite cannot read is no fault of the log. */
static void not_readable(void **state)
{
    const struct mpj_thread_rec t = life(100000, 150000, 40000);
    int result;

    (void)state;
    make(&t, 10000, 10, 150000);
    unlink("r.mpj");
    ends_reading = true;
    result = mpj_store_build("r.mpj", logs, 1, NULL, &err);
    ends_reading = false;
    assert_int_equal(result, MPJ_E_STORE);
    assert_string_equal(err.text, "cannot write the store r.mpj: interrupted");
    assert_int_not_equal(access("r.mpj", F_OK), 0);
}

/* What a program may do to its counters, and a core to a program, is shown. */
static void possible(void **state)
{
    const struct mpj_thread_rec t = life(100000, 150000, 40000);
    FILE *const out = fopen("/dev/null", "w");
    struct mpj_run *run = NULL;

    (void)state;
    assert_non_null(out);
    make(&t, 10000, 10, 150000);
    assert_int_equal(mpj_store_build("r.mpj", logs, 1, NULL, &err), MPJ_E_OK);
    change("UPDATE counter SET value = 21000000 + (15 << 32)");
    change("UPDATE adc SET code0 = 4095");
    change("UPDATE thread SET kernel = run");
    change("INSERT INTO timeline VALUES (0, 1, 20, 2400, 2400, 16, 0)");
    assert_int_equal(mpj_run_load(&run, "r.mpj", &err), MPJ_E_OK);
    mpj_run_free(run);
    /* nine years of which a bin of a microsecond is known: the others have no number */
    change("UPDATE pass SET time_end = 284000000000000");
    change("UPDATE thread SET ended = 284000000000000");
    change("UPDATE timeline SET bin = 0, width = 1, run = 1, block = 0");
    assert_int_equal(mpj_run_load(&run, "r.mpj", &err), MPJ_E_OK);
    assert_int_equal(mpj_report_text(run, "timeline", out, &err), MPJ_E_OK);
    mpj_run_free(run);
    fclose(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores),   cmocka_unit_test(records), cmocka_unit_test(structure),
        cmocka_unit_test(possible), cmocka_unit_test(once),    cmocka_unit_test(not_readable),
    };

    return cmocka_run_group_tests(tests, test_dir_enter, test_dir_leave);
}
