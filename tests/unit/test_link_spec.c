/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SPEC.md against the code: tables of numbers and the worked example. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mpj_records.h"

static char *spec;

static int load(void **state)
{
    FILE *f = fopen(MPJ_SPEC, "rb");
    long n;

    (void)state;
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    n = ftell(f);
    rewind(f);
    spec = calloc(1, (size_t)n + 1);
    assert_int_equal(fread(spec, 1, (size_t)n, f), n);
    fclose(f);
    return 0;
}

static int unload(void **state)
{
    (void)state;
    free(spec);
    return 0;
}

/* The row of a table says this number for this name. */
static void row(const char *name, unsigned value, const char *format)
{
    char want[80];
    char number[16];

    snprintf(number, sizeof(number), format, value);
    snprintf(want, sizeof(want), "| `%s` | %s |", name, number);
    if (strstr(spec, want) == NULL)
        fail_msg("SPEC.md has no row \"%s\"", want);
}

static void numbers(void **state)
{
    static const struct {
        const char *name;
        unsigned value;
    } rows[] = {
        {"DATA", MPJ_FRAME_DATA},
        {"IO_REQ", MPJ_FRAME_IO_REQ},
        {"START", MPJ_FRAME_START},
        {"IO_REPLY", MPJ_FRAME_IO_REPLY},
        {"STOP", MPJ_FRAME_STOP},
        {"ACK", MPJ_FRAME_ACK},
        {"POLL", MPJ_FRAME_POLL},
        {"RATE", MPJ_FRAME_RATE},
        {"ECHO", MPJ_FRAME_ECHO},
        {"HELLO", MPJ_FRAME_HELLO},
        {"END", MPJ_FRAME_END},
        {"HELLO", MPJ_REC_HELLO},
        {"CONFIG", MPJ_REC_CONFIG},
        {"ARG", MPJ_REC_ARG},
        {"ENV", MPJ_REC_ENV},
        {"GO", MPJ_REC_GO},
        {"END", MPJ_REC_END},
        {"ROTATION", MPJ_REC_ROTATION},
        {"CONSOLE_OUT", MPJ_REC_CONSOLE_OUT},
        {"CONSOLE_ERR", MPJ_REC_CONSOLE_ERR},
        {"CORE", MPJ_REC_CORE},
        {"SCU", MPJ_REC_SCU},
        {"L2", MPJ_REC_L2},
        {"ADC", MPJ_REC_ADC},
        {"FAULT", MPJ_REC_FAULT},
        {"ERROR", MPJ_REC_ERROR},
        {"MARK", MPJ_REC_MARK},
        {"RUN_BEGIN", MPJ_REC_RUN_BEGIN},
        {"RUN_END", MPJ_REC_RUN_END},
        {"DROPPED", MPJ_REC_DROPPED},
        {"TIME", MPJ_REC_TIME},
        {"THREAD", MPJ_REC_THREAD},
        {"THREAD_SWITCH", MPJ_REC_THREAD_SWITCH},
        {"THREAD_END", MPJ_REC_THREAD_END},
        {"REGION", MPJ_REC_REGION},
        {"FUNCTION", MPJ_REC_FUNCTION},
        {"SYNC_WAIT", MPJ_REC_SYNC_WAIT},
        {"SYNC_OBJECT", MPJ_REC_SYNC_OBJECT},
        {"NAME", MPJ_REC_NAME},
        {"IO_REQ", MPJ_REC_IO_REQ},
        {"IO_REPLY", MPJ_REC_IO_REPLY},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        row(rows[i].name, rows[i].value, "0x%02x");
    row("MPJ_FRAME_PAYLOAD_MAX", MPJ_FRAME_PAYLOAD_MAX, "%u");
    row("MPJ_FRAME_RAW_MAX", MPJ_FRAME_RAW_MAX, "%u");
    row("MPJ_FRAME_WIRE_MAX", MPJ_FRAME_WIRE_MAX, "%u");
    assert_non_null(strstr(spec, "\nVersion 1. "));
    assert_int_equal(MPJ_LINK_VERSION, 1);
}

/* Bytes of a fenced block. */
static size_t example(const char *name, uint8_t *out, size_t cap)
{
    char fence[40];
    char *p;
    size_t n = 0;

    snprintf(fence, sizeof(fence), "```%s\n", name);
    p = strstr(spec, fence);
    assert_non_null(p);
    p += strlen(fence);
    while (*p != '`' && n < cap)
        out[n++] = (uint8_t)strtoul(p, &p, 16), p += strspn(p, " \n");
    return n;
}

static void worked_example(void **state)
{
    const struct mpj_core_rec core = {.core = 2,
                                      .flags = MPJ_COUNTER_FINAL | MPJ_COUNTER_WFI,
                                      .time = 1000,
                                      .cycles = 900,
                                      .wfi_cycles = 100,
                                      .count = 1,
                                      .ev = {{MPJ_EVENT_INSTR, 500, 1000}}};
    const struct mpj_go go = {3, 0};
    uint8_t payload[64];
    uint8_t wire[64];
    uint8_t want[64];
    struct mpj_writer w;
    size_t n;

    (void)state;
    mpj_writer_init(&w, payload, sizeof(payload));
    assert_int_equal(mpj_core_put(&w, &core), 0);
    n = example("core-record", want, sizeof(want));
    assert_int_equal(n, w.at - payload);
    assert_memory_equal(want, payload, n);
    n = mpj_frame_encode(MPJ_FRAME_DATA, 258, payload, n, wire, sizeof(wire));
    assert_int_equal(example("core-frame", want, sizeof(want)), n);
    assert_memory_equal(want, wire, n);

    mpj_writer_init(&w, payload, sizeof(payload));
    assert_int_equal(mpj_go_put(&w, &go), 0);
    n = mpj_frame_encode(MPJ_FRAME_START, 0, payload, (size_t)(w.at - payload), wire, sizeof(wire));
    assert_int_equal(example("go-frame", want, sizeof(want)), n);
    assert_memory_equal(want, wire, n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(worked_example),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
