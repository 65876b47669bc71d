/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "models/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sha2.h>

#include "base/csv.h"

static void number(FILE *f, bool present, double v)
{
    fputc(',', f);
    if (present && !isnan(v))
        fprintf(f, "%.15g", v);
}

static void head(FILE *f, unsigned cores, const struct mpj_event_info *table, size_t n)
{
    fputs("id,name,family,threads,complete,time_s,clock_hz,adc_samples,power_mw,power_sd_mw,"
          "pll_power_mw",
          f);
    for (unsigned k = 0; k < cores; k++) {
        fprintf(f, ",core%u.cycles,core%u.wfi_cycles", k, k);
        for (size_t i = 0; i < n; i++) {
            if (table[i].source == MPJ_SOURCE_PMU && table[i].number != MPJ_EVENT_CYCLES)
                fprintf(f, ",core%u.%s", k, table[i].name);
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (table[i].source != MPJ_SOURCE_PMU)
            fprintf(f, ",%s", table[i].name);
    }
    fputs(",truth.window_s,truth.energy_uj,truth.shared_uj", f);
    for (unsigned k = 0; k < cores; k++)
        fprintf(f, ",truth.core%u_uj", k);
    fputs(",description\r\n", f);
}

static void row(FILE *f, const struct mpj_dataset_program *p, unsigned cores,
                const struct mpj_event_info *table, size_t n)
{
    fprintf(f, "%u,", p->id);
    mpj_csv_text(f, p->name);
    fputc(',', f);
    mpj_csv_text(f, p->family);
    fprintf(f, ",%u,%d", p->threads, p->complete);
    number(f, p->time_s > 0, p->time_s);
    number(f, p->time_s > 0, p->clock_hz);
    number(f, p->have_adc, p->adc_samples);
    number(f, p->have_adc, p->power_mw);
    number(f, p->have_adc, p->power_sd_mw);
    number(f, p->have_adc, p->pll_power_mw);
    for (unsigned k = 0; k < cores; k++) {
        number(f, p->core[k].present, p->core[k].cycles);
        number(f, p->core[k].present, p->core[k].wfi_cycles);
        for (size_t i = 0; i < n; i++) {
            if (table[i].source == MPJ_SOURCE_PMU && table[i].number != MPJ_EVENT_CYCLES)
                number(f, p->core[k].present, p->core[k].ev[i]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (table[i].source != MPJ_SOURCE_PMU)
            number(f, true, p->chip[i]);
    }
    number(f, p->have_truth, p->truth_window_s);
    number(f, p->have_truth, p->truth_energy_uj);
    number(f, p->have_truth, p->truth_shared_uj);
    for (unsigned k = 0; k < cores; k++)
        number(f, p->have_truth, p->truth_core_uj[k]);
    fputc(',', f);
    mpj_csv_text(f, p->description);
    fputs("\r\n", f);
}

int mpj_dataset_csv(const struct mpj_dataset *ds, FILE *out, struct mpj_err *err)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);

    head(out, ds->cores, table, n);
    for (size_t i = 0; i < ds->programs; i++)
        row(out, &ds->program[i], ds->cores, table, n);
    if (fflush(out) != 0 || ferror(out))
        return mpj_err_errno(err, "cannot write the CSV file");
    return MPJ_E_OK;
}

int mpj_dataset_sha256(const struct mpj_dataset *ds, char out[65], struct mpj_err *err)
{
    SHA2_CTX sum;
    char *text = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&text, &size);
    int result;

    if (f == NULL)
        return mpj_err_nomem(err);
    result = mpj_dataset_csv(ds, f, err);
    if (fclose(f) != 0 && result == MPJ_E_OK)
        result = mpj_err_nomem(err);
    if (result == MPJ_E_OK) {
        SHA256Init(&sum);
        SHA256Update(&sum, (const uint8_t *)text, size);
        SHA256End(&sum, out);
    }
    free(text);
    return result;
}
