/* Files that others wrote (foreign_files.c): OP2's layout, and other types where no value
 * is lost. */
#include "test/programs/check.h"

enum { CELLS = 5, EDGES = 4 };

static void
from_op2(void) {
  double q[CELLS][2], gam = 0;
  int bound[CELLS];
  op_set cells = op_decl_set_hdf5("op2.h5", "cells");
  op_set edges = op_decl_set_hdf5("op2.h5", "edges");
  op_map ecell = op_decl_map_hdf5(edges, cells, 2, "op2.h5", "ecell");
  op_dat dq = op_decl_dat_hdf5(cells, 2, "double", "op2.h5", "q");
  op_dat dbound = op_decl_dat_hdf5(cells, 1, "int", "op2.h5", "bound");
  op_get_const_hdf5("gam", 1, "double", (char *)&gam, "op2.h5");
  CHECK_INT(cells->size, CELLS);
  CHECK_INT(edges->size, EDGES);
  CHECK_REAL(gam, 1.4);
  op_fetch_data(dq, &q[0][0]);
  op_fetch_data(dbound, bound);
  for (int e = 0; e < EDGES; e++) CHECK_INT(ecell->map[2 * e + 1], e + 1);
  for (int c = 0; c < CELLS; c++) {
    CHECK_REAL(q[c][0], 0.1 * c);
    CHECK_INT(bound[c], c - 2);
  }
  op_fetch_data_hdf5_file(dq, "op2.h5"); /* takes the place of OP2's values */
}

static void
from_others(void) {
  double q[CELLS], exact[CELLS], single[CELLS];
  int wide[CELLS], small[CELLS];
  op_set cells = op_decl_set_hdf5("other.h5", "scalar");
  op_set edges = op_decl_set_hdf5_infer_size("other.h5", "e", "ecell");
  op_map ecell = op_decl_map_hdf5(edges, cells, 2, "other.h5", "ecell");
  CHECK_INT(cells->size, CELLS);
  CHECK_INT(ecell->map[7], 4);
  op_fetch_data(op_decl_dat_hdf5(cells, 1, "double", "other.h5", "flat"), q);
  CHECK_REAL(q[3], 1.5);
  op_fetch_data(op_decl_dat_hdf5(cells, 1, "int", "other.h5", "wide"), wide);
  CHECK_INT(wide[2], -2);
  CHECK_INT(wide[4], 2147483647);
  op_fetch_data(op_decl_dat_hdf5(cells, 1, "double", "other.h5", "exact"),
                exact);
  CHECK_REAL(exact[4], 9007199254740992.0);
  op_fetch_data(op_decl_dat_hdf5(cells, 1, "double", "other.h5", "single"),
                single);
  CHECK_REAL(single[1], (double)0.1f);
  op_fetch_data(op_decl_dat_hdf5(cells, 1, "int", "other.h5", "small"), small);
  CHECK_INT(small[4], 2);
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  from_op2();
  from_others();
  return check_end();
}
