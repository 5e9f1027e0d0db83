/* What all benchmark programs share: options, clock, progress, result line.
 *
 * Every program ends with one line for machines:
 *
 *   result name=airfoil threads=2 size=400x600 iters=30 ms_per_iter=17.1
 *   first_ms=210 rms=0.000123
 *
 * (in one line). ms_per_iter leaves out the first `warmup` iterations, whose
 * total is first_ms: compiling and planning happen there.
 */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bench_options {
  const char *mesh;      /* --mesh FILE; NULL: made in the program */
  const char *dump;      /* --dump FILE: airfoil only, the mesh to HDF5 */
  const char *partition; /* --partition LIBRARY: over ranks, by op_partition */
  int size[2];           /* --size I J */
  int iters;             /* --iters N */
  int warmup;            /* --warmup N: iterations outside the timing */
  int shuffle;           /* --shuffle SEED: random numbering; 0: as generated */
  int rcm;         /* --rcm: airfoil_ref only, numbered by Cuthill-McKee */
  int threads;     /* --threads N: the references only */
  int block;       /* --block N: block of the coloured references */
  int flush_every; /* --flush-every N: the lazy programs only */
  int degree;      /* --degree N: of Chebyshev's polynomials */
  int layers;      /* --layers N: of columns, of a box, values of an element */
  int rows;        /* --rows: chebyshev_ref only, over compressed rows */
  int simd;        /* --simd: airfoil_ref only, eight elements at a time */
  int free;        /* --free: fem_matrix only, without an assembled matrix */
  int table;       /* --table: icosahedral only, maps written down as tables */
  /* Follows the program's name in the result line, set by the program; NULL:
   * nothing. */
  const char *variant;
};

/* Read the options over the defaults that stand in `o`. Arguments that start
 * with "OP_" belong to the library and are passed over. False: something else
 * was found; a usage text was printed. */
bool bench_parse(struct bench_options *o, int argc, char **argv);

/* Seconds of a clock that only goes forward. */
double bench_seconds(void);

/* On a terminal, at most five times a second: "name 120/1000" on stderr. */
void bench_progress(int iter, int iters);

/* Timing of one run: call bench_iteration before each iteration and once after
 * the last, with everything that was asked for done. */
struct bench_timer {
  int warmup, iter;
  double start, warm, now;
  double least; /* seconds of the shortest iteration behind the first ones */
};
void bench_timer_start(struct bench_timer *t, int warmup);
void bench_iteration(struct bench_timer *t);
double bench_ms_per_iter(const struct bench_timer *t);

/* Of several ranks one prints: what the others print from now on goes nowhere. */
void bench_speaks(int root);

/* Threads that an OpenMP program started now would use. */
int bench_threads(void);

/* Print the closing line with n values at its end; `name` is the last part of
 * `argv0`. */
struct bench_value {
  const char *name;
  double value;
};
void bench_result_values(const char *argv0, const struct bench_options *o,
                         int threads, const struct bench_timer *t,
                         const struct bench_value *values, int n);

/* The same with the one value rms. */
void bench_result(const char *argv0, const struct bench_options *o, int threads,
                  const struct bench_timer *t, double rms);

#ifdef __cplusplus
}
#endif
#endif
