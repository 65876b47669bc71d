/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The build systems that `mpjoule build` supports: how each is found, and its commands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build_int.h"

bool build_has(const char *folder, const char *name)
{
    char *path;
    bool there;

    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return false;
    there = access(path, F_OK) == 0;
    free(path);
    return there;
}

static void add_all(struct run_words *w, char *const *more)
{
    for (; more != NULL && *more != NULL; more++)
        run_words_add(w, "%s", *more);
}

/* ---- CMake ---------------------------------------------------------------------- */

static void cmake_configure(const struct build *b, struct run_words *w)
{
    run_words_add(w, "cmake");
    run_words_add(w, "-S%s", b->source);
    run_words_add(w, "-B%s", b->out);
    run_words_add(w, "-DCMAKE_TOOLCHAIN_FILE=%s/mpjoule.cmake", b->firmware);
    add_all(w, b->o->configure);
}

/* Adds the words of a build. A name is a target; the rest is for the tool that CMake calls. */
static void cmake_make(const struct build *b, struct run_words *w)
{
    char *const *const args = b->o->args;
    bool more = false;

    run_words_add(w, "cmake");
    run_words_add(w, "--build");
    run_words_add(w, "%s", b->out);
    run_words_add(w, "-j%u", b->jobs);
    for (unsigned i = 0; args != NULL && args[i] != NULL; i++) {
        const bool target = args[i][0] != '-' && strchr(args[i], '=') == NULL;
        if (target) {
            run_words_add(w, "--target");
            run_words_add(w, "%s", args[i]);
        }
        more = more || !target;
    }
    if (more)
        run_words_add(w, "--");
    for (unsigned i = 0; args != NULL && args[i] != NULL; i++) {
        if (args[i][0] == '-' || strchr(args[i], '=') != NULL)
            run_words_add(w, "%s", args[i]);
    }
}

/* ---- Meson ---------------------------------------------------------------------- */

static void meson_configure(const struct build *b, struct run_words *w)
{
    run_words_add(w, "meson");
    run_words_add(w, "setup");
    run_words_add(w, "--cross-file=%s/mpjoule.meson", b->firmware);
    add_all(w, b->o->configure);
    run_words_add(w, "%s", b->out);
    run_words_add(w, "%s", b->source);
}

static void meson_make(const struct build *b, struct run_words *w)
{
    run_words_add(w, "ninja");
    run_words_add(w, "-C");
    run_words_add(w, "%s", b->out);
    run_words_add(w, "-j%u", b->jobs);
    add_all(w, b->o->args);
}

/* ---- autoconf and make ---------------------------------------------------------- */

/* True for scripts of autoconf, which are named in their first lines; others accept neither --host
 * nor CONFIG_SITE. */
static bool uses_autoconf(const char *folder)
{
    char text[1024] = "";
    char *path;
    FILE *f;

    if (asprintf(&path, "%s/configure", folder) < 0)
        return false;
    f = fopen(path, "re");
    free(path);
    if (f == NULL) /* autoreconf creates it */
        return true;
    text[fread(text, 1, sizeof(text) - 1U, f)] = '\0';
    fclose(f);
    return strstr(text, "Autoconf") != NULL || strstr(text, "autoconf") != NULL;
}

/* Configures in the copy: creates the scripts first where the project has none yet. "$@" are
 * configure's options. */
static void autoconf_configure(const struct build *b, struct run_words *w)
{
    static const char script[] =
        "if [ ! -f configure ]; then "
        "if [ -f autogen.sh ]; then NOCONFIGURE=1 sh ./autogen.sh; "
        "elif [ -f bootstrap ]; then sh ./bootstrap; "
        "else autoreconf -i; fi || exit; fi; "
        "if [ -x configure ]; then exec ./configure \"$@\"; fi; exec sh ./configure \"$@\"";

    run_words_add(w, "/bin/sh");
    run_words_add(w, "-c");
    run_words_add(w, "%s", script);
    run_words_add(w, "configure");
    if (uses_autoconf(b->source))
        run_words_add(w, "--host=" BUILD_HOST);
    add_all(w, b->o->configure);
}

/* Adds the tools that makefiles call by names of their own to the command line, which overrides the
 * makefile; a configured one has them. */
void build_make_words(const struct build *b, struct run_words *w)
{
    static const char *const tools[] = {"CC=mpjoule cc",
                                        "CXX=mpjoule-c++",
                                        "AR=mpjoule-ar",
                                        "LD=mpjoule-ld",
                                        "RANLIB=" BUILD_HOST "-gcc-ranlib",
                                        "NM=" BUILD_HOST "-gcc-nm",
                                        "STRIP=" BUILD_HOST "-strip",
                                        "OBJCOPY=" BUILD_HOST "-objcopy",
                                        "OBJDUMP=" BUILD_HOST "-objdump"};

    run_words_add(w, "make");
    for (size_t i = 0; b->system->configure == NULL && i < sizeof(tools) / sizeof(tools[0]); i++)
        run_words_add(w, "%s", tools[i]);
}

static void make_make(const struct build *b, struct run_words *w)
{
    build_make_words(b, w);
    run_words_add(w, "-j%u", b->jobs);
    add_all(w, b->o->args);
}

/* ---- the table ------------------------------------------------------------------ */

static const char *const cmake_marks[] = {"CMakeLists.txt", NULL};
static const char *const cmake_tools[] = {"cmake", "ctest", NULL};
static const char *const meson_marks[] = {"meson.build", NULL};
static const char *const meson_tools[] = {"meson", "ninja", NULL};
static const char *const autoconf_marks[] = {"configure",  "configure.ac", "configure.in",
                                             "autogen.sh", "bootstrap",    NULL};
static const char *const make_marks[] = {"GNUmakefile", "makefile", "Makefile", NULL};
static const char *const make_tools[] = {"make", NULL};

static const struct build_system systems[] = {
    {"cmake", cmake_marks, cmake_tools, false, cmake_configure, cmake_make, build_test_cmake},
    {"meson", meson_marks, meson_tools, false, meson_configure, meson_make, build_test_meson},
    {"autoconf", autoconf_marks, make_tools, true, autoconf_configure, make_make, build_test_make},
    {"make", make_marks, make_tools, true, NULL, make_make, build_test_make},
};

#define SYSTEMS (sizeof(systems) / sizeof(systems[0]))

static const char *mark_of(const struct build_system *s, const char *source)
{
    for (const char *const *mark = s->marks; *mark != NULL; mark++) {
        if (build_has(source, *mark))
            return *mark;
    }
    return NULL;
}

static const struct build_system *named(const struct run_build *o, const char *source,
                                        struct mpj_err *err)
{
    for (size_t i = 0; i < SYSTEMS; i++) {
        if (strcmp(systems[i].name, o->system) != 0)
            continue;
        if (mark_of(&systems[i], source) != NULL)
            return &systems[i];
        mpj_err_set(err, MPJ_E_USAGE, "%s has no %s: it is not a project of %s", source,
                    systems[i].marks[0], o->system);
        return NULL;
    }
    mpj_err_set(err, MPJ_E_USAGE, "--system takes cmake, meson, autoconf or make, not \"%s\"",
                o->system);
    return NULL;
}

const struct build_system *build_system_find(struct run_build *o, const char *source,
                                             struct mpj_err *err)
{
    const struct build_system *found = NULL;

    if (o->system != NULL)
        return named(o, source, err);
    for (size_t i = 0; i < SYSTEMS; i++) {
        const size_t n = strlen(o->also);
        if (mark_of(&systems[i], source) == NULL)
            continue;
        if (found != NULL)
            snprintf(o->also + n, sizeof(o->also) - n, "%s%s", n > 0 ? ", " : "", systems[i].name);
        else
            found = &systems[i];
    }
    if (found == NULL)
        mpj_err_set(err, MPJ_E_USAGE,
                    "no build system in %s: no CMakeLists.txt, meson.build, configure, "
                    "configure.ac, autogen.sh or Makefile; `mpjoule cc` compiles single files",
                    source);
    return found;
}
