/* Mirrors that are kept current count as written, but no further out than they were: a
 * temporary of a box has the halo that loops made, not all that it was declared with.
 * Exact: integers.
 *
 * RUN: 1 OP2_MIRROR=1
 * RUN: 2
 * RUN: 2 OP2_MIRROR=1
 * RUN: 3 OP2_MIRROR=1 OP2_CHECK=1
 */
#include "../programs/check.h"

enum { N = 6, NK = 4, ROOM = N * N * (NK + 1) };

static void
copy(const int *from, int *to) {
  *to = *from;
}

/* A scan downwards takes from above what was made there: nothing above the domain, so
 * that the top stays, and comes down. */
int
main(int argc, char **argv) {
  static int values[N * N * NK], got[ROOM];
  const int above[] = {0, 0, 0, 0, 0, 1};
  idx_g_t lo[3], hi[3];
  check_start(argc, argv);
  op_set box = op2_decl_box(3, (idx_g_t[]){N, N, NK}, NULL, "box");
  CHECK_INT(op2_box_local(box, lo, hi), 0);
  int plane = (int)((hi[0] - lo[0]) * (hi[1] - lo[1]));
  for (int e = 0; e < plane * NK; e++) values[e] = 100 + e / plane;
  op_dat in = op_decl_dat(box, 1, "int", values, "in");
  op_dat t = op2_decl_dat_box_temp(box, above, 1, "int", "t");
  op_map here = op2_decl_map_rule(box, box, 1, (int[]){0, 0, 0}, "here");
  op_par_loop(copy, "domain", box, op_arg_dat(in, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(t, 0, here, 1, "int", OP_WRITE));
  op_par_loop(copy, "other", box, op_arg_dat(t, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(in, -1, OP_ID, 1, "int", OP_WRITE));
  op2_par_loop_scan(copy, "down", box, OP2_BACKWARD,
                    op2_arg_dat_layer(t, 1, 1, "int", OP_READ),
                    op_arg_dat(t, -1, OP_ID, 1, "int", OP_WRITE));
  op_fetch_data(t, got);
  for (int e = 0; e < plane * NK; e++) CHECK_INT(got[e], 100 + NK - 1);
  return check_end();
}
