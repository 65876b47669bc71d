/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of the accounts of threads share: the fake machine, and the records it sent. */
#ifndef MPJ_PROF_FIXTURE_H
#define MPJ_PROF_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hal_cpu.h"
#include "hal_fake.h"
#include "hal_map.h"
#include "hal_sys.h"
#include "mpj_degree.h"
#include "mpj_frame.h"
#include "mpj_out.h"
#include "mpj_prof.h"
#include "mpj_prof_thread.h"
#include "mpj_tables.h"

static struct {
    uint8_t wire[1U << 20];
    size_t wired;
    uint8_t bytes[1U << 20];
    struct mpj_rec rec[16384];
    size_t len, count;
} got;

static inline void at(uint64_t t)
{
    hal_fake_poke(BOARD_SYS_24MHZ, (uint32_t)t);
}

/* What goes out is kept here: the fake's log is too short. */
static inline void keep(void *ctx, uintptr_t addr, uint32_t value)
{
    (void)ctx;
    (void)addr;
    if (got.wired < sizeof(got.wire))
        got.wire[got.wired++] = (uint8_t)value;
}

static inline void configure_scu(uint32_t flags, const uint16_t scu[MPJ_SCU_COUNTERS])
{
    struct mpj_config_rec c = {.cores_mask = 0xf, .flags = flags};
    const char *why;

    hal_fake_reset();
    hal_fake_monitors();
    hal_fake_script(BOARD_UART0_BASE, BOARD_UART0_BASE + 4U, NULL, keep, NULL);
    memset(&got, 0, sizeof(got));
    at(0);
    hal_sys_ticks_init();
    mpj_out_init();
    for (unsigned i = 0; i < MPJ_CORES_MAX; i++) {
        c.pmu[i][0] = MPJ_EVENT_INSTR;
        c.pmu[i][1] = MPJ_EVENT_DDEP_STALL;
    }
    for (unsigned i = 0; i < MPJ_SCU_COUNTERS; i++)
        c.scu[i] = scu != NULL ? scu[i] : MPJ_EVENT_NONE;
    c.l2[0] = c.l2[1] = MPJ_EVENT_NONE;
    assert_int_equal(mpj_prof_configure(&c, 4, &why), 0);
}

static inline void configure(uint32_t flags)
{
    configure_scu(flags, NULL);
}

static inline int setup(void **state)
{
    (void)state;
    configure(0);
    return 0;
}

static inline void start(void)
{
    for (unsigned i = 0; i < 4; i++) {
        hal_fake_set_core(i);
        mpj_prof_core_arm();
        mpj_prof_core_start();
    }
    hal_fake_set_core(0);
    (void)mpj_prof_chip_start();
}

static inline void finish(void)
{
    struct mpj_frame_decoder dec;
    size_t used = 0;

    for (unsigned i = 0; i < 4; i++) {
        hal_fake_set_core(i);
        mpj_prof_core_stop();
    }
    hal_fake_set_core(0);
    (void)mpj_prof_chip_stop();
    mpj_prof_send_end();
    mpj_out_end(&(struct mpj_end){0});
    mpj_frame_decoder_init(&dec);
    while (used < got.wired) {
        struct mpj_frame f;
        struct mpj_reader r;
        int result;

        used += mpj_frame_decode(&dec, got.wire + used, got.wired - used, &f, &result);
        if (result <= 0)
            continue;
        memcpy(got.bytes + got.len, f.payload, f.len);
        mpj_reader_init(&r, got.bytes + got.len, f.len);
        got.len += f.len;
        while (got.count < 16384U && mpj_rec_next(&r, &got.rec[got.count]) == 1)
            got.count++;
    }
}

static inline const struct mpj_rec *find(uint32_t kind, unsigned nth)
{
    for (size_t i = 0; i < got.count; i++) {
        if (got.rec[i].kind == kind && nth-- == 0)
            return &got.rec[i];
    }
    return NULL;
}

static inline struct mpj_thread_rec thread(uint32_t id)
{
    struct mpj_thread_rec t = {0};
    const struct mpj_rec *rec;

    for (unsigned i = 0; (rec = find(MPJ_REC_THREAD, i)) != NULL; i++) {
        assert_int_equal(mpj_thread_get(rec, &t), 0);
        if (t.id == id)
            return t;
    }
    fail_msg("no record of thread %u", id);
    return t;
}

static inline void on(unsigned core, struct mpj_hook_thread *from, struct mpj_hook_thread *to)
{
    hal_fake_set_core(core);
    mpj_prof_switch(core, from, to);
    hal_fake_set_core(0);
}

static inline void work(unsigned core, uint64_t cycles, uint64_t instr, uint64_t stalls)
{
    hal_fake_count(HAL_FAKE_PMU, core, 4, cycles);
    hal_fake_count(HAL_FAKE_PMU, core, 1, instr);
    hal_fake_count(HAL_FAKE_PMU, core, 2, stalls);
}

#endif
