/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any text as the baseline of a gate: refused with one line, or its programs are compared with a
 * sound sample, and with each other, reduced, and written by every writer. Limits are those of the
 * member "limits" of the same file, rows of [kind, name, item, text], or else the usual ones.
 */
#include "fuzz.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_file.h"
#include "gate/judge.h"

static const char *const measured =
    "{\"program\":{\"name\":\"p.elf\",\"sha256\":\"12\"},\"tools\":{\"version\":\"1\"},"
    "\"samples\":2,\"figures\":{\"time\":[2000,2100],\"energy\":[900,910],\"instr\":5000},"
    "\"functions\":{\"f\":{\"time\":1500,\"wait\":7,\"energy\":800,\"l1\":40,\"calls\":3,"
    "\"at\":\"x.c\",\"line\":3},\"g\":{\"time\":[300,400],\"energy\":[90,100]}},"
    "\"regions\":{\"main:7\":{\"time\":900,\"energy\":70,\"calls\":1}},"
    "\"marks\":{\"begin\":{\"time\":100,\"energy\":5,\"calls\":1}},"
    "\"runtime\":{\"f > memcpy\":{\"time\":600,\"energy\":70}}}";

static void add(struct mpj_gate_limits *l, enum mpj_gate_kind kind, const char *name,
                const char *item, const char *text)
{
    struct mpj_err err;

    if (mpj_gate_limit_add(l, kind, name, item, text, &err) != MPJ_E_OK)
        abort();
}

static void usual_limits(struct mpj_gate_limits *l)
{
    add(l, MPJ_GATE_WHOLE, NULL, "time", "1 %");
    add(l, MPJ_GATE_WHOLE, NULL, "energy", "0 %");
    add(l, MPJ_GATE_WHOLE, NULL, "energy", "1 mJ");
    add(l, MPJ_GATE_WHOLE, NULL, "instr", "0 %");
    add(l, MPJ_GATE_FUNCTION, "f", "calls", "0 %");
    add(l, MPJ_GATE_FUNCTION, "w", "time", "2 %");
    add(l, MPJ_GATE_REGION, "main:7", "energy", "2 %");
    add(l, MPJ_GATE_MARK, "begin", "time", "50 ns");
}

static void one_line(const struct mpj_err *err)
{
    if (err->text[0] == '\0' || strchr(err->text, '\n') != NULL)
        abort();
}

/* Adds the limits of the file, those that are good. */
static void read_limits(struct mpj_gate_limits *l, const char *data, size_t size)
{
    json_t *const root = json_loadb(data, size, JSON_REJECT_DUPLICATES, NULL);
    struct mpj_err err;
    json_t *row;
    size_t i;

    json_array_foreach(json_object_get(root, "limits"), i, row)
    {
        const json_int_t kind = json_integer_value(json_array_get(row, 0));
        const char *const name = json_string_value(json_array_get(row, 1));
        const char *const item = json_string_value(json_array_get(row, 2));
        const char *const text = json_string_value(json_array_get(row, 3));

        if (kind < 0 || kind >= (json_int_t)MPJ_GATE_KINDS || item == NULL || text == NULL ||
            (name == NULL) != (kind == (json_int_t)MPJ_GATE_WHOLE))
            continue;
        if (mpj_gate_limit_add(l, (enum mpj_gate_kind)kind, name, item, text, &err) != MPJ_E_OK)
            one_line(&err);
    }
    json_decref(root);
    if (mpj_gate_limits_check(l, &err) != MPJ_E_OK) {
        one_line(&err);
        mpj_gate_limits_free(l);
    }
    if (l->n == 0)
        usual_limits(l);
}

static FILE *nowhere(void)
{
    static FILE *null;

    if (null == NULL && (null = fopen("/dev/null", "w")) == NULL)
        abort();
    return null;
}

static void show(struct mpj_gate_program *p)
{
    static const char *const names[] = {"table",       "markdown",    "junit", "sarif",
                                        "codequality", "openmetrics", "json"};
    struct mpj_gate_result r = {.programs = 1, .program = p, .layouts = true};
    struct mpj_err err;

    mpj_gate_conclude(&r);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct mpj_gate_writer *const w = mpj_gate_writer_find(names[i], &err);
        if (w == NULL)
            abort();
        (void)w->put(&r, nowhere(), &err);
    }
}

/* Explains how the items of the whole program changed, and says it. */
static void explain(const json_t *base, const json_t *now)
{
    static const char *const items[] = {"time", "energy", "instr"};

    for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
        const double change =
            mpj_gate_figure(json_object_get(now, "figures"), items[i], NULL, NULL) -
            mpj_gate_figure(json_object_get(base, "figures"), items[i], NULL, NULL);
        json_t *const o = json_object();
        struct mpj_blame b;
        struct mpj_err err;

        if (mpj_blame_change(base, now, items[i], change, &b, &err) != MPJ_E_OK ||
            (b.culprit != NULL && (isnan(b.base) || isnan(b.now))))
            abort();
        mpj_blame_say(&b, false, nowhere());
        mpj_blame_say(&b, true, nowhere());
        mpj_blame_json(&b, o);
        if ((b.culprit != NULL) != (json_object_size(o) > 0))
            abort();
        json_decref(o);
        mpj_blame_free(&b);
    }
}

static void compare(const struct mpj_gate_limits *l, const char *name, json_t *base, json_t *now,
                    bool board)
{
    struct mpj_gate_program p = {.name = strdup(name),
                                 .file = strdup("p.c"),
                                 .base = json_incref(base),
                                 .now = json_incref(now),
                                 .limits = l};
    struct mpj_err err;

    if (p.name == NULL || p.file == NULL || mpj_gate_judge(&p, board, &err) != MPJ_E_OK)
        abort();
    if (base != NULL && now != NULL) {
        (void)mpj_gate_doubtful(&p);
        explain(base, now);
    }
    show(&p);
    mpj_gate_program_free(&p);
}

/* What is written is read again, and the same. */
static void again(json_t *programs)
{
    const char *const path = fuzz_file_as("again.json", (const uint8_t *)"", 0);
    bool missing;
    struct mpj_err err;
    json_t *back;

    if (mpj_gate_baseline_write(path, programs, &err) != MPJ_E_OK)
        abort();
    back = mpj_gate_baseline_read(path, &missing, &err);
    if (back == NULL || json_equal(back, programs) != 1)
        abort();
    json_decref(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static json_t *sample;
    bool missing;
    struct mpj_err err;
    const char *name;
    json_t *program;
    json_t *before = NULL;
    json_t *programs;
    struct mpj_gate_limits l = {.n = 0};

    if (sample == NULL && (sample = json_loads(measured, 0, NULL)) == NULL)
        abort();
    programs = mpj_gate_baseline_read(fuzz_file(data, size), &missing, &err);
    if (programs == NULL) {
        if (missing)
            abort();
        one_line(&err);
        return 0;
    }
    read_limits(&l, (const char *)data, size);
    json_object_foreach(programs, name, program)
    {
        compare(&l, name, program, sample, size % 2U != 0);
        compare(&l, name, sample, program, false);
        compare(&l, name, program, before, size % 2U != 0);
        compare(&l, name, before, program, false);
        json_decref(mpj_gate_reduce(program, &l, size % 2U != 0));
        before = program;
    }
    mpj_gate_limits_free(&l);
    again(programs);
    json_decref(programs);
    return 0;
}

/* ---- valid inputs ------------------------------------------------------------------------ */

/* What makes the second program of a seed another one than the first. */
enum story {
    NOTHING,
    CALLS,
    LIBRARY,
    SLOWER,
    WAITS,
    ACCESSES,
    RENAMED,
    SEVERAL,
    REGION,
    TERMS,
    STORIES
};

struct row {
    const char *name;
    const char *at; /* NULL: not of the program */
    uint32_t time, critical, wait, energy, l2, calls;
};
enum { MAIN, F, G, W, ROWS };

struct program {
    struct row row[ROWS];
    uint32_t edge, library, region, lost; /* lost: energy of no function */
    const char *tools;
};

static struct {
    char text[8000];
    size_t n;
} out_text;

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...)
{
    va_list ap;
    int n;

    va_start(ap, format);
    n = vsnprintf(out_text.text + out_text.n, sizeof(out_text.text) - out_text.n, format, ap);
    va_end(ap);
    if (n < 0 || (size_t)n >= sizeof(out_text.text) - out_text.n)
        abort();
    out_text.n += (size_t)n;
}

/* Makes a row k times as large by calls of it, or by the work of each. */
static void grow(struct row *r, uint32_t k, bool calls)
{
    r->time *= k;
    r->critical *= k;
    r->energy *= k;
    r->l2 *= k;
    r->calls *= calls ? k : 1U;
}

static void change(struct program *p, enum story story, uint32_t k)
{
    struct row *const f = &p->row[F];

    if (story == CALLS) {
        grow(f, k, true);
        p->edge *= k;
    } else if (story == LIBRARY) {
        f->time += 1000 * k;
        p->library += 1000 * k;
    } else if (story == SLOWER) {
        grow(f, k, false);
        p->row[W].wait *= k;
        p->lost *= k;
    } else if (story == WAITS) {
        p->row[W].wait *= k;
        p->row[W].calls *= k;
        f->critical *= k;
    } else if (story == ACCESSES) {
        f->energy += 100 * k;
        f->l2 += 100 * k;
    } else if (story == RENAMED) {
        f->name = "h";
    } else if (story == SEVERAL) {
        f->name = "x.c:f";
        p->row[G].name = "y.c:f";
    } else if (story == REGION) {
        p->region *= k;
    } else if (story == TERMS) {
        static const char *const tools[] = {"\"mpjoule\": \"2\", \"emulator_sha256\": \"34\"",
                                            "\"quantum\": \"2\"", "\"target\": \"tile\""};
        p->tools = tools[k % 3U];
    }
}

/* Writes a figure of all samples: equal ones, or one of each layout. */
static void put_figure(const char *item, uint32_t v, unsigned samples, uint32_t (*rng)(void))
{
    put("\"%s\": ", item);
    if (samples < 2) {
        put("%u", (unsigned)v);
        return;
    }
    for (unsigned i = 0; i < samples; i++)
        put("%s%u", i > 0 ? "," : "[", (unsigned)(v + rng() % 8U));
    put("]");
}

static void put_row(const struct row *r, bool critical)
{
    put("\n \"%s\": {\"time\": %u, \"energy\": %u, \"calls\": %u", r->name, (unsigned)r->time,
        (unsigned)r->energy, (unsigned)r->calls);
    if (critical)
        put(", \"critical\": %u", (unsigned)r->critical);
    if (r->wait > 0)
        put(", \"wait\": %u", (unsigned)r->wait);
    if (r->l2 > 0)
        put(", \"l2\": %u", (unsigned)r->l2);
    if (r->at != NULL)
        put(", \"at\": \"%s\", \"line\": 3, \"source\": \"%016x\"", r->at, (unsigned)r->l2);
    put("}");
}

static void put_program(const struct program *p, unsigned samples, bool critical, bool functions,
                        uint32_t (*rng)(void))
{
    uint32_t time = p->region;
    uint32_t energy = p->region + p->lost;

    for (unsigned i = 0; i < ROWS; i++) {
        time += p->row[i].critical + p->row[i].wait;
        energy += p->row[i].energy;
    }
    put("{\"program\": {\"sha256\": \"%u\"}, \"tools\": {%s}, ", (unsigned)(rng() % 2U), p->tools);
    if (samples > 1)
        put("\"samples\": %u, ", samples);
    put("\"figures\": {");
    put_figure("time", time, samples, rng);
    put(", ");
    put_figure("energy", energy, samples, rng);
    put(", \"instr\": %u},\n\"functions\": {", (unsigned)time);
    for (unsigned i = 0; functions && i < ROWS; i++) {
        put_row(&p->row[i], critical);
        put("%s", i + 1U < ROWS ? "," : "");
    }
    put("},\n\"callers\": {\"main > %s\": {\"calls\": %u}},\n", p->row[F].name, (unsigned)p->edge);
    put("\"runtime\": {\"%s > memcpy\": {\"time\": %u, \"energy\": 7}},\n", p->row[F].name,
        (unsigned)p->library);
    put("\"regions\": {\"main:7\": {\"time\": %u, \"energy\": %u, \"calls\": 1}},\n",
        (unsigned)p->region, (unsigned)p->region);
    put("\"marks\": {\"begin\": {\"time\": %u, \"calls\": 1}}}", (unsigned)p->region);
}

/* Writes limits, bad ones and contradictory ones among them. */
static void put_limits(uint32_t (*rng)(void))
{
    static const char *const limit[] = {
        "[0, null, \"time\", \"1 %\"]",       "[0, null, \"time\", \"3 us\"]",
        "[0, null, \"energy\", \"0 %\"]",     "[0, null, \"instr\", \"100\"]",
        "[0, null, \"calls\", \"1\"]",        "[0, null, \"time\", \"1 mJ\"]",
        "[0, null, \"energy\", \"-1\"]",      "[0, null, \"l1d_miss\", \"1 x\"]",
        "[1, \"f\", \"time\", \"0 %\"]",      "[1, \"f\", \"calls\", \"2\"]",
        "[1, \"w\", \"energy\", \"1 J\"]",    "[2, \"main:7\", \"time\", \"1 ms\"]",
        "[2, \"main:8\", \"time\", \"1 %\"]", "[3, \"begin\", \"time\", \"0 %\"]",
    };

    put("\"limits\": [");
    for (uint32_t i = 1 + rng() % 4U; i > 0; i--)
        put("%s%s", limit[rng() % (sizeof(limit) / sizeof(limit[0]))], i > 1 ? ",\n " : "],\n");
}

/* One program, or two of which the second has changed. */
size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    static const unsigned layouts[] = {1, 2, 5, 9};
    struct program p = {.row = {{"main", "m.c", 500, 400, 0, 60, 0, 1},
                                {"f", "x.c", 1500, 1200, 0, 800, 40, 3},
                                {"g", NULL, 300, 100, 0, 90, 0, 9},
                                {"w", "w.c", 200, 10, 700, 50, 0, 2}},
                        .edge = 3,
                        .library = 200,
                        .region = 900,
                        .lost = 100,
                        .tools = "\"mpjoule\": \"1\", \"quantum\": \"1\""};
    const bool critical = rng() % 2U == 0;
    const bool functions = rng() % 8U != 0;

    out_text.n = 0;
    put("{\"schema\": \"" MPJ_GATE_BASELINE "\", ");
    if (rng() % 2U == 0)
        put_limits(rng);
    put("\"programs\": {");
    for (uint32_t i = 0, n = 1 + rng() % 4U; i < 2 && i < n; i++) {
        const enum story story = (enum story)(rng() % STORIES);
        if (i > 0)
            change(&p, story, 2 + rng() % 8U);
        put("%s\"p%u\": ", i > 0 ? ",\n" : "", (unsigned)i);
        put_program(&p, layouts[rng() % 4U], critical, functions, rng);
    }
    put("}}\n");
    if (out_text.n > cap)
        return 0;
    memcpy(out, out_text.text, out_text.n);
    return out_text.n;
}
