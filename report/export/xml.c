/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread-level profile and metrics as PerfSuite-like XML files. */
#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/xmlwriter.h>

#include "base/file.h"
#include "folder_out.h"
#include "report_int.h"

#define REAL "%.12g"

/* Head of each of the files. */
#define PROLOGUE "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
#define ROOT     "<hwpcreport class=\"mpjoule\""

/* A file being written. */
struct xml {
    struct folder_out *out;
    xmlBuffer *text;
    xmlTextWriter *w;
};

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

static void quiet(void *ctx, const char *text, ...)
{
    (void)ctx;
    (void)text;
}

static int begin(struct xml *x, const struct mpj_run *run, struct mpj_err *err)
{
    xmlSetGenericErrorFunc(NULL, quiet); /* errors are reported once, by us */
    x->text = xmlBufferCreate();
    x->w = x->text != NULL ? xmlNewTextWriterMemory(x->text, 0) : NULL;
    if (x->w == NULL) {
        xmlBufferFree(x->text);
        return mpj_err_nomem(err);
    }
    xmlTextWriterSetIndent(x->w, 1);
    xmlTextWriterStartDocument(x->w, NULL, "UTF-8", NULL);
    xmlTextWriterStartElement(x->w, BAD_CAST "hwpcreport");
    attribute(x->w, "class", "mpjoule");
    attribute(x->w, "version", "1");
    head(x->w, run);
    return MPJ_E_OK;
}

static int finish(struct xml *x, const char *name, struct mpj_err *err)
{
    const bool ok = xmlTextWriterEndDocument(x->w) >= 0;
    int result;

    xmlFreeTextWriter(x->w);
    result = ok ? folder_put(x->out, name, xmlBufferContent(x->text),
                             (size_t)xmlBufferLength(x->text), err)
                : mpj_err_set(err, MPJ_E_NOMEM, "cannot create %s: out of memory", name);
    xmlBufferFree(x->text);
    return result;
}

static int thread_xml(struct folder_out *out, const struct mpj_run *run,
                      const struct mpj_thread_result *t, struct mpj_err *err)
{
    struct xml x = {.out = out};
    xmlTextWriter *w;
    char name[32];

    if (begin(&x, run, err) != MPJ_E_OK)
        return err->code;
    w = x.w;
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
    for (unsigned k = 0; k < mpj_run_cores(run); k++) {
        xmlTextWriterStartElement(w, BAD_CAST "core");
        xmlTextWriterWriteFormatAttribute(w, BAD_CAST "id", "%u", k);
        element(w, "run", "s", t->core_run_s[k]);
        xmlTextWriterEndElement(w);
    }
    if (isfinite(t->energy_uj))
        element(w, "energy", "uJ", t->energy_uj);
    events_xml(w, run, t->cycles, t->ev);
    xmlTextWriterEndElement(w);
    snprintf(name, sizeof(name), "thread.%u.xml", t->id);
    return finish(&x, name, err);
}

static int region_xml(struct folder_out *out, const struct mpj_run *run, unsigned index,
                      const struct mpj_region_part *p, struct mpj_err *err)
{
    const struct mpj_region_result *const g = &run->region[index];
    struct xml x = {.out = out};
    xmlTextWriter *w;
    char name[64];

    if (begin(&x, run, err) != MPJ_E_OK)
        return err->code;
    w = x.w;
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
    snprintf(name, sizeof(name), "region.%u.thread.%u.xml", index, p->thread);
    return finish(&x, name, err);
}

static bool is_ours(const char *path)
{
    return mpj_file_begins(path, 0, PROLOGUE, sizeof(PROLOGUE) - 1) > 0 &&
           mpj_file_begins(path, sizeof(PROLOGUE) - 1, ROOT, sizeof(ROOT) - 1) > 0;
}

/* True for a file of an earlier report of a run, by its name and its beginning; also for an empty
 * one. */
static bool is_older(const char *path, const char *name)
{
    return (fnmatch("thread.*.xml", name, 0) == 0 ||
            fnmatch("region.*.thread.*.xml", name, 0) == 0) &&
           is_ours(path);
}

int mpj_report_xml(const struct mpj_run *run, const char *folder, struct mpj_err *err)
{
    struct folder_out out;
    int result = MPJ_E_OK;

    if (folder_begin(&out, folder, err) != MPJ_E_OK)
        return err->code;
    for (unsigned i = 0; i < run->threads && result == MPJ_E_OK; i++)
        result = thread_xml(&out, run, &run->thread[i], err);
    for (unsigned i = 0; i < run->regions; i++) {
        const struct mpj_region_result *const g = &run->region[i];
        for (unsigned k = 0; k < g->parts && result == MPJ_E_OK; k++)
            result = region_xml(&out, run, i, &g->part[k], err);
    }
    return folder_end(&out, result, is_older, err);
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

static int group_xml(struct folder_out *out, const struct mpj_run *run, const struct mpj_group *g,
                     struct mpj_err *err)
{
    struct xml x = {.out = out};
    xmlTextWriter *w;
    char *name = NULL;
    int result;

    if (asprintf(&name, "group.%s.xml", g->name) < 0)
        return mpj_err_nomem(err);
    if (begin(&x, run, err) != MPJ_E_OK) {
        free(name);
        return err->code;
    }
    w = x.w;
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
    result = finish(&x, name, err);
    free(name);
    return result;
}

static bool is_older_group(const char *path, const char *name)
{
    return fnmatch("group.*.xml", name, 0) == 0 && is_ours(path);
}

static int put_groups(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    struct folder_out files;
    int result = MPJ_E_OK;

    (void)out;
    if (folder_begin(&files, r->folder, err) != MPJ_E_OK)
        return err->code;
    for (unsigned i = 0; i < r->groups && result == MPJ_E_OK; i++)
        result = group_xml(&files, r->run, r->group[i], err);
    return folder_end(&files, result, is_older_group, err);
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

const struct mpj_exporter exporter_xml = {"xml", "xml", xml_of, true, false};
