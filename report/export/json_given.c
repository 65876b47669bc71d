/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members of the document of a run: arguments and the like, marks, events not counted. */
#include <stdlib.h>

#include "base/json.h"
#include "report/given.h"
#include "report_int.h"

/* Returns a text; one that is not UTF-8 with escapes. */
static json_t *text_of(const char *text)
{
    json_t *v = json_string(text);
    char *const escaped = v == NULL ? mpj_given_escape(text) : NULL;

    if (v == NULL)
        v = json_string(escaped != NULL ? escaped : "");
    free(escaped);
    return v;
}

static void put_items(json_t *root, const char *key, const struct mpj_given_item *item, unsigned n)
{
    json_t *const o = json_object();

    for (unsigned i = 0; i < n; i++)
        json_object_set_new(o, item[i].name, text_of(item[i].value));
    json_object_set_new(root, key, o);
}

void json_given(json_t *root, const struct mpj_run *run)
{
    const struct mpj_given *const g = &run->given;
    json_t *list;

    json_put_text(root, "version", run->version);
    json_put_text(root, "compiler", run->compiler);
    json_put_text(root, "runtime_sha256", run->runtime_sha256);
    json_put_text(root, "emulator_sha256", run->emulator_sha256);
    json_put_text(root, "calibration_sha256", run->calibration_sha256);
    json_put_text(root, "predictor_sha256", run->predictor_sha256);
    if (!g->known)
        return;
    list = json_array();
    for (unsigned i = 0; i < g->arguments; i++)
        json_array_append_new(list, text_of(g->argument[i] != NULL ? g->argument[i] : ""));
    json_object_set_new(root, "arguments", list);
    put_items(root, "environment", g->environment, g->environments);
    if (g->stdin_sha256 != NULL) {
        json_t *const o = json_object();
        json_put_text(o, "sha256", g->stdin_sha256);
        json_put_count(o, "bytes", g->stdin_bytes);
        json_object_set_new(root, "stdin", o);
    }
    json_put_text(root, "terminal", g->terminal);
    put_items(root, "options", g->option, g->options);
}

void json_uncounted(json_t *root, const struct mpj_run *run)
{
    const struct mpj_event_info *const table = mpj_event_table(&(size_t){0});
    json_t *const list = json_array();

    for (unsigned i = 0; i < MPJ_RUN_EVENTS_MAX; i++) {
        if (run->uncounted[i])
            json_array_append_new(list, json_string(table[i].name));
    }
    if (json_array_size(list) > 0)
        json_object_set(root, "not_counted", list);
    json_decref(list);
}

void json_marks(struct json_out *doc, const struct mpj_run *run)
{
    if (run->marks == 0)
        return;
    json_out_open(doc, "marks", '[');
    for (unsigned i = 0; i < run->marks; i++) {
        const struct mpj_run_mark *const m = &run->mark[i];
        json_t *const o = json_object();
        json_put_text(o, "name", m->name);
        json_energy(o, "time_s", m->time_s);
        json_object_set_new(o, "value", json_integer(m->value));
        json_put_count(o, "core", m->core);
        if (m->thread >= 0)
            json_put_count(o, "thread", (uint64_t)m->thread);
        json_out_put(doc, NULL, o);
    }
    json_out_close(doc);
}
