/* Planted errors in compiled code, which the sanitizers must find there
 * (OP2_SANITIZE); test/sanitize/planted.sh.
 *
 *   planted          none: nothing may be found
 *   planted race     the map is said to name no target twice, so that threads
 *                    increment through it without colouring
 *   planted bounds   an entry of the map's table is changed behind the library's
 *                    back, so that a read leaves its dat
 */
#include "op2.h"

#include "frontend/fe.h"

#include <stdio.h>
#include <string.h>

enum { N = 20000, FEW = 64 };

static void
add(const double *from, double *to) {
  *to += *from;
}

int
main(int argc, char **argv) {
  static int table[N];
  static double zero[N];
  const char *error = argc > 1 ? argv[1] : "";
  for (int e = 0; e < N; e++) table[e] = e % 16;
  op_init(argc, argv, 0);
  op_set from = op_decl_set(N, "from"), to = op_decl_set(FEW, "to");
  op_map map = op_decl_map(from, to, 1, table, "map");
  op_dat few = op_decl_dat(to, 1, "double", zero, "few");
  op_dat many = op_decl_dat(from, 1, "double", zero, "many");
  if (!strcmp(error, "race")) ((struct fe_map *)map)->flags |= IR_MAP_INJECTIVE;
  op_par_loop(add, "add", from,
              op_arg_dat(many, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(few, 0, map, 1, "double", OP_INC));
  op2_flush(); /* its plan is made by code that is instrumented anyway */
  if (!strcmp(error, "bounds")) map->map[N / 2] = FEW;
  op_par_loop(add, "add", from, op_arg_dat(few, 0, map, 1, "double", OP_READ),
              op_arg_dat(many, -1, OP_ID, 1, "double", OP_INC));
  op2_flush();
  op_exit();
  puts("ok");
  return 0;
}
