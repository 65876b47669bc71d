/* SPDX-License-Identifier: GPL-2.0-or-later */
/* View "memory": peak use of the heap and of each thread's stack. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/csv.h"
#include "report_int.h"

#define ROWS 16U /* threads with a line of their own */
#define NAME 24

/* Compares threads: the deepest stack first. */
static int deepest(const void *a, const void *b)
{
    const struct mpj_thread_result *const x = *(const struct mpj_thread_result *const *)a;
    const struct mpj_thread_result *const y = *(const struct mpj_thread_result *const *)b;

    if (x->stack_used_bytes != y->stack_used_bytes)
        return x->stack_used_bytes < y->stack_used_bytes ? 1 : -1;
    return (x > y) - (x < y);
}

static void heap_line(const struct mpj_run *run, FILE *f)
{
    char peak[TEXT_DIGITS];
    char end[TEXT_DIGITS];
    char room[TEXT_DIGITS];

    text_digits(peak, run->heap_peak / 1024U);
    text_digits(end, run->heap_end / 1024U);
    text_digits(room, run->heap_room / 1024U);
    fprintf(f, "  heap: at most %s KB, %s KB at the end; there was room for %s KB\n", peak, end,
            room);
}

static void stack_line(const struct mpj_thread_result *t, FILE *f)
{
    char text[NAME + 12];
    char used[TEXT_DIGITS];
    char bytes[TEXT_DIGITS];

    snprintf(text, sizeof(text), "%" PRIu32 " %s", t->id, t->name);
    text_digits(used, t->stack_used_bytes);
    text_digits(bytes, t->stack_bytes);
    fprintf(f, "  %-*.*s%13s of %13s bytes%9.1f %%\n", NAME, NAME, text, used, bytes,
            100.0 * (double)t->stack_used_bytes / (double)t->stack_bytes);
}

/* Returns threads whose stacks are known, sorted; *n of them. To be freed; NULL: no such thread, or
 * out of memory. */
static const struct mpj_thread_result **known(const struct mpj_run *run, unsigned *n)
{
    const struct mpj_thread_result **const list =
        calloc(run->threads + 1U, sizeof(struct mpj_thread_result *));

    *n = 0;
    for (unsigned i = 0; list != NULL && i < run->threads; i++) {
        if (run->thread[i].stack_bytes > 0)
            list[(*n)++] = &run->thread[i];
    }
    if (list != NULL)
        qsort(list, *n, sizeof(struct mpj_thread_result *), deepest);
    return list;
}

void text_memory(const struct mpj_run *run, unsigned rows, FILE *f)
{
    unsigned n;
    const struct mpj_thread_result **const list = known(run, &n);

    if (run->have_memory || n > 0)
        fputs("\nMemory\n", f);
    if (run->have_memory)
        heap_line(run, f);
    if (n > 0)
        fputs("  peak stack use (resolution 256 B below 2 KB, then 1 KB or 1/8)\n", f);
    for (unsigned i = 0; i < n && i < rows; i++)
        stack_line(list[i], f);
    if (n > rows)
        fprintf(f, "  showing the deepest %u of %u; all: --format csv\n", rows, n);
    free(list);
}

static int put_memory(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    (void)err;
    text_head(r->run, out);
    if (!r->run->have_memory)
        fputs("\nThe run was recorded without its memory: run the program again with this "
              "version.\n",
              out);
    text_memory(r->run, ROWS, out);
    return MPJ_E_OK;
}

static int csv_memory(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    (void)err;
    fputs("what,thread,name,used_bytes,bytes\n", f);
    if (r->run->have_memory)
        fprintf(f, "heap,,,%" PRIu64 ",%" PRIu64 "\n", r->run->heap_peak, r->run->heap_room);
    for (unsigned i = 0; i < r->run->threads; i++) {
        const struct mpj_thread_result *const t = &r->run->thread[i];
        if (t->stack_bytes == 0)
            continue;
        fprintf(f, "stack,%" PRIu32 ",", t->id);
        mpj_csv_quoted(f, t->name);
        fprintf(f, ",%" PRIu64 ",%" PRIu64 "\n", t->stack_used_bytes, t->stack_bytes);
    }
    return MPJ_E_OK;
}

const struct mpj_view view_memory = {"memory", MPJ_NEEDS_RUN, put_memory, csv_memory, NULL};
