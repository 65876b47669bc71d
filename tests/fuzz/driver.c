/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a fuzz target without libFuzzer: the same inputs on every machine, valid ones
 * damaged in the usual ways, after the files of a kept corpus as they are. Arguments: [number of
 * inputs [first [folder]]]. On a crash the
 * input's number was the last one printed to stderr's buffer: rerun with "1 NUMBER".
 */
#include "fuzz.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t state;
static unsigned long current;

static uint32_t rng(void)
{
    /* splitmix64: any seed will do, including consecutive ones */
    uint64_t z = state += 0x9e3779b97f4a7c15ULL;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return (uint32_t)(z >> 32);
}

#define FILES 400U
#define ROOM  65536U

static struct {
    uint8_t *data;
    size_t size;
} kept[FILES];
static unsigned files;

static int visible(const struct dirent *d)
{
    return d->d_name[0] != '.';
}

/* In the order of the names, as everywhere. */
static void read_corpus(const char *folder)
{
    struct dirent **list = NULL;
    const int n = scandir(folder, &list, visible, alphasort);

    for (int i = 0; i < n; i++) {
        char path[600];
        FILE *f;
        snprintf(path, sizeof(path), "%s/%s", folder, list[i]->d_name);
        free(list[i]);
        f = files < FILES ? fopen(path, "rb") : NULL;
        if (f == NULL)
            continue;
        kept[files].data = malloc(ROOM);
        if (kept[files].data == NULL)
            abort();
        kept[files].size = fread(kept[files].data, 1, ROOM, f);
        files++;
        fclose(f);
    }
    free(list);
}

static size_t seed(uint8_t *out, size_t cap)
{
    if (files > 0 && rng() % 2U == 0) {
        const unsigned i = rng() % files;
        memcpy(out, kept[i].data, kept[i].size);
        return kept[i].size;
    }
    return fuzz_seed(out, cap, rng); /* targets without one begin from the corpus */
}

static void crashed(int sig)
{
    char line[64];
    const int n = snprintf(line, sizeof(line), "crash at input %lu\n", current);

    if (n > 0 && write(STDERR_FILENO, line, (size_t)n) < 0)
        _exit(1);
    signal(sig, SIG_DFL);
    raise(sig);
}

int main(int argc, char **argv)
{
    static uint8_t data[ROOM];
    const unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000;
    const unsigned long first = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

    if (argc > 3)
        read_corpus(argv[3]);
    signal(SIGABRT, crashed);
    signal(SIGSEGV, crashed);
    for (unsigned i = 0; i < files; i++)
        LLVMFuzzerTestOneInput(kept[i].data, kept[i].size);
    for (unsigned long i = first; i < first + count; i++) {
        size_t n;
        current = i;
        state = i;
        if (rng() % 4U == 0) {
            n = rng() % 8192U;
            for (size_t k = 0; k < n; k++)
                data[k] = (uint8_t)rng();
        } else {
            n = seed(data, 1200U + rng() % (8192U - 1200U));
            for (uint32_t hurts = rng() % 6U; hurts > 0 && n > 1; hurts--) {
                const size_t at = rng() % n;
                switch (rng() % 4U) {
                case 0:
                    data[at] ^= (uint8_t)(1U << (rng() % 8U));
                    break;
                case 1:
                    data[at] = 0;
                    break;
                case 2: /* lost byte */
                    memmove(&data[at], &data[at + 1], n - at - 1);
                    n--;
                    break;
                default:
                    n = at + 1; /* cut */
                    break;
                }
            }
            if (rng() % 2U != 0)
                n = fuzz_fix(data, n, sizeof(data));
        }
        LLVMFuzzerTestOneInput(data, n);
    }
    while (files > 0)
        free(kept[--files].data);
    printf("%lu inputs\n", count);
    return 0;
}
