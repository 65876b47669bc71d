/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `mpjoule run` and `mpjoule report` as a person calls them, against a scripted target that
 * behaves and misbehaves (fake_qemu.c). The command's path and the fake's are arguments of
 * the build: MPJ_COMMAND, MPJ_FAKE_QEMU. long file: all tests call the command by the same few
 * functions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <elf.h>
#include <jansson.h>

#include "elf_maker.h"
#include "log/log.h"
#include "tile_machine.h"

static char dir[] = "/tmp/mpjoule-test-XXXXXX";
static char out[65536]; /* stdout of the last command */
static char err[65536]; /* stderr */

static void slurp(const char *path, char *to, size_t cap)
{
    FILE *const f = fopen(path, "rb");
    size_t n;

    assert_non_null(f);
    n = fread(to, 1, cap - 1, f);
    to[n] = '\0';
    fclose(f);
}

/* Runs a shell command in dir; returns its exit status. */
static int shell(const char *scenario, const char *fmt, ...)
{
    char args[1024];
    char line[2048];
    va_list ap;
    int status;

    va_start(ap, fmt);
    vsnprintf(args, sizeof(args), fmt, ap);
    va_end(ap);
    snprintf(
        line, sizeof(line),
        "cd %s && MPJ_FAKE=%s MPJOULE_QEMU=\"%s\" MPJOULE_CALIBRATIONS=%s MPJOULE_FIRMWARE=%s/fw "
        "MPJOULE_BOARDS=%s/boards.yaml sh -c '%s' >out 2>err",
        dir, scenario, MPJ_FAKE_QEMU, dir, dir, dir, args);
    status = system(line);
    assert_true(WIFEXITED(status));
    assert_int_equal(chdir(dir), 0);
    slurp("out", out, sizeof(out));
    slurp("err", err, sizeof(err));
    return WEXITSTATUS(status);
}

/* Words of a shell: the build may lie in a folder whose name has blanks. */
#define COMMAND      "\"" MPJ_COMMAND "\""
#define SCHEMA_CHECK "\"" MPJ_SCHEMA_CHECK "\" \"" MPJ_SCHEMA "\""
#define RUN          "env --ignore-signal=CHLD " COMMAND " run --timeout 600 "

/* The failure is one line on stderr (after what the program itself wrote) that has this text. */
static void one_line(const char *text)
{
    const char *p = strstr(err, "mpjoule: ");

    assert_non_null(p);
    if (strstr(p, text) == NULL)
        fail_msg("stderr is \"%s\", not \"%s\"", err, text);
    assert_null(strstr(p + 1, "mpjoule: "));
}

/* Frames of a type in a log, which must be readable to its end. */
static unsigned frames(const char *log, uint8_t type)
{
    struct mpj_log_reader *r = NULL;
    struct mpj_err e;
    struct mpj_frame f;
    unsigned n = 0;
    int result;

    assert_int_equal(mpj_log_open(&r, log, &e), 0);
    while ((result = mpj_log_next(r, &f, NULL, &e)) == 1)
        n += f.type == type;
    assert_int_equal(result, 0);
    mpj_log_reader_free(r);
    return n;
}

/* What the build of a board's runtime leaves for the host: fw/machine.bin of the default board,
 * fw/board/NAME/machine.bin of others. */
static void make_kind(const char *path, const char *name, const char *platform, uint32_t cores)
{
    struct tile_machine m = {.cores = cores,
                             .core_hz = 210000000,
                             .rams = 1,
                             .ram = {{0, cores << 25}},
                             .time = {.hz = 24000000, .bits = 32},
                             .chip = "arm11mpcore"};
    FILE *f;

    snprintf(m.name, sizeof(m.name), "%s", name);
    snprintf(m.platform, sizeof(m.platform), "%s", platform);
    f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(&m, sizeof(m), 1, f), 1);
    assert_int_equal(fclose(f), 0);
}

static void make_kinds(void)
{
    FILE *const list = fopen("boards.yaml", "w");

    assert_non_null(list);
    fputs("boards:\n  - {id: tile0, port: /dev/null, bit_rate: 115200}\n"
          "  - {id: nas0, port: /dev/null, platform: two-machine}\n",
          list);
    fclose(list);
    assert_int_equal(system("mkdir -p fw/board/two-cores fw/board/empty"), 0);
    make_kind("fw/machine.bin", "realview-eb", "realview-eb-mpcore", 4);
    make_kind("fw/board/two-cores/machine.bin", "two-cores", "two-machine", 2);
    make_elf_for("two.elf", "two-cores");
    make_elf_for("eb.elf", "realview-eb");
    make_elf_for("strange.elf", "nobody-has-it");
    make_elf_for("escape.elf", "../two-cores");
    make_elf_for("unnamed.elf", "");
}

static int setup(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(dir));
    assert_int_equal(chdir(dir), 0);
    make_elf("app.elf", EM_ARM, ET_EXEC, 1);
    make_elf("old.elf", EM_ARM, ET_EXEC, 99);
    make_elf("foreign.elf", EM_ARM, ET_EXEC, 0);
    make_elf("object.elf", EM_ARM, ET_REL, 1);
    make_elf("other.elf", EM_386, ET_EXEC, 1);
    fclose(fopen("mprofiler.conf", "w"));
    make_kinds();
    return 0;
}

static int teardown(void **state)
{
    char line[64];

    (void)state;
    snprintf(line, sizeof(line), "rm -rf %s", dir);
    return system(line);
}

static void good_run(void **state)
{
    json_t *j;
    json_t *core;

    (void)state;
    assert_int_equal(shell("ok", RUN "--json r.json --env A=B -o x.mpj app.elf -- one two"), 0);
    assert_non_null(strstr(out, "args 3 app.elf one env 1\n"));
    assert_string_equal(err, "to stderr\n");
    assert_non_null(strstr(out, "the modelled chip"));
    assert_non_null(strstr(out, "calibration mprofiler"));
    assert_int_equal(access("x.mplog", R_OK), 0);
    assert_int_equal(access("x.emulator.log", F_OK), -1); /* it printed nothing */

    j = json_load_file("r.json", 0, NULL);
    assert_non_null(j);
    assert_int_equal(json_integer_value(json_object_get(j, "exit_status")), 0);
    assert_true(json_real_value(json_object_get(j, "time_s")) == 0.1);
    assert_int_equal(json_integer_value(json_object_get(j, "cycles")), 21000000);
    core = json_array_get(json_object_get(j, "cores"), 3);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(core, "events"), "instr")),
                     9003);
    /* 1.22 V * 439.2 mA * 0.1 s */
    assert_float_equal(json_real_value(json_object_get(
                           json_object_get(json_object_get(j, "adc"), "processor"), "energy_uj")),
                       53582.4, 0.001);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(j, "adc"), "samples")), 11);
    assert_float_equal(json_real_value(json_object_get(json_object_get(j, "truth"), "energy_uj")),
                       53582.4, 1e-6);
    json_decref(j);

    assert_int_equal(shell("ok", COMMAND " report --view cores x.mpj"), 0);
    assert_non_null(strstr(out, "dcache_rd_miss"));
    assert_non_null(strstr(out, "12,003"));
}

/* With the JSON on stdout there is nothing else: what the program prints goes to stderr. */
static void json_alone(void **state)
{
    json_t *j;

    (void)state;
    assert_int_equal(shell("ok", RUN "--json - -o x.mpj app.elf -- one"), 0);
    j = json_loads(out, 0, NULL);
    assert_non_null(j);
    assert_int_equal(json_integer_value(json_object_get(j, "cycles")), 21000000);
    json_decref(j);
    assert_non_null(strstr(err, "args 2 app.elf one"));
    assert_non_null(strstr(err, "to stderr\n"));
}

static void same_bytes(void **state)
{
    (void)state;
    assert_int_equal(shell("ok", RUN "--quiet --json a.json -o a.mpj app.elf"), 0);
    assert_int_equal(shell("ok", RUN "--quiet --json b.json -o b.mpj app.elf"), 0);
    assert_int_equal(shell("ok", "cmp a.json b.json && cmp a.mplog b.mplog && cmp a.mpj b.mpj"), 0);
    assert_int_equal(shell("ok", COMMAND " report --format json b.mpj >c.json && cmp a.json "
                                         "c.json"),
                     0);
}

static void all_events(void **state)
{
    json_t *j;
    json_t *events;
    json_t *coverage;
    const char *name;
    json_t *value;
    size_t n;

    (void)state;
    assert_int_equal(shell("ok", RUN "--all-events --json r.json -o all.mpj --cores 2 app.elf"), 0);
    assert_non_null(strstr(out, "11 passes"));
    assert_ptr_equal(strstr(strstr(out, "args") + 4, "args"), NULL); /* output of one pass only */
    assert_int_equal(access("all.10.mplog", R_OK), 0);
    assert_int_equal(access("all.11.mplog", R_OK), -1);
    j = json_load_file("r.json", 0, NULL);
    assert_int_equal(json_array_size(json_object_get(j, "cores")), 2);
    events = json_object_get(json_array_get(json_object_get(j, "cores"), 1), "events");
    assert_int_equal(json_object_size(events), 22);
    assert_int_equal(json_integer_value(json_object_get(events, "sb_merge")), 21001);
    events = json_object_get(json_object_get(j, "scu"), "events");
    assert_int_equal(json_object_size(events), 20);
    assert_int_equal(json_integer_value(json_object_get(events, "scu_ext_wr")), 519);
    assert_int_equal(json_object_size(json_object_get(json_object_get(j, "l2"), "events")), 9);
    coverage = json_object_get(j, "coverage");
    mpj_event_table(&n);
    assert_int_equal(json_object_size(coverage), n);
    json_object_foreach(coverage, name, value) assert_true(json_real_value(value) == 1.0);
    json_decref(j);
}

static void without_counters(void **state)
{
    json_t *j;

    (void)state;
    assert_int_equal(shell("ok", RUN "--no-counters --json r.json -o n.mpj app.elf"), 0);
    assert_null(strstr(out, "Cores"));
    assert_non_null(strstr(out, "ADC"));
    j = json_load_file("r.json", 0, NULL);
    assert_int_equal(json_array_size(json_object_get(j, "cores")), 0);
    assert_null(json_object_get(j, "scu"));
    assert_null(json_object_get(j, "l2"));
    assert_int_equal(json_object_size(json_object_get(j, "coverage")), 0);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(j, "adc"), "samples")), 11);
    json_decref(j);
    assert_int_equal(shell("ok", SCHEMA_CHECK " r.json"), 0);
}

static void part_of_the_time(void **state)
{
    json_t *j;

    (void)state;
    assert_int_equal(shell("rotation", RUN "--json r.json app.elf"), 0);
    j = json_load_file("r.json", 0, NULL);
    assert_true(json_real_value(json_object_get(json_object_get(j, "coverage"), "instr")) == 0.25);
    assert_int_equal(
        json_integer_value(json_object_get(
            json_object_get(json_array_get(json_object_get(j, "cores"), 0), "events"), "instr")),
        36000);
    json_decref(j);
    assert_int_equal(shell("ok", COMMAND " report --view cores run.mpj"), 0);
    assert_non_null(strstr(out, "~36,000"));
}

static void own_status(void **state)
{
    (void)state;
    assert_int_equal(shell("status", RUN "app.elf"), 7);
    assert_non_null(strstr(out, "Exit status  7"));
}

static void short_run(void **state)
{
    (void)state;
    assert_int_equal(shell("ok", RUN "--sample-ms 500 --json r.json app.elf"), 0);
    /* one sample at the start is in: it stands for the whole run */
    assert_non_null(strstr(out, "1 samples"));
    assert_int_equal(shell("ok", RUN "--compress -o z.mpj app.elf"), 0);
    assert_int_equal(frames("z.mplog", MPJ_FRAME_END), 1);
}

/* The line names the file that has what was measured. */
static void kept_in(const char *name)
{
    char text[200];

    snprintf(text, sizeof(text), "; what was measured is in %s\n", name);
    one_line(text);
}

/* A result, of which copies are in the folder kept. */
static void make_older(const char *options)
{
    assert_int_equal(shell("ok",
                           "rm -rf x.* kept; mkdir kept; " RUN
                           "--quiet %s --json x.json -o x.mpj app.elf; cp x.* kept",
                           options),
                     0);
}

/* It is as it was, and nothing is beside it but what an attempt left. */
static void older_stands(void)
{
    assert_int_equal(shell("ok",
                           "rm -f x.failed.*; cd kept; for f in *; do cmp $f ../$f || exit 9; "
                           "done; cd ..; test \"$(ls kept)\" = \"$(ls | grep ^x[.])\""),
                     0);
}

static void broken_lines(void **state)
{
    static const struct {
        const char *scenario, *text;
        unsigned data, end, junk; /* frames in the log */
    } cases[] = {
        {"badcrc", "1 damaged and 1 missing frames", 10, 1, 1},
        {"gap", "0 damaged and 1 missing frames", 10, 1, 0},
        {"truncated", "ended early", 2, 0, 1},
        {"disconnect", "ended early", 3, 0, 0},
        {"crash", "ended by signal 6", 3, 0, 0},
        {"malformed", "malformed FAULT record", 4, 0, 0},
        {"unknown", "type 0x3f", 3, 0, 0},
        {"lost-record", "12 records, but 11 arrived", 11, 1, 0},
    };

    (void)state;
    make_older("");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const bool readable = strcmp(cases[i].scenario, "malformed") != 0;
        assert_int_equal(shell(cases[i].scenario, RUN "--json x.json -o x.mpj app.elf"), 125);
        one_line(cases[i].text);
        kept_in(readable ? "x.failed.mpj" : "x.failed.mplog");
        /* what was received is there, and can be shown */
        assert_int_equal(frames("x.failed.mplog", MPJ_FRAME_DATA), cases[i].data);
        assert_int_equal(frames("x.failed.mplog", MPJ_FRAME_END), cases[i].end);
        assert_int_equal(frames("x.failed.mplog", MPJ_LOG_JUNK), cases[i].junk);
        assert_int_equal(frames("x.failed.mplog", MPJ_LOG_CLOSE), 1);
        if (readable) {
            assert_int_equal(shell("ok", COMMAND " report x.failed.mpj"), 0);
            assert_non_null(strstr(out, "Failed"));
            assert_non_null(strstr(out, cases[i].text));
        }
        older_stands();
    }
    /* where there is none, an attempt makes none */
    assert_int_equal(shell("gap", "rm x.*; " RUN "-o x.mpj app.elf; echo x.*"), 0);
    assert_non_null(strstr(out, "\nx.failed.mpj x.failed.mplog\n"));
}

/* A link to another file system: what a failed attempt has printed, and its log, are kept. */
static void links_elsewhere(void **state)
{
    (void)state;
    assert_int_equal(shell("disconnect",
                           "rm -rf x.*; d=$(mktemp -d /dev/shm/test_run.XXXXXX); echo older >$d/o; "
                           "ln -s $d/o x.txt; : >$d/l; ln -s $d/l x.mplog; " RUN
                           "--stdout x.txt -o x.mpj app.elf; s=$?; cat $d/o $d/o.failed; "
                           "ls $d; rm -r $d; exit $s"),
                     125);
    assert_non_null(strstr(err, "what the program printed is in /dev/shm/test_run."));
    assert_non_null(strstr(err, "what was measured is in x.failed.mpj"));
    assert_memory_equal(out, "older\n", 6);
    assert_non_null(strstr(out, "args"));
    assert_non_null(strstr(out, "\nl\no\no.failed\n"));
    assert_int_equal(frames("x.failed.mplog", MPJ_FRAME_DATA), 3);
}

static void noise_before(void **state)
{
    (void)state;
    assert_int_equal(shell("garbage", RUN "app.elf"), 0);
    assert_true(frames("run.mplog", MPJ_LOG_JUNK) > 0);
}

static void no_end(void **state)
{
    (void)state;
    assert_int_equal(shell("hang", COMMAND " run --timeout 5 app.elf"), 124);
    one_line("did not end within 5 s");
    kept_in("run.failed.mpj");
    assert_int_equal(frames("run.failed.mplog", MPJ_FRAME_DATA), 3);
    assert_int_equal(frames("run.failed.mplog", MPJ_LOG_TRUTH), 1); /* SIGTERM came first */
    assert_int_equal(shell("silent", COMMAND " run --timeout 1 app.elf"), 124);
    assert_int_equal(shell("stubborn", COMMAND " run --timeout 1 app.elf"), 124); /* SIGKILL */
    /* it lives, and has closed all that could tell */
    assert_int_equal(shell("deserted", "timeout -k 5 600 " COMMAND " run app.elf"), 125);
    one_line("the emulator closed its serial line");
}

/* An emulator in a wrapper: WORDS come first. */
static void wrap(const char *words)
{
    FILE *const f = fopen("wrap", "we");

    assert_non_null(f);
    fprintf(f, "#!/bin/sh\n%s\nexec \"%s\" \"$@\"\n", words, MPJ_FAKE_QEMU);
    fclose(f);
    assert_int_equal(chmod("wrap", 0755), 0);
}

#define WRAPPED "MPJOULE_QEMU=$PWD/wrap timeout -s KILL 120 " COMMAND " run "

/* --timeout and Ctrl-C end an emulator that does not begin, or is stopped, with its children. */
static void heeded(void **state)
{
    static const char *const stuck[] = {"touch begun; sleep $NAP", "touch begun; kill -STOP $$",
                                        "trap : TERM; touch begun; sleep $NAP", NULL};
    char nap[24];

    (void)state;
    snprintf(nap, sizeof(nap), "987.%d", (int)getpid()); /* no other test's */
    setenv("NAP", nap, 1);
    for (const char *const *words = stuck; *words != NULL; words++) {
        wrap(*words);
        assert_int_equal(shell("ok", WRAPPED "--timeout 1 app.elf"), 124);
        one_line("did not open its serial line within 1 s (--timeout)");
        assert_int_equal(shell("ok",
                               "rm -f begun; env --default-signal=INT " WRAPPED "app.elf & "
                               "until [ -e begun ]; do sleep 0.1; done; pkill -INT -P $!; wait $!"),
                         130);
        one_line("interrupted");
        /* killed, and gone as soon as the machine finds time for it */
        assert_int_equal(
            shell("ok",
                  "for i in $(seq 100); do pgrep -xf \"sleep $NAP\" || exit; sleep 0.1; done"),
            1);
    }
    wrap("echo qemu: no default audio driver available >&2; exit 1");
    assert_int_equal(shell("ok", WRAPPED "app.elf"), 125);
    one_line("wants an audio driver: set MPJOULE_QEMU_ARGS=\"-audio driver=none\"");
    wrap("(until grep -q \"to stderr\" err; do sleep 0.1; done; kill -STOP $$) &");
    assert_int_equal(shell("hang", WRAPPED "--timeout 4 app.elf"), 124);
    one_line("did not end within 4 s");
    assert_int_equal(frames("run.failed.mplog", MPJ_LOG_TRUTH), 1); /* it heeded SIGTERM */
}

/* What has the name of a file beside the store is not followed, not emptied, not waited for. */
static void by_products(void **state)
{
    static const char *const made[] = {"ln -s victim", "ln victim", "mkfifo"};

    (void)state;
    wrap("echo warning: of old >&2");
    for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
        assert_int_equal(shell("ok",
                               "echo precious >victim; rm -f l.*; for name in l.emulator.log "
                               "l.emulator.log.new l.meter.new; do %s $name; done; " WRAPPED
                               "--quiet --meter \"echo 1 2\" -o l.mpj app.elf",
                               made[i]),
                         0);
        assert_int_equal(shell("ok", "grep -qx precious victim && test -f l.emulator.log -a ! -L "
                                     "l.emulator.log && cat l.emulator.log"),
                         0);
        assert_string_equal(out, "warning: of old\n");
    }
    /* a run that fails leaves the older one's, and nothing of its own */
    wrap("echo it fails >&2; exit 1");
    assert_int_equal(shell("ok", WRAPPED "--meter \"echo 1 2\" -o l.mpj app.elf"), 125);
    one_line("ended early: it fails");
    assert_int_equal(shell("ok", "cat l.emulator.log; ls l.*.new"), 2);
    assert_string_equal(out, "warning: of old\n");
    assert_int_equal(shell("ok", "grep -x \"it fails\" l.failed.emulator.log"), 0);
    /* a result without a word removes the words of an older one */
    assert_int_equal(
        shell("ok", "cp l.emulator.log n.emulator.log; " RUN "--quiet -o n.mpj app.elf"), 0);
    assert_int_equal(access("n.emulator.log", F_OK), -1);
    assert_int_equal(shell("ok", "mkdir f.emulator.log; " RUN "-o f.mpj app.elf"), 125);
    one_line("f.emulator.log is a folder");
    assert_int_equal(shell("ok", "mkdir f.meter.new; rmdir f.emulator.log; " RUN
                                 "--quiet --meter \"echo 1 2\" -o f.mpj app.elf"),
                     0);
    assert_non_null(strstr(err, "f.meter.new is a folder"));
    assert_int_equal(shell("ok", "rm -f g.*; mkfifo g.mplog; " WRAPPED "-o g.mpj app.elf"), 125);
    one_line("g.mplog is a pipe");
    assert_int_equal(shell("ok", "chmod -x wrap; " WRAPPED "app.elf"), 125);
    one_line("wrap cannot be run by this user: Permission denied");
}

static void interrupted(void **state)
{
    (void)state;
    /* as soon as it has printed what comes before the program hangs */
    assert_int_equal(shell("hang", COMMAND
                           " run app.elf & "
                           "until grep -q \"to stderr\" err || ! kill -0 $!; do sleep 0.02; done; "
                           "kill -INT $!; wait $!"),
                     130);
    one_line("interrupted; what was measured is in run.failed.mpj");
    assert_int_equal(frames("run.failed.mplog", MPJ_FRAME_DATA), 3);
}

/* Attempts that fail, of one pass and of several: no measurement, or none that is whole. */
static void older_result(void **state)
{
    static const char *const options[] = {"", "--all-events --jobs 2"};
    static const char *const fails[] = {"silent", "disconnect", "abi", "error", "hang"};
    static const char *const faults[] = {"fault", "fault-late", "fault-early"};

    (void)state;
    for (size_t k = 0; k < sizeof(options) / sizeof(options[0]); k++) {
        make_older(options[k]);
        for (size_t i = 0; i < sizeof(fails) / sizeof(fails[0]); i++) {
            assert_int_not_equal(shell(fails[i],
                                       COMMAND " run --timeout 3 %s --json x.json -o x.mpj app.elf",
                                       options[k]),
                                 0);
            older_stands();
        }
        /* a fault is a result, in whichever pass it comes first */
        for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
            make_older(options[k]);
            assert_int_equal(shell(faults[i], RUN "%s --json x.json -o x.mpj app.elf", options[k]),
                             125);
            assert_int_equal(shell("ok", COMMAND " report x.mpj"), 0);
            assert_non_null(strstr(out, "Failed"));
            assert_int_equal(shell("ok", "ls x.failed.*; grep -q \"data abort\" x.json"), 0);
            assert_string_equal(out, "");
        }
    }
    /* a log that does not fit is none */
    make_older("");
    assert_int_equal(shell("flood", "ulimit -f 64; exec " RUN "--quiet -o x.mpj app.elf"), 125);
    kept_in("x.failed.mplog"); /* nor does a store */
    older_stands();
    /* another's file is not replaced by an attempt */
    assert_int_equal(shell("gap", "echo precious >x.failed.mplog; " RUN "-o x.mpj app.elf"), 125);
    assert_int_equal(shell("ok", "grep -x precious x.failed.mplog"), 0);
    assert_null(strstr(err, "failed.mp"));
    older_stands();
}

static void target_failures(void **state)
{
    (void)state;
    assert_int_equal(shell("fault", RUN "--json f.json app.elf"), 125);
    one_line("data abort at address 0xdeadbeef, core 2, pc 0x00008004");
    assert_non_null(strstr(err, "sp 00100000"));
    assert_non_null(strstr(err, "#0  0x00008004"));
    assert_int_equal(shell("fault-no-end", RUN "app.elf"), 125);
    one_line("data abort");
    assert_int_equal(shell("error", RUN "app.elf"), 125);
    one_line("event counters (CP15 c15) do not count: PMN0");
    assert_int_equal(shell("abi", RUN "app.elf"), 125);
    one_line("ABI 7");
    assert_int_equal(shell("version", RUN "app.elf"), 125);
    one_line("link version 9");
    assert_int_equal(shell("stock", RUN "app.elf"), 125);
    one_line("without mpjoule");
}

static void wrong_files(void **state)
{
    (void)state;
    assert_int_equal(shell("ok", RUN "foreign.elf"), 125);
    one_line("not linked with mpjoule");
    assert_int_equal(shell("ok", RUN "other.elf"), 125);
    one_line("another machine");
    assert_int_equal(shell("ok", RUN "object.elf"), 125);
    one_line("not a linked executable");
    assert_int_equal(shell("ok", RUN "old.elf"), 125);
    one_line("firmware ABI 99");
    assert_int_equal(shell("ok", RUN "out"), 125);
    one_line("not an ELF program");
    assert_int_equal(shell("ok", RUN "missing.elf"), 125);
    one_line("cannot open missing.elf");
    assert_int_equal(shell("ok", RUN "--calibration nonesuch app.elf"), 125);
    one_line("cannot read the calibration");
    assert_int_equal(shell("ok", RUN "--calibration ./ app.elf"), 125);
    one_line("cannot read the calibration ./: not a regular file");
    assert_int_equal(shell("ok", RUN "--calibration ../nonesuch app.elf"), 125);
    one_line("cannot read the calibration ../nonesuch");
    assert_int_equal(shell("ok", RUN "--calibration \"\" app.elf"), 125);
    one_line("cannot read the calibration");
    assert_int_equal(shell("ok", "MPJOULE_QEMU=/nonexistent " RUN "app.elf"), 125);
    one_line("is missing");
    assert_int_equal(shell("ok", COMMAND " report app.elf"), 125);
    one_line("app.elf");
    assert_int_equal(shell("ok", "echo hello >no.mplog; " COMMAND " report no.mplog"), 125);
    one_line("not a raw log");
}

static void damaged_log(void **state)
{
    (void)state;
    assert_int_equal(shell("ok", RUN "--quiet -o d.mpj app.elf"), 0);
    assert_int_equal(shell("ok", "printf Z | dd of=d.mplog bs=1 seek=300 conv=notrunc"), 0);
    assert_int_equal(shell("ok", COMMAND " report d.mplog"), 125);
    one_line("corrupt");
    /* cut off in the middle of a frame: what is whole is shown, and that it is not all */
    assert_int_equal(shell("ok", RUN "--quiet -o d.mpj app.elf && truncate -s 600 d.mplog"), 0);
    assert_int_equal(shell("ok", COMMAND " report d.mplog"), 0);
    assert_non_null(strstr(out, "the log is cut off"));
}

static void full_disk(void **state)
{
    (void)state;
    /* a limit on file sizes looks like a full disk to a writer */
    assert_int_equal(shell("flood", "ulimit -f 64; exec " RUN "--quiet -o full.mpj app.elf"), 125);
    one_line("cannot write the log full.mplog");
    assert_true(frames("full.failed.mplog", MPJ_FRAME_DATA) > 100);
    assert_int_equal(shell("ok", RUN "-o /nonexistent/run.mpj app.elf"), 125);
    one_line("cannot create /nonexistent/run.mpj");
    assert_int_equal(shell("ok", RUN "--json /dev/full app.elf"), 125);
    one_line("cannot write");
    /* a name that no file can have is found before anything runs */
    assert_int_equal(shell("ok", RUN "--json $(printf %%0300d 0) -o long.mpj app.elf"), 125);
    one_line("File name too long");
    assert_int_equal(access("long.mpj", F_OK), -1);
}

static void usage(void **state)
{
    static const char *const bad[] = {
        "run",
        "run --cores 5 app.elf",
        "run --cores x app.elf",
        "run --events nope app.elf",
        "run --sample-ms 0 app.elf",
        "run --no-counters --events instr app.elf",
        "run --all-events --no-counters app.elf",
        "run --timeout -1 app.elf",
        "run --env A app.elf",
        "run --target moon app.elf",
        "run --nonsense app.elf",
        "report",
        "report --view x run.mpj",
        "help nothing",
        "frobnicate",
    };

    static const char *const pages[] = {"", "boards", "cc", "run", "report", "help"};

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(shell("ok", COMMAND " %s", bad[i]), 125);
        assert_string_not_equal(err, "");
        assert_string_equal(out, "");
    }
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        assert_int_equal(shell("ok", COMMAND " help %s", pages[i]), 0);
        assert_non_null(strstr(out, "# mpjoule"));
    }
    assert_int_equal(shell("ok", COMMAND " help events"), 0);
    assert_non_null(strstr(out, "scu_migration"));
    assert_int_equal(shell("ok", COMMAND " --version"), 0);
    assert_int_equal(shell("ok", COMMAND), 0);
}

/* JSON of every kind of run obeys the schema; what does not is refused. */
static void schema(void **state)
{
    static const char *const scenarios[] = {"ok",    "rotation",   "status",  "fault",
                                            "error", "disconnect", "no-truth"};
    static const char *const wrong[] = {
        "s:mpjoule-run/1:mpjoule-run/2:",   "s/\"clock_hz\": [0-9]*/\"clock_hz\": -1/",
        "s/\"passes\"/\"pases\"/",          "s/\"time_s\": 0.1/\"time_s\": \"0.1\"/",
        "s/\"instr\": 1.0/\"instr\": 1.1/", "s/\"core\": 3/\"core\": 4/",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
        shell(scenarios[i], RUN "--json r.json app.elf");
        assert_int_equal(shell("ok", SCHEMA_CHECK " r.json"), 0);
    }
    assert_int_equal(shell("ok", RUN "--all-events --json r.json app.elf"), 0);
    assert_int_equal(shell("ok", SCHEMA_CHECK " r.json"), 0);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        FILE *const f = fopen("script", "w");
        assert_non_null(f);
        fputs(wrong[i], f);
        fclose(f);
        assert_int_equal(shell("ok", "sed -f script r.json >w.json; ! cmp -s r.json w.json"), 0);
        assert_int_equal(shell("ok", SCHEMA_CHECK " w.json"), 1);
    }
}

/* Nothing of a run stays behind: no process, no directory of its own. */
/* The emulator gets the machine of the program's board; what comes back has its two cores. */
static void two_cores(void **state)
{
    json_t *j;
    json_t *m;

    (void)state;
    assert_int_equal(shell("two-cores", RUN "--json t.json -o t.mpj two.elf"), 0);
    assert_non_null(strstr(out, "emulated A board with two cores, 2 cores at 210 MHz"));
    assert_non_null(strstr(out, "not measured here"));
    assert_null(strstr(out, "core 2"));
    assert_int_equal(shell("two-cores", SCHEMA_CHECK " t.json"), 0);
    j = json_load_file("t.json", 0, NULL);
    assert_non_null(j);
    m = json_object_get(j, "machine");
    assert_string_equal(json_string_value(json_object_get(m, "platform")), "two-machine");
    assert_int_equal(json_array_size(json_object_get(j, "cores")), 2);
    json_decref(j);
    assert_int_equal(shell("ok", COMMAND " report --format html -o t.html t.mpj"), 0);
    assert_int_equal(shell("two-cores", RUN "--cores 0-3 -o t.mpj two.elf"), 125);
    one_line("the board has 2 cores");
    assert_int_equal(shell("two-cores", RUN "--cores 3 -o t.mpj two.elf"), 125);
    one_line("the board has 2 cores");
}

/* A program and a target that do not fit, and descriptions that cannot be used: a line each. */
static void other_boards(void **state)
{
    (void)state;
    assert_int_equal(shell("ok", RUN "-o b.mpj eb.elf"), 0);
    shell("bad-machine", RUN "-o b.mpj eb.elf");
    one_line("malformed MACHINE record");
    assert_int_equal(shell("ok", RUN "-o b.mpj strange.elf"), 125);
    one_line("no board is called \"nobody-has-it\" in this installation; it has: realview-eb, "
             "two-cores");
    assert_int_equal(shell("ok", RUN "-o b.mpj escape.elf"), 125);
    one_line("does not name the board");
    assert_int_equal(shell("ok", RUN "-o b.mpj unnamed.elf"), 125);
    one_line("does not name the board");
    assert_int_equal(shell("ok", RUN "--target nas0 -o b.mpj eb.elf"), 125);
    one_line("eb.elf is for the board realview-eb, and nas0 is a two-cores: build it with "
             "`mpjoule cc --board two-cores`");
    assert_int_equal(shell("ok", RUN "--target tile0 -o b.mpj two.elf"), 125);
    one_line("two.elf is for the board two-cores, and tile0 is a realview-eb");
    assert_int_equal(shell("ok", COMMAND " flash tile0 two.elf"), 125);
    one_line("two.elf is for the board two-cores");
    assert_int_equal(shell("ok", COMMAND " boards --kinds"), 0);
    assert_non_null(strstr(out, "realview-eb"));
    assert_non_null(strstr(out, "two-machine          2 cores at 210 MHz, 64 MB, no power"));
    assert_int_equal(shell("ok", COMMAND " boards --kinds --json"), 0);
    assert_int_equal(shell("ok", COMMAND " record sim -o b.mplog two.elf"), 125);
    one_line("the board two-cores has no power channels");
    assert_int_equal(shell("ok", COMMAND " record nas0 --for 1s -o b.mplog"), 125);
    one_line("the board two-cores has no power channels");
    assert_int_equal(shell("ok", COMMAND " cc --board nobody x.c"), 125);
    assert_int_equal(shell("ok", "touch fw/mpjoule.specs; " COMMAND " cc --board nobody x.c"), 125);
    one_line("no board is called \"nobody\"");
    assert_int_equal(shell("ok", COMMAND " cc x.c --board"), 125);
    one_line("--board takes the name of a board");
    assert_int_equal(shell("ok", COMMAND " cc --board=../x x.c"), 125);
    one_line("no board is called \"../x\"");
}

/* Each board's own self-test, of the emulated one and of a real one by its kind. */
static void selftest_of_board(void **state)
{
    (void)state;
    assert_int_equal(shell("ok", COMMAND " selftest --board nobody"), 125);
    one_line("no board is called \"nobody\" in this installation; it has: realview-eb, two-cores");
    assert_int_equal(shell("ok", COMMAND " selftest --board ../two-cores"), 125);
    one_line("no board is called \"../two-cores\"");
    assert_int_equal(shell("ok", COMMAND " selftest --board two-cores"), 125);
    one_line("fw/board/two-cores/apps/selftest.elf");
    assert_int_equal(shell("ok", COMMAND " selftest nas0"), 125);
    one_line("fw/board/two-cores/apps/selftest.elf");
    assert_int_equal(shell("ok", COMMAND " selftest --board two-cores nas0"), 125);
    one_line("fw/board/two-cores/apps/selftest.elf");
    assert_int_equal(shell("ok", COMMAND " selftest --board two-cores tile0"), 125);
    one_line("tile0 is a realview-eb; only the emulator can be run as a two-cores");
    assert_int_equal(shell("ok", COMMAND " selftest tile0"), 125);
    one_line("fw/apps/selftest.elf");
}

static void damaged_kinds(void **state)
{
    (void)state;
    make_kind("fw/board/empty/machine.bin", "another", "", 2);
    assert_int_equal(shell("ok", COMMAND " boards --kinds"), 125);
    one_line("describes the board another, in the folder of empty");
    make_kind("fw/board/empty/machine.bin", "empty", "", 99);
    assert_int_equal(shell("ok", COMMAND " boards --kinds"), 125);
    one_line("is not the description of a board");
    assert_int_equal(
        shell("ok", "truncate -s -1 fw/board/empty/machine.bin; " COMMAND " boards --kinds"), 125);
    one_line("is not the description of a board");
    assert_int_equal(shell("ok", "rm fw/board/empty/machine.bin; " COMMAND " boards --kinds"), 0);
    assert_int_equal(
        shell("ok", "echo \"boards: [{id: x, port: /dev/null, platform: pc}]\" >b.yaml; " COMMAND
                    " boards -b b.yaml"),
        125);
    one_line("b.yaml:1: unknown platform pc");
}

static void clean(void **state)
{
    (void)state;
    assert_int_equal(shell("ok",
                           "mkdir -p tmp && TMPDIR=%s/tmp " RUN "--quiet app.elf && "
                           "rmdir tmp",
                           dir),
                     0);
    assert_int_equal(
        shell("hang",
              "mkdir -p tmp && TMPDIR=%s/tmp " COMMAND " run --timeout 1 app.elf; rmdir tmp", dir),
        0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_run),
        cmocka_unit_test(json_alone),
        cmocka_unit_test(same_bytes),
        cmocka_unit_test(all_events),
        cmocka_unit_test(part_of_the_time),
        cmocka_unit_test(own_status),
        cmocka_unit_test(short_run),
        cmocka_unit_test(broken_lines),
        cmocka_unit_test(links_elsewhere),
        cmocka_unit_test(noise_before),
        cmocka_unit_test(no_end),
        cmocka_unit_test(interrupted),
        cmocka_unit_test(target_failures),
        cmocka_unit_test(wrong_files),
        cmocka_unit_test(damaged_log),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(usage),
        cmocka_unit_test(schema),
        cmocka_unit_test(clean),
        cmocka_unit_test(without_counters),
        cmocka_unit_test(heeded),
        cmocka_unit_test(by_products),
        cmocka_unit_test(two_cores),
        cmocka_unit_test(other_boards),
        cmocka_unit_test(selftest_of_board),
        cmocka_unit_test(damaged_kinds),
        cmocka_unit_test(older_result),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
