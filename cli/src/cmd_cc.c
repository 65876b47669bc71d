/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule cc: the GNU Arm compiler with the runtime's specs. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cc_layout.h"
#include "cc_refuse.h"
#include "cli.h"
#include "commands.h"
#include "run/kinds.h"
#include "run/paths.h"
#include "tile_limits.h"

#define COMPILER "arm-none-eabi-gcc"
#define SPECS    "mpjoule.specs"
#define BOARD    "--board"
/* One NOP at each entry: the hook replaces it by one branch. */
#define PATCHABLE "-fpatchable-function-entry=1"

/* True if an argument names a processor. The specs have the only one; makefiles name that of the
 * machine they were written on (-march=native), which the compiler would refuse before it reads the
 * specs. */
static bool names_processor(const char *arg)
{
    static const char *const options[] = {"-march=", "-mtune=", "-mcpu="};

    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        if (strncmp(arg, options[i], strlen(options[i])) == 0)
            return true;
    }
    return false;
}

/* True if an argument has no effect here: position-independent code is for shared libraries, which
 * the target does not have, and all code is of 32 bits. */
static bool means_nothing(const char *arg)
{
    static const char *const options[] = {
        "-fPIC",    "-fpic",    "-fPIE",    "-fpie",       "-pie",      "-no-pie", "-fno-pie",
        "-fno-PIE", "-fno-pic", "-fno-PIC", "-static-pie", "-rdynamic", "-m32"};

    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        if (strcmp(arg, options[i]) == 0)
            return true;
    }
    return false;
}

/* True if an argument asks for a shared library, also among the linker's options: -Wl,A,B. */
static bool makes_shared(const char *arg)
{
    static const char *const options[] = {"-shared", "--shared", "-Bshareable"};
    const char *const list = strncmp(arg, "-Wl,", 4) == 0 ? arg + 4 : arg;
    size_t n;

    for (const char *p = list; *p != '\0'; p += n + (p[n] == ',')) {
        n = strcspn(p, ",");
        for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
            if (strlen(options[i]) == n && strncmp(p, options[i], n) == 0)
                return true;
        }
    }
    return false;
}

/* True if an argument is a source file of C++, by its name or by an option. */
static bool names_cxx(const char *arg)
{
    static const char *const endings[] = {".cc", ".cpp", ".cxx", ".C", ".c++", ".cp"};
    const char *const dot = strrchr(arg, '.');

    if (strncmp(arg, "-xc++", 5) == 0 || strcmp(arg, "c++") == 0)
        return true;
    for (size_t i = 0; arg[0] != '-' && dot != NULL && i < sizeof(endings) / sizeof(endings[0]);
         i++) {
        if (strcmp(dot, endings[i]) == 0)
            return true;
    }
    return false;
}

/* Returns how many of the arguments from here on name the board, as `--board NAME` or
 * `--board=NAME`: 0, 1, 2; then sets *name, NULL for a name that is missing. */
static int names_board(char *const *arg, const char **name)
{
    const size_t len = strlen(BOARD);

    if (strcmp(arg[0], BOARD) == 0) {
        *name = arg[1];
        return arg[1] != NULL ? 2 : 1;
    }
    if (strncmp(arg[0], BOARD "=", len + 1) != 0)
        return 0;
    *name = arg[0] + len + 1;
    return 1;
}

/* Removes the board from the arguments and returns it: the last one named, TILE_BOARD_DEFAULT if
 * none is. */
static const char *take_board(int *argc, char **argv)
{
    const char *name = TILE_BOARD_DEFAULT;
    int n = 1;
    int words;

    for (int i = 1; i<*argc; i += words> 0 ? words : 1) {
        words = names_board(argv + i, &name);
        if (words == 0)
            argv[n++] = argv[i];
    }
    argv[n] = NULL;
    *argc = n;
    return name;
}

/* Checks that there is a runtime of that board to link with; own: the board's folder. */
static int check_runtime(const char *board, const char *own, const char *specs, struct mpj_err *err)
{
    struct tile_machine ignored;

    if (board == NULL)
        return mpj_err_set(err, MPJ_E_USAGE, BOARD " takes the name of a board");
    if (access(specs, R_OK) != 0)
        return mpj_err_set(err, MPJ_E_TARGET,
                           "the target's runtime is missing (%s): `mpjoule doctor` prints a fix",
                           specs);
    if (run_kind_load(&ignored, board, err) != MPJ_E_OK)
        return err->code;
    return access(own, X_OK) == 0 ? MPJ_E_OK : mpj_err_errno(err, "cannot use the runtime %s", own);
}

/* Counts of objects are put into a section, whose contents the runtime saves at the program's end
 * (firmware/libc/coverage.c): the library that gcc links for coverage calls nothing by itself. */
static const char *const coverage[] = {"-fprofile-info-section=mpj_coverage",
                                       "-Wl,-u,mpj_coverage,-u,__gcov_info_to_gcda"};
#define COVERAGE_ARGS ((int)(sizeof(coverage) / sizeof(coverage[0])))

/* Faults reported in addition to the compiler's lines, or instead of the linker's many. */
enum trouble { TOO_LARGE = 1, MIXED = 2, CXX = 4, HOOKS = 8 };
#define INSTEAD (TOO_LARGE | MIXED | HOOKS)

static enum trouble trouble_of(const char *line)
{
    if (strstr(line, "will not fit in region") != NULL || strstr(line, "' overflowed by ") != NULL)
        return TOO_LARGE;
    if (strstr(line, "undefined reference to `operator new") != NULL ||
        strstr(line, "undefined reference to `std::") != NULL ||
        strstr(line, "undefined reference to `__cxa_") != NULL ||
        strstr(line, "undefined reference to `__gxx_") != NULL)
        return CXX;
    if (strstr(line, "undefined reference to `__cyg_profile_func_") != NULL)
        return HOOKS;
    return strstr(line, "uses VFP register arguments") != NULL ||
                   strstr(line, "failed to merge target specific data") != NULL
               ? MIXED
               : 0;
}

/* Passes the compiler's messages on, except those that one line replaces (INSTEAD) and the linker's
 * failure because of them; returns the faults found. */
static unsigned pass_on(FILE *from)
{
    char *line = NULL;
    char *place = NULL; /* the linker's line before those of a function */
    size_t size = 0;
    unsigned long long over = 0;
    unsigned found = 0;

    while (getline(&line, &size, from) > 0) {
        const char *const number = strstr(line, "' overflowed by ");
        const enum trouble t = trouble_of(line);

        if (number != NULL && strtoull(number + 16, NULL, 10) > over)
            over = strtoull(number + 16, NULL, 10);
        found |= t;
        if (t == CXX || (t == 0 && ((found & INSTEAD) == 0 || strstr(line, "collect2:") == NULL) &&
                         strstr(line, ": in function `") == NULL)) {
            if (place != NULL)
                fputs(place, stderr);
            fputs(line, stderr);
        }
        free(place);
        place = strstr(line, ": in function `") != NULL ? strdup(line) : NULL;
    }
    free(place);
    if ((found & TOO_LARGE) != 0)
        fprintf(stderr,
                "mpjoule: the program is too large: code, static data, main's stack and the "
                "runtime's own memory exceed the 256 MB of RAM by %llu KB\n",
                (over + 1023U) / 1024U);
    if ((found & MIXED) != 0)
        fputs("mpjoule: some objects are compiled with -mthumb and some without: pass it for all "
              "of them and for the link\n",
              stderr);
    if ((found & HOOKS) != 0)
        fputs("mpjoule: -finstrument-functions: the program has no __cyg_profile_func_enter() and "
              "__cyg_profile_func_exit() for it; `mpjoule run --functions` has calls, cycles and "
              "energy of functions without it\n",
              stderr);
    free(line);
    return found;
}

/* Executes the compiler in the child, which ends with its parent. Never returns. */
static void become(const char **args, const int ends[2], pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent)
        _exit(127);
    close(ends[0]);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    execvp(COMPILER, (char *const *)args); /* POSIX: exec does not write to it */
    _exit(127);
}

/* Runs the compiler with its messages filtered; returns its exit status, or -1 and errno. cxx: it
 * has a source file of C++. */
static int compile(const char **args, bool cxx)
{
    const pid_t self = getpid();
    FILE *from = NULL;
    int ends[2];
    int status;
    int why = 0;
    pid_t child;
    pid_t got = -1;

    if (pipe(ends) != 0)
        return -1;
    child = fork();
    if (child == 0)
        become(args, ends, self);
    if (child < 0 || (from = fdopen(ends[0], "r")) == NULL) {
        why = errno;
        close(ends[0]); /* the compiler ends when it writes */
    }
    close(ends[1]);
    if (from != NULL) {
        cxx |= (pass_on(from) & CXX) != 0;
        fclose(from);
    }
    while (child > 0 && (got = waitpid(child, &status, 0)) < 0 && errno == EINTR)
        ;
    if (got < 0 || why != 0) {
        errno = why != 0 ? why : errno;
        return -1;
    }
    if (cxx && status != 0)
        fputs("mpjoule: C++ is not supported: the runtime has no C++ library\n", stderr);
    if (WIFSIGNALED(status))
        return 128 + WTERMSIG(status);
    return WEXITSTATUS(status);
}

/* A call of the compiler. */
struct call {
    const char *board;
    char *own, *firmware; /* folders: the board's, and the one of all boards */
    char *cwd;            /* NULL: unknown */
    char *first, *search, *specs;
    char *map[4];
    struct cc_layout layout;
    const char **args;
    int n;
    bool cxx, covers; /* a source file of C++; counts of coverage */
};

/* Sets two options that write `to` for a folder: GCC passes only the second one to the
 * assembler. */
static bool maps_prefix(char *option[2], const char *folder, const char *to)
{
    return asprintf(&option[0], "-ffile-prefix-map=%s=%s", folder, to) >= 0 &&
           asprintf(&option[1], "-fdebug-prefix-map=%s=%s", folder, to) >= 0;
}

/* Finds the folders and makes the texts that arguments consist of. False: out of memory. */
static bool find_folders(struct call *c, int argc)
{
    c->own = run_path_runtime(c->board != NULL ? c->board : "");
    c->firmware = run_path_firmware();
    c->cwd = getcwd(NULL, 0);
    c->args = calloc((size_t)argc + 10 + CC_LAYOUT_ARGS + COVERAGE_ARGS, sizeof(*c->args));
    return c->firmware != NULL && c->own != NULL && c->args != NULL &&
           asprintf(&c->first, "-B%s/", c->own) >= 0 &&
           asprintf(&c->search, "-B%s/", c->firmware) >= 0 &&
           asprintf(&c->specs, "%s/" SPECS, c->firmware) >= 0 &&
           maps_prefix(c->map, c->cwd != NULL ? c->cwd : "", ".") &&
           maps_prefix(c->map + 2, c->firmware, "mpjoule");
}

static void free_call(struct call *c)
{
    cc_layout_free(&c->layout);
    for (unsigned i = 0; i < sizeof(c->map) / sizeof(c->map[0]); i++)
        free(c->map[i]);
    free(c->own);
    free(c->firmware);
    free(c->cwd);
    free(c->first);
    free(c->search);
    free(c->specs);
    free(c->args);
}

static bool names_layout(const char *arg)
{
    return strncmp(arg, CC_LAYOUT, strlen(CC_LAYOUT)) == 0;
}

/* Adds the options of our own that precede the user's. */
static int add_ours(struct call *c, int argc, char **argv, struct mpj_err *err)
{
    c->args[c->n++] = COMPILER;
    for (int i = 1; i < argc; i++) {
        if (names_layout(argv[i]) &&
            cc_layout_make(&c->layout, argv[i] + strlen(CC_LAYOUT), c->own, err) != MPJ_E_OK)
            return err->code;
    }
    for (unsigned k = 0; k < c->layout.args; k++) /* its folder comes before the runtime's */
        c->args[c->n++] = c->layout.arg[k];
    if (strcmp(c->own, c->firmware) != 0) /* what is the board's own comes first */
        c->args[c->n++] = c->first;
    c->args[c->n++] = c->search;
    c->args[c->n++] = "-specs=" SPECS;
    /* the same source gives the same image and the same run in every folder */
    for (unsigned i = c->cwd != NULL ? 0 : 2; i < 4; i++)
        c->args[c->n++] = c->map[i];
    if (cli_colours(stderr)) /* the compiler sees a pipe */
        c->args[c->n++] = "-fdiagnostics-color";
    return MPJ_E_OK;
}

/* Adds the user's arguments, translated. */
static int add_users(struct call *c, int argc, char **argv, struct mpj_err *err)
{
    for (int i = 1; i < argc; i++) {
        if (makes_shared(argv[i]))
            return mpj_err_set(err, MPJ_E_USAGE,
                               "%s: the target has no shared libraries; link the objects, or a "
                               "static library, into the program",
                               argv[i]);
        c->cxx |= names_cxx(argv[i]);
        c->covers |= cc_covers(argv[i]);
        if (strcmp(argv[i], "--functions") == 0)
            c->args[c->n++] = PATCHABLE;
        else if (!names_layout(argv[i]) && !names_processor(argv[i]) && !means_nothing(argv[i]))
            c->args[c->n++] = argv[i];
    }
    for (int i = 0; c->covers && i < COVERAGE_ARGS; i++)
        c->args[c->n++] = coverage[i];
    return MPJ_E_OK;
}

static int build_args(struct call *c, int argc, char **argv, struct mpj_err *err)
{
    const char *option;
    const char *why;

    if (!find_folders(c, argc))
        return mpj_err_nomem(err);
    if (argc < 2)
        return mpj_err_set(err, MPJ_E_USAGE, "nothing to compile: see `mpjoule help cc`");
    if (check_runtime(c->board, c->own, c->specs, err) != MPJ_E_OK)
        return err->code;
    option = cc_refused(argv + 1, argc - 1, &why);
    if (option != NULL)
        return mpj_err_set(err, MPJ_E_USAGE, "%s: %s", option, why);
    if (add_ours(c, argc, argv, err) != MPJ_E_OK)
        return err->code;
    return add_users(c, argc, argv, err);
}

/* Returns the compiler's exit status, or a negative code. */
static int run_compiler(const struct call *c, struct mpj_err *err)
{
    const int status = compile(c->args, c->cxx);

    if (status == 127)
        return mpj_err_set(err, MPJ_E_TARGET,
                           "the compiler " COMPILER
                           " is missing: install the package gcc-arm-none-eabi "
                           "(with libnewlib-arm-none-eabi)");
    return status >= 0 ? status : mpj_err_errno(err, "cannot run " COMPILER);
}

int cmd_cc(int argc, char **argv)
{
    struct call c = {.board = take_board(&argc, argv)};
    struct mpj_err err;
    int status = build_args(&c, argc, argv, &err);

    if (status == MPJ_E_OK)
        status = run_compiler(&c, &err);
    free_call(&c);
    return status >= 0 ? status : cli_fail(&err);
}
