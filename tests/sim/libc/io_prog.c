/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads, writes and seeks files of the current folder in every way C and POSIX know, and prints
 * what comes of it. Prints the same on Linux as on the target with --dir, and leaves the same files
 * (files.py compares). "slurp" reads stdin in several ways, "seek" moves in it, "try" opens paths
 * that are none of a program's business and says what happened.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned hash(unsigned h, const void *data, size_t n)
{
    const unsigned char *p = data;
    while (n-- > 0)
        h = (h ^ *p++) * 16777619u;
    return h;
}

static void say_errno(const char *what, long result)
{
    static const struct {
        int number;
        const char *name;
    } known[] = {{ENOENT, "ENOENT"},      {EEXIST, "EEXIST"},
                 {EACCES, "EACCES"},      {EISDIR, "EISDIR"},
                 {EBADF, "EBADF"},        {EINVAL, "EINVAL"},
                 {ENOTDIR, "ENOTDIR"},    {EPERM, "EPERM"},
                 {ELOOP, "ELOOP"},        {ENAMETOOLONG, "ENAMETOOLONG"},
                 {ENOTEMPTY, "ENOTEMPTY"}};
    const char *name = "?";
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        name = known[i].number == errno ? known[i].name : name;
    printf("%s: %ld%s%s\n", what, result, result < 0 ? " " : "", result < 0 ? name : "");
}

/* Lines, characters, numbers, pushing back, positions. */
static void streams(void)
{
    char line[100];
    int a, b, c;
    fpos_t here;
    FILE *f = fopen("lines.txt", "r");
    printf("lines.txt %s\n", f ? "open" : "missing");
    while (fgets(line, sizeof line, f))
        printf("%ld: %s", ftell(f), line);
    printf("eof %d error %d\n", feof(f) != 0, ferror(f) != 0);
    rewind(f);
    fscanf(f, "%d %d", &a, &b);
    fgetpos(f, &here);
    fscanf(f, "%s", line);
    printf("%d %d '%s'\n", a, b, line);
    fsetpos(f, &here);
    c = getc(f);
    ungetc('X', f);
    printf("%d then %c", c, getc(f));
    printf("%c", getc(f));
    printf(" at %ld\n", ftell(f));
    printf("seek %d, %ld from the end: ", fseek(f, -5, SEEK_END), 5L);
    while ((c = getc(f)) != EOF)
        printf("%02x ", (unsigned)c);
    printf("\nbefore the start: %d\n", fseek(f, -1, SEEK_SET));
    fclose(f);
}

/* A big file by pieces of awkward sizes, changed in the middle, grown at the end. */
static void blocks(void)
{
    static unsigned char block[70001];
    unsigned x = 12345, h = 2166136261u;
    size_t n, all = 0;
    struct stat st;
    FILE *f = fopen("big.bin", "wb+");
    for (unsigned i = 0; i < 7; i++) {
        n = (i + 1) * 9973u % sizeof block;
        for (size_t k = 0; k < n; k++) {
            x = x * 1664525u + 1013904223u;
            block[k] = (unsigned char)(x >> 24);
        }
        all += fwrite(block, 1, n, f);
    }
    printf("written %zu, at %ld\n", all, ftell(f));
    fseek(f, 10000, SEEK_SET);
    fprintf(f, "<<%08x>>", h);
    fseek(f, 9998, SEEK_SET);
    printf("read back %zu: ", fread(block, 1, 16, f));
    for (unsigned i = 2; i < 14; i++)
        putchar(block[i]);
    putchar('\n');
    fclose(f);
    f = fopen("big.bin", "ab");
    fputs("the end", f);
    fclose(f);
    f = fopen("big.bin", "rb");
    setvbuf(f, NULL, _IOFBF, 3000);
    while ((n = fread(block, 1, 33333, f)) > 0)
        h = hash(h, block, n);
    printf("hash %08x eof %d\n", h, feof(f) != 0);
    fclose(f);
    stat("big.bin", &st);
    printf("%ld bytes, a file: %d\n", (long)st.st_size, S_ISREG(st.st_mode));
}

static void descriptors(void)
{
    char text[64] = {0};
    struct stat st;
    int fd = open("fd.txt", O_CREAT | O_EXCL | O_RDWR, 0644);
    say_errno("create", fd < 0 ? fd : 0);
    say_errno("write", (long)write(fd, "0123456789", 10));
    say_errno("seek", (long)lseek(fd, 3, SEEK_SET));
    say_errno("write", (long)write(fd, "abc", 3));
    say_errno("seek from here", (long)lseek(fd, -4, SEEK_CUR));
    say_errno("read", (long)read(fd, text, 5));
    printf("'%s'\n", text);
    say_errno("seek beyond", (long)lseek(fd, 20, SEEK_END));
    say_errno("write", (long)write(fd, "!", 1));
    say_errno("fstat", fstat(fd, &st));
    printf("%ld bytes\n", (long)st.st_size);
    say_errno("negative", (long)lseek(fd, -100, SEEK_SET));
    say_errno("close", close(fd));
    say_errno("close again", close(fd));
    say_errno("exclusive", open("fd.txt", O_CREAT | O_EXCL | O_RDWR, 0644));
    fd = open("fd.txt", O_WRONLY | O_APPEND);
    say_errno("append", (long)write(fd, "tail", 4));
    say_errno("read what is for writing", (long)read(fd, text, 1));
    close(fd);
    fd = open("fd.txt", O_RDONLY);
    say_errno("write what is for reading", (long)write(fd, text, 1));
    say_errno("size", (long)lseek(fd, 0, SEEK_END));
    say_errno("read at the end", (long)read(fd, text, sizeof text));
    close(fd);
    fd = open("trunc.txt", O_WRONLY | O_TRUNC);
    say_errno("truncated", fd < 0 ? fd : (long)lseek(fd, 0, SEEK_END));
    close(fd);
}

static void folders(void)
{
    struct stat st;
    FILE *f;
    say_errno("mkdir", mkdir("sub", 0755));
    say_errno("mkdir again", mkdir("sub", 0755));
    f = fopen("sub/inner.txt", "w");
    fprintf(f, "inside\n");
    fclose(f);
    say_errno("stat folder", stat("sub", &st));
    printf("a folder: %d\n", S_ISDIR(st.st_mode));
    say_errno("rename", rename("sub/inner.txt", "moved.txt"));
    say_errno("stat what moved", stat("sub/inner.txt", &st));
    say_errno("open missing", open("nothing/there.txt", O_RDONLY));
    say_errno("write folder", open("sub", O_WRONLY));
    say_errno("unlink", unlink("gone.txt"));
    say_errno("unlink again", unlink("gone.txt"));
    say_errno("remove", remove("moved.txt"));
    say_errno("through a dot", open("./sub/.././lines.txt", O_RDONLY) < 0 ? -1 : 0);
    say_errno("link inside", open("inside-link", O_RDONLY) < 0 ? -1 : 0);
    f = fopen("missing.txt", "r");
    say_errno("fopen", f ? 0 : -1);
}

static void *writer(void *arg)
{
    long id = (long)(intptr_t)arg;
    char name[20];
    FILE *f;
    snprintf(name, sizeof name, "thread%ld.txt", id);
    f = fopen(name, "w");
    for (int i = 0; i < 200; i++)
        fprintf(f, "%ld %d %g\n", id, i, i / 8.0);
    fclose(f);
    return NULL;
}

static void threads(void)
{
    pthread_t t[6];
    FILE *f = fopen("shared.txt", "w");
    fclose(f);
    for (long i = 0; i < 6; i++)
        pthread_create(&t[i], NULL, writer, (void *)(intptr_t)i);
    for (long i = 0; i < 6; i++)
        pthread_join(t[i], NULL);
    printf("threads done\n");
}

static int slurp(void)
{
    char line[200];
    unsigned h = 2166136261u;
    int a = 0, c, n = 0;
    double d = 0;
    ssize_t got;
    printf("scanf %d: ", scanf("%d %lf", &a, &d));
    printf("%d %g\n", a, d);
    if (fgets(line, sizeof line, stdin))
        printf("rest of line '%s'\n", strtok(line, "\n") ? line : "");
    if (fgets(line, sizeof line, stdin))
        printf("line '%.20s' %zu\n", line, strlen(line));
    c = getchar();
    ungetc(c, stdin);
    printf("next %d\n", c);
    while (n < 1000 && (c = getchar()) != EOF) {
        char byte = (char)c;
        h = hash(h, &byte, 1);
        n++;
    }
    while ((c = (int)fread(line, 1, sizeof line, stdin)) > 0) {
        h = hash(h, line, (size_t)c);
        n += c;
    }
    got = read(STDIN_FILENO, line, sizeof line);
    printf("%d bytes, hash %08x, eof %d, then %ld\n", n, h, feof(stdin) != 0, (long)got);
    return 0;
}

/* Every way to touch a path. */
static void touch(const char *path)
{
    char other[300];
    struct stat st;
    int fd;
    printf("path '%s'\n", path);
    fd = open(path, O_RDONLY);
    say_errno("read", fd < 0 ? -1 : 0);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    say_errno("create", fd < 0 ? -1 : 0);
    say_errno("stat", stat(path, &st));
    snprintf(other, sizeof other, "%s.new", path);
    say_errno("mkdir", mkdir(other, 0755));
    say_errno("rename to", rename("lines.txt", path));
    say_errno("rename from", rename(path, "stolen.txt"));
    say_errno("unlink", unlink(path));
}

/* stdin that is a file. */
static int move_about(void)
{
    struct stat st;
    char byte[4] = "";
    fstat(STDIN_FILENO, &st);
    printf("regular %d, %ld bytes\n", S_ISREG(st.st_mode), (long)st.st_size);
    printf("at %ld\n", (long)lseek(STDIN_FILENO, -3, SEEK_END));
    printf("read %ld\n", (long)read(STDIN_FILENO, byte, 3));
    rewind(stdin);
    printf("first %d\n", getchar());
    printf("at %ld\n", ftell(stdin));
    printf("seek %d\n", fseek(stdin, 5, SEEK_SET));
    printf("sixth %d\n", getchar());
    say_errno("stdout", (long)lseek(STDOUT_FILENO, 0, SEEK_CUR));
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "seek") == 0)
        return move_about();
    if (argc > 1 && strcmp(argv[1], "slurp") == 0)
        return slurp();
    for (int i = 2; i < argc; i++)
        touch(argv[i]);
    if (argc > 1)
        return 0;
    streams();
    blocks();
    descriptors();
    folders();
    threads();
    return 0;
}
