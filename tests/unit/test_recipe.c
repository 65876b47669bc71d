/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one recipe of run/: labels, target, session and outcome, on a target of this test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "run/recipe.h"
#include "search/tune.h"
#include "test_dir.h"

static struct mpj_err err;

/* ---- a target that says all it has to say at once ---------------------------------- */

struct fake {
    struct mpj_target base;
    int line[2];
    bool silent;  /* it never speaks */
    bool other;   /* its program speaks another version of the protocol */
    bool mute;    /* it ends without having said what it is */
    bool breaks;  /* its line does, after the first data */
    int opens;    /* what open returns; 0: it opens */
    int exits_in; /* status of its program */
};

static struct fake *last; /* the one that was made */
static struct fake next;  /* how the next one is */
static unsigned freed;

static void say(const struct fake *f, uint8_t type, uint16_t seq, const struct mpj_writer *w,
                const uint8_t *payload)
{
    uint8_t wire[MPJ_FRAME_WIRE_MAX];
    const size_t n =
        mpj_frame_encode(type, seq, payload, (size_t)(w->at - payload), wire, sizeof(wire));

    assert_int_equal(write(f->line[1], wire, n), n);
}

static int fake_open(struct mpj_target *t, struct mpj_err *e)
{
    struct fake *const f = (struct fake *)t;
    const struct mpj_hello hello = {.protocol = f->other ? 0 : MPJ_LINK_VERSION,
                                    .abi = MPJ_ABI_VERSION,
                                    .cores = 4,
                                    .clock_hz = 210000000,
                                    .time_hz = 1000000,
                                    .name = {(const uint8_t *)"fake", 4}};
    const struct mpj_end end = {.exit_status = f->exits_in};
    uint8_t payload[MPJ_FRAME_PAYLOAD_MAX];
    struct mpj_writer w;

    if (f->opens != 0)
        return mpj_err_set(e, f->opens, "it does not open");
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, f->line),
                     0);
    if (f->silent)
        return f->line[0];
    mpj_writer_init(&w, payload, sizeof(payload));
    mpj_hello_put(&w, &hello);
    if (!f->mute)
        say(f, MPJ_FRAME_HELLO, 0, &w, payload);
    mpj_writer_init(&w, payload, sizeof(payload));
    if (f->breaks) {
        say(f, MPJ_FRAME_DATA, 0, &w, payload);
        assert_int_equal(shutdown(f->line[1], SHUT_WR), 0);
        return f->line[0];
    }
    mpj_end_put(&w, &end);
    say(f, MPJ_FRAME_END, 0, &w, payload);
    return f->line[0];
}

static int fake_lost(struct mpj_target *t, struct mpj_err *e)
{
    (void)t;
    return mpj_err_set(e, MPJ_E_LINK, "lost");
}

static int fake_close(struct mpj_target *t, bool graceful, struct mpj_err *e)
{
    (void)t;
    (void)graceful;
    (void)e;
    return MPJ_E_OK;
}

static const char *fake_truth(struct mpj_target *t, size_t *len)
{
    (void)t;
    *len = 4;
    return "true";
}

static void fake_free(struct mpj_target *t)
{
    struct fake *const f = (struct fake *)t;

    if (f->line[0] > 0) {
        close(f->line[0]);
        close(f->line[1]);
    }
    free(f);
    freed++;
}

static int make_fake(struct mpj_target **out, const struct run_recipe *r, struct mpj_err *e)
{
    static const struct mpj_target_ops ops = {.open = fake_open,
                                              .lost = fake_lost,
                                              .close = fake_close,
                                              .truth = fake_truth,
                                              .free = fake_free};

    (void)r;
    last = malloc(sizeof(*last));
    if (last == NULL)
        return mpj_err_set(e, MPJ_E_NOMEM, "out of memory");
    *last = next;
    last->base = (struct mpj_target){.ops = &ops, .name = "fake"};
    *out = &last->base;
    return MPJ_E_OK;
}

/* ---- the recipe --------------------------------------------------------------------- */

static const struct mpj_image image = {
    .sha256 = "0123", .compiler = "GCC: (x) 12", .runtime_sha256 = "45"};
static const char *const words[] = {"app.elf", "one", "two words", NULL};
static struct run_target target;
static char calibration[] = "/some/where/board.conf";

static struct run_recipe recipe(void)
{
    const struct run_recipe r = {.target = &target,
                                 .image = &image,
                                 .elf = "app.elf",
                                 .argv = words,
                                 .files = {.log = "x.mplog",
                                           .errors = "x.errors",
                                           .failed = "x.failed.mplog",
                                           .failed_errors = "x.failed.errors"},
                                 .quantum = 50,
                                 .seed = 7,
                                 .session = {.timeout_s = 20, .config = {.session = 1}}};
    return r;
}

static int prepare(void **state)
{
    (void)state;
    target = (struct run_target){.name = "fake",
                                 .calibration = calibration,
                                 .calibration_file = calibration,
                                 .make = make_fake};
    memset(&next, 0, sizeof(next));
    freed = 0;
    unlink("x.mplog");
    unlink("x.failed.mplog");
    return 0;
}

/* The log as text: META as key=value, other types by number, the outcome. */
static void read_log_of(const char *path, char *out, size_t cap)
{
    struct mpj_log_reader *r;
    struct mpj_frame f;
    struct mpj_reader p;
    struct mpj_bytes key;
    struct mpj_bytes value;
    size_t n = 0;

    assert_int_equal(mpj_log_open(&r, path, &err), MPJ_E_OK);
    out[0] = '\0';
    while (mpj_log_next(r, &f, NULL, &err) == 1) {
        mpj_reader_init(&p, f.payload, f.len);
        if (f.type == MPJ_LOG_META) {
            key = mpj_get_bytes(&p);
            value = mpj_get_bytes(&p);
            n += (size_t)snprintf(out + n, cap - n, "%.*s=%.*s;", (int)key.len, (const char *)key.p,
                                  (int)value.len, (const char *)value.p);
        } else if (f.type == MPJ_LOG_CLOSE) {
            const int64_t code = mpj_get_signed(&p);
            value = mpj_get_bytes(&p);
            n += (size_t)snprintf(out + n, cap - n, "close %d %.*s;", (int)code, (int)value.len,
                                  (const char *)value.p);
        } else {
            n += (size_t)snprintf(out + n, cap - n, "%02x;", f.type);
        }
    }
    mpj_log_reader_free(r);
}

static void read_log(char *out, size_t cap)
{
    read_log_of("x.mplog", out, cap);
}

/* Makes a run of which nothing is recorded; its log as text, as if it were held. */
static int run_held(struct run_recipe *r, char *text, size_t cap)
{
    struct mpj_session_result result;
    struct mpj_log *held = NULL;
    enum run_made made;
    int code;

    r->held = &held;
    code = run_recipe_make(r, &result, &made, &err);
    assert_int_equal(made, code == MPJ_E_OK ? RUN_MADE_WHOLE : RUN_MADE_FAILED);
    read_log_of("x.mplog.new", text, cap);
    mpj_log_abandon(held);
    assert_int_equal(access("x.mplog.new", F_OK), -1);
    r->held = NULL;
    return code;
}

#define LABELS                                                                                     \
    "target=fake;program=app.elf;arguments=one two words;firmware_sha256=0123;"                    \
    "calibration=board.conf;quantum=50;seed=7;"

static void labels_and_end(void **state)
{
    struct run_recipe r = recipe();
    struct mpj_session_result result;
    enum run_made made;
    char text[2000];

    (void)state;
    next.exits_in = 5;
    assert_int_equal(run_recipe_make(&r, &result, &made, &err), MPJ_E_OK);
    assert_int_equal(made, RUN_MADE_WHOLE);
    assert_int_equal(result.end.exit_status, 5);
    assert_int_equal(freed, 1);
    read_log(text, sizeof(text));
    assert_int_equal(strncmp(text, "version=", 8), 0);
    assert_non_null(strstr(text, ";" LABELS "compiler=GCC: (x) 12;runtime_sha256=45;"));
    assert_null(strstr(text, "emulator_sha256")); /* unknown */
    assert_non_null(strstr(text, "close 0 ;"));
    assert_null(strstr(text, "planned_s"));
}

/* Without a model quantum and seed mean nothing; without a calibration nothing is said of it. */
static void fewer_labels(void **state)
{
    struct run_recipe r = recipe();
    struct mpj_session_result result;
    enum run_made made;
    char text[2000];

    (void)state;
    target.calibration_file = NULL;
    r.program = "campaign-1";
    r.planned_s = 2.5;
    assert_int_equal(run_recipe_make(&r, &result, &made, &err), MPJ_E_OK);
    read_log(text, sizeof(text));
    assert_non_null(strstr(text, ";program=campaign-1;"));
    assert_non_null(strstr(text, ";calibration=board.conf;compiler="));
    assert_non_null(strstr(text, ";planned_s=2.5;"));
    target.calibration = NULL;
    strcpy(target.emulator_sha256, "67");
    strcpy(target.calibration_sha256, "89");
    assert_int_equal(run_recipe_make(&r, &result, &made, &err), MPJ_E_OK);
    read_log(text, sizeof(text));
    assert_null(strstr(text, "calibration="));
    assert_non_null(strstr(text, ";emulator_sha256=67;calibration_sha256=89;"));
}

static int no_load(struct mpj_target *t, const struct run_recipe *r, struct mpj_err *e)
{
    (void)t;
    (void)r;
    return mpj_err_set(e, MPJ_E_FLASH, "no room");
}

/* Each step that fails ends in a closed log that says why, and frees the target. */
static void failures(void **state)
{
    struct run_recipe r = recipe();
    struct mpj_session_result result;
    enum run_made made;
    char text[2000];

    (void)state;
    next.opens = MPJ_E_TARGET;
    assert_int_equal(run_held(&r, text, sizeof(text)), MPJ_E_TARGET);
    assert_string_equal(err.text, "it does not open");
    assert_non_null(strstr(text, LABELS));
    assert_non_null(strstr(text, "close -6 it does not open;"));
    assert_int_equal(freed, 1);
    next.opens = 0;
    target.load = no_load;
    assert_int_equal(run_held(&r, text, sizeof(text)), MPJ_E_FLASH);
    assert_non_null(strstr(text, "close -18 no room;"));
    assert_int_equal(freed, 2);
    r.files.log = "no/such/folder.mplog";
    assert_int_equal(run_recipe_make(&r, &result, &made, &err), MPJ_E_IO);
    assert_int_equal(made, RUN_MADE_NOTHING);
    assert_int_equal(freed, 2);
    r = recipe();
    r.dir = "no/such/folder";
    assert_int_equal(run_recipe_make(&r, &result, &made, &err), MPJ_E_IO);
    assert_int_equal(made, RUN_MADE_NOTHING);
    assert_int_equal(access("x.mplog.new", F_OK), -1);
}

static bool at_once(void *ctx)
{
    (void)ctx;
    return true;
}

static int ended_well(void *ctx, int code, struct mpj_err *e)
{
    assert_ptr_equal(ctx, &next);
    assert_int_equal(code, MPJ_E_CANCELLED);
    snprintf(e->text, sizeof(e->text), "stopped by the user");
    return MPJ_E_OK;
}

/* The caller has the last word on how it ended, and the log has that. */
static void last_word(void **state)
{
    struct run_recipe r = recipe();
    char text[2000];

    (void)state;
    next.silent = true;
    r.session.cancelled = at_once;
    r.session.ctx = &next;
    assert_int_equal(run_held(&r, text, sizeof(text)), MPJ_E_CANCELLED);
    assert_non_null(strstr(text, "close -15 interrupted;"));
    r.outcome = ended_well;
    assert_int_equal(run_held(&r, text, sizeof(text)), MPJ_E_OK);
    assert_non_null(strstr(text, "close 0 stopped by the user;"));
}

static void whole_log(char *out, size_t cap)
{
    FILE *const f = fopen("x.mplog", "re");

    assert_non_null(f);
    out[fread(out, 1, cap - 1, f)] = '\0';
    fclose(f);
}

static void put(const char *path, const char *text)
{
    FILE *const f = fopen(path, "we");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static long size_of(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? (long)st.st_size : -1;
}

/* A failed attempt leaves the older recording as it is, and beside it what it recorded. */
static void older_survives(void **state)
{
    struct run_recipe r = recipe();
    struct mpj_log *held = NULL;
    struct mpj_session_result result;
    enum run_made made;
    char before[4000] = "";
    char after[4000] = "";
    char text[2000];

    (void)state;
    assert_int_equal(run_recipe_make(&r, &result, &made, &err), MPJ_E_OK);
    assert_int_equal(made, RUN_MADE_WHOLE);
    whole_log(before, sizeof(before));
    next.opens = MPJ_E_NO_PORT;
    assert_int_equal(run_recipe_make(&r, &result, &made, &err), MPJ_E_NO_PORT);
    next.opens = 0;
    target.load = no_load;
    assert_int_equal(run_recipe_make(&r, &result, &made, &err), MPJ_E_FLASH);
    target.load = NULL;
    next.silent = true;
    r.session.timeout_s = 1;
    assert_int_equal(run_recipe_make(&r, &result, &made, &err), MPJ_E_TIMEOUT);
    next.silent = false;
    r.session.timeout_s = 20;
    next.other = true; /* it runs another program */
    assert_int_equal(run_recipe_make(&r, &result, &made, &err), MPJ_E_IDENTITY);
    next.other = false;
    assert_int_equal(made, RUN_MADE_NOTHING);
    whole_log(after, sizeof(after));
    assert_memory_equal(before, after, sizeof(before));
    assert_int_equal(access("x.mplog.new", F_OK), -1);
    assert_int_equal(access("x.failed.mplog", F_OK), -1);
    next.breaks = true;
    assert_int_equal(run_recipe_make(&r, &result, &made, &err), MPJ_E_LINK);
    assert_int_equal(made, RUN_MADE_FAILED);
    whole_log(after, sizeof(after));
    assert_memory_equal(before, after, sizeof(before));
    read_log_of("x.failed.mplog", text, sizeof(text));
    assert_non_null(strstr(text, "close -9 lost;"));
    assert_int_equal(access("x.mplog.new", F_OK), -1);
    /* one that was killed is kept, too: by the next */
    r.held = &held;
    assert_int_equal(run_recipe_make(&r, &result, &made, &err), MPJ_E_LINK);
    assert_int_equal(rename("x.mplog.new", "killed"), 0);
    mpj_log_abandon(held);
    assert_int_equal(rename("killed", "x.mplog.new"), 0);
    assert_int_equal(unlink("x.failed.mplog"), 0);
    held = NULL;
    next.breaks = false;
    assert_int_equal(run_recipe_make(&r, &result, &made, &err), MPJ_E_OK);
    assert_int_equal(access("x.failed.mplog", F_OK), 0);
    assert_int_equal(access("x.mplog.new", F_OK), 0);
    /* and what went well, of a set of which another failed */
    assert_int_equal(run_commit(held, &r.files, false, &err), RUN_MADE_NOTHING);
    whole_log(after, sizeof(after));
    assert_memory_equal(before, after, sizeof(before));
    assert_int_equal(access("x.mplog.new", F_OK), -1);
    /* what is no log is not replaced by an attempt, which does not begin */
    put("x.failed.mplog", "precious");
    r.held = NULL;
    next.breaks = true;
    assert_int_equal(run_recipe_make(&r, &result, &made, &err), MPJ_E_USAGE);
    assert_int_equal(made, RUN_MADE_NOTHING);
    assert_int_equal(size_of("x.failed.mplog"), 8);
}

/* What the emulator prints: in x.errors.new until it takes its place. */
static void errors_file(void **state)
{
    struct run_recipe r = recipe();
    struct mpj_session_result result;
    struct mpj_log *held;
    enum run_made made;

    (void)state;
    put("x.errors", "older\n");
    put("x.errors.new", "of a run that was killed\n");
    assert_int_equal(run_recipe_make(&r, &result, &made, &err), MPJ_E_OK);
    assert_int_equal(size_of("x.errors.new"), -1);
    assert_int_equal(size_of("x.errors"), 6); /* this target makes no such file */
    /* of a failed attempt */
    put("x.errors.new", "it fails\n");
    assert_int_equal(run_commit(NULL, &r.files, false, &err), RUN_MADE_NOTHING);
    assert_int_equal(size_of("x.errors"), 6);
    assert_int_equal(size_of("x.failed.errors"), 9);
    assert_int_equal(size_of("x.errors.new"), -1);
    assert_int_equal(mpj_log_create(&held, "x.mplog", &err), MPJ_E_OK);
    put("x.errors.new", "it ends\n");
    assert_int_equal(run_commit(held, &r.files, true, &err), RUN_MADE_WHOLE);
    assert_int_equal(size_of("x.errors"), 8);
    put("x.errors.new", ""); /* empty */
    assert_int_equal(mpj_log_create(&held, "x.mplog", &err), MPJ_E_OK);
    assert_int_equal(run_commit(held, &r.files, true, &err), RUN_MADE_WHOLE);
    assert_int_equal(size_of("x.errors"), -1);
    assert_int_equal(size_of("x.failed.errors"), 9);
    unlink("x.failed.errors");
}

/* Names of failed attempts: the ending stays. */
static void failed_names(void **state)
{
    static const char *const t[][2] = {{"a/run.mpj", "a/run.failed.mpj"},
                                       {"r.1.mplog", "r.1.failed.mplog"},
                                       {"r.emulator.log", "r.failed.emulator.log"},
                                       {"r.json", "r.failed.json"},
                                       {"r.csv", "r.failed.csv"},
                                       {".mpj", ".mpj.failed"},
                                       {"other.db", "other.db.failed"}};

    (void)state;
    for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        char *const name = run_failed_name(t[i][0]);
        assert_string_equal(name, t[i][1]);
        free(name);
    }
    assert_int_equal(run_name_check("a.failed.mpj", &err), MPJ_E_USAGE);
    assert_int_equal(run_name_check("b/x.failed", &err), MPJ_E_USAGE);
    assert_int_equal(run_name_check("-", &err), MPJ_E_USAGE);
    assert_int_equal(run_name_check(".failed", &err), MPJ_E_OK);
    assert_int_equal(run_name_check("failed.mpj", &err), MPJ_E_OK);
    memset(err.text, 'x', sizeof(err.text) - 1);
    err.text[sizeof(err.text) - 1] = '\0';
    run_say_kept(&err, "r.failed.mpj");
    assert_string_equal(err.text + strlen(err.text) - strlen(RUN_KEPT_IN "r.failed.mpj"),
                        RUN_KEPT_IN "r.failed.mpj");
}

static void worth_repeating(void **state)
{
    (void)state;
    assert_true(run_may_retry(MPJ_E_LINK));
    assert_true(run_may_retry(MPJ_E_TARGET));
    assert_false(run_may_retry(MPJ_E_OK));
    assert_false(run_may_retry(MPJ_E_FAULT));
    assert_false(run_may_retry(MPJ_E_TIMEOUT));
}

/* An END alone is no run. */
static void end_without_hello(void **state)
{
    struct run_recipe r = recipe();
    struct mpj_session_result result;
    enum run_made made;

    (void)state;
    next.mute = true;
    assert_int_equal(run_recipe_make(&r, &result, &made, &err), MPJ_E_LINK);
    assert_non_null(strstr(err.text, "before HELLO"));
    assert_false(result.have_hello);
}

/* The last whole number there is ends a range as any other. */
static void ranges(void **state)
{
    struct run_tune t = {.axes = 0};

    (void)state;
    assert_int_equal(run_tune_axis(&t, "a", "9223372036854775806..9223372036854775807", &err), 0);
    assert_int_equal(t.axis[0].values, 2);
    assert_string_equal(t.axis[0].value[1], "9223372036854775807");
    run_tune_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(labels_and_end, prepare),
        cmocka_unit_test_setup(fewer_labels, prepare),
        cmocka_unit_test_setup(failures, prepare),
        cmocka_unit_test_setup(last_word, prepare),
        cmocka_unit_test_setup(older_survives, prepare),
        cmocka_unit_test_setup(errors_file, prepare),
        cmocka_unit_test_setup(end_without_hello, prepare),
        cmocka_unit_test(ranges),
        cmocka_unit_test(failed_names),
        cmocka_unit_test(worth_repeating),
    };

    return cmocka_run_group_tests(tests, test_dir_enter, test_dir_leave);
}
