/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "press.h"

#define LENGTH_BITS 4u /* bits of a code's length, before a block */
#define PLACE_BITS  12u
#define COUNT_BITS  24u

size_t press(const unsigned char *text, size_t n, unsigned char *out, size_t room)
{
    struct token *const token = malloc((n + 1) * sizeof(*token));
    struct bits to = {out, room, 0};
    uint32_t count[SYMBOLS] = {0};
    uint8_t length[SYMBOLS];
    uint16_t code[SYMBOLS];
    size_t tokens;

    if (!token)
        return 0;
    tokens = lz_cut(text, n, token);
    for (size_t i = 0; i < tokens; i++)
        count[token[i].symbol]++;
    huff_lengths(count, SYMBOLS, length);
    huff_codes(length, SYMBOLS, code);
    bits_put(&to, (uint32_t)tokens, COUNT_BITS);
    for (unsigned i = 0; i < SYMBOLS; i++)
        bits_put(&to, length[i], LENGTH_BITS);
    for (size_t i = 0; i < tokens; i++) {
        bits_put(&to, code[token[i].symbol], length[token[i].symbol]);
        if (token[i].symbol >= 256)
            bits_put(&to, token[i].distance, PLACE_BITS);
    }
    free(token);
    return to.pos / 8 < room ? to.pos / 8 + 1 : 0;
}

size_t unpress(const unsigned char *in, size_t bytes, unsigned char *out, size_t room)
{
    struct bits from = {(unsigned char *)in, bytes, 0};
    uint8_t length[SYMBOLS];
    struct huff_table table;
    const uint32_t tokens = bits_get(&from, COUNT_BITS);
    size_t n = 0;

    for (unsigned i = 0; i < SYMBOLS; i++)
        length[i] = (uint8_t)bits_get(&from, LENGTH_BITS);
    huff_table(&table, length, SYMBOLS);
    for (uint32_t i = 0; i < tokens && n < room; i++) {
        const unsigned symbol = huff_get(&table, &from);

        if (symbol < 256) {
            out[n++] = (unsigned char)symbol;
        } else {
            const size_t distance = bits_get(&from, PLACE_BITS);
            const size_t end = n + symbol - 256 + SHORTEST;

            if (distance == 0 || distance > n || end > room)
                return 0;
            for (; n < end; n++)
                out[n] = out[n - distance];
        }
    }
    return n;
}
