/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/given.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

/* ---- escapes ------------------------------------------------------------------------------ */

/* Returns the length of the character of UTF-8 at s; 0: it is none. */
static size_t character(const char *s)
{
    json_t *v;

    for (size_t n = 1; n <= 4 && s[n - 1] != '\0'; n++) {
        v = json_stringn(s, n); /* checks that it is UTF-8 */
        json_decref(v);
        if (v != NULL)
            return n;
    }
    return 0;
}

char *mpj_given_escape(const char *text)
{
    char *out = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&out, &size);

    if (f == NULL)
        return NULL;
    while (*text != '\0') {
        const unsigned char c = (unsigned char)*text;
        const size_t n = character(text);
        if (c == '\n' || c == '\t')
            fputs(c == '\n' ? "\\n" : "\\t", f);
        else if (n == 0 || c < ' ' || c == 0x7f || c == '\\' || c == MPJ_GIVEN_MORE)
            fprintf(f, "\\x%02x", c);
        else
            fwrite(text, 1, n, f);
        text += n > 0 ? n : 1;
    }
    return fclose(f) == 0 ? out : NULL;
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void mpj_given_unescape(char *text)
{
    char *to = text;

    while (*text != '\0') {
        if (text[0] == '\\' && (text[1] == 'n' || text[1] == 't')) {
            *to++ = text[1] == 'n' ? '\n' : '\t';
            text += 2;
        } else if (text[0] == '\\' && text[1] == 'x' && digit(text[2]) >= 0 &&
                   digit(text[3]) >= 0 && (digit(text[2]) > 0 || digit(text[3]) > 0)) {
            *to++ = (char)(digit(text[2]) * 16 + digit(text[3]));
            text += 4;
        } else {
            *to++ = *text++;
        }
    }
    *to = '\0';
}

/* ---- labels ------------------------------------------------------------------------------- */

/* Sets a text, or appends to it a piece that continues it. */
static int take(char **text, const char *piece, bool more, struct mpj_err *err)
{
    const size_t have = more && *text != NULL ? strlen(*text) : 0;
    char *const longer = realloc(*text, have + strlen(piece) + 1);

    if (longer == NULL)
        return mpj_err_nomem(err);
    memcpy(longer + have, piece, strlen(piece) + 1);
    *text = longer;
    return MPJ_E_OK;
}

static int take_argument(struct mpj_given *g, const char *number, const char *value, bool more,
                         struct mpj_err *err)
{
    const unsigned long n = strtoul(number, NULL, 10);

    if (n == 0 || n > MPJ_GIVEN_ARGUMENTS)
        return MPJ_E_OK;
    if (n > g->arguments) {
        char **const longer = realloc(g->argument, n * sizeof(*longer));
        if (longer == NULL)
            return mpj_err_nomem(err);
        g->argument = longer;
        while (g->arguments < n)
            longer[g->arguments++] = NULL;
    }
    return take(&g->argument[n - 1], value, more, err);
}

static int take_item(struct mpj_given_item **list, unsigned *n, const char *name, size_t length,
                     const char *value, bool more, struct mpj_err *err)
{
    struct mpj_given_item *longer;

    if (more) /* the keys are in order: it is the last one's */
        return *n > 0 ? take(&(*list)[*n - 1].value, value, true, err) : MPJ_E_OK;
    longer = realloc(*list, (*n + 1U) * sizeof(*longer));
    if (longer == NULL)
        return mpj_err_nomem(err);
    *list = longer;
    longer[*n] = (struct mpj_given_item){strndup(name, length), strdup(value)};
    if (longer[(*n)++].name == NULL || longer[*n - 1U].value == NULL)
        return mpj_err_nomem(err);
    return MPJ_E_OK;
}

/* Returns the rest of a key after a prefix; NULL: another key. */
static const char *after(const char *key, const char *prefix)
{
    const size_t n = strlen(prefix);

    return strncmp(key, prefix, n) == 0 ? key + n : NULL;
}

int mpj_given_label(struct mpj_given *g, const char *key, const char *value, struct mpj_err *err)
{
    const size_t length = strcspn(key, (char[]){MPJ_GIVEN_MORE, '\0'});
    const bool more = key[length] != '\0';
    const char *name;

    if (strncmp(key, MPJ_GIVEN_PATH, length) == 0 && length == strlen(MPJ_GIVEN_PATH)) {
        g->known = true;
        return take(&g->path, value, more, err);
    }
    if ((name = after(key, MPJ_GIVEN_ARGUMENT)) != NULL)
        return take_argument(g, name, value, more, err);
    if ((name = after(key, MPJ_GIVEN_ENVIRONMENT)) != NULL)
        return take_item(&g->environment, &g->environments, name, length - (size_t)(name - key),
                         value, more, err);
    if ((name = after(key, MPJ_GIVEN_OPTION)) != NULL)
        return take_item(&g->option, &g->options, name, length - (size_t)(name - key), value, more,
                         err);
    if (strcmp(key, MPJ_GIVEN_STDIN_SHA256) == 0)
        return take(&g->stdin_sha256, value, false, err);
    if (strcmp(key, MPJ_GIVEN_TERMINAL) == 0)
        return take(&g->terminal, value, false, err);
    if (strcmp(key, MPJ_GIVEN_STDIN_BYTES) == 0)
        g->stdin_bytes = strtoull(value, NULL, 10);
    return MPJ_E_OK;
}

static void unescape_items(struct mpj_given_item *item, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        mpj_given_unescape(item[i].name);
        mpj_given_unescape(item[i].value);
    }
}

void mpj_given_end(struct mpj_given *g)
{
    if (g->path != NULL)
        mpj_given_unescape(g->path);
    for (unsigned i = 0; i < g->arguments; i++) {
        if (g->argument[i] != NULL)
            mpj_given_unescape(g->argument[i]);
    }
    unescape_items(g->environment, g->environments);
    unescape_items(g->option, g->options);
}

static void free_items(struct mpj_given_item *item, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        free(item[i].name);
        free(item[i].value);
    }
    free(item);
}

void mpj_given_free(struct mpj_given *g)
{
    for (unsigned i = 0; i < g->arguments; i++)
        free(g->argument[i]);
    free(g->argument);
    free(g->path);
    free(g->stdin_sha256);
    free(g->terminal);
    free_items(g->environment, g->environments);
    free_items(g->option, g->options);
    *g = (struct mpj_given){0};
}

/* ---- texts -------------------------------------------------------------------------------- */

/* True if a terminal shows the text unchanged. */
static bool can_be_shown(const char *text)
{
    char *const copy = strdup(text);
    bool same;

    if (copy == NULL)
        return false;
    mpj_text_clean(copy);
    same = strcmp(copy, text) == 0;
    free(copy);
    return same;
}

void mpj_given_word(const char *word, FILE *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./,:@%+=-";

    if (word[0] != '\0' && strspn(word, plain) == strlen(word)) {
        fputs(word, out);
        return;
    }
    if (!can_be_shown(word)) {
        fputs("$'", out);
        for (; *word != '\0'; word++) {
            const unsigned char c = (unsigned char)*word;
            fprintf(out, c < ' ' || c >= 0x7f || c == '\'' || c == '\\' ? "\\%03o" : "%c", c);
        }
        fputc('\'', out);
        return;
    }
    fputc('\'', out);
    for (; *word != '\0'; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, out);
    fputc('\'', out);
}

static void put_arguments(const struct mpj_given *g, FILE *f)
{
    for (unsigned i = 0; i < g->arguments; i++) {
        fputs(i > 0 ? " " : "", f);
        mpj_given_word(g->argument[i] != NULL ? g->argument[i] : "", f);
    }
}

static void put_environment(const struct mpj_given *g, FILE *f)
{
    for (unsigned i = 0; i < g->environments; i++) {
        fprintf(f, "%s%s=", i > 0 ? " " : "", g->environment[i].name);
        mpj_given_word(g->environment[i].value, f);
    }
}

static void put_stdin(const struct mpj_given *g, FILE *f)
{
    if (g->stdin_sha256 != NULL)
        fprintf(f, "%" PRIu64 " bytes, sha256 %.12s", g->stdin_bytes, g->stdin_sha256);
    else
        fputs("empty", f);
}

static char *text_of(const struct mpj_given *g,
                     void (*put)(const struct mpj_given *given, FILE *out))
{
    char *out = NULL;
    size_t size = 0;
    FILE *const f = g->known ? open_memstream(&out, &size) : NULL;

    if (f == NULL)
        return NULL;
    put(g, f);
    return fclose(f) == 0 ? out : NULL;
}

char *mpj_given_arguments(const struct mpj_given *g)
{
    return text_of(g, put_arguments);
}

char *mpj_given_environment(const struct mpj_given *g)
{
    return text_of(g, put_environment);
}

char *mpj_given_stdin(const struct mpj_given *g)
{
    return text_of(g, put_stdin);
}

static const struct mpj_given_item *option(const struct mpj_given *g, const char *name)
{
    for (unsigned i = 0; i < g->options; i++) {
        if (strcmp(g->option[i].name, name) == 0)
            return &g->option[i];
    }
    return NULL;
}

const char *mpj_given_option(const struct mpj_given *g, const char *name)
{
    const struct mpj_given_item *const o = option(g, name);

    return o != NULL ? o->value : NULL;
}

/* Writes an option as it is typed: -F of a name of one letter, without the number of one that is
 * given several times. */
static void put_option(const struct mpj_given_item *o, FILE *f)
{
    const size_t n = strcspn(o->name, ".");

    fprintf(f, n == 1 ? " -%.*s" : " --%.*s", (int)n, o->name);
    if (strcmp(o->value, MPJ_GIVEN_OPTION_ON) == 0)
        return;
    fputc(n == 1 ? ' ' : '=', f);
    mpj_given_word(o->value, f);
}

/* True for an option that a command with `more` cannot have, or needs no longer: functions have all
 * events, and what takes another time has no profile. */
static bool replaced(const char *name, const char *more)
{
    static const char *const profile[] = {"events", "functions", "moments", "instructions",
                                          "waveform"};
    const bool what_if = more != NULL && strncmp(more, "what-if", strlen("what-if")) == 0;

    if (more != NULL && strcmp(more, "functions") == 0)
        return strcmp(name, "events") == 0;
    for (size_t i = 0; what_if && i < sizeof(profile) / sizeof(profile[0]); i++) {
        if (strcmp(name, profile[i]) == 0)
            return true;
    }
    return false;
}

void mpj_given_command(const struct mpj_given *g, const char *program, const char *more, FILE *out)
{
    fputs("mpjoule run", out);
    if (more != NULL && option(g, more) == NULL)
        fprintf(out, " --%s", more);
    for (unsigned i = 0; i < g->options; i++) {
        if (!replaced(g->option[i].name, more))
            put_option(&g->option[i], out);
    }
    for (unsigned i = 0; i < g->environments; i++) {
        char *pair = NULL;
        if (asprintf(&pair, "%s=%s", g->environment[i].name, g->environment[i].value) < 0)
            return;
        fputs(" --env ", out);
        mpj_given_word(pair, out);
        free(pair);
    }
    fputc(' ', out);
    mpj_given_word(g->path != NULL ? g->path : program, out);
    if (g->arguments == 0)
        return;
    fputs(" -- ", out);
    put_arguments(g, out);
}
