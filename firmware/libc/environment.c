/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * putenv(), setenv() and unsetenv() as POSIX defines them. newlib's putenv() copies the string, and
 * its setenv() overwrites the old value in place, even in the program's own memory; both accept any
 * name.
 */
#include <errno.h>
#include <reent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* newlib's lock of the environment, which getenv() takes. */
void __env_lock(struct _reent *r);
void __env_unlock(struct _reent *r);

static char **ours; /* the value of environ once the list has grown */
static size_t room; /* of that list, in strings, the NULL at the end included */

/* Returns the list of variables; an empty one if the program has set environ to NULL. */
static char **variables(void)
{
    static char *none;

    return environ != NULL ? environ : &none;
}

/* Returns the index of a variable, or of the end of the list. The lock is held. */
static size_t find(char *const *list, const char *name, size_t length)
{
    size_t i = 0;

    while (list[i] != NULL && (strncmp(list[i], name, length) != 0 || list[i][length] != '='))
        i++;
    return i;
}

/* Appends a string to the list, of which `used` entries are used; false: no memory. The lock is
 * held. */
static bool append(char **list, size_t used, char *text)
{
    const size_t needed = used + 2U;

    if (list != ours || needed > room) {
        char **const more = realloc(list == ours ? ours : NULL, 2U * needed * sizeof(*more));

        if (more == NULL)
            return false;
        if (list != ours)
            memcpy(more, list, used * sizeof(*more));
        environ = ours = list = more;
        room = 2U * needed;
    }
    list[used] = text;
    list[used + 1U] = NULL;
    return true;
}

/* Makes the string the variable's value. Returns 0; 1: the variable exists and is kept; -1: no
 * memory. */
static int put(char *text, size_t length, bool over)
{
    char **list;
    size_t i;
    int r = 0;

    __env_lock(_REENT);
    list = variables();
    i = find(list, text, length);
    if (list[i] != NULL && !over)
        r = 1;
    else if (list[i] != NULL)
        list[i] = text;
    else if (!append(list, i, text))
        r = -1;
    __env_unlock(_REENT);
    return r;
}

int putenv(char *text)
{
    const char *const equals = strchr(text, '=');

    return equals != NULL ? put(text, (size_t)(equals - text), true) : unsetenv(text);
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
    r = put(text, length, over != 0); /* the old string stays, as it may still be in use */
    if (r != 0)
        free(text);
    return r < 0 ? -1 : 0;
}

int unsetenv(const char *name)
{
    char **list;
    size_t length;
    size_t i;

    if (!is_name(name))
        return -1;
    length = strlen(name);
    __env_lock(_REENT);
    list = variables();
    while (list[i = find(list, name, length)] != NULL) {
        for (; list[i] != NULL; i++)
            list[i] = list[i + 1U];
    }
    __env_unlock(_REENT);
    return 0;
}
