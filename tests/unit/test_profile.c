/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions and moments: from a store to tables; the figures are added up by hand from
 * profile_maker.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <jansson.h>
#include <sqlite3.h>

#include "profile_maker.h"
#include "report/annotate.h"
#include "report/report.h"
#include "report/store.h"
#include "report/symbols.h"
#include "store/profile_put.h"
#include "test_dir.h"

static struct mpj_err err;

static struct mpj_profile *load(void)
{
    struct mpj_profile *p = NULL;

    unlink("r.mpj");
    profile_make("r.mpj", 0);
    assert_int_equal(mpj_profile_load(&p, "r.mpj", MPJ_PROF_SOURCES, &err), 0);
    assert_non_null(p);
    return p;
}

static const struct mpj_prof_row *row(const struct mpj_profile *p, const struct mpj_prof_table *t,
                                      const char *name, int64_t thread)
{
    for (unsigned i = 0; i < t->rows; i++) {
        if (t->row[i].thread == thread &&
            (t->row[i].func < 0 || strcmp(p->func[t->row[i].func].name, name) == 0))
            return &t->row[i];
    }
    fail_msg("no row %s", name);
    return NULL;
}

/* Self and total cycles of a function in thousands. */
static void costs(const struct mpj_profile *p, const struct mpj_prof_table *t, const char *name,
                  int64_t thread, uint64_t calls, uint64_t self, uint64_t total)
{
    const struct mpj_prof_row *const r = row(p, t, name, thread);

    assert_int_equal(r->calls, calls);
    assert_int_equal(r->self[p->cycles], self * 1000);
    assert_int_equal(r->total[p->cycles], total * 1000);
}

static void functions(void **state)
{
    struct mpj_profile *const p = load();
    struct mpj_prof_table t;
    struct mpj_prof_sort by;

    (void)state;
    assert_int_equal(p->nodes, MAKER_NODES);
    assert_int_equal(p->source, MPJ_PROF_TRUTH);
    assert_int_equal(p->clock_hz, 210000000);
    assert_string_equal(p->item[p->cycles].unit, "cycles");
    assert_string_equal(p->item[p->first_cause].name, "fj:clock");
    assert_int_equal(p->sum[p->cycles], 14580000);
    assert_int_equal(mpj_profile_table(p, MPJ_BY_FUNC, &t, &err), 0);
    assert_int_equal(t.rows, 10);
    costs(p, &t, "main", -1, 1, 1000, 6750);
    costs(p, &t, "fib", -1, 8, 730, 730); /* recursion once: 100 + 200 + 400, and 30 */
    costs(p, &t, "work", -1, 13, 4500, 4980 + 1830);
    costs(p, &t, "helper", -1, 13, 910, 1210);
    costs(p, &t, "memcpy", -1, 7, 420, 420);
    costs(p, &t, "idle", -1, 1, 4000, 4000);
    assert_int_equal(row(p, &t, "work", -1)->self[p->energy],
                     4500000 * UINT64_C(100000) + 5700 * UINT64_C(2400000));
    assert_int_equal(mpj_profile_sort(p, "total-time", &by, &err), 0);
    mpj_profile_order(p, &t, by);
    assert_string_equal(p->func[t.row[0].func].name, "work");
    assert_string_equal(p->func[t.row[1].func].name, "main");
    assert_int_equal(mpj_profile_sort(p, "nonsense", &by, &err), MPJ_E_USAGE);
    mpj_profile_table_free(&t);
    assert_int_equal(mpj_profile_table(p, MPJ_BY_FUNC | MPJ_BY_THREAD, &t, &err), 0);
    costs(p, &t, "work", 1, 10, 3000, 4980);
    costs(p, &t, "work", 2, 3, 1500, 1830);
    mpj_profile_table_free(&t);
    assert_int_equal(mpj_profile_table(p, MPJ_BY_THREAD, &t, &err), 0);
    assert_int_equal(t.rows, 3);
    costs(p, &t, "", 1, 52, 6750, 6750);
    costs(p, &t, "", 2, 9, 3830, 3830);
    mpj_profile_table_free(&t);
    mpj_profile_free(p);
}

static struct mpj_profile *filtered(const struct mpj_prof_choice *c, struct mpj_prof_table *t)
{
    struct mpj_profile *const p = load();

    assert_int_equal(mpj_profile_filter(p, c, &err), 0);
    assert_int_equal(p->sum[p->cycles], 14580000);
    assert_int_equal(mpj_profile_table(p, MPJ_BY_FUNC, t, &err), 0);
    return p;
}

static void filters(void **state)
{
    static const char *const work[] = {"work"};
    static const char *const glob[] = {"mem*", "idle"};
    static const char *const wrong[] = {"work", "nothing"};
    struct mpj_prof_table t;
    struct mpj_profile *p;

    (void)state;
    p = filtered(&(struct mpj_prof_choice){.only = work, .onlys = 1}, &t);
    costs(p, &t, "work", -1, 13, 4500, 6810);
    costs(p, &t, "main", -1, 1, 0, 6750); /* the path to it; its total is what it was */
    costs(p, &t, MPJ_PROF_LEFT_OUT, -1, 0, 1770 + 2000 + 4000, 1770 + 2000 + 4000);
    mpj_profile_table_free(&t);
    mpj_profile_free(p);

    p = filtered(&(struct mpj_prof_choice){.without = glob, .withouts = 2}, &t);
    costs(p, &t, MPJ_PROF_LEFT_OUT, -1, 0, 4420, 4420);
    costs(p, &t, "helper", -1, 13, 910, 1210);
    mpj_profile_table_free(&t);
    mpj_profile_free(p);

    p = filtered(&(struct mpj_prof_choice){.depth = 2}, &t);
    costs(p, &t, "main", -1, 1, 1000, 6750);
    costs(p, &t, "work", -1, 13, 4500, 6810);
    costs(p, &t, "fib", -1, 1, 100, 700);
    assert_int_equal(t.rows, 7);
    mpj_profile_table_free(&t);
    mpj_profile_free(p);

    p = filtered(&(struct mpj_prof_choice){.only = work, .onlys = 1, .depth = 1}, &t);
    costs(p, &t, "work", -1, 13, 4500, 6810);
    mpj_profile_table_free(&t);
    mpj_profile_free(p);

    /* 1 ms are 210000 cycles */
    p = filtered(&(struct mpj_prof_choice){.least_s = 1e-3}, &t);
    costs(p, &t, "helper", -1, 13, 910, 1210);
    costs(p, &t, "memcpy", -1, 5, 300, 300);
    mpj_profile_table_free(&t);
    assert_int_equal(
        mpj_profile_filter(p, &(struct mpj_prof_choice){.only = wrong, .onlys = 2}, &err),
        MPJ_E_USAGE);
    assert_non_null(strstr(err.text, "\"nothing\""));
    assert_int_equal(mpj_profile_filter(p, &(struct mpj_prof_choice){.least_uj = 1e9}, &err),
                     MPJ_E_USAGE);
    mpj_profile_free(p);
}

struct seen {
    unsigned n;
    uint64_t last, fj;
};

static int on_moment(void *ctx, const struct mpj_moment *m)
{
    struct seen *const s = ctx;

    assert_true(m->time >= s->last);
    s->last = m->time;
    s->n++;
    return MPJ_E_OK;
}

static int on_step(void *ctx, int64_t core, uint64_t time, uint64_t step, uint64_t fj)
{
    struct seen *const s = ctx;

    assert_true(core == 0 || core == MPJ_PROF_NONE);
    assert_int_equal(step, 10);
    s->last = time;
    s->fj += fj;
    s->n++;
    return MPJ_E_OK;
}

static int on_insn(void *ctx, const struct mpj_insn *insn)
{
    struct seen *const s = ctx;

    if (insn->address == 0x8044) {
        assert_int_equal(insn->executions, 2000);
        assert_int_equal(insn->costs, 2);
        assert_string_equal(insn->cost[0].item, "dcache_rd_miss");
        assert_int_equal(insn->cost[1].value, 6000000);
    }
    s->n++;
    return MPJ_E_OK;
}

static void streams(void **state)
{
    struct mpj_profile *const p = load();
    struct seen s = {0};
    uint64_t lost = 0;

    (void)state;
    assert_int_equal(mpj_moments("r.mpj", MPJ_PROF_TRUTH, on_moment, &s, &lost, &err), 0);
    assert_int_equal(s.n, 12);
    assert_int_equal(s.last, 50000);
    assert_int_equal(lost, 3);
    s = (struct seen){0};
    assert_int_equal(mpj_wave("r.mpj", on_step, &s, &err), 0);
    assert_int_equal(s.n, 10000);
    assert_int_equal(s.last, 49990);
    assert_int_equal(s.fj, p->sum[p->energy] + p->chip[p->energy]);
    s = (struct seen){0};
    assert_int_equal(mpj_insns("r.mpj", 0x8040, 0x804c, on_insn, &s, &err), 0);
    assert_int_equal(s.n, 3);
    mpj_profile_free(p);
}

static void sql(const char *text)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open("r.mpj", &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void damage(const char *text, const char *says)
{
    struct mpj_run *run = NULL;

    mpj_profile_free(load());
    sql(text);
    assert_int_equal(mpj_run_load(&run, "r.mpj", &err), MPJ_E_STORE);
    if (strstr(err.text, says) == NULL)
        fail_msg("%s: %s", text, err.text);
}

static void stores(void **state)
{
    struct mpj_run *run = NULL;

    (void)state;
    mpj_profile_free(load());
    assert_int_equal(mpj_run_load(&run, "r.mpj", &err), 0);
    assert_non_null(run->profile);
    mpj_run_free(run);
    /* sums that do not agree with the truth are found */
    sql("DELETE FROM prof_func; DELETE FROM prof_node; DELETE FROM prof_cost; "
        "DELETE FROM prof_chip; DELETE FROM moment; DELETE FROM moment_loss; DELETE FROM wave; "
        "DELETE FROM prof_insn; DELETE FROM prof_insn_cost");
    assert_int_equal(profile_add("r.mpj", 2, 0), MPJ_E_LOG);
    /* a store of version 3 has none of these tables */
    sql("DROP TABLE prof_func; DROP TABLE prof_node; DROP TABLE prof_cost; DROP TABLE prof_chip; "
        "DROP TABLE moment; DROP TABLE moment_loss; DROP TABLE wave; DROP TABLE prof_insn; "
        "DROP TABLE prof_insn_cost; DROP TABLE machine; ALTER TABLE adc RENAME code0 TO cpu_v; "
        "ALTER TABLE adc RENAME code1 TO pll_v; ALTER TABLE adc RENAME code2 TO cpu_i; "
        "ALTER TABLE adc RENAME code3 TO pll_i; PRAGMA user_version = 3");
    assert_int_equal(mpj_run_load(&run, "r.mpj", &err), 0);
    assert_null(run->profile);
    mpj_run_free(run);
    damage("UPDATE prof_node SET parent = 9 WHERE id = 2", "precedes its parent 9");
    damage("DELETE FROM prof_node WHERE id = 6", "has no parent 6");
    damage("DELETE FROM prof_func WHERE id = 3", "is of no function 3");
    damage("UPDATE prof_cost SET node = 99 WHERE node = 4 AND item = 'cycles'", "99");
    damage("UPDATE prof_cost SET value = -1 WHERE node = 4", "prof_cost has -1 cycles");
    damage("UPDATE moment SET kind = 8 WHERE seq = 2", "kind 8");
    damage("UPDATE wave SET step = 0", "steps of 0 ticks");
}

/* What the head lines say of paths that were folded. */
static void folded(void **state)
{
    struct mpj_profile *p = load();

    (void)state;
    assert_string_equal(mpj_profile_note(p), "");
    mpj_profile_free(p);
    sql("UPDATE prof_func SET name = '(others)' WHERE name = 'helper'; "
        "INSERT INTO prof_tree VALUES (0, 0, 0, 1)");
    assert_int_equal(mpj_profile_load(&p, "r.mpj", MPJ_PROF_SOURCES, &err), 0);
    assert_float_equal(p->merged_share, 1210000.0 / 14580000, 1e-9); /* helper with memcpy */
    assert_string_equal(mpj_profile_note(p), ", callers not distinguished of 8.3 % of the cycles, "
                                             "below (others) (too many paths)");
    assert_int_equal(mpj_profile_share_chip(p, &err), 0);
    assert_memory_equal(mpj_profile_note(p), ", energy of (chip) shared out", 29);
    mpj_profile_free(p);
}

/* ---- views ---------------------------------------------------------------------------- */

static struct mpj_report report(const char *view)
{
    return (struct mpj_report){.view = mpj_view_find(view, &err),
                               .store = "r.mpj",
                               .file = "r.mpj",
                               .source = MPJ_PROF_SOURCES,
                               .top = -1};
}

/* What a view shows; to be freed. */
static char *shown(const struct mpj_report *r, const char *format, int result)
{
    struct mpj_report all = *r;
    struct mpj_run *run = NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&text, &size);

    assert_int_equal(mpj_run_load(&run, "r.mpj", &err), 0);
    all.run = run;
    assert_int_equal(mpj_report_show(&all, mpj_exporter_find(format, &err), f, &err), result);
    fclose(f);
    mpj_run_free(run);
    return text;
}

static void has(char *text, const char *const *lines)
{
    const char *at = text;

    for (; *lines != NULL; lines++) {
        const char *const next = strstr(at, *lines);
        if (next == NULL)
            fail_msg("no \"%s\" in\n%s", *lines, at);
        at = next;
    }
    free(text);
}

/* A profile that has no energy: no column of it, and nothing read where one would be. */
static void without_energy(void **state)
{
    static const char *const table[] = {"  self ms    total ms       calls  function\n",
                                        "  21.4286     32.4286          13  work  app.c:30\n",
                                        "(chip)", NULL};
    const struct mpj_report r = report("functions");
    char *text;

    (void)state;
    mpj_profile_free(load());
    sql("DELETE FROM prof_cost WHERE item LIKE '%fj%'; DELETE FROM prof_chip WHERE item LIKE "
        "'%fj%'");
    text = shown(&r, "text", MPJ_E_OK);
    assert_null(strstr(text, "mJ"));
    has(text, table);
}

static void views(void **state)
{
    static const char *const table[] = {
        "  self mJ            total mJ             self ms    total ms       calls  function\n",
        "0.4637   2.2 %      0.7002   3.3 %     21.4286     32.4286          13  work  app.c:30\n",
        "0.0730   0.3 %      0.0730   0.3 %      3.4762      3.4762           8  fib  app.c:20\n",
        "20.0000  93.1 %",
        "(chip)",
        "21.4772 100.0 %",
        NULL};
    static const char *const top[] = {"          13  helper", "          13  work",
                                      "8 more functions (--view functions --top 0 shows all)\n",
                                      NULL};
    static const char *const tree[] = {
        "0.6918   3.2 %      0.1000     32.1429           1  [1 main] main  app.c:10\n",
        "4.7619          10      helper [inlined]  app.c:40\n", "3 more paths", "(chip)", NULL};
    static const char *const flame[] = {
        "100 columns are 1.477 mJ (in addition: (chip) 20 mJ)\n",
        "\n  |[1 main] main                                 |[core 1] idle             |[2 run] ",
        "\n  |work                              |fib         ", "\n  |helper|tail |", NULL};
    static const char *const stack[] = {
        "clock                    0.8748        15.0000        15.8748   73.9 %  ##############",
        "\n  all                      1.4772        20.0000        21.4772  100.0 %\n",
        "Threads",
        "1 main                             0.6918     0.4050     0.0675     0.2025     0.0168\n",
        "Regions",
        "Functions",
        NULL};
    static const char *const events[] = {
        "0.000000     0  1 main            gets the core\n",
        "5.000000     1  2 run             region 0x00008100 begins, 2 threads\n",
        "10.000000     1  2 run             waits for mutex 0x00009800, held by 1 main\n",
        "leaves the core: blocked\n",
        "sample in work at 0x00008044, called by main\n",
        "mark half, 42\n",
        "Incomplete: 3 events were not kept\n",
        NULL};
    static const char *const csv[] = {
        "function,file,line,kind,thread,calls,self_cycles,total_cycles,self_energy_uj,",
        "\"work\",\"app.c\",30,0,,13,4500000,6810000,463.68,700.2024,2250000,3405000,5700,8001,",
        "\"odd;name \"\"x\"\" <é>\",\"a\"\"b,c.c\",70,0,,7,", "\"(chip)\"", NULL};
    struct mpj_report r;

    (void)state;
    mpj_profile_free(load());
    r = report("functions");
    has(shown(&r, "text", 0), table);
    has(shown(&r, "csv", 0), csv);
    r.top = 2;
    r.sort = "calls";
    has(shown(&r, "text", 0), top);
    r = report("calls");
    has(shown(&r, "text", 0), tree);
    r = report("flame");
    has(shown(&r, "text", 0), flame);
    r.sort = "calls";
    free(shown(&r, "text", MPJ_E_USAGE));
    r = report("energy-stack");
    has(shown(&r, "text", 0), stack);
    r = report("events");
    has(shown(&r, "text", 0), events);
    sql("DELETE FROM prof_cost; DELETE FROM prof_node; DELETE FROM moment");
    free(shown(&r, "text", MPJ_E_USAGE));
    assert_non_null(strstr(err.text, "--moments"));
    r = report("functions");
    free(shown(&r, "text", MPJ_E_USAGE));
    assert_non_null(strstr(err.text, "--functions"));
}

static void obeys_schema(const char *text)
{
    FILE *const f = fopen("r.json", "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(system(MPJ_SCHEMA_CHECK " " MPJ_SCHEMA " r.json"), 0);
}

/* The JSON of the view of call paths: what each has itself is all that the functions have. */
static void check_paths(const char *text, unsigned paths, const char *key, double sum)
{
    json_t *const root = json_loads(text, 0, NULL);
    const json_t *const list = json_object_get(root, "paths");
    const json_t *const all =
        json_object_get(json_object_get(json_object_get(root, "profile"), "functions"), key);
    double self = 0;
    double top = 0;

    assert_int_equal(json_array_size(list), paths);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *const o = json_array_get(list, i);
        const json_t *const parent = json_object_get(o, "parent");
        assert_int_equal(json_integer_value(json_object_get(o, "path")), i);
        self += json_number_value(json_object_get(json_object_get(o, "self"), key));
        if (parent == NULL)
            top += json_number_value(json_object_get(json_object_get(o, "total"), key));
        else
            assert_true(json_integer_value(parent) < (json_int_t)i);
    }
    assert_true(self > sum - 1e-6 && self < sum + 1e-6);
    assert_true(top > sum - 1e-6 && top < sum + 1e-6);
    assert_true(json_number_value(all) > sum - 1e-6 && json_number_value(all) < sum + 1e-6);
    json_decref(root);
}

static void paths(void **state)
{
    struct mpj_report r = report("calls");
    char *text;

    (void)state;
    mpj_profile_free(load());
    text = shown(&r, "json", 0);
    obeys_schema(text);
    check_paths(text, MAKER_NODES, "cycles", 14580000);
    check_paths(text, MAKER_NODES, "energy_uj", 1477.2264);
    free(text);
    r = report("functions"); /* other views do not write them */
    text = shown(&r, "json", 0);
    assert_null(strstr(text, "\"paths\""));
    free(text);
}

/* A profile that was made on the target, in every view; where something needs the truth, it says
 * so. */
static void target_side(enum mpj_prof_source source, const char *const *says, unsigned nodes)
{
    const bool entries = source == MPJ_PROF_ENTRIES;
    struct mpj_report r = report("functions");
    char *text;

    unlink("r.mpj");
    profile_make_on_target("r.mpj", source, false);
    has(shown(&r, "text", 0), says);
    free(shown(&r, "csv", 0));
    r = report("flame");
    has(shown(&r, "text", 0),
        (const char *const[]){entries ? "Flame of energy, measured on the target "
                                        "at entries and exits"
                                      : "Flame of time, estimated from samples",
                              NULL});
    r = report("summary");
    r.details = true;
    has(shown(&r, "text", 0), says);
    r = report("energy-stack");
    free(shown(&r, "text", MPJ_E_USAGE));
    assert_non_null(strstr(err.text, "only the emulator knows it"));
    r = report("events");
    text = shown(&r, "text", entries ? MPJ_E_USAGE : 0);
    if (entries)
        assert_non_null(strstr(err.text, "--moments"));
    else
        assert_non_null(strstr(text, "as the target recorded it"));
    free(text);
    r = report("calls");
    has(shown(&r, "text", 0),
        (const char *const[]){entries ? "[all threads] main  app.c:10" : "[1 main] main  app.c:10",
                              NULL});
    text = shown(&r, "json", 0);
    obeys_schema(text);
    check_paths(text, nodes, "cycles", entries ? 9200000 : 13620000);
    if (entries)
        check_paths(text, nodes, "energy_uj", 933.704);
    else
        check_paths(text, nodes, "samples", 1362);
    assert_non_null(strstr(text, entries ? "\"source\": \"entries\"" : "\"source\": \"samples\""));
    assert_null(strstr(text, "\"truth\""));
    free(text);
}

static void on_target(void **state)
{
    static const char *const entries[] = {
        "Functions, measured on the target at entries and exits: 6, by self energy\n",
        "      463.6800  49.7 %    556.6800  59.6 %     21.4286     25.8571          13  work  "
        "app.c:30\n",
        "0.3333           7  odd;name \"x\" <é>  a\"b,c.c:70\n      933.7040 100.0 %", /* no (chip)
                                                                                        */
        NULL};
    static const char *const samples[] = {
        "Functions, estimated from samples of the program counter on the target: 8, by self time\n",
        "  work  app.c:30\n", "  No energy: samples tell where time and events went", NULL};

    (void)state;
    target_side(MPJ_PROF_ENTRIES, entries, 10);
    target_side(MPJ_PROF_SAMPLES, samples, 13);
}

/* 20 mJ of the chip by 14,580,000 cycles: `work` held a core for 4,500,000 of them. */
static void shared_chip(void **state)
{
    static const char *const table[] = {
        "by self energy, energy of (chip) shared out by core time\n",
        "    5.8870  27.4 %      5.8870  27.4 %     19.0476     19.0476           1  idle [idle]\n",
        " 21.4772 100.0 %", NULL};
    struct mpj_profile *p = load();
    const int64_t all = p->sum[p->energy] + p->chip[p->energy];
    const int scu = mpj_profile_item(p, "scu_ext_rd");
    struct mpj_report r = report("functions");
    struct mpj_prof_table t;
    struct mpj_run *run = NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *f;

    (void)state;
    assert_string_equal(mpj_profile_note(p), "");
    assert_int_equal(mpj_profile_share_chip(p, &err), 0);
    assert_int_equal(p->chip_shared, MAKER_CHIP_FJ);
    assert_int_equal(p->sum[p->energy], all);
    assert_int_equal(p->chip[p->energy], 0);
    assert_int_equal(p->chip[scu], 1234);
    for (unsigned k = p->first_cause; k < p->items; k++)
        assert_int_equal(p->chip[k], 0);
    for (uint32_t i = 0; i < p->nodes; i++) {
        const int64_t *const self = p->self + (size_t)i * p->items;
        int64_t sum = 0;
        for (unsigned k = p->first_cause; k < p->items; k++)
            sum += self[k];
        assert_int_equal(sum, self[p->energy]);
    }
    assert_int_equal(mpj_profile_table(p, MPJ_BY_FUNC, &t, &err), 0);
    assert_true(labs(row(p, &t, "work", -1)->self[p->energy] -
                     (463680000000 + INT64_C(20000000000000) * 4500 / 14580)) < 9);
    mpj_profile_table_free(&t);
    /* once is enough */
    assert_int_equal(mpj_profile_share_chip(p, &err), MPJ_E_USAGE);
    /* what a filter leaves out keeps its share */
    assert_int_equal(
        mpj_profile_filter(
            p, &(struct mpj_prof_choice){.only = (const char *const[]){"work"}, .onlys = 1}, &err),
        0);
    assert_int_equal(p->sum[p->energy], all);
    mpj_profile_free(p);

    assert_int_equal(mpj_run_load(&run, "r.mpj", &err), 0);
    assert_int_equal(mpj_profile_share_chip(run->profile, &err), 0);
    r.run = run;
    r.top = 0;
    f = open_memstream(&text, &size);
    assert_int_equal(mpj_report_show(&r, mpj_exporter_find("text", &err), f, &err), 0);
    fclose(f);
    has(text, table);
    f = fopen("r.json", "w");
    assert_int_equal(mpj_report_json(run, f, &err), 0);
    fclose(f);
    assert_int_equal(system(MPJ_SCHEMA_CHECK " " MPJ_SCHEMA " r.json && "
                                             "grep -q '\"chip_shared_uj\": 20000.0' r.json"),
                     0);
    mpj_run_free(run);
    /* nothing to share, nothing to share by */
    mpj_profile_free(load());
    sql("DELETE FROM prof_chip");
    assert_int_equal(mpj_profile_load(&p, "r.mpj", MPJ_PROF_SOURCES, &err), 0);
    assert_int_equal(mpj_profile_share_chip(p, &err), MPJ_E_USAGE);
    assert_non_null(strstr(err.text, "--functions"));
    mpj_profile_free(p);
    mpj_profile_free(load());
    sql("DELETE FROM prof_cost WHERE item = 'cycles'");
    assert_int_equal(mpj_profile_load(&p, "r.mpj", MPJ_PROF_SOURCES, &err), 0);
    assert_int_equal(mpj_profile_share_chip(p, &err), MPJ_E_USAGE);
    assert_non_null(strstr(err.text, "no cycles"));
    mpj_profile_free(p);
}

/* The whole run as JSON obeys its schema; absent is not zero. */
static void json(void **state)
{
    const struct mpj_report r = report("functions");
    char *text;

    (void)state;
    mpj_profile_free(load());
    text = shown(&r, "json", 0);
    assert_non_null(strstr(text, "\"source\": \"truth\""));
    assert_non_null(strstr(text, "\"name\": \"work\""));
    obeys_schema(text);
    free(text);
}

#ifdef MPJ_CHAIN
/* The instructions of `work` become those of `middle` of a real program. */
static void annotate(void **state)
{
    static const char *const says[] = {
        "\nmiddle, 0x0000",
        "      executions        cycles  dcache_rd_miss     energy nJ   share\n",
        "            6000         12000            5000        18.000  60.0 %  chain.c:14",
        "            4000          8000               0        12.000  40.0 %  chain.c:15",
        "           10000         20000            5000        30.000 100.0 %  all\n",
        "\nCode\n",
        "            1000          2000               0         3.000  10.0 %",
        "bl ",
        "<leaf>\n",
        NULL};
    struct mpj_symbols *symbols = NULL;
    struct mpj_place p = {0};
    struct mpj_run *run = NULL;
    uint32_t at = 0x8000;
    char *text = NULL;
    size_t size = 0;
    char move[400];
    FILE *f;

    (void)state;
    mpj_profile_free(load());
    assert_int_equal(mpj_symbols_open(&symbols, MPJ_CHAIN, &err), 0);
    while (p.function == NULL || strcmp(p.function, "middle") != 0)
        mpj_symbols_lookup(symbols, at += 4, &p);
    mpj_symbols_free(symbols);
    snprintf(move, sizeof(move),
             "UPDATE prof_func SET address = %u, name = 'middle' WHERE id = 3; "
             "UPDATE prof_insn SET address = address - 32832 + %u; "
             "UPDATE prof_insn_cost SET address = address - 32832 + %u",
             at, at, at);
    sql(move);
    assert_int_equal(mpj_run_load(&run, "r.mpj", &err), 0);
    f = open_memstream(&text, &size);
    assert_int_equal(mpj_annotate(run, "r.mpj", MPJ_CHAIN, "middle", f, &err), 0);
    fclose(f);
    has(text, says);
    /* one line each: no such function; a function without code; not recorded; not a program */
    assert_int_equal(mpj_annotate(run, "r.mpj", MPJ_CHAIN, "nothing", stdout, &err), MPJ_E_USAGE);
    assert_int_equal(mpj_annotate(run, "r.mpj", MPJ_CHAIN, "helper", stdout, &err), MPJ_E_USAGE);
    assert_int_equal(mpj_annotate(run, "r.mpj", "r.mpj", "middle", stdout, &err), MPJ_E_ELF);
    sql("DELETE FROM prof_insn");
    assert_int_equal(mpj_annotate(run, "r.mpj", MPJ_CHAIN, "middle", stdout, &err), MPJ_E_USAGE);
    assert_non_null(strstr(err.text, "--instructions"));
    mpj_run_free(run);
}
#endif

/* Truth, samples and entries ask the same. */
static void owners(void **state)
{
    static const struct {
        const char *function, *file; /* NULL: without lines */
        enum mpj_prof_kind kind;
    } cases[] = {
        {"work", "main.c", MPJ_FUNC_PROGRAM},
        {"work", NULL, MPJ_FUNC_PROGRAM},
        {"mpj_mutex_lock", "./firmware/kernel/mutex.c", MPJ_FUNC_RUNTIME},
        {"mpj_mutex_lock", "build/./firmware/kernel/mutex.c", MPJ_FUNC_RUNTIME},
        {"memcpy", "/build/newlib/newlib/libc/machine/arm/memcpy.c", MPJ_FUNC_RUNTIME},
        {"__udivsi3", NULL, MPJ_FUNC_RUNTIME},
        {"frame_dummy", NULL, MPJ_FUNC_RUNTIME},
        {"mpj_sched_idle", "./firmware/kernel/sched.c", MPJ_FUNC_IDLE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct mpj_place p = {.function = cases[i].function, .file = cases[i].file};

        if (store_func_kind(&p) != cases[i].kind)
            fail_msg("%s of %s: %d", p.function, p.file != NULL ? p.file : "no file",
                     (int)store_func_kind(&p));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions),   cmocka_unit_test(filters),
        cmocka_unit_test(streams),     cmocka_unit_test(stores),
        cmocka_unit_test(views),       cmocka_unit_test(json),
        cmocka_unit_test(paths),       cmocka_unit_test(on_target),
        cmocka_unit_test(shared_chip), cmocka_unit_test(without_energy),
        cmocka_unit_test(owners),      cmocka_unit_test(folded),
#ifdef MPJ_CHAIN
        cmocka_unit_test(annotate),
#endif
    };

    return cmocka_run_group_tests(tests, test_dir_enter, test_dir_leave);
}
