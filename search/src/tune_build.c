/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compiles the programs of a tune, once for each set of options. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sha2.h>

#include "hil/image.h"
#include "run/cache.h"
#include "tune_int.h"

char *run_tune_build_key(const struct run_tune *t, const struct run_tune_point *p)
{
    char *key = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&key, &size);
    char *text;

    if (f == NULL)
        return NULL;
    if (t->program != NULL) {
        fputs(t->program, f);
    } else {
        text = t->compiler != NULL ? run_tune_fill(t, p, t->compiler) : NULL;
        fprintf(f, "%s\n", text != NULL ? text : "");
        free(text);
        for (unsigned i = 0; i < t->source.n; i++) {
            text = run_tune_fill(t, p, t->source.at[i].text);
            fprintf(f, "%s %s\n", t->source.at[i].name, text != NULL ? text : "");
            free(text);
        }
    }
    return fclose(f) == 0 ? key : NULL;
}

/* Adds options, separated by spaces. */
static void add_options(struct run_words *w, const struct run_tune *t,
                        const struct run_tune_point *p, const char *options)
{
    char *const text = options != NULL ? run_tune_fill(t, p, options) : NULL;
    char *rest = NULL;

    for (char *word = text != NULL ? strtok_r(text, " \t\n", &rest) : NULL; word != NULL;
         word = strtok_r(NULL, " \t\n", &rest))
        run_words_add(w, "%s", word);
    w->no_memory = w->no_memory || (options != NULL && text == NULL);
    free(text);
}

/* Finds the first line with an error of the compiler. Allocated. */
static char *first_error(const char *stem)
{
    char *const path = run_cache_file(stem, ".err");
    FILE *const f = path != NULL ? fopen(path, "re") : NULL;
    char *line = NULL;
    char *out = NULL;
    size_t size = 0;

    while (f != NULL && out == NULL && getline(&line, &size, f) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (strstr(line, "error") == NULL && strstr(line, "undefined") == NULL &&
            strncmp(line, "mpjoule: ", 9) != 0)
            continue;
        mpj_text_clean(line);
        if (asprintf(&out, "does not compile: %s",
                     strncmp(line, "mpjoule: ", 9) == 0 ? line + 9 : line) < 0)
            out = NULL;
    }
    if (f != NULL)
        fclose(f);
    free(line);
    free(path);
    return out != NULL ? out : strdup("does not compile");
}

struct compiling {
    const struct run_tune *t;
    const struct run_tune_point *p;
    const char *stem;
    bool (*stopping)(void *ctx);
    void *ctx;
};

/* Compiles source i to STEM.i.o, or links all of these to STEM.elf; *status: the compiler's. */
static int compile(const struct compiling *c, unsigned i, bool link, int *status,
                   struct mpj_err *err)
{
    struct run_words w = {.n = 0};
    int result;

    run_words_add(&w, "mpjoule");
    run_words_add(&w, "cc");
    add_options(&w, c->t, c->p, c->t->compiler);
    if (link) {
        for (unsigned k = 0; k < c->t->source.n; k++)
            run_words_add(&w, "%s.%u.o", c->stem, k);
        run_words_add(&w, "-o");
        run_words_add(&w, "%s.elf", c->stem);
        run_words_add(&w, "-lm");
    } else {
        add_options(&w, c->t, c->p, c->t->source.at[i].text);
        run_words_add(&w, "-c");
        run_words_add(&w, "%s", c->t->source.at[i].name);
        run_words_add(&w, "-o");
        run_words_add(&w, "%s.%u.o", c->stem, i);
    }
    result = run_cache_execute(c->stem, &w, -1, c->stopping, c->ctx, status, err);
    run_words_free(&w);
    return result;
}

static void drop_objects(const struct run_tune *t, const char *stem)
{
    for (unsigned i = 0; i < t->source.n; i++) {
        char *path;
        if (asprintf(&path, "%s.%u.o", stem, i) < 0)
            return;
        unlink(path);
        free(path);
    }
}

int run_tune_build(const struct run_tune *t, const struct run_tune_point *p,
                   struct run_tune_build *b, bool (*stopping)(void *ctx), void *ctx,
                   struct mpj_err *err)
{
    struct compiling c = {.t = t, .p = p, .stopping = stopping, .ctx = ctx};
    struct mpj_image image;
    char sum[SHA256_DIGEST_STRING_LENGTH];
    char *stem;
    int status = 0;
    int result = MPJ_E_OK;

    SHA256Data((const uint8_t *)b->key, strlen(b->key), sum);
    if (asprintf(&stem, "%s/programs/%.24s", t->folder, sum) < 0)
        return mpj_err_nomem(err);
    c.stem = stem;
    b->elf = t->program != NULL ? strdup(t->program) : run_cache_file(stem, ".elf");
    for (unsigned i = 0; result == MPJ_E_OK && status == 0 && i <= t->source.n; i++) {
        if (t->program == NULL)
            result = compile(&c, i, i == t->source.n, &status, err);
    }
    drop_objects(t, stem);
    if (result == MPJ_E_OK && stopping(ctx))
        result = mpj_err_set(err, MPJ_E_CANCELLED, "interrupted");
    if (result == MPJ_E_OK && status != 0) {
        b->reason = first_error(stem);
    } else if (result == MPJ_E_OK) {
        result = b->elf != NULL ? mpj_image_check(&image, b->elf, err) : mpj_err_nomem(err);
        if (result == MPJ_E_OK)
            memcpy(b->sha256, image.sha256, sizeof(b->sha256));
    }
    free(stem);
    return result;
}
