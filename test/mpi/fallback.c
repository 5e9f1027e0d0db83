/* op_partition without what its partitioner needs leaves parts as they were declared,
 * as in OP2, and the program goes on. op_mpi_get_data gives the declared part in the
 * program's order wherever elements are; put gives it back.
 *
 * RUN: 2
 * RUN: 3
 */
#include "../programs/check.h"

enum { N = 30 };

static void
add_one(double *x) {
  *x += 1;
}

static double
value(int rank, int e) {
  return 100 * rank + e;
}

static void
free_copy(op_dat copy, void *data) {
  free(data);
  free(copy->set);
  free(copy);
}

static void
check_part(op_dat d, int rank, double more) {
  double out[N];
  op_fetch_data(d, out);
  for (int e = 0; e < N; e++) CHECK_REAL(out[e], value(rank, e) + more);
}

int
main(int argc, char **argv) {
  double x[N];
  int rank;
  check_start(argc, argv);
  op_rank(&rank);
  for (int e = 0; e < N; e++) x[e] = value(rank, e);
  op_set s = op_decl_set(N, "s");
  op_dat d = op_decl_dat(s, 1, "double", x, "d");
  op_dat wide = op_decl_dat(s, 4, "double", (double *)NULL, "wide");
  op_partition("RANDOM", "", NULL, NULL, NULL);
  op_partition("EXTERNAL", "", s, NULL, NULL);
  op_partition("EXTERNAL", "", s, NULL, wide);
  op_partition("INERTIAL", "", s, NULL, NULL);
  op_partition("INERTIAL", "", s, NULL, wide);
  op_partition("PTSCOTCH", "KWAY", s, NULL, d);
  op_partition("PTSCOTCH", "SOMEWAY", s, NULL, d);
  op_partition("PARMETIS", "GEOM", s, NULL, NULL);
  op_partition("NOBODY", "KWAY", s, NULL, d);
  op_partition(NULL, NULL, NULL, NULL, NULL);
  CHECK_INT(op_get_size_local(s), N);
  check_part(d, rank, 0);

  op_partition("RANDOM", "", s, NULL, NULL);
  op_par_loop(add_one, "add_one", s,
              op_arg_dat(d, 3, OP_ID, 1, "double", OP_RW)); /* -1, as in OP2 */
  op_dat copy = op_mpi_get_data(d);
  CHECK_INT(copy->set->size, N);
  double *at = (double *)op2_dat_data(copy);
  for (int e = 0; e < N; e++) {
    CHECK_REAL(at[e], value(rank, e) + 1);
    at[e] += 10;
  }
  op_mpi_put_data(copy);
  op_par_loop(add_one, "add_one", s,
              op_arg_dat(d, -1, OP_ID, 1, "double", OP_RW));
  check_part(d, rank, 12);
  check_part(copy, rank, 11);
  free_copy(copy, at);
  return check_end();
}
