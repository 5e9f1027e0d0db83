/* A sum beside increments through a map whose first colour has one block of elements
 * and whose second has all others: nothing but this loop's elements counts. */
#include "check.h"

enum { BLOCKS = 40, BLOCK = 64, N = BLOCKS * BLOCK, STEPS = 3 };

static void
count_many(int *n) {
  *n += 1000;
}

static void
add_and_count(const int *a, int *u, int *n) {
  *u += *a;
  *n += 1;
}

int
main(int argc, char **argv) {
  static int table[N], ones[N], zero[N], want[N], out[N];
  check_start(argc, argv);
  for (int e = 0; e < N; e++) {
    ones[e] = e % 5;
    table[e] = e < BLOCKS ? e * BLOCK : e; /* block 0 meets all others */
  }
  op_set s = op_decl_set(N, "s");
  op_map m = op_decl_map(s, s, 1, table, "m");
  op_dat a = op_decl_dat(s, 1, "int", ones, "a");
  op_dat u = op_decl_dat(s, 1, "int", zero, "u");
  for (int k = 0; k < STEPS; k++) {
    int many = 0, n = 0;
    op_par_loop(count_many, "count_many", s,
                op_arg_gbl(&many, 1, "int", OP_INC));
    CHECK_INT(many, 1000 * N);
    op_par_loop(add_and_count, "add_and_count", s,
                op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),
                op_arg_dat(u, 0, m, 1, "int", OP_INC),
                op_arg_gbl(&n, 1, "int", OP_INC));
    CHECK_INT(n, N);
    for (int e = 0; e < N; e++) want[table[e]] += ones[e];
  }
  op_fetch_data(u, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], want[e]);
  return check_end();
}
