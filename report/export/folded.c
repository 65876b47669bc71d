/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded stacks, as flame graph tools read them: a line per call path and its own cost. The
 * outermost frame names unit and origin. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/profile_out.h"
#include "report_int.h"
#include "view/profile_text.h"

/* Writes a frame's name: separators of frames are replaced by another character. */
static void put_name(FILE *f, const char *name)
{
    for (; *name != '\0'; name++)
        fputc(*name == ';' ? ':' : *name, f);
}

/* Writes the path from the outermost frame to the node; path has space for the deepest. */
static void put_path(const struct mpj_report *r, uint32_t node, uint32_t *path, FILE *f)
{
    const struct mpj_profile *const p = r->run->profile;
    uint32_t n = 0;
    char text[120];

    for (uint32_t at = node; at != MPJ_PROF_NO_PARENT; at = p->node[at].parent)
        path[n++] = at;
    profile_thread(r->run, p->node[path[n - 1]].thread, p->node[path[n - 1]].core, text,
                   sizeof(text));
    fputc(';', f);
    put_name(f, text);
    while (n-- > 0) {
        fputc(';', f);
        put_name(f, p->func[p->node[path[n]].func].label);
    }
}

static int put_folded(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    const struct mpj_profile *const p = r->run->profile;
    struct mpj_prof_sort by;
    struct whole whole;
    char label[400];
    uint32_t *path;
    uint32_t deepest = 0;
    uint64_t v;

    if (profile_out_check(r, true, err) != MPJ_E_OK ||
        mpj_profile_sort(p, r->sort, &by, err) != MPJ_E_OK)
        return err->code;
    if (by.item < 0)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "calls have no cost: --sort takes energy, time or an "
                           "event");
    for (uint32_t i = 0; i < p->nodes; i++)
        deepest = p->node[i].depth > deepest ? p->node[i].depth : deepest;
    path = malloc(((size_t)deepest + 1) * sizeof(*path));
    if (path == NULL)
        return mpj_err_nomem(err);
    profile_label(r->run, label, sizeof(label));
    whole = profile_whole(p, by.item);
    for (uint32_t i = 0; i <= p->nodes; i++) {
        const bool chip = i == p->nodes;
        v = whole_take(&whole,
                       chip ? p->chip[by.item] : p->self[(size_t)i * p->items + (size_t)by.item]);
        if (v == 0)
            continue;
        fprintf(f, "%s (%s): ", p->item[by.item].name, profile_unit(p, by.item));
        put_name(f, label);
        if (chip)
            fputs(";" MPJ_PROF_CHIP, f);
        else
            put_path(r, i, path, f);
        fprintf(f, " %" PRIu64 "\n", v);
    }
    free(path);
    return MPJ_E_OK;
}

static mpj_report_put *folded_of(const struct mpj_view *view)
{
    return profile_exports(view) ? put_folded : NULL;
}

const struct mpj_exporter exporter_folded = {"folded", "folded", folded_of, false, false};
