/* idx = -k is a vector argument: the kernel gets T ** with the first k entries
 * of the map's row. READ, INC, WRITE and RW. */
#include "check.h"

enum { CELLS = 30, NODES = 2 * CELLS + 2, ARITY = 4 };

static void
gather3(int **x, int *sum) {
  *sum = x[0][1] + 10 * x[1][1] + 100 * x[2][1];
}
static void
scatter(const int *c, int **n) {
  for (int i = 0; i < 4; i++) n[i][0] += *c * (i + 1);
}
static void
mark(int **n) {
  n[0][1] = 7;
  n[1][1] = 7;
}
static void
twice(int **n) {
  n[0][0] *= 2;
}

int
main(int argc, char **argv) {
  static int map[CELLS][ARITY], x[NODES][2], c[CELLS], out[NODES][2];
  int sums[CELLS];
  check_start(argc, argv);
  for (int e = 0; e < CELLS; e++) {
    c[e] = e + 1;
    for (int i = 0; i < ARITY; i++) map[e][i] = 2 * e + i;
  }
  for (int n = 0; n < NODES; n++) x[n][1] = n % 10;
  op_set cells = op_decl_set(CELLS, "cells"),
         nodes = op_decl_set(NODES, "nodes");
  op_map m = op_decl_map(cells, nodes, ARITY, &map[0][0], "m");
  op_dat xd = op_decl_dat(nodes, 2, "int", &x[0][0], "x");
  op_dat cd = op_decl_dat(cells, 1, "int", c, "c");
  op_dat sd = op_decl_dat(cells, 1, "int", (int *)NULL, "sum");

  op_par_loop(gather3, "gather3", cells,
              op_arg_dat(xd, -3, m, 2, "int", OP_READ),
              op_arg_dat(sd, -1, OP_ID, 1, "int", OP_WRITE));
  op_par_loop(scatter, "scatter", cells,
              op_arg_dat(cd, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(xd, -4, m, 2, "int", OP_INC));
  op_par_loop(mark, "mark", cells, op_arg_dat(xd, -2, m, 2, "int", OP_WRITE));
  op_par_loop(twice, "twice", cells, op_arg_dat(xd, -2, m, 2, "int", OP_RW));
  for (int e = 0; e < CELLS; e++) {
    int n = 2 * e;
    op_fetch_data_idx(sd, sums + e, e, e);
    CHECK_INT(sums[e], n % 10 + 10 * ((n + 1) % 10) + 100 * ((n + 2) % 10));
  }
  for (int e = 0; e < CELLS; e++)
    for (int i = 0; i < ARITY; i++) x[map[e][i]][0] += c[e] * (i + 1);
  for (int e = 0; e < CELLS; e++) {
    x[map[e][0]][1] = x[map[e][1]][1] = 7;
    x[map[e][0]][0] *= 2;
  }
  op_fetch_data(xd, &out[0][0]);
  CHECK_INTS(&out[0][0], &x[0][0], 2 * NODES);
  return check_end();
}
