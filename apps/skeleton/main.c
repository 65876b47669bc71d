/* Replace this with your program: mpjoule builds ordinary C with pthreads, C11 threads or OpenMP.
 */
#include <stdio.h>
#include <stdlib.h>

#include "heat.h"

static plate even, odd;

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? atoi(argv[1]) : 40;
    double mean;

    heat_begin(even);
    heat_begin(odd);
    for (int i = 0; i < steps / 2; i++) {
        heat_step(odd, even);
        heat_step(even, odd);
    }
    mean = heat_mean(even);
    printf("%d steps, mean temperature %.4f\n", steps / 2 * 2, mean);
    /* check the result of a measured program: a fast one may be wrong */
    return mean > 1.0 && mean < 100.0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
