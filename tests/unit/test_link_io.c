/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The target's side of an acknowledged session on the fake machine: a UART that takes its time, a
 * host that is silent until the program has ended. The program never waits longer than promised,
 * and what memory cannot hold is counted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hal_fake.h"
#include "hal_map.h"
#include "hal_sys.h"
#include "hal_uart.h"
#include "mpj_in.h"
#include "mpj_link.h"
#include "mpj_out.h"
#include "mpj_records.h"
#include "mpj_text.h"

#define UART_DR   (BOARD_UART0_BASE + 0x00U)
#define UART_FR   (BOARD_UART0_BASE + 0x18U)
#define UART_IMSC (BOARD_UART0_BASE + 0x38U)
#define FR_RXFE   (1U << 4)
#define FR_TXFF   (1U << 5)
#define AHEAD     MPJ_LINK_SLOTS_MAX
#define BYTE_TIME (HAL_SYS_TIME_HZ / 11520U) /* ticks a byte takes at 115200 */

static struct {
    uint64_t ticks;
    uint64_t next_out; /* when the transmitter sends its next byte */
    uint8_t tx[16];
    unsigned tx_len;
    uint8_t rx[65536];
    unsigned rx_at, rx_len;
    bool listening; /* the host reads and answers */
    bool fast;      /* the line takes no time */
    struct mpj_link host;
    struct mpj_link_ahead *ahead;
    struct mpj_link_slot slots[16];
    uint8_t host_tx[8192];
    uint64_t records, adc, console;
    bool have_end, have_dropped;
    struct mpj_end end;
    struct mpj_dropped dropped;
    uint32_t hellos, stops;
    char text[512]; /* what a terminal shows */
    char *raw;      /* where its next byte goes, NULL: not a terminal */
} m;

/* ---- the host ------------------------------------------------------------------------- */

static size_t host_put(void *ctx, const uint8_t *p, size_t n)
{
    (void)ctx;
    for (size_t i = 0; i < n; i++) {
        assert_true(m.rx_len - m.rx_at < sizeof(m.rx));
        m.rx[m.rx_len++ % sizeof(m.rx)] = p[i];
    }
    return n;
}

static int host_deliver(void *ctx, const struct mpj_frame *f)
{
    struct mpj_reader r;
    struct mpj_rec rec;

    (void)ctx;
    mpj_reader_init(&r, f->payload, f->len);
    while (mpj_rec_next(&r, &rec) == 1) {
        if (f->type == MPJ_FRAME_END) {
            m.have_end = true;
            return mpj_end_get(&rec, &m.end);
        }
        m.records++;
        m.adc += rec.kind == MPJ_REC_ADC;
        m.console += rec.kind == MPJ_REC_CONSOLE_OUT;
        if (rec.kind == MPJ_REC_DROPPED) {
            m.have_dropped = true;
            assert_int_equal(mpj_dropped_get(&rec, &m.dropped), 0);
        }
    }
    return 0;
}

/* ---- the machine ------------------------------------------------------------------------ */

static void arrive(uint8_t byte)
{
    if (m.raw != NULL) {
        assert_true(m.raw < m.text + sizeof(m.text) - 1);
        *m.raw++ = (char)byte;
        return;
    }
    if (!m.listening)
        return;
    assert_int_equal(mpj_link_receive(&m.host, &byte, 1), 0);
    (void)mpj_link_tick(&m.host, (uint32_t)(m.ticks / (HAL_SYS_TIME_HZ / 1000U)));
    (void)mpj_link_pump(&m.host);
}

static void pass(uint64_t ticks)
{
    m.ticks += ticks;
    while (m.tx_len > 0 && m.next_out <= m.ticks) {
        arrive(m.tx[0]);
        memmove(m.tx, m.tx + 1, --m.tx_len);
        m.next_out += BYTE_TIME;
    }
    if (m.tx_len == 0)
        m.next_out = m.ticks + BYTE_TIME;
    if (m.listening) {
        (void)mpj_link_tick(&m.host, (uint32_t)(m.ticks / (HAL_SYS_TIME_HZ / 1000U)));
        (void)mpj_link_pump(&m.host);
    }
}

static uint32_t read_time(void *ctx, uintptr_t addr)
{
    (void)ctx;
    (void)addr;
    pass(12);
    return (uint32_t)m.ticks;
}

static uint32_t read_uart(void *ctx, uintptr_t addr)
{
    (void)ctx;
    if (addr == UART_FR) {
        pass(6); /* a quarter of a microsecond */
        return (m.rx_at == m.rx_len ? FR_RXFE : 0U) | (m.tx_len == sizeof(m.tx) ? FR_TXFF : 0U);
    }
    if (addr == UART_DR && m.rx_at != m.rx_len)
        return m.rx[m.rx_at++ % sizeof(m.rx)];
    return 0;
}

static void write_uart(void *ctx, uintptr_t addr, uint32_t value)
{
    (void)ctx;
    hal_fake_poke(addr, value);
    if (addr != UART_DR)
        return;
    if (m.fast) {
        arrive((uint8_t)value);
        return;
    }
    assert_true(m.tx_len < sizeof(m.tx));
    m.tx[m.tx_len++] = (uint8_t)value;
}

static void hello(void)
{
    m.hellos++;
}

static void stop(void)
{
    m.stops++;
}

/* A session that has just begun to acknowledge. */
static int setup(void **state)
{
    struct mpj_link_config cfg = {.active = true,
                                  .tx = m.host_tx,
                                  .tx_bytes = sizeof(m.host_tx),
                                  .slots = m.slots,
                                  .slot_count = 16,
                                  .ahead_count = AHEAD,
                                  .put = host_put,
                                  .deliver = host_deliver};
    struct mpj_frame f;

    (void)state;
    free(m.ahead);
    memset(&m, 0, sizeof(m));
    m.ahead = cfg.ahead = calloc(AHEAD, sizeof(*m.ahead));
    hal_fake_reset();
    hal_fake_script(BOARD_SYS_24MHZ, BOARD_SYS_24MHZ + 4, read_time, NULL, NULL);
    hal_fake_script(BOARD_UART0_BASE, BOARD_UART0_BASE + 0x1000, read_uart, write_uart, NULL);
    hal_sys_ticks_init();
    assert_int_equal(hal_uart_init(115200), 0);
    mpj_link_init(&m.host, &cfg);
    mpj_link_reliable(&m.host);
    mpj_out_init();
    mpj_in_open(hello, stop);
    assert_int_equal(mpj_link_send(&m.host, MPJ_FRAME_START, "go", 2, false), 0);
    (void)mpj_link_pump(&m.host);
    mpj_in_wait(&f);
    assert_int_equal(f.type, MPJ_FRAME_START);
    assert_int_equal(f.len, 2);
    mpj_in_reliable();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(m.ahead);
    m.ahead = NULL;
    return 0;
}

static int put_adc(struct mpj_writer *w, const void *rec)
{
    return mpj_adc_put(w, rec);
}

static const struct mpj_adc_rec *samples(uint64_t first)
{
    static struct mpj_adc_rec a;

    a.first = first;
    a.period = 24000;
    a.count = MPJ_ADC_BLOCK_MAX;
    for (uint32_t i = 0; i < a.count; i++) {
        a.s[i].time = (first + i) * a.period;
        for (unsigned k = 0; k < MPJ_ADC_CHANNELS; k++)
            a.s[i].code[k] = (uint16_t)((first + i) * 2654435761U >> (k + 8) & 0xfffU);
    }
    return &a;
}

/* The end of the run: from here on calls may wait for the line. */
static void finish(void)
{
    struct mpj_end end = {.exit_status = 0};

    mpj_in_patient();
    m.listening = true;
    m.fast = true;
    mpj_out_end(&end);
    mpj_in_finish();
    assert_true(m.have_end);
    assert_int_equal(m.end.records, m.records);
}

/* Puts bytes into the receiver. */
static void typed(const char *bytes, size_t n)
{
    memcpy(m.rx + m.rx_len, bytes, n);
    m.rx_len += (unsigned)n;
}

static unsigned turns;
static const char *first, *then; /* after the first HELLO, after the second */

static void hello_typing(void)
{
    hello();
    if (m.hellos == 1)
        typed(first, strlen(first));
    if (m.hellos == 2)
        typed(then, strlen(then));
    assert_true(++turns < 100);
}

/* Returns how many HELLOs were sent before Enter was noticed. */
static unsigned enter_after(const char *one, const char *two)
{
    struct mpj_frame f = {.type = 1};

    first = one;
    then = two;
    turns = 0;
    m.hellos = 0;
    m.rx_at = m.rx_len = 0;
    mpj_in_open(hello_typing, stop);
    mpj_in_wait(&f);
    assert_int_equal(f.type, 0);
    return m.hellos;
}

/* A line of text, and then silence, is a person at a terminal; anything else is not. */
static void terminal(void **state)
{
    (void)state;
    assert_int_equal(enter_after("\r", ""), 1);
    assert_int_equal(enter_after("\n", ""), 1);
    assert_int_equal(enter_after("echo 64\r\n", ""), 1);
    assert_int_equal(enter_after("half a line", "\r"), 2);
    assert_int_equal(enter_after("\x81\r", "\r"), 2);     /* part of a frame */
    assert_int_equal(enter_after("\r\x03\x02", "\r"), 2); /* goes on */
}

/* What the program writes is text, and nothing else is sent; bytes that are no text reset. */
static void text(void **state)
{
    struct mpj_end end = {.exit_status = 0};
    struct mpj_fault fault = {.kind = MPJ_FAULT_DATA, .core = 3, .thread = 7, .dfar = 0xbeef};
    struct mpj_error_rec error = {.code = 10, .text = {(const uint8_t *)"why", 3}};

    (void)state;
    fault.r[14] = 0x8000;
    fault.r[15] = 0x12345678;
    mpj_in_open(hello, stop);
    m.fast = true;
    m.raw = m.text;
    mpj_text_begin(stop);
    assert_true(mpj_text_on());
    typed("x\r", 2);
    mpj_out_console(MPJ_REC_CONSOLE_OUT, "one\n\ntwo", 8);
    assert_int_equal(mpj_out_record(put_adc, samples(0)), 0);
    mpj_out_flush();
    mpj_text_fault(&fault);
    mpj_text_error(&error);
    mpj_text_end(-2147483647 - 1);
    mpj_out_end(&end);
    assert_int_equal(m.stops, 0);
    assert_string_equal(
        m.text,
        "one\r\n\r\ntwo"
        "\r\nmpjoule: data abort at 0x12345678, address 0x0000beef, return address 0x00008000, "
        "core 3, thread 7"
        "\r\nmpjoule: every thread is blocked: why"
        "\r\nmpjoule: the program has ended with status -2147483648\r\n");
    typed("\x02", 1);
    mpj_out_console(MPJ_REC_CONSOLE_OUT, "", 0);
    assert_int_equal(m.stops, 1);
    mpj_text_begin(NULL);
}

/* A frame after which a lone line end comes: the host is there. */
static void no_terminal(void **state)
{
    struct mpj_frame f;

    (void)state;
    typed("\r", 1);
    m.listening = true;
    m.fast = true;
    assert_int_equal(mpj_link_send(&m.host, MPJ_FRAME_START, "on", 2, false), 0);
    (void)mpj_link_pump(&m.host);
    mpj_in_wait(&f);
    assert_int_equal(f.type, MPJ_FRAME_START);
}

/* A silent line and little to say: everything arrives in the end, in order. */
static void kept(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(mpj_out_record(put_adc, samples(i * MPJ_ADC_BLOCK_MAX)), 0);
    finish();
    assert_int_equal(m.adc, 1000);
    assert_int_equal(m.end.dropped, 0);
    assert_false(m.have_dropped);
}

/* More than memory holds and nobody to take it. */
static void full(void **state)
{
    const uint64_t bound = MPJ_IN_BOUND_US * (HAL_SYS_TIME_HZ / 1000000U);
    const uint64_t total = 60000;
    uint64_t longest = 0;
    unsigned waits = 0;

    (void)state;
    for (uint64_t i = 0; i < total; i++) {
        const uint64_t before = m.ticks;
        if (i % 100 == 99)
            mpj_out_console(MPJ_REC_CONSOLE_OUT, "hello\n", 6);
        else
            (void)mpj_out_record(put_adc, samples(i * MPJ_ADC_BLOCK_MAX));
        if (m.ticks - before > longest)
            longest = m.ticks - before;
        waits += m.ticks - before > bound / 2;
    }
    /* 16 bytes of FIFO are a millisecond and a half of line: nobody waited for it */
    assert_in_range(longest, bound, bound + bound / 4);
    assert_true(waits < 5); /* in vain once: not again */
    finish();
    assert_true(m.have_dropped);
    assert_int_equal(m.dropped.count, 2);
    for (unsigned i = 0; i < 2; i++) {
        if (m.dropped.d[i].kind == MPJ_REC_ADC)
            assert_int_equal(m.dropped.d[i].records + m.adc, total - total / 100);
        else
            assert_int_equal(m.dropped.d[i].records + m.console, total / 100);
    }
    assert_int_equal(m.end.dropped, m.dropped.d[0].records + m.dropped.d[1].records);
    assert_true(m.adc > 8000); /* 8 MB of them */
}

/* The transmitter asks for more by its interrupt; the handler gives it the rest of the frame. */
static void interrupt(void **state)
{
    (void)state;
    m.listening = true;
    assert_int_equal(mpj_out_record(put_adc, samples(0)), 0);
    mpj_out_flush();
    assert_int_equal(m.tx_len, 16);
    assert_int_equal(hal_fake_peek(UART_IMSC), 1U << 5);
    for (unsigned i = 0; i < 2000 && hal_fake_peek(UART_IMSC) != 0; i++) {
        pass(BYTE_TIME * 14);
        mpj_in_irq(hal_uart_irq(), NULL);
    }
    assert_int_equal(hal_fake_peek(UART_IMSC), 0);
    pass(BYTE_TIME * 20);
    assert_int_equal(m.adc, 1);
    /* an acknowledgement is heard by the sampler's look at the line */
    mpj_link_tell(&m.host);
    pass(BYTE_TIME);
    mpj_in_service();
    finish();
}

/* A silent target sends a status at every third look, one that sends something else none. */
static void beats(void **state)
{
    (void)state;
    m.listening = true;
    pass(BYTE_TIME * 100); /* START is acknowledged */
    mpj_in_beat(3);
    for (unsigned i = 1; i <= 9; i++) {
        const uint64_t before = m.host.decoder.stats.frames;

        mpj_in_service();
        pass(BYTE_TIME * 50);
        assert_int_equal(m.host.decoder.stats.frames - before, i % 3 == 0 ? 1 : 0);
    }
    for (unsigned i = 1; i <= 3; i++) {
        const uint64_t before = m.host.decoder.stats.frames;

        if (i == 2) {
            assert_int_equal(mpj_out_record(put_adc, samples(0)), 0);
            mpj_out_flush();
        }
        mpj_in_service();
        for (unsigned k = 0; k < 200; k++) {
            pass(BYTE_TIME * 14);
            mpj_in_irq(hal_uart_irq(), NULL);
        }
        assert_int_equal(m.host.decoder.stats.frames - before, i == 2 ? 1 : 0);
    }
    mpj_in_beat(0);
}

/* Asked by the host, a silent target answers each time, also when an answer was lost. */
static void probed(void **state)
{
    const uint8_t number = 0;

    (void)state;
    m.listening = true;
    pass(BYTE_TIME * 100); /* START is acknowledged */
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t before = m.host.decoder.stats.frames;

        m.listening = i != 1;
        assert_int_equal(
            mpj_link_control(&m.host, MPJ_FRAME_POLL, (uint16_t)m.host.scan, &number, 1),
            MPJ_LINK_OK);
        (void)mpj_link_pump(&m.host);
        mpj_in_service();
        pass(BYTE_TIME * 100);
        assert_int_equal(m.host.decoder.stats.frames - before, i != 1 ? 1 : 0);
    }
}

/* The host ends the run: the sampler's look at the line finds out. */
static void stopped(void **state)
{
    (void)state;
    m.listening = true;
    pass(BYTE_TIME * 100); /* START is acknowledged */
    assert_int_equal(mpj_link_send(&m.host, MPJ_FRAME_STOP, NULL, 0, true), 0);
    (void)mpj_link_pump(&m.host);
    assert_int_equal(m.stops, 0);
    mpj_in_service();
    assert_int_equal(m.stops, 1);
}

/* Marks and the end, from the host: in the order of their numbers, as many as there is place for,
 * and none of them is a frame that somebody waits for. */
static void told(void **state)
{
    struct mpj_in_note n;
    uint64_t before = 0;

    (void)state;
    m.listening = true;
    pass(BYTE_TIME * 100);
    assert_false(mpj_in_told_to_finish());
    assert_false(mpj_in_note(&n));
    for (uint8_t i = 1; i <= MPJ_IN_NOTES + 2; i++) {
        assert_int_equal(mpj_link_send(&m.host, MPJ_FRAME_NOTE, &i, 1, true), 0);
        (void)mpj_link_pump(&m.host);
        mpj_in_service();
        pass(BYTE_TIME * 50);
    }
    assert_int_equal(mpj_link_send(&m.host, MPJ_FRAME_FINISH, NULL, 0, true), 0);
    (void)mpj_link_pump(&m.host);
    mpj_in_service();
    assert_true(mpj_in_told_to_finish());
    assert_int_equal(m.stops, 0);
    for (unsigned i = 1; i <= MPJ_IN_NOTES; i++) {
        assert_true(mpj_in_note(&n));
        assert_true(mpj_in_note(&n)); /* stays the oldest */
        assert_int_equal(n.number, i);
        assert_true(n.time > before);
        before = n.time;
        mpj_in_note_done();
    }
    assert_false(mpj_in_note(&n));
    assert_int_equal(mpj_in_notes_lost(), 2);
    finish();
}

/* A fault in the middle of a frame: what was gathered and the fault itself arrive. */
static void seized(void **state)
{
    const struct mpj_error_rec e = {.code = MPJ_TERR_RUNTIME};

    (void)state;
    for (uint64_t i = 0; i < 20; i++)
        assert_int_equal(mpj_out_record(put_adc, samples(i * MPJ_ADC_BLOCK_MAX)), 0);
    m.listening = true;
    pass(BYTE_TIME * 100);
    mpj_out_seize();
    assert_int_equal(mpj_out_record((mpj_out_put)(void (*)(void))mpj_error_put, &e), 0);
    finish();
    assert_int_equal(m.adc, 20);
    assert_int_equal(m.records, 21);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(terminal, setup, teardown),
        cmocka_unit_test_setup_teardown(no_terminal, setup, teardown),
        cmocka_unit_test_setup_teardown(text, setup, teardown),
        cmocka_unit_test_setup_teardown(kept, setup, teardown),
        cmocka_unit_test_setup_teardown(full, setup, teardown),
        cmocka_unit_test_setup_teardown(interrupt, setup, teardown),
        cmocka_unit_test_setup_teardown(beats, setup, teardown),
        cmocka_unit_test_setup_teardown(probed, setup, teardown),
        cmocka_unit_test_setup_teardown(stopped, setup, teardown),
        cmocka_unit_test_setup_teardown(told, setup, teardown),
        cmocka_unit_test_setup_teardown(seized, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
