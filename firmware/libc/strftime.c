/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strftime() with the GNU C library's extensions between '%' and the letter: flags (no padding,
 * padding by blanks or zeros, capitals, the other case) and a width. Each conversion is written
 * without them first and changed afterwards.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define ONE_MAX 128U /* the longest conversion: %c */

struct spec {
    char pad;   /* one of "-_0"; '\0': the conversion's default */
    bool upper; /* ^ */
    bool swap;  /* # */
    bool any;   /* any of these, or a width */
    size_t width;
    char conv;
    const char *begin;
    const char *end;
};

static struct spec read_spec(const char *at)
{
    struct spec s = {.any = false, .begin = at};

    for (at++; *at != '\0' && strchr("-_0^#", *at) != NULL; at++) {
        s.any = true;
        if (*at == '^')
            s.upper = true;
        else if (*at == '#')
            s.swap = true;
        else
            s.pad = *at;
    }
    for (; isdigit((unsigned char)*at); at++) {
        s.any = true;
        s.width = s.width < ONE_MAX * ONE_MAX ? s.width * 10U + (size_t)(*at - '0') : s.width;
    }
    if (*at == 'E' || *at == 'O')
        at++;
    s.conv = *at;
    s.end = at + (*at != '\0');
    return s;
}

static void change_case(const struct spec *s, char *text)
{
    const bool lower = s->swap && (s->conv == 'p' || s->conv == 'Z');
    const bool upper = s->upper || (s->swap && strchr("aAbBh", s->conv) != NULL);

    for (; *text != '\0'; text++) {
        if (lower)
            *text = (char)tolower((unsigned char)*text);
        else if (upper)
            *text = (char)toupper((unsigned char)*text);
    }
}

/* Pads one conversion with flags: returns `text`, to be written after *blanks characters of
 * `fill`. */
static const char *padded(const struct spec *s, char *text, char *fill, size_t *blanks)
{
    const bool number = strchr("CdeGgHIjklmMsSuUVwWyY", s->conv) != NULL;
    const bool by_blanks = strchr("ekls", s->conv) != NULL;
    const char pad = s->pad != '\0' ? s->pad : number && !by_blanks ? '0' : '_';
    size_t width = s->width;

    *blanks = 0;
    if (number) {
        const size_t whole = strlen(text);

        /* the existing padding is removed and replaced */
        while ((*text == '0' || *text == ' ') && text[1] != '\0')
            text++;
        width = width > whole ? width : whole;
    }
    *fill = pad == '0' ? '0' : ' ';
    if ((pad != '-' || !number) && strlen(text) < width)
        *blanks = width - strlen(text);
    return text;
}

/* Returns the number of the week; weeks begin on the day `first` (0: Sunday). */
static int week(const struct tm *tm, int first)
{
    return (tm->tm_yday + 7 - (tm->tm_wday + 7 - first) % 7) / 7;
}

static bool is_leap(long long year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Returns the week of ISO 8601, and the year it belongs to. */
static int iso_week(const struct tm *tm, long long *year)
{
    const int monday = (tm->tm_wday + 6) % 7;
    int n = (tm->tm_yday - monday + 10) / 7;

    *year = (long long)tm->tm_year + 1900;
    if (n < 1) {
        const int days = is_leap(--*year) ? 366 : 365;

        n = (tm->tm_yday + days - monday + 10) / 7;
    } else if (n == 53 && tm->tm_yday - monday + 3 >= (is_leap(*year) ? 366 : 365)) {
        (*year)++;
        n = 1;
    }
    return n;
}

static const char *name(const char *const *names, int i, int count)
{
    return i >= 0 && i < count ? names[i] : "?";
}

static const char *const days[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                   "Thursday", "Friday", "Saturday"};
static const char *const months[] = {"January",   "February", "March",    "April",
                                     "May",       "June",     "July",     "August",
                                     "September", "October",  "November", "December"};

/* Returns the format of a conversion that combines several; NULL: it does not. */
static const char *long_form(char conv)
{
    switch (conv) {
    case 'c':
        return "%a %b %e %H:%M:%S %Y";
    case 'D':
    case 'x':
        return "%m/%d/%y";
    case 'F':
        return "%Y-%m-%d";
    case 'r':
        return "%I:%M:%S %p";
    case 'R':
        return "%H:%M";
    case 'T':
    case 'X':
        return "%H:%M:%S";
    default:
        return NULL;
    }
}

/* Writes a conversion that is a number; false: it is not one. */
static bool number(char conv, const struct tm *tm, char *text)
{
    const long long year = (long long)tm->tm_year + 1900;
    const int twelve = tm->tm_hour % 12 == 0 ? 12 : tm->tm_hour % 12;
    struct tm copy = *tm;
    long long of_week;
    const int iso = iso_week(tm, &of_week);
    long long value;
    int digits = 2;
    bool blanks = false;

    switch (conv) {
    case 'C':
        digits = 1;
        value = year / 100 - (year % 100 < 0);
        break;
    case 'd':
        value = tm->tm_mday;
        break;
    case 'e':
        blanks = true;
        value = tm->tm_mday;
        break;
    case 'G':
        digits = 1;
        value = of_week;
        break;
    case 'g':
        value = (of_week % 100 + 100) % 100;
        break;
    case 'H':
        value = tm->tm_hour;
        break;
    case 'I':
        value = twelve;
        break;
    case 'j':
        digits = 3;
        value = (long long)tm->tm_yday + 1;
        break;
    case 'k':
        blanks = true;
        value = tm->tm_hour;
        break;
    case 'l':
        blanks = true;
        value = twelve;
        break;
    case 'm':
        value = (long long)tm->tm_mon + 1;
        break;
    case 'M':
        value = tm->tm_min;
        break;
    case 's':
        digits = 1;
        value = mktime(&copy);
        break;
    case 'S':
        value = tm->tm_sec;
        break;
    case 'u':
        digits = 1;
        value = (tm->tm_wday + 6) % 7 + 1;
        break;
    case 'U':
        value = week(tm, 0);
        break;
    case 'V':
        value = iso;
        break;
    case 'w':
        digits = 1;
        value = tm->tm_wday;
        break;
    case 'W':
        value = week(tm, 1);
        break;
    case 'y':
        value = (year % 100 + 100) % 100;
        break;
    case 'Y':
        digits = 1;
        value = year;
        break;
    default:
        return false;
    }
    (void)snprintf(text, ONE_MAX, blanks ? "%*lld" : "%0*lld", digits, value);
    return true;
}

static void put_zone(char conv, const struct tm *tm, char *text)
{
    const long minutes = tm->tm_gmtoff / 60;
    const long size = minutes < 0 ? -minutes : minutes;
    const char *zone = tm->tm_zone;

    if (conv == 'z' && tm->tm_isdst >= 0)
        (void)snprintf(text, ONE_MAX, "%c%02ld%02ld", tm->tm_gmtoff < 0 ? '-' : '+', size / 60,
                       size % 60);
    if (conv == 'Z') {
        tzset();
        if ((zone == NULL || *zone == '\0') && tm->tm_isdst >= 0)
            zone = tzname[tm->tm_isdst != 0];
        strncat(text, zone != NULL ? zone : "", ONE_MAX - 1U);
    }
}

/* Writes a conversion without flags; unknown ones are copied. */
static void convert(const struct spec *s, char *text, const struct tm *tm)
{
    const char *const form = long_form(s->conv);

    text[0] = '\0';
    if (form != NULL)
        (void)strftime(text, ONE_MAX, form, tm);
    else if (s->conv == 'a')
        strncat(text, name(days, tm->tm_wday, 7), 3);
    else if (s->conv == 'A')
        strcpy(text, name(days, tm->tm_wday, 7));
    else if (s->conv == 'b' || s->conv == 'h')
        strncat(text, name(months, tm->tm_mon, 12), 3);
    else if (s->conv == 'B')
        strcpy(text, name(months, tm->tm_mon, 12));
    else if (s->conv == 'p')
        strcpy(text, tm->tm_hour > 11 ? "PM" : "AM");
    else if (s->conv == 'P')
        strcpy(text, tm->tm_hour > 11 ? "pm" : "am");
    else if (s->conv == 'n' || s->conv == 't' || s->conv == '%')
        strcpy(text, s->conv == 'n' ? "\n" : s->conv == 't' ? "\t" : "%");
    else if (s->conv == 'z' || s->conv == 'Z')
        put_zone(s->conv, tm, text);
    else if (!number(s->conv, tm, text) && s->end - s->begin < (ptrdiff_t)ONE_MAX)
        strncat(text, s->begin, (size_t)(s->end - s->begin));
    change_case(s, text);
}

size_t strftime(char *restrict out, size_t max, const char *restrict format,
                const struct tm *restrict tm)
{
    char text[ONE_MAX];
    size_t n = 0;

    while (*format != '\0') {
        const char *from = format;
        size_t length = 1, blanks = 0;
        char fill = ' ';

        if (*format == '%') {
            const struct spec s = read_spec(format);

            convert(&s, text, tm);
            from = s.any ? padded(&s, text, &fill, &blanks) : text;
            length = strlen(from);
            format = s.end;
        } else {
            format++;
        }
        if (blanks >= max - n || length >= max - n - blanks)
            return 0;
        memset(out + n, fill, blanks);
        memcpy(out + n + blanks, from, length);
        n += blanks + length;
    }
    if (n < max)
        out[n] = '\0';
    return n < max ? n : 0;
}

size_t strftime_l(char *restrict out, size_t max, const char *restrict format,
                  const struct tm *restrict tm, locale_t locale)
{
    (void)locale;
    return strftime(out, max, format, tm);
}
