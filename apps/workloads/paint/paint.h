/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A picture of 8-bit colours, and files of it. */
#ifndef PAINT_H
#define PAINT_H

#include <stddef.h>
#include <stdint.h>

struct picture {
    unsigned width, height;
    unsigned char *rgb; /* rows from the top */
};

/* Paints the Mandelbrot set in `most` colours; OpenMP's threads, if any, share the rows. */
void paint_set(struct picture *p, unsigned most);

/* Continues a checksum of PNG: a CRC-32 (0 at first), an Adler-32 (1 at first). */
uint32_t check_crc(uint32_t crc, const void *data, size_t n);
uint32_t check_adler(uint32_t adler, const void *data, size_t n);

/* Writes a PPM or PNG file of it (the PNG's data are not compressed) into new memory. Returns the
 * bytes; 0: no memory. */
size_t file_ppm(const struct picture *p, unsigned char **out);
size_t file_png(const struct picture *p, unsigned char **out);

/* Reads what file_png() wrote. Returns 1 if the pixels are those of the picture, else 0. */
int file_is(const struct picture *p, const unsigned char *png, size_t n);

#endif
