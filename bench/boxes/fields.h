/* First values of the programs, and their last word. */
#ifndef BENCH_BOXES_FIELDS_H
#define BENCH_BOXES_FIELDS_H

#include <stddef.h>

#include "../common.h"

/* Points beyond the domain that horizontal diffusion reads, on each side. */
enum { FIELDS_HALO = 2 };

/* A rough field, the same for all programs: element e of whatever. */
static inline double
fields_rough(size_t e) {
  size_t mixed = (e + 1) * 2654435761u % 65521;
  return (double)mixed / 65521;
}

/* i + n[0] * (j + n[1] * k) over all points, halo included, which i and j have. */
static inline size_t
fields_points(const struct bench_options *o) {
  size_t ni = (size_t)o->size[0] + 2 * FIELDS_HALO;
  return ni * ((size_t)o->size[1] + 2 * FIELDS_HALO) * (size_t)o->layers;
}

/* Prints two lines, of which the last is for machines. 1 if the field did not
 * become smoother, else 0: an exit code. `ideal`: bytes that a step moves at
 * least; squares: the mean of them, first and last. */
int fields_result(const char *argv0, const struct bench_options *o, int threads,
                  const struct bench_timer *t, double ideal,
                  const double *squares);

#endif
