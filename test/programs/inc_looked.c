/* A kernel that looks at what it increments sees the current value, also through a
 * map, where a mere increment starts from zero. */
#include "check.h"

enum { N = 3000, STEPS = 3 };

static void
add_and_look(const int *a, int *u, int *sum) {
  *u += *a;
  *sum += *u % 8;
}

int
main(int argc, char **argv) {
  static int table[N], init[N], want[N], out[N];
  int sum = 0, want_sum = 0;
  check_start(argc, argv);
  for (int e = 0; e < N; e++) {
    table[e] = (e + 7) % N;
    init[e] = e % 11;
    want[e] = 100 + e;
  }
  op_set s = op_decl_set(N, "s");
  op_map m = op_decl_map(s, s, 1, table, "m");
  op_dat a = op_decl_dat(s, 1, "int", init, "a");
  op_dat u = op_decl_dat(s, 1, "int", want, "u");
  for (int k = 0; k < STEPS; k++) {
    op_par_loop(add_and_look, "add_and_look", s,
                op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),
                op_arg_dat(u, 0, m, 1, "int", OP_INC),
                op_arg_gbl(&sum, 1, "int", OP_INC));
    for (int e = 0; e < N; e++) {
      want[table[e]] += init[e];
      want_sum += want[table[e]] % 8;
    }
    CHECK_INT(sum, want_sum);
  }
  op_fetch_data(u, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], want[e]);
  return check_end();
}
