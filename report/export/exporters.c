/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of formats: each row is `const struct mpj_exporter exporter_NAME` of a file in this
 * folder. */
#include <string.h>

#include "report_int.h"

/* Exporters in the order of listings. */
#define EXPORTERS(X)                                                                               \
    X(text)                                                                                        \
    X(json)                                                                                        \
    X(csv)                                                                                         \
    X(xml)                                                                                         \
    X(html)                                                                                        \
    X(callgrind)                                                                                   \
    X(firefox)                                                                                     \
    X(perfetto)                                                                                    \
    X(pprof)                                                                                       \
    X(folded)

#define DECLARE(name) extern const struct mpj_exporter exporter_##name;
EXPORTERS(DECLARE)
#define ROW(name) &exporter_##name,
static const struct mpj_exporter *const exporters[] = {EXPORTERS(ROW)};
#define EXPORTER_COUNT (sizeof(exporters) / sizeof(exporters[0]))

void report_add_name(char out[MPJ_VIEW_NAMES_MAX], const char *name, const char *mark)
{
    const size_t n = strlen(out);

    snprintf(out + n, MPJ_VIEW_NAMES_MAX - n, "%s%s%s", n > 0 ? ", " : "", name, n > 0 ? "" : mark);
}

void mpj_exporter_names(char out[MPJ_VIEW_NAMES_MAX], const char *mark)
{
    out[0] = '\0';
    for (size_t i = 0; i < EXPORTER_COUNT; i++)
        report_add_name(out, exporters[i]->name, mark);
}

const struct mpj_exporter *mpj_exporter_find(const char *name, struct mpj_err *err)
{
    char names[MPJ_VIEW_NAMES_MAX];

    for (size_t i = 0; i < EXPORTER_COUNT; i++) {
        if (strcmp(exporters[i]->name, name) == 0)
            return exporters[i];
    }
    mpj_exporter_names(names, "");
    mpj_err_set(err, MPJ_E_USAGE, "no format is called \"%s\" (%s)", name, names);
    return NULL;
}

/* Sets the error for a view that is not available in a format, listing its formats. */
static int not_in(const struct mpj_view *view, const char *format, struct mpj_err *err)
{
    char names[MPJ_VIEW_NAMES_MAX] = "";

    for (size_t i = 0; i < EXPORTER_COUNT; i++) {
        if (exporters[i]->put_of(view) != NULL)
            report_add_name(names, exporters[i]->name, "");
    }
    return mpj_err_set(err, MPJ_E_USAGE, "the view %s does not come as %s (%s)", view->name, format,
                       names);
}

int mpj_report_show(const struct mpj_report *r, const struct mpj_exporter *as, FILE *out,
                    struct mpj_err *err)
{
    mpj_report_put *const put = as->put_of(r->view);
    int result;

    if (put == NULL)
        return not_in(r->view, as->name, err);
    if (r->view->needs == MPJ_NEEDS_GROUPS && r->groups == 0)
        return mpj_err_set(err, MPJ_E_USAGE, "the view %s needs a counter group", r->view->name);
    if (r->view->needs == MPJ_NEEDS_PROFILE && r->run->profile == NULL)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "the run has no profile of functions: record one with `mpjoule run "
                           "--functions`");
    result = put(r, out, err);
    if (result == MPJ_E_OK && (fflush(out) != 0 || ferror(out)))
        return mpj_err_errno(err, "cannot write the report");
    return result;
}

int mpj_report_run(const struct mpj_run *run, const char *view, const char *format, FILE *out,
                   struct mpj_err *err)
{
    const struct mpj_report r = {.view = mpj_view_find(view, err), .run = run, .top = -1};
    const struct mpj_exporter *const as = r.view != NULL ? mpj_exporter_find(format, err) : NULL;

    return as != NULL ? mpj_report_show(&r, as, out, err) : err->code;
}

int mpj_report_text(const struct mpj_run *run, const char *view, FILE *out, struct mpj_err *err)
{
    return mpj_report_run(run, view, MPJ_FORMAT_TEXT, out, err);
}

static mpj_report_put *text_of(const struct mpj_view *view)
{
    return view->text;
}

const struct mpj_exporter exporter_text = {MPJ_FORMAT_TEXT, "txt", text_of, false, false};
