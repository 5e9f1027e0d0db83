#include "fields.h"

#include <math.h>
#include <stdio.h>

int
fields_result(const char *argv0, const struct bench_options *o, int threads,
              const struct bench_timer *t, double ideal,
              const double *squares) {
  double ms = bench_ms_per_iter(t);
  int right = isfinite(squares[1]) && squares[1] <= squares[0];
  struct bench_value values[] = {
      {"ideal_gb_per_s", ms > 0 ? ideal / ms / 1e6 : 0},
      {"best_gb_per_s", ideal / t->least / 1e9},
      {"rms", sqrt(squares[1])}};
  printf("mean square %s: %.17g, then %.17g\n", right ? "fell" : "DID NOT FALL",
         squares[0], squares[1]);
  bench_result_values(argv0, o, threads, t, values, 3);
  return !right;
}
