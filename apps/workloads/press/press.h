/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A compressor of blocks: repetitions become distances, and the rest canonical Huffman codes. */
#ifndef PRESS_H
#define PRESS_H

#include <stddef.h>
#include <stdint.h>

#define SYMBOLS   320 /* bytes, then lengths of repetitions from SHORTEST on */
#define SHORTEST  4U
#define LONGEST   (SHORTEST + 63U)
#define WINDOW    4096U
#define CODE_BITS 15U /* length of the longest code */

/* Bits of a buffer, the lowest of each byte first. Bits that do not fit are counted, not
 * written. */
struct bits {
    unsigned char *at;
    size_t room; /* bytes */
    size_t pos;  /* bits */
};

void bits_put(struct bits *b, uint32_t value, unsigned n);
uint32_t bits_get(struct bits *b, unsigned n);

/* Computes lengths of codes from the symbols' frequencies; a symbol that does not occur has
 * none. */
void huff_lengths(const uint32_t *count, unsigned n, uint8_t *length);

/* Computes canonical codes of the lengths, as they are written: the first bit lowest. */
void huff_codes(const uint8_t *length, unsigned n, uint16_t *code);

/* Decoding table of the lengths, for huff_get(). */
struct huff_table {
    uint16_t first[CODE_BITS + 2]; /* code of each length */
    uint16_t index[CODE_BITS + 2];
    uint16_t symbol[SYMBOLS];
};
void huff_table(struct huff_table *t, const uint8_t *length, unsigned n);
unsigned huff_get(const struct huff_table *t, struct bits *b);

/* A piece of the text: a byte, or a length and a distance to repeat. */
struct token {
    uint16_t symbol;
    uint16_t distance;
};

/* Cuts n bytes into tokens (out: n elements). Returns how many. */
size_t lz_cut(const unsigned char *text, size_t n, struct token *out);

/* Compresses n bytes into the buffer. Returns the bytes used; 0: they do not fit. */
size_t press(const unsigned char *text, size_t n, unsigned char *out, size_t room);

/* Expands a block. Returns the bytes written, at most `room`. */
size_t unpress(const unsigned char *in, size_t bytes, unsigned char *out, size_t room);

#endif
