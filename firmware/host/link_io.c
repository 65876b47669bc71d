/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_in.h"

#include "hal_cpu.h"
#include "hal_sys.h"
#include "hal_uart.h"
#include "hal_watchdog.h"
#include "mpj_link.h"
#include "mpj_noinit.h"
#include "mpj_out.h"
#include "mpj_rate.h"
#include "mpj_text.h"
#include "mpj_wire.h"

#define TICKS_MS    (HAL_SYS_TIME_HZ / 1000U)
#define HELLO_EVERY (HAL_SYS_TIME_HZ / 4U)
#define BOUND       ((uint32_t)hal_sys_ticks_of_us(MPJ_IN_BOUND_US))
#define GIVE_UP     (HAL_SYS_TIME_HZ * 10U)
#define RESERVE     (64U << 10) /* for the end of a run: counters, RUN_END, a fault, END */

static MPJ_NOINIT uint8_t kept[MPJ_IN_KEEP];
static MPJ_NOINIT struct mpj_link_slot slots[MPJ_LINK_SLOTS_MAX];
static MPJ_NOINIT struct mpj_link_ahead gathered; /* the next frame, when it comes in parts */

static struct {
    struct mpj_link link;
    struct mpj_rate_target rate;
    void (*hello)(void);
    void (*stop)(void);
    hal_spinlock busy; /* the link, except for mpj_link_send() */
    bool reliable;
    bool patient;
    bool starved;  /* waiting for memory timed out: do not wait again before there is some */
    bool guarded;  /* the watchdog runs and must be fed */
    bool received; /* a byte came, so the host is alive */
    struct {
        bool off;   /* a frame has come: there is a host */
        bool other; /* what came since the last silence is not a line of text */
        bool enter; /* its last byte ends a line */
    } terminal;
    struct {
        uint32_t every, left; /* polls; 0: no beats */
        uint64_t sent;        /* by the one before */
    } beat;
    bool got;
    struct mpj_frame frame;
    volatile bool told_to_finish;
    struct {
        struct mpj_in_note n[MPJ_IN_NOTES];
        volatile uint32_t head; /* written by the receiver */
        volatile uint32_t tail; /* written by the consumer */
        volatile uint32_t lost;
    } note;
} in;

static size_t put(void *ctx, const uint8_t *p, size_t n)
{
    size_t i = 0;

    (void)ctx;
    while (i < n && hal_uart_try_put(p[i]))
        i++;
    return i;
}

static void keep_note(const struct mpj_frame *f)
{
    const uint32_t head = in.note.head;
    struct mpj_in_note *const n = &in.note.n[head % MPJ_IN_NOTES];
    struct mpj_reader r;

    if (head - in.note.tail == MPJ_IN_NOTES) {
        in.note.lost++;
        return;
    }
    mpj_reader_init(&r, f->payload, f->len);
    n->number = (uint32_t)mpj_get_varint(&r);
    n->time = hal_sys_ticks();
    __atomic_store_n(&in.note.head, head + 1U, __ATOMIC_RELEASE);
}

static int deliver(void *ctx, const struct mpj_frame *f)
{
    (void)ctx;
    if (f->type == MPJ_FRAME_STOP) {
        in.stop();
        return 0;
    }
    if (f->type == MPJ_FRAME_FINISH) {
        in.told_to_finish = true;
        return 0;
    }
    if (f->type == MPJ_FRAME_NOTE) {
        keep_note(f);
        return 0;
    }
    in.frame = *f;
    in.got = true;
    mpj_rate_target_confirm(&in.rate);
    return 0;
}

static void obey(const struct mpj_rate_do *todo)
{
    if (todo->type != 0)
        mpj_out_frame(todo->type, todo->payload, todo->len);
    if (todo->rate == 0)
        return;
    hal_uart_drain();
    (void)hal_uart_init(todo->rate);
}

/* Handles unnumbered frames. Only before the session, while the line belongs to the link, except
 * for the HELLO of a host that has lost its session and asks for the resident loader. */
static int control(void *ctx, const struct mpj_frame *f)
{
    struct mpj_rate_do todo;

    (void)ctx;
    if (f->type == MPJ_FRAME_HELLO) {
        in.stop();
        return 0;
    }
    if (in.reliable)
        return 0;
    if (f->type == MPJ_FRAME_ACK) {
        in.hello(); /* the host is there and could not decode it */
        return 0;
    }
    mpj_rate_target_frame(&in.rate, f, hal_uart_possible(mpj_rate_wanted(f)),
                          hal_sys_ticks32() / TICKS_MS, &todo);
    obey(&todo);
    return 0;
}

void mpj_in_open(void (*hello)(void), void (*stop)(void))
{
    static const struct mpj_link_config cfg = {
        .tx = kept,
        .tx_bytes = sizeof(kept),
        .reserve = RESERVE,
        .slots = slots,
        .slot_count = MPJ_LINK_SLOTS_MAX,
        .ahead = &gathered,
        .ahead_count = 1,
        .put = put,
        .deliver = deliver,
        .control = control,
    };

    in.hello = hello;
    in.stop = stop;
    in.reliable = false;
    in.patient = false;
    in.told_to_finish = false;
    in.terminal.off = in.terminal.other = in.terminal.enter = false;
    in.note.head = in.note.tail = in.note.lost = 0;
    in.beat.every = in.beat.left = 0;
    mpj_link_init(&in.link, &cfg);
    mpj_rate_target_init(&in.rate);
}

/* Gives the transmitter as much as it takes. Its interrupt asks for the rest. */
static void pump(void)
{
    bool more;

    do {
        if (!hal_spin_try(&in.busy))
            return; /* its holder checks again below */
        more = mpj_link_pump(&in.link);
        hal_uart_tx_interrupt(more);
        hal_spin_unlock(&in.busy);
    } while (!more && mpj_link_due(&in.link));
}

void mpj_in_reliable(void)
{
    mpj_link_reliable(&in.link);
    in.link.want_status = true; /* for the frame that asked for it */
    in.reliable = true;
    pump();
}

bool mpj_in_is_reliable(void)
{
    return in.reliable;
}

void mpj_in_patient(void)
{
    in.patient = true;
}

/* Takes one byte, if there is one. The caller holds the link, here and below. */
static bool take(void)
{
    const int c = hal_uart_try_get();
    const uint8_t byte = (uint8_t)c;

    if (c < 0)
        return false;
    (void)mpj_link_receive(&in.link, &byte, 1);
    in.received = true;
    return true;
}

/* Notes whether received bytes are what a person types. */
static void look(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        in.terminal.other |= !mpj_text_byte(bytes[i]);
    in.terminal.enter = bytes[n - 1U] == '\r' || bytes[n - 1U] == '\n';
}

/* Takes the received bytes, up to the end of a frame; modelled time may stop until that has
 * arrived. Nothing is sent while OUT1 is set: the emulator waits at every read of the UART's
 * flags. */
static void take_frame(void)
{
    static uint8_t bytes[256];
    size_t n = 0;
    int c;

    hal_uart_waiting(true);
    do {
        c = hal_uart_try_get();
        if (c >= 0)
            bytes[n++] = (uint8_t)c;
    } while (c > 0 && n < sizeof(bytes));
    hal_uart_waiting(false);
    if (n > 0) {
        (void)mpj_link_receive(&in.link, bytes, n);
        in.received = true;
        if (!in.terminal.off)
            look(bytes, n);
    }
}

void mpj_in_guarded(void)
{
    in.guarded = true;
}

void mpj_in_beat(uint32_t polls)
{
    in.beat.every = in.beat.left = polls;
}

/* Sends a status if it is time and the line is silent. The caller holds the link. */
static void beat(void)
{
    if (in.beat.every == 0 || --in.beat.left != 0)
        return;
    in.beat.left = in.beat.every;
    if (in.link.stats.sent == in.beat.sent)
        in.link.want_status = true;
    in.beat.sent = in.link.stats.sent;
}

void mpj_in_service(void)
{
    if (in.guarded)
        hal_watchdog_feed();
    if (!in.reliable || !hal_spin_try(&in.busy))
        return;
    for (unsigned i = 0; i < 32U && take(); i++)
        ;
    beat();
    hal_spin_unlock(&in.busy);
    pump();
}

bool mpj_in_note(struct mpj_in_note *out)
{
    const uint32_t tail = in.note.tail;

    if (__atomic_load_n(&in.note.head, __ATOMIC_ACQUIRE) == tail)
        return false;
    *out = in.note.n[tail % MPJ_IN_NOTES];
    return true;
}

void mpj_in_note_done(void)
{
    __atomic_store_n(&in.note.tail, in.note.tail + 1U, __ATOMIC_RELEASE);
}

uint32_t mpj_in_notes_lost(void)
{
    return in.note.lost;
}

bool mpj_in_told_to_finish(void)
{
    return in.told_to_finish;
}

void mpj_in_irq(unsigned id, void *arg)
{
    (void)id;
    (void)arg;
    hal_uart_tx_interrupt(false);
    pump();
}

/*
 * Waits for the host, one step: sends what is queued, asks for acknowledgements when some are
 * missing, takes a frame's bytes. patient: until the line has carried what is queued, however long
 * that takes. The emulator's line takes no time; there, the wait itself is in take_frame().
 */
static void turn(bool patient)
{
    bool more;
    bool transport;

    if (in.guarded)
        hal_watchdog_feed();
    if (!hal_spin_try(&in.busy)) {
        transport = hal_uart_transport(false);
        hal_spin_lock(&in.busy);
        (void)hal_uart_transport(transport);
    }
    do {
        more = mpj_link_pump(&in.link);
    } while (more && patient);
    if (!more && in.reliable && !mpj_link_settled(&in.link)) {
        mpj_link_ask(&in.link);
        while (mpj_link_pump(&in.link) && patient)
            ;
    }
    take_frame();
    hal_spin_unlock(&in.busy);
}

void mpj_in_wait(struct mpj_frame *out)
{
    uint32_t said = hal_sys_ticks32();
    struct mpj_rate_do todo;

    in.got = false;
    while (!in.got) {
        in.received = false;
        turn(true);
        if (in.reliable)
            continue;
        if (in.received) {
            said = hal_sys_ticks32(); /* the host is talking: no HELLO into its START */
            continue;
        }
        if (in.link.stats.parts_in > 0) /* of START, which was sent at this rate */
            mpj_rate_target_confirm(&in.rate);
        mpj_rate_target_tick(&in.rate, hal_sys_ticks32() / TICKS_MS, &todo);
        obey(&todo);
        if (hal_sys_ticks32() - said >= HELLO_EVERY) {
            if (in.terminal.enter && !in.terminal.other) {
                *out = (struct mpj_frame){.type = 0};
                return;
            }
            in.terminal.other = in.terminal.enter = false;
            in.hello();
            said = hal_sys_ticks32();
        }
    }
    *out = in.frame;
    in.terminal.off = true;
    if (in.reliable)
        pump(); /* its acknowledgement */
}

void mpj_in_drain(void)
{
    if (in.reliable) {
        hal_spin_lock(&in.busy);
        while (mpj_link_pump(&in.link))
            ;
        hal_spin_unlock(&in.busy);
    }
    hal_uart_drain();
}

/* Waits up to that many ticks until acknowledgements free memory. */
static int wait_for_room(uint8_t type, const void *payload, size_t len, bool urgent, uint32_t most)
{
    uint32_t since = hal_sys_ticks32();
    int r = MPJ_LINK_ERR_SPACE;

    while (r == MPJ_LINK_ERR_SPACE && hal_sys_ticks32() - since < most) {
        in.received = false;
        turn(most == GIVE_UP);
        if (in.received && most == GIVE_UP)
            since = hal_sys_ticks32();
        r = mpj_link_send(&in.link, type, payload, len, urgent);
    }
    return r;
}

int mpj_in_send(uint8_t type, const void *payload, size_t len, bool must)
{
    const bool urgent = must || in.patient;
    int r = mpj_link_send(&in.link, type, payload, len, urgent);

    if (r == MPJ_LINK_OK)
        in.starved = false;
    else if (r == MPJ_LINK_ERR_SPACE && (urgent || !in.starved)) {
        r = wait_for_room(type, payload, len, urgent, urgent ? GIVE_UP : BOUND);
        in.starved = r != MPJ_LINK_OK;
    }
    pump();
    return r;
}

int mpj_in_try_send(uint8_t type, const void *payload, size_t len)
{
    const int r = mpj_link_send(&in.link, type, payload, len, false);

    pump();
    return r;
}

void mpj_in_finish(void)
{
    uint32_t since = hal_sys_ticks32();

    if (!in.reliable)
        return;
    while (!mpj_link_settled(&in.link) && hal_sys_ticks32() - since < GIVE_UP) {
        in.received = false;
        turn(true);
        if (in.received)
            since = hal_sys_ticks32();
    }
    hal_uart_drain();
}

void mpj_in_seize(void)
{
    in.busy.taken = 0;
    in.patient = true;
    if (in.reliable)
        mpj_link_seize(&in.link);
}
