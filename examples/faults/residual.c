/* The fault: a residual that other files may look at at any time, since its variable is
 * not static: "A flush too many" of doc/performance.md. It is set to zero before each
 * loop that adds to it, so that the promise of op2_defer_globals(1) holds: with argument
 * "deferred" it is given. */
#include "op2.h"

#include <stdlib.h>
#include <string.h>

enum { CELLS = 400000, STEPS = 100 };

double residual;

static void
flow(const double *a, const double *b, double *from, double *to) {
  double f = 0.1 * (*a - *b);
  *from -= f;
  *to += f;
}

static void
step(double *change, double *q, double *residual) {
  *q += *change;
  *residual += *change * *change;
  *change = 0;
}

int
main(int argc, char **argv) {
  op_init(argc, argv, 0);
  op2_defer_globals(argc > 1 && !strcmp(argv[1], "deferred"));
  double *start = malloc(CELLS * sizeof *start);
  int *ends = malloc(2 * CELLS * sizeof *ends);
  for (int i = 0; i < CELLS; i++) {
    start[i] = i % 7;
    ends[2 * i] = i, ends[2 * i + 1] = (i + 1) % CELLS;
  }
  op_set cells = op_decl_set(CELLS, "cells"), faces = op_decl_set(CELLS, "faces");
  op_map map = op_decl_map(faces, cells, 2, ends, "sides");
  op_dat q = op_decl_dat(cells, 1, "double", start, "q");
  op_dat r = op_decl_dat(cells, 1, "double", (double *)NULL, "r");
  for (int k = 0; k < STEPS; k++) {
    op_par_loop(flow, "flow", faces, op_arg_dat(q, 0, map, 1, "double", OP_READ),
                op_arg_dat(q, 1, map, 1, "double", OP_READ),
                op_arg_dat(r, 0, map, 1, "double", OP_INC),
                op_arg_dat(r, 1, map, 1, "double", OP_INC));
    residual = 0;
    op_par_loop(step, "step", cells, op_arg_dat(r, -1, OP_ID, 1, "double", OP_RW),
                op_arg_dat(q, -1, OP_ID, 1, "double", OP_RW),
                op_arg_gbl(&residual, 1, "double", OP_INC));
  }
  op2_flush();
  op_printf("residual %g\n", residual);
  free(ends);
  free(start);
  op_exit();
  return 0;
}
