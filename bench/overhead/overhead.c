/* What the library costs where kernels cost nothing:
 *
 *   record   nanoseconds for one op_par_loop of 6 arguments, put together and
 *            recorded
 *   flush    microseconds for a flush that repeats itself, of 9 such loops over
 *            single elements: all but the few nanoseconds of its regions
 *   start    milliseconds from op_init to the end of the first flush, that is
 *            compiled or loaded from the cache on disk
 *
 *   overhead [--rounds N]
 *
 * Prints the least and the median of the rounds; the least is what the machine
 * allows, the median what it gives beside others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "op2.h"

#include "../common.h"

enum { LOOPS = 9, REPEAT = 10, ROUNDS = 3000 };

static void
nothing(const double *a, const double *b, const double *c, const double *d,
        double *e, double *f) {
  (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
}

/* The same with a little to do, so that nobody can leave it out. */
static void
little(const double *a, const double *b, const double *c, const double *d,
       double *e, double *f) {
  *e += *a + *b;
  *f += *c + *d;
}

static double
now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static op_set edges, cells;
static op_map pe;
static op_dat x, q, res, work;

#define ARGUMENTS                                                              \
  op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),                              \
      op_arg_dat(q, 0, pe, 1, "double", OP_READ),                              \
      op_arg_dat(q, 1, pe, 1, "double", OP_READ),                              \
      op_arg_dat(work, -1, OP_ID, 1, "double", OP_READ),                       \
      op_arg_dat(res, 0, pe, 1, "double", OP_INC),                             \
      op_arg_dat(res, 1, pe, 1, "double", OP_INC)
#define LOOP(kernel) op_par_loop(kernel, "loop", edges, ARGUMENTS)
#define NINE(kernel)                                                           \
  do {                                                                         \
    LOOP(kernel);                                                              \
    LOOP(kernel);                                                              \
    LOOP(kernel);                                                              \
    LOOP(kernel);                                                              \
    LOOP(kernel);                                                              \
    LOOP(kernel);                                                              \
    LOOP(kernel);                                                              \
    LOOP(kernel);                                                              \
    LOOP(kernel);                                                              \
  } while (0)

/* Seconds to record LOOPS * REPEAT loops; the flush is not counted. */
static double
record(void) {
  double begin = now();
  for (int k = 0; k < REPEAT; k++) NINE(nothing);
  double end = now();
  op2_flush();
  return (end - begin) / (LOOPS * REPEAT);
}

static double
flush(void) {
  NINE(little);
  double begin = now();
  op2_flush();
  return now() - begin;
}

static int
less(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void
report(const char *what, double (*measure)(void), int rounds, double unit,
       const char *name) {
  double *t = malloc((size_t)rounds * sizeof *t);
  for (int k = 0; k < rounds; k++) t[k] = measure();
  qsort(t, (size_t)rounds, sizeof *t, less);
  printf("%-8s %8.3f %s least, %8.3f median of %d\n", what, t[0] / unit, name,
         t[rounds / 2] / unit, rounds);
  free(t);
}

int
main(int argc, char **argv) {
  int rounds =
      argc == 3 && !strcmp(argv[1], "--rounds") ? atoi(argv[2]) : ROUNDS;
  static int ends[2] = {0, 1};
  double zeros[2] = {0}, begin = now();
  op_init(1, argv, 0);
  bench_speaks(op_is_root());
  edges = op_decl_set(1, "edges");
  cells = op_decl_set(2, "cells");
  pe = op_decl_map(edges, cells, 2, ends, "pe");
  x = op_decl_dat(edges, 1, "double", zeros, "x");
  work = op_decl_dat(edges, 1, "double", zeros, "work");
  q = op_decl_dat(cells, 1, "double", zeros, "q");
  res = op_decl_dat(cells, 1, "double", zeros, "res");
  flush();
  printf("%-8s %8.3f ms, %lld regions compiled, %lld from disk\n", "start",
         1e3 * (now() - begin), op2_counter("compiles"),
         op2_counter("cache_loads"));
  record();
  report("record", record, rounds, 1e-9, "ns");
  report("flush", flush, rounds, 1e-6, "us");
  op_exit();
  return 0;
}
