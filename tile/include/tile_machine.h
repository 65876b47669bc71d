/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Description of a board, as the board itself exports it (hal/include/hal_machine.h), as the record
 * MACHINE carries it and as logs and stores keep it: devices of the board, their addresses and
 * units.
 *
 * Zero means "none" in every field that names a kind, and "not known" in every other one, so that a
 * description by an older firmware has zeros for the fields it lacks. Values of the enumerations
 * are sent and stored: they are appended, never changed. Names and texts are ASCII, terminated, at
 * most one byte shorter than their array.
 *
 * Freestanding. The bounds are plain numbers, usable in assembler files.
 */
#ifndef TILE_MACHINE_H
#define TILE_MACHINE_H

/* Bounds of all boards: sizes of arrays on both sides of the link. */
#define TILE_CORES_MAX     4  /* cores of a chip: width of masks, of CONFIG, of tables by core */
#define TILE_RAMS_MAX      4  /* regions of RAM */
#define TILE_POWER_MAX     4  /* power channels: codes of a sample in the record ADC */
#define TILE_NAME_SIZE     32 /* of the arrays of names, terminator included */
#define TILE_TITLE_SIZE    64
#define TILE_TIME_HZ_MIN   1000000   /* time base: a tick is 1 us at most ... */
#define TILE_TIME_HZ_MAX   200000000 /* ... and the sums of a run stay below 2^63 */
#define TILE_TIME_BITS_MIN 20        /* a quarter of a narrower one's period is below 1/4 s */

#ifndef __ASSEMBLER__

#include <stdint.h>

/* Ways by which core 0 starts the others. In each case they sleep in WFI before, and core 0 then
 * sends them software interrupt 0. */
enum tile_start_kind {
    TILE_START_NONE = 0,  /* one core */
    TILE_START_FLAGS = 1, /* they jump to the address in the register `entry` once it is not 0:
                             all at once (SYS_FLAGS of the RealView boards, their Boot Monitor) */
    TILE_START_PEN = 2,   /* one after the other: the address goes to `entry`, the core's number to
                             `core` (boot ROM of the OX820) */
};

enum tile_uart_kind {
    TILE_UART_NONE = 0,
    TILE_UART_PL011 = 1,
    TILE_UART_16550 = 2, /* 16550A: FIFO of 16 bytes */
};

/* Rules by which a UART derives a bit rate from its clock: units of its divisor, which is clock /
 * (16 * rate). */
enum tile_divisor_rule {
    TILE_DIVISOR_WHOLE = 0, /* whole numbers: DLL, DLM */
    TILE_DIVISOR_64THS = 1, /* PL011: IBRD and FBRD */
    TILE_DIVISOR_8THS = 2,  /* OX820: three more bits in register 9, bits 7..5 */
};

enum tile_l2_kind {
    TILE_L2_NONE = 0,
    TILE_L2_L220 = 1,
};

enum tile_quantity {
    TILE_QUANTITY_NONE = 0,
    TILE_QUANTITY_VOLTAGE = 1, /* in nanovolts a step */
    TILE_QUANTITY_CURRENT = 2, /* in nanoamperes a step */
    TILE_QUANTITY_POWER = 3,   /* in nanowatts a step */
};

enum tile_watchdog_kind {
    TILE_WATCHDOG_NONE = 0,
    TILE_WATCHDOG_SP805 = 1,
};

/* Marks that show the emulator that the measured program runs, its window of the truth. */
enum tile_mark_kind {
    TILE_MARK_NONE = 0,
    TILE_MARK_BITS = 1, /* bits of a register: set while the program runs; an LED on the board */
    TILE_MARK_WORD = 2, /* a register that only the emulator has: 1 while it runs, 0 after */
};

/* Range of memory that programs may use: code, data, heap, stacks. The first range holds the image.
 * Ranges that a boot loader occupies while it loads the image are included, since it no longer
 * needs them when the image runs. */
struct tile_ram {
    uint32_t base;  /* physical address, a multiple of 1 MB */
    uint32_t bytes; /* a multiple of 1 MB */
};

/* One measured quantity. A voltage and a current that feed the same part are multiplied to its
 * power. */
struct tile_power_channel {
    uint32_t quantity;          /* enum tile_quantity */
    uint32_t step_nano;         /* nanovolts, nanoamperes or nanowatts of one step of the code */
    uint32_t bits;              /* of a code, 1..16 */
    char name[TILE_NAME_SIZE];  /* of the channel, unique on the board: "cpu_v" */
    char feeds[TILE_NAME_SIZE]; /* what is measured: "processor", "pll", "ddr", "board" */
};

struct tile_machine {
    /* ---- identity ---- */
    char name[TILE_NAME_SIZE];     /* of the board: its folder in hal/board/, the note of images,
                                      `--board NAME`; [a-z0-9-] */
    char platform[TILE_NAME_SIZE]; /* of the emulator's machine (QEMU's -M), and of boards in lists
                                    */
    char title[TILE_TITLE_SIZE];   /* full name of the board */
    char chip[TILE_NAME_SIZE];     /* folder of hal/soc/: "arm11mpcore" */

    /* ---- cores ---- */
    uint32_t cores;        /* 1..TILE_CORES_MAX */
    uint32_t core_hz;      /* nominal clock; HELLO has the one that was measured at start */
    uint32_t private_base; /* private region of the MPCore: SCU +0, interface of the interrupt
                              controller +0x100, timers +0x600, distributor +0x1000 */
    struct {
        uint32_t kind;  /* enum tile_start_kind */
        uint32_t entry; /* register that takes the entry address */
        uint32_t core;  /* TILE_START_PEN: register that takes the core's number */
    } start;

    /* ---- memory ---- */
    uint32_t rams; /* 1..TILE_RAMS_MAX */
    struct tile_ram ram[TILE_RAMS_MAX];

    /* ---- time base: its ticks are the unit of every time of the session ---- */
    struct {
        uint32_t address; /* of the free-running counter */
        uint32_t hz;      /* ticks a second, TILE_TIME_HZ_MIN..TILE_TIME_HZ_MAX */
        uint32_t bits; /* of the counter in hardware, TILE_TIME_BITS_MIN..32; the firmware extends
                          it to 64 */
        uint32_t down; /* 1: it counts down */
    } time;

    /* ---- serial line to the host ---- */
    struct {
        uint32_t kind; /* enum tile_uart_kind */
        uint32_t base;
        uint32_t stride;   /* bytes from one register to the next: 1 or 4 */
        uint32_t clock_hz; /* clock from which the bit rate is divided */
        uint32_t divisor;  /* enum tile_divisor_rule */
        uint32_t irq;      /* interrupt ID, 32.. */
    } uart;

    /* ---- interrupt IDs of monitors; 0: not connected or not known ---- */
    struct {
        uint32_t pmu;        /* of core 0's performance monitor */
        uint32_t pmu_stride; /* from a core's ID to the next one's: 1; 0: all cores share one */
        uint32_t scu;        /* of the first counter of the SCU; the others follow */
        uint32_t l2;         /* of the level-2 cache's counters */
    } irq;

    /* ---- power: without channels nothing is sampled and no record ADC is sent ---- */
    uint32_t powers;                                 /* 0..TILE_POWER_MAX */
    struct tile_power_channel power[TILE_POWER_MAX]; /* in the order of ADC's codes */

    /* ---- devices that a board may lack ---- */
    struct {
        uint32_t kind; /* enum tile_l2_kind */
        uint32_t base;
        uint32_t bytes; /* capacity */
        uint32_t ways;
        uint32_t line; /* bytes */
    } l2;
    struct {
        uint32_t base;
        uint32_t banks;      /* 0: no NOR flash that the resident loader could use */
        uint32_t bank_bytes; /* banks follow each other */
        uint32_t chips;      /* side by side in a bank */
        uint32_t chip_bits;  /* data lines of one: 8, 16, 32 */
    } nor;
    struct {
        uint32_t kind; /* enum tile_watchdog_kind */
        uint32_t base;
        uint32_t hz; /* of its counter */
    } watchdog;
    struct {
        uint32_t kind;    /* enum tile_mark_kind */
        uint32_t address; /* of the register */
        uint32_t bits;    /* for TILE_MARK_BITS: the bits */
    } mark;
};

#endif

#endif
