/* Heat that spreads over a plate: the work of the program. */
#ifndef HEAT_H
#define HEAT_H

#define HEAT_N 96 /* points on a side of the plate */

typedef float plate[HEAT_N][HEAT_N];

/* Makes a cold plate with one hot edge. */
void heat_begin(plate p);

/* Advances one step in time: each inner point of `to` is the mean of its neighbours in `from`. */
void heat_step(plate to, const plate from);

/* Returns the mean temperature of the plate. */
double heat_mean(const plate p);

#endif
