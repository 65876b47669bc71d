/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_machine_record.h"

#include <string.h>

#include "records_int.h"

/* The numbers of the body in their order, between its lists. */
#define CORES(X) X(cores) X(core_hz) X(private_base) X(start.kind) X(start.entry) X(start.core)
#define TIME(X)  X(time.address) X(time.hz) X(time.bits) X(time.down)
#define UART(X)                                                                                    \
    X(uart.kind) X(uart.base) X(uart.stride) X(uart.clock_hz) X(uart.divisor) X(uart.irq)
#define IRQS(X) X(irq.pmu) X(irq.pmu_stride) X(irq.scu) X(irq.l2)
#define L2(X)   X(l2.kind) X(l2.base) X(l2.bytes) X(l2.ways) X(l2.line)
#define NOR(X)  X(nor.base) X(nor.banks) X(nor.bank_bytes) X(nor.chips) X(nor.chip_bits)
#define REST(X)                                                                                    \
    X(watchdog.kind) X(watchdog.base) X(watchdog.hz) X(mark.kind) X(mark.address) X(mark.bits)

#define PUT(field) mpj_put_varint(w, m->field);
#define GET(field) out->field = get_u32(&r);

static void put_text(struct mpj_writer *w, const char *text)
{
    mpj_put_bytes(w, text, strlen(text));
}

/* Reads and terminates a text; one that is too long marks the record as damaged. */
static void get_text(struct mpj_reader *r, char *to, size_t size)
{
    const struct mpj_bytes b = mpj_get_bytes(r);

    memset(to, 0, size);
    if (b.len >= size)
        r->malformed = true;
    else if (b.len > 0)
        memcpy(to, b.p, b.len);
}

static bool printable(const char *s)
{
    for (; *s != '\0'; s++) {
        if (*s < ' ' || *s > '~')
            return false;
    }
    return true;
}

static bool is_name(const char *s)
{
    if (*s == '\0')
        return false;
    for (; *s != '\0'; s++) {
        if (!((*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9') || *s == '-'))
            return false;
    }
    return true;
}

static bool valid_powers(const struct tile_machine *m)
{
    if (m->powers > TILE_POWER_MAX)
        return false;
    for (uint32_t i = 0; i < m->powers; i++) {
        const struct tile_power_channel *c = &m->power[i];

        if (c->bits < 1U || c->bits > 16U || c->step_nano == 0)
            return false;
        if (c->name[0] == '\0' || !printable(c->name) || !printable(c->feeds))
            return false;
    }
    return true;
}

static bool valid(const struct tile_machine *m)
{
    if (!is_name(m->name) || !printable(m->platform) || !printable(m->title) || !printable(m->chip))
        return false;
    if (m->cores < 1U || m->cores > TILE_CORES_MAX || m->rams < 1U || m->rams > TILE_RAMS_MAX)
        return false;
    for (uint32_t i = 0; i < m->rams; i++) {
        if (m->ram[i].bytes == 0 || m->ram[i].bytes - 1U > UINT32_MAX - m->ram[i].base)
            return false;
    }
    return m->time.hz >= TILE_TIME_HZ_MIN && m->time.hz <= TILE_TIME_HZ_MAX &&
           m->time.bits >= TILE_TIME_BITS_MIN && m->time.bits <= 32U && m->time.down <= 1U &&
           valid_powers(m);
}

int mpj_machine_put(struct mpj_writer *w, const struct tile_machine *m)
{
    struct mpj_rec_mark mark;

    if (!valid(m))
        return MPJ_LINK_ERR_RANGE;
    mark = mpj_rec_begin(w, MPJ_REC_MACHINE);
    put_text(w, m->name);
    put_text(w, m->platform);
    put_text(w, m->title);
    put_text(w, m->chip);
    CORES(PUT)
    mpj_put_varint(w, m->rams);
    for (uint32_t i = 0; i < m->rams; i++) {
        mpj_put_varint(w, m->ram[i].base);
        mpj_put_varint(w, m->ram[i].bytes);
    }
    TIME(PUT)
    UART(PUT)
    IRQS(PUT)
    mpj_put_varint(w, m->powers);
    for (uint32_t i = 0; i < m->powers; i++) {
        mpj_put_varint(w, m->power[i].quantity);
        mpj_put_varint(w, m->power[i].step_nano);
        mpj_put_varint(w, m->power[i].bits);
        put_text(w, m->power[i].name);
        put_text(w, m->power[i].feeds);
    }
    L2(PUT)
    NOR(PUT)
    REST(PUT)
    return mpj_rec_end(w, mark);
}

static bool get_rams(struct mpj_reader *r, struct tile_machine *out)
{
    out->rams = get_u32(r);
    if (out->rams > TILE_RAMS_MAX)
        return false;
    for (uint32_t i = 0; i < out->rams; i++) {
        out->ram[i].base = get_u32(r);
        out->ram[i].bytes = get_u32(r);
    }
    return true;
}

static bool get_powers(struct mpj_reader *r, struct tile_machine *out)
{
    out->powers = get_u32(r);
    if (out->powers > TILE_POWER_MAX)
        return false;
    for (uint32_t i = 0; i < out->powers; i++) {
        out->power[i].quantity = get_u32(r);
        out->power[i].step_nano = get_u32(r);
        out->power[i].bits = get_u32(r);
        get_text(r, out->power[i].name, sizeof(out->power[i].name));
        get_text(r, out->power[i].feeds, sizeof(out->power[i].feeds));
    }
    return true;
}

int mpj_machine_get(const struct mpj_rec *rec, struct tile_machine *out)
{
    struct mpj_reader r;

    memset(out, 0, sizeof(*out));
    open_body(&r, rec);
    get_text(&r, out->name, sizeof(out->name));
    get_text(&r, out->platform, sizeof(out->platform));
    get_text(&r, out->title, sizeof(out->title));
    get_text(&r, out->chip, sizeof(out->chip));
    CORES(GET)
    if (!get_rams(&r, out))
        return r.malformed ? MPJ_LINK_ERR_FORMAT : MPJ_LINK_ERR_RANGE;
    TIME(GET)
    UART(GET)
    IRQS(GET)
    if (!get_powers(&r, out))
        return r.malformed ? MPJ_LINK_ERR_FORMAT : MPJ_LINK_ERR_RANGE;
    L2(GET)
    NOR(GET)
    REST(GET)
    if (checked(&r) != MPJ_LINK_OK)
        return MPJ_LINK_ERR_FORMAT;
    return valid(out) ? MPJ_LINK_OK : MPJ_LINK_ERR_RANGE;
}

const char *mpj_quantity_name(uint32_t quantity)
{
    switch (quantity) {
    case TILE_QUANTITY_VOLTAGE:
        return "voltage";
    case TILE_QUANTITY_CURRENT:
        return "current";
    case TILE_QUANTITY_POWER:
        return "power";
    default:
        return "unknown";
    }
}

const char *mpj_quantity_unit(uint32_t quantity)
{
    switch (quantity) {
    case TILE_QUANTITY_VOLTAGE:
        return "V";
    case TILE_QUANTITY_CURRENT:
        return "A";
    case TILE_QUANTITY_POWER:
        return "W";
    default:
        return "unknown";
    }
}
