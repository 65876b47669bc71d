/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/settings.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/store.h"

#define TIME_MS    true
#define TIME_COUNT false
#define ROW(kind, option, field, since, name, least, most, help, object, key)                      \
    {since, #field, offsetof(struct mpj_run, field), object, key, TIME_##kind},
#define CHECK(kind, option, field, since, ...)                                                     \
    _Static_assert((since) <= MPJ_STORE_VERSION, #field ": since a later version of the store");

MPJ_SETTINGS_ALL(CHECK)

const struct setting settings[] = {MPJ_SETTINGS_ALL(ROW)};
const unsigned setting_count = sizeof(settings) / sizeof(settings[0]);

char *setting_columns(const char *after, unsigned version)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&text, &size);
    bool failed;

    if (f == NULL)
        return NULL;
    for (unsigned i = 0; i < setting_count; i++) {
        fputs(i > 0 ? ", " : "", f);
        if (settings[i].since <= version)
            fprintf(f, "%s%s", settings[i].column, after);
        else
            fputc('0', f);
    }
    failed = ferror(f) != 0;
    if (fclose(f) == 0 && !failed)
        return text;
    free(text);
    return NULL;
}

uint32_t *setting_in(struct mpj_run *run, const struct setting *s)
{
    return (uint32_t *)(void *)((char *)run + s->result);
}

uint32_t setting_get(const struct mpj_run *run, const struct setting *s)
{
    return *(const uint32_t *)(const void *)((const char *)run + s->result);
}
