/* Ranks that need the same code: one compiles it, the others read it. The cache is one
 * of this run, empty at first; run.sh starts all ranks in one folder.
 *
 * RUN: 2
 * RUN: 4 OP2_CHECK=1
 */
#include <stdio.h>
#include <stdlib.h>

#include "op2.h"

static void
fill(double *a, double *b) {
  *a = 2.5;
  *b = *a * 3;
}

static void
add(const int *compiled, int *all) {
  *all += *compiled;
}

int
main(int argc, char **argv) {
  double data[2] = {0};
  int compiled = 0, all = 0;
  setenv("OP2_CACHE_DIR", "cache", 1);
  op_init(argc, argv, 0);
  op_set set = op_decl_set(1, "ranks");
  op_dat a = op_decl_dat(set, 1, "double", data, "a");
  op_dat b = op_decl_dat(set, 1, "double", data + 1, "b");
  op_par_loop(fill, "fill", set,
              op_arg_dat(a, -1, OP_ID, 1, "double", OP_WRITE),
              op_arg_dat(b, -1, OP_ID, 1, "double", OP_WRITE));
  op2_flush();
  compiled = (int)op2_counter("compiles");
  op_dat c = op_decl_dat(set, 1, "int", &compiled, "compiled");
  op_par_loop(add, "add", set, op_arg_dat(c, -1, OP_ID, 1, "int", OP_READ),
              op_arg_gbl(&all, 1, "int", OP_INC));
  op2_flush();
  if (all != 1) printf("one region was compiled %d times\n", all);
  op_exit();
  if (all == 1) printf("ok\n");
  return all != 1;
}
