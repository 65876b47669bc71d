/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as the source of functions: a hash of each that begins on a line, which depends neither
 * on the lines around it nor on its place. */
#include "fuzz.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/blame_source.h"

#define LINES 2000U
#define BLANK 3U /* lines in front of the text that is compared */
#define TRIED 8U /* functions of a text */

/* Lines of a text, after blank ones and before one more. */
struct lines {
    char *bytes;
    char *line[BLANK + LINES + 1U];
    unsigned n;
};

/* Splits the text as code_source() does: lines have no control characters. */
static void split(struct lines *l, const uint8_t *data, size_t size)
{
    static char blank[] = "";
    static char after[] = "static int another(void) { return 1; }";
    bool begins = true;

    l->bytes = malloc(size + 1U);
    if (l->bytes == NULL)
        abort();
    for (l->n = 0; l->n < BLANK; l->n++)
        l->line[l->n] = blank;
    for (size_t i = 0; i < size && l->n < BLANK + LINES; i++) {
        const bool ends = data[i] == '\n';

        if (begins)
            l->line[l->n++] = l->bytes + i;
        begins = ends;
        l->bytes[i] = '\0';
        if (!ends)
            l->bytes[i] = data[i] < ' ' || data[i] == 0x7f ? ' ' : (char)data[i];
    }
    l->bytes[size] = '\0';
    l->line[l->n++] = after;
}

/* Finds the word before the first parenthesis of a line. False: there is none. */
static bool name_of(const char *line, char out[64])
{
    const char *end = strchr(line, '(');
    const char *begin;

    while (end != NULL && end > line && end[-1] == ' ')
        end--;
    begin = end;
    while (begin != NULL && begin > line && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_'))
        begin--;
    if (begin == end || end - begin > 63)
        return false;
    snprintf(out, 64, "%.*s", (int)(end - begin), begin);
    return true;
}

static bool hash(const struct code_source *s, int line, const char *name,
                 char out[BLAME_SOURCE_ROOM])
{
    uint8_t seed[BLAME_SOURCE_BYTES];

    blame_source_directives(s, seed);
    return blame_source_text(s, line, name, seed, out);
}

/* True if what comes after the text is not part of its last line. */
static bool ends(const struct lines *l)
{
    const char *const last = l->n > BLANK + 1U ? l->line[l->n - 2U] : "";

    return last[0] == '\0' || last[strlen(last) - 1U] != '\\';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lines l;
    unsigned tried = 0;

    split(&l, data, size);
    {
        const struct code_source alone = {.text = l.line + BLANK, .lines = l.n - BLANK - 1U};
        const struct code_source around = {.text = l.line, .lines = l.n - (ends(&l) ? 0U : 1U)};

        for (unsigned i = 1; i <= alone.lines && tried < TRIED; i++) {
            char name[64];
            char a[BLAME_SOURCE_ROOM];
            char b[BLAME_SOURCE_ROOM];
            bool found;

            if (!name_of(alone.text[i - 1U], name))
                continue;
            tried++;
            found = hash(&alone, (int)i, name, a);
            if (found && (strlen(a) != BLAME_SOURCE_ROOM - 1U ||
                          strspn(a, "0123456789abcdef") != BLAME_SOURCE_ROOM - 1U))
                abort();
            if (found && (!hash(&around, (int)(i + BLANK), name, b) || strcmp(a, b) != 0))
                abort();
        }
    }
    free(l.bytes);
    return 0;
}

/* ---- valid inputs ------------------------------------------------------------------------ */

static struct {
    char text[8000];
    size_t n;
} out_text;

static void put(const char *text)
{
    const size_t n = strlen(text);

    if (out_text.n + n < sizeof(out_text.text)) {
        memcpy(out_text.text + out_text.n, text, n);
        out_text.n += n;
    }
}

static void put_one(const char *const *text, size_t n, uint32_t (*rng)(void))
{
    put(text[rng() % n]);
}

#define ONE_OF(list, rng) put_one((list), sizeof(list) / sizeof((list)[0]), (rng))

/* A few functions with what their text may have in it. */
size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    static const char *const before[] = {"#define N 3\n",
                                         "# if N > 2 /* more\n than two */\n",
                                         "#define LONG(a) \\\n    f(a)\n",
                                         "/* text { ( */\n",
                                         "// line \\\n",
                                         "int table[] = {1, 2};\n",
                                         "\n"};
    static const char *const head[] = {
        "static int f(int a)\n{\n", "int f (void) {\n",    "double mean(const double *a, int n)\n{",
        "C() : a{1}, b{2} {",       "f(a, b)\nint a; {\n", "int f(void);\n"};
    static const char *const line[] = {"    a = 1'000'000 + 0x1f;\n",
                                       "    puts(\"text \\\" } /* \");\n",
                                       "    c = '}' + '\\'' - -a - --a + ++b;\n",
                                       "    if (a) { g(); } // }\n",
                                       "    /* } */ return a++ + b;\n",
                                       "    s = R\"(})\";\n",
                                       "    s = \"a \\\n b\";\n",
                                       "#if N\n    a();\n#endif\n",
                                       "    while (a) {\n"};
    static const char *const tail[] = {"}\n", "}\n", "}, c{3} {}\n", "};\n", "", "} }\n", ")\n"};

    out_text.n = 0;
    for (uint32_t i = 1 + rng() % 3U; i > 0; i--) {
        for (uint32_t k = rng() % 3U; k > 0; k--)
            ONE_OF(before, rng);
        ONE_OF(head, rng);
        for (uint32_t k = rng() % 6U; k > 0; k--)
            ONE_OF(line, rng);
        ONE_OF(tail, rng);
    }
    if (out_text.n > cap)
        return 0;
    memcpy(out, out_text.text, out_text.n);
    return out_text.n;
}
