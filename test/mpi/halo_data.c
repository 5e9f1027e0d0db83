/* dat->data beyond this rank's own elements, where maps lead, once halos are there: what
 * their owners declared, as in OP2.
 *
 * RUN: 1
 * RUN: 2
 * RUN: 3 PART=RANDOM
 */
#define OP_MPI_CORE_NOMPI
#include "op_mpi_core.h"

#include "../programs/check.h"

enum { N = 20 }; /* of each rank */

static void
add_one(double *x) {
  *x += 1;
}

/* x is an element's global number. */
static void
look_around(op_set s, op_map ring, op_dat x, int total) {
  const double *at = (const double *)x->data;
  for (int e = 0; e < s->size + s->exec_size; e++) {
    int left = ((int)at[e] + total - 1) % total,
        right = ((int)at[e] + 1) % total;
    CHECK_REAL(at[ring->map[2 * e]], left);
    CHECK_REAL(at[ring->map[2 * e + 1]], right);
  }
}

int
main(int argc, char **argv) {
  int link[2 * N], rank, total = N * check_ranks();
  double x0[N], y0[N], out[N];
  check_start(argc, argv);
  op_rank(&rank);
  for (int i = 0; i < N; i++) {
    int g = rank * N + i;
    x0[i] = y0[i] = g;
    link[2 * i] = (g + total - 1) % total;
    link[2 * i + 1] = (g + 1) % total;
  }
  op_set s = op_decl_set(N, "s");
  op_map ring = op_decl_map(s, s, 2, link, "ring");
  op_dat x = op_decl_dat(s, 1, "double", x0, "x");
  op_dat y = op_decl_dat(s, 1, "double", y0, "y");
  if (getenv("PART"))
    op_partition(getenv("PART"), "", s, ring, x);
  else
    op_halo_create();
  look_around(s, ring, x, total);
  op_par_loop(add_one, "add_one", s,
              op_arg_dat(y, -1, OP_ID, 1, "double", OP_RW));
  look_around(s, ring, x, total);
  op_fetch_data(y, out);
  for (int i = 0; i < N; i++) CHECK_REAL(out[i], rank * N + i + 1);
  return check_end();
}
