/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any text as the baseline of a gate: refused with one line, or its programs are compared with a
 * sound sample, and with each other, reduced, and written by every writer.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static const struct mpj_gate_limits *limits(void)
{
    static struct mpj_gate_limits l;

    if (l.n == 0) {
        add(&l, MPJ_GATE_WHOLE, NULL, "time", "1 %");
        add(&l, MPJ_GATE_WHOLE, NULL, "energy", "1 mJ");
        add(&l, MPJ_GATE_WHOLE, NULL, "instr", "0 %");
        add(&l, MPJ_GATE_FUNCTION, "f", "calls", "0 %");
        add(&l, MPJ_GATE_REGION, "main:7", "energy", "2 %");
        add(&l, MPJ_GATE_MARK, "begin", "time", "50 ns");
    }
    return &l;
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

static void compare(const char *name, json_t *base, json_t *now, bool board)
{
    struct mpj_gate_program p = {.name = strdup(name),
                                 .file = strdup("p.c"),
                                 .base = json_incref(base),
                                 .now = json_incref(now),
                                 .limits = limits()};
    struct mpj_err err;

    if (p.name == NULL || p.file == NULL || mpj_gate_judge(&p, board, &err) != MPJ_E_OK)
        abort();
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

    if (sample == NULL && (sample = json_loads(measured, 0, NULL)) == NULL)
        abort();
    programs = mpj_gate_baseline_read(fuzz_file(data, size), &missing, &err);
    if (programs == NULL) {
        if (missing || err.text[0] == '\0' || strchr(err.text, '\n') != NULL)
            abort();
        return 0;
    }
    json_object_foreach(programs, name, program)
    {
        compare(name, program, sample, size % 2U != 0);
        compare(name, sample, program, false);
        compare(name, program, before, true);
        json_decref(mpj_gate_reduce(program, limits(), false));
        before = program;
    }
    again(programs);
    json_decref(programs);
    return 0;
}

size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    char text[2000];
    int n = snprintf(text, sizeof(text), "{\"schema\": \"" MPJ_GATE_BASELINE "\", \"programs\": {");

    for (uint32_t i = rng() % 3U; i > 0; i--)
        n += snprintf(text + n, sizeof(text) - (size_t)n, "\"p%u\": %s%s", (unsigned)i, measured,
                      i > 1 ? ",\n" : "");
    n += snprintf(text + n, sizeof(text) - (size_t)n, "}}\n");
    if ((size_t)n > cap)
        return 0;
    memcpy(out, text, (size_t)n);
    return (size_t)n;
}
