/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_host.h"

#include <stdbool.h>
#include <string.h>

#include "hal_cpu.h"
#include "hal_gic.h"
#include "hal_l2cc.h"
#include "hal_machine.h"
#include "hal_scu.h"
#include "hal_sys.h"
#include "hal_uart.h"
#include "mpj_boot_word.h"
#include "mpj_cold.h"
#include "mpj_fault.h"
#include "mpj_in.h"
#include "mpj_irq.h"
#include "mpj_layout.h"
#include "mpj_machine_record.h"
#include "mpj_out.h"
#include "mpj_sched.h"
#include "mpj_text.h"

#define STRINGS_MAX  16384U
#define POINTERS_MAX 512U
#define NOTE_HEAD    16U /* of the build id: sizes, type, "GNU" */
#define INVITE_AFTER 4U  /* HELLOs, of which there are four a second */

extern char __build_id_start[], __build_id_end[];

static struct {
    uint32_t id;
    unsigned cores;
    uint32_t hellos;
    uint32_t argc, envc;
    uint32_t used;
    bool full;
    bool go;
    bool configured;
    bool described;
    char strings[STRINGS_MAX];
    char *argv[POINTERS_MAX];
    char *envp[POINTERS_MAX];
} session;

/* Not in .bss: a fault may occur before that is zeroed. */
static volatile uint32_t is_open __attribute__((section(".data")));

bool mpj_host_listens(void)
{
    return is_open != 0;
}

static void say_hello(void)
{
    uint8_t buf[160];
    struct mpj_writer w;
    struct mpj_hello h = {
        .protocol = MPJ_LINK_VERSION,
        .abi = MPJ_ABI_VERSION,
        .features = 1U << MPJ_FEATURE_ACK | 1U << MPJ_FEATURE_HOST_IO | 1U << MPJ_FEATURE_RATE |
                    1U << MPJ_FEATURE_STOP | 1U << MPJ_FEATURE_NOTE | 1U << MPJ_FEATURE_PARTS |
                    1U << MPJ_FEATURE_BEAT,
        .sys_id = hal_sys_id(),
        .proc_id = hal_sys_proc_id(),
        .midr = hal_cpu_midr(),
        .scu_config = hal_scu_config(),
        .l2_id = hal_l2cc_id(),
        .cores = session.cores,
        .clock_hz = hal_sys_clock_hz(),
        .time_hz = HAL_SYS_TIME_HZ,
    };

    if (__build_id_end - __build_id_start > (ptrdiff_t)NOTE_HEAD) {
        h.build_id.p = (const uint8_t *)__build_id_start + NOTE_HEAD;
        h.build_id.len = (size_t)(__build_id_end - __build_id_start) - NOTE_HEAD;
    }
    mpj_writer_init(&w, buf, sizeof(buf));
    if (mpj_hello_put(&w, &h) == MPJ_LINK_OK)
        mpj_out_frame(MPJ_FRAME_HELLO, buf, (size_t)(w.at - buf));
    if (++session.hellos == INVITE_AFTER)
        mpj_text_invite();
}

static int put_machine(struct mpj_writer *w, const void *rec)
{
    return mpj_machine_put(w, rec);
}

static void keep_string(char **list, uint32_t *count, const struct mpj_rec *rec)
{
    char *to = session.strings + session.used;

    if (*count + 1U >= POINTERS_MAX || rec->len + 1U > STRINGS_MAX - session.used) {
        session.full = true;
        return;
    }
    memcpy(to, rec->body, rec->len);
    to[rec->len] = '\0';
    session.used += (uint32_t)rec->len + 1U;
    list[(*count)++] = to;
}

static const char *take_start(const struct mpj_frame *f, struct mpj_host_start *s)
{
    static struct mpj_func_choice_rec choice;
    struct mpj_reader r;
    struct mpj_rec rec;
    struct mpj_go go;

    mpj_reader_init(&r, f->payload, f->len);
    while (mpj_rec_next(&r, &rec) == 1) {
        switch (rec.kind) {
        case MPJ_REC_CONFIG:
            if (mpj_config_get(&rec, &s->config) != MPJ_LINK_OK)
                return "CONFIG record malformed";
            session.configured = true;
            session.id = s->config.session;
            break;
        case MPJ_REC_ROTATION:
            if (mpj_rotation_get(&rec, &s->rotation) != MPJ_LINK_OK)
                return "ROTATION record malformed";
            break;
        case MPJ_REC_TRACE:
            if (mpj_trace_config_get(&rec, &s->trace) != MPJ_LINK_OK)
                return "TRACE record malformed";
            break;
        case MPJ_REC_FUNC_CHOICE:
            if (mpj_func_choice_get(&rec, &choice) != MPJ_LINK_OK)
                return "FUNC_CHOICE record malformed";
            memcpy(s->chosen + choice.first, choice.bits, choice.count);
            break;
        case MPJ_REC_ARG:
            keep_string(session.argv, &session.argc, &rec);
            break;
        case MPJ_REC_ENV:
            keep_string(session.envp, &session.envc, &rec);
            break;
        case MPJ_REC_GO:
            if (mpj_go_get(&rec, &go) != MPJ_LINK_OK)
                return "GO record malformed";
            session.go = true;
            break;
        default:
            break;
        }
    }
    if (!session.go)
        return NULL;
    if (!session.configured)
        return "START without CONFIG";
    if (session.full)
        return "arguments and environment exceed 16 KB or 511 strings";
    if (go.argc != session.argc || go.envc != session.envc)
        return "a START frame is missing";
    return NULL;
}

/* Starts without the host: all cores, nothing measured. */
static void start_as_text(struct mpj_config_rec *c)
{
    c->cores_mask = (1U << session.cores) - 1U;
    c->flags = MPJ_CONFIG_NO_COUNTERS | MPJ_CONFIG_NO_ADC | MPJ_CONFIG_NO_THREADS;
    memset(c->pmu, 0xff, sizeof(c->pmu)); /* MPJ_EVENT_NONE */
    memset(c->scu, 0xff, sizeof(c->scu));
    memset(c->l2, 0xff, sizeof(c->l2));
    session.go = true;
    mpj_text_begin(mpj_reset);
}

void mpj_host_open(struct mpj_host_start *s, unsigned cores)
{
    static const uint8_t delimiter;

    mpj_cold_begin();
    mpj_out_init();
    session.cores = cores;
    mpj_in_open(say_hello, mpj_reset);
    s->guarded = mpj_boot_word == MPJ_BOOT_GUARDED;
    if (s->guarded)
        mpj_in_guarded();
    hal_uart_write(&delimiter, 1); /* ends whatever was on the line before */
    say_hello();
    while (!session.go) {
        struct mpj_frame f;
        const char *wrong;

        mpj_in_wait(&f);
        if (f.type == 0)
            start_as_text(&s->config);
        if (f.type != MPJ_FRAME_START)
            continue;
        if (!session.described) /* the following records may be those of an error */
            (void)mpj_out_record(put_machine, &hal_machine);
        session.described = true;
        wrong = take_start(&f, s);
        if (session.configured && (s->config.features & 1U << MPJ_FEATURE_ACK) != 0 &&
            !mpj_in_is_reliable()) {
            mpj_in_reliable();
            mpj_irq_attach(hal_uart_irq(), mpj_in_irq, NULL);
            hal_gic_enable(hal_uart_irq());
        }
        if (wrong != NULL)
            mpj_fatal(MPJ_TERR_CONFIG, 0, wrong);
    }
    if (session.argc == 0) {
        session.strings[session.used] = '\0';
        session.argv[session.argc++] = session.strings + session.used;
    }
    mpj_out_flush();
    mpj_in_drain();
    s->argc = (int)session.argc;
    s->argv = session.argv;
    s->envp = session.envp;
    is_open = 1;
}

const char *mpj_host_program(void)
{
    const char *const name = session.argc > 0 ? session.argv[0] : "program";
    const char *const slash = strrchr(name, '/');

    return slash != NULL ? slash + 1 : name;
}

_Noreturn void mpj_host_end(int exit_status, enum mpj_end_reason reason)
{
    struct mpj_end end = {.exit_status = exit_status, .reason = reason, .session = session.id};

    end.time = hal_sys_ticks();
    if (mpj_text_on())
        mpj_text_end(exit_status);
    mpj_out_end(&end);
    mpj_in_finish();
    mpj_reset();
}

static int put_fault(struct mpj_writer *w, const void *rec)
{
    return mpj_fault_put(w, rec);
}

static int put_error(struct mpj_writer *w, const void *rec)
{
    return mpj_error_put(w, rec);
}

static int put_memory(struct mpj_writer *w, const void *rec)
{
    return mpj_memory_put(w, rec);
}

void mpj_host_memory(void)
{
    struct mpj_memory_rec m;
    uint32_t now, peak, room;

    mpj_mem_heap(&now, &peak, &room);
    m = (struct mpj_memory_rec){peak, now, room};
    (void)mpj_out_record(put_memory, &m);
}

/* Takes over, whatever the core was doing. */
static void take_over(void)
{
    (void)hal_uart_transport(false);
    hal_uart_waiting(false);
    mpj_out_seize();
}

_Noreturn void mpj_host_fault(const struct mpj_fault *f)
{
    take_over();
    if (mpj_text_on())
        mpj_text_fault(f);
    (void)mpj_out_record(put_fault, f);
    mpj_host_stack(f->r[13]);
    mpj_host_memory();
    mpj_host_end(-1, MPJ_END_FAULT);
}

_Noreturn void mpj_host_error(const struct mpj_error_rec *e)
{
    take_over();
    if (mpj_text_on())
        mpj_text_error(e);
    (void)mpj_out_record(put_error, e);
    mpj_host_end(-1, MPJ_END_ERROR);
}
