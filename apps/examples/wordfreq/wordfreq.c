/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usage: wordfreq [-t THREADS] [-n MOST] [FILE]... : the most frequent words; without FILE of stdin
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "words.h"

#define SHOWN 100

int main(int argc, char **argv)
{
    struct words *const w = words_new();
    struct word top[SHOWN];
    unsigned threads = 4;
    size_t most = 5;
    int error = 0;
    int c;

    while ((c = getopt(argc, argv, "t:n:")) != -1) {
        if (c == 't') {
            threads = (unsigned)strtoul(optarg, NULL, 10);
        } else if (c == 'n' && strtoul(optarg, NULL, 10) <= SHOWN) {
            most = strtoul(optarg, NULL, 10);
        } else {
            fprintf(stderr, "usage: wordfreq [-t THREADS] [-n MOST] [FILE]...\n");
            return 2;
        }
    }
    if (w == NULL) {
        fprintf(stderr, "wordfreq: out of memory\n");
        return 1;
    }
    if (optind == argc)
        error = words_count_stream(w, stdin, threads);
    for (int i = optind; i < argc && error == 0; i++) {
        FILE *const from = fopen(argv[i], "r");

        if (from == NULL) {
            perror(argv[i]);
            words_free(w);
            return 1;
        }
        error = words_count_stream(w, from, threads);
        fclose(from);
    }
    if (error != 0) {
        fprintf(stderr, "wordfreq: %s\n", strerror(error));
        words_free(w);
        return 1;
    }
    printf("%zu different words\n", words_different(w));
    most = words_top(w, top, most);
    for (size_t i = 0; i < most; i++)
        printf("%6lu %s\n", top[i].count, top[i].text);
    words_free(w);
    return 0;
}
