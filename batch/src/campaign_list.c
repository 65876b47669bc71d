/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The programs of a campaign. */
#include "campaign_int.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "models/generate.h"
#include "run/inputs.h"
#include "run/kinds.h"
#include "run/paths.h"
#include "tile_limits.h"

/* Returns the kind of board that the programs are for. */
static const char *board_of(const struct run_campaign *c)
{
    return c->board != NULL ? c->board : run_target_own(&c->target);
}

static struct run_campaign_program *new_program(struct run_campaign *c)
{
    struct run_campaign_program *const all =
        realloc(c->program, (c->programs + 1U) * sizeof(*c->program));

    if (all == NULL)
        return NULL;
    c->program = all;
    memset(&all[c->programs], 0, sizeof(*all));
    return &all[c->programs++];
}

/* Appends an argument; the list stays terminated. */
static int add_argument(struct run_campaign_program *p, const char *text, struct mpj_err *err)
{
    char **const argv = realloc(p->argv, (p->argc + 2U) * sizeof(*argv));

    if (argv == NULL)
        return mpj_err_nomem(err);
    p->argv = argv;
    argv[p->argc + 1U] = NULL;
    argv[p->argc] = strdup(text);
    return argv[p->argc++] != NULL ? MPJ_E_OK : mpj_err_nomem(err);
}

/* Joins the arguments, separated by spaces. */
static int describe(struct run_campaign_program *p, struct mpj_err *err)
{
    size_t size = 1;
    size_t at = 0;

    for (unsigned i = 1; i < p->argc; i++)
        size += strlen(p->argv[i]) + 1U;
    p->description = calloc(1, size);
    if (p->description == NULL)
        return mpj_err_nomem(err);
    for (unsigned i = 1; i < p->argc; i++)
        at +=
            (size_t)snprintf(p->description + at, size - at, "%s%s", i > 1 ? " " : "", p->argv[i]);
    return MPJ_E_OK;
}

/* ---- random ------------------------------------------------------------------ */

static int random_programs(struct run_campaign *c, struct mpj_err *err)
{
    const char *const board = board_of(c);
    struct tile_machine machine;
    struct mpj_image image;
    char *elf;
    int result = run_kind_load(&machine, board, err);

    if (result != MPJ_E_OK)
        return result;
    elf = run_path_app(board, "basis.elf");
    if (elf == NULL)
        return mpj_err_nomem(err);
    result = mpj_image_check(&image, elf, err);
    for (unsigned i = 0; i < c->count && result == MPJ_E_OK; i++) {
        struct run_campaign_program *const p = new_program(c);
        struct mpj_generated g;
        mpj_generate(&g, c->generator_seed, i, machine.cores);
        if (p == NULL || (p->name = strdup(g.name)) == NULL ||
            (p->family = strdup(g.family)) == NULL || (p->elf = strdup(elf)) == NULL) {
            result = mpj_err_nomem(err);
            break;
        }
        p->threads = g.threads;
        p->image = image;
        result = add_argument(p, "basis.elf", err);
        for (unsigned k = 0; k < g.argc && result == MPJ_E_OK; k++)
            result = add_argument(p, g.arg[k], err);
        if (result == MPJ_E_OK)
            result = describe(p, err);
    }
    free(elf);
    return result;
}

/* ---- given ------------------------------------------------------------------- */

static bool name_taken(const struct run_campaign *c, const char *name)
{
    for (unsigned i = 0; i < c->programs; i++) {
        if (strcmp(c->program[i].name, name) == 0)
            return true;
    }
    return false;
}

/* Returns the folder that contains the list; to be freed. */
static char *list_folder(const struct run_campaign *c)
{
    const char *const slash = strrchr(c->list, '/');

    return slash == NULL ? strdup(".") : strndup(c->list, (size_t)(slash - c->list) + 1U);
}

/* Compiles the source that a line names, into the campaign's folder. */
static int build(struct run_campaign *c, struct run_campaign_program *p, const char *source,
                 const char *options, struct mpj_err *err)
{
    char *const folder = list_folder(c);
    char *const work = realpath(c->work, NULL);
    char label[64];
    size_t n = 0;
    int result;

    for (const char *s = p->name; *s != '\0' && n + 1 < sizeof(label); s++)
        label[n++] = isalnum((unsigned char)*s) || *s == '_' || *s == '-' ? *s : '_';
    label[n] = '\0';
    if (folder == NULL || work == NULL ||
        asprintf(&p->elf, "%s/%u.%s.elf", work, c->programs, label) < 0) {
        p->elf = NULL;
        result = mpj_err_nomem(err);
    } else {
        p->built = true;
        result = run_campaign_compile(folder, board_of(c), source, options, p->elf, err);
    }
    free(folder);
    free(work);
    return result;
}

/* Finds the begin of the compiler's options after a C source, NULL if the text names none. The name
 * may have blanks: it ends with the first word that ends in .c. */
static char *after_source(char *text)
{
    for (char *at = strstr(text, ".c"); at != NULL; at = strstr(at + 2, ".c")) {
        if (at != text && (at[2] == '\0' || isblank((unsigned char)at[2])))
            return at + 2;
    }
    return NULL;
}

/* Finds the program of a line: a C source followed by compiler options, an ELF file, or, without a
 * slash, an application of the firmware. */
static int find_program(struct run_campaign *c, struct run_campaign_program *p, char *text,
                        struct mpj_err *err)
{
    char *options = after_source(text);

    if (options != NULL) {
        if (*options != '\0')
            *options++ = '\0';
        return build(c, p, text, options, err);
    }
    if (strchr(text, '/') != NULL || access(text, F_OK) == 0) {
        p->elf = strdup(text);
        return p->elf != NULL ? MPJ_E_OK : mpj_err_nomem(err);
    }
    p->elf = run_path_app(board_of(c), text);
    return p->elf != NULL ? MPJ_E_OK : mpj_err_nomem(err);
}

/* Parses name|family|program|args: the last may be missing. */
static int list_line(struct run_campaign *c, char *text, unsigned line, struct mpj_err *err)
{
    char *field[4] = {NULL};
    struct run_campaign_program *p;
    const char *word;
    char *rest = NULL;
    int result;

    for (unsigned i = 0; i < 4 && text != NULL; i++)
        field[i] = i < 3 ? strsep(&text, "|") : text;
    if (field[2] == NULL || field[0][0] == '\0' || field[1][0] == '\0' || field[2][0] == '\0')
        return mpj_err_set(err, MPJ_E_USAGE, "%s, line %u: not name|family|program|arguments",
                           c->list, line);
    if (name_taken(c, field[0]))
        return mpj_err_set(err, MPJ_E_USAGE, "%s, line %u: duplicate program \"%s\"", c->list, line,
                           field[0]);
    p = new_program(c);
    if (p == NULL || (p->name = strdup(field[0])) == NULL || (p->family = strdup(field[1])) == NULL)
        return mpj_err_nomem(err);
    result = find_program(c, p, field[2], err);
    if (result != MPJ_E_OK) {
        char why[sizeof(err->text)];
        snprintf(why, sizeof(why), "%s", err->text);
        return mpj_err_set(err, result, "%s, line %u: %s", c->list, line, why);
    }
    result = mpj_image_check(&p->image, p->elf, err);
    if (result == MPJ_E_OK)
        result = add_argument(p,
                              p->built                       ? p->name
                              : strrchr(p->elf, '/') != NULL ? strrchr(p->elf, '/') + 1
                                                             : p->elf,
                              err);
    for (word = field[3] != NULL ? strtok_r(field[3], " \t", &rest) : NULL;
         word != NULL && result == MPJ_E_OK; word = strtok_r(NULL, " \t", &rest))
        result = add_argument(p, word, err);
    return result == MPJ_E_OK ? describe(p, err) : result;
}

/* Lists the files that the program of a line is built from. Faults of the line are reported when
 * its program is built. */
static int note_line(const struct run_campaign *c, const char *text, struct mpj_err *err)
{
    char *const copy = strdup(text);
    char *const folder = list_folder(c);
    char *rest = copy;
    char *field = NULL;
    char *options;
    int result = MPJ_E_OK;

    for (unsigned i = 0; i < 3 && rest != NULL; i++)
        field = strsep(&rest, "|");
    options = field != NULL ? after_source(field) : NULL;
    if (copy == NULL || folder == NULL) {
        result = mpj_err_nomem(err);
    } else if (options != NULL) {
        if (*options != '\0')
            *options++ = '\0';
        result = run_inputs_source(&c->reads, folder, field, options, err);
    } else if (field != NULL && field[0] != '\0') {
        result = c->reads.take(c->reads.ctx, field, err);
    }
    free(folder);
    free(copy);
    return result;
}

/* The lines of the list, which may be a pipe: it is read once. */
struct lines {
    char **text;
    unsigned n;
};

static int read_lines(struct lines *l, const char *file, struct mpj_err *err)
{
    FILE *const f = mpj_file_text(file, err);
    char *text = NULL;
    size_t size = 0;
    int result = MPJ_E_OK;

    if (f == NULL)
        return err->code;
    while (result == MPJ_E_OK && getline(&text, &size, f) >= 0) {
        char **const more = realloc(l->text, (l->n + 1U) * sizeof(*more));
        l->text = more != NULL ? more : l->text;
        text[strcspn(text, "\r\n")] = '\0';
        if (more == NULL || (more[l->n] = strdup(text)) == NULL)
            result = mpj_err_nomem(err);
        else
            l->n++;
    }
    free(text);
    fclose(f);
    return result;
}

static bool is_program(const char *line)
{
    return line[0] != '\0' && line[0] != '#';
}

static int listed_programs(struct run_campaign *c, struct mpj_err *err)
{
    struct lines l = {.n = 0};
    int result = read_lines(&l, c->list, err);

    for (unsigned i = 0; i < l.n && result == MPJ_E_OK && c->reads.take != NULL; i++) {
        if (is_program(l.text[i]))
            result = note_line(c, l.text[i], err);
    }
    for (unsigned i = 0; i < l.n && result == MPJ_E_OK; i++) {
        if (is_program(l.text[i]))
            result = list_line(c, l.text[i], i + 1, err);
    }
    if (result == MPJ_E_OK && c->programs == 0)
        result = mpj_err_set(err, MPJ_E_USAGE, "%s names no program", c->list);
    for (unsigned i = 0; i < l.n; i++)
        free(l.text[i]);
    free(l.text);
    return result;
}

int run_campaign_programs(struct run_campaign *c, struct mpj_err *err)
{
    return c->list != NULL ? listed_programs(c, err) : random_programs(c, err);
}

void run_campaign_programs_free(struct run_campaign *c)
{
    for (unsigned i = 0; i < c->programs; i++) {
        struct run_campaign_program *const p = &c->program[i];
        for (unsigned k = 0; k < p->argc; k++)
            free(p->argv[k]);
        free(p->argv);
        free(p->name);
        free(p->family);
        free(p->description);
        if (p->built)
            unlink(p->elf);
        free(p->elf);
    }
    free(c->program);
}
