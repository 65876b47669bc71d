/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any text as what two tasks of other machines left. The input has one result before its first 0
 * byte, the other and the task's messages behind it and the next. Four runs were asked for, k2 of
 * both tasks.
 */
#include "fuzz.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine_int.h"
#include "fuzz_file.h"

#define JOBS 4U

static const char *const asked[] = {
    "{\"identity\":{\"version\":\"1\",\"emulator\":\"e\",\"calibrations\":{\"c\":\"12\"}},"
    "\"orders\":[{\"key\":\"k0\"},{\"key\":\"k1\"},{\"key\":\"k2\",\"twice\":true}]}",
    "{\"identity\":{\"version\":\"1\",\"emulator\":\"e\",\"calibrations\":{\"c\":\"12\"}},"
    "\"orders\":[{\"key\":\"k2\",\"twice\":true},{\"key\":\"k3\"}]}"};

static json_t *order(void *ctx, unsigned job, struct mpj_err *err)
{
    char key[8];

    (void)ctx;
    (void)err;
    if (job >= JOBS)
        abort();
    snprintf(key, sizeof(key), "k%u", job);
    return json_pack("{s:s}", "key", key);
}

static int take(void *ctx, unsigned job, const json_t *result, struct mpj_err *err)
{
    (void)ctx;
    (void)err;
    if (job >= JOBS || !json_is_true(json_object_get(result, "same")))
        abort();
    return MPJ_E_OK;
}

/* What this machine gets: the number in the key. */
static int execute(void *executor, const json_t *asks, const char *stem, const struct run_place *at,
                   json_t **result, struct mpj_err *err)
{
    const char *const key = json_string_value(json_object_get(asks, "key"));

    (void)executor;
    (void)stem;
    (void)at;
    (void)err;
    *result = json_pack("{s:b,s:i}", "same", 1, "value", key[1] - '0');
    return MPJ_E_OK;
}

static void note(const char *text)
{
    if (text[0] == '\0')
        abort();
}

static const struct run_work work = {.name = "fuzz", .execute = execute};
static const struct run_engine engine = {.kind = RUN_ENGINE_PARALLEL, .jobs = 1, .note = note};

/* The part up to a 0 byte as a file; what is behind that. */
static const uint8_t *part(const char *name, const uint8_t *data, size_t *size)
{
    const uint8_t *const end = *size > 0 ? memchr(data, 0, *size) : NULL;
    const size_t n = end != NULL ? (size_t)(end - data) : *size;

    fuzz_file_as(name, data, n);
    *size -= end != NULL ? n + 1 : n;
    return data + n + (end != NULL);
}

/* Each run is taken, to be made here, or still to be made: no two of these. */
static void check(const struct run_spread *s)
{
    unsigned seen = 0;

    if (s->todos > JOBS || s->locals > JOBS || s->todos + s->locals > JOBS)
        abort();
    for (unsigned i = 0; i < s->todos + s->locals; i++) {
        const unsigned job = i < s->todos ? s->todo[i] : s->local[i - s->todos];
        if (job >= JOBS || (seen >> job & 1U) != 0)
            abort();
        seen |= 1U << job;
    }
    if (s->done != JOBS - s->todos - s->locals)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct run_batch b = {.work = &work,
                                .engine = &engine,
                                .folder = fuzz_folder(),
                                .jobs = JOBS,
                                .order = order,
                                .take = take};
    struct run_spread s = {.b = &b,
                           .todo = calloc(JOBS, sizeof(*s.todo)),
                           .todos = JOBS,
                           .local = calloc(JOBS, sizeof(*s.local)),
                           .distrusted = json_object(),
                           .made = json_object(),
                           .jobs = json_object()};
    struct mpj_err why = {.code = MPJ_E_OK};
    struct mpj_err err;
    json_t *now;

    if (s.todo == NULL || s.local == NULL)
        abort();
    for (unsigned i = 0; i < JOBS; i++)
        s.todo[i] = i;
    fuzz_file_as("0.task", (const uint8_t *)asked[0], strlen(asked[0]));
    fuzz_file_as("1.task", (const uint8_t *)asked[1], strlen(asked[1]));
    data = part("0.result", data, &size);
    data = part("1.result", data, &size);
    part("1.err", data, &size);
    now =
        json_pack("{s:s,s:s,s:{s:s}}", "version", "1", "emulator", "e", "calibrations", "c", "12");
    for (unsigned i = 0; i < 2; i++) { /* the second round brings the same */
        if (run_round_collect(&s, fuzz_folder(), i > 0 ? now : NULL, &why, &err) != MPJ_E_OK)
            abort();
        check(&s);
    }
    if (why.code != MPJ_E_OK && strchr(why.text, '\n') != NULL)
        abort();
    json_decref(now);
    json_decref(s.distrusted);
    json_decref(s.made);
    json_decref(s.jobs);
    free(s.todo);
    free(s.local);
    return 0;
}

static size_t one(char *text, size_t size, const char *node, uint32_t (*rng)(void))
{
    static const char *const why[] = {"", "\"n1\":\"another emulator\"", "\"n2\":7"};
    int n =
        snprintf(text, size, "{\"schema\":\"mpjoule-task-result/1\",\"refused\":{%s},\"results\":{",
                 why[rng() % 16U < 14U ? 0 : rng() % 3U]);

    for (unsigned i = 0; i < JOBS; i++) {
        const uint32_t r = rng();
        n += snprintf(
            text + n, size - (size_t)n,
            "%s\"k%u\":{\"node\":\"%s\",\"seconds\":0.5,\"result\":{\"same\":%s,\"value\":"
            "%u}}",
            i > 0 ? "," : "", i, node, r % 8U != 0 ? "true" : "false", r / 8U % 8U != 0 ? i : 9U);
    }
    return (size_t)(n + snprintf(text + n, size - (size_t)n, "}}"));
}

size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    char text[2000];
    size_t n = one(text, 900, "n1", rng) + 1;

    n += one(text + n, 900, rng() % 2U != 0 ? "n1" : "n2", rng) + 1;
    n += (size_t)snprintf(text + n, sizeof(text) - n, "mpjoule: no space left\n");
    if (n > cap)
        return 0;
    memcpy(out, text, n);
    return n;
}
