/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "format.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* AAPCS32, 7.1.4: a va_list is a pointer to the arguments, which follow each other word-aligned;
 * arguments of eight bytes are aligned to eight. */
_Static_assert(sizeof(va_list) == sizeof(void *), "a va_list is one pointer");

#define HEX_DIGITS    13U /* hexadecimal digits of a double's fraction */
#define HEX_MAX       64U /* bytes of a %a */
#define PRECISION_MAX 40

enum type { NONE, INT, LONG_LONG, DOUBLE, POINTER };

union value {
    int i;
    long long ll;
    double d;
    void *p;
};

/* One conversion; arguments are numbered from 0, -1: none. */
struct spec {
    const char *at, *end; /* the conversion's text, from the % */
    char flags[8];
    char length[3];
    char conv;
    bool star;            /* width from an argument; scanning: result is not stored */
    int width, precision; /* as written; -1: absent */
    int width_arg, precision_arg, arg;
    const char *set, *set_end; /* scanning: [...] */
};

struct mpj_format_back {
    signed char *to;
    short from;
};

static bool digits(const char **p, int *value)
{
    if (!isdigit((unsigned char)**p))
        return false;
    *value = 0;
    while (isdigit((unsigned char)**p))
        *value = *value < 100000 ? *value * 10 + (*(*p)++ - '0') : ((*p)++, *value);
    return true;
}

/* Parses an argument number: "12$" gives 11; otherwise reads nothing and returns -1. */
static int position(const char **p)
{
    const char *at = *p;
    int n;

    if (!digits(&at, &n) || *at != '$')
        return -1;
    *p = at + 1;
    return n - 1;
}

static void read_length(struct spec *s, const char **p)
{
    unsigned n = 0;

    while (n < 2 && **p != '\0' && strchr("hljztLq", **p) != NULL)
        s->length[n++] = *(*p)++;
    s->length[n] = '\0';
}

/* Parses a width or precision: a number, or an argument (`next` counts those without a number). */
static void read_size(const char **p, int *value, int *arg, int *next)
{
    *value = -1;
    *arg = -1;
    if (**p == '*') {
        (*p)++;
        *arg = position(p);
        if (*arg < 0)
            *arg = (*next)++;
        return;
    }
    (void)digits(p, value);
}

static void print_spec(struct spec *s, const char **p, int *next)
{
    unsigned n = 0;
    int number;

    *s = (struct spec){.at = (*p)++, .precision = -1, .precision_arg = -1, .arg = -1};
    number = position(p);
    while (**p != '\0' && strchr("-+ #0'", **p) != NULL) {
        if (**p != '\'' && n < sizeof(s->flags) - 1)
            s->flags[n++] = **p;
        (*p)++;
    }
    read_size(p, &s->width, &s->width_arg, next);
    if (**p == '.') {
        (*p)++;
        read_size(p, &s->precision, &s->precision_arg, next);
        if (s->precision < 0 && s->precision_arg < 0)
            s->precision = 0;
    }
    read_length(s, p);
    s->conv = **p;
    if (**p != '\0')
        (*p)++;
    s->end = *p;
    if (s->conv != '%' && s->conv != '\0' && s->conv != 'm')
        s->arg = number >= 0 ? number : (*next)++;
}

static void scan_spec(struct spec *s, const char **p, int *next)
{
    *s = (struct spec){.at = (*p)++, .width_arg = -1, .precision_arg = -1, .arg = -1};
    if (**p == '*') {
        s->star = true;
        (*p)++;
    }
    s->width = -1;
    (void)digits(p, &s->width);
    read_length(s, p);
    s->conv = **p;
    if (**p != '\0')
        (*p)++;
    if (s->conv == '[') {
        s->set = *p;
        *p += **p == '^';
        *p += **p == ']';
        while (**p != '\0' && **p != ']')
            (*p)++;
        *p += **p == ']';
        s->set_end = *p;
    }
    s->end = *p;
    if (s->conv != '%' && s->conv != '\0' && !s->star)
        s->arg = (*next)++;
}

static bool is(const struct spec *s, const char *length)
{
    return strcmp(s->length, length) == 0;
}

/* True if the conversion is of wide characters. */
static bool wide(const struct spec *s)
{
    return s->conv == 'S' || s->conv == 'C' || ((s->conv == 's' || s->conv == 'c') && is(s, "l"));
}

/* True if the library does not support the conversion. */
static bool strange(const struct spec *s)
{
    return wide(s) || s->conv == 'm' || s->conv == 'p' || s->conv == 'a' || s->conv == 'A' ||
           s->conv == 'F' || is(s, "hh") || strpbrk(s->length, "jztL") != NULL ||
           memchr(s->at, '$', (size_t)(s->end - s->at)) ||
           memchr(s->at, '\'', (size_t)(s->end - s->at));
}

static enum type type_of(const struct spec *s)
{
    if (strchr("aAeEfFgG", s->conv) != NULL)
        return DOUBLE;
    if (strchr("spnS", s->conv) != NULL)
        return POINTER;
    return is(s, "ll") || is(s, "j") || is(s, "q") ? LONG_LONG : INT;
}

/* Counts the conversions; *known: the library supports all of them. */
static unsigned survey(const char *format, bool scan, bool *known)
{
    unsigned n = 0;
    int next = 0;
    struct spec s;

    *known = true;
    for (const char *p = strchr(format, '%'); p != NULL; p = strchr(p, '%'), n++) {
        (scan ? scan_spec : print_spec)(&s, &p, &next);
        *known = *known && !strange(&s);
    }
    return n;
}

/* Returns memory of that size, aligned for any type: the small buffer, or from the heap. */
static char *room(struct mpj_format *x, size_t bytes)
{
    if (bytes <= sizeof(x->small))
        return (char *)x->small;
    x->heap = malloc(bytes);
    return x->heap;
}

static size_t even(size_t n)
{
    return (n + 7U) & ~(size_t)7U;
}

static char *put_text(char *to, const char *from, size_t n)
{
    memcpy(to, from, n);
    return to + n;
}

/* ---- printing ----------------------------------------------------------------- */

/* Prints a double as %a does in the GNU C library: one digit before the point. */
static void hex_text(char *out, double value, const struct spec *s, int precision)
{
    const bool upper = s->conv == 'A';
    uint64_t bits;
    uint64_t fraction;
    int exponent;
    unsigned lead;
    unsigned n = HEX_DIGITS;
    char *p = out;

    memcpy(&bits, &value, sizeof(bits));
    fraction = bits & 0xfffffffffffffULL;
    exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    lead = exponent > -1023;
    if (bits >> 63)
        *p++ = '-';
    else if (strchr(s->flags, '+') != NULL)
        *p++ = '+';
    else if (strchr(s->flags, ' ') != NULL)
        *p++ = ' ';
    if (exponent == -1023)
        exponent = fraction != 0 ? -1022 : 0;
    if (precision >= 0 && precision < (int)HEX_DIGITS) { /* rounds half to even */
        const unsigned cut = 4U * (HEX_DIGITS - (unsigned)precision);
        const uint64_t half = 1ULL << (cut - 1U);
        uint64_t all = (uint64_t)lead << 52 | fraction;
        const uint64_t rest = all & (2U * half - 1U);
        all >>= cut;
        if (rest > half || (rest == half && (all & 1U) != 0))
            all++;
        all <<= cut;
        lead = (unsigned)(all >> 52);
        fraction = all & 0xfffffffffffffULL;
        n = (unsigned)precision;
    } else if (precision < 0) {
        while (n > 0 && (fraction >> (4U * (HEX_DIGITS - n)) & 0xfU) == 0)
            n--;
    }
    p += sprintf(p, upper ? "0X%u" : "0x%u", lead);
    if (n > 0 || precision > 0 || strchr(s->flags, '#') != NULL)
        *p++ = '.';
    for (unsigned i = 0; i < n; i++)
        *p++ = (upper ? "0123456789ABCDEF" : "0123456789abcdef")[fraction >> (48U - 4U * i) & 0xfU];
    for (int i = (int)HEX_DIGITS; i < precision; i++)
        *p++ = '0';
    sprintf(p, upper ? "P%+d" : "p%+d", exponent);
}

static void special_text(char *out, double value, const struct spec *s)
{
    const bool lower = s->conv == 'a';

    sprintf(out, "%s%s",
            signbit(value)                  ? "-"
            : strchr(s->flags, '+') != NULL ? "+"
            : strchr(s->flags, ' ') != NULL ? " "
                                            : "",
            isnan(value) ? (lower ? "nan" : "NAN") : (lower ? "inf" : "INF"));
}

struct printer {
    char *text; /* end of the new format */
    char *args; /* end of the new arguments */
    char *string;
    char *narrow; /* buffer for text of wide characters */
    const union value *value;
    struct mpj_format_back *back; /* for the next %hhn */
    int error;                    /* errno before the call */
};

static bool counts_char(const struct spec *s)
{
    return s->conv == 'n' && is(s, "hh");
}

static void put_int(struct printer *w, int value)
{
    memcpy(w->args, &value, sizeof(value));
    w->args += sizeof(value);
}

static void put_wide(struct printer *w, const void *value)
{
    w->args = (char *)even((size_t)w->args);
    memcpy(w->args, value, 8);
    w->args += 8;
}

static void put_flags(struct printer *w, const char *flags, const char * not )
{
    *w->text++ = '%';
    for (; *flags != '\0'; flags++) {
        if (strchr(not, *flags) == NULL)
            *w->text++ = *flags;
    }
}

static void put_width(struct printer *w, const struct spec *s)
{
    if (s->width_arg >= 0) {
        *w->text++ = '*';
        put_int(w, w->value[s->width_arg].i);
    } else if (s->width >= 0) {
        w->text += sprintf(w->text, "%d", s->width);
    }
}

static void put_value(struct printer *w, const struct spec *s)
{
    const union value v = w->value[s->arg];

    switch (type_of(s)) {
    case DOUBLE:
        put_wide(w, &v.d);
        break;
    case LONG_LONG:
        put_wide(w, &v.ll);
        break;
    case POINTER:
        if (counts_char(s)) { /* via a short */
            w->back->to = v.p;
            w->back->from = *w->back->to;
            put_int(w, (int)(intptr_t)&w->back++->from);
            break;
        }
        put_int(w, (int)(intptr_t)v.p);
        break;
    default:
        put_int(w, !is(s, "hh")                       ? v.i
                   : s->conv == 'd' || s->conv == 'i' ? (signed char)v.i
                                                      : (unsigned char)v.i);
        break;
    }
}

/* Writes a hexadecimal number in the requested width: zeros come after its "0x". */
static void put_zeros(struct printer *w, const struct spec *s)
{
    const int width = s->width_arg >= 0 ? w->value[s->width_arg].i : s->width;
    const size_t head = (size_t)(strpbrk(w->string, "xX") + 1 - w->string);
    const int zeros = width - (int)strlen(w->string);
    char *const prefix = w->string + HEX_MAX - 4; /* the text is shorter */

    memcpy(prefix, w->string, head);
    prefix[head] = '\0';
    w->text = put_text(w->text, "%s%.*d%s", 8);
    put_int(w, (int)(intptr_t)prefix);
    put_int(w, zeros > 0 ? zeros : 0);
    put_int(w, 0); /* prints no digits but these zeros */
    put_int(w, (int)(intptr_t)(w->string + head));
}

/* NOLINTBEGIN(clang-analyzer-core.NullDereference): the buffer exists when there are wide texts. */
/* Encodes a character in UTF-8, whatever the locale; returns the number of bytes. */
static unsigned narrow(wchar_t c, char *to)
{
    const uint32_t u = (uint32_t)c;

    if (u < 0x80U) {
        to[0] = (char)u;
        return 1;
    }
    if (u < 0x800U) {
        to[0] = (char)(0xc0U | u >> 6);
        to[1] = (char)(0x80U | (u & 0x3fU));
        return 2;
    }
    if (u < 0x10000U) {
        to[0] = (char)(0xe0U | u >> 12);
        to[1] = (char)(0x80U | (u >> 6 & 0x3fU));
        to[2] = (char)(0x80U | (u & 0x3fU));
        return 3;
    }
    to[0] = (char)(0xf0U | (u >> 18 & 7U));
    to[1] = (char)(0x80U | (u >> 12 & 0x3fU));
    to[2] = (char)(0x80U | (u >> 6 & 0x3fU));
    to[3] = (char)(0x80U | (u & 0x3fU));
    return 4;
}

/* Converts the text of a %ls or %lc; a precision counts bytes and never ends within a character. */
static const char *narrowed(struct printer *w, const struct spec *s, int precision)
{
    const union value v = w->value[s->arg];
    const bool one = s->conv == 'c' || s->conv == 'C';
    const wchar_t letter[2] = {(wchar_t)v.i};
    const wchar_t *from = one ? letter : v.p != NULL ? v.p : L"(null)";
    char *const text = w->narrow;

    for (; *from != 0; from++) {
        const unsigned n = narrow(*from, w->narrow);

        if (!one && precision >= 0 && w->narrow + n > text + precision)
            break;
        w->narrow += n;
    }
    *w->narrow++ = '\0';
    return text;
}
/* NOLINTEND(clang-analyzer-core.NullDereference) */

/* Writes a conversion whose text the library prints as a string. */
static void put_string(struct printer *w, const struct spec *s)
{
    const int precision = s->precision_arg >= 0 ? w->value[s->precision_arg].i : s->precision;
    const char *const text = s->conv == 'm'   ? strerror(w->error)
                             : s->conv == 'p' ? "(nil)"
                                              : narrowed(w, s, precision);

    put_flags(w, s->flags, "+ #0");
    put_width(w, s);
    if (precision >= 0 && s->conv == 'm')
        w->text += sprintf(w->text, ".%d", precision);
    *w->text++ = 's';
    put_int(w, (int)(intptr_t)text);
}

static void put_spec(struct printer *w, const struct spec *s)
{
    const bool hex = s->conv == 'a' || s->conv == 'A';

    if (s->conv == 'm' || wide(s) || (s->conv == 'p' && w->value[s->arg].p == NULL)) {
        put_string(w, s);
        return;
    }
    if (s->arg < 0) { /* %% or the end of the format */
        w->text = put_text(w->text, s->at, (size_t)(s->end - s->at));
        return;
    }
    if ((hex || s->conv == 'F') && (hex || !isfinite(w->value[s->arg].d))) {
        const double value = w->value[s->arg].d;
        int precision = s->precision_arg >= 0 ? w->value[s->precision_arg].i : s->precision;
        const bool left =
            strchr(s->flags, '-') != NULL || (s->width_arg >= 0 && w->value[s->width_arg].i < 0);
        precision = precision > PRECISION_MAX ? PRECISION_MAX : precision;
        if (isfinite(value) && strchr(s->flags, '0') != NULL && !left) {
            hex_text(w->string, value, s, precision);
            put_zeros(w, s);
            w->string += HEX_MAX;
            return;
        }
        put_flags(w, s->flags, "+ #0");
        put_width(w, s);
        *w->text++ = 's';
        put_int(w, (int)(intptr_t)w->string);
        if (isfinite(value))
            hex_text(w->string, value, s, precision);
        else
            special_text(w->string, value, s);
        w->string += HEX_MAX;
        return;
    }
    put_flags(w, s->flags, "");
    put_width(w, s);
    if (s->precision_arg >= 0) {
        w->text = put_text(w->text, ".*", 2);
        put_int(w, w->value[s->precision_arg].i);
    } else if (s->precision >= 0) {
        w->text += sprintf(w->text, ".%d", s->precision);
    }
    if (is(s, "j") || is(s, "q"))
        w->text = put_text(w->text, "ll", 2);
    else if (is(s, "h") || is(s, "l") || is(s, "ll"))
        w->text = put_text(w->text, s->length, strlen(s->length));
    else if (counts_char(s))
        *w->text++ = 'h';
    *w->text++ = s->conv == 'F' ? 'f' : s->conv;
    put_value(w, s);
}

static void note_type(enum type *type, unsigned max, int arg, enum type is_a)
{
    if (arg >= 0 && (unsigned)arg < max)
        type[arg] = is_a;
}

static void take_values(union value *value, const enum type *type, unsigned n, va_list ap)
{
    for (unsigned i = 0; i < n; i++) {
        switch (type[i]) {
        case DOUBLE:
            value[i].d = va_arg(ap, double);
            break;
        case LONG_LONG:
            value[i].ll = va_arg(ap, long long);
            break;
        case POINTER:
            value[i].p = va_arg(ap, void *);
            break;
        default: /* also the type of arguments that no conversion uses */
            value[i].i = va_arg(ap, int);
            break;
        }
    }
}

bool mpj_format_print(struct mpj_format *x, const char *format, va_list ap)
{
    bool known;
    const unsigned specs = survey(format, false, &known);
    const unsigned max = 3U * specs; /* arguments at most */
    size_t bytes;
    char *at;
    union value *value;
    enum type *type;
    size_t wides = 0;
    unsigned backs = 0;
    struct printer w = {.error = errno};
    struct spec s;
    const char *p;
    const char *from;
    int next = 0;
    int most = 0;

    x->heap = NULL;
    x->narrow = NULL;
    x->backs = 0;
    x->format = format;
    va_copy(x->ap, ap);
    if (known)
        return true;
    /* a number takes at most eight characters more in the new format */
    bytes = even(max * sizeof(*type)) + max * sizeof(*value) + max * 8U + specs * HEX_MAX +
            strlen(format) + specs * 24U + 1U;
    at = room(x, bytes);
    if (at == NULL)
        return false;
    value = (union value *)at;
    w.value = value;
    type = (enum type *)(value + max);
    w.args = (char *)type + even(max * sizeof(*type));
    w.string = w.args + max * 8U;
    w.text = w.string + specs * HEX_MAX;
    memset(type, 0, max * sizeof(*type));
    for (p = strchr(format, '%'); p != NULL; p = strchr(p, '%')) {
        print_spec(&s, &p, &next);
        note_type(type, max, s.width_arg, INT);
        note_type(type, max, s.precision_arg, INT);
        note_type(type, max, s.arg, type_of(&s));
        most = s.width_arg >= most ? s.width_arg + 1 : most;
        most = s.precision_arg >= most ? s.precision_arg + 1 : most;
        most = s.arg >= most ? s.arg + 1 : most;
    }
    if ((unsigned)most > max) { /* an argument number beyond the conversions */
        errno = EINVAL;
        return false;
    }
    take_values(value, type, (unsigned)most, ap);
    next = 0;
    for (p = strchr(format, '%'); p != NULL; p = strchr(p, '%')) {
        print_spec(&s, &p, &next);
        if (wide(&s))
            wides += 32U + (type_of(&s) == POINTER && value[s.arg].p != NULL
                                ? 4U * wcslen(value[s.arg].p)
                                : 0);
        backs += counts_char(&s);
    }
    if (wides + backs != 0) {
        x->narrow = malloc(backs * sizeof(*x->back) + wides);
        if (x->narrow == NULL)
            return false;
        x->back = w.back = x->narrow;
        x->backs = backs;
        w.narrow = (char *)(x->back + backs);
    }
    x->format = w.text;
    memcpy(&x->ap, &w.args, sizeof(x->ap));
    next = 0;
    from = format;
    for (p = strchr(format, '%'); p != NULL; p = strchr(p, '%')) {
        w.text = put_text(w.text, from, (size_t)(p - from));
        print_spec(&s, &p, &next);
        put_spec(&w, &s);
        from = p;
    }
    strcpy(w.text, from);
    return true;
}

/* ---- scanning ----------------------------------------------------------------- */

static void put_scan(struct mpj_format *x, struct printer *w, const struct spec *s)
{
    *w->text++ = '%';
    if (s->star)
        *w->text++ = '*';
    if (s->width >= 0)
        w->text += sprintf(w->text, "%d", s->width);
    if (is(s, "j") || is(s, "q"))
        w->text = put_text(w->text, "ll", 2);
    else if (is(s, "hh"))
        *w->text++ = 'h';
    else if (is(s, "L"))
        *w->text++ = 'l';
    else if (is(s, "h") || is(s, "l") || is(s, "ll"))
        w->text = put_text(w->text, s->length, strlen(s->length));
    *w->text++ = s->conv != '\0' && strchr("aAF", s->conv) != NULL ? 'g' : s->conv;
    if (s->set != NULL)
        w->text = put_text(w->text, s->set, (size_t)(s->set_end - s->set));
    if (s->arg < 0)
        return;
    if (is(s, "hh")) {
        struct mpj_format_back *const b = &x->back[x->backs++];
        b->to = w->value[s->arg].p;
        b->from = *b->to;
        put_int(w, (int)(intptr_t)&b->from);
    } else {
        put_int(w, (int)(intptr_t)w->value[s->arg].p);
    }
}

bool mpj_format_scan(struct mpj_format *x, const char *format, va_list ap)
{
    bool known;
    const unsigned specs = survey(format, true, &known);
    union value *value;
    struct printer w;
    struct spec s;
    const char *p;
    const char *from = format;
    int next = 0;

    x->heap = NULL;
    x->narrow = NULL;
    x->backs = 0;
    x->format = format;
    va_copy(x->ap, ap);
    if (known)
        return true;
    value = (union value *)room(x, specs * (sizeof(*value) + sizeof(*x->back) + 4U + 24U) +
                                       strlen(format) + 1U);
    if (value == NULL)
        return false;
    x->back = (struct mpj_format_back *)(value + specs);
    w.value = value;
    w.args = (char *)(x->back + specs);
    w.text = w.args + specs * 4U;
    x->format = w.text;
    memcpy(&x->ap, &w.args, sizeof(x->ap));
    for (p = strchr(format, '%'); p != NULL; p = strchr(p, '%')) {
        w.text = put_text(w.text, from, (size_t)(p - from));
        scan_spec(&s, &p, &next);
        if (s.arg >= 0)
            value[s.arg].p = va_arg(ap, void *);
        put_scan(x, &w, &s);
        from = p;
    }
    strcpy(w.text, from);
    return true;
}

void mpj_format_end(struct mpj_format *x)
{
    const int kept = errno;

    for (unsigned i = 0; i < x->backs; i++)
        *x->back[i].to = (signed char)x->back[i].from;
    free(x->heap);
    free(x->narrow);
    errno = kept;
}
