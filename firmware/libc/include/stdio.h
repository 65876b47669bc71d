/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_STDIO_H
#define MPJ_LIBC_STDIO_H

#include <bits/null.h>
#include <bits/size_t.h>
#include <features.h>
#if defined(__USE_XOPEN) || defined(__USE_XOPEN2K8)
typedef __builtin_va_list va_list;
#endif
#include <bits/stream.h>

#if defined(__USE_UNIX98) || defined(__USE_XOPEN2K)
typedef long off_t;
#endif
#ifdef __USE_XOPEN2K8
typedef __PTRDIFF_TYPE__ ssize_t;
#endif
#ifdef __USE_GNU
__extension__ typedef long long off64_t;
#endif

typedef long fpos_t; /* newlib's */
#ifdef __USE_LARGEFILE64
typedef fpos_t fpos64_t;
#endif

#define EOF          (-1)
#define _IOFBF       0
#define _IOLBF       1
#define _IONBF       2
#define BUFSIZ       8192
#define FILENAME_MAX 4096
#define FOPEN_MAX    16
#define L_tmpnam     20
#define TMP_MAX      238328
#define SEEK_SET     0
#define SEEK_CUR     1
#define SEEK_END     2
#ifdef __USE_GNU
#define SEEK_DATA        3
#define SEEK_HOLE        4
#define RENAME_NOREPLACE 1
#define RENAME_EXCHANGE  2
#define RENAME_WHITEOUT  4
#endif
#ifdef __USE_POSIX
#define L_ctermid 9
#endif
#if defined(__USE_GNU) || (defined(__USE_POSIX) && !defined(__USE_XOPEN2K))
#define L_cuserid 9
#endif
#if defined(__USE_MISC) || defined(__USE_XOPEN)
#define P_tmpdir "/tmp"
#endif

#ifdef __USE_GNU
typedef ssize_t cookie_read_function_t(void *, char *, size_t);
typedef ssize_t cookie_write_function_t(void *, const char *, size_t);
typedef int cookie_seek_function_t(void *, off64_t *, int);
typedef int cookie_close_function_t(void *);
typedef struct _IO_cookie_io_functions_t {
    cookie_read_function_t *read;
    cookie_write_function_t *write;
    cookie_seek_function_t *seek;
    cookie_close_function_t *close;
} cookie_io_functions_t;
#endif

/* The first members of newlib's state of a thread, and of a stream. */
struct _reent;
struct __mpj_reent {
    int __errno;
    FILE *__in, *__out, *__err;
};
struct __mpj_stream {
    unsigned char *__at;
    int __left, __space;
};

__MPJ_BEGIN

extern struct _reent *_impure_ptr;
#define stdin  (((struct __mpj_reent *)_impure_ptr)->__in)
#define stdout (((struct __mpj_reent *)_impure_ptr)->__out)
#define stderr (((struct __mpj_reent *)_impure_ptr)->__err)

__MPJ_END

__MPJ_BEGIN

int remove(const char *);
int rename(const char *, const char *);
int fclose(FILE *);
FILE *tmpfile(void);
char *tmpnam(char[20]);
int fflush(FILE *);
FILE *fopen(const char *__restrict, const char *__restrict);
FILE *freopen(const char *__restrict, const char *__restrict, FILE *__restrict);
void setbuf(FILE *__restrict, char *__restrict);
int setvbuf(FILE *__restrict, char *__restrict, int, size_t);
int fprintf(FILE *__restrict, const char *__restrict, ...)
    __attribute__((__format__(__printf__, 2, 3)));
int printf(const char *__restrict, ...) __attribute__((__format__(__printf__, 1, 2)));
int sprintf(char *__restrict, const char *__restrict, ...)
    __attribute__((__format__(__printf__, 2, 3)));
int vfprintf(FILE *__restrict, const char *__restrict, __builtin_va_list)
    __attribute__((__format__(__printf__, 2, 0)));
int vprintf(const char *__restrict, __builtin_va_list)
    __attribute__((__format__(__printf__, 1, 0)));
int vsprintf(char *__restrict, const char *__restrict, __builtin_va_list)
    __attribute__((__format__(__printf__, 2, 0)));
int fscanf(FILE *__restrict, const char *__restrict, ...)
    __attribute__((__format__(__scanf__, 2, 3)));
int scanf(const char *__restrict, ...) __attribute__((__format__(__scanf__, 1, 2)));
int sscanf(const char *__restrict, const char *__restrict, ...)
    __attribute__((__format__(__scanf__, 2, 3)));
int fgetc(FILE *);
int getc(FILE *);
int getchar(void);
int fputc(int, FILE *);
int putc(int, FILE *);
int putchar(int);
char *fgets(char *__restrict, int, FILE *__restrict);
int fputs(const char *__restrict, FILE *__restrict);
int puts(const char *);
int ungetc(int, FILE *);
size_t fread(void *__restrict, size_t, size_t, FILE *__restrict);
size_t fwrite(const void *__restrict, size_t, size_t, FILE *__restrict);
int fseek(FILE *, long, int);
long ftell(FILE *);
void rewind(FILE *);
int fgetpos(FILE *__restrict, fpos_t *__restrict);
int fsetpos(FILE *, const fpos_t *);
void clearerr(FILE *);
int feof(FILE *);
int ferror(FILE *);
void perror(const char *);
#if !defined(__USE_GNU) && !defined(__USE_ISOC11)
char *gets(char *);
#endif
#if defined(__USE_ISOC99)
int snprintf(char *__restrict, size_t, const char *__restrict, ...)
    __attribute__((__format__(__printf__, 3, 4)));
int vsnprintf(char *__restrict, size_t, const char *__restrict, __builtin_va_list)
    __attribute__((__format__(__printf__, 3, 0)));
int vfscanf(FILE *__restrict, const char *__restrict, __builtin_va_list)
    __attribute__((__format__(__scanf__, 2, 0)));
int vscanf(const char *__restrict, __builtin_va_list) __attribute__((__format__(__scanf__, 1, 0)));
int vsscanf(const char *__restrict, const char *__restrict, __builtin_va_list)
    __attribute__((__format__(__scanf__, 2, 0)));
#endif
#if defined(__USE_ATFILE)
int renameat(int, const char *, int, const char *);
#endif
#if defined(__USE_MISC) || defined(__USE_XOPEN)
char *tempnam(const char *, const char *);
#endif
#if defined(__USE_MISC)
int fflush_unlocked(FILE *);
void setbuffer(FILE *__restrict, char *__restrict, size_t);
void setlinebuf(FILE *);
int fgetc_unlocked(FILE *);
int fputc_unlocked(int, FILE *);
size_t fread_unlocked(void *__restrict, size_t, size_t, FILE *__restrict);
size_t fwrite_unlocked(const void *__restrict, size_t, size_t, FILE *__restrict);
void clearerr_unlocked(FILE *);
int feof_unlocked(FILE *);
int ferror_unlocked(FILE *);
int fileno_unlocked(FILE *);
#endif
#if defined(__USE_POSIX)
FILE *fdopen(int, const char *);
int fileno(FILE *);
char *ctermid(char *);
#endif
#if defined(__USE_XOPEN2K8)
FILE *fmemopen(void *, size_t, const char *);
FILE *open_memstream(char **, size_t *);
int vdprintf(int, const char *__restrict, __builtin_va_list)
    __attribute__((__format__(__printf__, 2, 0)));
int dprintf(int, const char *__restrict, ...) __attribute__((__format__(__printf__, 2, 3)));
ssize_t getdelim(char **__restrict, size_t *__restrict, int, FILE *__restrict);
ssize_t getline(char **__restrict, size_t *__restrict, FILE *__restrict);
#endif
#if defined(__USE_POSIX199506)
int getc_unlocked(FILE *);
int getchar_unlocked(void);
int putc_unlocked(int, FILE *);
int putchar_unlocked(int);
void flockfile(FILE *);
int ftrylockfile(FILE *);
void funlockfile(FILE *);
#endif
#if defined(__USE_MISC) || (defined(__USE_XOPEN) && !defined(__USE_XOPEN2K))
int getw(FILE *);
int putw(int, FILE *);
#endif
#if defined(__USE_XOPEN2K) || defined(__USE_LARGEFILE)
int fseeko(FILE *, off_t, int);
off_t ftello(FILE *);
#endif
#if defined(__USE_POSIX2)
int pclose(FILE *);
FILE *popen(const char *, const char *);
#endif
#if defined(__USE_GNU) || (defined(__USE_XOPEN) && !defined(__USE_XOPEN2K))
char *cuserid(char *);
#endif
#if defined(__USE_XOPEN) && !defined(__USE_XOPEN2K)
extern char *optarg;
extern int optind;
extern int opterr;
extern int optopt;
int getopt(int, char *const *, const char *);
#endif
#if defined(__USE_GNU)
int fcloseall(void);
FILE *fopencookie(void *__restrict, const char *__restrict, cookie_io_functions_t);
int vasprintf(char **__restrict, const char *__restrict, __builtin_va_list)
    __attribute__((__format__(__printf__, 2, 0)));
int asprintf(char **__restrict, const char *__restrict, ...)
    __attribute__((__format__(__printf__, 2, 3)));
char *fgets_unlocked(char *__restrict, int, FILE *__restrict);
int fputs_unlocked(const char *__restrict, FILE *__restrict);
#endif

__MPJ_END

#ifdef __USE_LARGEFILE64
#define fopen64   fopen
#define freopen64 freopen
#define tmpfile64 tmpfile
#define fgetpos64 fgetpos
#define fsetpos64 fsetpos
#endif

#ifdef __USE_LARGEFILE64
#include <bits/large.h>

static __inline__ int fseeko64(FILE *__f, long long __place, int __whence)
{
    return __mpj_large_fits(__place) ? fseek(__f, (long)__place, __whence) : -1;
}

static __inline__ long long ftello64(FILE *__f)
{
    return ftell(__f);
}
#endif

#endif
