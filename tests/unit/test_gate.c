/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The gate's judgement on made figures: who is to blame, what is luck, what is a baseline's line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gate/judge.h"
#include "report/blame.h"

static struct mpj_err err;

static json_t *json(const char *text)
{
    json_error_t why;
    json_t *const o = json_loads(text, 0, &why);

    if (o == NULL)
        fail_msg("%s: %s", text, why.text);
    return o;
}

/* Judged with a limit of time; figures: "time" and tables of two samples. */
static struct mpj_gate_program judged(struct mpj_gate_limits *l, const char *limit,
                                      const char *base, const char *now, bool board)
{
    struct mpj_gate_program p = {.limits = l, .base = json(base), .now = json(now)};

    *l = (struct mpj_gate_limits){.n = 0};
    assert_int_equal(mpj_gate_limit_add(l, MPJ_GATE_WHOLE, NULL, "time", limit, &err), 0);
    assert_int_equal(mpj_gate_judge(&p, board, &err), 0);
    return p;
}

static void verdict(const char *base, const char *now, bool board, enum mpj_gate_verdict want)
{
    char a[200];
    char b[200];
    struct mpj_gate_limits l;
    struct mpj_gate_program p;

    snprintf(a, sizeof(a), "{\"samples\":5,\"figures\":{\"time\":%s}}", base);
    snprintf(b, sizeof(b), "{\"samples\":5,\"figures\":{\"time\":%s}}", now);
    p = judged(&l, "1 %", a, b, board);
    if (p.verdict != want)
        fail_msg("%s -> %s: verdict %d, not %d", base, now, (int)p.verdict, (int)want);
    mpj_gate_program_free(&p);
    mpj_gate_limits_free(&l);
}

static void luck(void **state)
{
    (void)state;
    verdict("1000", "1010", false, MPJ_GATE_OK); /* just the limit */
    verdict("1000", "1011", false, MPJ_GATE_REGRESSION);
    verdict("1000", "900", false, MPJ_GATE_OK);
    /* the median is beyond the limit: within the layouts' range it is luck ... */
    verdict("[980,1000,1000,1000,1040]", "[990,1000,1020,1030,1040]", false, MPJ_GATE_OK);
    verdict("[980,1000,1000,1000,1015]", "[990,1000,1020,1030,1040]", false, MPJ_GATE_OK);
    /* ... unless chance does not explain it, or each layout is worse */
    verdict("[980,1000,1000,1000,1015]", "[1016,1016,1020,1030,1040]", false, MPJ_GATE_REGRESSION);
    verdict("[980,1000,1000,1000,1040]", "[995,1020,1020,1020,1060]", false, MPJ_GATE_REGRESSION);
    /* a board: beyond twice its own spread */
    verdict("[1000,1000,1001,1001,1002]", "[1011,1012,1013,1013,1013]", true, MPJ_GATE_REGRESSION);
    verdict("[1000,1005,1010,1010,1012]", "[1015,1016,1022,1023,1024]", true, MPJ_GATE_OK);
}

/* One of a sequence of looks: a baseline of 20 layouts, some of the program. */
static void look(const char *now, unsigned n, bool doubt, enum mpj_gate_verdict want)
{
    static const char base[] = "{\"samples\":20,\"figures\":{\"time\":["
                               "1000,1012,991,1004,987,1009,1015,996,1001,1020,"
                               "983,1007,1011,993,1003,998,1018,989,1006,1002]}}";
    char text[400];
    struct mpj_gate_limits l;
    struct mpj_gate_program p;

    snprintf(text, sizeof(text), "{\"samples\":%u,\"figures\":{\"time\":%s}}", n, now);
    p = judged(&l, "0.5 %", base, text, false);
    if (p.verdict != want || mpj_gate_doubtful(&p) != doubt)
        fail_msg("%s: verdict %d, doubt %d", now, (int)p.verdict, (int)mpj_gate_doubtful(&p));
    mpj_gate_program_free(&p);
    mpj_gate_limits_free(&l);
}

static void looks(void **state)
{
    (void)state;
    /* the same, or no layout beyond the limit; lower than most: enough is known */
    look("[1000,1012,991,1004,987]", 5, false, MPJ_GATE_OK);
    look("[1004,1016,995,1008,991]", 5, false, MPJ_GATE_OK);
    look("[990,985,1001,984,995]", 5, false, MPJ_GATE_OK);
    /* 1 % more is in doubt at first, and found later; 4 % more is found at once */
    look("[1010,1005,1020,1012,999]", 5, true, MPJ_GATE_OK);
    look("[1010,1005,1020,1012,999,1017,1022,1011,1014,1030]", 10, false, MPJ_GATE_REGRESSION);
    look("[1040,1052,1031,1044,1027]", 5, false, MPJ_GATE_REGRESSION);
    /* 20 of the same distribution: no doubt is left */
    look("[1005,1010,992,1001,999,1012,1017,988,1003,1019,"
         "985,1006,1013,994,1004,997,1016,990,1008,1000]",
         20, false, MPJ_GATE_OK);
    /* each of 8 pairs is worse by itself, whatever the range */
    look("[1006,1018,997,1010,993,1015,1021,1002]", 8, false, MPJ_GATE_REGRESSION);
}

static void culprit(const char *base, const char *now, const char *who, const char *through,
                    const char *cause)
{
    static const char before[] = "{\"figures\":{\"time\":10000},\"functions\":{";
    char *a = NULL;
    char *b = NULL;
    struct mpj_gate_limits l;
    struct mpj_gate_program p;

    assert_true(asprintf(&a, "%s%s", before, base) > 0);
    assert_true(asprintf(&b, "{\"figures\":{\"time\":11000},\"functions\":{%s", now) > 0);
    p = judged(&l, "1 %", a, b, false);
    assert_int_equal(p.findings, 1);
    if (who == NULL) {
        assert_null(p.finding[0].blame.culprit);
        mpj_gate_program_free(&p);
        mpj_gate_limits_free(&l);
        free(a);
        free(b);
        return;
    }
    assert_string_equal(p.finding[0].blame.culprit, who);
    if (through == NULL)
        assert_null(p.finding[0].blame.through);
    else
        assert_string_equal(p.finding[0].blame.through, through);
    assert_string_equal(p.finding[0].blame.cause, cause);
    mpj_gate_program_free(&p);
    mpj_gate_limits_free(&l);
    free(a);
    free(b);
}

static void blame(void **state)
{
    (void)state;
    culprit("\"f\":{\"time\":900,\"energy\":10},\"g\":{\"time\":100}}}",
            "\"f\":{\"time\":1900,\"energy\":30,\"l2\":15,\"instructions\":5,\"at\":\"x.c\"},"
            "\"g\":{\"time\":150,\"at\":\"x.c\"}}}",
            "f", NULL, "L2 accesses");
    /* three that wait longer for one that is slower are its victims */
    culprit("\"slow\":{\"time\":5000,\"energy\":10},\"rest\":{\"time\":3000,\"wait\":300}}}",
            "\"slow\":{\"time\":6000,\"energy\":12,\"instructions\":2,\"at\":\"x.c\"},"
            "\"rest\":{\"time\":3010,\"wait\":3300,\"at\":\"x.c\"}}}",
            "slow", NULL, "instructions");
    /* who waits without anybody being slower is what there is to name */
    culprit(
        "\"a\":{\"time\":5000},\"b\":{\"time\":3000,\"wait\":300}}}",
        "\"a\":{\"time\":5010,\"at\":\"x.c\"},\"b\":{\"time\":3010,\"wait\":1300,\"at\":\"x.c\"}}}",
        "b", NULL, "waiting");
    /* what grew by next to nothing is not the reason */
    culprit("\"a\":{\"time\":5000}}}", "\"a\":{\"time\":5005,\"at\":\"x.c\"}}}", NULL, NULL, NULL);
    /* another name for a function is no new function */
    culprit("\"old\":{\"time\":5000},\"f\":{\"time\":1000,\"energy\":1}}}",
            "\"new\":{\"time\":5050,\"at\":\"x.c\"},"
            "\"f\":{\"time\":2000,\"energy\":9,\"memory\":8,\"at\":\"x.c\"}}}",
            "f", NULL, "memory accesses");
    /* what it calls of the runtime, if most of it is there; what others call of it does not count
     */
    culprit("\"f\":{\"time\":1000,\"energy\":1}},\"runtime\":{\"f > div\":{\"time\":100}}}",
            "\"f\":{\"time\":2000,\"energy\":9,\"l1\":8,\"at\":\"x.c\"}},"
            "\"runtime\":{\"f > div\":{\"time\":1000},\"ff > lock\":{\"time\":9000}}}",
            "f", "div", "L1 accesses");
    culprit("\"f\":{\"time\":1000,\"energy\":1}},\"runtime\":{\"f > div\":{\"time\":100}}}",
            "\"f\":{\"time\":2000,\"energy\":9,\"l1\":8,\"at\":\"x.c\"}},"
            "\"runtime\":{\"f > div\":{\"time\":500}}}",
            "f", NULL, "L1 accesses");
}

/* Figures: critical time, where both sides have it, is what the run depended on. */
static void makes_wait(void **state)
{
    (void)state;
    /* three poll while one works longer: they take more time, it is to blame */
    culprit("\"make\":{\"time\":600,\"critical\":300},\"get\":{\"time\":5000,\"wait\":300,"
            "\"critical\":900}}}",
            "\"make\":{\"time\":1500,\"critical\":1200,\"energy\":2,\"l1\":2,\"at\":\"x.c\"},"
            "\"get\":{\"time\":9000,\"wait\":3300,\"critical\":950,\"at\":\"x.c\"}}}",
            "make", NULL, "L1 accesses");
    /* a side without it is compared as before */
    culprit("\"a\":{\"time\":600},\"b\":{\"time\":5000}}}",
            "\"a\":{\"time\":1500,\"critical\":1200,\"at\":\"x.c\"},"
            "\"b\":{\"time\":9000,\"critical\":950,\"energy\":2,\"l2\":2,\"at\":\"x.c\"}}}",
            "b", NULL, "L2 accesses");
    /* not more work, but more often waiting: the one that waits, and who calls it more often */
    culprit("\"meet\":{\"time\":1000,\"calls\":100,\"critical\":10},\"relax\":{\"time\":900,"
            "\"critical\":300},"
            "\"worker\":{\"time\":10}},\"callers\":{\"worker > meet\":{\"calls\":100}}}",
            "\"meet\":{\"time\":2000,\"calls\":200,\"critical\":10,\"energy\":2,\"l1\":2,\"at\":"
            "\"x.c\"},"
            "\"relax\":{\"time\":901,\"critical\":800,\"at\":\"x.c\"},\"worker\":{\"time\":10,"
            "\"at\":\"x.c\"}},"
            "\"callers\":{\"worker > meet\":{\"calls\":200}}}",
            "worker", NULL, "L1 accesses");
}

/* A function whose calls of the scheduler cost more each reacts to others, unless none of them grew
 * by half as much, or it makes more of such calls. */
static void reacts(void **state)
{
    static const char base[] =
        "\"put\":{\"time\":3000,\"critical\":3000},\"make\":{\"time\":600,\"critical\":600}},"
        "\"runtime\":{\"put > signal\":{\"calls\":300,\"critical\":900,\"meets\":10}}}";

    (void)state;
    culprit(base,
            "\"put\":{\"time\":3800,\"critical\":3800,\"at\":\"x.c\"},"
            "\"make\":{\"time\":1100,\"critical\":1100,\"energy\":2,\"l1\":2,\"at\":\"x.c\"}},"
            "\"runtime\":{\"put > signal\":{\"calls\":300,\"critical\":1700,\"meets\":290}}}",
            "make", NULL, "L1 accesses");
    culprit(base,
            "\"put\":{\"time\":3800,\"critical\":3800,\"energy\":2,\"l1\":2,\"at\":\"x.c\"},"
            "\"make\":{\"time\":900,\"critical\":900,\"at\":\"x.c\"}},"
            "\"runtime\":{\"put > signal\":{\"calls\":300,\"critical\":1700,\"meets\":290}}}",
            "put", NULL, "L1 accesses");
    culprit(base,
            "\"put\":{\"time\":3800,\"critical\":3800,\"energy\":2,\"l1\":2,\"at\":\"x.c\"},"
            "\"make\":{\"time\":1100,\"critical\":1100,\"at\":\"x.c\"}},"
            "\"runtime\":{\"put > signal\":{\"calls\":600,\"critical\":1700,\"meets\":290}}}",
            "put", NULL, "L1 accesses");
}

static void calls_more(void **state)
{
    static const char base[] =
        "\"less\":{\"time\":1000,\"calls\":100},\"sort\":{\"time\":500,\"calls\":1}},"
        "\"callers\":{\"sort > less\":{\"calls\":90},\"main > less\":{\"calls\":10}}}";

    (void)state;
    /* a call costs the same: its caller is to blame */
    culprit(
        base,
        "\"less\":{\"time\":2000,\"calls\":200,\"energy\":2,\"l1\":2,\"at\":\"x.c\"},"
        "\"sort\":{\"time\":600,\"calls\":1,\"at\":\"x.c\"},\"main\":{\"time\":1,\"at\":\"x.c\"}},"
        "\"callers\":{\"sort > less\":{\"calls\":190},\"main > less\":{\"calls\":10}}}",
        "sort", NULL, "L1 accesses");
    /* a call costs more, or nobody calls it more often */
    culprit(base,
            "\"less\":{\"time\":2000,\"calls\":110,\"energy\":2,\"l1\":2,\"at\":\"x.c\"},"
            "\"sort\":{\"time\":600,\"calls\":1,\"at\":\"x.c\"}},"
            "\"callers\":{\"sort > less\":{\"calls\":100},\"main > less\":{\"calls\":10}}}",
            "less", NULL, "L1 accesses");
    culprit(base,
            "\"less\":{\"time\":2000,\"calls\":200,\"energy\":2,\"l1\":2,\"at\":\"x.c\"},"
            "\"sort\":{\"time\":600,\"calls\":1,\"at\":\"x.c\"}}}",
            "less", NULL, "L1 accesses");
    /* an inlined function has executions: its caller's, if it costs as much more */
    culprit("\"mix\":{\"time\":1000},\"count\":{\"time\":500,\"calls\":1}},"
            "\"callers\":{\"count > mix\":{\"calls\":700}}}",
            "\"mix\":{\"time\":1900,\"energy\":2,\"l1\":2,\"at\":\"x.c\"},"
            "\"count\":{\"time\":500,\"calls\":1,\"at\":\"x.c\"}},"
            "\"callers\":{\"count > mix\":{\"calls\":1400}}}",
            "count", NULL, "L1 accesses");
    culprit("\"mix\":{\"time\":4000},\"count\":{\"time\":500,\"calls\":1}},"
            "\"callers\":{\"count > mix\":{\"calls\":4}}}",
            "\"mix\":{\"time\":5900,\"energy\":2,\"l1\":2,\"at\":\"x.c\"},"
            "\"count\":{\"time\":500,\"calls\":1,\"at\":\"x.c\"}},"
            "\"callers\":{\"count > mix\":{\"calls\":8}}}",
            "mix", NULL, "L1 accesses");
}

/* A loop that became parallel is the same work under another name: sums are compared. */
static void outlined(void **state)
{
    (void)state;
    /* all of the loop moved, with what it calls: g grew */
    culprit("\"blur\":{\"time\":5000,\"calls\":4},\"g\":{\"time\":1000,\"energy\":1}}}",
            "\"blur\":{\"time\":100,\"calls\":4,\"at\":\"x.c\",\"line\":21},"
            "\"blur._omp_fn.0\":{\"time\":5000,\"calls\":16,\"at\":\"x.c\",\"line\":23},"
            "\"g\":{\"time\":2000,\"energy\":9,\"l2\":8,\"at\":\"x.c\"}}}",
            "g", NULL, "L2 accesses");
    /* it also became more expensive, and no function calls blur more often */
    culprit("\"blur\":{\"time\":5000,\"calls\":4,\"energy\":1},\"g\":{\"time\":1000}},"
            "\"runtime\":{\"blur > div\":{\"time\":10}},"
            "\"callers\":{\"main > blur\":{\"calls\":4}}}",
            "\"blur\":{\"time\":100,\"calls\":4,\"at\":\"x.c\",\"line\":21},"
            "\"blur._omp_fn.0\":{\"time\":6100,\"calls\":16,\"energy\":9,\"l1\":8,\"at\":\"x.c\"},"
            "\"g\":{\"time\":1000,\"at\":\"x.c\"},\"main\":{\"time\":1,\"at\":\"x.c\"}},"
            "\"runtime\":{\"blur._omp_fn.0 > div\":{\"time\":1200}},"
            "\"callers\":{\"main > blur\":{\"calls\":4},\"blur > blur._omp_fn.0\":{\"calls\":16}}}",
            "blur", "div", "L1 accesses");
    /* the other way round, without what is left of it; and a second region that shifts numbers */
    culprit("\"blur._omp_fn.0\":{\"time\":5000,\"energy\":1}}}",
            "\"blur\":{\"time\":6000,\"energy\":9,\"memory\":8,\"at\":\"x.c\"}}}", "blur", NULL,
            "memory accesses");
    culprit(
        "\"f\":{\"time\":1},\"f._omp_fn.0\":{\"time\":5000,\"energy\":1}}}",
        "\"f\":{\"time\":1,\"at\":\"x.c\"},\"f._omp_fn.0\":{\"time\":900,\"energy\":8,\"l1\":8},"
        "\"f._omp_fn.1\":{\"time\":5000,\"energy\":1}}}",
        "f", NULL, "L1 accesses");
    /* a region of both sides is compared by itself */
    culprit("\"f\":{\"time\":900},\"f._omp_fn.0\":{\"time\":5000,\"energy\":1}}}",
            "\"f\":{\"time\":900,\"at\":\"x.c\"},"
            "\"f._omp_fn.0\":{\"time\":6000,\"energy\":9,\"l2\":8,\"at\":\"x.c\"}}}",
            "f._omp_fn.0", NULL, "L2 accesses");
}

/* Less work in more of the run: the figures are those of the run. */
static void of_run(void **state)
{
    static const char base[] = "{\"functions\":{\"f\":{\"time\":4000,\"energy\":9,\"critical\":"
                               "1000,\"at\":\"x.c\",\"line\":3},"
                               "\"g\":{\"time\":500,\"critical\":500}}}";
    static const char now[] = "{\"functions\":{\"f\":{\"time\":3500,\"energy\":8,\"critical\":3500,"
                              "\"at\":\"x.c\",\"line\":3},"
                              "\"g\":{\"time\":500,\"critical\":500}}}";
    json_t *const a = json(base);
    json_t *const b = json(now);
    struct mpj_blame out;
    char text[200] = "";
    FILE *const f = fmemopen(text, sizeof(text), "w");

    (void)state;
    assert_int_equal(mpj_blame_find(a, b, "time", 2500, &out, &err), 0);
    mpj_blame_say(&out, false, f);
    mpj_blame_free(&out);
    assert_int_equal(mpj_blame_change(b, a, "energy", -20, &out, &err), 0);
    fputs("; ", f);
    mpj_blame_say(&out, false, f);
    mpj_blame_free(&out);
    fclose(f);
    assert_string_equal(text,
                        "f (x.c:3) takes 3.5000 us of the run instead of 1.0000 us; "
                        "f (x.c:3) takes 1.0000 us of the run instead of 3.5000 us; cause: time");
    json_decref(a);
    json_decref(b);
}

static void kept(void **state)
{
    struct mpj_gate_limits none = {.n = 0};
    json_t *const sample =
        json("{\"figures\":{\"time\":10,\"energy\":5,\"instr\":7,\"ext_req\":3},\"functions\":{"
             "\"f\":{\"time\":9000,\"energy\":100,\"l1\":40,\"stall\":0,\"at\":\"x.c\",\"line\":3,"
             "\"source\":17},"
             "\"small\":{\"time\":1}},\"regions\":{\"r\":{\"calls\":1}},\"marks\":{},"
             "\"runtime\":{\"f > div\":{\"time\":500},\"f > free\":{\"time\":5}}}");
    json_t *const want = json("{\"figures\":{\"time\":10,\"energy\":5,\"instr\":7},\"functions\":{"
                              "\"f\":{\"time\":9000,\"energy\":100,\"l1\":40,\"source\":17}},"
                              "\"regions\":{\"r\":{\"calls\":1}},"
                              "\"runtime\":{\"f > div\":{\"time\":500}}}");
    json_t *const got = mpj_gate_reduce(sample, &none, false);

    (void)state;
    if (!json_equal(got, want))
        fail_msg("%s", json_dumps(got, JSON_SORT_KEYS));
    json_decref(sample);
    json_decref(want);
    json_decref(got);
}

/* Of samples of one program: medians, and a hash that is no figure. */
static void merged(void **state)
{
    json_t *const same[] = {
        json("{\"figures\":{},\"functions\":{\"f\":{\"time\":1,\"source\":\"0123456789abcdef\"}}}"),
        json("{\"figures\":{},\"functions\":{\"f\":{\"time\":3,\"source\":\"0123456789abcdef\"}}}"),
        json("{\"figures\":{},\"functions\":{\"f\":{\"time\":2}}}"),
        json("{\"figures\":{},\"functions\":{\"f\":{\"time\":2,\"source\":\"5\"}}}"),
    };

    (void)state;
    for (unsigned n = 3; n <= 4; n++) {
        json_t *const o = mpj_gate_merge(same, n);
        const json_t *const f = json_object_get(json_object_get(o, "functions"), "f");
        assert_int_equal(json_integer_value(json_object_get(f, "time")), 2);
        if (n == 3)
            assert_string_equal(json_string_value(json_object_get(f, "source")),
                                "0123456789abcdef");
        else
            assert_null(json_object_get(f, "source"));
        json_decref(o);
    }
    for (unsigned i = 0; i < 4; i++)
        json_decref(same[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(luck),     cmocka_unit_test(looks),      cmocka_unit_test(blame),
        cmocka_unit_test(reacts),   cmocka_unit_test(makes_wait), cmocka_unit_test(calls_more),
        cmocka_unit_test(outlined), cmocka_unit_test(of_run),     cmocka_unit_test(kept),
        cmocka_unit_test(merged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
