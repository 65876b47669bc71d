/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Named semaphores; only this program knows the names. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "pt_int.h"

struct named {
    sem_t sem; /* first: the semaphore's address is that of the record */
    struct named *next;
    unsigned opened;
    char *name; /* NULL: unlinked */
};

static pthread_mutex_t lock;
static struct named *all;

static struct named **find(const char *name)
{
    struct named **at = &all;

    while (*at != NULL && ((*at)->name == NULL || strcmp((*at)->name, name) != 0))
        at = &(*at)->next;
    return at;
}

/* Frees the record if the semaphore is neither open nor named. */
static void drop_unused(struct named **at)
{
    struct named *n = *at;

    if (n->opened != 0 || n->name != NULL)
        return;
    *at = n->next;
    free(n);
}

static struct named *make(const char *name, unsigned value)
{
    struct named *n = calloc(1, sizeof(*n));

    if (n == NULL)
        return NULL;
    n->name = strdup(name);
    if (n->name == NULL || sem_init(&n->sem, 0, value) != 0) {
        free(n->name);
        free(n);
        return NULL;
    }
    n->next = all;
    all = n;
    return n;
}

static bool too_long(const char *name)
{
    const bool is = strlen(name + (name[0] == '/')) > NAME_MAX - 4U; /* "sem." on Linux */

    if (is)
        errno = ENAMETOOLONG;
    return is;
}

sem_t *sem_open(const char *name, int flags, ...)
{
    struct named *n;
    unsigned value = 0;

    if ((flags & O_CREAT) != 0) {
        va_list ap;

        va_start(ap, flags);
        (void)va_arg(ap, unsigned); /* mode */
        value = va_arg(ap, unsigned);
        va_end(ap);
    }
    if (too_long(name))
        return SEM_FAILED;
    pthread_mutex_lock(&lock);
    n = *find(name);
    if (n != NULL && (flags & O_CREAT) != 0 && (flags & O_EXCL) != 0) {
        errno = EEXIST;
        n = NULL;
    } else if (n == NULL && (flags & O_CREAT) == 0) {
        errno = ENOENT;
    } else if (n == NULL) {
        n = make(name, value);
    }
    if (n != NULL)
        n->opened++;
    pthread_mutex_unlock(&lock);
    return n != NULL ? &n->sem : SEM_FAILED;
}

int sem_close(sem_t *sem)
{
    int r = -1;

    pthread_mutex_lock(&lock);
    for (struct named **at = &all; *at != NULL; at = &(*at)->next) {
        if (&(*at)->sem == sem && (*at)->opened != 0) {
            (*at)->opened--;
            drop_unused(at);
            r = 0;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    if (r != 0)
        errno = EINVAL;
    return r;
}

int sem_unlink(const char *name)
{
    struct named **at;
    int r = -1;

    if (too_long(name))
        return -1;
    pthread_mutex_lock(&lock);
    at = find(name);
    if (*at != NULL) {
        free((*at)->name);
        (*at)->name = NULL;
        drop_unused(at);
        r = 0;
    }
    pthread_mutex_unlock(&lock);
    if (r != 0)
        errno = ENOENT;
    return r;
}
