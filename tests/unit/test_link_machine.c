/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MACHINE: a board's description there and back, its bounds, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mpj_machine_record.h"
#include "mpj_records.h"

static uint8_t buf[MPJ_FRAME_PAYLOAD_MAX];
static struct mpj_writer w;

/* The only record in buf. */
static struct mpj_rec only(uint32_t kind)
{
    struct mpj_reader r;
    struct mpj_rec rec;

    mpj_reader_init(&r, buf, (size_t)(w.at - buf));
    assert_int_equal(mpj_rec_next(&r, &rec), 1);
    assert_int_equal(rec.kind, kind);
    assert_ptr_equal(r.at, r.end);
    return rec;
}

static int start(void **state)
{
    (void)state;
    memset(buf, 0xa5, sizeof(buf));
    mpj_writer_init(&w, buf, sizeof(buf));
    return 0;
}

static const struct tile_machine board = {
    .name = "made-up-2",
    .platform = "made-up",
    .title = "A board (of no one)",
    .chip = "arm11mpcore",
    .cores = 2,
    .core_hz = 800000000,
    .private_base = 0x47000000,
    .start = {TILE_START_PEN, 0x44e000c4, 0x44e000c8},
    .rams = 2,
    .ram = {{0x60000000, 0x4000000}, {0xfff00000, 0x100000}},
    .time = {0x44400204, 6250000, 24, 1},
    .uart = {TILE_UART_16550, 0x44200000, 1, 6250000, TILE_DIVISOR_8THS, 55},
    .irq = {49, 1, 53, 0},
    .powers = 1,
    .power = {{TILE_QUANTITY_POWER, 250000, 16, "supply", "board"}},
    .nor = {0x40000000, 1, 0x1000000, 1, 8},
    .watchdog = {9, 0x44200000, 100000}, /* a kind that is not known here */
    .mark = {TILE_MARK_WORD, 0x44f00000, 0},
};

static void machine(void **state)
{
    struct tile_machine out;
    struct mpj_rec rec;

    (void)state;
    assert_int_equal(mpj_machine_put(&w, &board), 0);
    rec = only(MPJ_REC_MACHINE);
    memset(&out, 0xa5, sizeof(out));
    assert_int_equal(mpj_machine_get(&rec, &out), 0);
    assert_memory_equal(&out, &board, sizeof(out));
    rec.len -= 7; /* an older firmware's: without the fields at the end */
    assert_int_equal(mpj_machine_get(&rec, &out), 0);
    assert_int_equal(out.mark.kind, TILE_MARK_NONE);
    assert_int_equal(out.watchdog.hz, 100000);
    assert_string_equal(mpj_quantity_name(TILE_QUANTITY_CURRENT), "current");
    assert_string_equal(mpj_quantity_unit(9), "unknown");
}

/* The largest fits a frame, so that the target can always send it. */
static void machine_largest(void **state)
{
    struct tile_machine in, out;
    struct mpj_rec rec;

    (void)state;
    memset(&in, 0xff, sizeof(in));
    memset(in.name, 'n', sizeof(in.name));
    memset(in.title, '~', sizeof(in.title));
    memcpy(in.platform, in.title, sizeof(in.platform));
    memcpy(in.chip, in.title, sizeof(in.chip));
    in.name[sizeof(in.name) - 1] = in.platform[sizeof(in.platform) - 1] = '\0';
    in.title[sizeof(in.title) - 1] = in.chip[sizeof(in.chip) - 1] = '\0';
    in.cores = TILE_CORES_MAX;
    in.rams = TILE_RAMS_MAX;
    for (unsigned i = 0; i < TILE_RAMS_MAX; i++)
        in.ram[i] = (struct tile_ram){0x80000000, 0x80000000};
    in.time.hz = TILE_TIME_HZ_MAX;
    in.time.bits = 32;
    in.time.down = 1;
    in.powers = TILE_POWER_MAX;
    for (unsigned i = 0; i < TILE_POWER_MAX; i++) {
        in.power[i].bits = 16;
        memcpy(in.power[i].name, in.platform, sizeof(in.power[i].name));
        memcpy(in.power[i].feeds, in.platform, sizeof(in.power[i].feeds));
    }
    assert_int_equal(mpj_machine_put(&w, &in), 0);
    rec = only(MPJ_REC_MACHINE);
    assert_int_equal(mpj_machine_get(&rec, &out), 0);
    assert_memory_equal(&out, &in, sizeof(out));
}

static void machine_refused(void **state)
{
    struct tile_machine bad[] = {board, board, board, board, board, board,
                                 board, board, board, board, board, board};
    struct mpj_rec rec;
    struct tile_machine out;

    (void)state;
    bad[0].name[0] = '\0';
    bad[1].name[0] = '/';
    bad[2].title[3] = '\n';
    bad[3].cores = 0;
    bad[4].cores = TILE_CORES_MAX + 1;
    bad[5].rams = 0;
    bad[6].ram[1].bytes = 0x100001; /* past the last address */
    bad[7].time.hz = 0;
    bad[8].time.bits = 33;
    bad[9].powers = TILE_POWER_MAX + 1;
    bad[10].power[0].step_nano = 0;
    bad[11].power[0].bits = 17;
    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(mpj_machine_put(&w, &bad[i]), MPJ_LINK_ERR_RANGE);
    /* The same from the other side: each first byte of a body changed, and each end of it. */
    assert_int_equal(mpj_machine_put(&w, &board), 0);
    rec = only(MPJ_REC_MACHINE);
    for (size_t len = 0; len < 150 && len < rec.len; len++) {
        struct mpj_rec cut = {rec.kind, rec.body, len};
        const int r = mpj_machine_get(&cut, &out);

        assert_true(r == 0 || r == MPJ_LINK_ERR_FORMAT || r == MPJ_LINK_ERR_RANGE);
        assert_true(r != 0 || out.time.hz == board.time.hz);
    }
    buf[rec.body - buf + 1] = '/';
    assert_int_equal(mpj_machine_get(&rec, &out), MPJ_LINK_ERR_RANGE);
    buf[rec.body - buf] = TILE_NAME_SIZE;
    assert_int_equal(mpj_machine_get(&rec, &out), MPJ_LINK_ERR_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(machine, start),
        cmocka_unit_test_setup(machine_largest, start),
        cmocka_unit_test_setup(machine_refused, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
