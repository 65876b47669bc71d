/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread-level profile and metrics as PerfSuite-like XML files. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <libxml/xmlwriter.h>

#include "report_int.h"

#define REAL "%.12g"

static void attribute(xmlTextWriter *w, const char *name, const char *value)
{
    if (value != NULL)
        xmlTextWriterWriteAttribute(w, BAD_CAST name, BAD_CAST value);
}

static void element(xmlTextWriter *w, const char *name, const char *unit, double value)
{
    xmlTextWriterStartElement(w, BAD_CAST name);
    attribute(w, "unit", unit);
    xmlTextWriterWriteFormatString(w, REAL, value);
    xmlTextWriterEndElement(w);
}

static void head(xmlTextWriter *w, const struct mpj_run *run)
{
    xmlTextWriterStartElement(w, BAD_CAST "executableinfo");
    attribute(w, "name", run->program);
    attribute(w, "sha256", run->firmware_sha256);
    attribute(w, "arguments", run->arguments);
    xmlTextWriterEndElement(w);
    xmlTextWriterStartElement(w, BAD_CAST "machineinfo");
    attribute(w, "target", run->target);
    attribute(w, "calibration", run->calibration);
    xmlTextWriterWriteFormatAttribute(w, BAD_CAST "cores", "%u", run->cores);
    xmlTextWriterWriteFormatAttribute(w, BAD_CAST "clock_hz", "%u", run->clock_hz);
    xmlTextWriterEndElement(w);
}

static void events_xml(xmlTextWriter *w, const struct mpj_run *run, uint64_t cycles,
                       const struct mpj_value *counted)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);
    struct mpj_value ev[MPJ_RUN_EVENTS_MAX];

    mpj_run_values(run, counted, ev);
    xmlTextWriterStartElement(w, BAD_CAST "hwpceventlist");
    xmlTextWriterStartElement(w, BAD_CAST "hwpcevent");
    attribute(w, "name", "cycles");
    xmlTextWriterWriteFormatString(w, "%" PRIu64, cycles);
    xmlTextWriterEndElement(w);
    for (size_t i = 0; i < n; i++) {
        if (!ev[i].present)
            continue;
        xmlTextWriterStartElement(w, BAD_CAST "hwpcevent");
        attribute(w, "name", table[i].name);
        if (ev[i].coverage < 1.0)
            xmlTextWriterWriteFormatAttribute(w, BAD_CAST "coverage", REAL, ev[i].coverage);
        xmlTextWriterWriteFormatString(w, "%" PRIu64, ev[i].value);
        xmlTextWriterEndElement(w);
    }
    xmlTextWriterEndElement(w);
}

static xmlTextWriter *begin(const struct mpj_run *run, const char *path)
{
    xmlTextWriter *const w = xmlNewTextWriterFilename(path, 0);

    if (w == NULL)
        return NULL;
    xmlTextWriterSetIndent(w, 1);
    xmlTextWriterStartDocument(w, NULL, "UTF-8", NULL);
    xmlTextWriterStartElement(w, BAD_CAST "hwpcreport");
    attribute(w, "class", "mpjoule");
    attribute(w, "version", "1");
    head(w, run);
    return w;
}

static int finish(xmlTextWriter *w, const char *path, struct mpj_err *err)
{
    const bool ok = xmlTextWriterEndDocument(w) >= 0 && xmlTextWriterFlush(w) >= 0;

    xmlFreeTextWriter(w);
    return ok ? MPJ_E_OK : mpj_err_set(err, MPJ_E_IO, "cannot write %s", path);
}

static int thread_xml(const struct mpj_run *run, const struct mpj_thread_result *t,
                      const char *path, struct mpj_err *err)
{
    xmlTextWriter *const w = begin(run, path);

    if (w == NULL)
        return mpj_err_set(err, MPJ_E_IO, "cannot create %s", path);
    xmlTextWriterStartElement(w, BAD_CAST "thread");
    xmlTextWriterWriteFormatAttribute(w, BAD_CAST "id", "%u", t->id);
    attribute(w, "name", t->name);
    element(w, "created", "s", t->created_s);
    element(w, "life", "s", t->life_s);
    element(w, "run", "s", t->run_s);
    element(w, "block", "s", t->block_s);
    element(w, "host", "s", t->host_s);
    element(w, "other", "s", t->other_s);
    element(w, "kernel", "s", t->kernel_s);
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
        xmlTextWriterStartElement(w, BAD_CAST "core");
        xmlTextWriterWriteFormatAttribute(w, BAD_CAST "id", "%u", k);
        element(w, "run", "s", t->core_run_s[k]);
        xmlTextWriterEndElement(w);
    }
    if (isfinite(t->energy_uj))
        element(w, "energy", "uJ", t->energy_uj);
    events_xml(w, run, t->cycles, t->ev);
    xmlTextWriterEndElement(w);
    return finish(w, path, err);
}

static int region_xml(const struct mpj_run *run, const struct mpj_region_result *g,
                      const struct mpj_region_part *p, const char *path, struct mpj_err *err)
{
    xmlTextWriter *const w = begin(run, path);

    if (w == NULL)
        return mpj_err_set(err, MPJ_E_IO, "cannot create %s", path);
    xmlTextWriterStartElement(w, BAD_CAST "region");
    attribute(w, "name", g->name);
    attribute(w, "function", g->fn.function);
    xmlTextWriterWriteFormatAttribute(w, BAD_CAST "thread", "%u", p->thread);
    xmlTextWriterWriteFormatAttribute(w, BAD_CAST "team", "%u", g->size);
    xmlTextWriterWriteFormatAttribute(w, BAD_CAST "calls", "%" PRIu64, p->calls);
    element(w, "wall", "s", g->wall_s);
    element(w, "run", "s", p->run_s);
    element(w, "barrier", "s", p->barrier_s);
    if (isfinite(p->energy_uj))
        element(w, "energy", "uJ", p->energy_uj);
    events_xml(w, run, p->cycles, p->ev);
    xmlTextWriterEndElement(w);
    return finish(w, path, err);
}

static void quiet(void *ctx, const char *text, ...)
{
    (void)ctx;
    (void)text;
}

static int make_folder(const char *folder, struct mpj_err *err)
{
    struct stat st;

    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return mpj_err_errno(err, "cannot make the folder %s", folder);
    if (stat(folder, &st) == 0 && !S_ISDIR(st.st_mode))
        return mpj_err_set(err, MPJ_E_IO, "cannot make the folder %s: it is a file", folder);
    xmlSetGenericErrorFunc(NULL, quiet); /* what fails is told once, by us */
    return MPJ_E_OK;
}

int mpj_report_xml(const struct mpj_run *run, const char *folder, struct mpj_err *err)
{
    char path[4096];
    int result = make_folder(folder, err);

    for (unsigned i = 0; i < run->threads && result == MPJ_E_OK; i++) {
        snprintf(path, sizeof(path), "%s/thread.%u.xml", folder, run->thread[i].id);
        result = thread_xml(run, &run->thread[i], path, err);
    }
    for (unsigned i = 0; i < run->regions; i++) {
        const struct mpj_region_result *const g = &run->region[i];
        for (unsigned k = 0; k < g->parts && result == MPJ_E_OK; k++) {
            snprintf(path, sizeof(path), "%s/region.%u.thread.%u.xml", folder, i,
                     g->part[k].thread);
            result = region_xml(run, g, &g->part[k], path, err);
        }
    }
    return result;
}

/* ---- metrics ------------------------------------------------------------------- */

static void value_xml(xmlTextWriter *w, const char *core, double value)
{
    if (!isfinite(value))
        return;
    xmlTextWriterStartElement(w, BAD_CAST "value");
    attribute(w, "core", core);
    xmlTextWriterWriteFormatString(w, REAL, value);
    xmlTextWriterEndElement(w);
}

static int group_xml(const struct mpj_run *run, const struct mpj_group *g, const char *path,
                     struct mpj_err *err)
{
    xmlTextWriter *const w = begin(run, path);

    if (w == NULL)
        return mpj_err_set(err, MPJ_E_IO, "cannot create %s", path);
    xmlTextWriterStartElement(w, BAD_CAST "metriclist");
    attribute(w, "group", g->name);
    attribute(w, "title", g->title);
    for (unsigned i = 0; i < g->metrics; i++) {
        const bool chip = g->metric[i].scope == MPJ_METRIC_CHIP;
        xmlTextWriterStartElement(w, BAD_CAST "metric");
        attribute(w, "name", g->metric[i].name);
        attribute(w, "unit", g->metric[i].unit);
        for (unsigned k = 0; !chip && k < MPJ_CORES_MAX; k++) {
            char core[12];
            snprintf(core, sizeof(core), "%u", k);
            if (run->core[k].present)
                value_xml(w, core, mpj_group_value(g, i, run, (int)k));
        }
        value_xml(w, chip ? NULL : "all", mpj_group_value(g, i, run, -1));
        xmlTextWriterEndElement(w);
    }
    xmlTextWriterEndElement(w);
    return finish(w, path, err);
}

static int put_groups(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    char path[4096];
    int result = make_folder(r->folder, err);

    (void)out;
    for (unsigned i = 0; i < r->groups && result == MPJ_E_OK; i++) {
        snprintf(path, sizeof(path), "%s/group.%s.xml", r->folder, r->group[i]->name);
        result = group_xml(r->run, r->group[i], path, err);
    }
    return result;
}

static int put_run(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    (void)out;
    return mpj_report_xml(r->run, r->folder, err);
}

static mpj_report_put *xml_of(const struct mpj_view *view)
{
    switch (view->needs) {
    case MPJ_NEEDS_RUN:
        return put_run;
    case MPJ_NEEDS_GROUPS:
        return put_groups;
    default:
        return NULL;
    }
}

const struct mpj_exporter exporter_xml = {"xml", "xml", xml_of, true};
