/* What doc/mpi.md counts for Airfoil: each half step needs q and adt of what its
 * edges name, in one exchange; x goes once. With deferred globals and loops that run
 * redundantly (OP2_HALO_LIMIT) a step needs one exchange, of q; they do where that
 * seems cheapest (auto). A chain of direct loops needs none.
 *
 * On a device dats go up once and none comes back: halos do, and sums.
 *
 * RUN: 2
 * RUN: 4 PART=PTSCOTCH
 * RUN: 3 OP2_HALO_LIMIT=12 DEFER=1
 * RUN: 3 OP2_HALO_LIMIT=auto OP2_HALO_COSTS=1e6,1000,1 DEFER=1
 * RUN: 3 OP2_HALO_LIMIT=auto OP2_HALO_COSTS=0,1e6,1000 DEFER=1 HALVES=2
 * RUN: 2 OP2_HALO_LIMIT=auto OP2_HALO_COSTS=0,1e6,1000
 * RUN: 2 OP2_TARGET=opencl
 * RUN: 4 OP2_TARGET=opencl PART=PTSCOTCH
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

/* Bytes of dats, and of halos, that went up and came back. */
struct moved {
  long long h2d, d2h, up, down, messages;
};

static struct moved
moved(void) {
  return (struct moved){
      op2_counter("h2d"), op2_counter("d2h"), op2_counter("halo_h2d_bytes"),
      op2_counter("halo_d2h_bytes"), op2_counter("exchange_bytes")};
}

/* Between steps only what messages hold moved; all of it on a device, else none. */
static void
check_between(struct moved a, struct moved b) {
  const char *target = getenv("OP2_TARGET");
  bool device = target && !strncmp(target, "opencl", 6);
  count("dats that went up", b.h2d, a.h2d);
  count("dats that came back", b.d2h, 0);
  count("bytes of halos from the device", b.down - a.down,
        device ? b.messages - a.messages : 0);
  CHECK((b.up > a.up) == device);
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
  bool defer = getenv("DEFER") != NULL, once = defer && !getenv("HALVES");
  check_start(argc, argv);
  mesh_make(&m, NI, NJ);
  ref_start(&r, &m, 1, 0);
  declare(&f, &m, r.q);
  op2_defer_globals(defer);
  steps(&f, 1, m.ncell);
  struct moved before = moved();
  if (check_ir()) {
    count("exchanges of 5 steps", steps(&f, 5, m.ncell), once ? 5 : 10);
    check_between(before, moved());
  }
  direct(f.cells);
  ref_stop(&r);
  mesh_clear(&m);
  return check_end();
}
