/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cc_refuse.h"

#include <stddef.h>
#include <string.h>

/* Sanitizers that need a library; those of undefined behaviour can do without. */
static const char *const with_library[] = {"address", "thread", "leak", "hwaddress", "memory"};

static const struct {
    const char *option;
    bool whole; /* else its beginning */
    const char *why;
} refused[] = {
    {"-pg", true,
     "the target has no gprof; `mpjoule run --functions` has calls, cycles and energy of "
     "functions, of any program"},
    {"-p", true,
     "the target has no prof; `mpjoule run --functions` has calls, cycles and energy of functions, "
     "of any program"},
    {"-fprofile-generate", false,
     "the target has no library for it; `mpjoule run --functions` has calls, cycles and energy of "
     "functions, --coverage has execution counts"},
    {"-fsplit-stack", true,
     "stacks do not grow: omit it; pthread_attr_setstacksize() or OMP_STACKSIZE gives a thread a "
     "larger one"},
    {"-m64", true, "the target is a 32-bit processor"},
    {"-mx32", true, "the target is a 32-bit processor"},
};

static const char no_sanitizer[] =
    "the target has no such library: test with it on this machine; -fsanitize=undefined and its "
    "parts work with -fsanitize-undefined-trap-on-error, and a fault shows the place";

static bool in_list(const char *list, const char *word)
{
    const size_t length = strlen(word);

    for (; *list != '\0'; list += strcspn(list, ",") + (list[strcspn(list, ",")] == ',')) {
        if (strcspn(list, ",") == length && strncmp(list, word, length) == 0)
            return true;
    }
    return false;
}

/* True if a sanitizer needs a library. sanitizer: the list after -fsanitize=. traps: undefined
 * behaviour is to be a fault. */
static bool needs_library(const char *sanitizer, bool traps)
{
    for (size_t i = 0; i < sizeof(with_library) / sizeof(with_library[0]); i++) {
        if (in_list(sanitizer, with_library[i]))
            return true;
    }
    return !traps && strncmp(sanitizer, "kernel-", 7) != 0;
}

const char *cc_refused(char *const *words, int count, const char **why)
{
    static const char sanitize[] = "-fsanitize=";
    bool traps = false;

    for (int i = 0; i < count; i++)
        traps |= strcmp(words[i], "-fsanitize-undefined-trap-on-error") == 0;
    for (int i = 0; i < count; i++) {
        if (strncmp(words[i], sanitize, sizeof(sanitize) - 1) == 0 &&
            needs_library(words[i] + sizeof(sanitize) - 1, traps)) {
            *why = no_sanitizer;
            return words[i];
        }
        for (size_t k = 0; k < sizeof(refused) / sizeof(refused[0]); k++) {
            if (refused[k].whole
                    ? strcmp(words[i], refused[k].option) == 0
                    : strncmp(words[i], refused[k].option, strlen(refused[k].option)) == 0) {
                *why = refused[k].why;
                return words[i];
            }
        }
        /* what follows is its argument */
        if (strcmp(words[i], "-o") == 0 || strcmp(words[i], "-x") == 0)
            i++;
    }
    return NULL;
}

bool cc_covers(const char *word)
{
    static const char *const options[] = {"--coverage", "-coverage", "-fprofile-arcs", "-lgcov"};

    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        if (strcmp(word, options[i]) == 0)
            return true;
    }
    return false;
}
