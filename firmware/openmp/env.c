/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings from the environment, and messages to the user. */
#include "mpj_adapt.h"
#include "omp.h"
#include "omp_int.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

struct omp_config omp_config;

/* ---- messages: without stdio, which a program need not link ----------------------- */

static void put(const char *text)
{
    if (text && write(STDERR_FILENO, text, strlen(text)) < 0)
        return; /* there is no way to report this */
}

void omp_warn(const char *a, const char *b, const char *c)
{
    put("openmp: ");
    put(a);
    put(b);
    put(c);
    put("\n");
}

unsigned omp_team_at_most(unsigned long n)
{
    static bool said;

    if (n <= OMP_MAX_THREADS)
        return (unsigned)n;
    if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
        omp_warn("a team has at most 256 threads: more are asked for", NULL, NULL);
    return OMP_MAX_THREADS;
}

void omp_fatal(const char *a, const char *b)
{
    omp_warn(a, b, NULL);
    exit(EXIT_FAILURE);
}

/* ---- parsing --------------------------------------------------------------------- */

static const char *skip(const char *s)
{
    while (*s == ' ' || *s == '\t')
        s++;
    return s;
}

static const char *get(const char *name)
{
    const char *value = getenv(name);
    return value && *skip(value) ? value : NULL;
}

static void invalid(const char *name)
{
    omp_warn("ignored, invalid value: ", name, NULL);
}

/* Reads a number of at least min that ends at the end of the text or at one of the stop
 * characters. */
static bool number(const char **s, long min, const char *stop, long *out)
{
    char *end;
    const char *begin = skip(*s);
    unsigned long value = strtoul(begin, &end, 10);
    if (end == begin || *begin == '-')
        return false;
    const char *rest = skip(end);
    if ((*rest && !strchr(stop, *rest)) || value > INT_MAX || (long)value < min)
        return false;
    *out = (long)value;
    *s = rest;
    return true;
}

static void read_int(const char *name, long min, int *out)
{
    const char *s = get(name);
    long value;
    if (!s)
        return;
    if (number(&s, min, "", &value))
        *out = (int)value;
    else
        invalid(name);
}

/* Returns the length of the word if s begins with it (in any case) and it ends there; else 0. */
static size_t word(const char *s, const char *name)
{
    size_t n = strlen(name);
    if (strncasecmp(s, name, n) != 0)
        return 0;
    return s[n] == '\0' || strchr(" \t,:", s[n]) ? n : 0;
}

static bool read_bool(const char *name, bool *out)
{
    const char *s = get(name);
    if (!s)
        return false;
    s = skip(s);
    size_t yes = word(s, "true");
    size_t n = yes ? yes : word(s, "false");
    if (n == 0 || *skip(s + n) != '\0') {
        invalid(name);
        return false;
    }
    *out = yes != 0;
    return true;
}

static void read_num_threads(void)
{
    const char *s = get("OMP_NUM_THREADS");
    int list[OMP_NTHREADS_LIST];
    int count = 0;
    if (!s)
        return;
    for (;;) {
        long value;
        if (!number(&s, 1, ",", &value)) {
            invalid("OMP_NUM_THREADS");
            return;
        }
        if (count < OMP_NTHREADS_LIST)
            list[count++] = (int)omp_team_at_most((unsigned long)value);
        if (*s != ',')
            break;
        s++;
    }
    memcpy(omp_config.nthreads_list, list, sizeof(list));
    omp_config.nthreads_count = count;
    omp_config.icv.nthreads = list[0];
}

static void read_schedule(void)
{
    static const char *const names[] = {"static", "dynamic", "guided", "auto"};
    const char *s = get("OMP_SCHEDULE");
    if (!s)
        return;
    s = skip(s);
    bool monotonic = false;
    size_t n = word(s, "monotonic");
    if (n) {
        monotonic = true;
    } else {
        n = word(s, "nonmonotonic");
    }
    if (n) {
        s = skip(s + n);
        if (*s++ != ':') {
            invalid("OMP_SCHEDULE");
            return;
        }
        s = skip(s);
    }
    for (uint8_t kind = 0; kind < 4; kind++) {
        long chunk = kind == 1 || kind == 2; /* dynamic and guided: 1 */
        n = word(s, names[kind]);
        if (!n)
            continue;
        s = skip(s + n);
        if (*s == ',') {
            s++;
            if (!number(&s, 1, "", &chunk))
                break;
        } else if (*s != '\0') {
            break;
        }
        omp_config.icv.sched = (uint8_t)(kind + 1);
        omp_config.icv.chunk = (int)chunk;
        omp_config.icv.monotonic = monotonic;
        return;
    }
    invalid("OMP_SCHEDULE");
}

static void read_stack_size(const char *name)
{
    const char *s = get(name);
    char *end;
    if (!s)
        return;
    s = skip(s);
    unsigned long value = strtoul(s, &end, 10);
    unsigned shift = 10; /* kilobytes by default */
    const char *rest = skip(end);
    if (*rest) {
        switch (*rest | 0x20) {
        case 'b':
            shift = 0;
            break;
        case 'k':
            break;
        case 'm':
            shift = 20;
            break;
        case 'g':
            shift = 30;
            break;
        default:
            shift = UINT_MAX;
        }
        rest = skip(rest + 1);
    }
    if (end == s || *s == '-' || *rest || shift == UINT_MAX || value == 0 ||
        value > ULONG_MAX >> shift) {
        invalid(name);
        return;
    }
    omp_config.stack_size = value << shift;
}

static void read_proc_bind(void)
{
    static const char *const names[] = {"false", "true", "master", "close", "spread"};
    const char *s = get("OMP_PROC_BIND");
    if (!s)
        return;
    s = skip(s);
    for (uint8_t i = 0; i < 5; i++) {
        if (word(s, names[i]) || (i == 2 && word(s, "primary"))) {
            omp_config.icv.bind = i;
            return;
        }
    }
    invalid("OMP_PROC_BIND");
}

static void read_wait_policy(void)
{
    const char *s = get("OMP_WAIT_POLICY");
    int spin = -1;
    if (s) {
        s = skip(s);
        if (word(s, "active"))
            omp_config.spin = 100000;
        else if (word(s, "passive"))
            omp_config.spin = 0;
        else
            invalid("OMP_WAIT_POLICY");
    }
    read_int("GOMP_SPINCOUNT", 0, &spin);
    if (spin >= 0)
        omp_config.spin = (unsigned)spin;
}

static void read_levels(void)
{
    struct omp_icv *icv = &omp_config.icv;
    bool nested = false;
    if (read_bool("OMP_NESTED", &nested))
        icv->max_levels = nested ? OMP_MAX_LEVELS : 1;
    else if (omp_config.nthreads_count > 1)
        icv->max_levels = OMP_MAX_LEVELS;
    read_int("OMP_MAX_ACTIVE_LEVELS", 0, &icv->max_levels);
    if (icv->max_levels > OMP_MAX_LEVELS)
        icv->max_levels = OMP_MAX_LEVELS;
}

static void read_allocator(void)
{
    const char *s = get("OMP_ALLOCATOR");
    uintptr_t allocator;
    if (!s)
        return;
    allocator = omp_allocator_of(skip(s));
    if (allocator)
        omp_config.icv.allocator = allocator;
    else
        invalid("OMP_ALLOCATOR");
}

static void read_adapt(void)
{
    bool dynamic;

    omp_config.adapt = mpj_adapt_init(&dynamic);
    omp_config.late = omp_config.adapt ? OMP_ADAPT : 0;
    if (dynamic)
        omp_config.icv.dynamic = true;
}

static void display(void)
{
    const char *s = get("OMP_DISPLAY_ENV");
    const bool verbose = s && word(skip(s), "verbose");
    bool plain = false;
    if (s && (verbose || (read_bool("OMP_DISPLAY_ENV", &plain) && plain)))
        omp_print_env(verbose);
}

void omp_config_init(void)
{
    struct omp_icv *icv = &omp_config.icv;

    icv->nthreads = (int)mpj_rt_cores();
    icv->max_levels = 1;
    icv->thread_limit = INT_MAX;
    icv->sched = OMP_DYNAMIC;
    icv->chunk = 1;
    icv->allocator = omp_default_mem_alloc;
    /* About the cost of going to sleep and being woken. */
    omp_config.spin = 300;

    read_num_threads();
    read_schedule();
    read_bool("OMP_DYNAMIC", &icv->dynamic);
    read_levels();
    read_int("OMP_THREAD_LIMIT", 1, &icv->thread_limit);
    read_int("OMP_DEFAULT_DEVICE", 0, &icv->default_device);
    read_int("OMP_MAX_TASK_PRIORITY", 0, &omp_config.max_task_priority);
    read_int("OMP_NUM_TEAMS", 1, &omp_config.num_teams);
    read_int("OMP_TEAMS_THREAD_LIMIT", 1, &omp_config.teams_thread_limit);
    read_stack_size("GOMP_STACKSIZE");
    read_stack_size("OMP_STACKSIZE");
    read_proc_bind();
    read_wait_policy();
    read_bool("OMP_CANCELLATION", &omp_config.cancellation);
    read_allocator();
    read_adapt();
    read_bool("OMP_DISPLAY_AFFINITY", &omp_config.display_affinity);
    display();
}
