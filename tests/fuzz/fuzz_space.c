/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any text as the space of a tune: axes, options, expressions; then as what a point of a sound
 * space left of its measurement. The first byte says which: odd, a point.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_file.h"
#include "search/sweep.h"
#include "tune_int.h"

static const char *const sound =
    "axes: {threads: 1..3, size: [a, b]}\nprogram: p.elf\narguments: [\"{threads}\", \"{size}\"]\n"
    "objectives: [energy * time, time]\ncaps: time < 5\n";

/* Each text of a space that may hold {AXIS}, and each expression. */
static void use(struct run_tune *t)
{
    const struct run_tune_point p = {.index = {0}};
    json_t *const figures = json_pack("{s:f,s:i,s:n}", "time", 0.5, "instr", 7, "energy");
    struct run_tune_exprs exprs = {.db = NULL};
    const struct run_tune_list *const lists[] = {&t->constraint, &t->cap, &t->objective};
    struct mpj_err err;
    double v;

    if (figures == NULL)
        abort();
    (void)run_tune_check(t, &err);
    for (unsigned i = 0; i < t->axes; i++) {
        if (t->axis[i].values == 0)
            goto out; /* an option gives them */
    }
    for (unsigned i = 0; i < t->argument.n; i++)
        free(run_tune_fill(t, &p, t->argument.at[i].text));
    if (run_tune_exprs(&exprs, t, &err) == MPJ_E_OK) {
        const struct run_tune_expr *const list[] = {exprs.constraint, exprs.cap, exprs.objective};
        for (size_t l = 0; l < sizeof(lists) / sizeof(lists[0]); l++) {
            for (unsigned i = 0; i < lists[l]->n; i++)
                (void)run_tune_value(&list[l][i], t, &p, figures, &v);
        }
    } else if (err.text[0] == '\0') {
        abort();
    }
    run_tune_exprs_free(&exprs, t);
out:
    json_decref(figures);
}

static void space(const uint8_t *data, size_t size)
{
    struct run_tune t = {.axes = 0};
    struct mpj_err err;

    if (run_tune_read(&t, fuzz_file(data, size), &err) == MPJ_E_OK)
        use(&t);
    else if (err.text[0] == '\0')
        abort();
    run_tune_free(&t);
}

/* The same text as the values of an axis. */
static void axis(const uint8_t *data, size_t size)
{
    struct run_tune t = {.axes = 0};
    static struct run_sweep s;
    struct mpj_err err;
    char *const text = strndup((const char *)data, size);

    memset(&s, 0, sizeof(s));
    if (text == NULL)
        abort();
    (void)run_tune_axis(&t, "a", text, &err);
    (void)run_sweep_axis(&s, size % 2U ? NULL : "A", text, &err);
    run_sweep_free(&s);
    run_tune_free(&t);
    free(text);
}

static void point(const uint8_t *data, size_t size)
{
    struct run_tune t = {.axes = 0};
    struct run_tune_point p = {.index = {0}};
    struct mpj_err err;
    char stem[100];

    if (run_tune_read(&t, fuzz_file((const uint8_t *)sound, strlen(sound)), &err) != MPJ_E_OK)
        abort();
    (void)fuzz_file_as("point.json", data, size);
    snprintf(stem, sizeof(stem), "%s/point", fuzz_folder());
    p.stem = stem;
    if (run_tune_take(&t, &p, &err) && p.state == RUN_TUNE_NEW)
        abort();
    free(p.reason);
    run_tune_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    if (data[0] % 2U != 0) {
        point(data + 1, size - 1);
    } else {
        space(data + 1, size - 1);
        if (size < 100)
            axis(data + 1, size - 1);
    }
    return 0;
}

size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    static const char *const line[] = {"axes: {threads: \"1,2\", cores: 1..4, flag: [-O2, -O3]}",
                                       "axes: {a: 5..1}",
                                       "axes: {a: [1, 1]}",
                                       "axes: {a: [], b: 1}",
                                       "axes: {1a: 1}",
                                       "axes: {a: 1, A: 2}",
                                       "axes: [1]",
                                       "program: \"{flag}.elf\"",
                                       "program:",
                                       "sources: [a.c, b.c]",
                                       "sources: {a.c: \"{flag}\", b.c: -O1}",
                                       "sources: {a.c: [1]}",
                                       "compiler: \"{flag} {no}\"",
                                       "arguments: [\"{threads}\", \"{\", \"{cores}x{flag}\"]",
                                       "arguments: one",
                                       "arguments: {a: b}",
                                       "arguments: [[a]]",
                                       "environment: {OMP_NUM_THREADS: \"{threads}\"}",
                                       "run: {cores: \"{cores}\", calibration: mprofiler}",
                                       "chip: {l2_kb: 128}",
                                       "constraints: [\"threads <= cores\", \"flag = '-O2'\"]",
                                       "caps: energy < 1e3; drop",
                                       "caps: \"1; SELECT 2\"",
                                       "objectives: [energy, \"time * instr\", nothing, \"(\"]",
                                       "? [a]\n: b",
                                       "other: 1"};
    static const char *const left[] = {
        "{\"figures\":{\"time\":0.5,\"energy\":2}}", "{\"figures\":{\"time\":9,\"energy\":null}}",
        "{\"failed\":\"it did\"}", "{\"figures\":{\"a\\\"b\":\"c\",\"time\":1}}", "[]"};
    char text[2000];
    size_t n = 0;

    if (cap < 1)
        return 0;
    out[0] = (uint8_t)(rng() % 4U == 0);
    if (out[0] != 0)
        n = (size_t)snprintf(text, sizeof(text), "%s",
                             left[rng() % (sizeof(left) / sizeof(left[0]))]);
    else if (rng() % 8U == 0)
        n = (size_t)snprintf(text, sizeof(text), "1..%u,a,7", (unsigned)rng() % 300U);
    else if (rng() % 4U == 0)
        n = (size_t)snprintf(text, sizeof(text), "%s", sound);
    for (uint32_t i = rng() % 8U; out[0] == 0 && i > 0; i--)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s\n",
                              line[rng() % (sizeof(line) / sizeof(line[0]))]);
    n = n < cap - 1 ? n : cap - 1;
    memcpy(out + 1, text, n);
    return n + 1;
}
