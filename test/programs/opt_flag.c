/* The flag of an opt argument may change from call to call of the same loop; an
 * argument that is off may have no dat and reaches the kernel as NULL. */
#include "check.h"

enum { N = 40 };

static void
maybe(int *a, const int *b, const int *g) {
  if (b) *a += *b;
  if (g) *a += *g;
  if (!b && !g) *a += 1000;
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  op_set s = op_decl_set(N, "s");
  int init[N], want[N] = {0}, out[N], g = 5;
  for (int e = 0; e < N; e++) init[e] = 10 * e;
  op_dat a = op_decl_dat(s, 1, "int", (int *)NULL, "a");
  op_dat b = op_decl_dat(s, 1, "int", init, "b");
  for (int flags = 0; flags < 8; flags++) {
    int with_b = flags & 1, with_g = flags >> 1 & 1;
    op_par_loop(maybe, "maybe", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_RW),
                op_opt_arg_dat(with_b, with_b ? b : NULL, -1, OP_ID, 1, "int",
                               OP_READ),
                op_opt_arg_gbl(with_g, &g, 1, "int", OP_READ));
    for (int e = 0; e < N; e++)
      want[e] += with_b * init[e] + with_g * g + !(with_b | with_g) * 1000;
  }
  CHECK_PENDING(8);
  op_fetch_data(a, out);
  CHECK_INTS(out, want, N);
  return check_end();
}
