/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The outcome of a gate as OpenMetrics: gauges by program, in base units. */
#include <math.h>
#include <string.h>

#include "gate_out.h"

static void put_text(const char *text, FILE *f)
{
    for (; *text != '\0'; text++) {
        if (*text == '\\' || *text == '"')
            fputc('\\', f);
        if (*text == '\n')
            fputs("\\n", f);
        else
            fputc(*text, f);
    }
}

static const char *calibration(const struct mpj_gate_program *p)
{
    const char *const text =
        json_string_value(json_object_get(json_object_get(p->now, "tools"), "calibration"));

    return text != NULL ? text : "";
}

static void sample(const char *metric, const struct mpj_gate_program *p, const char *label,
                   const char *value, double v, FILE *f)
{
    fprintf(f, "%s{program=\"", metric);
    put_text(p->name, f);
    fputs("\",calibration=\"", f);
    put_text(calibration(p), f);
    if (label != NULL) {
        fprintf(f, "\",%s=\"", label);
        put_text(value, f);
    }
    fprintf(f, "\"} %.12g\n", v);
}

static double now(const struct mpj_gate_program *p, const char *item)
{
    return mpj_gate_figure(json_object_get(p->now, "figures"), item, NULL, NULL);
}

/* Writes a gauge of one figure. */
static void family(const struct mpj_gate_result *r, const char *metric, const char *unit,
                   const char *help, const char *item, FILE *f)
{
    fprintf(f, "# TYPE %s gauge\n# UNIT %s %s\n# HELP %s %s\n", metric, metric, unit, metric, help);
    for (unsigned i = 0; i < r->programs; i++) {
        const double v = now(&r->program[i], item);
        if (!isnan(v))
            sample(metric, &r->program[i], NULL, NULL, v / 1e9, f);
    }
}

int gate_openmetrics(const struct mpj_gate_result *r, FILE *f, struct mpj_err *err)
{
    (void)err;
    family(r, "mpjoule_time_seconds", "seconds", "Time of a program, median.", "time", f);
    family(r, "mpjoule_energy_joules", "joules", "Energy of the processor, median.", "energy", f);
    fputs("# TYPE mpjoule_events gauge\n# HELP mpjoule_events Events of all cores, median.\n", f);
    for (unsigned i = 0; i < r->programs; i++) {
        const struct mpj_gate_program *const p = &r->program[i];
        const char *item;
        for (unsigned k = 2; (item = gate_item(p, k)) != NULL; k++) {
            if (!isnan(now(p, item)))
                sample("mpjoule_events", p, "event", item, now(p, item), f);
        }
    }
    fputs("# TYPE mpjoule_gate stateset\n# HELP mpjoule_gate Verdict of the gate.\n", f);
    for (unsigned i = 0; i < r->programs; i++) {
        for (int v = MPJ_GATE_OK; v <= MPJ_GATE_UNKNOWN; v++)
            sample("mpjoule_gate", &r->program[i], "mpjoule_gate",
                   gate_verdict_word((enum mpj_gate_verdict)v),
                   r->program[i].verdict == (enum mpj_gate_verdict)v, f);
    }
    fputs("# EOF\n", f);
    return MPJ_E_OK;
}
