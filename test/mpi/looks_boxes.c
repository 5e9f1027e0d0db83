/* One rank looks at dat->data alone, while others go on to loops for which the library
 * makes maps of its own: by a rule that no loop went by before, through a map to a
 * subset. Sets are not to be spread on some of them only. Exact: integers.
 *
 * RUN: 2
 * RUN: 3
 * RUN: 3 OP2_CHECK=1
 * RUN: 2 OP2_MIRROR=1
 * RUN: 2 OP2_EAGER=1
 * RUN: 2 OP2_TARGET=opencl
 */
#include "op2.h"

#include <stdio.h>
#include <stdlib.h>

enum { NI = 8, NJ = 6, ROOM = NI * NJ };

static int rank, bad;
static idx_g_t lo[2], hi[2];
static op_set box, cells;
static op_dat a, b, c;
static op_map down; /* cells to points of the lowest row */

static void
add(const int *x, int *y) {
  *y += *x;
}

static int
value(long i, long j) {
  return (int)((i + NI) % NI + 10 * ((j + NJ) % NJ));
}

/* b holds the neighbours' values that were added. */
static void
check_b(int line, int east, int west, int north) {
  int e = 0;
  for (long j = lo[1]; j < hi[1]; j++)
    for (long i = lo[0]; i < hi[0]; i++, e++) {
      int found = ((int *)b->data)[e];
      int expected = east * value(i + 1, j) + west * value(i - 1, j) +
                     north * value(i, j + 1);
      if (found != expected && !bad++)
        printf("line %d, rank %d: b of (%ld, %ld) is %d, expected %d\n", line,
               rank, i, j, found, expected);
    }
}
#define CHECK_B(east, west, north) check_b(__LINE__, east, west, north)

static void
shift(const char *name, op_map by) {
  op_par_loop(add, name, box, op_arg_dat(a, 0, by, 1, "int", OP_READ),
              op_arg_dat(b, -1, OP_ID, 1, "int", OP_INC));
}

static void
declare(void) {
  static const int periodic[] = {OP2_PERIODIC, OP2_PERIODIC};
  int values[ROOM], zero[ROOM] = {0}, own[ROOM], row[ROOM], e = 0, n = 0;
  box = op2_decl_box(2, (idx_g_t[]){NI, NJ}, periodic, "box");
  if (op2_box_local(box, lo, hi)) exit(1);
  for (long j = lo[1]; j < hi[1]; j++)
    for (long i = lo[0]; i < hi[0]; i++, e++) {
      values[e] = value(i, j);
      if (j == 0) own[n++] = e;
    }
  a = op_decl_dat(box, 1, "int", values, "a");
  b = op_decl_dat(box, 1, "int", zero, "b");
  op_set lowest = op2_decl_subset(box, n, own, "lowest");
  int first = (int)op_get_global_set_offset(lowest);
  for (int k = 0; k < n; k++) row[k] = first + k;
  cells = op_decl_set(n, "cells");
  down = op_decl_map(cells, lowest, 1, row, "down");
  c = op_decl_dat(cells, 1, "int", zero, "c");
}

int
main(int argc, char **argv) {
  static const int by[][2] = {{1, 0}, {-1, 0}, {0, 1}};
  int sum = 0, expected = 0;
  op_init(argc, argv, 0);
  op_rank(&rank);
  declare();
  op_map east = op2_decl_map_rule(box, box, 1, by[0], "east");
  op_map west = op2_decl_map_rule(box, box, 1, by[1], "west");
  op_map north = op2_decl_map_rule(box, box, 1, by[2], "north");
  shift("east", east);
  if (rank == 1) CHECK_B(1, 0, 0);
  shift("west", west);
  op_par_loop(add, "down", cells, op_arg_dat(a, 0, down, 1, "int", OP_READ),
              op_arg_dat(c, -1, OP_ID, 1, "int", OP_INC));
  shift("north", north);
  if (rank == 0) CHECK_B(1, 1, 1);
  shift("east", east);
  CHECK_B(2, 1, 1);
  op_par_loop(add, "sum", cells, op_arg_dat(c, -1, OP_ID, 1, "int", OP_READ),
              op_arg_gbl(&sum, 1, "int", OP_INC));
  for (int i = 0; i < NI; i++) expected += value(i, 0);
  if (sum != expected && !bad++)
    printf("rank %d: sum is %d, expected %d\n", rank, sum, expected);
  op_exit();
  if (!bad) printf("ok\n");
  return bad != 0;
}
