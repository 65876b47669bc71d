/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The outcome of a gate as JSON: SARIF 2.1.0, GitLab's Code Quality, and our own format. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sha2.h>

#include "base/json.h"
#include "gate_out.h"

#define SARIF "https://json.schemastore.org/sarif-2.1.0.json"

/* Writes the fingerprint of a finding, the same in every run: figures are not part of it. */
static void print_of(const struct mpj_gate_program *p, const struct mpj_gate_finding *f,
                     char out[SHA256_DIGEST_STRING_LENGTH])
{
    char rule[80];
    char *text;

    gate_rule(f, rule, sizeof(rule));
    out[0] = '\0';
    if (asprintf(&text, "%s\n%s\n%s\n%s", p->name, rule,
                 f->limit != NULL && f->limit->name != NULL ? f->limit->name : "",
                 f->limit == NULL ? f->text : "") < 0)
        return;
    SHA256Data((const uint8_t *)text, strlen(text), out);
    free(text);
}

static json_t *message(const struct mpj_gate_program *p, const struct mpj_gate_finding *f)
{
    return json_sprintf("%s: %s", p->name, f->text);
}

/* ---- SARIF ------------------------------------------------------------------------------- */

static json_t *sarif_result(const struct mpj_gate_program *p, const struct mpj_gate_finding *f,
                            json_t *rules)
{
    const char *file;
    char rule[80];
    char print[SHA256_DIGEST_STRING_LENGTH];
    int line;

    gate_rule(f, rule, sizeof(rule));
    gate_place(p, f, &file, &line);
    print_of(p, f, print);
    if (json_object_get(rules, rule) == NULL)
        json_object_set_new(rules, rule,
                            json_pack("{s:s,s:{s:s}}", "id", rule, "shortDescription", "text",
                                      f->limit == NULL
                                          ? "A program that could not be measured or compared"
                                          : "A figure above its limit"));
    return json_pack("{s:s,s:s,s:{s:o},s:[{s:{s:{s:s},s:{s:i}}}],s:{s:s}}", "ruleId", rule, "level",
                     f->verdict == MPJ_GATE_REGRESSION ? "error" : "warning", "message", "text",
                     message(p, f), "locations", "physicalLocation", "artifactLocation", "uri",
                     file, "region", "startLine", line, "partialFingerprints", "mpjoule/1", print);
}

int gate_sarif(const struct mpj_gate_result *r, FILE *f, struct mpj_err *err)
{
    json_t *const results = json_array();
    json_t *const rules = json_object();
    json_t *const list = json_array();
    const char *id;
    json_t *rule;

    for (unsigned i = 0; i < r->programs; i++) {
        const struct mpj_gate_program *const p = &r->program[i];
        for (unsigned k = 0; k < p->findings; k++)
            json_array_append_new(results, sarif_result(p, &p->finding[k], rules));
    }
    json_object_foreach(rules, id, rule) json_array_append(list, rule);
    json_decref(rules);
    return json_write(json_pack("{s:s,s:s,s:[{s:{s:{s:s,s:s,s:o}},s:o}]}", "$schema", SARIF,
                                "version", "2.1.0", "runs", "tool", "driver", "name", "mpjoule",
                                "version", MPJ_VERSION, "rules", list, "results", results),
                      f, err);
}

/* ---- Code Quality -------------------------------------------------------------------------- */

int gate_codequality(const struct mpj_gate_result *r, FILE *f, struct mpj_err *err)
{
    json_t *const list = json_array();

    for (unsigned i = 0; i < r->programs; i++) {
        const struct mpj_gate_program *const p = &r->program[i];
        for (unsigned k = 0; k < p->findings; k++) {
            const struct mpj_gate_finding *const it = &p->finding[k];
            char print[SHA256_DIGEST_STRING_LENGTH];
            char rule[80];
            const char *file;
            int line;
            gate_rule(it, rule, sizeof(rule));
            gate_place(p, it, &file, &line);
            print_of(p, it, print);
            json_array_append_new(
                list, json_pack("{s:o,s:s,s:s,s:s,s:{s:s,s:{s:i}}}", "description", message(p, it),
                                "check_name", rule, "fingerprint", print, "severity",
                                it->verdict == MPJ_GATE_REGRESSION ? "major" : "info", "location",
                                "path", file, "lines", "begin", line));
        }
    }
    return json_write(list, f, err);
}

/* ---- our format ---------------------------------------------------------------------------- */

static void put_figure(json_t *o, const char *key, double v)
{
    if (isfinite(v))
        json_object_set_new(o, key, json_integer(llround(v)));
}

static json_t *finding(const struct mpj_gate_program *p, const struct mpj_gate_finding *f)
{
    json_t *const o = json_object();

    json_put_text(o, "verdict", gate_verdict_word(f->verdict));
    json_put_text(o, "text", f->text);
    if (f->limit != NULL) {
        json_put_text(o, "of", mpj_gate_kind_name(f->limit->kind));
        json_put_text(o, "name", f->limit->name != NULL ? f->limit->name : p->name);
        json_put_text(o, "item", f->limit->item);
        json_put_text(o, "limit", f->limit->text);
    }
    put_figure(o, "baseline", f->base);
    put_figure(o, "now", f->now);
    mpj_blame_json(&f->blame, o);
    return o;
}

int gate_json(const struct mpj_gate_result *r, FILE *f, struct mpj_err *err)
{
    json_t *const programs = json_object();

    for (unsigned i = 0; i < r->programs; i++) {
        const struct mpj_gate_program *const p = &r->program[i];
        json_t *const o = json_object();
        json_t *const findings = json_array();
        json_put_text(o, "verdict", gate_verdict_word(p->verdict));
        json_put_count(o, "runs", p->runs);
        json_put_count(o, "kept", p->kept);
        json_put_text(o, "note", p->note);
        if (p->base != NULL)
            json_object_set(o, "baseline", json_object_get(p->base, "figures"));
        if (p->now != NULL)
            json_object_set(o, "now", json_object_get(p->now, "figures"));
        for (unsigned k = 0; k < p->findings; k++)
            json_array_append_new(findings, finding(p, &p->finding[k]));
        json_object_set_new(o, "findings", findings);
        json_object_set_new(programs, p->name, o);
    }
    return json_write(json_pack("{s:s,s:s,s:o}", "schema", "mpjoule-gate/1", "verdict",
                                gate_verdict_word(r->verdict), "programs", programs),
                      f, err);
}
