/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The resident loader: receives images over the serial line into RAM, writes them to the flash, and
 * starts them. One core, no interrupts; the reliable link of link/ carries the requests of
 * mpj_loader_records.h.
 */
#include <string.h>

#include "hal_cpu.h"
#include "hal_err.h"
#include "hal_flash.h"
#include "hal_map.h"
#include "hal_scu.h"
#include "hal_sys.h"
#include "hal_uart.h"
#include "hal_watchdog.h"
#include "loader_layout.h"
#include "mpj_layout.h"
#include "mpj_link.h"
#include "mpj_loader_records.h"
#include "mpj_rate.h"
#include "mpj_records.h"
#include "mpj_slots.h"

#define TX_BYTES    8192U
#define SLOTS       32U
#define AHEAD       8U
#define TICKS_US    (HAL_SYS_TIME_HZ / 1000000U)
#define TICKS_MS    (HAL_SYS_TIME_HZ / 1000U)
#define HELLO_EVERY (HAL_SYS_TIME_HZ / 4U)
#define HOST_WAIT   (HAL_SYS_TIME_HZ * 2U) /* for a host; then the flashed image runs */
#define GIVE_UP     (HAL_SYS_TIME_HZ * 5U)
#define ONLY_NOISE  (HAL_SYS_TIME_HZ * 3U)
#define PAUSE       HAL_SYS_TIME_HZ /* after which noise is counted from zero */
#define GUARD_MS    6000U           /* until the image first feeds the watchdog */

_Noreturn void mpj_loader_jump(uint32_t entry);
void mpj_loader_main(void);

static struct {
    struct mpj_link link;
    struct mpj_rate_target rate;
    struct mpj_link_slot slots[SLOTS];
    struct mpj_link_ahead ahead[AHEAD]; /* requests in parts, or after a missing one */
    uint8_t tx[TX_BYTES];
    bool waiting;  /* OUT1 is set: nothing is sent */
    bool received; /* a frame came: there is a host */
    bool reopen;   /* the host begins a new session */
    bool got;      /* frame waits to be processed: not from within the link */
    struct mpj_frame frame;
    bool noisy;             /* bytes came since the last frame */
    uint32_t noise, byte;   /* ... the first one, after a pause; the last one */
    uint32_t boot;          /* address to jump to; 0: stay */
    uint32_t looked;        /* when the receiver was last polled */
    bool full;              /* ... and had a byte */
    uint32_t busy, longest; /* since an upload began: times between a byte and the next poll */
} ld;

/* The upload. It survives a lost connection. */
static struct {
    struct mpj_slot_record record;
    uint32_t bytes, crc; /* as announced; the key of a resumed upload */
    uint32_t have;
} stage;

static uint8_t *const stage_at = (uint8_t *)(uintptr_t)LOADER_STAGE;

static struct hal_flash flash;
static struct mpj_slots slots;
static bool have_flash;
static bool cold; /* RAM is not as the loader left it when it last started an image */

/* ---- line ------------------------------------------------------------------------- */

/* Announces that the loader polls the receiver: modelled time then stops in the emulator. */
static void wait_for_host(bool on)
{
    if (ld.waiting != on)
        hal_uart_waiting(on);
    ld.waiting = on;
}

static size_t put(void *ctx, const uint8_t *p, size_t n)
{
    size_t i = 0;

    (void)ctx;
    wait_for_host(false);
    while (i < n && hal_uart_try_put(p[i]))
        i++;
    return i;
}

/* Sends an unnumbered frame, bypassing the link, which has no half-sent frame when this is
 * called. */
static void send_now(uint8_t type, const void *payload, size_t len)
{
    static uint8_t wire[MPJ_FRAME_WIRE_MAX];

    wait_for_host(false);
    hal_uart_write(wire, mpj_frame_encode(type, 0, payload, len, wire, sizeof(wire)));
}

static void say_hello(void)
{
    uint8_t buf[128];
    struct mpj_writer w;
    const struct mpj_hello h = {
        .protocol = MPJ_LINK_VERSION,
        .abi = MPJ_ABI_VERSION,
        .features = 1U << MPJ_FEATURE_ACK | 1U << MPJ_FEATURE_RATE | 1U << MPJ_FEATURE_LOADER |
                    1U << MPJ_FEATURE_PARTS | (cold ? 1U << MPJ_FEATURE_COLD : 0U),
        .sys_id = hal_sys_id(),
        .proc_id = hal_sys_proc_id(),
        .midr = hal_cpu_midr(),
        .scu_config = hal_scu_config(),
        .cores = 1,
        .clock_hz = hal_sys_clock_hz(),
        .time_hz = HAL_SYS_TIME_HZ,
        .name = {(const uint8_t *)MPJ_LOADER_HELLO, sizeof(MPJ_LOADER_HELLO) - 1},
    };

    mpj_writer_init(&w, buf, sizeof(buf));
    if (mpj_hello_put(&w, &h) == MPJ_LINK_OK)
        send_now(MPJ_FRAME_HELLO, buf, (size_t)(w.at - buf));
}

static void reply(const struct mpj_writer *w, const uint8_t *buf)
{
    const size_t len = (size_t)(w->at - buf);

    while (mpj_link_send(&ld.link, MPJ_FRAME_LOADER_REPLY, buf, len, false) == MPJ_LINK_ERR_SPACE) {
        /* The host may not be there to acknowledge: it asks again for missing frames. */
        if (!mpj_link_pump(&ld.link))
            return;
    }
    while (mpj_link_pump(&ld.link))
        ;
}

static void result(uint32_t code, uint32_t detail)
{
    const struct mpj_loader_result r = {code, detail};
    uint8_t buf[32];
    struct mpj_writer w;

    mpj_writer_init(&w, buf, sizeof(buf));
    mpj_loader_result_put(&w, &r);
    reply(&w, buf);
}

static void progress(uint32_t kind, uint32_t phase, uint32_t done, uint32_t total)
{
    const struct mpj_loader_progress p = {phase, done, total};
    uint8_t buf[32];
    struct mpj_writer w;

    mpj_writer_init(&w, buf, sizeof(buf));
    mpj_loader_progress_put(&w, kind, &p);
    reply(&w, buf);
}

/* ---- requests --------------------------------------------------------------------- */

static void open_flash(void)
{
    have_flash = hal_flash_probe(&flash, hal_flash_bank(0)) == HAL_OK &&
                 mpj_slots_open(&slots, &flash) == HAL_OK;
}

static struct mpj_bytes record_name(const struct mpj_slot_record *r)
{
    const struct mpj_bytes b = {(const uint8_t *)r->name, strnlen(r->name, MPJ_LOADER_NAME_MAX)};

    return b;
}

static void tell_info(void)
{
    struct mpj_loader_info i = {.version = MPJ_LOADER_VERSION,
                                .slot = MPJ_SLOT_NONE,
                                .busy = ld.busy / TICKS_US,
                                .longest = ld.longest / TICKS_US};
    uint8_t buf[128];
    struct mpj_writer w;

    if (have_flash) {
        i.flash_bytes = flash.bytes;
        i.flash_id = flash.id;
        i.slot = slots.now.slot;
        i.sequence = slots.now.sequence;
        if (i.slot != MPJ_SLOT_NONE) {
            i.bytes = slots.now.bytes;
            i.crc = slots.now.crc;
            i.build_id.p = slots.now.build_id;
            i.build_id.len = MPJ_SLOT_ID_BYTES;
            i.name = record_name(&slots.now);
        }
    }
    mpj_writer_init(&w, buf, sizeof(buf));
    mpj_loader_info_put(&w, &i);
    reply(&w, buf);
}

static void begin(const struct mpj_rec *rec)
{
    struct mpj_loader_image i;
    struct mpj_slot_record r;

    if (mpj_loader_image_get(rec, &i) != MPJ_LINK_OK || i.bytes > LOADER_STAGE_END - LOADER_STAGE ||
        i.bytes == 0 || i.bytes % 4U != 0) {
        result(MPJ_LOADER_BAD_IMAGE, 0);
        return;
    }
    memset(&r, 0, sizeof(r));
    r.kind = i.kind;
    r.entry = i.entry;
    r.bytes = i.bytes;
    r.segments = i.segments;
    for (uint32_t n = 0; n < i.segments; n++) {
        r.segment[n].address = i.segment[n].address;
        r.segment[n].offset = i.segment[n].offset;
        r.segment[n].bytes = i.segment[n].bytes;
        r.segment[n].memory = i.segment[n].memory;
    }
    memcpy(r.build_id, i.build_id.p, i.build_id.len);
    memcpy(r.name, i.name.p, i.name.len);
    if (i.bytes != stage.bytes || i.crc != stage.crc)
        stage.have = 0; /* another image */
    stage.record = r;
    stage.bytes = i.bytes;
    stage.crc = i.crc;
    progress(MPJ_LOADER_STATE, 0, stage.have, stage.bytes);
    ld.busy = ld.longest = 0;
}

static void data(const struct mpj_rec *rec)
{
    struct mpj_loader_data d;

    if (mpj_loader_data_get(rec, &d) != MPJ_LINK_OK || d.offset != stage.have ||
        d.data.len > stage.bytes - stage.have) {
        result(MPJ_LOADER_BAD_DATA, stage.have);
        return;
    }
    memcpy(stage_at + d.offset, d.data.p, d.data.len);
    stage.have += (uint32_t)d.data.len;
}

static bool complete(void)
{
    if (stage.bytes == 0 || stage.have != stage.bytes) {
        result(MPJ_LOADER_NO_IMAGE, stage.have);
        return false;
    }
    if (mpj_crc32(0, stage_at, stage.bytes) != stage.crc) {
        stage.have = 0;
        result(MPJ_LOADER_BAD_DATA, stage.bytes);
        return false;
    }
    return true;
}

static void flash_progress(void *ctx, char phase, uint32_t done, uint32_t total)
{
    uint32_t *const last = ctx;
    const uint32_t now = hal_sys_ticks32();

    if (done != total && now - *last < HAL_SYS_TIME_HZ / 5U)
        return;
    *last = now;
    progress(MPJ_LOADER_PROGRESS, (uint32_t)phase, done, total);
}

static void flash_it(void)
{
    uint32_t last = hal_sys_ticks32();
    int err;

    if (!complete())
        return;
    if (!have_flash) {
        result(MPJ_LOADER_NO_FLASH, 0);
        return;
    }
    err = mpj_slots_write(&slots, &stage.record, stage_at, flash_progress, &last);
    result(err == HAL_OK       ? MPJ_LOADER_OK
           : err == HAL_EINVAL ? MPJ_LOADER_BAD_IMAGE
                               : MPJ_LOADER_FLASH_IO,
           err == HAL_OK ? slots.now.slot : (uint32_t)-err);
}

/* Copies the image's segments to their addresses, which are below all of the loader's memory and
 * above the loop of the other cores. */
static bool place(const struct mpj_slot_record *r, const uint8_t *content, uint32_t limit)
{
    bool entered = false;

    if (r->segments > MPJ_SLOT_SEGMENTS)
        return false;
    for (uint32_t n = 0; n < r->segments; n++) {
        const struct mpj_slot_segment *g = &r->segment[n];

        if (g->offset > r->bytes || g->bytes > r->bytes - g->offset || g->address < LOADER_IMAGES ||
            g->address >= limit || g->bytes > limit - g->address)
            return false;
        entered |= r->entry - g->address < g->bytes;
    }
    for (uint32_t n = 0; entered && n < r->segments; n++)
        memmove((void *)(uintptr_t)r->segment[n].address, content + r->segment[n].offset,
                r->segment[n].bytes);
    return entered;
}

static void boot(uint32_t source)
{
    const struct mpj_slot_record *r = &stage.record;
    const uint8_t *content = stage_at;

    if (source == MPJ_LOADER_FLASHED) {
        if (!have_flash || mpj_slots_check(&slots) != HAL_OK) {
            result(MPJ_LOADER_NO_IMAGE, 0);
            return;
        }
        r = &slots.now;
        content = (const uint8_t *)(flash.base + mpj_slot_offset(r->slot));
    } else if (!complete()) {
        return;
    }
    if (r->kind == MPJ_SLOT_IN_PLACE ? source != MPJ_LOADER_FLASHED
                                     : !place(r, content, LOADER_STAGE)) {
        result(MPJ_LOADER_BAD_IMAGE, r->entry);
        return;
    }
    result(MPJ_LOADER_OK, r->entry);
    ld.boot = r->entry;
}

static void request(const struct mpj_rec *rec)
{
    uint32_t source;

    switch (rec->kind) {
    case MPJ_LOADER_INFO_REQ:
        tell_info();
        break;
    case MPJ_LOADER_BEGIN:
        begin(rec);
        break;
    case MPJ_LOADER_DATA:
        data(rec);
        break;
    case MPJ_LOADER_FLASH:
        flash_it();
        break;
    case MPJ_LOADER_FORGET:
        result(have_flash && mpj_slots_forget(&slots) == HAL_OK ? MPJ_LOADER_OK
                                                                : MPJ_LOADER_FLASH_IO,
               0);
        break;
    case MPJ_LOADER_BOOT:
        if (mpj_loader_boot_get(rec, &source) == MPJ_LINK_OK)
            boot(source);
        break;
    default:
        result(MPJ_LOADER_REQUEST, rec->kind);
        break;
    }
}

/* ---- sessions ---------------------------------------------------------------------- */

/* Handles unnumbered frames: the host's first frame, and the bit rate. */
static int control(void *ctx, const struct mpj_frame *f)
{
    struct mpj_rate_do todo;

    (void)ctx;
    ld.received = true;
    if (f->type == MPJ_FRAME_HELLO)
        ld.reopen = true;
    if (f->type == MPJ_FRAME_ACK)
        say_hello(); /* the host is there and has not decoded it */
    if (f->type != MPJ_FRAME_RATE && f->type != MPJ_FRAME_ECHO)
        return 0;
    mpj_rate_target_frame(&ld.rate, f, hal_uart_possible(mpj_rate_wanted(f)),
                          hal_sys_ticks32() / TICKS_MS, &todo);
    if (todo.type != 0)
        send_now(todo.type, todo.payload, todo.len);
    if (todo.rate != 0) {
        wait_for_host(false);
        hal_uart_drain();
        (void)hal_uart_init(todo.rate);
    }
    return 0;
}

/* Takes a numbered frame; the first one shows that the host acknowledges. Frames are processed one
 * by one. */
static int deliver(void *ctx, const struct mpj_frame *f)
{
    (void)ctx;
    if (!ld.link.reliable) {
        mpj_link_reliable(&ld.link);
        ld.link.want_status = true; /* for the frame that asked for it */
    }
    ld.received = true;
    ld.frame = *f;
    ld.got = true;
    return 1;
}

static void session_open(void)
{
    static const struct mpj_link_config cfg = {
        .tx = ld.tx,
        .tx_bytes = TX_BYTES,
        .slots = ld.slots,
        .slot_count = SLOTS,
        .ahead = ld.ahead,
        .ahead_count = AHEAD,
        .put = put,
        .deliver = deliver,
        .control = control,
    };

    mpj_link_init(&ld.link, &cfg);
    mpj_rate_target_init(&ld.rate);
    ld.reopen = ld.got = false;
    wait_for_host(false);
    (void)hal_uart_init(MPJ_RATE_BASE);
    say_hello();
}

/* Returns to the base rate after bytes that made no frame for long: a host that does not know the
 * rate that its predecessor agreed on. Not after silence: the host may be busy, or its cable
 * unplugged. */
static void back_to_base(void)
{
    if (ld.rate.rate == MPJ_RATE_BASE || !ld.noisy || ld.looked - ld.noise < ONLY_NOISE)
        return;
    session_open();
    ld.noisy = false;
}

/* Processes the frame that the last byte completed. */
static void deal(void)
{
    struct mpj_reader r;
    struct mpj_rec rec;

    if (ld.reopen) {
        session_open();
        return;
    }
    if (!ld.got)
        return;
    ld.got = false;
    mpj_rate_target_confirm(&ld.rate);
    if (ld.frame.type != MPJ_FRAME_LOADER_REQ)
        return;
    mpj_reader_init(&r, ld.frame.payload, ld.frame.len);
    if (mpj_rec_next(&r, &rec) == 1)
        request(&rec);
    ld.noisy = false; /* a request may take long */
}

/* Measures how long the last byte kept the loader from polling the receiver, which holds sixteen
 * more. */
static void count_work(uint32_t now)
{
    const uint32_t gap = now - ld.looked;

    if (!ld.full || stage.have == stage.bytes)
        return;
    ld.busy += gap;
    if (gap > ld.longest)
        ld.longest = gap;
}

/* Takes a byte, or a request that came early. Returns false if there is none. */
static bool take(void)
{
    const uint64_t frames = ld.link.decoder.stats.frames;
    uint8_t byte;
    int c;

    count_work(hal_sys_ticks32());
    wait_for_host(true);
    c = hal_uart_try_get();
    ld.looked = hal_sys_ticks32();
    ld.full = c >= 0;
    byte = (uint8_t)c;
    if (c < 0)
        return mpj_link_receive(&ld.link, NULL, 0) != 0;
    if (!ld.noisy || ld.looked - ld.byte > PAUSE)
        ld.noise = ld.looked;
    ld.noisy = true;
    ld.byte = ld.looked;
    (void)mpj_link_receive(&ld.link, &byte, 1);
    if (ld.link.decoder.stats.frames != frames)
        ld.noisy = false;
    return true;
}

void mpj_loader_main(void)
{
    static const uint8_t delimiter;
    uint32_t start, said, since;

    hal_watchdog_stop();
    cold = *(const volatile uint32_t *)MPJ_BOOT_WORD != MPJ_BOOT_GUARDED;
    hal_sys_start_none();
    (void)hal_uart_init(MPJ_RATE_BASE);
    open_flash();
    hal_uart_write(&delimiter, 1);
    session_open();
    start = said = hal_sys_ticks32();
    while (ld.boot == 0) {
        struct mpj_rate_do todo;

        while (mpj_link_pump(&ld.link))
            ;
        if (!mpj_link_settled(&ld.link)) { /* only the host would miss a lost reply */
            mpj_link_ask(&ld.link);
            while (mpj_link_pump(&ld.link))
                ;
        }
        if (take()) {
            deal();
            back_to_base();
            continue;
        }
        if (ld.link.stats.parts_in > 0) /* of a request, which was sent at this rate */
            mpj_rate_target_confirm(&ld.rate);
        mpj_rate_target_tick(&ld.rate, hal_sys_ticks32() / TICKS_MS, &todo);
        if (todo.rate != 0) {
            wait_for_host(false);
            (void)hal_uart_init(todo.rate);
        }
        if (ld.received)
            continue;
        if (hal_sys_ticks32() - said >= HELLO_EVERY) {
            say_hello();
            said = hal_sys_ticks32();
        }
        if (hal_sys_ticks32() - start >= HOST_WAIT) {
            boot(MPJ_LOADER_FLASHED); /* no host: the flashed image */
            start = hal_sys_ticks32();
        }
    }
    /* The host must learn of the success; the image opens a session of its own. */
    since = hal_sys_ticks32();
    while (ld.received && !mpj_link_settled(&ld.link) && hal_sys_ticks32() - since < GIVE_UP) {
        if (!mpj_link_pump(&ld.link))
            mpj_link_ask(&ld.link);
        while (mpj_link_pump(&ld.link))
            ;
        (void)take();
    }
    wait_for_host(false);
    hal_uart_drain();
    /* If the image hangs, the watchdog resets the board and the loader runs again. */
    *(volatile uint32_t *)MPJ_BOOT_WORD = MPJ_BOOT_GUARDED;
    hal_watchdog_start(GUARD_MS);
    mpj_loader_jump(ld.boot);
}
