/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/symbols.h"
#include "report_int.h"
#include "store/settings.h"

/* Returns {"events":{...}} of one source, in table order; NULL when no event was counted. */
json_t *json_events(const struct mpj_value *ev, enum mpj_event_source source)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);
    json_t *out = NULL;

    for (size_t i = 0; i < n; i++) {
        if (table[i].source != source || !ev[i].present)
            continue;
        if (out == NULL)
            out = json_object();
        json_put_count(out, table[i].name, ev[i].value);
    }
    return out;
}

static void put_events(json_t *o, const struct mpj_value *ev, enum mpj_event_source source)
{
    json_t *const events = json_events(ev, source);

    if (events != NULL)
        json_object_set_new(o, "events", events);
}

static void put_chip_events(json_t *root, const char *key, const struct mpj_value *ev,
                            enum mpj_event_source source)
{
    json_t *const events = json_events(ev, source);
    json_t *holder;

    if (events == NULL)
        return;
    holder = json_object();
    json_object_set_new(holder, "events", events);
    json_object_set_new(root, key, holder);
}

static void put_rail(json_t *o, const char *key, const struct mpj_rail *rail)
{
    json_t *const out = json_object();

    json_put_real(out, "v_avg_uv", rail->v_avg_uv);
    json_put_real(out, "i_avg_ua", rail->i_avg_ua);
    json_put_real(out, "energy_uj", rail->energy_uj);
    json_object_set_new(o, key, out);
}

static void put_channels(json_t *meter, const struct mpj_meter *m)
{
    json_t *const channels = json_array();

    for (unsigned i = 0; i < m->channels; i++) {
        json_t *const channel = json_object();
        json_put_text(channel, "name", m->channel[i].name);
        json_put_text(channel, "unit", m->channel[i].unit);
        json_put_real(channel, "power_mw", m->channel[i].power_mw);
        json_put_real(channel, "energy_uj", m->channel[i].energy_uj);
        if (isfinite(m->channel[i].error_percent))
            json_put_real(channel, "error_percent", m->channel[i].error_percent);
        json_array_append_new(channels, channel);
    }
    json_object_set_new(meter, "channels", channels);
}

static void put_meter(json_t *root, const struct mpj_meter *m)
{
    json_t *const meter = json_object();

    if (m->problem[0] != '\0') {
        json_put_text(meter, "problem", m->problem);
    } else {
        json_put_count(meter, "samples", m->samples);
        json_put_real(meter, "power_mw", m->power_mw);
        json_put_real(meter, "energy_uj", m->energy_uj);
        if (m->by_window)
            json_put_text(meter, "aligned_with", "program");
        else
            json_put_real(meter, "adc_difference_percent", m->adc_percent);
        json_put_real(meter, "gain", m->gain);
        json_put_real(meter, "correlation", m->correlation);
        json_put_real(meter, "offset_s", m->offset_s);
        json_put_real(meter, "skew_ppm", m->skew_ppm);
        if (m->channels > 0)
            put_channels(meter, m);
    }
    json_object_set_new(root, "meter", meter);
}

/* Writes the settings that are members of this object of the document, "": the root. */
static void put_settings(json_t *o, const char *object, const struct mpj_run *run)
{
    for (unsigned i = 0; i < setting_count; i++) {
        const uint32_t value = setting_get(run, &settings[i]);
        if (value == 0 || strcmp(settings[i].object, object) != 0)
            continue;
        if (settings[i].is_time)
            json_put_real(o, settings[i].key, value / 1e6);
        else
            json_put_count(o, settings[i].key, value);
    }
}

static void put_adc(json_t *root, const struct mpj_run *run)
{
    json_t *const adc = json_object();

    put_settings(adc, "adc", run);
    json_put_count(adc, "samples", run->adc_samples);
    if (run->adc_lost > 0)
        json_put_count(adc, "lost", run->adc_lost);
    for (unsigned k = 0; k < run->supplies.count; k++)
        put_rail(adc, run->supplies.of[k].name, &run->rail[k]);
    json_object_set_new(root, "adc", adc);
}

void json_energy(json_t *o, const char *key, double uj)
{
    if (isfinite(uj))
        json_put_real(o, key, uj);
}

static void put_model(json_t *root, const struct mpj_run_model *m)
{
    json_t *const o = json_object();

    json_put_text(o, "name", m->name);
    json_put_real(o, "energy_uj", m->energy_uj);
    json_energy(o, "interval_uj", m->interval_uj);
    if (m->interval.level > 0)
        json_put_real(o, "interval_level", m->interval.level);
    json_energy(o, "stated_error_percent", m->stated_percent);
    json_energy(o, m->by_meter ? "meter_difference_percent" : "adc_difference_percent",
                m->adc_percent);
    if (m->outside[0] != '\0')
        json_put_text(o, "outside", m->outside);
    json_object_set_new(root, "model", o);
}

static void put_overhead(json_t *root, const struct mpj_run *run)
{
    const double clock = run->clock_hz;
    const uint64_t instr = mpj_run_true_instr(run);
    json_t *const o = json_object();

    json_put_real(o, "percent", mpj_run_overhead(run));
    json_put_count(o, "cycles", (uint64_t)(run->time_s * clock + 0.5));
    json_put_count(o, "cycles_without", (uint64_t)(run->bare.time_s * clock + 0.5));
    if (instr > 0 && run->bare.instr > 0) {
        json_put_count(o, "instr", instr);
        json_put_count(o, "instr_without", run->bare.instr);
    }
    json_object_set_new(root, "overhead", o);
}

static void put_cores(json_t *root, const struct mpj_run *run)
{
    json_t *const list = json_array();

    for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
        const struct mpj_core_result *const core = &run->core[k];
        json_t *o;
        if (!core->present)
            continue;
        o = json_object();
        json_put_count(o, "core", k);
        json_put_count(o, "cycles", core->cycles);
        if (core->have_wfi)
            json_put_count(o, "wfi_cycles", core->wfi_cycles);
        if (core->inexact)
            json_object_set_new(o, "inexact", json_true());
        put_events(o, core->ev, MPJ_SOURCE_PMU);
        rotation_json(o, core->ev);
        if (run->model.present)
            json_put_real(o, "energy_uj", core->energy_uj);
        json_array_append_new(list, o);
    }
    json_object_set_new(root, "cores", list);
}

/* Writes the least coverage of each counted event over the cores, and the error of their sum. */
static void put_coverage(json_t *root, const struct mpj_run *run)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);
    json_t *const out = json_object();
    json_t *const error = json_object();

    for (size_t i = 0; i < n; i++) {
        const struct mpj_value v =
            table[i].source == MPJ_SOURCE_PMU ? mpj_run_total(run, (int)i) : run->chip[i];
        if (v.present)
            json_put_real(out, table[i].name, v.coverage);
        if (v.present && v.coverage < 1.0 && isfinite(v.error))
            json_put_real(error, table[i].name, 100.0 * v.error);
    }
    json_object_set_new(root, "coverage", out);
    if (json_object_size(error) > 0)
        json_object_set(root, "error_percent", error);
    json_decref(error);
}

static json_t *truth_thread(const struct mpj_truth *t, unsigned i)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);
    json_t *const o = json_object();
    json_t *const events = json_object();

    json_put_count(o, "id", t->thread[i].id);
    json_put_count(o, "cycles", t->thread[i].cycles);
    json_put_count(o, "wfi_cycles", t->thread[i].wfi_cycles);
    json_put_real(o, "energy_uj", t->thread[i].energy_uj);
    for (size_t e = 0; e < n; e++) {
        if (t->thread[i].has[e])
            json_put_count(events, table[e].name, t->thread[i].ev[e]);
    }
    json_object_set_new(o, "events", events);
    return o;
}

static void put_truth(struct json_out *doc, const struct mpj_run *run)
{
    const struct mpj_truth *const t = &run->truth;
    json_t *const out = json_object();
    json_t *const cores = json_array();

    json_put_count(out, "cycles", t->cycles);
    json_put_real(out, "energy_uj", t->energy_uj);
    json_put_real(out, "shared_energy_uj", t->shared_energy_uj);
    for (unsigned k = 0; k < mpj_run_cores(run); k++) {
        json_t *const o = json_object();
        json_put_count(o, "core", k);
        json_put_count(o, "cycles", t->core[k].cycles);
        json_put_count(o, "wfi_cycles", t->core[k].wfi_cycles);
        if (t->core[k].bounded_cycles > 0)
            json_put_count(o, "bounded_cycles", t->core[k].bounded_cycles);
        json_put_real(o, "energy_uj", t->core[k].energy_uj);
        put_events(o, t->core[k].ev, MPJ_SOURCE_PMU);
        json_array_append_new(cores, o);
    }
    json_object_set_new(out, "cores", cores);
    put_chip_events(out, "scu", t->chip, MPJ_SOURCE_SCU);
    put_chip_events(out, "l2", t->chip, MPJ_SOURCE_L2);
    json_out_open(doc, "truth", '{');
    json_out_members(doc, out);
    json_out_open(doc, "threads", '[');
    for (unsigned i = 0; i < t->threads; i++)
        json_out_put(doc, NULL, truth_thread(t, i));
    json_out_close(doc);
    json_out_close(doc);
}

static void put_number_text(json_t *o, const char *key, const char *text)
{
    if (text != NULL)
        json_put_count(o, key, strtoull(text, NULL, 10));
}

static void put_fault(json_t *root, const struct mpj_run *run)
{
    json_t *const o = json_object();
    json_t *const frames = json_array();

    json_put_text(o, "kind", mpj_fault_name(run->fault_kind));
    json_put_count(o, "core", run->fault_core);
    json_put_count(o, "thread", run->fault_thread);
    if (run->fault_kind == MPJ_FAULT_DATA) {
        json_put_count(o, "address", run->fault_dfar);
        json_put_count(o, "status", run->fault_dfsr);
    }
    for (unsigned i = 0; i < run->frames; i++) {
        const struct mpj_frame_line *const f = &run->frame[i];
        json_t *const line = json_object();
        json_put_count(line, "depth", f->depth);
        json_put_count(line, "address", f->address);
        json_put_text(line, "function", f->function);
        json_put_text(line, "file", f->file);
        if (f->line > 0)
            json_put_count(line, "line", (uint64_t)f->line);
        json_array_append_new(frames, line);
    }
    json_object_set_new(o, "backtrace", frames);
    if (run->chain_end != MPJ_CHAIN_WHOLE)
        json_object_set_new(o, "backtrace_cut", json_true());
    if (run->chain_gap_depth != 0)
        json_put_count(o, "backtrace_gap_depth", run->chain_gap_depth);
    json_object_set_new(root, "fault", o);
}

/* Returns the part before the thread-level profile. */
static json_t *head(const struct mpj_run *run)
{
    json_t *const root = json_object();

    json_put_text(root, "schema", "mpjoule-run/1");
    json_put_text(root, "target", run->target);
    json_put_text(root, "program", run->program);
    json_put_text(root, "firmware_sha256", run->firmware_sha256);
    json_put_text(root, "calibration", run->calibration);
    put_number_text(root, "quantum", run->quantum);
    put_number_text(root, "seed", run->seed);
    json_given(root, run);
    put_settings(root, "", run);
    json_put_count(root, "clock_hz", run->clock_hz);
    if (run->machine_stated)
        json_object_set_new(root, "machine", mpj_machine_json(&run->machine));
    json_put_count(root, "passes", run->passes);
    if (run->have_exit)
        json_object_set_new(root, "exit_status", json_integer(run->exit_status));
    if (run->outcome != MPJ_E_OK)
        json_put_text(root, "failure", run->message != NULL ? run->message : "the log is cut off");
    if (run->partial)
        json_object_set_new(root, "partial", json_true());
    if (run->complete || run->partial)
        json_put_real(root, "time_s", run->time_s);
    if (run->cycles > 0)
        json_put_count(root, "cycles", run->cycles);
    if (run->dropped > 0)
        json_put_count(root, "dropped_records", run->dropped);
    if (isfinite(mpj_run_overhead(run)))
        put_overhead(root, run);
    if (run->have_adc)
        put_adc(root, run);
    if (run->meter.present)
        put_meter(root, &run->meter);
    if (run->model.present)
        put_model(root, &run->model);
    json_uncounted(root, run);
    put_cores(root, run);
    put_chip_events(root, "scu", run->chip, MPJ_SOURCE_SCU);
    put_chip_events(root, "l2", run->chip, MPJ_SOURCE_L2);
    return root;
}

/* Returns the part after it, except the truth. */
static json_t *tail(const struct mpj_run *run)
{
    json_t *const root = json_object();

    if (run->have_fault)
        put_fault(root, run);
    put_coverage(root, run);
    return root;
}

/* Writes piece by piece: for a run with a hundred thousand threads the whole tree would take 500
 * MB. */
int json_run(const struct mpj_run *run, bool paths, FILE *out, struct mpj_err *err)
{
    struct json_out doc;

    json_out_begin(&doc, out);
    json_out_members(&doc, head(run));
    json_marks(&doc, run);
    json_threads(&doc, run);
    if (json_functions(&doc, run, err) != MPJ_E_OK)
        return err->code;
    if (paths && run->profile != NULL)
        json_paths(&doc, run->profile);
    json_out_members(&doc, tail(run));
    if (run->have_truth)
        put_truth(&doc, run);
    return json_out_end(&doc, err);
}

int mpj_report_json(const struct mpj_run *run, FILE *out, struct mpj_err *err)
{
    return json_run(run, false, out, err);
}

static int put_run(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    return mpj_report_json(r->run, out, err);
}

static mpj_report_put *json_of(const struct mpj_view *view)
{
    const bool whole = view->needs == MPJ_NEEDS_RUN || view->needs == MPJ_NEEDS_PROFILE;

    return view->json == NULL && whole ? put_run : view->json;
}

const struct mpj_exporter exporter_json = {"json", "json", json_of, false, false};
