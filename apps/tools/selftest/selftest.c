/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See selftest.h.   selftest [adc=ADDRESS] [line=BYTES] */
#include "selftest.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal_cpu.h"
#include "hal_l2cc.h"
#include "hal_map.h"
#include "hal_pmu.h"
#include "hal_scu.h"
#include "hal_sys.h"
#include "mpj.h"

static unsigned said;

/* ---- lines ------------------------------------------------------------------------ */

static const char *index_text(int index, char buf[8])
{
    if (index == ST_NONE)
        return "-";
    snprintf(buf, 8, "%d", index);
    return buf;
}

void st_value(const struct st_item *i, int index, int32_t value)
{
    char buf[8];

    said++;
    printf("@item\t%s\t%s\t%ld\t%ld\t%ld\t%s\t%s\t%s\n", i->name, index_text(index, buf),
           (long)value, (long)i->low, (long)i->high, i->unit, i->change, i->text);
}

void st_fault(const struct st_item *i, int index, const struct mpj_fault_caught *c)
{
    char buf[8];

    said++;
    printf("@fault\t%s\t%s\t%lu\t0x%lx\t0x%08lx\t%s\t%s\n", i->name, index_text(index, buf),
           (unsigned long)c->kind, (unsigned long)c->status, (unsigned long)c->address, i->change,
           i->text);
}

void st_skip(const struct st_item *i, const char *reason)
{
    said++;
    printf("@skip\t%s\t%s\n", i->name, reason);
}

void st_part(const char *name)
{
    printf("@part\t%s\n", name);
}

void st_note(const char *format, ...)
{
    va_list ap;

    printf("@note\t");
    va_start(ap, format);
    vprintf(format, ap);
    va_end(ap);
    printf("\n");
}

/* ---- helpers ---------------------------------------------------------------------- */

struct peek {
    uintptr_t address;
    uint32_t value;
};

static void peek(void *arg)
{
    struct peek *const p = arg;

    p->value = *(const volatile uint32_t *)p->address;
}

bool st_peek(uintptr_t address, uint32_t *value, struct mpj_fault_caught *c)
{
    struct peek p = {.address = address};

    if (!mpj_fault_try(c, peek, &p))
        return false;
    *value = p.value;
    return true;
}

void st_peek_item(const struct st_item *i, int index, uintptr_t address, uint32_t mask)
{
    struct mpj_fault_caught c;
    uint32_t value;

    if (st_peek(address, &value, &c))
        st_value(i, index, value & mask);
    else
        st_fault(i, index, &c);
}

bool st_wait(const volatile uint32_t *word, uint32_t want, uint32_t us)
{
    const uint32_t begin = hal_sys_ticks32();

    /* A poll takes at least a hundred cycles: the second bound holds when the clock does not
     * advance. */
    for (uint32_t n = 0; n < us * 10U; n++) {
        if (*word >= want)
            return true;
        if (hal_sys_ticks32() - begin > (uint32_t)hal_sys_ticks_of_us(us))
            return *word >= want;
    }
    return false;
}

/* ---- identity ----------------------------------------------------------------------- */

static uint32_t ids[HAL_CORES_MAX], fpsid[HAL_CORES_MAX];

static void read_fpsid(void *arg)
{
    __asm__ volatile("fmrx %0, fpsid" : "=r"(*(uint32_t *)arg));
}

static void identify(void *arg)
{
    const unsigned core = mpj_core_id();
    struct mpj_fault_caught c;

    (void)arg;
    ids[core] = hal_cpu_midr();
    if (!mpj_fault_try(&c, read_fpsid, &fpsid[core]))
        fpsid[core] = 0;
}

#ifdef BOARD_SYS_ID
static void board_numbers(void)
{
    static const struct st_item sys_id = {
        "id.board",      "hex",
        "BOARD_SYS_ID",  "SYS_ID: board number of the " BOARD_SYS_ID_NAME,
        BOARD_SYS_ID_IS, BOARD_SYS_ID_IS};
    static const struct st_item proc_id = {
        "id.tile", "hex", "BOARD_SYS_PROCID", "SYS_PROCID: tile with an ARM11 MPCore", 0x06, 0x06};
    uint32_t v;
    struct mpj_fault_caught c;

    if (st_peek(BOARD_SYS_ID, &v, &c))
        st_value(&sys_id, ST_NONE, (v >> 16) & 0xfffU);
    else
        st_fault(&sys_id, ST_NONE, &c);
    if (st_peek(BOARD_SYS_PROCID, &v, &c))
        st_value(&proc_id, ST_NONE, v >> 24);
    else
        st_fault(&proc_id, ST_NONE, &c);
}
#else
static void board_numbers(void)
{
    st_absent("id.board", "no register with the board's number");
}
#endif

static void level2(void)
{
#if BOARD_L220_BYTES > 0
    static const struct st_item l2 = {
        "id.l220", "hex", "BOARD_L220_BASE", "cache ID of the L220: implementer", 0x41, 0x41};
    uint32_t v;
    struct mpj_fault_caught c;

    if (st_peek(BOARD_L220_BASE, &v, &c))
        st_value(&l2, ST_NONE, v >> 24);
    else
        st_fault(&l2, ST_NONE, &c);
#endif
}

static void identity(void)
{
    static const struct st_item midr = {
        "id.core", "hex", "-", "MIDR: implementer and part, ARM11 MPCore", 0x41b02, 0x41b02};
    static const struct st_item vfp = {"id.vfp", "hex", "-", "FPSID: implementer and VFPv2",
                                       0x411,    0x411};
    static const struct st_item cores = {
        "id.cores",  "",         "BOARD_SCU_BASE", "cores that the SCU's configuration tells of",
        BOARD_CORES, BOARD_CORES};

    st_part("identity");
    board_numbers();
    mpj_on_all_cores(identify, NULL);
    for (unsigned i = 0; i < mpj_core_count(); i++)
        st_value(&midr, (int)i, (ids[i] >> 24) << 12 | ((ids[i] >> 4) & 0xfffU));
    for (unsigned i = 0; i < mpj_core_count(); i++)
        st_value(&vfp, (int)i, (fpsid[i] >> 24) << 4 | ((fpsid[i] >> 16) & 0xfU));
    st_value(&cores, ST_NONE, hal_scu_cores());
    level2();
    st_note("SYS_ID 0x%08lx, SYS_PROCID 0x%08lx, MIDR 0x%08lx, FPSID 0x%08lx, SCU configuration "
            "0x%08lx, L220 0x%08lx",
            (unsigned long)hal_sys_id(), (unsigned long)hal_sys_proc_id(), (unsigned long)ids[0],
            (unsigned long)fpsid[0], (unsigned long)hal_scu_config(), (unsigned long)hal_l2cc_id());
}

int main(int argc, char **argv)
{
#if BOARD_POWERS > 0
    uintptr_t adc = BOARD_SYS_VOLTAGE(0);
#else
    uintptr_t adc = 0;
#endif
    uint32_t bytes = 16384;

    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "adc=", 4) == 0)
            adc = (uintptr_t)strtoul(argv[i] + 4, NULL, 0);
        else if (strncmp(argv[i], "line=", 5) == 0)
            bytes = (uint32_t)strtoul(argv[i] + 5, NULL, 0);
    }
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    identity();
    st_cores();
    st_chip();
    st_nor();
    st_adc(adc);
    st_line(bytes);
    printf("@end\t%u\n", said);
    return 0;
}
