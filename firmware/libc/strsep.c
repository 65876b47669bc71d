/* SPDX-License-Identifier: GPL-2.0-or-later */
/* String functions that differ from POSIX and Linux in newlib 3.3. */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Returns the next field; newlib's strsep() leaves out an empty field at the end: the last one of
 * "a,b,". */
char *strsep(char **rest, const char *ends)
{
    char *const field = *rest;
    char *end;

    if (field == NULL)
        return NULL;
    end = field + strcspn(field, ends);
    *rest = *end != '\0' ? end + 1 : NULL;
    *end = '\0';
    return field;
}

static bool is_digit(char c)
{
    return isdigit((unsigned char)c) != 0;
}

/*
 * Compares version strings: numbers at the same place are compared as numbers; one that begins with
 * a zero is a fraction, otherwise the longer one is larger. newlib's strverscmp() considers a
 * number larger than any text.
 */
int strverscmp(const char *a, const char *b)
{
    size_t number = 0; /* start of the last digits in the common beginning */
    size_t i;
    bool zeros = true; /* those digits are zeros so far */

    for (i = 0; a[i] == b[i]; i++) {
        if (a[i] == '\0')
            return 0;
        if (!is_digit(a[i])) {
            number = i + 1;
            zeros = true;
        } else if (a[i] != '0') {
            zeros = false;
        }
    }
    if (is_digit(a[number]) && a[number] != '0' && is_digit(b[number]) && b[number] != '0') {
        const size_t digits_a = strspn(a + i, "0123456789");
        const size_t digits_b = strspn(b + i, "0123456789");

        if (digits_a != digits_b)
            return digits_a > digits_b ? 1 : -1;
    } else if (zeros && number < i && (is_digit(a[i]) || is_digit(b[i]))) {
        return (unsigned char)(a[i] - '0') - (unsigned char)(b[i] - '0');
    }
    return (unsigned char)a[i] - (unsigned char)b[i];
}

/* Parses a suboption; newlib's getsubopt() does not return an unknown word. */
int getsubopt(char **rest, char *const *words, char **value)
{
    char *const text = *rest;
    char *end = text + strcspn(text, ",");
    char *const equals = memchr(text, '=', (size_t)(end - text));
    const size_t length = (size_t)((equals != NULL ? equals : end) - text);

    if (*text == '\0')
        return -1;
    if (*end != '\0')
        *end++ = '\0';
    *rest = end;
    for (int i = 0; words[i] != NULL; i++) {
        if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0) {
            *value = equals != NULL ? equals + 1 : NULL;
            return i;
        }
    }
    *value = text;
    return -1;
}
