/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Streams of the program's own functions; the same on Linux and on the target. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file in memory, which fails on demand. */
struct memory {
    char text[100];
    off64_t at, size;
    int error; /* of the next call; 0: none */
    int closed;
};

static int error_of(struct memory *m)
{
    const int error = m->error;

    m->error = 0;
    errno = error != 0 ? error : errno;
    return error;
}

static ssize_t from(void *cookie, char *data, size_t size)
{
    struct memory *const m = cookie;
    const size_t left = (size_t)(m->size - m->at);
    const size_t n = size < left ? size : left;

    if (error_of(m) != 0)
        return -1;
    memcpy(data, m->text + m->at, n);
    m->at += (off64_t)n;
    return (ssize_t)n;
}

static ssize_t to(void *cookie, const char *data, size_t size)
{
    struct memory *const m = cookie;

    if (error_of(m) != 0 || size > sizeof(m->text) - (size_t)m->at)
        return 0;
    memcpy(m->text + m->at, data, size);
    m->at += (off64_t)size;
    m->size = m->at > m->size ? m->at : m->size;
    return (ssize_t)size;
}

static int go(void *cookie, off64_t *offset, int whence)
{
    struct memory *const m = cookie;
    const off64_t from_where = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? m->at : m->size;

    if (error_of(m) != 0)
        return -1;
    if (from_where + *offset < 0 || from_where + *offset > m->size) {
        errno = EINVAL;
        return -1;
    }
    m->at = *offset = from_where + *offset;
    return 0;
}

static int end(void *cookie)
{
    struct memory *const m = cookie;

    m->closed++;
    return error_of(m) != 0 ? EOF : 0;
}

static const cookie_io_functions_t all = {from, to, go, end};

static void both_ways(void)
{
    struct memory m = {.at = 0};
    FILE *const f = fopencookie(&m, "w+", all);
    char line[100];
    int n = 0;

    errno = 77;
    printf("wrote %d", fprintf(f, "first %d\nsecond %s\n", 1, "two"));
    printf(" %d\n", fflush(f));
    printf("at %ld of %d, errno %d\n", ftell(f), (int)m.size, errno);
    printf("seek %d", fseek(f, 6, SEEK_SET));
    printf(", read %d", fscanf(f, "%d", &n));
    printf(": %d\nat %ld", n, ftell(f));
    rewind(f);
    while (fgets(line, sizeof(line), f) != NULL)
        printf(" '%.*s'", (int)strcspn(line, "\n"), line);
    printf(" end %d error %d\n", feof(f) != 0, ferror(f) != 0);
    printf("back %d", fseek(f, -4, SEEK_END));
    printf(", %c", getc(f));
    printf(", at %ld\n", ftell(f));
    errno = 0;
    printf("before the start: %d", fseek(f, -1, SEEK_SET));
    printf(" %s\n", strerror(errno));
    printf("close %d", fclose(f));
    printf(", closed %d, %d bytes: %.*s", m.closed, (int)m.size, (int)m.size, m.text);
}

static void failures(void)
{
    struct memory m = {.size = 5, .text = "hello"};
    FILE *f = fopencookie(&m, "r", all);

    m.error = EIO;
    printf("read %d", getc(f));
    printf(": %s, error %d end %d\n", strerror(errno), ferror(f) != 0, feof(f) != 0);
    clearerr(f);
    printf("again %c", getc(f));
    printf(", write %d\n", putc('x', f));
    m.error = EBUSY;
    printf("close %d", fclose(f));
    printf(" %s\n", strerror(errno));

    m = (struct memory){.at = 0};
    f = fopencookie(&m, "w", all);
    (void)fputs("lost", f);
    m.error = ENOSPC;
    printf("write %d", fflush(f));
    printf(": %s, error %d\n", strerror(errno), ferror(f) != 0);
    printf("read %d\n", getc(f));
    (void)fclose(f);
    printf("closed %d\n", m.closed);
    errno = 0;
    printf("mode: %d", fopencookie(&m, "z", all) == NULL);
    printf(" %s\n", strerror(errno));
}

/* Functions that are not there. */
static void without(void)
{
    struct memory m = {.size = 5, .text = "hello"};
    FILE *f = fopencookie(&m, "r", (cookie_io_functions_t){.read = from});
    char data[10];

    printf("no seek %d", fseek(f, 1, SEEK_SET));
    printf(", read %d", (int)fread(data, 1, sizeof(data), f));
    printf(", close %d\n", fclose(f));
    f = fopencookie(NULL, "r", (cookie_io_functions_t){0});
    printf("no read %d", getc(f));
    printf(", end %d error %d", feof(f) != 0, ferror(f) != 0);
    printf(", close %d\n", fclose(f));
    f = fopencookie(NULL, "w", (cookie_io_functions_t){0});
    printf("no write %d", fputs("text", f) >= 0);
    printf(" %d", fflush(f));
    printf(" error %d\n", ferror(f) != 0);
    (void)fclose(f);
}

int main(void)
{
    both_ways();
    failures();
    without();
    return 0;
}
