/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blurs a grey picture and counts its grey values: the program of
 * docs/manual/save-energy-step-by-step.md. */
#include <stdint.h>
#include <stdio.h>

enum { WIDTH = 512, HEIGHT = 384, RADIUS = 2, FRAMES = 4 };

static uint8_t picture[HEIGHT][WIDTH], blurred[HEIGHT][WIDTH];
static unsigned histogram[256];

static void read_camera(unsigned frame)
{
    unsigned x = 12345 + frame;
    for (int row = 0; row < HEIGHT; row++)
        for (int col = 0; col < WIDTH; col++) {
            x = x * 1664525 + 1013904223;
            picture[row][col] = (uint8_t)(x >> 24);
        }
}

static void blur(void)
{
    for (int col = 0; col < WIDTH; col++)
        for (int row = RADIUS; row < HEIGHT - RADIUS; row++) {
            unsigned sum = 0;
            for (int k = -RADIUS; k <= RADIUS; k++)
                sum += picture[row + k][col];
            blurred[row][col] = (uint8_t)(sum / (2 * RADIUS + 1));
        }
}

static void count_greys(void)
{
    for (int row = 0; row < HEIGHT; row++)
        for (int col = 0; col < WIDTH; col++)
            histogram[blurred[row][col]]++;
}

int main(void)
{
    for (unsigned frame = 0; frame < FRAMES; frame++) {
        read_camera(frame);
        blur();
        count_greys();
    }
    unsigned most = 0;
    for (unsigned grey = 0; grey < 256; grey++)
        if (histogram[grey] > histogram[most])
            most = grey;
    printf("most frequent grey: %u (%u pixels)\n", most, histogram[most]);
    return 0;
}
