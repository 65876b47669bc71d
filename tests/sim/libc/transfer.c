/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moves data in or out, and does nothing else: transfer HOW MB. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE (64U << 10)

static char buf[PIECE];

static int in(int fd)
{
    ssize_t n;

    while ((n = read(fd, buf, sizeof(buf))) > 0)
        ;
    return n == 0 ? 0 : 1;
}

static int out(int fd, long bytes)
{
    for (; bytes > 0; bytes -= (long)sizeof(buf)) {
        if (write(fd, buf, sizeof(buf)) != (ssize_t)sizeof(buf))
            return 1;
    }
    return 0;
}

static int in_stream(FILE *f)
{
    while (fread(buf, 1, 4096, f) == 4096)
        ;
    return f != NULL && feof(f) ? 0 : 1;
}

/* Reads in one thread of four, the others wait at the region's end. */
static int in_region(void)
{
    int status = 1;

#pragma omp parallel num_threads(4)
    {
#pragma omp master
        status = in(open("data", O_RDONLY));
    }
    return status;
}

int main(int argc, char **argv)
{
    const long bytes = argc > 2 ? atol(argv[2]) << 20 : 0;

    if (strcmp(argv[1], "read") == 0)
        return in(open("data", O_RDONLY));
    if (strcmp(argv[1], "fread") == 0)
        return in_stream(fopen("data", "r"));
    if (strcmp(argv[1], "region") == 0)
        return in_region();
    if (strcmp(argv[1], "stdin") == 0)
        return in(STDIN_FILENO);
    if (strcmp(argv[1], "write") == 0)
        return out(open("made", O_WRONLY | O_CREAT | O_TRUNC, 0666), bytes);
    return strcmp(argv[1], "stdout") == 0 ? out(STDOUT_FILENO, bytes) : 2;
}
