/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the tests of a project by its build system, and reads the outcome of each. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build_int.h"

/* ---- tests and their runs ------------------------------------------------------- */

struct run_build_test *build_test_add(struct build *b, const char *name,
                                      enum run_build_verdict verdict, const char *why)
{
    struct run_build *const o = b->o;
    struct run_build_test *const more = realloc(o->test, (o->tests + 1U) * sizeof(*more));
    struct run_build_test *t;

    if (more == NULL)
        return NULL;
    o->test = more;
    t = &more[o->tests];
    *t = (struct run_build_test){.name = strdup(name),
                                 .verdict = verdict,
                                 .why = why != NULL && why[0] != '\0' ? strdup(why) : NULL};
    if (t->name == NULL)
        return NULL;
    mpj_text_clean(t->name);
    if (t->why != NULL)
        mpj_text_clean(t->why);
    o->tests++;
    return t;
}

/* Joins the words of a command, paths in the build's folder relative to it. Allocated. */
static char *text_of(const struct build *b, const json_t *argv)
{
    const size_t len = strlen(b->out);
    char *text = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&text, &size);
    const json_t *word;
    size_t i;

    if (f == NULL)
        return NULL;
    json_array_foreach(argv, i, word)
    {
        const char *s = json_string_value(word);
        if (s == NULL)
            continue;
        if (strncmp(s, b->out, len) == 0 && s[len] == '/')
            s += len + 1U;
        if (i == 0 && strncmp(s, "./", 2) == 0)
            s += 2;
        fprintf(f, "%s%s", i > 0 ? " " : "", s);
    }
    if (fclose(f) != 0)
        return NULL;
    mpj_text_clean(text);
    return text;
}

bool build_test_ran(const struct build *b, struct run_build_test *t, const json_t *record)
{
    const json_t *const time = json_object_get(record, "time_s");
    struct run_build_ran *const more = realloc(t->ran, (t->rans + 1U) * sizeof(*more));
    char *const text = text_of(b, json_object_get(record, "argv"));

    if (more != NULL)
        t->ran = more;
    if (more == NULL || text == NULL) {
        free(text);
        return false;
    }
    more[t->rans++] =
        (struct run_build_ran){.text = text,
                               .status = (int)json_integer_value(json_object_get(record, "status")),
                               .measured = time != NULL,
                               .time_s = json_real_value(time),
                               .energy_j = json_real_value(json_object_get(record, "energy_j"))};
    return true;
}

static const char *base_of(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static const char *word_at(const json_t *command, size_t i)
{
    const char *const s = json_string_value(json_array_get(command, i));

    return s != NULL ? s : "";
}

/* Returns the number of words at the begin of a command that only call the emulator for the
 * rest. */
static size_t emulator_words(const json_t *command)
{
    const size_t shell = strcmp(base_of(word_at(command, 0)), "sh") == 0 ? 1U : 0U;

    if (strcmp(base_of(word_at(command, shell)), "mpjoule-exec") == 0)
        return shell + 1U;
    return strcmp(base_of(word_at(command, 0)), "mpjoule") == 0 &&
                   strcmp(word_at(command, 1), "exec") == 0
               ? 2U
               : 0U;
}

bool build_record_of_command(const json_t *record, const json_t *command)
{
    const json_t *const chain = json_object_get(record, "chain");
    const json_t *const top = json_array_get(chain, json_array_size(chain) - 1U);
    const size_t skip = emulator_words(command);
    const size_t n = json_array_size(command) - skip;
    const size_t m = json_array_size(top) - emulator_words(top);

    if (json_array_size(chain) == 0 || n == 0 || m < n)
        return false;
    for (size_t i = 0; i < n; i++) { /* an interpreter may be in front of a script */
        if (strcmp(word_at(command, skip + i), word_at(top, json_array_size(top) - n + i)) != 0)
            return false;
    }
    return true;
}

bool build_record_of_name(const json_t *record, const char *name)
{
    const json_t *command;
    size_t i;

    json_array_foreach(json_object_get(record, "chain"), i, command)
    {
        for (size_t k = 0; k + 1U < json_array_size(command); k++) {
            if (strcmp(word_at(command, k), "--test-name") == 0)
                return strcmp(word_at(command, k + 1U), name) == 0;
        }
    }
    return strcmp(base_of(word_at(json_object_get(record, "argv"), 0)), base_of(name)) == 0;
}

/* Gives each record to its test; of several with the same command, to the one that has the fewest.
 * commands: one for each test, in its order. */
static int give_records(struct build *b, const json_t *commands, struct mpj_err *err)
{
    json_t *const records = build_records(b, err);
    const json_t *record;
    size_t i;
    bool ok = true;

    if (records == NULL)
        return err->code;
    json_array_foreach(records, i, record)
    {
        struct run_build_test *best = NULL;
        for (unsigned k = 0; k < b->o->tests; k++) {
            struct run_build_test *const t = &b->o->test[k];
            const bool its = commands != NULL
                                 ? build_record_of_command(record, json_array_get(commands, k))
                                 : build_record_of_name(record, t->name);
            if (its && (best == NULL || t->rans < best->rans))
                best = t;
        }
        ok = ok && (best == NULL || build_test_ran(b, best, record));
    }
    json_decref(records);
    return ok ? MPJ_E_OK : mpj_err_nomem(err);
}

/* Names a file of the build's folder as the one with the output of the tests. */
static int set_log(struct build *b, const char *name, struct mpj_err *err)
{
    char *path;

    if (asprintf(&path, "%s/%s", b->out, name) < 0)
        return mpj_err_nomem(err);
    free(b->o->log);
    b->o->log = path;
    return MPJ_E_OK;
}

/* Reports that there are no tests, with the reason. */
static int nothing(struct build *b, const char *why)
{
    snprintf(b->o->nothing, sizeof(b->o->nothing), "%s", why);
    return MPJ_E_OK;
}

/* Returns the name of a test in a list. */
static const char *name_of(const json_t *test)
{
    return json_string_value(json_object_get(test, "name"));
}

/* ---- CMake ---------------------------------------------------------------------- */

/* Parses a line of ctest about test `number`, and its text after the dots; false: another line. */
static bool ctest_line(char *line, unsigned *number, char **says)
{
    char *p = strstr(line, "Test ");

    if (p == NULL)
        return false;
    p += 5 + strspn(p + 5, " ");
    if (*p != '#' || (*number = (unsigned)strtoul(p + 1, &p, 10)) == 0 || *p != ':')
        return false;
    *says = strstr(p, "***");
    if (*says == NULL)
        *says = strstr(p, "   Passed ");
    return *says != NULL;
}

/* Splits "***Failed  Required regular expression not found.Regex=[...": the words, the verdict. */
static enum run_build_verdict ctest_verdict(char *says, const char **why)
{
    *why = NULL;
    if (strncmp(says, "***", 3) != 0)
        return RUN_BUILD_PASSED;
    says += 3;
    if (strncmp(says, "Skipped", 7) == 0 || strncmp(says, "Not Run (Disabled)", 18) == 0)
        return RUN_BUILD_SKIPPED;
    for (char *p = says; *p != '\0'; p++) { /* the duration is this machine's */
        if (p[0] == ' ' && p[1] == ' ') {
            char *rest = p + strspn(p, " ");
            if (isdigit((unsigned char)*rest) || *rest == '\0' || strstr(rest, " sec") != NULL)
                *p = '\0';
            break;
        }
    }
    says[strcspn(says, "\n")] = '\0';
    if (strcmp(says, "Failed") != 0)
        *why = says;
    return RUN_BUILD_FAILED;
}

/* Reads the verdicts in ctest's log, by the number of the test; allocated lines. */
static int ctest_read(struct build *b, const json_t *list, struct mpj_err *err)
{
    const size_t n = json_array_size(list);
    char **const lines = calloc(n, sizeof(*lines));
    FILE *const f = fopen(b->o->log, "re");
    char *line = NULL;
    char *says = NULL;
    size_t size = 0;
    unsigned number;
    int result = lines != NULL ? MPJ_E_OK : mpj_err_nomem(err);

    while (f != NULL && lines != NULL && getline(&line, &size, f) > 0) {
        if (ctest_line(line, &number, &says) && number <= n) {
            free(lines[number - 1U]);
            lines[number - 1U] = strdup(says);
        }
    }
    for (size_t i = 0; i < n && lines != NULL && result == MPJ_E_OK; i++) {
        const char *const name = name_of(json_array_get(list, i));
        const char *why = "not run";
        const enum run_build_verdict verdict =
            lines[i] != NULL ? ctest_verdict(lines[i], &why) : RUN_BUILD_FAILED;
        if (build_test_add(b, name != NULL ? name : "", verdict, why) == NULL)
            result = mpj_err_nomem(err);
    }
    for (size_t i = 0; i < n && lines != NULL; i++)
        free(lines[i]);
    free(lines);
    free(line);
    if (f != NULL)
        fclose(f);
    return result;
}

/* Collects the command lines of the tests. New reference; NULL: no memory. */
static json_t *commands_of(const json_t *list, const char *key)
{
    json_t *const out = json_array();
    const json_t *test;
    size_t i;

    json_array_foreach(list, i, test)
    {
        json_t *const command = json_object_get(test, key);
        json_array_append_new(out, command != NULL ? json_incref(command) : json_array());
    }
    return out;
}

/* Reads the tests that ctest lists: a JSON document, which follows other output of ctest. */
static json_t *ctest_list(struct build *b, struct mpj_err *err)
{
    struct run_words w = {.n = 0};
    json_t *root = NULL;
    int status = 0;
    FILE *f;
    int c;

    run_words_add(&w, "ctest");
    run_words_add(&w, "--show-only=json-v1");
    if (build_command(b, "tests", &w, &status, err) == MPJ_E_OK) {
        f = fopen(b->o->log, "re");
        while (f != NULL && (c = getc(f)) != EOF && c != '{')
            ;
        if (f != NULL) {
            ungetc('{', f);
            root = json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL);
            fclose(f);
        }
        if (root == NULL || status != 0)
            build_failed(b, "list the tests of", status, err);
    }
    run_words_free(&w);
    return root;
}

int build_test_cmake(struct build *b, struct mpj_err *err)
{
    struct run_words w = {.n = 0};
    json_t *root;
    json_t *commands;
    const json_t *list;
    int status = 0;
    int result;

    if (!build_has(b->out, "CTestTestfile.cmake"))
        return nothing(b, "CMakeLists.txt has no enable_testing()");
    root = ctest_list(b, err);
    if (root == NULL)
        return err->code;
    list = json_object_get(root, "tests");
    if (json_array_size(list) == 0) {
        json_decref(root);
        return nothing(b, "ctest finds none");
    }
    run_words_add(&w, "ctest");
    run_words_add(&w, "-j%u", b->jobs);
    result = build_command(b, "test", &w, &status, err);
    run_words_free(&w);
    commands = commands_of(list, "command");
    if (result == MPJ_E_OK)
        result = ctest_read(b, list, err);
    if (result == MPJ_E_OK)
        result = give_records(b, commands, err);
    if (result == MPJ_E_OK)
        result = set_log(b, "Testing/Temporary/LastTest.log", err);
    json_decref(commands);
    json_decref(root);
    return result;
}

/* ---- Meson ---------------------------------------------------------------------- */

/* Removes the log of the earlier tests. */
static int meson_forget(const struct build *b, struct mpj_err *err)
{
    char *path;

    if (asprintf(&path, "%s/meson-logs/testlog.json", b->out) < 0)
        return mpj_err_nomem(err);
    unlink(path);
    free(path);
    return MPJ_E_OK;
}

/* Reads the tests in meson's log, a JSON document a line, by their names. New reference. */
static json_t *meson_list(const struct build *b)
{
    json_t *const out = json_array();
    char *path = NULL;
    FILE *f;
    json_t *o;

    if (asprintf(&path, "%s/meson-logs/testlog.json", b->out) < 0)
        return out;
    f = fopen(path, "re");
    while (f != NULL && (o = json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL)) != NULL) {
        const char *const name = name_of(o);
        size_t at = json_array_size(out);
        while (at > 0 && name != NULL && strcmp(name, name_of(json_array_get(out, at - 1U))) < 0)
            at--;
        if (name != NULL)
            json_array_insert_new(out, at, o);
        else
            json_decref(o);
    }
    if (f != NULL)
        fclose(f);
    free(path);
    return out;
}

static enum run_build_verdict meson_verdict(const json_t *o, const char **why)
{
    const char *const result = json_string_value(json_object_get(o, "result"));

    *why = NULL;
    if (result != NULL && (strcmp(result, "OK") == 0 || strcmp(result, "EXPECTEDFAIL") == 0))
        return RUN_BUILD_PASSED;
    if (result != NULL && strcmp(result, "SKIP") == 0)
        return RUN_BUILD_SKIPPED;
    if (result != NULL && strcmp(result, "FAIL") != 0)
        *why = result;
    return RUN_BUILD_FAILED;
}

int build_test_meson(struct build *b, struct mpj_err *err)
{
    struct run_words w = {.n = 0};
    json_t *list;
    json_t *commands;
    const json_t *test;
    const char *why;
    size_t i;
    int status = 0;
    int result;

    run_words_add(&w, "meson");
    run_words_add(&w, "test");
    run_words_add(&w, "--no-rebuild");
    run_words_add(&w,
                  "--timeout-multiplier=0"); /* exec has a limit, in which the emulator counts */
    run_words_add(&w, "--num-processes=%u", b->jobs);
    result = meson_forget(b, err);
    if (result == MPJ_E_OK)
        result = build_command(b, "test", &w, &status, err);
    run_words_free(&w);
    if (result != MPJ_E_OK)
        return result;
    list = meson_list(b);
    commands = commands_of(list, "command");
    json_array_foreach(list, i, test)
    {
        const enum run_build_verdict verdict = meson_verdict(test, &why);
        if (build_test_add(b, name_of(test), verdict, why) == NULL)
            result = mpj_err_nomem(err);
    }
    if (result == MPJ_E_OK && b->o->tests == 0)
        result = status != 0 ? build_failed(b, "test", status, err)
                             : nothing(b, "meson.build has no test()");
    else if (result == MPJ_E_OK)
        result = give_records(b, commands, err);
    if (result == MPJ_E_OK && b->o->tests > 0)
        result = set_log(b, "meson-logs/testlog.txt", err);
    json_decref(commands);
    json_decref(list);
    return result;
}

/* ---- make ----------------------------------------------------------------------- */

/* Returns the first of the usual names that the makefile has a rule for; NULL: none. */
static const char *make_target(struct build *b, struct mpj_err *err)
{
    static const char *const names[] = {"check", "test", "tests"};
    bool found[sizeof(names) / sizeof(names[0])] = {false};
    struct run_words w = {.n = 0};
    char *line = NULL;
    size_t size = 0;
    bool no_target = false;
    int status;
    FILE *f;

    build_make_words(b, &w);
    run_words_add(&w, "-pRrq");
    run_words_add(&w, ":"); /* no such target: make prints its rules all the same */
    if (build_command(b, "targets", &w, &status, err) != MPJ_E_OK) {
        run_words_free(&w);
        return NULL;
    }
    run_words_free(&w);
    mpj_err_set(err, MPJ_E_OK, "%s", "");
    f = fopen(b->o->log, "re");
    while (f != NULL && getline(&line, &size, f) > 0) {
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !no_target; i++) {
            const size_t n = strlen(names[i]);
            found[i] = found[i] ||
                       (strncmp(line, names[i], n) == 0 && line[n] == ':' && line[n + 1U] != '=');
        }
        no_target = strncmp(line, "# Not a target", 14) == 0;
    }
    if (f != NULL)
        fclose(f);
    free(line);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (found[i])
            return names[i];
    }
    return NULL;
}

/* Parses a line of automake's drivers, "PASS: name"; false: another line. */
static bool automake_line(char *line, enum run_build_verdict *verdict, const char **why,
                          const char **name)
{
    static const struct {
        const char *word;
        enum run_build_verdict verdict;
        const char *why;
    } words[] = {{"PASS: ", RUN_BUILD_PASSED, NULL},     {"XFAIL: ", RUN_BUILD_PASSED, NULL},
                 {"SKIP: ", RUN_BUILD_SKIPPED, NULL},    {"FAIL: ", RUN_BUILD_FAILED, NULL},
                 {"XPASS: ", RUN_BUILD_FAILED, "XPASS"}, {"ERROR: ", RUN_BUILD_FAILED, "ERROR"}};

    line[strcspn(line, "\n")] = '\0';
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strncmp(line, words[i].word, strlen(words[i].word)) != 0)
            continue;
        *verdict = words[i].verdict;
        *why = words[i].why;
        *name = line + strlen(words[i].word);
        return **name != '\0';
    }
    return false;
}

static int by_name(const void *a, const void *b)
{
    const struct run_build_test *const x = a;
    const struct run_build_test *const y = b;

    return strcmp(x->name, y->name);
}

/* True for a makefile of automake, which is named in its first line: tests of another one may print
 * anything. */
static bool uses_automake(const struct build *b)
{
    char line[256] = "";
    char *path;
    FILE *f;

    if (asprintf(&path, "%s/Makefile", b->out) < 0)
        return false;
    f = fopen(path, "re");
    free(path);
    if (f == NULL)
        return false;
    if (fgets(line, sizeof(line), f) == NULL)
        line[0] = '\0';
    fclose(f);
    return strstr(line, "generated by automake") != NULL;
}

static int automake_read(struct build *b, struct mpj_err *err)
{
    FILE *const f = uses_automake(b) ? fopen(b->o->log, "re") : NULL;
    char *line = NULL;
    size_t size = 0;
    enum run_build_verdict verdict;
    const char *why;
    const char *name;
    int result = MPJ_E_OK;

    while (f != NULL && result == MPJ_E_OK && getline(&line, &size, f) > 0) {
        if (automake_line(line, &verdict, &why, &name) &&
            build_test_add(b, name, verdict, why) == NULL)
            result = mpj_err_nomem(err);
    }
    if (b->o->tests > 0)
        qsort(b->o->test, b->o->tests, sizeof(*b->o->test), by_name);
    free(line);
    if (f != NULL)
        fclose(f);
    return result;
}

/* Adds the target as one test, with all runs unless others have them. */
static int whole(struct build *b, const char *target, int status, bool runs, struct mpj_err *err)
{
    char name[32];
    char why[64] = "";
    struct run_build_test *t;
    json_t *records;
    const json_t *record;
    size_t i;
    bool ok = true;

    snprintf(name, sizeof(name), "make %s", target);
    if (status != 0)
        snprintf(why, sizeof(why), "status %d", status);
    t = build_test_add(b, name, status == 0 ? RUN_BUILD_PASSED : RUN_BUILD_FAILED, why);
    if (t == NULL)
        return mpj_err_nomem(err);
    records = runs ? build_records(b, err) : NULL;
    if (runs && records == NULL)
        return err->code;
    json_array_foreach(records, i, record) ok = ok && build_test_ran(b, t, record);
    json_decref(records);
    return ok ? MPJ_E_OK : mpj_err_nomem(err);
}

int build_test_make(struct build *b, struct mpj_err *err)
{
    const char *const target = make_target(b, err);
    struct run_words w = {.n = 0};
    bool failed = false;
    int status = 0;
    int result;

    if (target == NULL)
        return err->code != MPJ_E_OK ? err->code
                                     : nothing(b, "the makefile has no target check or test");
    build_make_words(b, &w);
    run_words_add(&w, "%s", target);
    if (b->system->configure != NULL) { /* tests of automake are apart from each other */
        run_words_add(&w, "-k");
        run_words_add(&w, "-j%u", b->jobs);
    }
    for (unsigned i = 0; b->o->args != NULL && b->o->args[i] != NULL; i++) {
        if (strchr(b->o->args[i], '=') != NULL)
            run_words_add(&w, "%s", b->o->args[i]);
    }
    result = build_command(b, "test", &w, &status, err);
    run_words_free(&w);
    if (result == MPJ_E_OK)
        result = automake_read(b, err);
    for (unsigned i = 0; i < b->o->tests; i++)
        failed = failed || b->o->test[i].verdict == RUN_BUILD_FAILED;
    if (result == MPJ_E_OK && b->o->tests > 0)
        result = give_records(b, NULL, err);
    if (result == MPJ_E_OK && (b->o->tests == 0 || (status != 0 && !failed)))
        result = whole(b, target, status, b->o->tests == 0, err);
    return result;
}
