/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The system log, which goes to stderr. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#define LINE 1024U

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards these */
static const char *told;                                 /* the name given to openlog() */
static int how;
static int mask = 0xff;

void openlog(const char *name, int options, int facility)
{
    (void)facility;
    (void)pthread_mutex_lock(&lock);
    told = name;
    how = options;
    (void)pthread_mutex_unlock(&lock);
}

void closelog(void)
{
    openlog(NULL, 0, 0);
}

int setlogmask(int wanted)
{
    int before;

    (void)pthread_mutex_lock(&lock);
    before = mask;
    if (wanted != 0)
        mask = wanted;
    (void)pthread_mutex_unlock(&lock);
    return before;
}

/* Copies the format, with the error's text for each %m. */
static void expand(const char *format, int error, char out[LINE])
{
    size_t n = 0;

    while (*format != '\0' && n + 2U < LINE) {
        if (format[0] == '%' && format[1] == 'm') {
            n += (size_t)snprintf(out + n, LINE - n, "%s", strerror(error));
            n = n < LINE ? n : LINE - 1U;
            format += 2;
            continue;
        }
        if (format[0] == '%' && format[1] == '%')
            out[n++] = *format++;
        out[n++] = *format++;
    }
    out[n] = '\0';
}

void vsyslog(int priority, const char *format, va_list args)
{
    const int error = errno;
    char with[LINE];
    char text[LINE];
    size_t n;

    (void)pthread_mutex_lock(&lock);
    if ((mask & LOG_MASK(LOG_PRI(priority))) != 0) {
        expand(format, error, with);
        (void)vsnprintf(text, sizeof(text), with, args);
        n = strlen(text);
        (void)fprintf(stderr, "%s", told != NULL ? told : program_invocation_short_name);
        if ((how & LOG_PID) != 0)
            (void)fprintf(stderr, "[%d]", (int)getpid());
        (void)fprintf(stderr, ": %s%s", text, n > 0 && text[n - 1U] == '\n' ? "" : "\n");
    }
    (void)pthread_mutex_unlock(&lock);
    errno = error;
}

void syslog(int priority, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsyslog(priority, format, args);
    va_end(args);
}
