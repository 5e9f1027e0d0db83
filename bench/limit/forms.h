/* The forms of a time step: in what order loops run, and on which threads. */
#ifndef BENCH_LIMIT_FORMS_H
#define BENCH_LIMIT_FORMS_H

#include "loops.h"

/* Run `steps` time steps (at most TILED_STEPS) as l->how has it; rms[i] is
 * sqrt(rms / cells) of the second half of step i. `first`: adt of what q starts
 * as is not there yet. */
void forms_run(struct limit *l, const struct loops *s, bool first, int steps,
               double *rms);

#endif
