/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/thread_fields.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/store.h"

#define IN_RECORD(name)         offsetof(struct mpj_thread_rec, name)
#define IN_RESULT(name)         offsetof(struct mpj_thread_result, name)

#define ROW_ID(name, since)     {THREAD_ID, since, #name, NULL, IN_RECORD(name), 0},
#define ROW_MOMENT(name, since) {THREAD_MOMENT, since, #name, NULL, IN_RECORD(name), 0},
#define ROW_TICKS(name, since)                                                                     \
    {THREAD_TICKS, since, #name, #name "_s", IN_RECORD(name), IN_RESULT(name##_s)},
#define ROW_COUNT(name, since)                                                                     \
    {THREAD_COUNT, since, #name, #name, IN_RECORD(name), IN_RESULT(name)},
#define ROW_DERIVED(name, since) {THREAD_DERIVED, since, NULL, #name "_s", 0, IN_RESULT(name##_s)},
#define ROW(kind, name, since)   ROW_##kind(name, since)

const struct thread_field thread_fields[] = {MPJ_THREAD_FIELDS(ROW) MPJ_THREAD_LATER(ROW)};
const unsigned thread_field_count = sizeof(thread_fields) / sizeof(thread_fields[0]);

char *thread_field_list(const char *before, const char *after, unsigned version)
{
    const char *comma = "";
    char *text = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&text, &size);
    bool failed;

    if (f == NULL)
        return NULL;
    for (unsigned i = 0; i < thread_field_count; i++) {
        if (thread_fields[i].name == NULL)
            continue;
        if (thread_fields[i].since <= version)
            fprintf(f, "%s%s%s%s", comma, before, thread_fields[i].name, after);
        else
            fprintf(f, "%s0", comma);
        comma = ", ";
    }
    failed = ferror(f) != 0;
    if (fclose(f) == 0 && !failed)
        return text;
    free(text);
    return NULL;
}

bool thread_field_known(const struct thread_field *f, const struct mpj_run *run)
{
    if (f->since >= MPJ_STORE_CHAIN) /* number of threads, if a record has several */
        return run->threads_folded > 0;
    return f->since < MPJ_STORE_MEMORY || run->have_memory;
}

uint64_t thread_field_get(const struct thread_field *f, const struct mpj_thread_rec *t)
{
    const char *const at = (const char *)t + f->record;

    return f->kind == THREAD_ID ? *(const uint32_t *)(const void *)at
                                : *(const uint64_t *)(const void *)at;
}

bool thread_field_is_duration(const struct thread_field *f)
{
    return f->kind == THREAD_TICKS || f->kind == THREAD_DERIVED;
}

double thread_field_seconds(const struct thread_field *f, const struct mpj_thread_result *t)
{
    return *(const double *)(const void *)((const char *)t + f->result);
}

uint64_t thread_field_number(const struct thread_field *f, const struct mpj_thread_result *t)
{
    return *(const uint64_t *)(const void *)((const char *)t + f->result);
}

void thread_field_set(const struct thread_field *f, struct mpj_thread_result *t, uint64_t v,
                      double second)
{
    char *const at = (char *)t + f->result;

    if (f->kind == THREAD_TICKS)
        *(double *)(void *)at = (double)(int64_t)v / second;
    else if (f->kind == THREAD_COUNT)
        *(uint64_t *)(void *)at = v;
}
