/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names, lines and the call chain of a fault, on a real ARM program (chain.c). The stack is
 * made here by hand as the code would have made it: what each function pushed is read from
 * its prologue.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gelf.h>

#include <fcntl.h>
#include <unistd.h>

#include "report/symbols.h"
#include "store/call_frames.h"

static struct mpj_symbols *symbols;
static struct mpj_err err;

static uint8_t *image; /* of .text */
static uint32_t base, size;

static int setup(void **state)
{
    const int fd = open(MPJ_CHAIN, O_RDONLY);
    Elf *elf;
    Elf_Scn *s = NULL;
    GElf_Shdr sh;

    (void)state;
    elf_version(EV_CURRENT);
    elf = elf_begin(fd, ELF_C_READ, NULL);
    while ((s = elf_nextscn(elf, s)) != NULL) {
        if (gelf_getshdr(s, &sh) != NULL && (sh.sh_flags & SHF_EXECINSTR)) {
            base = (uint32_t)sh.sh_addr;
            size = (uint32_t)sh.sh_size;
            image = malloc(size);
            memcpy(image, elf_getdata(s, NULL)->d_buf, size);
        }
    }
    elf_end(elf);
    close(fd);
    return image == NULL || mpj_symbols_open(&symbols, MPJ_CHAIN, &err) != 0;
}

static int teardown(void **state)
{
    (void)state;
    mpj_symbols_free(symbols);
    free(image);
    return 0;
}

static uint32_t word(uint32_t address)
{
    uint32_t v;

    assert_in_range(address, base, base + size - 4);
    memcpy(&v, image + address - base, 4);
    return v;
}

/* Address of a function. */
static uint32_t function(const char *name)
{
    struct mpj_place p;

    for (uint32_t a = base; a < base + size; a += 4) {
        mpj_symbols_lookup(symbols, a, &p);
        if (p.function != NULL && strcmp(p.function, name) == 0)
            return a;
    }
    fail_msg("no function %s", name);
    return 0;
}

/* The address after the call (BL) in a function. */
static uint32_t after_call(uint32_t start)
{
    while ((word(start) >> 24) != 0xeb)
        start += 4;
    return start + 4;
}

/* Undoes a prologue: bytes it takes off the stack, and where in them LR stands. */
static uint32_t frame_bytes(uint32_t start, uint32_t *lr_at)
{
    uint32_t pushed = 0;
    uint32_t below = 0;

    for (uint32_t a = start; a < start + 24; a += 4) {
        const uint32_t i = word(a);
        if ((i & 0xffff0000) == 0xe92d0000) /* push {...} */
            pushed = (uint32_t)__builtin_popcount(i & 0xffff) * 4;
        else if (i == 0xe52de004) /* push {lr} */
            pushed = 4;
        else if ((i & 0xfffff000) == 0xe24dd000) /* sub sp, sp, #n */
            below = i & 0xff;
    }
    assert_true(pushed >= 4);
    *lr_at = below + pushed - 4;
    return below + pushed;
}

static void lookup(void **state)
{
    struct mpj_place p;

    (void)state;
    mpj_symbols_lookup(symbols, function("leaf"), &p);
    assert_string_equal(p.function, "leaf");
    assert_int_equal(p.offset, 0);
    assert_non_null(strstr(p.file, "chain.c"));
    assert_in_range(p.line, 7, 9);
    mpj_symbols_lookup(symbols, 0x7ffffff0, &p);
    assert_null(p.function);
    assert_null(p.file);
}

/* Names of the library's functions are the public ones, also where only the private one is there.
 */
static void private_names(void **state)
{
    static const char *const name[] = {"shared", "lone"};
    struct mpj_place p;
    uint32_t at;
    uint32_t offset;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        mpj_symbols_lookup(symbols, function(name[i]) + 4, &p);
        assert_string_equal(p.function, name[i]);
        assert_int_equal(p.offset, 4);
        assert_string_equal(mpj_symbols_start(symbols, p.address - 4), name[i]);
    }
    assert_true(mpj_symbols_find(symbols, "shared", &at));
    assert_int_equal(at, function("shared"));
    assert_true(mpj_symbols_find(symbols, "__private_table", &at));
    assert_string_equal(mpj_symbols_variable(symbols, at + 4, &offset), "table");
    assert_int_equal(offset, 4);
}

/* The first instruction of leaf() belongs to two lines: that of the function, and what it does. So
 * does that of a parallel region whose body is one call. */
static void entry(void **state)
{
    struct mpj_place p;

    (void)state;
    mpj_symbols_lookup(symbols, function("leaf"), &p);
    assert_int_equal(p.line, 9);
    mpj_symbols_entry(symbols, function("leaf"), &p);
    assert_string_equal(p.function, "leaf");
    assert_non_null(strstr(p.file, "chain.c"));
    assert_int_equal(p.line, 8);
    mpj_symbols_entry(symbols, function("middle"), &p);
    assert_int_equal(p.line, 14);
    mpj_symbols_entry(symbols, 0x7ffffff0, &p);
    assert_null(p.function);
    assert_null(p.file);
}

/* A fault in leaf(), called by middle(), called by top(), where the stack ends. */
static void fault_in_leaf(struct mpj_fault *f)
{
    uint32_t lr_at;
    uint32_t lr_at_top;
    uint32_t bytes;

    *f = (struct mpj_fault){.kind = MPJ_FAULT_DATA, .count = MPJ_FAULT_STACK_MAX};
    f->r[15] = function("leaf");
    while ((word(f->r[15]) & 0xfff00000) != 0xe5800000) /* str rX, [r0] */
        f->r[15] += 4;
    f->r[13] = 0x00200000;
    f->r[14] = after_call(function("middle")); /* leaf pushes nothing */
    bytes = frame_bytes(function("middle"), &lr_at);
    f->stack[lr_at / 4] = after_call(function("top"));
    frame_bytes(function("top"), &lr_at_top);
    f->stack[(bytes + lr_at_top) / 4] = 0;
}

static void chain(void **state)
{
    struct mpj_fault f;
    struct mpj_chain c;

    (void)state;
    fault_in_leaf(&f);
    mpj_symbols_unwind(symbols, &f, NULL, &c);
    assert_int_equal(c.n, 3);
    assert_string_equal(c.place[0].function, "leaf");
    assert_int_equal(c.place[0].line, 9);
    assert_string_equal(c.place[1].function, "middle");
    assert_int_equal(c.place[1].line, 16);
    assert_string_equal(c.place[2].function, "top");
    assert_int_equal(c.place[2].line, 22);
    assert_int_equal(c.end, MPJ_CHAIN_WHOLE);
    assert_int_equal(c.gap_depth, 0);

    f.count = 2; /* the stack record ends early: so does the chain, in order, and says so */
    mpj_symbols_unwind(symbols, &f, NULL, &c);
    assert_int_equal(c.n, 2);
    assert_int_equal(c.end, MPJ_CHAIN_STACK);
}

/* Words of a stack that top() called itself on, so often, from SP upwards; middle() is innermost.
 * Returns its end. */
static uint32_t recursion(struct mpj_fault *f, struct mpj_stack *s, unsigned times)
{
    uint32_t lr_at, lr_at_top, bytes, bytes_top, at = 0x00200000;

    fault_in_leaf(f);
    f->count = 0;
    bytes = frame_bytes(function("middle"), &lr_at);
    bytes_top = frame_bytes(function("top"), &lr_at_top);
    s->word = calloc(times + 1U, sizeof(*s->word));
    s->word[s->count++] = (struct mpj_stack_at){at + lr_at, after_call(function("top"))};
    at += bytes;
    for (; times > 0; times--, at += bytes_top)
        s->word[s->count++] = (struct mpj_stack_at){at + lr_at_top, after_call(function("top"))};
    at += bytes_top; /* the outermost one has no caller */
    s->part[0].from = 0x00200000;
    s->part[0].to = at;
    s->parts = 1;
    return at;
}

/* All of a deep recursion is followed; the innermost and the outermost frames are named. */
static void deep(void **state)
{
    struct mpj_stack s = {.count = 0};
    struct mpj_fault f;
    struct mpj_chain c;

    (void)state;
    recursion(&f, &s, 1000);
    mpj_symbols_unwind(symbols, &f, &s, &c);
    free(s.word);
    assert_int_equal(c.n, MPJ_CHAIN_PLACES);
    assert_string_equal(c.place[1].function, "middle");
    assert_int_equal(c.depth[MPJ_CHAIN_FIRST - 1U], MPJ_CHAIN_FIRST - 1U);
    assert_int_equal(c.depth[MPJ_CHAIN_PLACES - 1U], 1002);
    assert_string_equal(c.place[MPJ_CHAIN_PLACES - 1U].function, "top");
    assert_int_equal(c.depth[MPJ_CHAIN_FIRST], 1002 - MPJ_CHAIN_LAST + 1U);
    assert_int_equal(c.end, MPJ_CHAIN_WHOLE);
    assert_int_equal(c.gap_depth, 0);
}

/* The middle of the stack was left out: the chain goes on behind it, and says so. */
static void gap(void **state)
{
    struct mpj_stack s = {.count = 0};
    struct mpj_fault f;
    struct mpj_chain c;
    uint32_t end;

    (void)state;
    end = recursion(&f, &s, 1000);
    s.part[1].to = end;
    s.part[0].to = s.word[5].address;
    s.part[1].from = s.word[990].address - 4U;
    s.parts = 2;
    memmove(&s.word[5], &s.word[990], (s.count - 990U) * sizeof(*s.word));
    s.count -= 985U;
    mpj_symbols_unwind(symbols, &f, &s, &c);
    free(s.word);
    assert_int_equal(c.end, MPJ_CHAIN_WHOLE);
    assert_int_equal(c.gap_depth, 7);
    assert_int_equal(c.n, 7 + 11);
    assert_string_equal(c.place[c.n - 1U].function, "top");
    assert_in_range(c.gap_bytes, 1000, end - 0x00200000);
}

/* A call through a wild pointer: the caller is known from LR all the same. */
static void wild_jump(void **state)
{
    struct mpj_fault f = {.kind = MPJ_FAULT_PREFETCH};
    struct mpj_chain c;

    (void)state;
    f.r[15] = 0x7ffffff0;
    f.r[14] = after_call(function("middle"));
    f.r[13] = 0x00200000;
    mpj_symbols_unwind(symbols, &f, NULL, &c);
    assert_int_equal(c.n, 2);
    assert_null(c.place[0].function);
    assert_string_equal(c.place[1].function, "middle");
}

/* Instructions of call frames: those of a program, and those that libdw would need gigabytes for.
 */
static void instructions(void **state)
{
    static const struct {
        uint8_t byte[16];
        unsigned count;
        bool fit;
    } row[] = {
        {{0}, 0, true},
        {{0x0c, 13, 0, 0x42, 0x0e, 0x20, 0x84, 0x02, 0x8e, 1, 0xc4, 0, 0}, 13, true}, /* usual */
        {{0x05, 0x9f, 0x02, 0x08}, 4, true}, /* D31 is register 287 */
        {{0x05, 0xff, 0x03, 0x08}, 4, true},
        {{0x05, 0x80, 0x04, 0x08}, 4, false},
        {{0x05, 13}, 2, false}, /* ends in its operands */
        {{0x07, 0x80, 0x80, 0x80, 0x40}, 5, false},
        {{0x06, 0x80, 0x04}, 3, false},
        {{0x08, 0x80, 0x04}, 3, false},
        {{0x09, 4, 0x80, 0x04}, 4, false},
        {{0x0d, 0x80, 0x04}, 3, false},
        {{0x0e, 0x80, 0x80, 0x80, 0x40}, 5, true}, /* a size, no register */
        {{0x0e, 0x80}, 2, false},
        {{0x0e, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, 11, false},
        {{0x0f, 2, 0x7d, 0x00}, 4, true},
        {{0x0f, 3, 0x7d, 0x00}, 4, false},
        {{0x10, 4, 2, 0x7d, 0x00}, 5, true},
        {{0x16, 0x80, 0x04, 0}, 4, false},
        {{0x01, 0, 0, 0, 0}, 5, true},
        {{0x04, 0, 0, 0}, 4, false},
        {{0x0a, 0x0b, 0x0a, 0x0b}, 4, true},
        {{0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a}, 8, true},
        {{0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a}, 9, false},
        {{0x0b}, 1, false},
        {{0x17}, 1, false}, /* there is none of this code */
        {{0x3f}, 1, false},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        if (call_frames_fit(row[i].byte, row[i].byte + row[i].count) != row[i].fit)
            fail_msg("row %u", i);
    }
}

/* Unwinds chain() in a copy of the program whose last instructions of middle's frame are others. */
static unsigned places_with(const uint8_t other[6])
{
    static const uint8_t last[] = {0x42, 0x0e, 0x20, 0x5c, 0x0e, 0x08, 0, 0, 0};
    struct mpj_symbols *s;
    struct mpj_fault f;
    struct mpj_chain c;
    static uint8_t bytes[65536];
    FILE *file = fopen(MPJ_CHAIN, "rbe");
    const size_t n = fread(bytes, 1, sizeof(bytes), file);
    uint8_t *const at = memmem(bytes, n, last, sizeof(last));

    fclose(file);
    assert_in_range(n, 1, sizeof(bytes) - 1);
    assert_non_null(at);
    memcpy(at + 3, other, 6);
    file = fopen("chain.other", "wbe");
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    fclose(file);
    fault_in_leaf(&f);
    assert_int_equal(mpj_symbols_open(&s, "chain.other", &err), MPJ_E_OK);
    mpj_symbols_unwind(s, &f, NULL, &c);
    mpj_symbols_free(s);
    unlink("chain.other");
    return c.n;
}

/* A damaged program: none of its frames is followed; the place of the fault is told all the same.
 */
static void damaged_frames(void **state)
{
    static const uint8_t good[6] = {0x07, 4};
    static const uint8_t far[6] = {0x07, 0xa0, 0x8d, 0x06}; /* register 100000 */
    static const uint8_t cut[6] = {0x07, 4, 0, 0, 0, 0x0e};

    (void)state;
    assert_int_equal(places_with(good), 3);
    assert_int_equal(places_with(far), 1);
    assert_int_equal(places_with(cut), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lookup),        cmocka_unit_test(entry),
        cmocka_unit_test(chain),         cmocka_unit_test(deep),
        cmocka_unit_test(gap),           cmocka_unit_test(wild_jump),
        cmocka_unit_test(instructions),  cmocka_unit_test(damaged_frames),
        cmocka_unit_test(private_names),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
