/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interface for programs, mpj.h. */
#include "mpj.h"

#include <string.h>

#include "files.h"
#include "hal_cpu.h"
#include "hal_pmu.h"
#include "hal_sys.h"
#include "mpj_in.h"
#include "mpj_out.h"
#include "mpj_prof.h"

#define MARK_MAX 200U

unsigned mpj_core_id(void)
{
    return hal_cpu_id();
}

static int put_mark(struct mpj_writer *w, const void *rec)
{
    return mpj_mark_put(w, rec);
}

void mpj_mark_value(const char *text, int64_t value)
{
    struct mpj_mark m = {.time = hal_sys_ticks(), .core = hal_cpu_id(), .value = value};

    m.thread = hal_cpu_context();
    m.name.p = (const uint8_t *)text;
    m.name.len = strnlen(text, MARK_MAX);
    (void)mpj_out_record(put_mark, &m);
}

void mpj_mark(const char *text)
{
    mpj_mark_value(text, 0);
}

bool mpj_stop_wanted(void)
{
    return mpj_in_told_to_finish();
}

bool mpj_ask_stop(void)
{
    mpj_file_turn();
    return mpj_in_told_to_finish();
}

uint64_t mpj_cycles(void)
{
    return mpj_prof_core_read(HAL_PMU_CCNT);
}

uint32_t mpj_adc_samples(void)
{
    return mpj_prof_samples();
}

void mpj_monitors_take(void)
{
    mpj_prof_release();
}

void mpj_count_begin(unsigned event0, unsigned event1)
{
    struct hal_pmu_config c = {.event = {(uint8_t)event0, (uint8_t)event1}};

    mpj_prof_release();
    hal_pmu_setup(&c);
    hal_pmu_start();
}

void mpj_count_end(struct mpj_counts *out)
{
    hal_pmu_stop();
    out->cycles = hal_pmu_read(HAL_PMU_CCNT);
    out->event[0] = hal_pmu_read(HAL_PMU_PMN0);
    out->event[1] = hal_pmu_read(HAL_PMU_PMN1);
}
