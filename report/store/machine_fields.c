/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/machine_fields.h"

#define NUMBER(member)                                                                             \
    {                                                                                              \
#member, offsetof(struct tile_machine, member), 0, NULL                                    \
    }
#define KIND(member, words)                                                                        \
    {                                                                                              \
#member, offsetof(struct tile_machine, member), 0, words                                   \
    }
#define TEXT(member)                                                                               \
    {                                                                                              \
#member, offsetof(struct tile_machine, member),                                            \
            sizeof(((struct tile_machine *)0)->member), NULL                                       \
    }
#define PART(type, member, size, words)                                                            \
    {                                                                                              \
#member, offsetof(struct type, member), size, words                                        \
    }

/* In the order of the enumerations of tile_machine.h. */
static const char *const start_words[] = {"none", "flags", "pen", NULL};
static const char *const uart_words[] = {"none", "pl011", "16550", NULL};
static const char *const divisor_words[] = {"whole", "64ths", "8ths", NULL};
static const char *const l2_words[] = {"none", "l220", NULL};
static const char *const quantity_words[] = {"none", "voltage", "current", "power", NULL};
static const char *const watchdog_words[] = {"none", "sp805", NULL};
static const char *const mark_words[] = {"none", "bits", "word", NULL};

const struct machine_field machine_fields[] = {
    TEXT(name),
    TEXT(platform),
    TEXT(title),
    TEXT(chip),
    NUMBER(cores),
    NUMBER(core_hz),
    NUMBER(private_base),
    KIND(start.kind, start_words),
    NUMBER(start.entry),
    NUMBER(start.core),
    NUMBER(time.address),
    NUMBER(time.hz),
    NUMBER(time.bits),
    NUMBER(time.down),
    KIND(uart.kind, uart_words),
    NUMBER(uart.base),
    NUMBER(uart.stride),
    NUMBER(uart.clock_hz),
    KIND(uart.divisor, divisor_words),
    NUMBER(uart.irq),
    NUMBER(irq.pmu),
    NUMBER(irq.pmu_stride),
    NUMBER(irq.scu),
    NUMBER(irq.l2),
    KIND(l2.kind, l2_words),
    NUMBER(l2.base),
    NUMBER(l2.bytes),
    NUMBER(l2.ways),
    NUMBER(l2.line),
    NUMBER(nor.base),
    NUMBER(nor.banks),
    NUMBER(nor.bank_bytes),
    NUMBER(nor.chips),
    NUMBER(nor.chip_bits),
    KIND(watchdog.kind, watchdog_words),
    NUMBER(watchdog.base),
    NUMBER(watchdog.hz),
    KIND(mark.kind, mark_words),
    NUMBER(mark.address),
    NUMBER(mark.bits),
};
const size_t machine_field_count = sizeof(machine_fields) / sizeof(machine_fields[0]);

static const struct machine_field ram_fields[] = {
    PART(tile_ram, base, 0, NULL),
    PART(tile_ram, bytes, 0, NULL),
};

static const struct machine_field power_fields[] = {
    PART(tile_power_channel, name, TILE_NAME_SIZE, NULL),
    PART(tile_power_channel, feeds, TILE_NAME_SIZE, NULL),
    PART(tile_power_channel, quantity, 0, quantity_words),
    PART(tile_power_channel, step_nano, 0, NULL),
    PART(tile_power_channel, bits, 0, NULL),
};

const struct machine_list machine_lists[MACHINE_LISTS] = {
    {"ram", offsetof(struct tile_machine, rams), offsetof(struct tile_machine, ram),
     sizeof(struct tile_ram), TILE_RAMS_MAX, ram_fields,
     sizeof(ram_fields) / sizeof(ram_fields[0])},
    {"power", offsetof(struct tile_machine, powers), offsetof(struct tile_machine, power),
     sizeof(struct tile_power_channel), TILE_POWER_MAX, power_fields,
     sizeof(power_fields) / sizeof(power_fields[0])},
};

const uint32_t *machine_number(const struct machine_field *f, const void *of)
{
    return (const uint32_t *)(const void *)((const char *)of + f->at);
}

const char *machine_text(const struct machine_field *f, const void *of)
{
    return (const char *)of + f->at;
}

uint32_t machine_count(const struct machine_list *l, const struct tile_machine *m)
{
    return *(const uint32_t *)(const void *)((const char *)m + l->count_at);
}

const void *machine_element(const struct machine_list *l, const struct tile_machine *m, unsigned i)
{
    return (const char *)m + l->at + i * l->size;
}
