/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paints a picture, makes a PPM and a PNG file of it in memory and reads that again. The sum of the
 * PPM is known for the options of workloads.txt (-c, 0: any); -o 1 writes paint.png, too.
 */
#include "../wl_common.h"
#include "paint.h"

int main(int argc, char **argv)
{
    long width = 160, colours = 120, want = 0, file = 0;
    const struct wl_opt opts[] = {
        {'n', &width, 3, 4000, "pixels of a line"},
        {'m', &colours, 2, 200, "colours"},
        {'c', &want, 0, 0x7fffffff, "CRC of the PPM file, without its highest bit"},
        {'o', &file, 0, 1, "write paint.png"},
        {0},
    };
    wl_options(argc, argv, opts);
    struct picture p = {.width = (unsigned)width, .height = (unsigned)width * 2 / 3};
    unsigned char *ppm, *png;

    p.rgb = wl_alloc((size_t)p.width * p.height, 3);
    paint_set(&p, (unsigned)colours);
    const size_t ppm_size = file_ppm(&p, &ppm);
    const size_t png_size = file_png(&p, &png);
    if (!ppm_size || !png_size)
        exit(2);
    const uint32_t crc = check_crc(0, ppm, ppm_size) & 0x7fffffffu;
    /* the known values of both checksums: of "123456789" and "Wikipedia" */
    bool ok = check_crc(0, "123456789", 9) == 0xcbf43926u &&
              check_adler(1, "Wikipedia", 9) == 0x11e60398u && file_is(&p, png, png_size) &&
              (want == 0 || crc == (uint32_t)want);
    if (file) {
        FILE *f = fopen("paint.png", "wb");

        ok = ok && f && fwrite(png, 1, png_size, f) == png_size;
        ok = (!f || fclose(f) == 0) && ok;
    }
    png[png_size / 2] ^= 1; /* one bit: must be detected */
    ok = ok && !file_is(&p, png, png_size);
    free(ppm);
    free(png);
    free(p.rgb);
    return wl_result("paint", ok, "%ux%u png=%lu crc=%ld", p.width, p.height,
                     (unsigned long)png_size, (long)crc);
}
