/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The outcome of a gate as JUnit XML: a case for each limit of a program. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/xmlwriter.h>

#include "gate_out.h"

#define SUITE "mpjoule gate"
/* The schema requires a timestamp; modelled time has none, and the same outcome gives the same
 * file. */
#define MOMENT "1970-01-01T00:00:00"

/* Writes an attribute: XML has no control characters, gate.yaml may have. */
static void attribute(xmlTextWriter *w, const char *name, const char *value)
{
    char *const text = strdup(value);

    if (text != NULL) {
        mpj_text_clean(text);
        xmlTextWriterWriteAttribute(w, BAD_CAST name, BAD_CAST text);
    }
    free(text);
}

static void number(xmlTextWriter *w, const char *name, unsigned v)
{
    xmlTextWriterWriteFormatAttribute(w, BAD_CAST name, "%u", v);
}

static double seconds(const struct mpj_gate_program *p)
{
    const double ns = mpj_gate_figure(json_object_get(p->now, "figures"), "time", NULL, NULL);

    return isnan(ns) ? 0 : ns / 1e9;
}

/* Counts the cases: one per limit, plus those that could not be judged. */
static void count(const struct mpj_gate_result *r, unsigned n[3])
{
    memset(n, 0, 3 * sizeof(*n));
    for (unsigned i = 0; i < r->programs; i++) {
        const struct mpj_gate_program *const p = &r->program[i];
        n[0] += p->limits->n;
        for (unsigned k = 0; k < p->findings; k++) {
            n[0] += p->finding[k].limit == NULL;
            n[p->finding[k].verdict]++;
        }
    }
}

static void outcome(xmlTextWriter *w, const struct mpj_gate_finding *f)
{
    const bool failed = f->verdict == MPJ_GATE_REGRESSION;
    char rule[80];

    gate_rule(f, rule, sizeof(rule));
    xmlTextWriterStartElement(w, BAD_CAST(failed ? "failure" : "error"));
    attribute(w, "message", f->text);
    attribute(w, "type", rule);
    xmlTextWriterWriteString(w, BAD_CAST f->text);
    xmlTextWriterEndElement(w);
}

static void begin_case(xmlTextWriter *w, const struct mpj_gate_program *p, const char *name)
{
    xmlTextWriterStartElement(w, BAD_CAST "testcase");
    attribute(w, "name", name);
    attribute(w, "classname", p->name);
    xmlTextWriterWriteFormatAttribute(w, BAD_CAST "time", "%.6f", seconds(p));
}

static void cases(xmlTextWriter *w, const struct mpj_gate_program *p)
{
    for (unsigned i = 0; i < p->limits->n; i++) {
        const struct mpj_gate_limit *const l = &p->limits->at[i];
        char name[200];
        snprintf(name, sizeof(name), "%s%s%.100s%s%s: %.40s",
                 l->kind != MPJ_GATE_WHOLE ? mpj_gate_kind_name(l->kind) : "",
                 l->name != NULL ? " " : "", l->name != NULL ? l->name : "",
                 l->name != NULL ? " " : "", l->item, l->text);
        begin_case(w, p, name);
        for (unsigned k = 0; k < p->findings; k++) {
            if (p->finding[k].limit == l)
                outcome(w, &p->finding[k]);
        }
        xmlTextWriterEndElement(w);
    }
    for (unsigned k = 0; k < p->findings; k++) {
        if (p->finding[k].limit != NULL)
            continue;
        begin_case(w, p, "measured and compared");
        outcome(w, &p->finding[k]);
        xmlTextWriterEndElement(w);
    }
}

int gate_junit(const struct mpj_gate_result *r, FILE *f, struct mpj_err *err)
{
    xmlBuffer *const text = xmlBufferCreate();
    xmlTextWriter *const w = text != NULL ? xmlNewTextWriterMemory(text, 0) : NULL;
    unsigned n[3];
    double time = 0;

    if (w == NULL) {
        xmlBufferFree(text);
        return mpj_err_nomem(err);
    }
    count(r, n);
    for (unsigned i = 0; i < r->programs; i++)
        time += seconds(&r->program[i]);
    xmlTextWriterSetIndent(w, 1);
    xmlTextWriterStartDocument(w, NULL, "UTF-8", NULL);
    xmlTextWriterStartElement(w, BAD_CAST "testsuites");
    xmlTextWriterStartElement(w, BAD_CAST "testsuite");
    attribute(w, "name", SUITE);
    attribute(w, "package", SUITE);
    attribute(w, "id", "0");
    attribute(w, "hostname", "localhost");
    attribute(w, "timestamp", MOMENT);
    number(w, "tests", n[0]);
    number(w, "failures", n[MPJ_GATE_REGRESSION]);
    number(w, "errors", n[MPJ_GATE_UNKNOWN]);
    xmlTextWriterWriteFormatAttribute(w, BAD_CAST "time", "%.6f", time);
    xmlTextWriterWriteElement(w, BAD_CAST "properties", BAD_CAST "");
    for (unsigned i = 0; i < r->programs; i++)
        cases(w, &r->program[i]);
    xmlTextWriterWriteElement(w, BAD_CAST "system-out", BAD_CAST "");
    xmlTextWriterWriteElement(w, BAD_CAST "system-err", BAD_CAST "");
    xmlTextWriterEndDocument(w);
    xmlFreeTextWriter(w);
    fputs((const char *)xmlBufferContent(text), f);
    xmlBufferFree(text);
    return MPJ_E_OK;
}
