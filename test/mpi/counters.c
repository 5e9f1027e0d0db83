/* What doc/mpi.md counts for Airfoil: each half step needs q and adt of what its
 * edges name, in one exchange; x goes once. With deferred globals and loops that run
 * redundantly (OP2_HALO_LIMIT) a step needs one exchange, of q. A chain of direct
 * loops needs none.
 *
 * RUN: 2
 * RUN: 4 PART=PTSCOTCH
 * RUN: 3 OP2_HALO_LIMIT=12 DEFER=1
 */
#define main airfoil_main
#include "slice.h"

#include "../programs/airfoil_small.c"
#undef main

static void
count(const char *what, long long found, long long expected) {
  if (found != expected)
    check_fail(__FILE__, __LINE__, "%s is %lld, expected %lld", what, found,
               expected);
}

/* Exchanges of `steps` steps. */
static long long
steps(struct flow *f, int n, int ncell) {
  long long before = op2_counter("exchanges");
  for (int k = 0; k < n; k++) {
    step(f, ncell);
    op2_flush();
  }
  return op2_counter("exchanges") - before;
}

static void
direct(op_set s) {
  op_dat a = op_decl_dat(s, 4, "double", (double *)NULL, "a");
  op_dat b = op_decl_dat(s, 4, "double", (double *)NULL, "b");
  long long before = op2_counter("exchanges");
  for (int k = 0; k < 3; k++) {
    op_par_loop(save_soln, "save_soln", s,
                op_arg_dat(a, -1, OP_ID, 4, "double", OP_READ),
                op_arg_dat(b, -1, OP_ID, 4, "double", OP_WRITE));
    op_par_loop(save_soln, "save_soln", s,
                op_arg_dat(b, -1, OP_ID, 4, "double", OP_READ),
                op_arg_dat(a, -1, OP_ID, 4, "double", OP_WRITE));
  }
  op2_flush();
  count("exchanges of direct loops", op2_counter("exchanges") - before, 0);
}

int
main(int argc, char **argv) {
  static struct ref r;
  struct mesh m;
  struct flow f;
  bool defer = getenv("DEFER") != NULL;
  check_start(argc, argv);
  mesh_make(&m, NI, NJ);
  ref_start(&r, &m, 1, 0);
  declare(&f, &m, r.q);
  op2_defer_globals(defer);
  steps(&f, 1, m.ncell);
  if (check_ir())
    count("exchanges of 5 steps", steps(&f, 5, m.ncell), defer ? 5 : 10);
  direct(f.cells);
  ref_stop(&r);
  mesh_clear(&m);
  return check_end();
}
