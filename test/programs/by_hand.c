/* Loops written by hand between op_mpi_halo_exchanges and op_mpi_set_dirtybit, among
 * loops that wait: each sees what the ones before made, and is seen behind. */
#include "check.h"
#define OP_MPI_CORE_NOMPI
#include "op_lib_cpp.h"
#include "op_mpi_core.h"

enum { N = 60 };

static void
twice(const double *a, double *b) {
  *b = 2 * *a;
}
static void
add_to(const double *a, double *b) {
  *b += *a;
}

static op_set s;
static op_map ring;
static op_dat a, b, c;

#define OWN(dat, acc) op_arg_dat(dat, -1, OP_ID, 1, "double", acc)
#define VIA(dat, i, acc) op_arg_dat(dat, i, ring, 1, "double", acc)

/* c += b of both neighbours, into this element's; the sum of all that was added. */
static double
gather(void) {
  op_arg args[3] = {VIA(b, 0, OP_READ), VIA(b, 1, OP_READ), OWN(c, OP_RW)};
  double sum = 0;
  op_arg total = op_arg_gbl(&sum, 1, "double", OP_INC);
  int n = op_mpi_halo_exchanges(s, 3, args);
  CHECK_INT(n, s->size);
  for (int e = 0; e < n; e++) {
    if (e == s->core_size) op_mpi_wait_all(3, args);
    const double *x = (double *)args[0].data;
    double more = x[args[0].map_data[2 * e]] + x[args[1].map_data[2 * e + 1]];
    ((double *)args[2].data)[e] += more;
    sum += more;
  }
  op_mpi_set_dirtybit(3, args);
  op_mpi_reduce(&total, &sum);
  return sum;
}

/* The same by increments behind the map, with arguments that were made before. */
static void
scatter(void) {
  op_arg from = OWN(b, OP_READ), left = VIA(c, 0, OP_INC),
         right = VIA(c, 1, OP_INC);
  op_arg args[3] = {from, left, right};
  int n = op_mpi_halo_exchanges_grouped(s, 3, args, 1);
  CHECK_INT(n, s->size + s->exec_size);
  op_mpi_test_all_grouped(3, args);
  op_mpi_wait_all_grouped(3, args, 1);
  CHECK(args[0].data == from.data && args[0].size == (int)sizeof(double));
  for (int e = 0; e < n; e++) {
    double x = *(double *)(from.data + e * from.size);
    *(double *)(left.data + left.map_data[2 * e] * left.size) += x;
    *(double *)(right.data + right.map_data[2 * e + 1] * right.size) += x;
  }
  op_mpi_set_dirtybit_cuda(3, args);
}

/* Least, most and "any" of what ranks have. */
static void
extremes(void) {
  int low = 7, high[2] = {-1, 3};
  float set = 0;
  op_rank(&low);
  high[0] = -low;
  set = low ? 0.0f : 2.5f;
  op_arg args[] = {op_arg_gbl(&low, 1, "int", OP_MIN),
                   op_arg_gbl(high, 2, "int", OP_MAX),
                   op_arg_gbl(&set, 1, "float", OP_WRITE),
                   op_arg_gbl(&low, 1, "int", OP_READ)};
  if (check_ranks() > 1 && getenv("OP2_DECLARE")) return; /* each its own */
  op_mpi_reduce_combined(args, 4);
  CHECK_INT(low, 0);
  CHECK_INT(high[0], 0);
  CHECK_INT(high[1], 3);
  CHECK_REAL(set, 2.5);
}

int
main(int argc, char **argv) {
  int link[2 * N];
  double a0[N], zero[N] = {0}, out[N], want[N], sum = 0;
  check_start(argc, argv);
  for (int i = 0; i < N; i++) {
    link[2 * i] = (i + N - 1) % N;
    link[2 * i + 1] = (i + 1) % N;
    a0[i] = i % 7;
  }
  s = op_decl_set(N, "s");
  ring = op_decl_map(s, s, 2, link, "ring");
  a = op_decl_dat(s, 1, "double", a0, "a");
  b = op_decl_dat(s, 1, "double", zero, "b");
  c = op_decl_dat(s, 1, "double", zero, "c");
  op_halo_create();
  for (int i = 0; i < N; i++)
    want[i] = 2 * (a0[(i + N - 1) % N] + a0[(i + 1) % N]);
  for (int i = 0; i < N; i++) sum += want[i];

  op_par_loop(twice, "twice", s, OWN(a, OP_READ), OWN(b, OP_WRITE));
  CHECK_REAL(gather(), sum);
  op_par_loop(add_to, "add_to", s, OWN(a, OP_READ), OWN(c, OP_INC));
  CHECK_PENDING(1);
  op_mpi_barrier();
  CHECK_PENDING(1);
  scatter();
  op_par_loop(add_to, "add_to", s, VIA(c, 0, OP_READ), OWN(a, OP_INC));
  scatter(); /* the loop before sees c as it was */
  op_fetch_data(c, out);
  for (int i = 0; i < N; i++) CHECK_REAL(out[i], 3 * want[i] + i % 7);
  op_fetch_data(a, out);
  for (int i = 0; i < N; i++) {
    int l = (i + N - 1) % N;
    CHECK_REAL(out[i], i % 7 + 2 * want[l] + l % 7);
  }
  extremes();
  op_halo_destroy();
  return check_end();
}
