/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of a run, of a recording, of two runs. Its data is the JSON of the report, and further
 * data: call paths and moments. report/export/page/ shows it. */
#include "export/html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/page_file.h"
#include "export/profile_out.h"
#include "report/energy.h"
#include "report_int.h"
#include "view/diff_out.h"
#include "view/hints.h"

#define FOLDED_MAX (2U << 20) /* bytes of the call paths of two runs */

/* ---- call paths ------------------------------------------------------------------------ */

/* Nodes that are written: the most expensive ones, with all their ancestors. */
struct tree {
    const struct mpj_profile *p;
    uint32_t *node; /* by number in the page */
    uint32_t *number;
    uint32_t nodes;
    int64_t *below; /* of each, and of the whole run: total cost of its children in the page */
};

static int64_t cell(const struct mpj_profile *p, const int64_t *v, uint32_t node, unsigned item)
{
    return v[(size_t)node * p->items + item];
}

static int descending(const void *x, const void *y)
{
    const int64_t a = *(const int64_t *)x;
    const int64_t b = *(const int64_t *)y;

    return (a < b) - (a > b);
}

/* Returns the least total of a node that is written, so that at most `most` nodes are; v:
 * buffer. */
static int64_t least_of(const struct mpj_profile *p, unsigned item, uint32_t most, int64_t *v)
{
    if (p->nodes <= most)
        return INT64_MIN;
    for (uint32_t i = 0; i < p->nodes; i++)
        v[i] = cell(p, p->total, i, item);
    qsort(v, p->nodes, sizeof(*v), descending);
    return v[most] + 1;
}

static void tree_free(struct tree *t)
{
    free(t->node);
    free(t->number);
    free(t->below);
}

static int tree_make(struct tree *t, const struct mpj_profile *p, struct mpj_err *err)
{
    /* counts are not negative: a node costs at least as much as those below it */
    const unsigned key = (unsigned)(p->cycles >= 0 ? p->cycles : p->samples >= 0 ? p->samples : 0);
    int64_t least;

    *t = (struct tree){.p = p,
                       .node = malloc(((size_t)p->nodes + 1) * sizeof(*t->node)),
                       .number = malloc(((size_t)p->nodes + 1) * sizeof(*t->number)),
                       .below = malloc(((size_t)p->nodes + 1) * sizeof(*t->below))};
    if (t->node == NULL || t->number == NULL || t->below == NULL)
        return mpj_err_nomem(err);
    least = least_of(p, key, HTML_CELLS_MAX / (p->items + 1), t->below);
    for (uint32_t i = 0; i < p->nodes;) {
        if (cell(p, p->total, i, key) < least) {
            i = p->node[i].end;
            continue;
        }
        t->number[i] = t->nodes;
        t->node[t->nodes++] = i++;
    }
    return MPJ_E_OK;
}

/* Writes each node's own cost, plus that of its children that are not written, in the item's own
 * unit: whole numbers, so that the page's sums are exact. */
static void put_item(struct tree *t, unsigned item, FILE *f)
{
    const struct mpj_profile *const p = t->p;

    fprintf(f, "{\"name\":\"%s\",\"unit\":\"%s\",\"chip\":%" PRId64 ",\"self\":[",
            p->item[item].name, p->item[item].unit, p->chip[item]);
    memset(t->below, 0, ((size_t)t->nodes + 1) * sizeof(*t->below));
    for (uint32_t i = 0; i < t->nodes; i++) {
        const uint32_t above = p->node[t->node[i]].parent;
        t->below[above == MPJ_PROF_NO_PARENT ? t->nodes : t->number[above]] +=
            cell(p, p->total, t->node[i], item);
        fprintf(f, "%s%" PRId64, i > 0 ? "," : "", cell(p, p->self, t->node[i], item));
    }
    fputs("]", f);
    if (t->nodes < p->nodes) {
        fputs(",\"rest\":[", f);
        for (uint32_t i = 0; i < t->nodes; i++)
            fprintf(f, "%" PRId64 ",",
                    cell(p, p->total, t->node[i], item) - cell(p, p->self, t->node[i], item) -
                        t->below[i]);
        fprintf(f, "%" PRId64 "]", p->sum[item] - t->below[t->nodes]);
    }
    fputs("}", f);
}

static void put_funcs(const struct mpj_profile *p, FILE *f)
{
    fputs(",\"funcs\":[", f);
    for (unsigned i = 0; i < p->funcs; i++) {
        fputs(i > 0 ? ",[" : "[", f);
        profile_json_text(f, p->func[i].name);
        fputc(',', f);
        profile_json_text(f, p->func[i].file != NULL ? p->func[i].file : "");
        fprintf(f, ",%d,%d]", p->func[i].line, (int)p->func[i].kind);
    }
    fputs("]", f);
}

static void put_nodes(const struct tree *t, FILE *f)
{
    fputs(",\"nodes\":[", f); /* function, parent, thread, core, region, calls */
    for (uint32_t i = 0; i < t->nodes; i++) {
        const struct mpj_prof_node *const n = &t->p->node[t->node[i]];
        fprintf(f, "%s[%" PRIu32 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRIu64 "]",
                i > 0 ? "," : "", n->func,
                n->parent == MPJ_PROF_NO_PARENT ? -1 : (int64_t)t->number[n->parent], n->thread,
                n->core, n->region, n->calls);
    }
    fprintf(f, "],\"left_out\":%" PRIu32, t->p->nodes - t->nodes);
}

int html_profile(const struct mpj_run *run, FILE *f, struct mpj_err *err)
{
    const struct mpj_profile *const p = run->profile;
    struct tree t;
    int result;

    if (p == NULL)
        return MPJ_E_OK;
    result = tree_make(&t, p, err);
    if (result == MPJ_E_OK) {
        const char *comma = "";
        fprintf(f, ",\"profile\":{\"source\":\"%s\",\"clock_hz\":%" PRIu32,
                mpj_profile_source_name(p->source), p->clock_hz);
        put_funcs(p, f);
        put_nodes(&t, f);
        fputs(",\"items\":[", f);
        for (unsigned i = 0; i < p->items; i++) {
            if (p->sum[i] == 0 && p->chip[i] == 0)
                continue;
            fputs(comma, f);
            put_item(&t, i, f);
            comma = ",";
        }
        fputs("]}", f);
    }
    tree_free(&t);
    return result;
}

/* ---- hints ----------------------------------------------------------------------------- */

struct hint_list {
    const struct mpj_run *run;
    FILE *f;
    const char *comma;
};

/* Writes the finding, the command for more of it, and the two that estimate what it could save. */
static void put_hint(void *ctx, const char *text, const char *command, const char *what_if)
{
    struct hint_list *const l = ctx;
    char *again = NULL;
    size_t size = 0;
    FILE *const memory = what_if != NULL ? open_memstream(&again, &size) : NULL;

    fprintf(l->f, "%s{\"text\":", l->comma);
    profile_json_text(l->f, text);
    fputs(",\"command\":", l->f);
    profile_json_text(l->f, command);
    if (memory != NULL) {
        hint_command(l->run, what_if, memory);
        if (fclose(memory) == 0) {
            fputs(",\"what_if\":", l->f);
            profile_json_text(l->f, what_if);
            fputs(",\"again\":", l->f);
            profile_json_text(l->f, again);
        }
    }
    fputs("}", l->f);
    free(again);
    l->comma = ",";
}

static void put_hints(const struct mpj_report *r, FILE *f)
{
    struct hint_list l = {r->run, f, ""};
    char *name = NULL;
    size_t size = 0;
    FILE *const memory = open_memstream(&name, &size);

    fputs(",\"hints\":[", f);
    hints_of(r, put_hint, &l);
    fputs("]", f);
    if (memory == NULL)
        return;
    mpj_given_word(r->name != NULL ? r->name : "run.mpj", memory);
    if (fclose(memory) == 0) {
        fputs(",\"file\":", f); /* as a command has it */
        profile_json_text(f, name);
    }
    free(name);
}

/* ---- pages ----------------------------------------------------------------------------- */

static void put_head(const char *kind, FILE *f)
{
    fprintf(f, "{\"schema\":\"mpjoule-page/1\",\"kind\":\"%s\"", kind);
}

static int run_data(const void *what, FILE *f, struct mpj_err *err)
{
    const struct mpj_report *const r = what;
    char text[400];
    int result;

    put_head("run", f);
    profile_label(r->run, text, sizeof(text));
    fputs(",\"label\":", f);
    profile_json_text(f, text);
    profile_creator(r->run, text, sizeof(text));
    fputs(",\"creator\":", f);
    profile_json_text(f, text);
    fputs(",\"arguments\":", f);
    profile_json_text(f, r->run->arguments != NULL ? r->run->arguments : "");
    put_hints(r, f);
    fputs(",\"report\":", f);
    result = mpj_report_json(r->run, f, err);
    if (result == MPJ_E_OK)
        result = html_profile(r->run, f, err);
    if (result == MPJ_E_OK)
        result = html_code(r, f, err);
    if (result == MPJ_E_OK && r->store != NULL && r->run->time_hz > 0)
        result = html_moments(r, f, err);
    if (result == MPJ_E_OK && r->store != NULL && r->run->time_hz > 0)
        result = html_samples(r, f, err);
    if (result == MPJ_E_OK && r->store != NULL && r->run->time_hz > 0)
        result = html_wave(r, f, err);
    if (result == MPJ_E_OK && r->store != NULL && r->run->time_hz > 0)
        result = html_counts(r, f, err);
    if (result == MPJ_E_OK && r->store != NULL && r->run->have_adc)
        result = html_adc(r->store, f, err);
    fputs("}", f);
    return result;
}

static int put_run(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    return page_write(f, run_data, r, r->store, err);
}

static int recording_data(const void *what, FILE *f, struct mpj_err *err)
{
    const struct mpj_report *const r = what;
    struct mpj_energy *e = NULL;
    int result = mpj_energy_load(&e, r->file, NULL, NULL, err);

    if (result != MPJ_E_OK)
        return result;
    put_head("recording", f);
    fputs(",\"report\":", f);
    result = mpj_energy_json(e, f, err);
    if (result == MPJ_E_OK)
        result = html_adc(r->file, f, err);
    fputs("}", f);
    mpj_energy_free(e);
    return result;
}

static int put_recording(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    return page_write(f, recording_data, r, r->file, err);
}

/* Writes call paths of both runs, as lines of text. */
static int put_folded(const struct mpj_diff_report *r, FILE *f, struct mpj_err *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const memory = open_memstream(&text, &size);
    int result;

    if (memory == NULL)
        return mpj_err_nomem(err);
    result = diff_folded(r, memory, err);
    if (fclose(memory) != 0 && result == MPJ_E_OK)
        result = mpj_err_nomem(err);
    if (result == MPJ_E_OK && size <= FOLDED_MAX) {
        fputs(",\"folded\":", f);
        profile_json_text(f, text);
    }
    free(text);
    return result;
}

static int diff_data(const void *what, FILE *f, struct mpj_err *err)
{
    const struct mpj_diff_report *const r = what;
    int result;

    put_head("diff", f);
    fputs(",\"files\":[", f);
    profile_json_text(f, r->file[0]);
    fputc(',', f);
    profile_json_text(f, r->file[1]);
    fputs("],\"report\":", f);
    result = diff_json(r, f, err);
    if (result == MPJ_E_OK && r->diff->source >= 0)
        result = put_folded(r, f, err);
    fputs("}", f);
    return result;
}

int diff_html(const struct mpj_diff_report *r, FILE *f, struct mpj_err *err)
{
    return page_write(f, diff_data, r, NULL, err);
}

static mpj_report_put *html_of(const struct mpj_view *view)
{
    if (view->needs == MPJ_NEEDS_FILE)
        return put_recording;
    return view->needs == MPJ_NEEDS_RUN || profile_exports(view) ? put_run : NULL;
}

const struct mpj_exporter exporter_html = {"html", "html", html_of, false, true};
