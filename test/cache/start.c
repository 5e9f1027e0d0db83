/* A program that is started again and again: what did this start compile, what
 * came from the cache on disk or was in the program, was LLVM loaded, and is the
 * result right?
 *
 *   compiles N loads N bundled N bad N llvm 0|1 result OK
 *
 * Its kernels have what makes object files differ: constants of the program,
 * folded and changing, a function of libm, increments, a table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "op2.h"

#ifndef FACTOR
#define FACTOR 2.0
#endif
enum { NODES = 37, EDGES = 60, STEPS = 3 };

static double shift = 1.5, step;

static void
set_up(const double *x, double *u) {
  static const double table[4] = {1, -2, 4, -8};
  *u = FACTOR * exp(*x) + shift * table[((int)*x) & 3];
}

static void
flow(const double *a, const double *b, double *ra, double *rb) {
  double f = *a - *b;
  *ra -= f;
  *rb += f;
}

static void
advance(double *u, double *r, double *sum) {
  *u += step * *r;
  *r = 0;
  *sum += *u;
}

static int
llvm_is_loaded(void) {
  char line[4096];
  int found = 0;
  FILE *f = fopen("/proc/self/maps", "r");
  while (f && fgets(line, sizeof line, f)) /* OpenCL may have one of its own */
    found |= strstr(line, "op2lazy-llvm") || strstr(line, "libLLVM.so.19");
  if (f) fclose(f);
  return found;
}

/* The same in plain C. */
static double
reference(const double *x, const int *pairs) {
  double u[NODES], r[NODES] = {0}, sum = 0;
  for (int n = 0; n < NODES; n++) set_up(&x[n], &u[n]);
  for (int k = 0; k < STEPS; k++) {
    step = 0.01 * (k + 1);
    for (int e = 0; e < EDGES; e++)
      flow(&u[pairs[2 * e]], &u[pairs[2 * e + 1]], &r[pairs[2 * e]],
           &r[pairs[2 * e + 1]]);
    for (int n = 0; n < NODES; n++) advance(&u[n], &r[n], &sum);
  }
  return sum;
}

int
main(int argc, char **argv) {
  double x[NODES], sum = 0;
  int pairs[2 * EDGES];
  for (int n = 0; n < NODES; n++) x[n] = 0.1 * n;
  for (int e = 0; e < 2 * EDGES; e++) pairs[e] = (e * 7 + e / 5) % NODES;
  double want = reference(x, pairs);
  op_init(argc, argv, 0);
  op_decl_const(1, "double", &shift);
  op_decl_const(1, "double", &step);
  op_set nodes = op_decl_set(NODES, "nodes"),
         edges = op_decl_set(EDGES, "edges");
  op_map ends = op_decl_map(edges, nodes, 2, pairs, "ends");
  op_dat dx = op_decl_dat(nodes, 1, "double", x, "x");
  op_dat du = op_decl_dat_temp(nodes, 1, "double", NULL, "u");
  op_dat dr = op_decl_dat_temp(nodes, 1, "double", NULL, "r");
  op_par_loop(set_up, "set_up", nodes,
              op_arg_dat(dx, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(du, -1, OP_ID, 1, "double", OP_WRITE));
  for (int k = 0; k < STEPS; k++) {
    step = 0.01 * (k + 1);
    op_par_loop(flow, "flow", edges,
                op_arg_dat(du, 0, ends, 1, "double", OP_READ),
                op_arg_dat(du, 1, ends, 1, "double", OP_READ),
                op_arg_dat(dr, 0, ends, 1, "double", OP_INC),
                op_arg_dat(dr, 1, ends, 1, "double", OP_INC));
    op_par_loop(advance, "advance", nodes,
                op_arg_dat(du, -1, OP_ID, 1, "double", OP_RW),
                op_arg_dat(dr, -1, OP_ID, 1, "double", OP_RW),
                op_arg_gbl(&sum, 1, "double", OP_INC));
  }
  int right = fabs(sum - want) <= 1e-12 * fabs(want); /* order of the sum */
  printf("compiles %lld loads %lld bundled %lld bad %lld llvm %d result %s\n",
         op2_counter("compiles"), op2_counter("cache_loads"),
         op2_counter("bundle_loads"), op2_counter("cache_bad"),
         llvm_is_loaded(), right ? "OK" : "wrong");
  op_exit();
  return !right;
}
