/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The resident loader (firmware/loader) against a host that says anything, and a flash that holds
 * anything: its own sources on a machine of this file. The first byte says what there is: 1 no
 * flash; 2 records in the flash, the next 512 bytes; 4 ... with their checksum repaired; 8 the
 * flash fails; 16 a host that comes late. The rest is what the host sends.
 *
 * Whatever comes, the loader keeps to its memory, starts nothing that it has not checked, and
 * never touches its own part of the flash.
 */
#include "fuzz.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fuzz_frames.h"
#include "hal_err.h"
#include "hal_flash.h"
#include "loader_layout.h"
#include "mpj_layout.h"

/* Where the real machine has memory, this one has as much as it needs. */
static uint32_t boot_word;
#undef MPJ_BOOT_WORD
#define MPJ_BOOT_WORD (&boot_word)
static void *into_ram(void *to, const void *from, size_t bytes);
#define memmove into_ram
#include "loader.c"
#undef memmove

#define BANK_BYTES  0x4000000U
#define BLOCK_BYTES 0x40000U
#define RECORDS     512U /* bytes of an input for the directory */
#define IDLE_MS     100U
#define IDLE_MOST   80U /* polls without a byte until the input is over */

enum what { NO_FLASH = 1, FILLED = 2, REPAIRED = 4, FAILS = 8, LATE = 16 };

static struct {
    jmp_buf over;
    const uint8_t *data;
    size_t left;
    unsigned what, idle;
    uint32_t ticks;
    uint8_t *bank;
    uint64_t touched; /* blocks of the bank, modulo 64 */
    bool guarded;
} m;

/* ---- memory ---------------------------------------------------------------------------------- */

static void *into_ram(void *to, const void *from, size_t bytes)
{
    const uintptr_t at = (uintptr_t)to;
    volatile uint8_t sink = 0;

    if (at < LOADER_IMAGES || at > LOADER_STAGE || bytes > LOADER_STAGE - at)
        abort();
    for (size_t i = 0; i < bytes; i++)
        sink = ((const uint8_t *)from)[i];
    (void)sink;
    return to;
}

_Noreturn void mpj_loader_jump(uint32_t entry)
{
    /* a record in the flash with a right checksum is the loader's own, and taken as it is */
    if (((m.what & FILLED) == 0 && entry < LOADER_IMAGES) || !m.guarded ||
        boot_word != MPJ_BOOT_GUARDED)
        abort();
    longjmp(m.over, 1);
}

/* ---- devices ----------------------------------------------------------------------------------
 */

uint32_t hal_sys_ticks32(void)
{
    return m.ticks += 50U * TICKS_US;
}

uint32_t hal_sys_id(void)
{
    return 0x01400400;
}

uint32_t hal_sys_proc_id(void)
{
    return 0x06000000;
}

uint32_t hal_sys_clock_hz(void)
{
    return 210000000;
}

void hal_sys_start_none(void)
{
}

uint32_t hal_cpu_midr(void)
{
    return 0x410fb024;
}

uint32_t hal_scu_config(void)
{
    return 0x33;
}

void hal_watchdog_start(uint32_t ms)
{
    m.guarded = ms > 0;
}

void hal_watchdog_stop(void)
{
    m.guarded = false;
}

int hal_uart_init(uint32_t baud)
{
    return baud > 0 ? HAL_OK : HAL_EINVAL;
}

bool hal_uart_possible(uint32_t baud)
{
    return baud >= 9600 && baud <= 4000000;
}

bool hal_uart_try_put(uint8_t byte)
{
    (void)byte;
    return true;
}

void hal_uart_write(const void *data, size_t len)
{
    volatile uint8_t sink = 0;

    for (size_t i = 0; i < len; i++)
        sink = ((const uint8_t *)data)[i];
    (void)sink;
}

void hal_uart_drain(void)
{
}

void hal_uart_waiting(bool on)
{
    (void)on;
}

int hal_uart_try_get(void)
{
    if (m.left > 0 && (m.what & LATE) == 0) {
        m.left--;
        return *m.data++;
    }
    m.ticks += IDLE_MS * TICKS_MS;
    m.idle++;
    if (m.idle > IDLE_MOST / 2U)
        m.what &= ~(unsigned)LATE;
    if (m.idle > IDLE_MOST && m.left == 0)
        longjmp(m.over, 1);
    return -1;
}

/* ---- flash ------------------------------------------------------------------------------------
 */

static bool inside(uint32_t offset, size_t len)
{
    return offset <= BANK_BYTES && len <= BANK_BYTES - offset;
}

/* Only what is not the loader's own. */
static uint8_t *at(uint32_t offset, size_t len)
{
    if (!inside(offset, len) || offset < MPJ_SLOTS_LOADER_BYTES)
        abort();
    for (uint32_t block = offset / BLOCK_BYTES; block <= (offset + len) / BLOCK_BYTES; block++)
        m.touched |= UINT64_C(1) << (block % 64U);
    return m.bank + offset;
}

uintptr_t hal_flash_bank(unsigned bank)
{
    return bank == 0 ? (uintptr_t)m.bank : 0;
}

int hal_flash_probe(struct hal_flash *f, uintptr_t base)
{
    if ((m.what & NO_FLASH) != 0)
        return HAL_ENODEV;
    *f = (struct hal_flash){.base = base, .bytes = BANK_BYTES, .id = 0x890018};
    return HAL_OK;
}

int hal_flash_block(const struct hal_flash *f, uint32_t offset, uint32_t *start, uint32_t *bytes)
{
    if (offset >= f->bytes)
        return HAL_EINVAL;
    *start = offset / BLOCK_BYTES * BLOCK_BYTES;
    *bytes = BLOCK_BYTES;
    return HAL_OK;
}

int hal_flash_unlock(const struct hal_flash *f, uint32_t offset)
{
    (void)f;
    (void)at(offset, 0);
    return HAL_OK;
}

int hal_flash_erase(const struct hal_flash *f, uint32_t offset)
{
    (void)f;
    memset(at(offset / BLOCK_BYTES * BLOCK_BYTES, BLOCK_BYTES - 1), 0xff, BLOCK_BYTES);
    return HAL_OK;
}

int hal_flash_program(const struct hal_flash *f, uint32_t offset, const void *data, size_t len)
{
    uint8_t *const to = at(offset, len);

    (void)f;
    if (offset % 4U != 0 || len % 4U != 0)
        abort();
    if ((m.what & FAILS) != 0 && m.ticks % 7U == 0)
        return HAL_EIO;
    for (size_t i = 0; i < len; i++)
        to[i] &= ((const uint8_t *)data)[i];
    return HAL_OK;
}

int hal_flash_read(const struct hal_flash *f, uint32_t offset, void *data, size_t len)
{
    if (!inside(offset, len) || offset % 4U != 0 || len % 4U != 0)
        return HAL_EINVAL;
    memcpy(data, (const uint8_t *)f->base + offset, len);
    return HAL_OK;
}

void hal_flash_vpp(bool on)
{
    (void)on;
}

/* ---- an input ---------------------------------------------------------------------------------
 */

static void make_machine(void)
{
    const size_t bytes = LOADER_STAGE_END - LOADER_STAGE;
    void *const stage_ram =
        mmap((void *)(uintptr_t)LOADER_STAGE, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);

    m.bank = mmap(NULL, BANK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stage_ram != (void *)(uintptr_t)LOADER_STAGE || m.bank == MAP_FAILED)
        abort();
    m.touched = UINT64_MAX;
}

static void fill_directory(void)
{
    uint8_t *const directory = at(MPJ_SLOTS_LOADER_BYTES, RECORDS);
    struct mpj_slot_record r;

    for (unsigned i = 0; i < RECORDS / sizeof(r) && m.left >= sizeof(r); i++) {
        memcpy(&r, m.data, sizeof(r));
        if ((m.what & REPAIRED) != 0) {
            r.magic = 0x534a504dU;
            r.check = mpj_crc32(0, &r, offsetof(struct mpj_slot_record, check));
        }
        memcpy(directory + i * sizeof(r), &r, sizeof(r));
        m.data += sizeof(r);
        m.left -= sizeof(r);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    if (m.bank == NULL)
        make_machine();
    for (uint32_t block = 0; block < BANK_BYTES / BLOCK_BYTES; block++) {
        if ((m.touched >> (block % 64U) & 1U) != 0)
            memset(m.bank + (size_t)block * BLOCK_BYTES, 0xff, BLOCK_BYTES);
    }
    m.touched = 0;
    m.what = data[0];
    m.data = data + 1;
    m.left = size - 1;
    m.idle = m.ticks = 0;
    memset(&ld, 0, sizeof(ld));
    memset(&stage, 0, sizeof(stage));
    memset(&slots, 0, sizeof(slots));
    memset(&flash, 0, sizeof(flash));
    have_flash = false;
    boot_word = 0;
    if ((m.what & FILLED) != 0)
        fill_directory();
    if (setjmp(m.over) == 0)
        mpj_loader_main();
    return 0;
}

/* ---- what a host sends ------------------------------------------------------------------------
 */

struct sender {
    uint8_t *out;
    size_t n, cap;
    uint16_t seq;
    uint8_t payload[MPJ_FRAME_PAYLOAD_MAX];
    struct mpj_writer w;
};

static struct mpj_writer *next(struct sender *s)
{
    mpj_writer_init(&s->w, s->payload, sizeof(s->payload));
    return &s->w;
}

static void send(struct sender *s, uint8_t type)
{
    s->n += mpj_frame_encode(type, mpj_frame_sequenced(type) ? s->seq++ : 0, s->payload,
                             (size_t)(s->w.at - s->payload), s->out + s->n, s->cap - s->n);
}

static void send_empty(struct sender *s, uint32_t kind)
{
    mpj_loader_empty_put(next(s), kind);
    send(s, MPJ_FRAME_LOADER_REQ);
}

static void send_image(struct sender *s, uint32_t (*rng)(void))
{
    static uint8_t content[256];
    const bool in_place = rng() % 4U == 0;
    const uint32_t address = in_place ? (uint32_t)(uintptr_t)m.bank + MPJ_SLOT_XIP_OFFSET : 0x8000U;
    const struct mpj_loader_image image = {
        .kind = in_place ? MPJ_LOADER_IN_PLACE : MPJ_LOADER_RAM,
        .entry = rng() % 8U ? address : 4,
        .bytes = sizeof(content) - (rng() % 8U == 0),
        .crc = mpj_crc32(0, content, sizeof(content)) + (rng() % 8U == 0),
        .segments = 1,
        .segment = {{rng() % 8U ? address : 0x4000, 0, sizeof(content), sizeof(content)}},
        .name = {(const uint8_t *)"p.elf", 5}};
    const struct mpj_loader_data data = {0, {content, sizeof(content)}};

    mpj_loader_image_put(next(s), &image);
    send(s, MPJ_FRAME_LOADER_REQ);
    if (rng() % 8U == 0)
        return;
    mpj_loader_data_put(next(s), &data);
    send(s, MPJ_FRAME_LOADER_REQ);
}

static void send_rate(struct sender *s, uint32_t rate)
{
    mpj_put_varint(next(s), rate);
    send(s, MPJ_FRAME_RATE);
    mpj_put_raw(next(s), "echo", 4);
    send(s, MPJ_FRAME_ECHO);
}

static size_t put_records(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    struct mpj_slot_record r = {.magic = 0x534a504dU,
                                .sequence = 1 + rng() % 3U,
                                .slot = rng() % 3U,
                                .kind = 1 + rng() % 2U,
                                .entry = 0x8000,
                                .bytes = 256,
                                .crc = rng() % 2U ? 0xfea8a821U : 0,
                                .segments = 1,
                                .segment = {{0x8000, 0, 256, 256}},
                                .name = "flashed"};

    if (cap < RECORDS)
        return 0;
    memcpy(out, &r, sizeof(r));
    r.sequence++;
    r.slot = rng() % 2U;
    memcpy(out + sizeof(r), &r, sizeof(r));
    return RECORDS;
}

size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    static struct sender s;

    if (cap < 1)
        return 0;
    s = (struct sender){.out = out, .n = 1, .cap = cap};
    out[0] = (uint8_t)(rng() % 4U ? rng() & 0x16U : rng());
    if ((out[0] & FILLED) != 0) {
        out[0] |= REPAIRED;
        s.n += put_records(out + 1, cap - 1, rng);
    }
    if (m.bank == NULL)
        make_machine();
    next(&s);
    if (rng() % 4U)
        send(&s, MPJ_FRAME_HELLO);
    if (rng() % 4U == 0)
        send_rate(&s, rng() % 2U ? 921600 : 5);
    send_empty(&s, MPJ_LOADER_INFO_REQ);
    for (uint32_t i = rng() % 4U; i > 0; i--) {
        send_image(&s, rng);
        if (rng() % 2U)
            send_empty(&s, MPJ_LOADER_FLASH);
        if (rng() % 4U == 0)
            send_empty(&s, MPJ_LOADER_FORGET);
    }
    if (rng() % 4U == 0)
        send_empty(&s, 99);
    mpj_loader_boot_put(next(&s), rng() % 3U);
    send(&s, MPJ_FRAME_LOADER_REQ);
    next(&s);
    if (rng() % 2U)
        send(&s, MPJ_FRAME_ACK);
    return s.n;
}

size_t fuzz_fix(uint8_t *data, size_t size, size_t cap)
{
    const size_t head = size > 0 && (data[0] & FILLED) != 0 ? 1U + RECORDS : 1U;

    return size <= head ? size : head + fuzz_fix_frames(data + head, size - head, cap - head);
}
