/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of cores and of the thread-level profile as CSV, and the profile as PerfSuite-like XML
 * files. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <libxml/xmlwriter.h>

#include "base/csv.h"
#include "report_int.h"

#define REAL "%.12g"

/* ---- CSV ---------------------------------------------------------------------- */

static void where_csv(FILE *f, const struct mpj_where *w)
{
    fputc(',', f);
    mpj_csv_quoted(f, w->function);
    fputc(',', f);
    mpj_csv_quoted(f, w->file);
    fprintf(f, ",%d", w->line);
}

/* Columns of the events that any of the rows has; values of one row with ev, names without. */
static void events_csv(FILE *f, const bool used[MPJ_RUN_EVENTS_MAX], const struct mpj_value *ev)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);

    for (size_t i = 0; i < n; i++) {
        if (!used[i])
            continue;
        if (ev == NULL)
            fprintf(f, ",%s", table[i].name);
        else if (ev[i].present)
            fprintf(f, ",%" PRIu64, ev[i].value);
        else
            fputc(',', f);
    }
    fputc('\n', f);
}

static void use(bool used[MPJ_RUN_EVENTS_MAX], const struct mpj_value *ev)
{
    for (unsigned i = 0; i < MPJ_RUN_EVENTS_MAX; i++)
        used[i] = used[i] || ev[i].present;
}

/* A row per core, and one of the events that belong to the whole chip. */
static void cores_csv(const struct mpj_run *run, FILE *f)
{
    bool used[MPJ_RUN_EVENTS_MAX] = {false};

    for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
        use(used, run->core[k].ev);
    use(used, run->chip);
    fputs("core,cycles,wfi_cycles,energy_uj", f);
    events_csv(f, used, NULL);
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
        const struct mpj_core_result *const c = &run->core[k];
        if (!c->present)
            continue;
        fprintf(f, "%u,%" PRIu64 ",", k, c->cycles);
        if (c->have_wfi)
            fprintf(f, "%" PRIu64, c->wfi_cycles);
        fputc(',', f);
        if (run->model.present)
            fprintf(f, REAL, c->energy_uj);
        events_csv(f, used, c->ev);
    }
    fputs("chip,,,", f);
    events_csv(f, used, run->chip);
}

static void threads_csv(const struct mpj_run *run, FILE *f)
{
    bool used[MPJ_RUN_EVENTS_MAX] = {false};

    for (unsigned i = 0; i < run->threads; i++)
        use(used, run->thread[i].ev);
    fputs("id,name,created_s,life_s,run_s,block_s,other_s,sleep_s,kernel_s,core0_s,core1_s,core2_s,"
          "core3_s,switches,cycles,energy_uj",
          f);
    events_csv(f, used, NULL);
    for (unsigned i = 0; i < run->threads; i++) {
        const struct mpj_thread_result *const t = &run->thread[i];
        const double times[] = {t->created_s, t->life_s,  t->run_s,   t->block_s,
                                t->other_s,   t->sleep_s, t->kernel_s};
        fprintf(f, "%u,", t->id);
        mpj_csv_quoted(f, t->name);
        for (size_t k = 0; k < sizeof(times) / sizeof(times[0]); k++)
            fprintf(f, "," REAL, times[k]);
        for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
            fprintf(f, "," REAL, t->core_run_s[k]);
        fprintf(f, ",%" PRIu64 ",%" PRIu64 ",", t->switches, t->cycles);
        if (isfinite(t->energy_uj))
            fprintf(f, REAL, t->energy_uj);
        events_csv(f, used, t->ev);
    }
}

static void sync_csv(const struct mpj_run *run, FILE *f)
{
    fputs("thread,kind,object,object_name,owner,function,file,line,count,total_s,longest_s\n", f);
    for (unsigned i = 0; i < run->waits; i++) {
        const struct mpj_wait_result *const w = &run->wait[i];
        fprintf(f, "%u,%s,%u,", w->thread, mpj_wait_name(w->kind), w->object);
        mpj_csv_quoted(f, w->object_name);
        fprintf(f, ",%u", w->owner);
        where_csv(f, &w->caller);
        fprintf(f, ",%" PRIu64 "," REAL "," REAL "\n", w->count, w->total_s, w->longest_s);
    }
}

static void regions_csv(const struct mpj_run *run, FILE *f)
{
    bool used[MPJ_RUN_EVENTS_MAX] = {false};

    for (unsigned i = 0; i < run->regions; i++) {
        for (unsigned k = 0; k < run->region[i].parts; k++)
            use(used, run->region[i].part[k].ev);
    }
    fputs("region,function,file,line,team,wall_s,thread,calls,run_s,barrier_s,cycles,energy_uj", f);
    events_csv(f, used, NULL);
    for (unsigned i = 0; i < run->regions; i++) {
        const struct mpj_region_result *const g = &run->region[i];
        for (unsigned k = 0; k < g->parts; k++) {
            const struct mpj_region_part *const p = &g->part[k];
            mpj_csv_quoted(f, g->name);
            where_csv(f, &g->fn);
            fprintf(f, ",%u," REAL ",%u,%" PRIu64 "," REAL "," REAL ",%" PRIu64 ",", g->size,
                    g->wall_s, p->thread, p->calls, p->run_s, p->barrier_s, p->cycles);
            if (isfinite(p->energy_uj))
                fprintf(f, REAL, p->energy_uj);
            events_csv(f, used, p->ev);
        }
    }
}

static void timeline_csv(const struct mpj_run *run, FILE *f)
{
    fputs("thread,time_s,run_s,block_s\n", f);
    for (unsigned i = 0; i < run->threads; i++) {
        const struct mpj_thread_result *const t = &run->thread[i];
        for (unsigned k = 0; k < t->bins; k++)
            fprintf(f, "%u," REAL ",%g,%g\n", t->id, k * t->bin_s, (double)t->bin_run[k],
                    (double)t->bin_block[k]);
    }
}

int mpj_report_csv(const struct mpj_run *run, enum mpj_view view, FILE *out, struct mpj_err *err)
{
    switch (view) {
    case MPJ_VIEW_CORES:
        cores_csv(run, out);
        break;
    case MPJ_VIEW_THREADS:
        threads_csv(run, out);
        break;
    case MPJ_VIEW_SYNC:
        sync_csv(run, out);
        break;
    case MPJ_VIEW_REGIONS:
        regions_csv(run, out);
        break;
    case MPJ_VIEW_TIMELINE:
        timeline_csv(run, out);
        break;
    default:
        return mpj_err_set(err, MPJ_E_USAGE,
                           "CSV is for the views cores, threads, sync, regions and timeline");
    }
    if (fflush(out) != 0 || ferror(out))
        return mpj_err_errno(err, "cannot write the table");
    return MPJ_E_OK;
}

/* ---- XML ---------------------------------------------------------------------- */

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

static void events_xml(xmlTextWriter *w, uint64_t cycles, const struct mpj_value *ev)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);

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
    events_xml(w, t->cycles, t->ev);
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
    events_xml(w, p->cycles, p->ev);
    xmlTextWriterEndElement(w);
    return finish(w, path, err);
}

static void quiet(void *ctx, const char *text, ...)
{
    (void)ctx;
    (void)text;
}

int mpj_report_xml(const struct mpj_run *run, const char *folder, struct mpj_err *err)
{
    char path[4096];
    struct stat st;
    int result = MPJ_E_OK;

    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return mpj_err_errno(err, "cannot make the folder %s", folder);
    if (stat(folder, &st) == 0 && !S_ISDIR(st.st_mode))
        return mpj_err_set(err, MPJ_E_IO, "cannot make the folder %s: it is a file", folder);
    xmlSetGenericErrorFunc(NULL, quiet); /* what fails is told once, by us */
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
