#include "heat.h"

#include <string.h>

void heat_begin(plate p)
{
    memset(p, 0, sizeof(plate));
    for (int x = 0; x < HEAT_N; x++)
        p[0][x] = 100.0F;
}

void heat_step(plate to, const plate from)
{
#pragma omp parallel for
    for (int y = 1; y < HEAT_N - 1; y++) {
        for (int x = 1; x < HEAT_N - 1; x++)
            to[y][x] = 0.25F * (from[y - 1][x] + from[y + 1][x] + from[y][x - 1] + from[y][x + 1]);
    }
}

double heat_mean(const plate p)
{
    double sum = 0;

    for (int y = 0; y < HEAT_N; y++) {
        for (int x = 0; x < HEAT_N; x++)
            sum += p[y][x];
    }
    return sum / (HEAT_N * HEAT_N);
}
