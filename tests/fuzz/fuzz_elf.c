/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any file as a program: its notes, functions, symbols, lines and the chain of a fault. The first
 * four bytes are the address asked for. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "fuzz_file.h"
#include "hil/image.h"
#include "report/symbols.h"

#define ADDRESSES 16U   /* asked for, one word behind the other */
#define CODE_MAX  4096U /* bytes of a function whose constants are asked for */

/* Asks for the constants of the code from an address on: each halfword has a place, no more. */
static void constants(struct mpj_symbols *s, uint32_t start, uint32_t size)
{
    bool *const is_constant = calloc((size + 1U) / 2U, sizeof(*is_constant));

    if (is_constant == NULL || !mpj_symbols_constants(s, start, size, is_constant))
        abort();
    free(is_constant);
}

static void look_up(struct mpj_symbols *s, uint32_t address)
{
    struct mpj_place place;
    struct mpj_inlined inlined[4];
    uint32_t word;
    uint32_t offset = 0;

    mpj_symbols_lookup(s, address, &place);
    mpj_symbols_entry(s, address, &place);
    mpj_symbols_function(s, address, &place);
    if (place.size > 0)
        constants(s, address - place.offset, place.size < CODE_MAX ? place.size : CODE_MAX);
    (void)mpj_symbols_variable(s, address, &offset);
    (void)mpj_symbols_word(s, address, &word);
    (void)mpj_symbols_branch(s, address, true);
    (void)mpj_symbols_branch(s, address, false);
    (void)mpj_symbols_start(s, address);
    if (mpj_symbols_inlined(s, address, inlined, 4) > 4)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpj_symbols *s = NULL;
    struct mpj_image image;
    static struct mpj_chain chain;
    static struct mpj_stack_at word[] = {{0x10200, 0}, {0x10204, 0x10300}, {0x10208, 0x8000}};
    struct mpj_stack stack = {.count = 3, .parts = 1};
    struct mpj_fault f = {.count = MPJ_FAULT_STACK_MAX};
    struct mpj_err err;
    const char *path;
    char list[160];
    uint32_t address = 0;
    uint32_t found;

    if (size < sizeof(address))
        return 0;
    memcpy(&address, data, sizeof(address));
    path = fuzz_file(data + sizeof(address), size - sizeof(address));
    (void)mpj_image_check(&image, path, &err);
    snprintf(list, sizeof(list), "%s.list", path);
    (void)mpj_functions_list(path, list, &err);
    if (mpj_symbols_open(&s, path, &err) != MPJ_E_OK)
        return 0;
    for (uint32_t i = 0; i < ADDRESSES; i++)
        look_up(s, address + 4 * i);
    (void)mpj_symbols_find(s, "leaf", &found);
    (void)mpj_symbols_find(s, "no such name", &found);
    for (unsigned i = 0; i < 16; i++)
        f.r[i] = address + i;
    for (unsigned i = 0; i < MPJ_FAULT_STACK_MAX; i++)
        f.stack[i] = address + 4 * i;
    f.r[13] = 0x10000;
    f.r[15] = address;
    stack.word = word;
    stack.part[0].from = 0x10200;
    stack.part[0].to = 0x20000;
    mpj_symbols_unwind(s, &f, &stack, &chain);
    if (chain.n == 0)
        abort();
    f.r[14] = address;
    f.r[15] = 0; /* a jump through a bad pointer */
    mpj_symbols_unwind(s, &f, NULL, &chain);
    mpj_symbols_free(s);
    return 0;
}

/* The kept program. */
size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    const uint32_t address = 0x8040U + rng() % 0x120U / 4U * 4U;
    FILE *const f = fopen(FUZZ_PROGRAM, "rb");
    size_t n = 0;

    if (f == NULL)
        abort();
    if (cap > 8192) {
        memcpy(out, &address, sizeof(address));
        n = sizeof(address) + fread(out + sizeof(address), 1, cap - sizeof(address), f);
    }
    fclose(f);
    return n;
}
