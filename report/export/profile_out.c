/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/profile_out.h"

#include <stdlib.h>
#include <string.h>

#include "report_int.h"

bool profile_exports(const struct mpj_view *view)
{
    return strcmp(view->name, MPJ_VIEW_SUMMARY) == 0 || view->needs == MPJ_NEEDS_PROFILE ||
           view->needs == MPJ_NEEDS_MOMENTS;
}

int profile_out_check(const struct mpj_report *r, bool paths, struct mpj_err *err)
{
    const struct mpj_profile *const p = r->run->profile;
    uint64_t frames = 0;

    if (p == NULL)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "the run has no profile of functions: record one with `mpjoule run "
                           "--functions`");
    for (uint32_t i = 0; i < p->nodes; i++)
        frames += p->node[i].depth + 1U;
    if (paths && frames > PROFILE_OUT_FRAMES)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "the call paths written out have %llu functions; this format is made "
                           "for %u (shorten them with --depth, or use callgrind or firefox)",
                           (unsigned long long)frames, PROFILE_OUT_FRAMES);
    return MPJ_E_OK;
}

static const char *or_unknown(const char *text)
{
    return text != NULL ? text : "unknown";
}

void profile_label(const struct mpj_run *run, char *text, size_t size)
{
    const bool modelled = run->target != NULL && strcmp(run->target, "sim") == 0;

    static const char *const how[MPJ_PROF_SOURCES] = {"", " (measured on the target, no truth)",
                                                      " (estimated on the target, no truth)"};

    snprintf(text, size, "%s, sha256 %.16s, calibration %s, quantum %s, %s%s%s%s%s",
             or_unknown(run->program), or_unknown(run->firmware_sha256),
             or_unknown(run->calibration), or_unknown(run->quantum),
             modelled ? "modelled" : "measured", run->profile != NULL ? ", profile by " : "",
             run->profile != NULL ? mpj_profile_source_name(run->profile->source) : "",
             run->profile != NULL ? how[run->profile->source] : "",
             run->profile != NULL ? mpj_profile_note(run->profile) : "");
}

void profile_creator(const struct mpj_run *run, char *text, size_t size)
{
    snprintf(text, size, "mpjoule%s%s", run->version != NULL ? " " : "",
             run->version != NULL ? run->version : "");
}

bool profile_in_lane(const struct mpj_prof_node *n, const struct lane *l)
{
    return n->thread == l->thread && (n->thread >= 0 || n->core == l->core);
}

uint64_t profile_ns(const struct mpj_profile *p, int64_t from, int64_t cycles)
{
    const double ns = p->clock_hz > 0 ? 1e9 / p->clock_hz : 1.0;
    const double at = ((double)from + (double)cycles) * ns;

    return at >= 0x1p64 ? UINT64_MAX : at > 0 ? (uint64_t)at : 0;
}

int profile_lanes(const struct mpj_profile *p, struct lane **out, unsigned *n, struct mpj_err *err)
{
    unsigned roots = 0;

    for (uint32_t i = 0; i < p->nodes; i = p->node[i].end)
        roots++;
    *n = 0;
    *out = malloc((roots + 1) * sizeof(**out));
    if (*out == NULL)
        return mpj_err_nomem(err);
    for (uint32_t i = 0; i < p->nodes; i = p->node[i].end) {
        const struct lane l = {p->node[i].thread, p->node[i].thread >= 0 ? -1 : p->node[i].core};
        unsigned k = 0;
        while (k < *n && ((*out)[k].thread != l.thread || (*out)[k].core != l.core))
            k++;
        if (k == *n)
            (*out)[(*n)++] = l;
    }
    return MPJ_E_OK;
}

const char *profile_unit(const struct mpj_profile *p, int item)
{
    return strcmp(p->item[item].unit, "fJ") == 0 ? "nJ" : p->item[item].unit;
}

struct whole profile_whole(const struct mpj_profile *p, int item)
{
    return (struct whole){.per = strcmp(p->item[item].unit, "fJ") == 0 ? 1000000 : 1};
}

uint64_t whole_take(struct whole *w, int64_t v)
{
    const int64_t all = v + w->rest;
    const int64_t whole = all > 0 ? all / w->per : 0;

    w->rest = all - whole * w->per;
    return (uint64_t)whole;
}

void profile_json_text(FILE *f, const char *text)
{
    json_t *const s = json_string(text);

    if (s == NULL || json_dumpf(s, f, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) != 0)
        fputs("\"\"", f);
    json_decref(s);
}
