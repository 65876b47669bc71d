/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The supply fails at random moments of a flash write: the emulator with file-backed NOR is killed,
 * what was being erased or programmed is left in part done, it is started again, and must come up
 * in an unchanged loader that boots the older or the newer program, whole. The host's side is the
 * library's; nothing of the emulator is asked.
 *
 * usage: power_cut QEMU CALIBRATION LOADER CUTS [SEED]
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hil/loader.h"
#include "mpj_frame.h"

#define NOR_BYTES    (64U << 20)
#define VIRGIN       (2U << 20) /* so much behind the loader is erased; the rest is somebody's data */
#define IMAGE        (48U << 10)
#define CODE         11U /* words of the program, its text follows */
#define SLOT0        0x200000
#define SLOT1        0x2000000
#define DIRECTORY_AT 0x100000
#define DIRECTORY    0x40000U /* its first block, which 200 records do not fill */
#define RECORD       256U
#define START_MS     120000 /* on a machine that does much else */
#define BANNER_S     120
#define LOADER_MOST  (1U << 20)

/* Says its text again and again on UART0. */
static const uint32_t program[CODE] = {
    0xe59f0020, /*    ldr r0, =0x10009000 */
    0xe28f1020, /* 1: adr r1, text */
    0xe4d12001, /* 2: ldrb r2, [r1], #1 */
    0xe3520000, /*    cmp r2, #0 */
    0x0afffffb, /*    beq 1b */
    0xe5903018, /* 3: ldr r3, [r0, #0x18] */
    0xe3130020, /*    tst r3, #0x20 */
    0x1afffffc, /*    bne 3b */
    0xe5802000, /*    str r2, [r0] */
    0xeafffff7, /*    b 2b */
    0x10009000,
};

struct board {
    struct mpj_target base;
    const char *qemu, *calibration;
    char nor[200], socket[200];
    int door, line;
    pid_t pid;
    volatile bool off;
};

static struct {
    char dir[100];
    struct board board;
    uint8_t loader[LOADER_MOST];
    size_t loader_bytes;
    uint64_t random;
} t;

static void clean(void)
{
    unlink(t.board.nor);
    unlink(t.board.socket);
    rmdir(t.dir);
}

static _Noreturn void die(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    if (t.board.pid > 0)
        kill(t.board.pid, SIGKILL);
    clean();
    exit(1);
}

static double now_s(void)
{
    struct timespec n;

    clock_gettime(CLOCK_MONOTONIC, &n);
    return (double)n.tv_sec + 1e-9 * (double)n.tv_nsec;
}

static double chance(void)
{
    t.random = t.random * 6364136223846793005U + 1442695040888963407U;
    return (double)(t.random >> 33) / 2147483648.0;
}

/* ---- the board ------------------------------------------------------------------------ */

static void power_off(struct board *b)
{
    if (b->pid > 0) {
        kill(b->pid, SIGKILL);
        waitpid(b->pid, NULL, 0);
    }
    b->pid = 0;
    if (b->line >= 0)
        close(b->line);
    b->line = -1;
}

static int board_open(struct mpj_target *target, struct mpj_err *err)
{
    struct board *const b = (struct board *)target;
    char machine[300], drive[300], chardev[300];
    struct pollfd p = {.fd = b->door, .events = POLLIN};

    snprintf(machine, sizeof(machine),
             "realview-eb-mpcore,start=nor,model=time,seed=1,calibration=%s", b->calibration);
    snprintf(drive, sizeof(drive), "if=pflash,format=raw,file=%s", b->nor);
    snprintf(chardev, sizeof(chardev), "socket,id=line,path=%s,server=off", b->socket);
    b->off = false;
    const pid_t self = getpid();
    b->pid = fork();
    if (b->pid == 0) {
        const int null = open("/dev/null", O_RDWR);
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that is ended leaves nothing behind */
        if (getppid() != self)
            _exit(127);
        dup2(null, 0);
        dup2(null, 1);
        execl(b->qemu, b->qemu, "-M", machine, "-smp", "4", "-m", "256", "-icount",
              "shift=0,sleep=off", "-display", "none", "-monitor", "none", "-nodefaults", "-drive",
              drive, "-chardev", chardev, "-serial", "chardev:line", (char *)NULL);
        _exit(127);
    }
    if (b->pid < 0 || poll(&p, 1, START_MS) <= 0)
        return mpj_err_set(err, MPJ_E_TARGET, "the emulator does not start");
    b->line = accept4(b->door, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (b->line < 0)
        return mpj_err_errno(err, "accept");
    return b->line;
}

static int board_close(struct mpj_target *target, bool graceful, struct mpj_err *err)
{
    (void)graceful;
    (void)err;
    power_off((struct board *)target);
    return MPJ_E_OK;
}

static int gone(struct board *b, struct mpj_err *err)
{
    b->off = true;
    return mpj_err_set(err, MPJ_E_LINK, "the board is off");
}

static ssize_t board_read(struct mpj_target *target, void *buf, size_t n, struct mpj_err *err)
{
    struct board *const b = (struct board *)target;
    const ssize_t got = read(b->line, buf, n);

    if (got > 0 || (got < 0 && errno == EAGAIN))
        return got > 0 ? got : 0;
    return gone(b, err);
}

static ssize_t board_write(struct mpj_target *target, const void *buf, size_t n,
                           struct mpj_err *err)
{
    struct board *const b = (struct board *)target;
    const ssize_t put = write(b->line, buf, n);

    if (put > 0 || (put < 0 && errno == EAGAIN))
        return put > 0 ? put : 0;
    return gone(b, err);
}

static int board_rate(struct mpj_target *target, uint32_t rate, struct mpj_err *err)
{
    (void)target;
    (void)rate;
    (void)err;
    return MPJ_E_OK;
}

static int board_never(struct mpj_target *target, struct mpj_err *err)
{
    (void)target;
    return mpj_err_set(err, MPJ_E_NO_ANSWER, "the board is off");
}

static void board_init(struct board *b)
{
    static const struct mpj_target_ops ops = {
        .open = board_open,
        .lost = board_never,
        .close = board_close,
        .read = board_read,
        .write = board_write,
        .rate = board_rate,
        .reopen = board_never,
        .restart = board_never,
    };
    struct sockaddr_un a = {.sun_family = AF_UNIX};

    b->base.ops = &ops;
    b->base.name = "the board";
    b->base.reliable = true;
    b->line = -1;
    snprintf(b->nor, sizeof(b->nor), "%s/nor.bin", t.dir);
    snprintf(b->socket, sizeof(b->socket), "%s/line", t.dir);
    snprintf(a.sun_path, sizeof(a.sun_path), "%s/line", t.dir);
    b->door = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (b->door < 0 || bind(b->door, (struct sockaddr *)&a, sizeof(a)) != 0 ||
        listen(b->door, 4) != 0)
        die("%s: %s", a.sun_path, strerror(errno));
}

/* ---- flash and programs ------------------------------------------------------------------ */

static void nor_read(off_t at, void *out, size_t n)
{
    const int fd = open(t.board.nor, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || pread(fd, out, n, at) != (ssize_t)n)
        die("%s: %s", t.board.nor, strerror(errno));
    close(fd);
}

static void install(const char *path)
{
    static uint8_t erased[VIRGIN];
    FILE *const f = fopen(path, "rb");
    const int fd = open(t.board.nor, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    if (f == NULL)
        die("%s: %s", path, strerror(errno));
    t.loader_bytes = fread(t.loader, 1, sizeof(t.loader), f);
    fclose(f);
    memset(erased, 0xff, sizeof(erased));
    memcpy(erased, t.loader, t.loader_bytes);
    if (fd < 0 || ftruncate(fd, NOR_BYTES) != 0 ||
        pwrite(fd, erased, sizeof(erased), 0) != (ssize_t)sizeof(erased))
        die("%s: %s", t.board.nor, strerror(errno));
    close(fd);
}

static const char *banner(unsigned number, char *out, size_t cap)
{
    snprintf(out, cap, "<program %u runs>", number);
    return out;
}

static void make(struct mpj_content *c, unsigned number)
{
    char text[40];

    memset(c, 0, sizeof(*c));
    c->data = malloc(IMAGE);
    if (c->data == NULL)
        die("out of memory");
    for (unsigned i = 0; i < IMAGE; i++)
        c->data[i] = (uint8_t)(chance() * 256.0);
    memcpy(c->data, program, sizeof(program));
    memcpy(c->data + sizeof(program), banner(number, text, sizeof(text)), sizeof(text));
    snprintf(c->name, sizeof(c->name), "program %u", number);
    c->image.kind = MPJ_LOADER_RAM;
    c->image.entry = 0x8000;
    c->image.bytes = IMAGE;
    c->image.crc = mpj_crc32(0, c->data, IMAGE);
    c->image.segments = 1;
    c->image.segment[0].address = 0x8000;
    c->image.segment[0].bytes = IMAGE;
    c->image.segment[0].memory = IMAGE;
    memcpy(c->build_id, &number, sizeof(number));
    c->image.build_id.p = c->build_id;
    c->image.build_id.len = sizeof(number);
    c->image.name.p = (const uint8_t *)c->name;
    c->image.name.len = strlen(c->name);
}

/* ---- what is done with them ----------------------------------------------------------------- */

static bool is_off(void *ctx)
{
    return ((struct board *)ctx)->off;
}

static struct mpj_loader *loader(struct mpj_loader_info *info)
{
    const struct mpj_loader_timeouts timeouts = {
        .alive_ms = START_MS, .cancelled = is_off, .ctx = &t.board};
    struct mpj_loader *l;
    struct mpj_hello hello;
    struct mpj_err err;

    if (mpj_loader_open(&l, &t.board.base, &timeouts, &hello, &err) != MPJ_E_OK ||
        mpj_loader_info(l, info, &err) != MPJ_E_OK)
        die("no loader: %s", err.text);
    return l;
}

static void upload(struct mpj_loader *l, const struct mpj_content *c)
{
    struct mpj_loader_upload u;
    struct mpj_err err;

    if (mpj_loader_upload(l, c, NULL, NULL, &u, &err) != MPJ_E_OK)
        die("upload: %s", err.text);
}

/* The loader is intact, and what it boots is c and runs. */
static bool boots(struct mpj_loader *l, const struct mpj_loader_info *i,
                  const struct mpj_content *c, unsigned number)
{
    const double begun = now_s();
    char heard[4096];
    size_t n = 0;
    char want[40];
    struct mpj_err err;

    if (!mpj_loader_same(i, c))
        return false;
    if (mpj_loader_boot(l, MPJ_LOADER_FLASHED, &err) != MPJ_E_OK)
        die("%s: %s", c->name, err.text);
    banner(number, want, sizeof(want));
    while (now_s() - begun < BANNER_S) {
        struct pollfd p = {.fd = t.board.line, .events = POLLIN};
        ssize_t got;
        if (poll(&p, 1, 100) <= 0)
            continue;
        got = read(t.board.line, heard + n, sizeof(heard) - 1 - n);
        if (got <= 0)
            break;
        n += (size_t)got;
        if (memmem(heard, n, want, strlen(want)) != NULL)
            return true;
        if (n > sizeof(heard) / 2)
            n = 0;
    }
    die("%s does not run", c->name);
}

static void nor_write(off_t at, const void *data, size_t n)
{
    const int fd = open(t.board.nor, O_WRONLY | O_CLOEXEC);

    if (fd < 0 || pwrite(fd, data, n, at) != (ssize_t)n)
        die("%s: %s", t.board.nor, strerror(errno));
    close(fd);
}

/* How far the write got, by what is in the chips. */
enum stage { UNTOUCHED, ERASED, WRITTEN_IN_PART, NOT_COMMITTED, COMMITTED, STAGES };

static enum stage stage(const struct mpj_content *c, off_t slot, const uint8_t *before)
{
    static uint8_t is[IMAGE];
    size_t same = 0;

    nor_read(slot, is, IMAGE);
    if (memcmp(is, before, IMAGE) == 0)
        return UNTOUCHED;
    while (same < IMAGE && is[same] == c->data[same])
        same++;
    return same == IMAGE ? NOT_COMMITTED : same > 0 ? WRITTEN_IN_PART : ERASED;
}

/* Whether a program's record stands in the directory: its name does. */
static bool has_record(unsigned number)
{
    static uint8_t directory[DIRECTORY];
    char name[40];
    const int n = snprintf(name, sizeof(name), "program %u", number) + 1;

    nor_read(DIRECTORY_AT, directory, DIRECTORY);
    return memmem(directory, DIRECTORY, name, (size_t)n) != NULL;
}

static uint8_t some(void)
{
    return (uint8_t)(chance() * 256.0);
}

/*
 * The emulator erases a block and programs a word at once. On a board the supply fails within that:
 * of what was erased some bits are ones already, of the word that was being programmed some are
 * zeros, and of the directory's next record a part stands there.
 */
static void tear(enum stage reached, const struct mpj_content *c, off_t slot, const uint8_t *before)
{
    static uint8_t is[IMAGE], directory[DIRECTORY];
    size_t at = 0;

    nor_read(slot, is, IMAGE);
    switch (reached) {
    case UNTOUCHED:
    case ERASED:
        for (size_t i = 0; i < IMAGE; i++)
            is[i] = before[i] | some();
        nor_write(slot, is, IMAGE);
        break;
    case WRITTEN_IN_PART:
        while (at + 4U < IMAGE && memcmp(is + at, c->data + at, 4) == 0)
            at += 4U;
        for (size_t i = at; i < at + 4U; i++)
            is[i] &= c->data[i] | some();
        nor_write(slot, is, IMAGE);
        break;
    case NOT_COMMITTED:
        nor_read(DIRECTORY_AT, directory, DIRECTORY);
        for (at = DIRECTORY; at > 0 && directory[at - 1U] == 0xff;)
            at--;
        at = (at + RECORD - 1U) / RECORD * RECORD;
        for (size_t i = at; i < at + RECORD - 4U && i < DIRECTORY; i++)
            directory[i] &= some();
        nor_write(DIRECTORY_AT, directory, DIRECTORY);
        break;
    default:
        break;
    }
}

struct cutter {
    double after;
    pid_t pid;
};

static void *cut(void *arg)
{
    const struct cutter *const c = arg;
    const struct timespec wait = {(time_t)c->after,
                                  (long)((c->after - (double)(time_t)c->after) * 1e9)};

    nanosleep(&wait, NULL);
    kill(c->pid, SIGKILL);
    return NULL;
}

int main(int argc, char **argv)
{
    static const char *const names[STAGES] = {"before it began", "erased", "written in part",
                                              "written, not committed", "committed"};
    static uint8_t before[IMAGE], head[LOADER_MOST];
    unsigned count[STAGES] = {0};
    struct mpj_content old, new;
    struct mpj_loader_info info;
    struct mpj_loader *l;
    struct mpj_err err;
    unsigned number = 1;
    double took;

    if (argc < 5)
        die("usage: power_cut QEMU CALIBRATION LOADER CUTS [SEED]");
    signal(SIGPIPE, SIG_IGN);
    snprintf(t.dir, sizeof(t.dir), "/tmp/power_cut.XXXXXX");
    if (mkdtemp(t.dir) == NULL)
        die("%s: %s", t.dir, strerror(errno));
    t.random = argc > 5 ? strtoull(argv[5], NULL, 0) : 1;
    t.board.qemu = argv[1];
    t.board.calibration = argv[2];
    board_init(&t.board);
    install(argv[3]);

    /* Undisturbed, to have something older, and to know how long it takes. */
    make(&old, number);
    l = loader(&info);
    upload(l, &old);
    took = now_s();
    if (mpj_loader_flash(l, NULL, NULL, &err) != MPJ_E_OK)
        die("flash: %s", err.text);
    took = now_s() - took;
    mpj_loader_close(l);

    for (unsigned long i = strtoul(argv[4], NULL, 0); i > 0; i--) {
        struct cutter cutter = {.after = chance() * took * 1.2};
        enum stage reached;
        pthread_t thread;
        bool committed;
        off_t slot;

        make(&new, ++number);
        l = loader(&info);
        if (!mpj_loader_same(&info, &old))
            die("program %u is not there any more", number - 1);
        slot = info.slot == 1 ? SLOT0 : SLOT1;
        nor_read(slot, before, IMAGE);
        upload(l, &new);
        cutter.pid = t.board.pid;
        if (pthread_create(&thread, NULL, cut, &cutter) != 0)
            die("no thread");
        (void)mpj_loader_flash(l, NULL, NULL, &err);
        pthread_join(thread, NULL);
        mpj_loader_close(l);

        reached = stage(&new, slot, before);
        if (reached != NOT_COMMITTED || !has_record(number))
            tear(reached, &new, slot, before);
        nor_read(0, head, t.loader_bytes);
        if (memcmp(head, t.loader, t.loader_bytes) != 0)
            die("cut %lu: the loader was changed", i);
        l = loader(&info);
        committed = boots(l, &info, &new, number);
        if (!committed && !boots(l, &info, &old, number - 1))
            die("cut %lu: neither program is there", i);
        mpj_loader_close(l);
        power_off(&t.board);
        if (committed)
            reached = COMMITTED;
        count[reached]++;
        /* How long a write takes depends on the machine: most cuts shall come before its end. */
        took *= committed ? 0.85 : reached == UNTOUCHED ? 1.1 : 1.03;
        if (committed) {
            free(old.data);
            old = new;
            old.image.build_id.p = old.build_id;
        } else {
            free(new.data);
            number--;
        }
    }
    for (unsigned i = 0; i < STAGES; i++)
        printf("%u cuts: %s\n", count[i], names[i]);
    free(old.data);
    clean();
    return 0;
}
