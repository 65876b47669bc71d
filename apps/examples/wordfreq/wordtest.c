/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The library's test: a text whose words are known, by any number of threads. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

#define TIMES 200

int main(void)
{
    static const char line[] = "To be, or not to be: that is the question\n";
    const size_t n = strlen(line);
    char *const text = malloc(n * TIMES);
    int wrong = 0;

    if (text == NULL)
        return 1;
    for (unsigned i = 0; i < TIMES; i++)
        memcpy(text + n * i, line, n);
    for (unsigned threads = 1; threads <= 16; threads++) {
        struct words *const w = words_new();
        struct word top[3];

        if (w == NULL || words_count(w, text, n * TIMES, threads) != 0 || words_different(w) != 8 ||
            words_top(w, top, 3) != 3 || strcmp(top[0].text, "be") != 0 ||
            top[0].count != 2UL * TIMES || strcmp(top[1].text, "to") != 0 ||
            top[1].count != 2UL * TIMES || top[2].count != TIMES) {
            printf("wordtest: wrong with %u threads\n", threads);
            wrong = 1;
        }
        words_free(w);
    }
    free(text);
    if (!wrong)
        printf("wordtest: ok\n");
    return wrong;
}
