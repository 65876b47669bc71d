/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "words.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 4096U
#define LONGEST 63U
#define MOST    16U

struct entry {
    struct entry *next;
    unsigned long count;
    char text[];
};

struct words {
    pthread_mutex_t lock;
    struct entry *bucket[BUCKETS];
    size_t different;
};

struct part {
    struct words *words;
    const char *from;
    const char *end;
    int error;
};

struct words *words_new(void)
{
    struct words *const w = calloc(1, sizeof(*w));

    if (w != NULL && pthread_mutex_init(&w->lock, NULL) != 0) {
        free(w);
        return NULL;
    }
    return w;
}

void words_free(struct words *w)
{
    if (w == NULL)
        return;
    for (unsigned i = 0; i < BUCKETS; i++) {
        while (w->bucket[i] != NULL) {
            struct entry *const e = w->bucket[i];

            w->bucket[i] = e->next;
            free(e);
        }
    }
    pthread_mutex_destroy(&w->lock);
    free(w);
}

/* Returns the FNV-1a hash. */
static unsigned hash(const char *text)
{
    unsigned h = 2166136261U;

    for (; *text != '\0'; text++)
        h = (h ^ (unsigned char)*text) * 16777619U;
    return h % BUCKETS;
}

static int count_one(struct words *w, const char *text)
{
    struct entry **const bucket = &w->bucket[hash(text)];
    struct entry *e;
    int error = 0;

    pthread_mutex_lock(&w->lock);
    for (e = *bucket; e != NULL && strcmp(e->text, text) != 0; e = e->next)
        ;
    if (e == NULL) {
        e = malloc(sizeof(*e) + strlen(text) + 1);
        if (e == NULL) {
            error = ENOMEM;
        } else {
            strcpy(e->text, text);
            e->count = 0;
            e->next = *bucket;
            *bucket = e;
            w->different++;
        }
    }
    if (e != NULL)
        e->count++;
    pthread_mutex_unlock(&w->lock);
    return error;
}

static void *count_part(void *arg)
{
    struct part *const p = arg;
    char word[LONGEST + 1];
    size_t n = 0;

    for (const char *c = p->from; c <= p->end && p->error == 0; c++) {
        if (c < p->end && isalnum((unsigned char)*c)) {
            if (n < LONGEST)
                word[n++] = (char)tolower((unsigned char)*c);
        } else if (n > 0) {
            word[n] = '\0';
            n = 0;
            p->error = count_one(p->words, word);
        }
    }
    return NULL;
}

int words_count(struct words *w, const char *text, size_t n, unsigned threads)
{
    pthread_t id[MOST];
    struct part part[MOST];
    const char *const end = text + n;
    const char *from = text;
    unsigned started = 0;
    int error = threads < 1 || threads > MOST ? EINVAL : 0;

    for (unsigned i = 0; i < threads && error == 0; i++) {
        const char *to = text + n * (i + 1) / threads;

        if (to < from)
            to = from;
        while (to < end && isalnum((unsigned char)*to)) /* a word belongs to one thread */
            to++;
        part[i] = (struct part){.words = w, .from = from, .end = to};
        from = to;
        error = pthread_create(&id[i], NULL, count_part, &part[i]);
        started += error == 0;
    }
    for (unsigned i = 0; i < started; i++) {
        pthread_join(id[i], NULL);
        if (error == 0)
            error = part[i].error;
    }
    return error;
}

#if HAVE_GETDELIM
/* Reads the rest of a stream, which has no byte of value 0. */
static ssize_t rest(FILE *from, char **text)
{
    size_t room = 0;

    return getdelim(text, &room, '\0', from);
}
#else
static long rest(FILE *from, char **text)
{
    size_t room = 4096;
    size_t n = 0;

    *text = malloc(room);
    while (*text != NULL) {
        n += fread(*text + n, 1, room - n, from);
        if (n < room)
            return n > 0 ? (long)n : -1;
        room *= 2;
        *text = realloc(*text, room);
    }
    return -1;
}
#endif

int words_count_stream(struct words *w, FILE *from, unsigned threads)
{
    char *text = NULL;
    const long n = rest(from, &text);
    int error = ferror(from) ? EIO : 0;

    if (n > 0 && error == 0)
        error = words_count(w, text, (size_t)n, threads);
    free(text);
    return error;
}

size_t words_different(const struct words *w)
{
    return w->different;
}

static int by_count(const void *left, const void *right)
{
    const struct word *const a = left;
    const struct word *const b = right;

    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return strcmp(a->text, b->text);
}

size_t words_top(const struct words *w, struct word *out, size_t most)
{
    struct word *const all = malloc((w->different + 1) * sizeof(*all));
    size_t n = 0;

    if (all == NULL)
        return 0;
    for (unsigned i = 0; i < BUCKETS; i++) {
        for (const struct entry *e = w->bucket[i]; e != NULL; e = e->next)
            all[n++] = (struct word){.text = e->text, .count = e->count};
    }
    qsort(all, n, sizeof(*all), by_count);
    if (n > most)
        n = most;
    memcpy(out, all, n * sizeof(*all));
    free(all);
    return n;
}
