/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * putenv(), setenv() and unsetenv() as POSIX has them. newlib's putenv() copies the string, and its
 * setenv() writes over what was there, of the program's own memory, too; both take any name.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* newlib's lock of the environment: getenv() takes it. */
void __env_lock(struct _reent *r);
void __env_unlock(struct _reent *r);

static char **ours; /* environ, once it had to grow */
static size_t room; /* of it, in strings and the end's NULL */

/* The place of a variable, or of the end. The lock is held. */
static size_t find(const char *name, size_t length)
{
    size_t i = 0;

    while (environ != NULL && environ[i] != NULL &&
           (strncmp(environ[i], name, length) != 0 || environ[i][length] != '='))
        i++;
    return i;
}

/* One more than the `used` strings. The lock is held. */
static bool grow(size_t used)
{
    const size_t needed = used + 2U;
    char **more;

    if (environ == ours && needed <= room)
        return true;
    more = realloc(environ == ours ? ours : NULL, 2U * needed * sizeof(*more));
    if (more == NULL)
        return false;
    if (environ != ours && used > 0)
        memcpy(more, environ, used * sizeof(*more));
    more[used] = NULL;
    environ = ours = more;
    room = 2U * needed;
    return true;
}

/* The string is the variable from now on; a variable that is there stays unless `over`. */
static int put(char *text, size_t length, bool over, bool *stays)
{
    size_t i;
    int r = 0;

    __env_lock(_REENT);
    i = find(text, length);
    *stays = environ != NULL && environ[i] != NULL && !over;
    if (environ != NULL && environ[i] != NULL) {
        if (over)
            environ[i] = text;
    } else if (grow(i)) {
        environ[i] = text;
        environ[i + 1U] = NULL;
    } else {
        r = -1;
    }
    __env_unlock(_REENT);
    return r;
}

int putenv(char *text)
{
    const char *const equals = strchr(text, '=');
    bool stays;

    if (equals == NULL)
        return unsetenv(text);
    return put(text, (size_t)(equals - text), true, &stays);
}

static bool is_name(const char *name)
{
    if (name != NULL && *name != '\0' && strchr(name, '=') == NULL)
        return true;
    errno = EINVAL;
    return false;
}

int setenv(const char *name, const char *value, int over)
{
    const size_t length = is_name(name) ? strlen(name) : 0;
    bool stays;
    char *text;
    int r;

    if (length == 0)
        return -1;
    text = malloc(length + strlen(value) + 2U);
    if (text == NULL)
        return -1;
    memcpy(text, name, length);
    text[length] = '=';
    strcpy(text + length + 1U, value);
    r = put(text, length, over != 0, &stays);
    if (r != 0 || stays)
        free(text);
    return r; /* what was there may still be looked at */
}

int unsetenv(const char *name)
{
    size_t length;
    size_t i;

    if (!is_name(name))
        return -1;
    length = strlen(name);
    __env_lock(_REENT);
    while (environ != NULL && environ[i = find(name, length)] != NULL) {
        for (; environ[i] != NULL; i++)
            environ[i] = environ[i + 1U];
    }
    __env_unlock(_REENT);
    return 0;
}
