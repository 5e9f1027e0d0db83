/* One rank looks at dat->data alone, and what it needs takes deeper halos, while others
 * go on to a loop for which the library makes a map: by a new rule, or from a subset.
 * Sets are spread with the same maps on all ranks. Exact: integers.
 *
 * RUN: 2 OP2_HALO_LIMIT=6
 * RUN: 3 OP2_HALO_LIMIT=6
 * RUN: 2 OP2_HALO_LIMIT=6 OVER=subset
 * RUN: 3 OP2_HALO_LIMIT=6 OVER=subset
 * RUN: 2 OVER=subset OP2_TARGET=opencl
 */
#include "op2.h"

#include <stdio.h>
#include <stdlib.h>

enum { NI = 8, NJ = 18, ROOM = NI * NJ };

static int rank, points, bad;

static void
add(const int *x, int *y) {
  *y += *x;
}

static void
check(const char *what, const int *found, int expected) {
  for (int e = 0; e < points; e++)
    if (found[e] != expected && !bad++)
      printf("rank %d: %s[%d] is %d, expected %d\n", rank, what, e, found[e],
             expected);
}

int
main(int argc, char **argv) {
  static const int by[][2] = {{0, 1}, {0, -1}};
  static const int periodic[] = {OP2_PERIODIC, OP2_PERIODIC};
  int ones[ROOM], zero[ROOM] = {0}, all[ROOM], found[ROOM];
  idx_g_t lo[2], hi[2];
  op_init(argc, argv, 0);
  op_rank(&rank);
  op_set box = op2_decl_box(2, (idx_g_t[]){NI, NJ}, periodic, "box"),
         over = box;
  if (op2_box_local(box, lo, hi)) exit(1);
  points = (int)((hi[0] - lo[0]) * (hi[1] - lo[1]));
  for (int e = 0; e < ROOM; e++) ones[e] = 1, all[e] = e;
  op_dat a = op_decl_dat(box, 1, "int", ones, "a");
  op_dat b = op_decl_dat(box, 1, "int", zero, "b");
  op_dat c = op_decl_dat(box, 1, "int", zero, "c");
  op_dat d = op_decl_dat(box, 1, "int", zero, "d");
  op_dat w = op_decl_dat(box, 1, "int", zero, "w");
  op_map up = op2_decl_map_rule(box, box, 1, by[0], "up");
  op_map down = op2_decl_map_rule(box, box, 1, by[1], "down");
#define ADD(set, x, map, y)                                                    \
  op_par_loop(add, "add_" #x, set, op_arg_dat(x, 0, map, 1, "int", OP_READ),   \
              op_arg_dat(y, -1, OP_ID, 1, "int", OP_INC))
  if (getenv("OVER")) {
    over = op2_decl_subset(box, points, all, "over");
    ADD(box, a, down, w); /* its rule is known; what leads from `over` is not */
  }
  ADD(box, a, up, b);
  ADD(box, b, up, c);
  ADD(box, c, up, d);
  if (rank == 1) check("d", (int *)d->data, 1);
  ADD(over, d, down, b);
  op_fetch_data(b, found);
  check("b", found, 2);
  op_exit();
  if (!bad) printf("ok\n");
  return bad != 0;
}
