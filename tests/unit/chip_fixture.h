/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the chip model's unit tests share: a chip with everything switched on. */
#ifndef MPJ_CHIP_FIXTURE_H
#define MPJ_CHIP_FIXTURE_H

#include "mpj_chip.h"
#include "mpj_params.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ROM_BASE 0x40000000U

struct board {
    struct mpj_chip *chip;
    struct mpj_hot hot[MPJ_CORES];
    uint64_t now[MPJ_CORES];
};

static inline void board_enable(struct board *b)
{
    for (unsigned i = 0; i < MPJ_CORES; i++) {
        mpj_cache_enable(b->chip, i, true, true, true);
        mpj_smp_enable(b->chip, i, true);
    }
    mpj_l2_enable(b->chip, true);
}

static inline void board_open_disturbed(struct board *b, const char *calibration, uint64_t seed,
                                        uint32_t jitter)
{
    char path[512];
    char err[256];
    struct mpj_config cfg = {.calibration = path,
                             .seed = seed,
                             .jitter = jitter,
                             .ram_bytes = 16U << 20,
                             .rom_base = ROM_BASE,
                             .rom_bytes = 1U << 20,
                             .private_base = 0x10100000U};
    memset(b, 0, sizeof(*b));
    (void)snprintf(path, sizeof(path), "%s/%s.conf", MPJ_CALIBRATIONS, calibration);
    int rc = mpj_chip_new(&b->chip, &cfg, err, sizeof(err));
    if (rc != MPJ_OK)
        print_error("%s\n", err);
    assert_int_equal(rc, MPJ_OK);
    for (unsigned i = 0; i < MPJ_CORES; i++)
        mpj_chip_attach(b->chip, i, &b->hot[i]);
    board_enable(b);
}

static inline void board_open(struct board *b, const char *calibration, uint64_t seed)
{
    board_open_disturbed(b, calibration, seed, 0);
}

static inline void board_close(struct board *b)
{
    mpj_chip_free(b->chip);
}

/* Cycles until an instruction can use what a miss brings, or until a store has found room. */
static inline uint32_t miss(struct mpj_chip *chip, unsigned core, uint32_t line, bool store,
                            uint64_t now)
{
    uint32_t late;
    uint32_t blocked = mpj_data_miss(chip, core, line, store, now, &late);
    return store ? blocked : late;
}

/* What generated code does for a load or store: test the state byte, call the model on a miss. */
static inline uint32_t board_access(struct board *b, unsigned core, uint32_t address, bool store)
{
    struct mpj_hot *h = &b->hot[core];
    uint32_t line = mpj_line_index(b->chip, address);
    uint32_t stall = 0;
    h->pack_a += store ? MPJ_PACK_A(1, 0, 0, 1) : MPJ_PACK_A(1, 0, 1, 0);
    if (!(store ? mpj_store_hits(h->dline[line]) : mpj_load_hits(h->dline[line])))
        stall = miss(b->chip, core, line, store, b->now[core]);
    b->now[core] += 1 + stall;
    mpj_flush(b->chip, core, b->now[core], 1 + stall, 0, NULL);
    return stall;
}

static inline uint64_t board_event(const struct board *b, unsigned core, unsigned event)
{
    return mpj_core_event(b->chip, core, event);
}

#endif
