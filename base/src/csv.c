/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/csv.h"

#include <string.h>

void mpj_csv_quoted(FILE *f, const char *text)
{
    fputc('"', f);
    for (; text != NULL && *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', f);
        fputc(*text, f);
    }
    fputc('"', f);
}

void mpj_csv_text(FILE *f, const char *text)
{
    if (text == NULL)
        return;
    if (strpbrk(text, ",\"\r\n") == NULL)
        fputs(text, f);
    else
        mpj_csv_quoted(f, text);
}
