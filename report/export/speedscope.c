/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * speedscope's file format (https://www.speedscope.app/file-format-schema.json): per metric all
 * threads together, then each thread. "evented" profiles: their size is linear in the call tree,
 * however deep it is. The format does not have joules, so the unit is in a profile's name.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/profile_out.h"
#include "report_int.h"
#include "view/profile_text.h"

#define METRICS_MAX 3

struct writing {
    const struct mpj_run *run;
    const struct mpj_profile *p;
    const struct lane *lane;
    unsigned lanes;
    uint32_t *open; /* nodes that are open, by depth */
    int item;
    struct whole w;
    uint64_t at;
    bool comma;
    FILE *f;
};

/* Writes frames: functions, then lanes, then the chip. */
static void put_frames(const struct writing *c)
{
    char text[120];

    for (unsigned i = 0; i < c->p->funcs; i++) {
        const struct mpj_prof_func *const func = &c->p->func[i];
        fputs(i > 0 ? ",\n{\"name\":" : "\n{\"name\":", c->f);
        profile_json_text(c->f, func->name);
        if (func->file != NULL) {
            fputs(",\"file\":", c->f);
            profile_json_text(c->f, func->file);
        }
        if (func->line > 0)
            fprintf(c->f, ",\"line\":%d", func->line);
        fputc('}', c->f);
    }
    for (unsigned i = 0; i < c->lanes; i++) {
        profile_thread(c->run, c->lane[i].thread, c->lane[i].core, text, sizeof(text));
        fputs(",\n{\"name\":", c->f);
        profile_json_text(c->f, text);
        fputc('}', c->f);
    }
    fputs(",\n{\"name\":\"" MPJ_PROF_CHIP "\"}", c->f);
}

static void event(struct writing *c, char type, unsigned frame)
{
    fprintf(c->f, "%s{\"type\":\"%c\",\"frame\":%u,\"at\":%" PRIu64 "}", c->comma ? ",\n" : "\n",
            type, frame, c->at);
    c->comma = true;
}

static void put_lane(struct writing *c, const struct lane *l)
{
    const struct mpj_profile *const p = c->p;
    uint32_t open = 0;

    for (uint32_t i = 0; i < p->nodes; i++) {
        if (!profile_in_lane(&p->node[i], l))
            continue;
        while (open > p->node[i].depth)
            event(c, 'C', p->node[c->open[--open]].func);
        c->open[open++] = i;
        event(c, 'O', p->node[i].func);
        c->at += whole_take(&c->w, p->self[(size_t)i * p->items + (size_t)c->item]);
    }
    while (open > 0)
        event(c, 'C', p->node[c->open[--open]].func);
}

static int64_t lane_sum(const struct writing *c, const struct lane *l)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < c->p->nodes; i = c->p->node[i].end) {
        if (profile_in_lane(&c->p->node[i], l))
            sum += c->p->total[(size_t)i * c->p->items + (size_t)c->item];
    }
    return sum / c->w.per;
}

static void begin(struct writing *c, const char *who, int64_t end, bool first)
{
    char text[200];

    snprintf(text, sizeof(text), "%.100s: %.40s (%s)", who,
             c->item == c->p->energy   ? "energy"
             : c->item == c->p->cycles ? "time"
                                       : c->p->item[c->item].name,
             profile_unit(c->p, c->item));
    fprintf(c->f, "%s{\"type\":\"evented\",\"name\":", first ? "\n" : ",\n");
    profile_json_text(c->f, text);
    fprintf(c->f, ",\"unit\":\"none\",\"startValue\":0,\"endValue\":%" PRId64 ",\"events\":[", end);
    c->at = 0;
    c->w = profile_whole(c->p, c->item);
    c->comma = false;
}

static void put_metric(struct writing *c, bool first)
{
    const struct mpj_profile *const p = c->p;
    char text[120];

    c->w = profile_whole(p, c->item);
    begin(c, "all", (p->sum[c->item] + p->chip[c->item]) / c->w.per, first);
    for (unsigned i = 0; i < c->lanes; i++) {
        event(c, 'O', p->funcs + i);
        put_lane(c, &c->lane[i]);
        event(c, 'C', p->funcs + i);
    }
    event(c, 'O', p->funcs + c->lanes);
    c->at += whole_take(&c->w, p->chip[c->item]);
    event(c, 'C', p->funcs + c->lanes);
    fputs("]}", c->f);
    for (unsigned i = 0; i < c->lanes; i++) {
        profile_thread(c->run, c->lane[i].thread, c->lane[i].core, text, sizeof(text));
        begin(c, text, lane_sum(c, &c->lane[i]), false);
        put_lane(c, &c->lane[i]);
        fputs("]}", c->f);
    }
}

static int put_all(struct writing *c, const struct mpj_report *r, struct mpj_err *err)
{
    const struct mpj_profile *const p = c->p;
    struct mpj_prof_sort by;
    int item[METRICS_MAX] = {p->energy, p->cycles >= 0 ? p->cycles : p->samples, MPJ_PROF_NONE};
    char text[400];
    bool first = true;

    if (mpj_profile_sort(p, r->sort, &by, err) != MPJ_E_OK)
        return err->code;
    if (by.item != item[0] && by.item != item[1])
        item[2] = by.item;
    fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"exporter\":",
          c->f);
    profile_creator(c->run, text, sizeof(text));
    profile_json_text(c->f, text);
    fputs(",\n\"name\":", c->f);
    profile_label(c->run, text, sizeof(text));
    profile_json_text(c->f, text);
    fputs(",\n\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[", c->f);
    put_frames(c);
    fputs("]},\n\"profiles\":[", c->f);
    for (unsigned i = 0; i < METRICS_MAX; i++) {
        c->item = item[i];
        if (c->item < 0)
            continue;
        put_metric(c, first);
        first = false;
    }
    fputs("]}\n", c->f);
    return MPJ_E_OK;
}

static int put_speedscope(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    const struct mpj_profile *const p = r->run->profile;
    struct writing c = {.run = r->run, .p = p, .f = f};
    struct lane *lane = NULL;
    uint32_t deepest = 0;
    int result = profile_out_check(r, false, err);

    if (result == MPJ_E_OK)
        result = profile_lanes(p, &lane, &c.lanes, err);
    if (result != MPJ_E_OK)
        return result;
    for (uint32_t i = 0; i < p->nodes; i++)
        deepest = p->node[i].depth > deepest ? p->node[i].depth : deepest;
    c.lane = lane;
    c.open = malloc(((size_t)deepest + 1) * sizeof(*c.open));
    result = c.open != NULL ? put_all(&c, r, err) : mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    free(c.open);
    free(lane);
    return result;
}

static mpj_report_put *speedscope_of(const struct mpj_view *view)
{
    return profile_exports(view) ? put_speedscope : NULL;
}

const struct mpj_exporter exporter_speedscope = {"speedscope", "json", speedscope_of, false};
