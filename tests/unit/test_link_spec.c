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

#include "mpj_in.h"
#include "mpj_link.h"
#include "mpj_loader_records.h"
#include "mpj_rate.h"
#include "mpj_records.h"
#include "mpj_stream.h"

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
        {"NOTE", MPJ_FRAME_NOTE},
        {"FINISH", MPJ_FRAME_FINISH},
        {"ACK", MPJ_FRAME_ACK},
        {"POLL", MPJ_FRAME_POLL},
        {"RATE", MPJ_FRAME_RATE},
        {"ECHO", MPJ_FRAME_ECHO},
        {"PART", MPJ_FRAME_PART},
        {"HELLO", MPJ_FRAME_HELLO},
        {"END", MPJ_FRAME_END},
        {"HELLO", MPJ_REC_HELLO},
        {"CONFIG", MPJ_REC_CONFIG},
        {"ARG", MPJ_REC_ARG},
        {"ENV", MPJ_REC_ENV},
        {"GO", MPJ_REC_GO},
        {"END", MPJ_REC_END},
        {"ROTATION", MPJ_REC_ROTATION},
        {"TRACE", MPJ_REC_TRACE},
        {"FUNC_CHOICE", MPJ_REC_FUNC_CHOICE},
        {"MACHINE", MPJ_REC_MACHINE},
        {"CONSOLE_OUT", MPJ_REC_CONSOLE_OUT},
        {"CONSOLE_ERR", MPJ_REC_CONSOLE_ERR},
        {"CORE", MPJ_REC_CORE},
        {"SCU", MPJ_REC_SCU},
        {"L2", MPJ_REC_L2},
        {"ADC", MPJ_REC_ADC},
        {"FAULT", MPJ_REC_FAULT},
        {"FAULT_STACK", MPJ_REC_FAULT_STACK},
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
        {"PARALLEL", MPJ_REC_PARALLEL},
        {"SPREAD", MPJ_REC_SPREAD},
        {"MOMENTS", MPJ_REC_MOMENTS},
        {"FUNC_GROUPS", MPJ_REC_FUNC_GROUPS},
        {"MEMORY", MPJ_REC_MEMORY},
        {"ADAPT", MPJ_REC_ADAPT},
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

/* SPEC.md has the fields of a thread's record in their order. */
static void thread_fields(void **state)
{
#define NAME_ID(name)           #name ", "
#define NAME_MOMENT(name)       #name ", "
#define NAME_TICKS(name)        #name ", "
#define NAME_COUNT(name)        #name ", "
#define NAME_DERIVED(name)      ""
#define NAME(kind, name, since) NAME_##kind(name)
    (void)state;
    assert_non_null(
        strstr(spec, "| DATA | " MPJ_THREAD_FIELDS(NAME) "run on cores 0 to 3, count, "));
}

/* SPEC.md has the settings of a run in both records, in their order. */
static void settings(void **state)
{
#define BEFORE(kind, option, field, ...) #field ", "
#define AFTER(kind, option, field, ...)  ", " #field
    (void)state;
    assert_non_null(strstr(
        spec, "| START | features, session, cores_mask, flags, " MPJ_SETTINGS(BEFORE) "4, PMU "));
    assert_non_null(strstr(
        spec, " 8 SCU selectors, 2 L2 selectors" MPJ_SETTINGS_LATER(AFTER) " (varints) |\n"));
    assert_non_null(strstr(spec, "| DATA | time, cores_mask" MPJ_SETTINGS_ALL(AFTER) " |\n"));
}

static void loader_numbers(void **state)
{
    static const struct {
        const char *name;
        unsigned value;
    } rows[] = {
        {"LOADER_REQ", MPJ_FRAME_LOADER_REQ},     {"LOADER_REPLY", MPJ_FRAME_LOADER_REPLY},
        {"LOADER_INFO_REQ", MPJ_LOADER_INFO_REQ}, {"LOADER_INFO", MPJ_LOADER_INFO},
        {"LOADER_BEGIN", MPJ_LOADER_BEGIN},       {"LOADER_STATE", MPJ_LOADER_STATE},
        {"LOADER_DATA", MPJ_LOADER_DATA},         {"LOADER_FLASH", MPJ_LOADER_FLASH},
        {"LOADER_PROGRESS", MPJ_LOADER_PROGRESS}, {"LOADER_RESULT", MPJ_LOADER_RESULT},
        {"LOADER_BOOT", MPJ_LOADER_BOOT},         {"LOADER_FORGET", MPJ_LOADER_FORGET},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        row(rows[i].name, rows[i].value, "0x%02x");
    row("MPJ_LOADER_VERSION", MPJ_LOADER_VERSION, "%u");
    row("MPJ_LOADER_DATA_MAX", MPJ_LOADER_DATA_MAX, "%u");
    row("MPJ_LOADER_SEGMENTS", MPJ_LOADER_SEGMENTS, "%u");
    row("MPJ_LOADER_NAME_MAX", MPJ_LOADER_NAME_MAX, "%u");
    row("MPJ_LOADER_BUILD_ID_MAX", MPJ_LOADER_BUILD_ID_MAX, "%u");
    assert_int_equal(MPJ_FEATURE_LOADER, 4);
    assert_non_null(strstr(spec, "`LOADER` (bit 4)"));
    assert_non_null(strstr(spec, "the name `" MPJ_LOADER_HELLO "`"));
    assert_int_equal(MPJ_LOADER_REQUEST, 6);
    assert_int_equal(MPJ_LOADER_IN_PLACE, 2);
    assert_int_equal(MPJ_LOADER_FLASHED, 1);
}

/* What a full DATA frame takes on the line, content without zeros being the worst. */
static void loader_share(void **state)
{
    uint8_t data[MPJ_LOADER_DATA_MAX], payload[MPJ_FRAME_PAYLOAD_MAX], wire[MPJ_FRAME_WIRE_MAX];
    const struct mpj_loader_data d = {.offset = 0x6000000, .data = {data, sizeof(data)}};
    struct mpj_writer w;
    size_t n;
    char want[80];

    (void)state;
    memset(data, 0x55, sizeof(data));
    mpj_writer_init(&w, payload, sizeof(payload));
    assert_int_equal(mpj_loader_data_put(&w, &d), MPJ_LINK_OK);
    n = mpj_frame_encode(MPJ_FRAME_LOADER_REQ, 0xffff, payload, (size_t)(w.at - payload), wire,
                         sizeof(wire));
    snprintf(want, sizeof(want), "%u bytes of content in %zu on the line at most: %.1f %%",
             MPJ_LOADER_DATA_MAX, n, 100.0 * MPJ_LOADER_DATA_MAX / (double)n);
    if (strstr(spec, want) == NULL)
        fail_msg("SPEC.md does not say \"%s\"", want);
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

/* ---- the numbered frames ------------------------------------------------------------------ */

/* Every row of the table of frames: the type's number, and whether it is numbered. */
static void frame_table(void **state)
{
    char *p = strstr(spec, "\n| type | value | from | numbered | payload |");
    unsigned rows = 0;

    (void)state;
    assert_non_null(p);
    p = strchr(strchr(p + 1, '\n') + 1, '\n') + 1; /* past heading and rule */
    for (; *p == '|'; p = strchr(p, '\n') + 1, rows++) {
        char name[20], from[20], numbered[8];
        unsigned value;
        assert_int_equal(
            sscanf(p, "| `%19[^`]` | 0x%x | %19s | %7s |", name, &value, from, numbered), 4);
        assert_int_equal(mpj_frame_sequenced((uint8_t)value), strcmp(numbered, "yes") == 0);
    }
    assert_int_equal(rows, 14);
}

/* Every figure of the reliable link as the page words it. */
static void link_figures(void **state)
{
    char words[16][140];

    (void)state;
    snprintf(words[0], sizeof(words[0]), "again after %u ms, doubling to %.1f s", MPJ_LINK_RTO_MS,
             MPJ_LINK_RTO_MAX / 1000.0);
    snprintf(words[1], sizeof(words[1]), "every %u ms while frames stream in", MPJ_LINK_STREAM_MS);
    snprintf(words[2], sizeof(words[2]), "nothing for %u ms, then %u, %u, %u ms", MPJ_LINK_QUIET_MS,
             2 * MPJ_LINK_QUIET_MS, 4 * MPJ_LINK_QUIET_MS, MPJ_LINK_QUIET_MAX);
    snprintf(words[3], sizeof(words[3]), "at most %u;", MPJ_LINK_SLOTS_MAX);
    snprintf(words[4], sizeof(words[4]), "go to memory (%u MB)", MPJ_IN_KEEP >> 20);
    snprintf(words[5], sizeof(words[5]), "waits at most %u ms", MPJ_IN_BOUND_US / 1000U);
    snprintf(words[6], sizeof(words[6]), "begins at %u bit/s", MPJ_RATE_BASE);
    snprintf(words[7], sizeof(words[7]), "good frame for %u s", MPJ_RATE_TRIAL_MS / 1000U);
    snprintf(words[8], sizeof(words[8]),
             "%u ACK, %u host I/O, %u bit rate, %u STOP, %u resident loader, %u NOTE and FINISH, "
             "%u PARTS (not chosen in CONFIG), %u COLD, %u BEAT",
             MPJ_FEATURE_ACK, MPJ_FEATURE_HOST_IO, MPJ_FEATURE_RATE, MPJ_FEATURE_STOP,
             MPJ_FEATURE_LOADER, MPJ_FEATURE_NOTE, MPJ_FEATURE_PARTS, MPJ_FEATURE_COLD,
             MPJ_FEATURE_BEAT);
    snprintf(words[9], sizeof(words[9]),
             "%u counters stay off, %u no ADC sampling, %u no accounting of threads, %u stream",
             MPJ_CONFIG_NO_COUNTERS, MPJ_CONFIG_NO_ADC, MPJ_CONFIG_NO_THREADS, MPJ_CONFIG_STREAM);
    snprintf(words[10], sizeof(words[10]), "target looks at the line every %u ms at least",
             MPJ_STREAM_LOOK_US / 1000U);
    snprintf(words[11], sizeof(words[11]), "at most %u on their way", MPJ_IN_NOTES);
    snprintf(words[12], sizeof(words[12]), "counted in units of %u bytes", MPJ_LINK_UNIT);
    snprintf(words[13], sizeof(words[13]), "in their order, at most %u, the units",
             MPJ_LINK_LISTED);
    snprintf(words[14], sizeof(words[14]), "again in parts of %u units", MPJ_LINK_PART_MAX);
    snprintf(words[15], sizeof(words[15]), "The largest of %u, %u, %u, %u, %u and %u bytes",
             MPJ_FRAME_PAYLOAD_MAX, MPJ_LINK_PART_MAX * MPJ_LINK_UNIT,
             MPJ_LINK_PART_MAX / 2U * MPJ_LINK_UNIT, MPJ_LINK_PART_MAX / 4U * MPJ_LINK_UNIT,
             MPJ_LINK_PART_MAX / 8U * MPJ_LINK_UNIT, MPJ_LINK_UNIT);
    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const char *at = spec;
        size_t k;
        /* a line may break anywhere */
        for (; *at != '\0'; at++) {
            for (k = 0; words[i][k] != '\0' &&
                        (at[k] == words[i][k] || (at[k] == '\n' && words[i][k] == ' '));
                 k++)
                ;
            if (words[i][k] == '\0')
                break;
        }
        if (*at == '\0')
            fail_msg("SPEC.md does not say \"%s\"", words[i]);
    }
}

static uint8_t said[96];
static size_t said_len;

static size_t keep(void *ctx, const uint8_t *p, size_t n)
{
    (void)ctx;
    assert_true(said_len + n <= sizeof(said));
    memcpy(said + said_len, p, n);
    said_len += n;
    return n;
}

static int ignore(void *ctx, const struct mpj_frame *f)
{
    (void)ctx;
    (void)f;
    return 0;
}

/* The ACK of the worked example, from a link that received those frames; and the short form of an
 * ACK fits a FIFO of 16 bytes whatever it says. */
static void ack_example(void **state)
{
    static struct mpj_link l;
    static struct mpj_link_ahead ahead[16];
    struct mpj_link_slot slots[16];
    uint8_t memory[64];
    uint8_t wire[64];
    uint8_t want[64];
    const struct mpj_link_config cfg = {.active = true,
                                        .tx = memory,
                                        .tx_bytes = sizeof(memory),
                                        .slots = slots,
                                        .slot_count = 16,
                                        .ahead = ahead,
                                        .ahead_count = 16,
                                        .put = keep,
                                        .deliver = ignore};

    (void)state;
    mpj_link_init(&l, &cfg);
    mpj_link_reliable(&l);
    for (uint16_t seq = 0; seq < 263; seq++) {
        if (seq != 258 && seq != 259)
            mpj_link_receive(&l, wire,
                             mpj_frame_encode(MPJ_FRAME_DATA, seq, "", 0, wire, sizeof(wire)));
    }
    mpj_link_receive(&l, wire, mpj_frame_encode(MPJ_FRAME_POLL, 264, "\5", 1, wire, sizeof(wire)));
    said_len = 0;
    (void)mpj_link_pump(&l);
    if (example("ack-frame", want, sizeof(want)) != said_len || memcmp(want, said, said_len) != 0) {
        for (size_t i = 0; i < said_len; i++)
            print_message("%02x ", said[i]);
        fail_msg("the ACK of the worked example is the above");
    }

    l.newest = l.expected + MPJ_LINK_SLOTS_MAX; /* as many missing as can be */
    l.number = 127;
    l.want_status = true;
    said_len = 0;
    (void)mpj_link_pump(&l);
    assert_in_range(said_len, 10, 16);

    mpj_link_parts(&l); /* the same with a size, also on a line on which parts are short */
    for (unsigned round = 0; round < 3; round++) {
        l.want_status = true;
        said_len = 0;
        (void)mpj_link_pump(&l);
        if (round != 1)
            assert_in_range(said_len, 13, 16);
        for (unsigned i = 0; i < 200; i++)
            mpj_link_receive(&l, "\1\1\1\1\1\1\1\1\1\1\1", 12);
    }
}

/* The end of a frame as the worked example has it: the other side has the rest. */
static void part_example(void **state)
{
    static struct mpj_link l;
    struct mpj_link_slot slots[4];
    uint8_t memory[MPJ_FRAME_WIRE_MAX + 16];
    uint8_t payload[MPJ_FRAME_PAYLOAD_MAX];
    uint8_t ack[16], wire[64], want[96];
    struct mpj_writer w;
    size_t n;
    const struct mpj_link_config cfg = {.active = true,
                                        .tx = memory,
                                        .tx_bytes = sizeof(memory),
                                        .slots = slots,
                                        .slot_count = 4,
                                        .put = keep,
                                        .deliver = ignore};

    (void)state;
    mpj_link_init(&l, &cfg);
    mpj_link_reliable(&l);
    mpj_link_parts(&l);
    l.base = l.next = l.scan = l.first_time = 1;
    memset(payload, 0x5a, sizeof(payload));
    memset(payload + sizeof(payload) - 25, 0xa5, 25);
    assert_int_equal(mpj_link_send(&l, MPJ_FRAME_START, payload, sizeof(payload), false), 0);
    mpj_writer_init(&w, ack, sizeof(ack)); /* of no frame yet, so no run: what is known of 1 */
    mpj_put_u8(&w, 0);
    mpj_put_varint(&w, 0);
    mpj_put_varint(&w, 0);
    mpj_put_u8(&w, 2);
    mpj_put_varint(&w, (1U << 24) - 1U);
    n = mpj_frame_encode(MPJ_FRAME_ACK, 1, ack, (size_t)(w.at - ack), wire, sizeof(wire));
    said_len = 0;
    l.first_time = 2; /* it was sent whole */
    mpj_link_receive(&l, wire, n);
    l.first_time = 1;
    (void)mpj_link_pump(&l);
    if (example("part-frame", want, sizeof(want)) != said_len ||
        memcmp(want, said, said_len) != 0) {
        for (size_t i = 0; i < said_len; i++)
            print_message("%02x ", said[i]);
        fail_msg("the PART of the worked example is the above");
    }
}

/* ---- what a record costs on the line ----------------------------------------------------------
 */

struct line {
    uint8_t payload[MPJ_FRAME_PAYLOAD_MAX];
    struct mpj_writer w;
    uint16_t seq;
    uint64_t bytes;
};

static void line_flush(struct line *l)
{
    uint8_t wire[MPJ_FRAME_WIRE_MAX];

    l->bytes += mpj_frame_encode(MPJ_FRAME_DATA, l->seq++, l->payload,
                                 (size_t)(l->w.at - l->payload), wire, sizeof(wire));
    mpj_writer_init(&l->w, l->payload, sizeof(l->payload));
}

/* As the firmware does: the frame goes out when the next record does not fit. */
#define LINE_PUT(l, expression)                                                                    \
    do {                                                                                           \
        if ((expression) != MPJ_LINK_OK) {                                                         \
            line_flush(l);                                                                         \
            assert_int_equal(expression, MPJ_LINK_OK);                                             \
        }                                                                                          \
    } while (0)

/* A row of the table of costs: bytes on the line, percent of them that are contents. */
static void cost_row(const char *what, double bytes, double percent)
{
    char want[100];

    snprintf(want, sizeof(want), "| %s | %.1f | %.1f %% |", what, bytes, percent);
    if (strstr(spec, want) == NULL)
        fail_msg("SPEC.md has no row \"%s\"", want);
    assert_true(percent >= 93.0);
}

/* An ADC record of a steady supply: jitter of some microseconds, noise of some steps. steps: of
 * either sign, at most; 63 fit a byte. */
static void cost_adc(const char *what, unsigned jitter)
{
    static struct line l;
    static struct mpj_adc_rec a;
    const uint64_t records = 3000;
    uint64_t contents = 0;
    uint32_t noise = 1;

    memset(&l, 0, sizeof(l));
    mpj_writer_init(&l.w, l.payload, sizeof(l.payload));
    for (uint64_t n = 0; n < records; n++) {
        a.first = n * MPJ_ADC_BLOCK_MAX;
        a.period = 24000;
        a.count = MPJ_ADC_BLOCK_MAX;
        for (uint32_t i = 0; i < a.count; i++) {
            noise = noise * 1664525U + 1013904223U;
            a.s[i].time = (a.first + i + 1000) * a.period + (i % 2U) * jitter;
            for (unsigned k = 0; k < MPJ_ADC_CHANNELS; k++)
                a.s[i].code[k] = (uint16_t)(2000U + (noise >> (8U + 6U * k) & 15U));
            contents += 4U + (jitter > 63U ? 2U : 1U);
        }
        LINE_PUT(&l, mpj_adc_put(&l.w, &a));
    }
    line_flush(&l);
    cost_row(what, (double)l.bytes / (double)(records * MPJ_ADC_BLOCK_MAX),
             100.0 * (double)contents / (double)l.bytes);
}

/* Contents of a counter record: all of it but kind and length. */
static uint64_t body_of(const struct line *l, size_t before)
{
    struct mpj_reader r;
    struct mpj_rec rec;
    const size_t at = (size_t)(l->w.at - l->payload) > before ? before : 0; /* 0: a new frame */

    mpj_reader_init(&r, l->payload + at, (size_t)(l->w.at - l->payload) - at);
    assert_int_equal(mpj_rec_next(&r, &rec), 1);
    return rec.len;
}

static void costs(void **state)
{
    static struct line l;
    struct mpj_core_rec core = {.flags = MPJ_COUNTER_WFI, .count = 2};
    struct mpj_chip_rec scu = {.count = MPJ_SCU_COUNTERS};
    const uint64_t rounds = 1000;
    uint64_t contents = 0;

    (void)state;
    cost_adc("ADC sample, all four channels, less than 3 us of jitter", 50);
    cost_adc("ADC sample, more jitter", 500);

    mpj_writer_init(&l.w, l.payload, sizeof(l.payload));
    for (uint64_t n = 1; n <= rounds; n++) { /* a second each */
        size_t before;
        for (core.core = 0; core.core < MPJ_CORES_MAX; core.core++) {
            core.time = n * 24000000U;
            core.cycles = n * 210000000U;
            core.wfi_cycles = n * 1000000U;
            core.ev[0] = (struct mpj_event_value){MPJ_EVENT_INSTR, n * 120000000U, core.time};
            core.ev[1] = (struct mpj_event_value){MPJ_EVENT_DCACHE_RD_MISS, n * 900000U, core.time};
            before = (size_t)(l.w.at - l.payload);
            LINE_PUT(&l, mpj_core_put(&l.w, &core));
            contents += body_of(&l, before);
        }
        scu.time = core.time;
        for (unsigned i = 0; i < MPJ_SCU_COUNTERS; i++)
            scu.ev[i] = (struct mpj_event_value){i + 1U, n * 50000U * (i + 1U), scu.time};
        before = (size_t)(l.w.at - l.payload);
        LINE_PUT(&l, mpj_chip_put(&l.w, MPJ_REC_SCU, &scu));
        contents += body_of(&l, before);
    }
    line_flush(&l);
    cost_row("counters of four cores and the SCU, once", (double)l.bytes / (double)rounds,
             100.0 * (double)contents / (double)l.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thread_fields),  cmocka_unit_test(settings),
        cmocka_unit_test(loader_numbers), cmocka_unit_test(loader_share),
        cmocka_unit_test(numbers),        cmocka_unit_test(worked_example),
        cmocka_unit_test(frame_table),    cmocka_unit_test(costs),
        cmocka_unit_test(link_figures),   cmocka_unit_test(ack_example),
        cmocka_unit_test(part_example),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
