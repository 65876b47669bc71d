/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Marks of the first pass. */
#include <math.h>
#include <stdlib.h>

#include "report/store.h"
#include "report_int.h"

/* Takes time since the run's begin, core, thread, name, value. */
static int on_mark(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    struct mpj_run *const run = l->run;
    struct mpj_run_mark *m = run->mark;

    if ((run->marks & (run->marks - 1U)) == 0) /* the capacity is the least power of two */
        m = realloc(m, (run->marks > 0 ? 2U * run->marks : 1U) * sizeof(*m));
    if (m == NULL)
        return mpj_err_nomem(l->err);
    run->mark = m;
    m[run->marks] = (struct mpj_run_mark){
        .name = mpj_sql_text(s, 3),
        .time_s = sqlite3_column_type(s, 0) != SQLITE_NULL && run->time_hz > 0
                      ? (double)sqlite3_column_int64(s, 0) / run->time_hz
                      : NAN,
        .core = (unsigned)sqlite3_column_int(s, 1),
        .thread = sqlite3_column_int64(s, 2),
        .value = sqlite3_column_int64(s, 4),
    };
    return m[run->marks++].name != NULL ? MPJ_E_OK : mpj_err_nomem(l->err);
}

int run_load_marks(struct loader *l)
{
    static const struct mpj_sql_step step = {
        "SELECT m.time - p.time_begin, m.core, m.thread, m.name, m.value FROM mark m "
        "JOIN pass p ON p.id = m.pass WHERE m.pass = 0 ORDER BY m.seq",
        on_mark};

    return mpj_sql_steps(l->db, l->path, &step, 1, l, l->err);
}

void run_free_marks(struct mpj_run *run)
{
    for (unsigned i = 0; i < run->marks; i++)
        free(run->mark[i].name);
    free(run->mark);
}
